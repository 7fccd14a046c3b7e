"""Connections between simulated nodes: in order, slow, stalled while a cable is cut, and lost."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stategate.stores.errors import StoreError
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.asking_once import begin_key_as_ask
from stategate.stores.nodes.links import Inbox, NodeError, OnKeyAnswer, OnReply, Replied
from stategate.stores.nodes.messages import (
    Announcement,
    Met,
    Refused,
    Release,
    Request,
    WaitForBound,
)
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import Waiting

if TYPE_CHECKING:
    from tests.stores.nodes.simulation.nodes import SimulatedNode

ASK_S = 60.0


class Connection:
    """One connection, over which `asker` asks `server`."""

    def __init__(self, asker: SimulatedNode, server: SimulatedNode) -> None:
        self.asker, self.server = asker, server
        self.runs = asker.run, server.run
        """A node that is started again knows nothing of the connections of before."""
        self.heard_s = asker.world.time.now_s
        self.is_open = True
        self.pending: dict[int, OnReply] = {}
        stores = {server.store.schema.name: server.store}
        self._answering = Answering(lambda: stores)
        self._is_closed = False
        self._waits: dict[int, Waiting] = {}
        self._queues: dict[bool, deque[Callable[[], object]]] = {True: deque(), False: deque()}
        self._arrive_at = {end: partial(self.arrive, to_server=end) for end in self._queues}
        self._numbers = itertools.count()

    def send(self, action: Callable[[], object], *, to_server: bool) -> None:
        """Run an action at the other end, after those that were sent before."""
        self._queues[to_server].append(action)
        world = self.asker.world
        world.time.after(world.delay_s(), self._arrive_at[to_server])

    def arrive(self, *, to_server: bool) -> None:
        """Let what was sent first arrive; nothing arrives while the cable is cut."""
        queue, node = self._queues[to_server], self.server if to_server else self.asker
        if not queue or self.asker.world.is_cut(self.asker, self.server):
            return
        action = queue.popleft()
        if node.run == self.runs[to_server]:
            node.do(action)
        elif to_server and node.is_up:
            # Its machine is back, and knows nothing of the connection.
            asker = self.asker
            asker.world.later(asker, 0.001, lambda: asker.lose(self, "connection reset"))

    @property
    def is_live(self) -> bool:
        """Whether both ends are still those that have made it."""
        return self.is_open and self.runs == (self.asker.run, self.server.run)

    @property
    def is_idle(self) -> bool:
        """Whether the asker reads no stream and keeps no epoch."""
        return self._answering.is_idle

    def mend(self) -> None:
        """Let everything arrive that a cut cable has stalled."""
        for to_server, queue in self._queues.items():
            for _ in range(len(queue)):
                self.arrive(to_server=to_server)

    # At the asker

    def request(self, request: Request, on_reply: OnReply) -> int:
        """Send a request, and return its number."""
        number = next(self._numbers)
        self.pending[number] = on_reply
        self.send(lambda: self._serve(number, request), to_server=True)
        return number

    def tell(self, request: Request) -> None:
        """Send a request without a reply."""
        self.send(lambda: self._released(request), to_server=True)

    def end(self, why: str) -> None:
        """Take no more replies; the other end learns of it, too."""
        if self.is_open:
            self.is_open = False
            pending, self.pending = self.pending, {}
            for on_reply in pending.values():
                on_reply(NodeError(f"it was lost: {why}"))
            self.send(self.close, to_server=True)

    def _take(self, number: int, replied: Replied) -> None:
        on_reply = self.pending.pop(number, None)
        if on_reply is not None:
            on_reply(replied)

    def _hear(self, announcement: Announcement) -> None:
        if self.is_open:
            self.heard_s = self.asker.world.time.now_s
            self.asker.heard(announcement)

    # At the server

    def announce(self, announcement: Announcement) -> None:
        """Tell the asker what the server holds."""
        self.send(lambda: self._hear(announcement), to_server=False)

    def close(self) -> None:
        """Release what was opened for the asker, and answer nothing more."""
        self._is_closed = True
        self.server.connections.pop(self, None)
        for wait in self._waits.values():
            wait.cancel()
        self._answering.close()

    def _serve(self, number: int, request: Request) -> None:
        if self._is_closed:
            return
        if isinstance(request, WaitForBound):
            try:
                store = self._answering.store(request.store)
                self._waits[number] = store.when(
                    request.partition,
                    request.bound,
                    lambda is_met: self._reply(number, (Met(is_met), [])),
                )
            except StoreError as error:
                self._reply(number, (Refused(str(error)), []))
            return
        reply, batches = self._answering.reply(request)
        assert reply is not None
        self._reply(number, (reply, batches))

    def _reply(self, number: int, replied: Replied) -> None:
        self._waits.pop(number, None)
        self.send(lambda: self._take(number, replied), to_server=False)

    def _released(self, request: Request) -> None:
        assert isinstance(request, Release)
        for number in request.waits:
            wait = self._waits.pop(number, None)
            if wait is not None:
                wait.cancel()
        self._answering.reply(request)


class SimulatedLink:
    """A `Link` over one connection, as `stategate.gateway.nodes.link` has it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @property
    def is_open(self) -> bool:
        return self.connection.is_open

    @property
    def connections(self) -> int:
        return 1 if self.connection.is_open else 2

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        inbox: Inbox[Replied | NodeError] = self.connection.asker.timing.inbox()
        waiting = self.begin(request, inbox.put)
        found = inbox.get(ASK_S if timeout_s is None else timeout_s)
        if found is None:
            waiting.cancel()
            raise NodeError("it did not reply in time")
        if isinstance(found, NodeError):
            raise NodeError(str(found))
        return found

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        if not self.connection.is_open:
            on_reply(NodeError("it is not connected"))
            return _Sent(self.connection, -1, request)
        number = self.connection.request(request, on_reply)
        return _Sent(self.connection, number, request)

    def begin_key(self, store: str, partition: int, key: Key, on_answer: OnKeyAnswer) -> None:
        begin_key_as_ask(self, store, partition, key, on_answer)

    def tell(self, request: Request) -> None:
        if self.connection.is_open:
            self.connection.tell(request)


class _Sent:
    def __init__(self, connection: Connection, number: int, request: Request) -> None:
        self._connection, self._number, self._request = connection, number, request

    def cancel(self) -> bool:
        found = self._connection.pending.pop(self._number, None)
        if found is not None and isinstance(self._request, WaitForBound):
            self._connection.tell(Release(waits=(self._number,)))
        return found is not None
