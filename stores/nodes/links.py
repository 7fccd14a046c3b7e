"""What a cluster store needs of the other nodes: a link to each, which a transport implements."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import pyarrow as pa

from stategate.stores.errors import StoreError
from stategate.stores.nodes.messages import Answer, Reply, Request
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import Waiting


class NodeError(StoreError):
    """A node cannot be reached, or does not reply in time. Ask another one, or retry."""

    retryable = True


T = TypeVar("T")

Replied: TypeAlias = tuple[Reply, Sequence[pa.RecordBatch]]
"""A reply and the batches that follow it."""
OnReply: TypeAlias = Callable[[Replied | NodeError], object]
OnKeyAnswer: TypeAlias = Callable[[Answer | None], object]
"""Takes the answer to a lookup of one key, or None without one."""


class Link(Protocol):
    """The connection to one other node. Safe to use from many threads."""

    @property
    def is_open(self) -> bool:
        """Whether it is connected."""

    @property
    def connections(self) -> int:
        """How often it was connected. What a node keeps for another one ends with a connection."""

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Send a request, and block until its reply has come.

        Args:
            request: what to ask.
            timeout_s: how long to wait; None for the usual time.

        Raises:
            NodeError: there is no reply in time, or there cannot be one.
            MessageError: the reply is malformed.
        """

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Send a request; call back with its reply, in any thread, perhaps before this returns.

        The callback must return at once.
        """

    def begin_key(self, store: str, partition: int, key: Key, on_answer: OnKeyAnswer) -> None:
        """Look up a key; call back with the answer, as `begin` does with a reply."""

    def tell(self, request: Request) -> None:
        """Send a request without a reply; do nothing if the node cannot be reached."""


class Inbox(Generic[T]):
    """Where one thread waits for what other threads put."""

    def __init__(self) -> None:
        self._found: queue.SimpleQueue[T] = queue.SimpleQueue()

    def put(self, each: T) -> None:
        """Add one; from any thread."""
        self._found.put(each)

    def get(self, timeout_s: float) -> T | None:
        """Return the next one; None if there is none within the time."""
        try:
            return self._found.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None


def _after(delay_s: float, action: Callable[[], None]) -> None:
    timer = threading.Timer(delay_s, action)
    timer.daemon = True
    timer.start()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How to read the time and to wait for replies. Simulations have another one."""

    clock: Callable[[], float] = time.monotonic
    inbox: Callable[[], Inbox[Any]] = Inbox
    wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    """The time of commits, in epoch milliseconds."""
    after: Callable[[float, Callable[[], None]], object] = _after
    """Calls a function after some seconds, in another thread."""


REAL_TIME = Timing()
