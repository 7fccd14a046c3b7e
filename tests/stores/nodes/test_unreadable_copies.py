"""Copies that cannot be read, such as one with a damaged file: the next copy is asked instead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import pytest

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.nodes import open_streams
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.messages import HoldEpoch, ReadStream
from stategate.stores.spec.query import KeyQuery, Query, RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.store import DEFAULT_CONFIG, QueryConfig, Target
from tests.stores.nodes.counting import COUNT
from tests.stores.nodes.test_cluster_store import Cluster
from tests.stores.nodes.unreadable import DAMAGE, damaged
from tests.support.values import rows_of

ROWS = [(f"key {number:05}", number) for number in range(100)]
KEY = KeyQuery.with_key("key 00007")


def damage(
    cluster: Cluster,
    node: str,
    partition: int,
    *,
    batches: int = 0,
    error: Exception | None = None,
) -> None:
    """Let a copy fail after so many batches of rows; a key at once."""
    raised = error or StoreError(DAMAGE)
    handlers: dict[type[Query[Any]], Callable[[Any, Any], Any]]
    engine: Any = cluster.stores[node].replicas[partition].engine
    handlers = dict(engine.handlers)
    scan = handlers[RangeQuery]

    def look_up(view: object, query: object) -> object:
        raise copy(raised)

    handlers[RangeQuery] = lambda view, query: damaged(scan(view, query), batches, raised)
    handlers[KeyQuery] = look_up
    engine._handlers = handlers


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Return three nodes that send ten rows at a time."""
    monkeypatch.setattr("stategate.stores.engines.memory.queries.BATCH_ROWS", 10)
    monkeypatch.setattr(open_streams, "BATCHES_BYTES", 1)
    found = Cluster()
    found.apply(ROWS)
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def here(cluster: Cluster) -> int:
    """Return a partition of which node `a` has a copy."""
    return next(iter(cluster.stores["a"].replicas))


def copies(cluster: Cluster, *, is_here: bool) -> tuple[int, Sequence[str]]:
    """Return a partition, and the nodes that have it in the order in which they are asked."""
    partition = here(cluster) if is_here else cluster.elsewhere()
    names = cluster.holders(partition)
    return partition, sorted(names, key=lambda name: name != "a") if is_here else names


@pytest.mark.parametrize("is_here", [True, False])
def test_a_key_is_looked_up_at_another_copy(cluster: Cluster, is_here: bool) -> None:
    partition, (first, second) = copies(cluster, is_here=is_here)
    damage(cluster, first, partition)
    answer = cluster.store.query_partition(partition, KEY)
    assert isinstance(answer, Success)
    assert (answer.value, answer.node) == ((7,), second)
    assert cluster.unreadable == [Unreadable(first, "counts", partition, f"StoreError: {DAMAGE}")]


@pytest.mark.parametrize("is_here", [True, False])
@pytest.mark.parametrize("batches", [0, 1, 5, 10])
@pytest.mark.parametrize("error", [StoreError(DAMAGE), ValueError("a row has no such type")])
def test_rows_are_read_from_another_copy(
    cluster: Cluster, is_here: bool, batches: int, error: Exception
) -> None:
    """None is repeated or lost, wherever the damage is, and none is of a later epoch."""
    partition, (first, _) = copies(cluster, is_here=is_here)
    damage(cluster, first, partition, batches=batches, error=error)
    answer = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(answer, Success)
    assert answer.node == (None if is_here else first)
    cluster.apply([("0", -1), (ROWS[-1][0], -1)], epoch=1, partition=partition)
    assert rows_of(answer.value) == ROWS
    (reported,) = cluster.unreadable
    assert (reported.node, reported.partition) == (first, partition)
    assert str(error) in reported.why
    assert rows_of(answer.value) == ROWS, "it can be read again"


