"""The supervisor in a process without the gateway's modules, which take some 60 MB.

The command line has loaded them by the time it knows that there are several workers. So it replaces
itself by this program, which keeps the process id and the open output.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import NoReturn

from stategate.gateway.errors import GatewayError
from stategate.gateway.process_setup import announce, configure_logging, print_error
from stategate.gateway.settings import Settings
from stategate.gateway.supervision.supervisor import run_workers


def become_supervisor(settings: Settings, modules: Sequence[str]) -> NoReturn:
    """Replace this process by the supervisor; see `run_workers`.

    Args:
        settings: the settings of the whole gateway.
        modules: each worker imports them before it serves.
    """
    # In a file without a name, because other users can read the arguments of a process.
    with tempfile.TemporaryFile() as given:
        pickle.dump((settings, tuple(modules)), given)
        given.flush()
        os.set_inheritable(given.fileno(), True)
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        # The same modules, wherever this process has found them.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        program = [sys.executable, *flags, "-P", "-c", code, str(given.fileno())]
        sys.stdout.flush()
        # The command line follows for whoever lists processes.
        os.execv(sys.executable, [*program, *sys.argv])


def main() -> NoReturn:
    """Run the workers; an expected error is one sentence on stderr and exit status 2."""
    with open(int(sys.argv[1]), "rb") as given:
        given.seek(0)
        settings, modules = pickle.load(given)
    configure_logging(settings)
    try:
        run_workers(settings, modules=modules, announce=announce)
    except GatewayError as error:
        print_error(error)
        sys.exit(2)
    sys.exit(0)
