"""The side that answers: it listens for other nodes, and answers from the replicas of this one."""

from __future__ import annotations

import asyncio
import logging
import math
import ssl
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa

from stategate.gateway.accepting.listening import cannot_listen
from stategate.gateway.addresses import Address, host_port
from stategate.gateway.nodes.connection import NodeConnection
from stategate.gateway.nodes.frames import KEYS, ONE_WAY, Frame, frame, keys_frame
from stategate.gateway.nodes.handshake import Handshake, Hello
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.errors import QueryError
from stategate.stores.errors import StoreError
from stategate.stores.nodes.answering import Answering, cannot_reduce
from stategate.stores.nodes.codec import MessageError, UnknownKindError
from stategate.stores.nodes.messages import (
    Announcement,
    Heard,
    Met,
    Refused,
    Release,
    Reply,
    Request,
    WaitForBound,
)
from stategate.stores.nodes.packed_keys import KeyAnswerPacker, asked_keys
from stategate.stores.spec.reductions import Reduce
from stategate.stores.spec.store import Store, Waiting
from stategate.stores.spec.traces import OnRead

logger = logging.getLogger(__name__)

REQUESTS_MAX = 1_000
"""Requests of one node that may run at a time: a statement thread sends one at a time."""
WAITS_MAX = 10_000
"""Waits of one node for bounds: those of statements, and of each store that is subscribed to."""
HEARTBEAT_S = 0.5
"""How often a node announces itself, even if nothing has changed."""


class NodeServer:
    """Answers other nodes.

    Args:
        stores: the stores of this node, by name, as of now.
        threads: answer what takes long. They are not those of statements: two nodes whose
            statements wait for each other would never end.
        handshake: makes this side of a handshake.
        announcement: what this node holds, as of now.
        reduce: reduces streams before their rows are sent.
        tls: the context for TLS, as of now; None for none.
        on_answered: called after a request was answered in the event loop.
        on_read: takes the reads of traced statements; None if they are not recorded here.
    """

    def __init__(
        self,
        stores: Callable[[], Mapping[str, Store]],
        *,
        threads: StatementThreads,
        handshake: Callable[[], Handshake],
        announcement: Callable[[], Announcement],
        reduce: Reduce = cannot_reduce,
        tls: Callable[[], ssl.SSLContext | None] = lambda: None,
        on_answered: Callable[[], None] = lambda: None,
        on_read: OnRead | None = None,
    ) -> None:
        self.stores, self.threads, self.on_answered = stores, threads, on_answered
        self.reduce, self.on_read = reduce, on_read
        self._handshake, self._announcement, self._tls = handshake, announcement, tls
        self._server: asyncio.Server | None = None
        self._connections: set[_Answered] = set()
        self._heart: asyncio.Task[None] | None = None
        self.answered: Counter[str] = Counter()
        """How many requests of each node were taken."""

    async def start(self, address: Address) -> str:
        """Listen; port 0 takes a free one. Return the address, HOST:PORT.

        Raises:
            ServeError: the address is in use or not of this machine.
        """
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(
                lambda: _Answered(self, self._handshake()),
                address.host,
                address.port,
                ssl=self._tls(),
            )
        except OSError as error:
            raise cannot_listen("nodes", address, error) from error
        self._heart = loop.create_task(self._beat())
        return host_port(*self._server.sockets[0].getsockname()[:2])

    def announce(self) -> None:
        """Tell all nodes now what this one holds."""
        data = frame(ONE_WAY, self._announcement())
        for connection in tuple(self._connections):
            connection.announce(data)

    @property
    def is_idle(self) -> bool:
        """Whether no other node reads a stream or keeps an epoch here."""
        return all(connection.is_idle for connection in self._connections)

    async def stop(self) -> None:
        """Listen no more, and end all connections."""
        if self._heart is not None:
            self._heart.cancel()
            await asyncio.wait((self._heart,))
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._connections):
            connection.end("this node is stopping")

    def joined(self, connection: _Answered) -> None:
        """Send announcements to one more node."""
        self._connections.add(connection)
        connection.send(frame(ONE_WAY, self._announcement()))

    def left(self, connection: _Answered) -> None:
        """Send it no more."""
        self._connections.discard(connection)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self.announce()