def test_rows_that_are_damaged_here_and_lost_there_are_read_at_the_third(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stategate.stores.engines.memory.queries.BATCH_ROWS", 10)
    monkeypatch.setattr(open_streams, "BATCHES_BYTES", 1)
    cluster = Cluster(copies=3)
    cluster.apply(ROWS)
    _, (_, second, third) = copies(cluster, is_here=True)
    damage(cluster, "a", 0, batches=2)
    cluster.links[second].requests_left = 3
    answer = cluster.store.query_partition(0, RangeQuery())
    assert rows_of(answer.value) == ROWS
    assert any(isinstance(each, ReadStream) for each in cluster.links[third].asked)


def test_the_receiving_node_is_a_copy_too(cluster: Cluster) -> None:
    """It was behind the bound when it was asked, and has caught up by now."""
    partition, (_, second) = copies(cluster, is_here=True)
    cluster.apply([("0", 0)], epoch=1, nodes=second, partition=partition)
    damage(cluster, second, partition, batches=3)
    at_newest = QueryConfig(at_epoch=1)
    answer = cluster.store.query_partition(partition, RangeQuery(), at_newest)
    assert isinstance(answer, Success)
    assert answer.node == second
    cluster.apply([("0", 0)], epoch=1, nodes="a", partition=partition)
    assert rows_of(answer.value) == [("0", 0), *ROWS]
    assert [each.node for each in cluster.unreadable] == [second]


def test_a_copy_that_is_behind_the_unreadable_one_is_waited_for(cluster: Cluster) -> None:
    """The unreadable one has the epoch, and must not end the wait."""
    partition, (_, second) = copies(cluster, is_here=True)
    cluster.apply([("0", 0)], epoch=1, nodes=second, partition=partition)
    damage(cluster, second, partition, batches=3)
    answer = cluster.store.query_partition(partition, RangeQuery(), QueryConfig(at_epoch=1))
    assert isinstance(answer, Success)
    to_here = {"epoch": 1, "nodes": "a", "partition": partition}
    applied = threading.Timer(0.1, cluster.apply, [[("0", 0)]], to_here)
    applied.start()
    assert rows_of(answer.value) == [("0", 0), *ROWS]
    applied.join()


@pytest.mark.parametrize("is_here", [True, False])
def test_an_error_says_what_is_damaged_if_no_copy_can_be_read(
    cluster: Cluster, is_here: bool
) -> None:
    partition, (first, second) = copies(cluster, is_here=is_here)
    for name in (first, second):
        damage(cluster, name, partition, batches=2)
    answer = cluster.store.query_partition(partition, RangeQuery())
    with pytest.raises(StoreError, match=f"node {first} cannot read its rows: {DAMAGE}") as raised:
        rows_of(answer.value)
    assert not raised.value.retryable
    assert [each.node for each in cluster.unreadable] == [first, second], "each is asked once"
    failure = cluster.store.query_partition(partition, KEY)
    assert isinstance(failure, Failure)
    assert failure.reason is FailureReason.STORE_EXCEPTION
    assert DAMAGE in failure.message


def test_without_other_nodes_the_error_is_that_of_the_database(cluster: Cluster) -> None:
    partition = here(cluster)
    damage(cluster, "a", partition, batches=2)
    cluster.links.clear()
    with pytest.raises(StoreError, match=f"^{DAMAGE}$"):
        rows_of(cluster.store.query_partition(partition, RangeQuery()).value)


def test_a_long_read_here_keeps_its_epoch_at_another_copy(cluster: Cluster) -> None:
    """Other nodes would have forgotten it by the time at which the damage is found."""
    partition, (_, second) = copies(cluster, is_here=True)
    damage(cluster, "a", partition, batches=8)
    answer = cluster.store.query_partition(partition, RangeQuery())
    rows = []
    for at, each in enumerate(answer.value):
        rows += rows_of([each])
        if at == 5:
            for epoch in range(1, 10):
                cluster.apply([("0", -epoch)], epoch=epoch, partition=partition)
    assert rows == ROWS
    link = cluster.links[second]
    assert sum(isinstance(each, HoldEpoch) for each in link.asked) == 1
    del answer
    assert not link.answering._holds


@pytest.mark.parametrize("is_first_here", [True, False])
def test_a_long_read_keeps_the_epochs_of_what_is_read_after_it(
    cluster: Cluster, is_first_here: bool
) -> None:
    first = here(cluster) if is_first_here else cluster.elsewhere()
    last = next(number for number in cluster.stores["a"].replicas if number != first)
    damage(cluster, "a", last, batches=0)
    targets: list[Target] = [(number, RangeQuery(), DEFAULT_CONFIG) for number in (first, last)]
    read, unread = cluster.store.query_each(targets)
    for at, each in enumerate(read.value):
        assert each.num_rows == 10
        if at == 5:
            for epoch in range(1, 10):
                cluster.apply([("0", -epoch)], epoch=epoch, partition=last)
    assert rows_of(unread.value) == ROWS


def test_a_short_read_here_asks_no_other_node(cluster: Cluster) -> None:
    partition = here(cluster)
    answer = cluster.store.query_partition(partition, RangeQuery(limit=10))
    assert rows_of(answer.value) == ROWS[:10]
    assert not any(link.asked for link in cluster.links.values())


def test_streams_that_a_node_cannot_reduce_are_read_elsewhere(cluster: Cluster) -> None:
    partition, (first, _) = copies(cluster, is_here=False)
    damage(cluster, first, partition, batches=2)
    answer = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(answer, Success)
    place = answer.value.elsewhere
    assert place is not None
    assert place.begin_reducing([place], COUNT).wait() is None
    assert rows_of(answer.value) == ROWS


def test_rows_that_are_taken_one_by_one_are_counted(cluster: Cluster) -> None:
    engine: Any = cluster.stores["a"].replicas[here(cluster)].engine
    scan, counted = engine.handlers[RangeQuery], list[int]()

    def counting(view: object, query: object) -> object:
        stream = scan(view, query)
        stream.count_with(counted.append)
        return stream

    engine._handlers = {**engine.handlers, RangeQuery: counting}
    answer = cluster.store.query_partition(here(cluster), RangeQuery())
    assert isinstance(answer, Success)
    assert answer.value.first_rows(5) == ROWS[:5]
    assert sum(counted) >= 5
