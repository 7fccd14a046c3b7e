"""Runs both servers in one event loop: bind, announce, answer until a signal, drain, end.

Handles sockets, signals and time; knows no SQL and no stores.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from starlette.types import ASGIApp

from stategate.gateway.accepting.listening import cannot_listen, listen, shown_address
from stategate.gateway.accepting.open_files import OpenFilesWatch
from stategate.gateway.access.places import Places
from stategate.gateway.access.tls import Tls
from stategate.gateway.addresses import host_port, parse_address
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.errors import ServeError
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.server import HttpServer, uvicorn_config
from stategate.gateway.settings import Settings
from stategate.gateway.short_slices import take_short_slices
from stategate.gateway.workers.links import Note, Order, WorkerEnd

logger = logging.getLogger(__name__)

SWITCH_INTERVAL_S = 0.0002
"""How long a thread may hold the interpreter while the loop waits. Python's default of 5 ms
would delay every lookup that arrives while a thread decodes rows."""
GC_YOUNG_OBJECTS = 2_000
"""New objects between collections of the youngest generation. Python's default of 700 is a few
lookups' worth. No thread runs during one: with 2,000 it takes 1 ms, with 20,000 it took 12 ms."""
GC_YOUNG_LOOKS = 5
"""Collections of the youngest generation between two of the middle one, which take some 3 ms."""
GC_MIDDLE_LOOKS = 100
"""Collections of the middle generation, a million new objects, between full ones, which take some
60 ms with 100,000 objects."""
_READY_LOOK_S = 0.05
_LOOK_S = 1.0
CLOSING_S = 1.0
"""Reserved at the end of the grace period, at most half of it, to cancel statements and close."""


class WireServer(Protocol):
    """The methods of the Postgres wire that serving needs."""

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the port."""

    def open(self) -> None:
        """Begin to serve, without listening: `adopt` gives the connections."""

    def adopt(self, connection: socket.socket, on_closed: Callable[[], None]) -> None:
        """Serve an accepted connection."""

    async def stop(self, *, grace_s: float) -> None:
        """Refuse new connections, let statements end within the grace period, then close all."""


class Nodes(Protocol):
    """The methods of the node service that serving needs."""

    async def start(self) -> str:
        """Answer other nodes, and connect to them; return the address, HOST:PORT."""

    async def leave(self, *, within_s: float) -> None:
        """Let others take over what only this node has."""

    async def stop(self) -> None:
        """Ask and answer no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The servers to run, and the callbacks around them."""

    app: ASGIApp
    at_once: AtOnce | None = None
    """Answers lookups without the application; None leaves them to the application."""
    http_places: Places | None = None
    """The places of HTTP connections; None for the number in the settings, for anyone."""
    wire: WireServer | None
    """None if the Postgres wire is turned off."""
    settings: Settings
    open_stores: Callable[[], None]
    """Opens the replicas, in a thread, after the servers listen, so that `/readyz` can report
    progress. An exception ends the gateway."""
    tls: Tls | None = None
    """The certificate of HTTP; None serves without TLS."""
    nodes: Nodes | None = None
    """None for a gateway that is alone."""
    busy_poll: BusyPoll
    """Busy-polls briefly after each answer, so a back-to-back query avoids a sleep and wake-up."""
    reload: Callable[[], None] | None = None
    """Called on SIGHUP; None keeps the signal's default action."""
    look: Callable[[], None] = lambda: None
    """Called each second, to notice changed files without a login."""
    watch_http: Callable[[Callable[[], int]], None] | None = None
    """Receives the function that counts open HTTP connections, before the first is accepted."""
    announce: Callable[[str], None]
    """Prints one line for the operator: an address, or that the gateway stops."""
    link: WorkerEnd | None = None
    """Where a worker gets its connections and orders from; None for a gateway that listens and
    obeys signals itself."""
    on_serving: Callable[[], Awaitable[None]] | None = None
    """Called in the loop before the first connection is served."""
    on_stopping: Callable[[], None] = lambda: None
    """Called once the gateway stops: it ends what would never end by itself."""
    is_ready: Callable[[], bool] = lambda: True
    """Whether all replicas answer; only a worker asks."""


def reduce_garbage_collection() -> None:
    """Exempt objects made so far from garbage collection, and collect others less often.

    Imported modules and wired objects stay until the end. Not scanning them gains 3 % of the
    throughput of lookups and 5 % of planning time, and makes the process end faster.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG_OBJECTS, GC_YOUNG_LOOKS, GC_MIDDLE_LOOKS)
    gc.enable()


def run_servers(serving: Serving) -> None:
    """Serve until SIGINT or SIGTERM; a second signal ends the grace period.

    Raises:
        ServeError: an address is in use or not of this machine.
        SettingsError: an address does not parse.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    take_short_slices()
    reduce_garbage_collection()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve(serving))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop  # noqa: PLC0415 - not there on Windows

    return uvloop.new_event_loop


class _Ending:
    """How a gateway is told to end."""

    def __init__(self) -> None:
        self.begun, self.forced = asyncio.Event(), asyncio.Event()

    def ask(self) -> None:
        """Begin to end; the second time without a grace period."""
        (self.forced if self.begun.is_set() else self.begun).set()

    def force(self) -> None:
        """End without a grace period."""
        self.begun.set()
        self.forced.set()


