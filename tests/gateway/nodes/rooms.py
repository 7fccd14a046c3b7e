"""Nodes in one process: each answers on a socket of an event loop that runs in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stategate.gateway.addresses import Address, parse_address
from stategate.gateway.nodes.handshake import SPOKEN, Handshake, Hello, Spoken
from stategate.gateway.nodes.link import NodeLink
from stategate.gateway.nodes.server import NodeServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.stores.nodes.messages import Announcement
from stategate.stores.spec.store import Store
from stategate.stores.spec.traces import OnRead
from tests.stores.nodes.counting import counted

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there, and wait for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(timeout=20)

    def close(self) -> None:
        """End the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=20)
        self.loop.close()


@dataclass
class Watcher:
    """Keeps what happens to links."""

    connected: threading.Event = field(default_factory=threading.Event)
    lost: threading.Event = field(default_factory=threading.Event)
    announced: list[Announcement] = field(default_factory=list)

    def on_connected(self, link: NodeLink, peer: Hello) -> None:
        """Take note."""
        self.lost.clear()
        self.connected.set()

    def on_announced(self, link: NodeLink, announcement: Announcement) -> None:
        """Take note."""
        self.announced.append(announcement)

    def on_lost(self, link: NodeLink) -> None:
        """Take note."""
        self.connected.clear()
        self.lost.set()


class Room:
    """A node `b` that answers, and the link of a node `a` to it."""

    def __init__(
        self,
        stores: Mapping[str, Store],
        *,
        secret: bytes = b"s",
        other_secret: bytes = b"s",
        spoken: Spoken = SPOKEN,
        server: type[NodeServer] = NodeServer,
        on_read: OnRead | None = None,
    ) -> None:
        self.thread = LoopThread()
        self.threads = StatementThreads(count=2, queue_max=50)
        self.watcher = Watcher()
        self.secret, self.spoken = secret, spoken
        self.server = server(
            lambda: stores,
            threads=self.threads,
            handshake=lambda: self.handshake("b", other_secret, asks=False, spoken=self.spoken),
            announcement=lambda: Announcement("b"),
            reduce=counted,
            on_read=on_read,
        )
        self.address = self.listen("127.0.0.1:0")
        self.link = self.thread.run(self._linked(self.address))

    def handshake(
        self, node: str, secret: bytes, *, asks: bool, spoken: Spoken = SPOKEN
    ) -> Handshake:
        """Return one side of a handshake."""
        return Handshake(
            cluster="one",
            node=node,
            secret=secret,
            asks=asks,
            instance=node.encode(),
            spoken=spoken,
            product="1.0",
        )

    def listen(self, text: str) -> Address:
        """Let node `b` answer."""
        return parse_address(
            "nodes", self.thread.run(self.server.start(parse_address("nodes", text)))
        )

    async def _linked(self, address: Address) -> NodeLink:
        return NodeLink(
            address,
            handshake=lambda: self.handshake("a", self.secret, asks=True),
            watcher=self.watcher,
        )

    def close(self) -> None:
        """End all of it."""
        self.thread.run(self.link.close())
        self.thread.run(self.server.stop())
        self.threads.close()
        self.thread.close()