class _Answered(NodeConnection):
    """The connection of a node that asks."""

    def __init__(self, server: NodeServer, handshake: Handshake) -> None:
        super().__init__(handshake, asks=False)
        self._server = server
        self._answering = Answering(server.stores, server.reduce, server.on_read)
        self._keys = KeyAnswerPacker()
        self._running: set[asyncio.Task[None]] = set()
        self._waits: dict[int, _Wait] = {}
        self._heard = 0

    def announce(self, data: bytes) -> None:
        """Send an announcement, and before it how much has arrived."""
        heard = self.counts.received_bytes
        if heard != self._heard:
            self._heard = heard
            self.send(frame(ONE_WAY, Heard(heard)))
        self.send(data)

    @property
    def is_idle(self) -> bool:
        """Whether the other node reads no stream and keeps no epoch here."""
        return self._answering.is_idle

    def on_open(self, peer: Hello) -> None:
        version = self._handshake.version
        logger.info("node connected node=%s messages=%d.%d", peer.node, version, peer.minor)
        self._server.joined(self)

    def on_frame(self, arrived: Frame) -> None:
        if arrived.number == KEYS:
            self._answer_keys(arrived.head)
            return
        number = arrived.number
        try:
            request = arrived.request()
        except UnknownKindError as error:  # of a newer node, which asks another one then
            if number != ONE_WAY:
                self.send(frame(number, Refused(str(error))))
            return
        self._count(1)
        answering = self._answering
        if isinstance(request, Release):
            for each in request.waits:
                wait = self._waits.pop(each, None)
                if wait is not None:
                    wait.cancel()
            answering.reply(request)
        elif answering.is_short(request):
            self.send(_framed(number, *answering.reply(request)))
            self._server.on_answered()
        elif isinstance(request, WaitForBound):
            self._wait(number, request)
        elif len(self._running) >= REQUESTS_MAX:
            self.send(
                frame(number, Refused(f"a node may send {REQUESTS_MAX:,} requests at a time"))
            )
        else:
            task = self._loop.create_task(self._answer(number, request))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def _answer_keys(self, data: bytes) -> None:
        """Answer lookups, each as soon as it is read, so that all take one write."""
        pack, look_up = self._keys.pack, self._answering.look_up
        asked = asked_keys(data)
        self.send_now(keys_frame([pack(each, look_up(each)) for each in asked]))
        self._count(len(asked))
        self._server.on_answered()

    def _count(self, requests: int) -> None:
        if self.peer is not None:
            self._server.answered[self.peer.node] += requests

    def on_lost(self) -> None:
        self._server.left(self)
        if self.peer is not None:
            logger.info("node left node=%s: %s", self.peer.node, self.why_lost)
        waits, self._waits = self._waits, {}
        for wait in waits.values():
            wait.cancel()
        self._answering.close()

    async def _answer(self, number: int, request: Request) -> None:
        try:
            data = await self._server.threads.run(self._framed_reply, number, request)
        except QueryError as error:  # there are too many requests, or the gateway is stopping
            data = frame(number, Refused(error.message))
        except Exception:  # the node that asks gets no more than this
            logger.exception("request of a node not answered")
            data = frame(number, Refused("internal error"))
        if self.is_open:
            self.send(data)
        else:
            self._answering.close()  # what was opened meanwhile

    def _framed_reply(self, number: int, request: Request) -> bytes:
        return _framed(number, *self._answering.reply(request))

    def _wait(self, number: int, request: WaitForBound) -> None:
        if len(self._waits) >= WAITS_MAX:
            self.send(frame(number, Refused(f"a node may wait for {WAITS_MAX:,} bounds at a time")))
            return
        wait = _Wait(self._loop, lambda is_met: self._met(number, is_met=is_met))
        self._waits[number] = wait
        try:
            store = self._answering.store(request.store)
            wait.waiting = store.when(request.partition, request.bound, wait.on_bound)
        except StoreError as error:
            self._waits.pop(number, None)
            self.send(frame(number, Refused(str(error))))
            return
        if request.timeout_s < math.inf:
            wait.timer = self._loop.call_later(request.timeout_s, self._give_up, number)

    def _give_up(self, number: int) -> None:
        wait = self._waits.get(number)
        if wait is not None:
            wait.cancel()
            self._met(number, is_met=False)

    def _met(self, number: int, *, is_met: bool) -> None:
        if self._waits.pop(number, None) is not None:
            self.send(frame(number, Met(is_met)))


class _Wait:
    """A wait for a bound: its callback comes from the thread that applies epochs."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_end: Callable[[bool], None]) -> None:
        self.waiting: Waiting | None = None
        self.timer: asyncio.TimerHandle | None = None
        self._loop, self._on_end = loop, on_end

    def on_bound(self, is_met: bool) -> None:
        """Hand over to the event loop."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(partial(self._end, is_met))

    def cancel(self) -> None:
        """Stop waiting."""
        if self.timer is not None:
            self.timer.cancel()
        if self.waiting is not None:
            self.waiting.cancel()

    def _end(self, is_met: bool) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self._on_end(is_met)


def _framed(number: int, reply: Reply | None, batches: list[pa.RecordBatch]) -> bytes:
    """Return a reply as a frame, or why it cannot be sent."""
    try:
        return frame(number, reply, batches)
    except MessageError as error:
        return frame(number, Refused(str(error)))
