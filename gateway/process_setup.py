"""The setup of each process of a gateway: logging, files, and modules of third parties."""

from __future__ import annotations

import contextlib
import importlib
import logging
import signal
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder

from stategate.gateway.errors import GatewayError, ServeError
from stategate.gateway.settings import Settings

logger = logging.getLogger(__name__)


def load_modules(modules: Sequence[str]) -> None:
    """Import modules of third parties, which register kinds of stores or queries.

    Raises:
        ServeError: one cannot be imported.
    """
    if modules and "" not in sys.path:
        sys.path.insert(0, "")
    for name in modules:
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # a third party's code may raise anything
            # The one-sentence error does not show where in that code it happened.
            logger.debug("module not loaded, module=%s", name, exc_info=error)
            said = " ".join(str(error).split())
            raise ServeError(
                f'module "{name}" cannot be loaded: {type(error).__name__}: {said}',
                hint="--set log_level=debug shows where.",
            ) from error


def configure_logging(settings: Settings) -> None:
    """Log to stderr, one line per event."""
    logging.basicConfig(
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    # We log ourselves what uvicorn logs at INFO, and any client can cause its warnings as often as
    # it likes.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def prepare_process(settings: Settings) -> None:
    """Prepare this process to serve, before it has threads."""
    allow_more_files()
    if not settings.spark_remote:  # Spark's client uses pandas
        leave_pandas_out()


def accept_signals() -> None:
    """Unblock the signals that stop a process, and notice the ends of its children.

    Both are inherited. Below a starter that blocks SIGTERM, a gateway could only be killed; below
    one that ignores SIGCHLD, a failed program would look like one that ended well.
    """
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    stopping = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*stopping, signal.SIGCHLD})


def allow_more_files() -> None:
    """Let this process open as many files as the system permits.

    The usual limit, 1,024, is kept low for programs that call `select`; none of ours do.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not there on Windows

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS refuses what it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _NoPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed here", name=fullname)


def leave_pandas_out() -> None:
    """Let Arrow look for pandas now, in vain, instead of with the first array that it makes.

    It looks once, to recognise objects of pandas, and would import it: half a second and 40 MB of
    each process, of which 25 are its own. None of our objects is one. Who calls `to_pandas` still
    gets pandas.
    """
    import pyarrow as pa  # noqa: PLC0415 - the supervisor needs no Arrow

    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([None])
    finally:
        sys.meta_path.remove(finder)


def announce(line: str) -> None:
    """Print one line for the operator."""
    print(f"stategate: {line}", flush=True)


def print_error(error: GatewayError) -> None:
    """Print an error that ends the process."""
    hint = f" {error.hint}" if error.hint else ""
    print(f"stategate: {error.message}.{hint}", file=sys.stderr)
