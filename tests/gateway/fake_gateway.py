"""A gateway process over the fake engine: `python -m tests.gateway.fake_gateway [NAME=VALUE…]`.

Its stores open at once, unless FAKE_OPEN says `fail`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable

from stategate.gateway.admission import open_access, open_proxies, open_tls, reloader
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.errors import GatewayError, ServeError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.serve import Serving, run_servers
from stategate.gateway.settings_sources import load_settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.thread_settings import thread_count
from tests.support.fake_engine import FakeEngine

STORES: list[dict[str, object]] = [
    {
        "name": "clicks",
        "kind": "keyvalue",
        "key": [{"name": "user", "type": "text"}],
        "columns": [{"name": "user", "type": "text"}, {"name": "clicks", "type": "bigint"}],
        "partitions": 2,
        "running": 1,
        "committed_epoch": 7,
        "replicas": [
            {"partition": 0, "role": "active", "state": "running", "epoch": 7, "error": None},
            {"partition": 1, "role": "active", "state": "restoring", "epoch": 3, "error": None},
        ],
    }
]


class FakeWire:
    """A wire server that listens, and prints that it was stopped."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        self._server = await asyncio.start_server(_hang_up, host, port)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    def open(self) -> None:
        raise AssertionError("this gateway has no workers")

    def adopt(self, connection: socket.socket, on_closed: Callable[[], None]) -> None:
        raise AssertionError("this gateway has no workers")

    async def stop(self, *, grace_s: float) -> None:
        print(f"wire stopped within {grace_s:g} s", flush=True)
        if self._server is not None:
            self._server.close()


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del reader
    writer.close()


def _open_stores() -> None:
    if os.environ.get("FAKE_OPEN") == "fail":
        raise ServeError("cannot open the stores: there are none")


def main() -> None:
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    settings = load_settings(environment={}, overrides={"http": "127.0.0.1:0", "pg": "", **given})
    try:
        access, tls, proxies = open_access(settings), open_tls(settings), open_proxies(settings)
    except GatewayError as error:
        print(f"{error.message}. {error.hint}", file=sys.stderr)
        sys.exit(2)
    threads = StatementThreads(
        count=thread_count(settings.threads), queue_max=settings.threads_queue_max
    )
    services = Services(
        engine=FakeEngine(),
        threads=threads,
        settings=settings,
        describe_stores=lambda: STORES,
        not_ready=list,
    )
    try:
        run_servers(
            Serving(
                app=create_app(services, access=access, proxies=proxies),
                at_once=AtOnce(services, access=access, proxies=proxies),
                tls=tls,
                busy_poll=BusyPoll(settings.linger_us),
                reload=reloader(access, tls),
                wire=FakeWire() if settings.pg else None,
                settings=settings,
                open_stores=_open_stores,
                announce=lambda line: print(line, flush=True),
            )
        )
    except GatewayError as error:
        print(f"{error.message}. {error.hint}", file=sys.stderr)
        sys.exit(2)
    finally:
        access.close()
        threads.close()


if __name__ == "__main__":
    main()
