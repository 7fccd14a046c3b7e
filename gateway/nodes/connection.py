"""A connection between two nodes, either side of it: the handshake first, then frames."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import cast

from stategate.gateway.nodes.counts import PeerCounts
from stategate.gateway.nodes.frames import (
    FRAME_BYTES_MAX,
    ONE_WAY,
    Frame,
    FrameReader,
    frame,
    keys_frame,
)
from stategate.gateway.nodes.handshake import Handshake, HandshakeError, Hello, SelfError
from stategate.stores.nodes.codec import MessageError
from stategate.stores.nodes.links import NodeError
from stategate.stores.nodes.messages import Refused

logger = logging.getLogger(__name__)

HANDSHAKE_S = 5.0
"""How long both messages of the other node may take."""
_HANDSHAKE_BYTES_MAX = 4096
_UNACKNOWLEDGED_MS = 10_000
"""How long sent bytes may stay without an answer of the other machine before it counts as gone."""


class NodeConnection(asyncio.Protocol):
    """One side of a connection. Subclasses say what they do with frames.

    Args:
        handshake: this side of the handshake.
        asks: whether this side has made the connection, and so sends its messages first.
    """

    def __init__(self, handshake: Handshake, *, asks: bool) -> None:
        self.peer: Hello | None = None
        """Who the other node is; None until it has said so."""
        self.is_open = False
        """Whether the handshake has ended well, and the connection has not ended."""
        self.is_self = False
        """Whether the other node is this one."""
        self.why_lost = "the connection ended"
        self.counts = PeerCounts()
        self._handshake, self._asks = handshake, asks
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._unsent: list[bytes] = []
        self._unsent_keys: list[bytes] = []
        self._loop = asyncio.get_running_loop()
        self._deadline: asyncio.TimerHandle | None = None

    # What subclasses do

    def on_open(self, peer: Hello) -> None:
        """Begin; the other node is known."""

    def on_frame(self, arrived: Frame) -> None:
        """Take a frame.

        Raises:
            MessageError: it is malformed; the connection ends.
        """

    def on_lost(self) -> None:
        """Clean up; `why_lost` says what has happened."""

    # For both sides

    def send(self, data: bytes) -> None:
        """Send a frame; do nothing if the connection has ended.

        Frames that are sent in one turn of the event loop go out together: a write costs as much
        as all else that is done for a lookup.
        """
        if self._transport is not None:
            if not self._unsent and not self._unsent_keys:
                self._loop.call_soon(self._flush)
            self._unsent.append(data)

    def send_now(self, data: bytes) -> None:
        """Send a frame that is all there is to send, as `send` does, without another turn."""
        if self._unsent or self._unsent_keys:
            self.send(data)
        elif self._transport is not None:
            self.counts.sent_bytes += len(data)
            self._transport.write(data)

    def send_key(self, item: bytes) -> None:
        """Send a lookup, in one frame with all others of this turn of the event loop."""
        if self._transport is not None:
            if not self._unsent and not self._unsent_keys:
                self._loop.call_soon(self._flush)
            self._unsent_keys.append(item)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self._unsent_keys:
            keys, self._unsent_keys = self._unsent_keys, []
            unsent.append(keys_frame(keys))
        if self._transport is not None and unsent:
            data = unsent[0] if len(unsent) == 1 else b"".join(unsent)
            self.counts.sent_bytes += len(data)
            self._transport.write(data)

    def end(self, why: str) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self.why_lost = why
            self._transport.abort()

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        self._transport = cast(asyncio.Transport, transport)
        wire = transport.get_extra_info("socket")
        if wire is not None and wire.family != socket.AF_UNIX:
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_MS)
        self._deadline = self._loop.call_later(
            HANDSHAKE_S, self.end, "it took too long to say hello"
        )
        if self._asks:
            self.send(frame(ONE_WAY, self._handshake.hello))

    def data_received(self, data: bytes) -> None:
        """Take the frames that end in the next bytes."""
        self.counts.received_bytes += len(data)
        try:
            whole = self._reader.whole(data) if self.is_open else None
            if whole is not None:
                self.on_frame(whole)
                return
            bytes_max = FRAME_BYTES_MAX if self.is_open else _HANDSHAKE_BYTES_MAX
            for arrived in self._reader.frames(data, bytes_max=bytes_max):
                if self.is_open:
                    self.on_frame(arrived)
                else:
                    self._shake_hands(arrived)
        except (MessageError, NodeError) as error:
            self.is_self = isinstance(error, SelfError)
            self._refuse(str(error))
        except Exception:  # the outermost call of this connection
            logger.exception("message of a node cannot be handled")
            self._refuse("internal error")

    def connection_lost(self, error: Exception | None) -> None:
        """Clean up."""
        if error is not None and not isinstance(error, ConnectionAbortedError):
            self.why_lost = str(error) or type(error).__name__
        self._transport, self.is_open = None, False
        if self._deadline is not None:
            self._deadline.cancel()
        self.on_lost()

    def pause_writing(self) -> None:
        """Take no more from a node that does not read what it has asked for."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on."""
        if self._transport is not None:
            self._transport.resume_reading()

    def _refuse(self, why: str) -> None:
        """End the connection, and tell the other node why if it has yet to be known."""
        if self._transport is None:
            return
        self.why_lost = why
        if self.is_open:
            self._transport.abort()
        else:
            self.send(frame(ONE_WAY, Refused(why)))
            self._flush()
            self._transport.close()

    def _shake_hands(self, arrived: Frame) -> None:
        handshake, message = self._handshake, arrived.message
        if isinstance(message, Refused):
            raise HandshakeError(f"it refused: {message.message}")
        if self.peer is None:
            self.peer = handshake.meet(arrived.head)
            self.send(frame(ONE_WAY, handshake.proof() if self._asks else handshake.hello))
            return
        handshake.check(message)
        if not self._asks:
            self.send(frame(ONE_WAY, handshake.proof()))
        if self._deadline is not None:
            self._deadline.cancel()
        self.is_open = True
        self.on_open(self.peer)
