"""The supervisor: it listens, gives connections to worker processes, and replaces dead workers.

It reads no byte of a connection, and runs no SQL. Workers are forked from a server that has only
imported the gateway, so that they share the memory of its modules and start in a fraction of the
time. The supervisor itself stays free of threads and of other state.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import shutil
import signal
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from stategate.gateway.accepting.listening import listen, shown_address
from stategate.gateway.accepting.open_files import OUT_OF_FILES
from stategate.gateway.addresses import host_port, parse_address
from stategate.gateway.errors import ServeError, SettingsError
from stategate.gateway.settings import Settings
from stategate.gateway.supervision.composing import ComposingServer
from stategate.gateway.supervision.shares import data_of, share_of
from stategate.gateway.supervision.worker import FAILED, run_worker
from stategate.gateway.workers.links import Note, Order, SupervisorEnd
from stategate.gateway.workers.siblings import WorkerPlace, composing_socket

logger = logging.getLogger(__name__)

_ACCEPTED_MAX = 64
"""Connections accepted before other events are handled."""
_ACCEPT_PAUSE_S = 0.5
"""Pause after a connection that could not be accepted, for want of open files."""
_LIVED_S = 10.0
"""A worker that lived for less is replaced after a pause, because its successor may end, too."""
_PAUSE_S = 1.0
_KILL_S = 5.0
"""How long after the grace period a worker that still runs is killed."""
_SERVED_BY = {"http": Order.SERVE_HTTP, "pg": Order.SERVE_POSTGRES}
_CLOSED = {Note.CLOSED_HTTP: Order.SERVE_HTTP, Note.CLOSED_POSTGRES: Order.SERVE_POSTGRES}


@dataclass(slots=True, kw_only=True, eq=False)
class _Worker:
    """A running worker process."""

    number: int
    process: ForkServerProcess
    link: SupervisorEnd
    started_s: float
    places: Mapping[Order, int]
    """Number of connections that it may have by protocol."""
    is_ready: bool = False
    connections: Counter[Order] = field(default_factory=Counter)
    """Number of open connections by protocol."""


def run_workers(
    settings: Settings, *, modules: Sequence[str], announce: Callable[[str], None]
) -> None:
    """Serve by several processes until SIGINT or SIGTERM; a second signal ends the grace period.

    Args:
        settings: the settings of the whole gateway.
        modules: each worker imports them before it serves.
        announce: prints one line for the operator.

    Raises:
        ServeError: an address is in use or not of this machine, or a worker cannot start.
        SettingsError: an address does not parse, there are fewer connections than workers, or
            this system cannot pass sockets between processes.
    """
    if not hasattr(socket, "send_fds"):
        raise SettingsError('setting "workers" needs Linux or another Unix', hint="Use 1.")
    for number in range(settings.workers):
        share_of(settings, number)  # an error is reported here, once
    with ExitStack() as ending:
        directory = Path(tempfile.mkdtemp(prefix="stategate-workers-"))
        ending.callback(shutil.rmtree, directory, ignore_errors=True)
        _remove_unused(settings)
        asyncio.run(_Supervisor(settings, modules, announce, directory).run())


def _remove_unused(settings: Settings) -> None:
    """Remove the replicas of workers beyond the present number."""
    if settings.data:
        used = {Path(data_of(settings.data, number)).name for number in range(settings.workers)}
        for path in Path(settings.data).glob(".worker-*"):
            if path.name not in used:
                shutil.rmtree(path, ignore_errors=True)


class _Supervisor:
    def __init__(
        self,
        settings: Settings,
        modules: Sequence[str],
        announce: Callable[[str], None],
        directory: Path,
    ) -> None:
        self._settings, self._modules, self._announce = settings, modules, announce
        self._directory, self._started_ms = directory, time.time_ns() // 1_000_000
        # Arrow's own allocator keeps what threads that ended have freed, in each worker.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["stategate.gateway.supervision.preloaded"])
        self._composing = ComposingServer(self._context, composing_socket(directory))
        self._workers: dict[int, _Worker] = {}
        self._listeners: Mapping[Order, socket.socket] = {}
        self._stopping, self._ended = asyncio.Event(), asyncio.Event()
        self._proven: set[int] = set()
        """Workers that were ready once. If such a worker cannot start again, it is tried again."""
        self._failed: str | None = None

    async def run(self) -> None:
        with closing(self._composing):  # statements compose until the last worker has ended
            await self._serve()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        with ExitStack() as opened:
            self._listeners = self._listen(opened)
            for ending in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(ending, self._on_signal)
            loop.add_signal_handler(signal.SIGHUP, self._tell_all, Order.RELOAD)
            self._composing.start()
            for number in range(self._settings.workers):
                self._start(number)
            for order, listener in self._listeners.items():
                loop.add_reader(listener, self._accept, order, listener)
            await self._stopping.wait()
            for listener in self._listeners.values():
                loop.remove_reader(listener)
        await self._stop()
        if self._failed is not None:
            raise ServeError(self._failed, hint="The message above has the reason.")

    def _listen(self, opened: ExitStack) -> Mapping[Order, socket.socket]:
        found = {}
        for name, order in _SERVED_BY.items():
            if text := getattr(self._settings, name):
                found[order] = opened.enter_context(listen(name, text, self._settings))
        scheme = "https" if self._settings.tls_certificate else "http"
        self._announce(f"HTTP on {scheme}://{shown_address(found[Order.SERVE_HTTP])}")
        if postgres := found.get(Order.SERVE_POSTGRES):
            self._announce(f"Postgres wire on {shown_address(postgres)}")
            # Port 0 of the setting has become this one, which the workers tell their clients.
            host = parse_address("pg", self._settings.pg).host
            address = host_port(host, postgres.getsockname()[1])
            self._settings = replace(self._settings, pg=address)
        return found

    def _on_signal(self) -> None:
        if self._stopping.is_set():
            self._tell_all(Order.STOP_NOW)
        else:
            self._stopping.set()

    def _tell_all(self, order: Order) -> None:
        for worker in self._workers.values():
            worker.link.send(order)

    # --- connections -----------------------------------------------------------------------------

    def _accept(self, order: Order, listener: socket.socket) -> None:
        for _ in range(_ACCEPTED_MAX):
            try:
                connection, _ = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                logger.warning("connection not accepted, error=%s", error)
                if error.errno in OUT_OF_FILES:
                    self._pause_accepting(order, listener)
                return
            with connection:
                self._hand_over(order, connection)

    def _pause_accepting(self, order: Order, listener: socket.socket) -> None:
        """Let clients wait a moment: as long as no file can be opened, a loop would spin."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(listener)

        def go_on() -> None:
            if not self._stopping.is_set():
                loop.add_reader(listener, self._accept, order, listener)

        loop.call_later(_ACCEPT_PAUSE_S, go_on)

    def _hand_over(self, order: Order, connection: socket.socket) -> None:
        """Give a connection to the worker with the fewest connections.

        Ready workers come first, but not if they have no place for it.
        """
        candidates = sorted(
            self._workers.values(),
            key=lambda worker: (
                worker.connections[order] >= worker.places[order],
                not worker.is_ready,
                worker.connections[order],
            ),
        )
        for worker in candidates:
            if worker.link.send(order, connection):
                worker.connections[order] += 1
                return
        logger.warning("connection refused, because no worker runs")

    # --- workers ---------------------------------------------------------------------------------

    def _start(self, number: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            place = WorkerPlace(
                number=number,
                count=self._settings.workers,
                directory=self._directory,
                started_ms=self._started_ms,
            )
            process = self._context.Process(
                target=run_worker,
                args=(self._settings, place, theirs, tuple(self._modules)),
                name=f"stategate-worker-{number}",
            )
            try:
                process.start()
            except BaseException:
                ours.close()
                raise
        share = share_of(self._settings, number)
        worker = _Worker(
            number=number,
            process=process,
            places={
                Order.SERVE_HTTP: share.http_connections_max,
                Order.SERVE_POSTGRES: share.pg_connections_max,
            },
            link=SupervisorEnd(ours, lambda note: self._on_note(worker, note)),
            started_s=time.monotonic(),
        )
        self._workers[number] = worker
        asyncio.get_running_loop().add_reader(process.sentinel, self._on_end, worker)
        logger.info("worker started worker=%d pid=%d", number, process.pid)

    def _on_note(self, worker: _Worker, note: Note) -> None:
        if note is Note.READY:
            worker.is_ready = True
            self._proven.add(worker.number)
            logger.info("worker ready worker=%d", worker.number)
        else:
            worker.connections[_CLOSED[note]] -= 1

    def _on_end(self, worker: _Worker) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(worker.process.sentinel)
        worker.process.join()
        status = worker.process.exitcode
        worker.process.close()
        worker.link.close()
        del self._workers[worker.number]
        self._ended.set()
        if self._stopping.is_set():
            return
        if status == FAILED and worker.number not in self._proven:
            self._failed = f"worker {worker.number} could not start"
            self._stopping.set()
            return
        logger.error("worker ended and is replaced worker=%d status=%s", worker.number, status)
        lived_s = time.monotonic() - worker.started_s
        loop.call_later(0.0 if lived_s > _LIVED_S else _PAUSE_S, self._replace, worker.number)

    def _replace(self, number: int) -> None:
        if self._stopping.is_set():
            return
        try:
            self._start(number)
        except (OSError, EOFError) as error:  # too many processes or files, or no memory
            logger.error("worker not started, trying again worker=%d error=%s", number, error)
            asyncio.get_running_loop().call_later(_PAUSE_S, self._replace, number)

    async def _stop(self) -> None:
        if self._failed is None:
            self._announce("stopping")
        self._tell_all(Order.STOP)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.grace_ms / 1000 + _KILL_S):
                while self._workers:
                    self._ended.clear()
                    await self._ended.wait()
        for worker in tuple(self._workers.values()):
            logger.error("worker killed, because it did not end worker=%d", worker.number)
            worker.process.kill()
            worker.process.join()
