"""The connection of a node that asks: takes replies and announcements, and ends if none come."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stategate.gateway.nodes.connection import NodeConnection
from stategate.gateway.nodes.counts import PeerCounts
from stategate.gateway.nodes.frames import KEYS, ONE_WAY, Frame, frame
from stategate.gateway.nodes.handshake import Handshake, Hello
from stategate.gateway.nodes.sent import OnFrame, SentKey
from stategate.stores.nodes.codec import UnknownKindError
from stategate.stores.nodes.links import NodeError, Replied
from stategate.stores.nodes.messages import Announcement, Answer, Answers, Ask, Heard
from stategate.stores.nodes.packed_keys import KeyAnswerReader

SILENCE_S = 2.0
"""A node that sends nothing for so long is lost: it announces itself every half second. So is one
that announces itself, but answers no request for so long, not even an empty one. Time in which
what was sent before that still arrives does not count."""
_LOOK_S = 0.25
"""How often a link looks whether its node sends."""
_EMPTY = Ask("", ())
"""A request that any node answers at once."""


class Asker(Protocol):
    """The link that makes the connection."""

    counts: PeerCounts

    def next_number(self) -> int:
        """Return the number of one more request."""

    def opened(self, connection: AskingConnection, peer: Hello) -> None:
        """Ask over a connection from now on."""

    def announced(self, announcement: Announcement) -> None:
        """Pass on what the node holds."""

    def lost(self, why: str) -> None:
        """Do not ask until there is another connection."""


class AskingConnection(NodeConnection):
    """The side that asks.

    Args:
        handshake: this side of the handshake.
        link: gets to know what happens.
    """

    def __init__(self, handshake: Handshake, link: Asker) -> None:
        super().__init__(handshake, asks=True)
        self.pending: dict[int, OnFrame] = {}
        """Who gets the reply to each request, by its number."""
        self.ended = asyncio.Event()
        self.was_open = False
        self._link, self._keys = link, KeyAnswerReader()
        self.counts = link.counts
        self._look: asyncio.TimerHandle | None = None
        self._received = 0
        """Bytes that had arrived when it was last looked whether the node sends."""
        self._quiet_looks = 0
        self._replies = 0
        """Frames of replies, also of those that no one waits for any more."""
        self._unanswered: tuple[tuple[int, int], float] | None = None
        """What `_come` returns since when; None if no empty request is pending."""
        self._sent_before = self.counts.sent_bytes
        self._empty_end = self._heard = 0
        """How many bytes were sent up to the end of the empty request, and how many of all have
        arrived, as the node says."""

    def on_open(self, peer: Hello) -> None:
        """Let the link ask."""
        self._link.opened(self, peer)
        self.was_open = True
        self._look_at_node()

    def on_frame(self, arrived: Frame) -> None:
        """Hand a reply to the one who waits for it, and an announcement to the link.

        Raises:
            MessageError: it is malformed; the connection ends.
        """
        if arrived.number == KEYS:
            self._replies += 1
            pending = self.pending
            for number, reply in self._keys.read(arrived.head):
                on_frame = pending.pop(number, None)
                if type(on_frame) is SentKey and type(reply) is Answer:
                    on_frame.on_answer(reply)
                elif on_frame is not None:
                    on_frame((Answers((reply,)) if isinstance(reply, Answer) else reply, ()))
            return
        if arrived.number == ONE_WAY:
            try:
                message = arrived.message
            except UnknownKindError:  # of a newer node, which can do without
                return
            if isinstance(message, Heard):
                self._heard = message.count
            elif isinstance(message, Announcement):
                self._check_replies()
                self._link.announced(message)
            return
        self._replies += 1
        on_frame = self.pending.pop(arrived.number, None)
        if on_frame is not None:
            on_frame(arrived)

    def on_lost(self) -> None:
        """Fail all requests that are pending."""
        if self._look is not None:
            self._look.cancel()
        self._link.lost(self.why_lost)
        pending, self.pending = self.pending, {}
        error = NodeError(f"it was lost: {self.why_lost}")
        for on_frame in pending.values():
            on_frame(error)
        self.ended.set()

    def pause_writing(self) -> None:
        """Go on reading while a long request leaves: replies are few, as they were asked for.

        The other side stops reading until its replies leave. If both did, neither would go on.
        """

    def resume_writing(self) -> None:
        """Do nothing: reading went on."""

    def _look_at_node(self) -> None:
        """End the connection if the node sends nothing; look again soon.

        It counts bytes, not announcements: a long frame arrives for seconds on a narrow link. It
        counts looks, not seconds: this process may have been stopped.
        """
        received = self.counts.received_bytes
        self._quiet_looks = 0 if received != self._received else self._quiet_looks + 1
        self._received = received
        if self._quiet_looks * _LOOK_S >= SILENCE_S:
            self.end(f"it was silent for {SILENCE_S:g} s")
            return
        self._look = self._loop.call_later(_LOOK_S, self._look_at_node)

    def _check_replies(self) -> None:
        """End the connection if the node hears nothing: one direction can fail alone.

        While a reply is pending that may take long, an empty request shows that others arrive. It
        may wait behind a long one, of which more and more arrives. This is called for each
        announcement, which no earlier reply can still be behind.
        """
        now = self._loop.time()
        if self._unanswered is not None:
            before, since_s = self._unanswered
            come = self._come()
            if come != before:
                self._unanswered = come, now
            elif now - since_s > SILENCE_S:
                self.end(f"it answered no request for {SILENCE_S:g} s")
        elif self.pending:
            number = self._link.next_number()
            self.pending[number] = self._on_empty
            self.send(frame(number, _EMPTY))
            self._flush()
            self._empty_end = self.counts.sent_bytes - self._sent_before
            self._unanswered = self._come(), now

    def _come(self) -> tuple[int, int]:
        """Return how many replies have come, and how much up to the empty request has arrived."""
        return self._replies, min(self._heard, self._empty_end)

    def _on_empty(self, found: Frame | Replied | NodeError) -> None:
        del found
        self._unanswered = None
