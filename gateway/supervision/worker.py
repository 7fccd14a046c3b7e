"""A worker process: a gateway whose connections come from the supervisor."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Sequence

from stategate.gateway.errors import GatewayError
from stategate.gateway.process_setup import configure_logging, load_modules, print_error
from stategate.gateway.settings import Settings
from stategate.gateway.supervision.shares import share_of
from stategate.gateway.workers.links import WorkerEnd
from stategate.gateway.workers.siblings import Siblings, WorkerPlace

FAILED = 2
"""Exit status of a worker that cannot start, where another one could not start either."""


def run_worker(
    settings: Settings, place: WorkerPlace, link: socket.socket, modules: Sequence[str]
) -> None:
    """Serve the supervisor's connections until it orders a stop.

    The process exits with `FAILED` if the worker cannot start.

    Args:
        settings: the settings of the whole gateway.
        place: the place of this worker in the gateway.
        link: the worker's end of its link.
        modules: are imported first, to register kinds of stores or queries.
    """
    from stategate.gateway.wiring import run_gateway  # noqa: PLC0415 - the supervisor needs no engine
    from stategate.gateway.workers.whole_gateway import WorkerLinks  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the server that forked this process ignores it
    configure_logging(settings)
    try:
        load_modules(modules)
        links = WorkerLinks(supervisor=WorkerEnd(link), siblings=Siblings(place))
        try:
            run_gateway(share_of(settings, place.number), worker=links)
        finally:
            links.close()
    except GatewayError as error:
        print_error(error)
        sys.exit(FAILED)
