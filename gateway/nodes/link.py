"""The link to another node: connects to it, connects again, and asks it."""

from __future__ import annotations

import asyncio
import itertools
import logging
import ssl
import threading
import time
from collections.abc import Callable
from typing import Protocol

from stategate.gateway.addresses import Address
from stategate.gateway.nodes.asking_connection import AskingConnection
from stategate.gateway.nodes.counts import PeerCounts
from stategate.gateway.nodes.frames import KEYS, ONE_WAY, Frame, frame
from stategate.gateway.nodes.handshake import Handshake, Hello
from stategate.gateway.nodes.sent import OnFrame, Sent, SentKey, Waiter
from stategate.stores.errors import StoreError
from stategate.stores.nodes.asking_once import begin_key_as_ask
from stategate.stores.nodes.links import NodeError, OnKeyAnswer, OnReply, Replied
from stategate.stores.nodes.messages import (
    Announcement,
    Ask,
    Release,
    Request,
    WaitForBound,
)
from stategate.stores.nodes.packed_keys import pack_key, pack_plain_key
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import Waiting

logger = logging.getLogger(__name__)

ASK_S = 60.0
"""How long a reply may take if the caller does not say. A node that is gone is noticed sooner."""
_CONNECT_S = 2.0
_PAUSES_S = (0.05, 0.1, 0.2, 0.5)
"""Pauses before connecting again; the last one stays."""


class LinkWatcher(Protocol):
    """Who gets to know what happens to links, in the event loop."""

    def on_connected(self, link: NodeLink, peer: Hello) -> None:
        """Take note that a node can be asked.

        Raises:
            NodeError: it is not one that may be asked; the connection ends.
        """

    def on_announced(self, link: NodeLink, announcement: Announcement) -> None:
        """Take note of what a node holds."""

    def on_lost(self, link: NodeLink) -> None:
        """Take note that a node cannot be asked; also when connecting has failed."""


