"""Streams and epochs of a connection that was lost, while there is another one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.stores.nodes import open_streams
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.links import NodeError, Replied
from stategate.stores.nodes.messages import Ask, ReadStream, Refused, Request
from stategate.stores.spec.query import RangeQuery
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.nodes.test_cluster_store import Cluster


class Rowless(MemoryLink):
    """A link to a node that opens streams, and is lost whenever it is to send rows."""

    is_back = False
    """Whether there is another connection at once, on which the node refuses."""

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Ask the other node."""
        if not isinstance(request, ReadStream):
            return super().ask(request, timeout_s=timeout_s)
        self.asked.append(request)
        if not self.is_back:
            raise NodeError("its reply is malformed")
        self.connections += 1
        return Refused("the stream is closed"), []


class Reconnected(MemoryLink):
    """A link that is lost, and there again, as soon as a stream is opened."""

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Ask the other node."""
        replied = super().ask(request, timeout_s=timeout_s)
        if isinstance(request, Ask):
            self.connections += 1
            self.answering.close()
        return replied


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.apply([(f"key {number:05}", number) for number in range(100)])
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def test_what_a_node_refuses_on_the_same_connection_is_asked_of_no_other(cluster: Cluster) -> None:
    """It would refuse the same, as with a row that is too large to be sent."""
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    opened = cluster.store.query_partition(partition, RangeQuery(limit=1))
    cluster.links[first].answering.close()
    asked = len(cluster.links[second].asked)
    with pytest.raises(NodeError, match="the stream is closed"):
        list(opened.value)
    assert len(cluster.links[second].asked) == asked


def test_numbers_of_a_lost_connection_are_not_those_of_the_next(cluster: Cluster) -> None:
    """A reader that has yet to notice the loss must not read, or release, what others opened."""
    partition = cluster.elsewhere()
    first, _ = cluster.holders(partition)
    opened = cluster.store.query_partition(partition, RangeQuery(limit=1))
    hold = cluster.store.hold(partition)
    cluster.links[first].answering = Answering(lambda: {"counts": cluster.stores[first]})
    cluster.links[first].connections += 1
    others = cluster.store.query_partition(partition, RangeQuery())
    held = cluster.store.hold(partition)
    assert hold is not None
    assert held is not None
    assert sum(each.num_rows for each in opened.value) == 1, "another copy has them"
    del opened
    hold.release()
    assert held.is_held
    assert sum(each.num_rows for each in others.value) == 100


@pytest.mark.parametrize(
    ("is_back", "why"), [(False, "its reply is malformed"), (True, "the stream is closed")]
)
def test_rows_that_no_node_sends_are_asked_of_each_once(
    cluster: Cluster, is_back: bool, why: str
) -> None:
    """Two copies were asked in turn without an end, and each time they read from the first row."""
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    for name in (first, second):
        cluster.links[name] = link = Rowless(cluster.links[name].answering)
        link.is_back = is_back
    opened = cluster.store.query_partition(partition, RangeQuery())
    with pytest.raises(
        NodeError, match=f"^node {first} was lost while its rows were read: {why}. No other .* them"
    ):
        list(opened.value)
    for name in (first, second):
        asked = cluster.links[name].asked
        assert sum(isinstance(each, Ask) for each in asked) == 1
        assert sum(isinstance(each, ReadStream) for each in asked) == 1
    del opened
    assert not any(link.answering._streams for link in cluster.links.values())


def test_rows_are_read_while_one_node_after_the_other_is_restarted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node that was lost is asked again once another one has sent further rows."""
    monkeypatch.setattr("stategate.stores.engines.memory.queries.BATCH_ROWS", 20)
    monkeypatch.setattr(open_streams, "BATCHES_BYTES", 1)
    cluster = Cluster()
    partition = cluster.elsewhere()
    cluster.apply([(f"key {number:05}", number) for number in range(400)], partition=partition)
    up, away = (cluster.links[name] for name in cluster.holders(partition))
    opened = cluster.store.query_partition(partition, RangeQuery())
    numbers: list[int] = []
    for at, each in enumerate(opened.value):
        numbers += each.column(1).to_pylist()
        if at % 3 == 2:
            away.is_up, up.is_up = True, False
            up, away = away, up
    assert numbers == list(range(400))
    opens = [sum(isinstance(each, Ask) for each in link.asked) for link in (up, away)]
    assert min(opens) > 2


def test_a_stream_may_be_lost_before_its_reader_knows_of_it(cluster: Cluster) -> None:
    """The link has another connection by the time at which the reply is taken."""
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    cluster.links[first] = Reconnected(cluster.links[first].answering)
    opened = cluster.store.query_partition(partition, RangeQuery())
    assert sum(each.num_rows for each in opened.value) == 100
    assert any(isinstance(each, Ask) for each in cluster.links[second].asked)
