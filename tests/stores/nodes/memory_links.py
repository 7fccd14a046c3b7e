"""Links between nodes of one process: messages are encoded and decoded, but cross no socket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.asking_once import begin_key_as_ask
from stategate.stores.nodes.codec import decode, encode
from stategate.stores.nodes.links import NodeError, OnKeyAnswer, OnReply, Replied
from stategate.stores.nodes.messages import Met, Reply, Request, WaitForBound
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import Waiting


class MemoryLink:
    """A link to a node in this process.

    Args:
        answering: the other node's end.
    """

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.asked: list[Request] = []
        """The requests that were sent."""
        self.connections = 1
        self.is_up = True
        self.requests_left = 1 << 30
        """After this many requests the node is lost."""

    @property
    def is_open(self) -> bool:
        return self.is_up

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Ask the other node in this thread."""
        arrived = decode(encode(request))
        assert repr(arrived) == repr(request)
        self.requests_left -= 1
        if not self.is_up or self.requests_left < 0:
            raise NodeError("the node is down")
        self.asked.append(request)
        batches: list[pa.RecordBatch] = []
        reply: Reply | None
        if isinstance(arrived, WaitForBound):
            store = self.answering.store(arrived.store)
            left_s = min(arrived.timeout_s, 30.0)
            reply = Met(store.wait(arrived.partition, arrived.bound, timeout_s=left_s))
        else:
            reply, batches = self.answering.reply(arrived)
        received: Any = decode(encode(reply))
        return received, batches

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Ask the other node, in a thread if it waits."""
        waiting = _InThread(lambda: self.ask(request), on_reply)
        if isinstance(request, WaitForBound):
            waiting.start()
        else:
            waiting.run()
        return waiting

    def begin_key(self, store: str, partition: int, key: Key, on_answer: OnKeyAnswer) -> None:
        """Ask the other node for a key."""
        begin_key_as_ask(self, store, partition, key, on_answer)

    def tell(self, request: Request) -> None:
        """Send a request without a reply."""
        if self.is_up and self.requests_left > 0:
            self.asked.append(request)
            self.answering.reply(decode(encode(request)))


class _InThread(threading.Thread):
    def __init__(self, ask: Callable[[], Replied], on_reply: OnReply) -> None:
        super().__init__(daemon=True)
        self._ask, self._on_reply = ask, on_reply
        self._is_over = False

    def run(self) -> None:
        try:
            replied: Replied | NodeError = self._ask()
        except NodeError as error:
            # An error that its own frame refers to would keep streams from being released.
            replied = NodeError(str(error))
        if not self._is_over:
            self._is_over = True
            self._on_reply(replied)

    def cancel(self) -> bool:
        was_over, self._is_over = self._is_over, True
        return not was_over
