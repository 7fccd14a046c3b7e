"""A local store: its partitions, its inputs, and its end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import (
    FailureReason,
    InvalidPartitionError,
    StoreError,
    StoreMigratedError,
    StoreNotAvailableError,
)
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Failure
from stategate.stores.spec.schema import StoreKind
from stategate.stores.spec.store import (
    in_store,
)
from tests.stores.hosting.followed import CLICKS, SCAN, USERS
from tests.support.stores import fill, open_store


def test_partitions_that_are_elsewhere_or_do_not_exist() -> None:
    store = open_store(CLICKS)
    fill(store, [(usr, 1) for usr in USERS])
    store.drop(1)
    result = store.query(in_store("clicks").with_query(RangeQuery()))
    assert {p: f.reason for p, f in result.failures.items()} == {1: FailureReason.NOT_PRESENT}
    asked = in_store("clicks").with_query(RangeQuery()).with_partitions({0, 1, 3, -1})
    failures = store.query(asked).failures
    assert {p: f.reason for p, f in failures.items()} == {
        -1: FailureReason.DOES_NOT_EXIST,
        1: FailureReason.NOT_PRESENT,
        3: FailureReason.DOES_NOT_EXIST,
    }
    assert failures[3].message == 'store "clicks" has partitions 0 to 2, not 3'
    assert store.query(asked.with_partitions(set())).partitions == {}
    assert not store.wait(1, PositionBound(), timeout_s=1)
    told: list[bool] = []
    assert not store.when(1, PositionBound(), told.append).cancel()
    assert told == [False]
    with pytest.raises(InvalidPartitionError, match="partitions 0 to 2, not 3"):
        store.wait(3, PositionBound(), timeout_s=1)
    assert store.drop(1) is None


def test_the_error_of_a_closed_store_says_why_it_was_closed() -> None:
    for raising in (StoreNotAvailableError, StoreMigratedError):
        store = open_store(CLICKS)
        store.close(raising)
        store.close()
        for number in range(3):
            failure = store.query_partition(number, RangeQuery())
            assert isinstance(failure, Failure)
            assert failure.reason is FailureReason.NOT_PRESENT
        with pytest.raises(raising, match='store "clicks" is closed') as raised:
            store.query(in_store("clicks").with_query(RangeQuery()))
        assert raised.value.retryable == (raising is StoreMigratedError)
        assert store.is_closed


def test_new_inputs_are_added_without_closing() -> None:
    store = open_store(CLICKS)
    fill(store, [("ann", 1)])
    bound = PositionBound.at(Position.of({"more": {0: 0}}))
    request = in_store("clicks").with_query(KeyQuery.with_key("ann")).with_position_bound(bound)
    assert store.query(request).failures == {}
    more = (*CLICKS.inputs, replace(CLICKS.inputs[0], topic="more"))
    renewed = store.with_inputs(replace(CLICKS, inputs=more))
    reasons = {failure.reason for failure in renewed.query(request).failures.values()}
    assert reasons == {FailureReason.NOT_UP_TO_BOUND}
    assert renewed.replicas[0].progress.epoch == 0


def test_without_a_log_the_newest_applied_epoch_counts() -> None:
    store = open_store(CLICKS)
    assert store.committed_epoch() == -1
    fill(store, [], epoch=5)
    assert store.committed_epoch() == 5
    assert store.replicas[0].progress != Progress()


def test_a_replica_is_added_once() -> None:
    store = open_store(CLICKS)
    dropped = store.drop(1)
    assert dropped is not None
    assert dropped.state.value == "closed"
    fresh = Replica(MemoryPartition(CLICKS, 1), schema=CLICKS, partition=1)
    store.add(fresh)
    with pytest.raises(StoreError, match="held already"):
        store.add(fresh)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.add(fresh)


def test_a_global_store_has_one_result() -> None:
    everywhere = open_store(replace(CLICKS, kind=StoreKind.GLOBAL, partitions=1))
    fill(everywhere, [("ann", 1)])
    result = everywhere.query(in_store("clicks").with_query(KeyQuery.with_key("ann")))
    assert result.global_result is result.partitions[0]
    assert open_store(CLICKS).query(SCAN).global_result is None