class NodeLink:
    """A `stategate.stores.nodes.links.Link` over one connection at a time.

    Args:
        address: where the node listens.
        handshake: makes this side of a handshake.
        watcher: gets to know what happens.
        tls: the context for TLS; None for none.
        server_name: the name that the certificate must have.
        on_sent: called in the event loop after a request was sent.
    """

    def __init__(
        self,
        address: Address,
        *,
        handshake: Callable[[], Handshake],
        watcher: LinkWatcher,
        tls: ssl.SSLContext | None = None,
        server_name: str = "",
        on_sent: Callable[[], None] = lambda: None,
    ) -> None:
        self.address = address
        self.is_self = False
        """Whether the node at the address is this one."""
        self.name: str | None = None
        """The name of the node; None until it has said it."""
        self.why_lost = "it has not been connected yet"
        self.counts = PeerCounts()
        self._handshake, self._watcher, self._on_sent = handshake, watcher, on_sent
        self._tls, self._server_name = tls, server_name or address.host
        self._connection: AskingConnection | None = None
        self._numbers = itertools.count(1)
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._task = self._loop.create_task(self._stay_connected())

    @property
    def is_open(self) -> bool:
        """Whether the node can be asked now; see `Link.is_open`."""
        return self._connection is not None

    @property
    def connections(self) -> int:
        """How often it was connected; see `Link.connections`."""
        return self.counts.connections

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Send a request, and block until its reply has come; see `Link.ask`."""
        if self._is_in_loop:
            raise RuntimeError("the event loop cannot wait for another node")
        waiter = Waiter()
        waiting = self._begin(request, waiter)
        found = waiter.wait(ASK_S if timeout_s is None else timeout_s)
        if found is None:
            waiting.cancel()
            raise NodeError("it did not reply in time")
        if isinstance(found, NodeError):
            # An error that its own frame refers to would keep streams from being released.
            raise NodeError(str(found))
        return _reply_of(found) if isinstance(found, Frame) else found

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Send a request; call back with its reply, in the event loop; see `Link.begin`."""

        def on_frame(found: Frame | Replied | NodeError) -> None:
            if isinstance(found, Frame):
                try:
                    on_reply(_reply_of(found))
                except StoreError as error:
                    on_reply(NodeError(str(error)))
            else:
                on_reply(found)

        return self._begin(request, on_frame)

    def begin_key(self, store: str, partition: int, key: Key, on_answer: OnKeyAnswer) -> None:
        """Look up a key; see `Link.begin_key`. In the event loop it takes the fewest steps."""
        connection = self._connection
        if connection is not None and threading.get_ident() == self._loop_thread:
            number = 1 + next(self._numbers) % (KEYS - 1)  # a call less than `next_number`
            item = pack_plain_key(number, store, partition, key)
            if item is not None:
                self.counts.requests += 1
                connection.pending[number] = SentKey(self.counts, on_answer)
                connection.send_key(item)
                self._on_sent()
                return
        begin_key_as_ask(self, store, partition, key, on_answer)

    def tell(self, request: Request) -> None:
        """Send a request without a reply; do nothing if the node cannot be reached."""
        connection = self._connection
        if connection is not None:
            data = frame(ONE_WAY, request)
            if self._is_in_loop:
                connection.send(data)
            elif not self._loop.is_closed():
                self._loop.call_soon_threadsafe(connection.send, data)

    async def close(self) -> None:
        """End the connection and make no other; pending requests fail."""
        self._task.cancel()
        await asyncio.wait((self._task,))

    def _begin(self, request: Request, on_frame: OnFrame) -> Waiting:
        number = self.next_number()
        sent = Sent(self, number, on_frame, is_wait=isinstance(request, WaitForBound))
        item = pack_key(number, request) if type(request) is Ask else None
        data = frame(number, request) if item is None else request
        if self._is_in_loop:
            sent.send(item, data)
        else:
            try:
                self._loop.call_soon_threadsafe(sent.send, item, data)
            except RuntimeError as error:  # the loop is closed
                raise NodeError("this node is stopping") from error
        return sent

    @property
    def _is_in_loop(self) -> bool:
        return threading.get_ident() == self._loop_thread

    def next_number(self) -> int:
        """Return the number of one more request."""
        return 1 + next(self._numbers) % (KEYS - 1)

    def send(self, sent: Sent, item: bytes | None, data: bytes | Request) -> None:
        """Send a request, in the event loop.

        Args:
            sent: gets the reply.
            item: the request as a packed key, if it is one.
            data: the request, or its frame.
        """
        connection = self._connection
        self.counts.requests += 1
        sent.began_s = time.monotonic()
        if connection is None:
            sent.on_frame(NodeError(f"it is not connected: {self.why_lost}"))
            return
        connection.pending[sent.number] = sent.on_frame
        if item is not None:
            connection.send_key(item)
        else:
            connection.send(data if isinstance(data, bytes) else frame(sent.number, data))
        self._on_sent()

    def forget(self, sent: Sent) -> None:
        """Take no reply to a request; from any thread."""
        if not self._is_in_loop:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self.forget, sent)
            return
        connection = self._connection
        if connection is None or connection.pending.pop(sent.number, None) is None:
            return
        self.counts.abandoned += 1
        if sent.is_wait:
            connection.send(frame(ONE_WAY, Release(waits=(sent.number,))))

    # In the event loop

    async def _stay_connected(self) -> None:
        pauses = iter(_PAUSES_S)
        while True:
            connection = AskingConnection(self._handshake(), self)
            host, port = self.address
            try:
                async with asyncio.timeout(_CONNECT_S):
                    await self._loop.create_connection(
                        lambda made=connection: made,
                        host,
                        port,
                        ssl=self._tls,
                        server_hostname=self._server_name if self._tls else None,
                    )
            except (OSError, TimeoutError) as error:
                self.why_lost = str(error) or "it did not answer in time"
                self._watcher.on_lost(self)
            else:
                try:
                    await connection.ended.wait()
                except asyncio.CancelledError:
                    connection.end("this node is stopping")
                    await connection.ended.wait()
                    raise
                if connection.is_self:
                    self.is_self = True
                    return
                if connection.was_open:
                    pauses = iter(_PAUSES_S)
            await asyncio.sleep(next(pauses, _PAUSES_S[-1]))

    def opened(self, connection: AskingConnection, peer: Hello) -> None:
        """Ask over a connection from now on."""
        self._watcher.on_connected(self, peer)
        self.name, self._connection = peer.node, connection
        self.counts.connections += 1

    def note_reply(self, sent: Sent, *, is_lost: bool) -> None:
        """Count the end of a request."""
        counts = self.counts
        if is_lost:
            counts.failures += 1
            return
        counts.replies += 1
        if not sent.is_wait:
            counts.note_reply(time.monotonic() - sent.began_s)

    def announced(self, announcement: Announcement) -> None:
        """Pass on what the node holds."""
        self._watcher.on_announced(self, announcement)

    def lost(self, why: str) -> None:
        """Do not ask until there is another connection."""
        if self._connection is not None:
            logger.warning("node lost node=%s: %s", self.name, why)
        self._connection, self.why_lost = None, why
        self._watcher.on_lost(self)


def _reply_of(arrived: Frame) -> Replied:
    """Return the reply in a frame.

    Raises:
        MessageError: it is malformed.
    """
    return arrived.reply(), arrived.batches()
