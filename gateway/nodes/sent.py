"""Requests that were sent to another node, until their replies have come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeAlias

from stategate.gateway.nodes.counts import PeerCounts
from stategate.gateway.nodes.frames import Frame
from stategate.stores.nodes.links import NodeError, OnKeyAnswer, Replied
from stategate.stores.nodes.messages import Answer, Request

OnFrame: TypeAlias = Callable[[Frame | Replied | NodeError], object]
"""Takes a reply in its frame, or one that came packed with others."""


class Sender(Protocol):
    """The link that sends a request, in the event loop."""

    def send(self, sent: Sent, item: bytes | None, data: bytes | Request) -> None:
        """Send it."""

    def note_reply(self, sent: Sent, *, is_lost: bool) -> None:
        """Count its end."""

    def forget(self, sent: Sent) -> None:
        """Take no reply to it; from any thread."""


class Sent:
    """A request on its way; see `stategate.stores.spec.store.Waiting`."""

    __slots__ = ("_is_over", "_link", "_on_frame", "began_s", "is_wait", "number")

    def __init__(self, link: Sender, number: int, on_frame: OnFrame, *, is_wait: bool) -> None:
        self.number, self.is_wait = number, is_wait
        self._link, self._on_frame = link, on_frame
        self._is_over = False
        self.began_s = 0.0

    def send(self, item: bytes | None, data: bytes | Request) -> None:
        """Send it, in the event loop."""
        if not self._is_over:
            self._link.send(self, item, data)

    def on_frame(self, found: Frame | Replied | NodeError) -> None:
        """Take the reply, in the event loop."""
        if not self._is_over:
            self._is_over = True
            self._link.note_reply(self, is_lost=isinstance(found, NodeError))
            self._on_frame(found)

    def cancel(self) -> bool:
        """Take no reply; False if it has come."""
        was_over, self._is_over = self._is_over, True
        if not was_over:
            self._link.forget(self)
        return not was_over


class SentKey:
    """A lookup of one key on its way."""

    __slots__ = ("_began_s", "_counts", "_take")

    def __init__(self, counts: PeerCounts, take: OnKeyAnswer) -> None:
        self._counts, self._take = counts, take
        self._began_s = time.monotonic()

    def on_answer(self, answer: Answer | None) -> None:
        """Take the answer, or None without one."""
        counts = self._counts
        counts.replies += 1
        counts.note_reply(time.monotonic() - self._began_s)
        self._take(answer)

    def __call__(self, found: Frame | Replied | NodeError) -> None:
        """Take what has come instead of an answer."""
        if isinstance(found, NodeError):
            self._counts.failures += 1
            self._take(None)
        else:
            self.on_answer(None)


class Waiter:
    """Lets a thread wait for a reply."""

    __slots__ = ("_arrived", "_found")

    def __init__(self) -> None:
        self._arrived = threading.Lock()
        self._arrived.acquire()
        self._found: Frame | Replied | NodeError | None = None

    def __call__(self, found: Frame | Replied | NodeError) -> None:
        """Take the reply, in the event loop."""
        self._found = found
        self._arrived.release()

    def wait(self, timeout_s: float) -> Frame | Replied | NodeError | None:
        """Return the reply; None if it does not come in time."""
        self._arrived.acquire(timeout=min(timeout_s, threading.TIMEOUT_MAX))
        return self._found
