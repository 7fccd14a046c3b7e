"""What a prepared lookup of a key costs if another node has it: function calls at both nodes.

Both nodes are in this thread, with a connection between them; see `test_small`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from stategate.gateway.addresses import parse_address
from stategate.gateway.nodes.handshake import Handshake, Hello
from stategate.gateway.nodes.link import NodeLink
from stategate.gateway.nodes.server import NodeServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.nodes.links import Link
from stategate.stores.nodes.messages import Announcement
from tests.bench.costs import CallCounter, WireSession, wire_session
from tests.gateway.pgwire import wire
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

CALLS_MAX = 146
"""Of both nodes together; the memory engine takes some 40 of them."""
COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=4)


def hands(node: str, *, asks: bool) -> Handshake:
    return Handshake(cluster="one", node=node, secret=b"", asks=asks, instance=node.encode())


class Links(dict[str, Link]):
    """The links of node `a`, as its watcher."""

    def __init__(self) -> None:
        super().__init__()
        self.connected = asyncio.Event()

    def on_connected(self, link: NodeLink, peer: Hello) -> None:
        self[peer.node] = link
        self.connected.set()

    def on_announced(self, link: NodeLink, announcement: Announcement) -> None:
        pass

    def on_lost(self, link: NodeLink) -> None:
        self.clear()


class Room:
    """A session at node `a`, whose keys are all on node `b`."""

    def __init__(self, session: WireSession, links: Links, whole: LocalStore) -> None:
        self._session, self._links = session, links
        self.threads = StatementThreads(count=1, queue_max=8)
        self._server = NodeServer(
            lambda: {"counts": whole},
            threads=self.threads,
            handshake=lambda: hands("b", asks=False),
            announcement=lambda: Announcement("b"),
        )
        self._link = session.loop.run_until_complete(self._linked())
        session.ask(wire.parse("s", "SELECT k, n FROM counts WHERE k = $1") + wire.SYNC)

    async def _linked(self) -> NodeLink:
        address = await self._server.start(parse_address("nodes", "127.0.0.1:0"))
        link = NodeLink(
            parse_address("nodes", address),
            handshake=lambda: hands("a", asks=True),
            watcher=self._links,
        )
        async with asyncio.timeout(20):
            await self._links.connected.wait()
        return link

    def look_up(self, key: str) -> bytes:
        """Return the answer to a prepared lookup."""
        run = wire.bind("", "s", [key.encode()]) + wire.execute("") + wire.SYNC
        return self._session.ask(run)

    async def _close(self) -> None:
        await self._link.close()
        await self._server.stop()

    def close(self) -> None:
        """End both nodes."""
        self._session.loop.run_until_complete(self._close())
        self.threads.close()


@pytest.fixture
def counter() -> Iterator[CallCounter]:
    with CallCounter() as made:
        yield made


def test_a_lookup_at_another_node_takes_few_calls_and_no_thread(counter: CallCounter) -> None:
    whole, links = open_store(COUNTS), Links()
    fill(whole, [(f"k{number}", number) for number in range(8)])
    catalog = FixedCatalog(LocalStore(COUNTS, {}))
    cluster = Cluster(catalog, node="a", links=links, holders=lambda *_: ["b"])
    engine = SqlEngine(cluster)
    with wire_session(engine) as session:
        room = Room(session, links, whole)
        try:
            answers = [wire.split_messages(room.look_up(f"k{number}")) for number in range(8)]
            rows = [wire.row_fields(body) for each in answers for kind, body in each if kind == "D"]
            assert rows == [[f"k{n}".encode(), str(n).encode()] for n in range(8)]
            # A sign of life may fall into one of them.
            calls = min(counter.count(lambda: room.look_up("k1")) for _ in range(3))
        finally:
            room.close()
    engine.close()
    found = f"{calls} calls of {CALLS_MAX}"
    print(found)
    assert calls <= CALLS_MAX, found
