"""A store on several nodes answers as one that is whole on one node."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from queue import Queue
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import FailureReason, InvalidPartitionError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.nodes import answering, open_streams
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.links import NodeError, Timing
from stategate.stores.nodes.messages import Ask, ReadStream, Reduce, Release
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import (
    BATCH_ROWS,
    BatchStream,
    FirstRowsQuery,
    KeyQuery,
    Query,
    RangeQuery,
)
from stategate.stores.spec.reductions import NotReducedError, Reducing
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import QueryConfig, ReplicaState, in_store
from stategate.stores.spec.windows import WindowRangeQuery
from tests.stores.nodes.counting import COUNT, counted
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.test_agreement import EVENTS, WINDOWS, EventsAgreement, ExpiringWindows, answer
from tests.support.stores import batch, keyvalue, progress
from tests.support.values import rows_of
from tests.support.waiting import until

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=6)
NODES = [Node(name=name) for name in ("a", "b", "c")]


def replica_of(schema: StoreSchema, partition: int) -> Replica:
    return Replica(MemoryPartition(schema, partition), schema=schema, partition=partition)


@dataclass
class Cluster:
    """Stores on three nodes, with copies of each partition, as node `a` sees them."""

    schema: StoreSchema = COUNTS
    copies: int = 2
    stores: dict[str, LocalStore] = field(default_factory=dict)
    links: dict[str, MemoryLink] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)

    def __post_init__(self) -> None:
        for node in NODES:
            numbers = [n for n in range(self.schema.partitions) if node.name in self.holders(n)]
            replicas = {number: replica_of(self.schema, number) for number in numbers}
            self.stores[node.name] = LocalStore(self.schema, replicas)
        for name in ("b", "c"):
            self.link_to(name)
        self.whole = LocalStore(
            self.schema, {n: replica_of(self.schema, n) for n in range(self.schema.partitions)}
        )
        self.store = ClusterStore(
            self.stores["a"],
            node="a",
            links=self.links,
            holders=lambda schema, partition: self.holders(partition),
            on_unreadable=self.unreadable.append,
        )

    def holders(self, partition: int) -> Sequence[str]:
        return holders(self.schema.name, partition, NODES, copies=self.copies)

    def link_to(self, name: str) -> None:
        stores = {self.schema.name: self.stores[name]}
        self.links[name] = MemoryLink(Answering(lambda: stores, counted))

    def apply(
        self,
        rows: Sequence[Row],
        *,
        epoch: int = 0,
        nodes: str = "abc",
        partition: int | None = None,
    ) -> None:
        """Apply rows, which are in every partition, to the replicas of these nodes."""
        for name, store in [*self.stores.items(), ("whole", self.whole)]:
            for number, replica in store.replicas.items():
                if (name == "whole" or name in nodes) and partition in (None, number):
                    replica.apply(progress(epoch), [batch(self.schema, rows)])

    def elsewhere(self) -> int:
        """Return a partition that is not on node `a`."""
        return next(n for n in range(self.schema.partitions) if "a" not in self.holders(n))


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.apply([(f"key {number:05}", number) for number in range(100)])
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def with_agreement(schema: StoreSchema) -> Cluster:
    """A store of one partition that is not on node `a`."""
    names = (f"{schema.name}{number}" for number in range(100))
    for name in names:
        renamed = StoreSchema(
            **{
                each: getattr(schema, each)
                for each in schema.__dataclass_fields__
                if each not in ("name", "partitions")
            },
            name=name,
            partitions=1,
        )
        found = Cluster(renamed, copies=1)
        if "a" not in found.holders(0):
            return found
    raise AssertionError("some name is placed elsewhere")


EVENT_ROWS = [
    (name, score, count, note, b"raw", None)
    for count, (name, note) in enumerate([(None, None), ("", "x"), ("a\0b", ""), ("é", "é")])
    for score in (None, 0.0, -1.5, float("nan"))
]
WINDOW_ROWS = [
    (name, minute * 60_000_000, (minute + 1) * 60_000_000, minute, "note")
    for name in (None, "", "a", "é")
    for minute in range(-2, 4)
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
@pytest.mark.parametrize(
    ("schema", "rows", "queries"),
    [
        (EVENTS, EVENT_ROWS, EventsAgreement.queries),
        (WINDOWS, WINDOW_ROWS, ExpiringWindows.queries),
    ],
)
def test_a_node_answers_for_another(
    schema: StoreSchema, rows: list[Row], queries: Any, data: st.DataObject
) -> None:
    cluster = CLUSTERS.get(schema.name)
    if cluster is None:
        cluster = CLUSTERS[schema.name] = with_agreement(schema)
        cluster.apply(rows)
    query: Query[Any] = data.draw(queries.filter(lambda each: "Raw" not in type(each).__name__))
    there, here = cluster.store.query_partition(0, query), cluster.whole.query_partition(0, query)
    assert type(there) is type(here)
    if isinstance(there, Success) and isinstance(here, Success):
        assert there.node in ("b", "c")
        assert (there.position, there.epoch) == (here.position, here.epoch)
    if isinstance(here, Success) and hasattr(here.value, "first_rows"):
        assert isinstance(there, Success)
        rows_here = rows_of(here.value)
        assert rows_of(there.value) == rows_here
        assert rows_of(there.value) == rows_here  # once more from the first row on
        for count in (0, 1, len(rows_here), len(rows_here) + 1):
            first = [
                each.query_partition(0, FirstRowsQuery(query, count))
                for each in (cluster.store, cluster.whole)
            ]
            assert repr(first[0].value) == repr(first[1].value)
    else:
        assert answer(cluster.store, query) == answer(cluster.whole, query)  # type: ignore[arg-type]


CLUSTERS: dict[str, Cluster] = {}


def test_each_partition_is_answered_by_a_node_that_holds_it(cluster: Cluster) -> None:
    request = in_store("counts").with_query(KeyQuery.with_key("key 00007"))
    result = cluster.store.query(request)
    assert {p: each.value for p, each in result.partitions.items()} == dict.fromkeys(range(6), (7,))
    nodes = {p: each.node for p, each in result.partitions.items()}
    assert set(nodes.values()) > {None}
    for partition, node in nodes.items():
        assert (node or "a") in cluster.holders(partition)
        assert (node is None) == ("a" in cluster.holders(partition))


@pytest.mark.parametrize("lost", ["b", "c"])
def test_the_other_copy_answers_when_a_node_is_lost(cluster: Cluster, lost: str) -> None:
    cluster.links[lost].is_up = False
    result = cluster.store.query(in_store("counts").with_query(RangeQuery()))
    assert not result.failures
    for each in result.partitions.values():
        assert len(rows_of(each.value)) == 100
        assert each.node != lost


def test_without_any_copy_the_failure_names_the_node(cluster: Cluster) -> None:
    for link in cluster.links.values():
        link.is_up = False
    result = cluster.store.query_partition(cluster.elsewhere(), RangeQuery())
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.NOT_PRESENT
    assert "the node is down" in result.message
    cluster.links.clear()
    result = cluster.store.query_partition(cluster.elsewhere(), RangeQuery())
    assert isinstance(result, Failure)
    assert "it is not connected" in result.message


@pytest.fixture
def short_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes send a hundredth of the usual rows at a time."""
    monkeypatch.setattr("stategate.stores.engines.memory.queries.BATCH_ROWS", BATCH_ROWS // 100)
    monkeypatch.setattr(open_streams, "BATCHES_BYTES", open_streams.BATCHES_BYTES // 100)


@pytest.mark.usefixtures("short_replies")
@pytest.mark.parametrize("requests", range(2, 7))
def test_a_stream_goes_on_at_another_node(requests: int) -> None:
    """No row is repeated or lost, wherever the first node is lost."""
    cluster = Cluster()
    partition = cluster.elsewhere()
    rows = [(f"{number:07}" * 20, number) for number in range(400)]
    cluster.apply(rows, partition=partition)
    first, second = cluster.holders(partition)
    cluster.links[first].requests_left = requests
    result = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(result, Success)
    assert result.node == first
    # A later epoch, which the stream must not show.
    cluster.apply([("0", -1), (rows[-1][0], -1)], epoch=1, partition=partition)
    assert [row[1] for row in rows_of(result.value)] == list(range(400))
    assert any(isinstance(each, Ask) for each in cluster.links[second].asked)


@pytest.mark.usefixtures("short_replies")
def test_a_stream_without_another_copy_ends_with_an_error() -> None:
    cluster = Cluster(copies=1)
    partition = cluster.elsewhere()
    rows = [(f"{number:07}" * 20, number) for number in range(400)]
    cluster.apply(rows, partition=partition)
    (only,) = cluster.holders(partition)
    cluster.links[only].requests_left = 3
    result = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(result, Success)
    with pytest.raises(NodeError, match=f"node {only} was lost while its rows were read"):
        rows_of(result.value)


def test_streams_are_released(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    result = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(result, Success)
    link = cluster.links[str(result.node)]
    rows = iter(result.value)
    next(rows)
    assert any(isinstance(each, ReadStream) for each in link.asked)
    assert len(link.answering._streams) == 1
    del rows, result
    assert isinstance(link.asked[-1], Release)
    assert not link.answering._streams


def begun(answers: Sequence[QueryResult[BatchStream]], how: object = COUNT) -> Reducing:
    """Begin to reduce streams that are on one node."""
    places = [answer.value.elsewhere for answer in answers if isinstance(answer, Success)]
    found = [place for place in places if place is not None]
    assert len(found) == len(answers)
    assert found[0].reducer is not None
    assert {each.reducer for each in found} == {found[0].reducer}
    return found[0].begin_reducing(found, how)


def on_one_node(cluster: Cluster) -> tuple[MemoryLink, list[QueryResult[BatchStream]]]:
    """Ask for the rows of the partitions that one other node answers for."""
    numbers = [n for n in range(6) if "a" not in cluster.holders(n)]
    node = cluster.holders(numbers[0])[0]
    numbers = [n for n in numbers if cluster.holders(n)[0] == node]
    asked = [(number, RangeQuery(), QueryConfig()) for number in numbers]
    return cluster.links[node], list(cluster.store.query_each(asked))


def test_a_node_reduces_streams(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked again until it is done, so that it does not keep a thread for long."""
    for seconds, requests in ((10.0, 1), (0.0, None)):
        monkeypatch.setattr(answering, "REDUCE_S", seconds)
        link, answers = on_one_node(cluster)
        found = begun(answers).wait()
        assert found is not None
        assert found.rows == (100,) * len(answers)
        assert found.batches[0].to_pydict() == {"n": [100 * len(answers)]}
        sent = sum(isinstance(each, Reduce) for each in link.asked)
        assert sent == (requests or 1 + len(answers) + 1)
        assert not link.answering._reducing
        assert [len(rows_of(each.value)) for each in answers] == [100] * len(answers)


def test_a_node_that_declines_says_why(cluster: Cluster) -> None:
    _, answers = on_one_node(cluster)
    with pytest.raises(NotReducedError, match="cannot sing"):
        begun(answers, "sing").wait()
    assert len(rows_of(answers[0].value)) == 100


def test_a_node_that_is_lost_gives_no_reduction(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "REDUCE_S", 0.0)
    link, answers = on_one_node(cluster)
    reducing = begun(answers)
    link.is_up = False
    assert reducing.wait() is None
    assert len(rows_of(answers[0].value)) == 100


def test_a_reduction_ends_with_its_streams(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "REDUCE_S", 0.0)
    link, answers = on_one_node(cluster)
    reducing = begun(answers)
    assert link.answering._reducing
    answers.clear()
    assert not link.answering._reducing
    with pytest.raises(NotReducedError, match="a stream is closed"):
        reducing.wait()


def test_a_replica_that_meets_the_bound_answers(cluster: Cluster) -> None:
    for partition in range(6):
        *_, last = cluster.holders(partition)
        cluster.apply([("new", partition)], epoch=1, nodes=last, partition=partition)
    for bound in (
        PositionBound(epoch=1),
        PositionBound(position=Position.of({"events": {0: 1}})),
    ):
        for partition in range(6):
            result = cluster.store.query_partition(
                partition, KeyQuery.with_key("new"), QueryConfig(bound=bound)
            )
            assert isinstance(result, Success), result
            assert (result.value, result.epoch) == ((partition,), 1)
    result = cluster.store.query_partition(
        0, KeyQuery.with_key("new"), QueryConfig(bound=PositionBound(epoch=2))
    )
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.NOT_UP_TO_BOUND
    assert result.epoch == 1  # of the replica that is furthest ahead


def test_statuses_are_those_of_the_best_replicas(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    *_, last = cluster.holders(partition)
    cluster.apply([("new", 1)], epoch=1, nodes=last, partition=partition)
    statuses = cluster.store.statuses()
    assert list(statuses) == list(range(6))
    assert statuses[partition].progress.epoch == 1
    assert {node: len(found) for node, found in cluster.store.replicas().items()} == {
        name: len(store.replicas) for name, store in cluster.stores.items()
    }
    cluster.links["b"].is_up = cluster.links["c"].is_up = False
    assert list(cluster.store.statuses()) == sorted(cluster.stores["a"].replicas)


def test_a_snapshot_is_of_one_epoch(cluster: Cluster) -> None:
    cluster.apply([("new", 1)], epoch=1, nodes="bc")
    bound = PositionBound(snapshot=True)
    request = in_store("counts").with_query(KeyQuery.with_key("new")).with_position_bound(bound)
    result = cluster.store.query(request)
    assert not result.failures
    # All partitions are on b or c, so all can be read at epoch 1, but not at any later one.
    held = [cluster.stores[name].replicas for name in "bc"]
    if all(any(n in each for each in held) for n in range(6)):
        assert {each.epoch for each in result.partitions.values()} == {1}


def test_an_epoch_is_held_at_another_node(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    hold = cluster.store.hold(partition)
    assert hold is not None
    assert hold.epoch == 0
    assert hold.is_held
    for epoch in range(1, 40):
        cluster.apply([("new", epoch)], epoch=epoch)
    config = QueryConfig(at_epoch=0)
    result = cluster.store.query_partition(partition, KeyQuery.with_key("new"), config)
    assert isinstance(result, Success)
    assert (result.value, result.epoch) == (None, 0)
    hold.release()
    hold.release()
    released = cluster.links[cluster.holders(partition)[0]].asked[-1]
    assert isinstance(released, Release)
    assert len(released.holds) == 1
    result = cluster.store.query_partition(partition, KeyQuery.with_key("new"), config)
    assert isinstance(result, Failure)
    assert cluster.store.hold(partition, 0) is None


def test_waits_end_when_another_node_has_the_epoch(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    bound = PositionBound(epoch=1)
    assert not cluster.store.wait(partition, bound, timeout_s=0.01)
    results: Queue[bool] = Queue()
    cluster.store.when(partition, bound, results.put)
    cluster.apply([("new", 1)], epoch=1)
    assert results.get(timeout=10)
    assert cluster.store.wait(partition, bound, timeout_s=10)
    with pytest.raises(InvalidPartitionError):
        cluster.store.wait(6, bound, timeout_s=0)


def test_waits_end_when_no_node_is_left(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    for link in cluster.links.values():
        link.is_up = False
    results: Queue[bool] = Queue()
    waiting = cluster.store.when(partition, PositionBound(epoch=1), results.put)
    assert not results.get(timeout=10)
    assert not waiting.cancel()


def test_a_bound_is_waited_for_at_a_copy_that_comes_back(cluster: Cluster) -> None:
    """One copy is away when the wait begins, and the other one cannot follow the log."""
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    cluster.links[first].is_up = False
    bound = PositionBound(position=Position.of({"events": {0: 1}}))
    results: Queue[bool] = Queue()
    cluster.store.when(partition, bound, results.put)
    cluster.links[first].is_up = True
    reached = Progress(epoch=1, position=bound.position)
    cluster.stores[first].replicas[partition].apply(reached, [])
    assert results.get(timeout=10)
    assert cluster.stores[second].replicas[partition].status.progress.epoch == 0


def test_a_replica_here_that_cannot_follow_keeps_no_one_waiting(cluster: Cluster) -> None:
    partition = next(n for n in range(6) if "a" in cluster.holders(n))
    cluster.stores["a"].replicas[partition].error = "the disk is full"
    bound = PositionBound(position=Position.of({"events": {0: 1}}))
    results: Queue[bool] = Queue()
    cluster.store.when(partition, bound, results.put)
    other = next(name for name in cluster.holders(partition) if name != "a")
    reached = Progress(epoch=1, position=bound.position)
    cluster.stores[other].replicas[partition].apply(reached, [])
    assert results.get(timeout=10)


def test_a_restoring_replica_is_passed_over(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    replica = cluster.stores[first].replicas[partition]
    replica.state = ReplicaState.RESTORING
    bounded = QueryConfig(bound=PositionBound(epoch=0))
    result = cluster.store.query_partition(partition, KeyQuery.with_key("key 00001"), bounded)
    assert isinstance(result, Success)
    assert result.node == second


def test_unknown_partitions_and_queries_are_refused_at_once(cluster: Cluster) -> None:
    result = cluster.store.query_partition(6, RangeQuery())
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.DOES_NOT_EXIST
    result = cluster.store.query_partition(cluster.elsewhere(), WindowRangeQuery())
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.UNKNOWN_QUERY_TYPE
    assert sum(len(link.asked) for link in cluster.links.values()) == 1


def test_an_unknown_partition_does_not_keep_others_from_being_asked(cluster: Cluster) -> None:
    request = in_store("counts").with_query(KeyQuery.with_key("key 00007"))
    partition = cluster.elsewhere()
    result = cluster.store.query(request.with_partitions({partition, 6}))
    assert result.partitions[partition].value == (7,)
    assert result.failures[6].reason is FailureReason.DOES_NOT_EXIST


def test_a_hold_goes_on_at_another_node(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    hold = cluster.store.hold(partition)
    assert hold is not None
    cluster.links[first].is_up = False
    assert hold.is_held
    assert not hold.is_missed
    for epoch in range(1, 40):
        cluster.apply([("new", epoch)], epoch=epoch)
    config = QueryConfig(at_epoch=0)
    result = cluster.store.query_partition(partition, KeyQuery.with_key("new"), config)
    assert isinstance(result, Success)
    assert (result.value, result.epoch, result.node) == (None, 0, second)
    hold.release()
    assert isinstance(cluster.links[second].asked[-1], Release)
    assert not hold.is_held


def test_a_hold_is_lost_with_the_last_copy(cluster: Cluster) -> None:
    hold = cluster.store.hold(cluster.elsewhere())
    assert hold is not None
    for link in cluster.links.values():
        link.is_up = False
    assert not hold.is_held
    hold.release()


def test_a_replica_that_restores_does_not_keep_readers_waiting(cluster: Cluster) -> None:
    """Another copy may meet the bound long before."""
    partition = next(n for n in range(6) if "a" in cluster.holders(n))
    cluster.stores["a"].replicas[partition].state = ReplicaState.RESTORING
    cluster.apply([("new", 1)], epoch=1, nodes="bc")
    began = time.monotonic()
    assert cluster.store.wait(partition, PositionBound(epoch=1), timeout_s=20)
    assert time.monotonic() - began < 10


def test_progress_is_kept(cluster: Cluster) -> None:
    """Positions of other nodes arrive whole, so that they can be the next bound."""
    found = Progress(epoch=3, position=Position.of({"events": {0: 7, 1: 9}, "x": {0: 1}}))
    partition = cluster.elsewhere()
    for name in cluster.holders(partition):
        cluster.stores[name].replicas[partition].apply(found, [])
    result = cluster.store.query_partition(partition, KeyQuery.with_key("none"))
    assert (result.position, result.epoch) == (found.position, 3)


@pytest.mark.parametrize("skew_ms", [-3_600_000, 0, 3_600_000])
def test_an_age_counts_by_the_clock_of_the_node_that_asks(cluster: Cluster, skew_ms: int) -> None:
    now_ms = 1_700_000_000_000
    for name in ("b", "c"):
        cluster.stores[name]._clock = lambda: now_ms + skew_ms
    store = ClusterStore(
        cluster.stores["a"],
        node="a",
        links=cluster.links,
        holders=lambda schema, partition: cluster.holders(partition),
        timing=Timing(wall_ms=lambda: now_ms),
    )
    partition = cluster.elsewhere()

    def apply(epoch: int, age_ms: int) -> None:
        for name in cluster.holders(partition):
            replica = cluster.stores[name].replicas[partition]
            replica.apply(progress(epoch, committed_ms=now_ms - age_ms), [])

    apply(1, age_ms=500)
    for lag_ms, is_met in ((499, False), (500, True)):
        bound = PositionBound.within_lag(lag_ms)
        answer = store.query_partition(
            partition, KeyQuery.with_key("none"), QueryConfig(bound=bound)
        )
        assert isinstance(answer, Success) == is_met
        assert store.wait(partition, bound, timeout_s=0.05) == is_met
    met: list[bool] = []
    store.when(partition, PositionBound.within_lag(100), met.append)
    apply(2, age_ms=101)
    apply(3, age_ms=100)
    until(lambda: met == [True])


def test_a_node_answers_only_for_the_definition_that_it_is_asked_for(cluster: Cluster) -> None:
    """After a rebuild keys may be in other partitions, and values in other columns."""
    number, query = cluster.elsewhere(), KeyQuery(key=("key 00001",))
    assert cluster.store.query_partition(number, query).value == (1,)
    address = "counts/5e0c"
    for name in ("b", "c"):
        stores = {address: cluster.stores[name]}
        cluster.links[name] = MemoryLink(Answering(stores.copy))
    refused = cluster.store.query_partition(number, query)
    assert isinstance(refused, Failure)
    assert refused.reason is FailureReason.NOT_PRESENT
    assert 'store "counts" is not on this node' in refused.message
    assert cluster.store.hold(number) is None
    assert list(cluster.store.statuses()) == list(cluster.stores["a"].statuses())
    local = cluster.stores["a"]
    local.schema = replace(local.schema, incarnation="5e0c")
    assert cluster.store.query_partition(number, query).value == (1,)
    assert cluster.store.hold(number) is not None