async def serve(serving: Serving) -> None:
    """Serve within a running event loop, as `run_servers` does."""
    ending = _Ending()
    http = HttpServer(
        uvicorn_config(
            serving.app,
            serving.settings,
            tls=serving.tls,
            drain_s=_drain_s(serving.settings),
        ),
        serving.settings,
        serving.busy_poll,
        serving.at_once,
        places=serving.http_places,
        on_started=lambda: _obey_supervisor(serving, http, ending),
    )
    if serving.watch_http is not None:
        serving.watch_http(lambda: len(http.server_state.connections))
    listeners = []
    if serving.on_serving is not None:
        await serving.on_serving()
    if serving.link is None:
        _obey_signals(serving, ending)
        listeners.append(listen("http", serving.settings.http, serving.settings))
        try:
            await _start_wire(serving)
            if serving.nodes is not None:
                serving.announce(f"Nodes on {await serving.nodes.start()}")
        except BaseException:
            listeners[0].close()
            raise
    else:
        _obey_signals_of_worker(ending)
        if serving.wire is not None:
            serving.wire.open()
    serving_http = asyncio.create_task(http.serve(sockets=listeners))
    for listener in listeners:
        scheme = "https" if serving.tls else "http"
        serving.announce(f"HTTP on {scheme}://{shown_address(listener)}")
    looking = asyncio.create_task(look_often(serving.look))
    watching = asyncio.create_task(look_often(OpenFilesWatch()))
    try:
        await _until_stopped(serving, serving_http, ending.begun)
        serving.announce("stopping")
        await _leave(serving, ending.forced)
    finally:
        serving.on_stopping()
        looking.cancel()
        watching.cancel()
        http.should_exit = True
        forcing = asyncio.create_task(_force(http, ending.forced))
        await asyncio.gather(_stop_wire(serving, ending.forced), serving_http)
        forcing.cancel()
        if serving.nodes is not None:
            await serving.nodes.stop()


async def look_often(look: Callable[[], None], *, every_s: float = _LOOK_S) -> None:
    """Call a function again and again, until this is cancelled; log its errors and go on."""
    while True:
        await asyncio.sleep(every_s)
        try:
            look()
        except Exception:  # the next look may succeed, and a withdrawn right must be noticed
            logger.exception("a look failed")


async def _until_stopped(
    serving: Serving, serving_http: asyncio.Task[None], stopping: asyncio.Event
) -> None:
    """Open the stores and wait for a signal; raise any error that ends the gateway earlier."""
    opening = asyncio.ensure_future(asyncio.to_thread(serving.open_stores))
    signalled = asyncio.ensure_future(stopping.wait())
    waiting: set[asyncio.Future[Any]] = {opening, signalled, serving_http}
    if serving.link is not None:
        waiting.add(asyncio.ensure_future(_note_ready(serving, serving.link)))
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


async def _note_ready(serving: Serving, link: WorkerEnd) -> None:
    """Tell the supervisor once all replicas answer."""
    while not serving.is_ready():  # noqa: ASYNC110 - nothing signals it
        await asyncio.sleep(_READY_LOOK_S)
    link.note(Note.READY)


def _obey_signals(serving: Serving, ending: _Ending) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(ending.ask))
        else:
            loop.add_signal_handler(number, ending.ask)
    if serving.reload is not None and sys.platform != "win32":
        loop.add_signal_handler(signal.SIGHUP, serving.reload)


def _obey_signals_of_worker(ending: _Ending) -> None:
    """Obey SIGTERM as often as it comes; the rest of the signals are for the supervisor.

    A terminal sends SIGINT to all processes, and some service managers SIGTERM. So the second
    signal of a worker may be the first of the operator.
    """
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ending.begun.set)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _obey_supervisor(serving: Serving, http: HttpServer, ending: _Ending) -> None:
    """Serve the connections that the supervisor gives, and follow its orders."""
    link, wire = serving.link, serving.wire
    if link is None:
        return

    def serve_http(connection: socket.socket) -> None:
        http.adopt(connection, partial(link.note, Note.CLOSED_HTTP))

    def serve_postgres(connection: socket.socket) -> None:
        assert wire is not None, "the supervisor listens for it"
        wire.adopt(connection, partial(link.note, Note.CLOSED_POSTGRES))

    link.listen(
        serve={Order.SERVE_HTTP: serve_http, Order.SERVE_POSTGRES: serve_postgres},
        obey={
            Order.RELOAD: serving.reload or (lambda: None),
            Order.STOP: ending.begun.set,
            Order.STOP_NOW: ending.force,
        },
    )


async def _start_wire(serving: Serving) -> None:
    if serving.wire is None:
        return
    address = parse_address("pg", serving.settings.pg)
    try:
        port = await serving.wire.start(address.host, address.port)
    except OSError as error:
        raise cannot_listen("pg", address, error) from error
    serving.announce(f"Postgres wire on {host_port(address.host, port)}")


async def _leave(serving: Serving, forced: asyncio.Event) -> None:
    """Serve on until other nodes have what this one has."""
    if serving.nodes is None:
        return
    leaving = asyncio.create_task(serving.nodes.leave(within_s=_drain_s(serving.settings) / 2))
    forcing = asyncio.create_task(forced.wait())
    await asyncio.wait((leaving, forcing), return_when=asyncio.FIRST_COMPLETED)
    for task in (leaving, forcing):
        task.cancel()
    await asyncio.gather(leaving, forcing, return_exceptions=True)


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


async def _force(http: HttpServer, forced: asyncio.Event) -> None:
    await forced.wait()
    http.force_exit = True
