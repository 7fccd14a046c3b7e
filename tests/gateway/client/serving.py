"""An HTTP server in a thread of the test's own process, and applications without a socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import uvloop
from starlette.types import ASGIApp

from stategate.connections import AsyncConnection
from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.admission import open_proxies
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.origins import AllowedOrigins
from stategate.gateway.http.server import HttpServer, uvicorn_config
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Engine
from stategate.planner.typed import TypedQueries
from stategate.requesting import Defaults
from stategate.session import Session
from stategate.steps import Close, Pause, Read, Reply, Send, Step
from tests.support.waiting import WAIT_S


@contextlib.contextmanager
def services_of(
    engine: Engine, *, typed: TypedQueries | None = None, settings: Settings | None = None
) -> Iterator[Services]:
    """Yield the services of a gateway over an engine."""
    threads = StatementThreads(count=2, queue_max=64)
    try:
        yield Services(
            engine=engine,
            threads=threads,
            settings=settings or Settings(chunk_bytes=16 << 10),
            describe_stores=list,
            not_ready=list,
            typed=typed,
        )
    finally:
        threads.close()


@contextlib.contextmanager
def http_serving(
    services: Services,
    *,
    access: Access | None = None,
    tls: Tls | None = None,
    origins: AllowedOrigins | None = None,
    settings: Settings | None = None,
) -> Iterator[str]:
    """Serve over a real socket, with the shortcut for lookups; yield the base URL.

    Args:
        services: the services of the gateway.
        access: which authentication clients need.
        tls: its certificate.
        origins: the origins whose pages may use it.
        settings: the settings of connections; None for those of the services.
    """
    loop = uvloop.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="http", daemon=True)
    thread.start()
    started = threading.Event()
    settings = settings or services.settings
    proxies = open_proxies(settings)
    app = create_app(services, access=access, origins=origins, proxies=proxies)
    server = HttpServer(
        uvicorn_config(app, settings, tls=tls, drain_s=1),
        settings,
        BusyPoll(0),
        AtOnce(services, access=access, proxies=proxies),
        on_started=started.set,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.run_coroutine_threadsafe(server.serve(sockets=[listener]), loop)
    assert started.wait(WAIT_S)
    scheme, host = ("http", "127.0.0.1") if tls is None else ("https", "localhost")
    try:
        yield f"{scheme}://{host}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        serving.result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


class AppTransport:
    """Takes the steps of a client by calling an application, without a socket."""

    def __init__(self, app: ASGIApp) -> None:
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://localhost"
        )

    async def take(self, step: Step) -> object:
        """Take a step."""
        match step:
            case Send():
                found = await self._client.post(
                    step.path, content=step.body, headers=dict(step.headers)
                )
                parts: Any = iter([found.content])
                return Reply(step.url, found.status_code, "", parts)
            case Read():
                return next(step.reply.body, b"")
            case Close() | Pause():
                return None

    async def close(self) -> None:
        """Close the client."""
        await self._client.aclose()


def app_connection(app: ASGIApp) -> AsyncConnection:
    """Return a connection to an application without a socket."""
    session = Session(Defaults(urls=("http://localhost",)))
    return AsyncConnection(session, AppTransport(app))
