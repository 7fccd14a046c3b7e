"""Runs both servers in one event loop: bind, announce, answer until a signal, drain, end.

Handles sockets, signals and time; knows no SQL and no stores.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import uvicorn
from starlette.types import ASGIApp

from gateway.access.address_limits import UnauthenticatedConnections
from gateway.access.tls import Tls
from gateway.busy_poll import BusyPoll
from gateway.errors import ServeError
from gateway.http.at_once import AtOnce
from gateway.http.connection import HttpConnection, HttpLimits
from gateway.http.shortcut import ShortcutConnection
from gateway.settings import Address, Settings, parse_address

logger = logging.getLogger(__name__)

SWITCH_INTERVAL_S = 0.0005
"""How long a worker thread may hold the interpreter while the loop waits. Python's default of 5 ms
would delay every lookup that arrives while a worker decodes rows."""
GC_YOUNG_OBJECTS = 2_000
"""New objects between collections of the youngest generation. Python's default of 700 is a few
lookups' worth. No thread runs during one: with 2,000 it takes 1 ms, with 20,000 it took 12 ms."""
GC_YOUNG_LOOKS = 5
"""Collections of the youngest generation for each one of the middle one, which takes some 3 ms."""
GC_MIDDLE_LOOKS = 100
"""Collections of the middle generation, a million new objects, between full ones, which take some
60 ms with 100,000 objects."""
CLOSING_S = 1.0
"""Reserved at the end of the grace period, at most half of it, to cancel statements and close."""
_BACKLOG = 512
"""Connections that the kernel queues before they are accepted: all clients in one burst."""


class WireServer(Protocol):
    """The methods of the Postgres wire that serving needs."""

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the port."""

    async def stop(self, *, grace_s: float) -> None:
        """Refuse new connections, let statements end within the grace period, then close all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The servers to run, and the callbacks around them."""

    app: ASGIApp
    at_once: AtOnce | None = None
    """Answers lookups without the application; None leaves them to it."""
    wire: WireServer | None
    """None if the Postgres wire is turned off."""
    settings: Settings
    open_stores: Callable[[], None]
    """Opens the replicas, in a thread, after the servers listen, so that `/readyz` can report
    progress. An exception ends the gateway."""
    tls: Tls | None = None
    """The certificate of HTTP; None serves without TLS."""
    busy_poll: BusyPoll
    """Busy-polls briefly after each answer, so a back-to-back query avoids a sleep and wake-up."""
    reload: Callable[[], None] | None = None
    """Called on SIGHUP; None keeps the signal's default action."""
    watch_http: Callable[[Callable[[], int]], None] | None = None
    """Receives the function that counts open HTTP connections, before the first is accepted."""
    announce: Callable[[str], None]
    """Prints one line for the operator: an address, or that the gateway stops."""


class _HttpServer(uvicorn.Server):
    """uvicorn with our connections and without its signal handlers: `serve` handles signals.

    Args:
        config: uvicorn's.
        settings: give the limits of connections.
        busy_poll: is notified of each answer.
        at_once: answers lookups without the application; None leaves them to it.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        settings: Settings,
        busy_poll: BusyPoll,
        at_once: AtOnce | None,
    ) -> None:
        super().__init__(config)
        self._busy_poll, self._at_once = busy_poll, at_once
        self._unauthenticated = UnauthenticatedConnections(
            of_one_max=settings.strangers_max,
            total_max=settings.strangers_total_max,
            evict=HttpConnection.abort,
        )
        self._limits = HttpLimits(head_timeout_s=settings.body_timeout_ms / 1000)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()
        make_connection: Callable[..., HttpConnection] = (
            HttpConnection
            if self._at_once is None
            else partial(ShortcutConnection, at_once=self._at_once)
        )

        def connect() -> HttpConnection:
            return make_connection(
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
                loop=loop,
                unauthenticated=self._unauthenticated,
                limits=self._limits,
                busy_poll=self._busy_poll,
            )

        context = self.config.ssl
        self.servers = [
            await loop.create_server(
                connect,
                sock=each,
                ssl=context,
                backlog=self.config.backlog,
                # Connections in a TLS handshake are not counted yet, so time limits them.
                ssl_handshake_timeout=None if context is None else self._limits.head_timeout_s,
            )
            for each in sockets or ()
        ]
        self.started = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def reduce_garbage_collection() -> None:
    """Exempt objects made so far from garbage collection, and collect others less often.

    Imported modules and wired objects stay until the end. Not scanning them gains 3 % of the
    throughput of lookups and 5 % of planning time, and makes the process end faster.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG_OBJECTS, GC_YOUNG_LOOKS, GC_MIDDLE_LOOKS)


def run_servers(serving: Serving) -> None:
    """Serve until SIGINT or SIGTERM; a second signal ends the grace period.

    Raises:
        ServeError: an address is in use or not of this machine.
        SettingsError: an address does not parse.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    reduce_garbage_collection()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve(serving))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop  # noqa: PLC0415 - not there on Windows

    return uvloop.new_event_loop


async def serve(serving: Serving) -> None:
    """Serve within a running event loop, as `run_servers` does."""
    settings = serving.settings
    stopping, forced = _signalled()
    _reload_on_hangup(serving)
    listener = _listen(parse_address("http", settings.http), settings)
    try:
        await _start_wire(serving)
    except BaseException:
        listener.close()
        raise
    http = _HttpServer(_uvicorn_config(serving), settings, serving.busy_poll, serving.at_once)
    if serving.watch_http is not None:
        serving.watch_http(lambda: len(http.server_state.connections))
    serving_http = asyncio.create_task(http.serve(sockets=[listener]))
    serving.announce(f"HTTP on http{'s' if serving.tls else ''}://{_shown(listener)}")
    try:
        await _until_stopped(serving, serving_http, stopping)
        serving.announce("stopping")
    finally:
        http.should_exit = True
        forcing = asyncio.create_task(_force(http, forced))
        await asyncio.gather(_stop_wire(serving, forced), serving_http)
        forcing.cancel()


async def _until_stopped(
    serving: Serving, serving_http: asyncio.Task[None], stopping: asyncio.Event
) -> None:
    """Open the stores and wait for a signal; raise any error that ends the gateway earlier."""
    opening = asyncio.ensure_future(asyncio.to_thread(serving.open_stores))
    signalled = asyncio.ensure_future(stopping.wait())
    waiting: set[asyncio.Future[Any]] = {opening, signalled, serving_http}
    try:
        while not signalled.done():
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                await task
            if serving_http.done():
                raise ServeError("the HTTP server ended by itself", hint="See the log.")
            waiting -= done
    finally:
        signalled.cancel()
        # A thread cannot be stopped, and half-opened stores could not be closed.
        await asyncio.gather(opening, return_exceptions=True)


def _signalled() -> tuple[asyncio.Event, asyncio.Event]:
    """Return two events: the first SIGINT or SIGTERM sets one, the second the other."""
    stopping, forced = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        (forced if stopping.is_set() else stopping).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(on_signal))
        else:
            loop.add_signal_handler(number, on_signal)
    return stopping, forced


def _reload_on_hangup(serving: Serving) -> None:
    if serving.reload is not None and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, serving.reload)


async def _start_wire(serving: Serving) -> None:
    if serving.wire is None:
        return
    address = parse_address("pg", serving.settings.pg)
    try:
        port = await serving.wire.start(address.host, address.port)
    except OSError as error:
        raise cannot_listen("pg", address, error) from error
    serving.announce(f"Postgres wire on {_host_port(address.host, port)}")


async def _stop_wire(serving: Serving, forced: asyncio.Event) -> None:
    if serving.wire is None:
        return
    grace_s = 0.0 if forced.is_set() else _drain_s(serving.settings)
    stopping = asyncio.create_task(serving.wire.stop(grace_s=grace_s))
    forcing = asyncio.create_task(forced.wait())
    await asyncio.wait((stopping, forcing), return_when=asyncio.FIRST_COMPLETED)
    if not stopping.done():
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
        await serving.wire.stop(grace_s=0.0)
    else:
        await stopping
    forcing.cancel()


def _drain_s(settings: Settings) -> float:
    """Return how long statements may run after a signal, to end within the grace period."""
    grace_s = settings.grace_ms / 1000
    return max(grace_s / 2, grace_s - CLOSING_S)


async def _force(http: _HttpServer, forced: asyncio.Event) -> None:
    await forced.wait()
    http.force_exit = True


def _uvicorn_config(serving: Serving) -> uvicorn.Config:
    settings, tls = serving.settings, serving.tls
    return uvicorn.Config(
        serving.app,
        http="httptools",
        ws="none",
        loop="none",
        lifespan="off",
        interface="asgi3",
        # `gateway.access.peers` decides which proxies to trust.
        proxy_headers=False,
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=_BACKLOG,
        ssl_context_factory=None if tls is None else lambda *_: tls.http_context(),
        limit_concurrency=settings.http_connections_max,
        timeout_keep_alive=max(1, settings.keep_alive_ms // 1000),
        timeout_graceful_shutdown=max(1, int(_drain_s(settings))),
    )


def _listen(address: Address, settings: Settings) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, where = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise cannot_listen("http", address, error) from error
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Accepted connections inherit it. Without it, closing the connection of a client that
            # vanished would wait for ever for its unread data.
            listener.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, settings.stall_timeout_ms
            )
        listener.bind(where)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise cannot_listen("http", address, error) from error
    return listener


def cannot_listen(name: str, address: Address, error: OSError) -> ServeError:
    """Return the error for an address that is in use or not of this machine."""
    reason = error.strerror or str(error)
    if error.errno is not None and not isinstance(error, socket.gaierror):
        reason = os.strerror(error.errno)  # some event loops repeat the address in their message
    return ServeError(
        f"cannot listen on {_host_port(address.host, address.port)}: {reason.lower()}",
        hint=f"Choose another address with --{name}.",
    )


def _shown(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return _host_port(host, port)


def _host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
