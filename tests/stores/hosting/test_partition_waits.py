"""Waiting for many partitions: one deadline for all, and no wait for a missing one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from stategate.stores.errors import InvalidPartitionError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.partition_waits import Awaited, wait_for_partitions, wait_for_request
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import BatchStream, RangeQuery
from stategate.stores.spec.store import StateQueryRequest, in_store
from tests.support.stores import fill, keyvalue, open_store, progress

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=3)


def asked(epoch: int) -> StateQueryRequest[BatchStream]:
    return (
        in_store("clicks").with_query(RangeQuery()).with_position_bound(PositionBound(epoch=epoch))
    )


def waiters(store: LocalStore) -> int:
    return sum(len(replica._waiters) for replica in store.replicas.values())


def in_thread(wait: Callable[[], bool]) -> tuple[threading.Thread, list[bool]]:
    told: list[bool] = []
    thread = threading.Thread(target=lambda: told.append(wait()))
    thread.start()
    return thread, told


def test_the_wait_ends_with_the_last_partition() -> None:
    store = open_store(CLICKS)
    thread, told = in_thread(lambda: wait_for_request(store, asked(0), timeout_s=30))
    for replica in list(store.replicas.values())[:2]:
        replica.apply(progress(0), [])
    assert not told
    store.replicas[2].apply(progress(0), [])
    thread.join(10)
    assert told == [True]
    assert wait_for_request(store, asked(0), timeout_s=0)
    assert waiters(store) == 0


def test_the_timeout_is_shared_by_all_partitions() -> None:
    store = open_store(CLICKS)
    began = time.monotonic()
    assert not wait_for_request(store, asked(0), timeout_s=0.5)
    assert 0.5 <= time.monotonic() - began < 0.5 * CLICKS.partitions
    assert not wait_for_request(store, asked(0), timeout_s=-1)
    assert waiters(store) == 0


def test_only_the_requested_partitions_count() -> None:
    store = open_store(CLICKS)
    store.replicas[1].apply(progress(0), [])
    assert wait_for_request(store, asked(0).with_partitions({1}), timeout_s=0)
    assert wait_for_request(store, asked(0).with_partitions(set()), timeout_s=0)
    with pytest.raises(InvalidPartitionError):
        wait_for_request(store, asked(0).with_partitions({0, 3}), timeout_s=30)
    assert waiters(store) == 0


def test_a_missing_or_dropped_partition_ends_the_wait() -> None:
    store = open_store(CLICKS)
    thread, told = in_thread(lambda: wait_for_request(store, asked(0), timeout_s=30))
    store.drop(1)
    thread.join(10)
    assert told == [False]
    assert not wait_for_request(store, asked(0), timeout_s=30)
    assert waiters(store) == 0


class AdvancingStore(LocalStore):
    """A store with one more committed epoch at each lookup."""

    committed = 3

    def committed_epoch(self) -> int:
        self.committed += 1
        return self.committed


def test_the_latest_epoch_is_looked_up_once_for_all_partitions() -> None:
    store = AdvancingStore(CLICKS, open_store(CLICKS).replicas)
    fill(store, [], epoch=4)
    latest = asked(3).with_position_bound(PositionBound.at_latest())
    assert wait_for_request(store, latest, timeout_s=0)
    assert not wait_for_request(store, latest, timeout_s=0)


def test_the_latest_epoch_is_that_at_the_beginning_of_the_wait() -> None:
    store = open_store(CLICKS)
    fill(store, [], epoch=4)
    latest = asked(3).with_position_bound(PositionBound.at_latest())
    assert wait_for_request(store, latest, timeout_s=0)
    store.replicas[0].apply(progress(5), [])
    thread, told = in_thread(lambda: wait_for_request(store, latest, timeout_s=30))
    while waiters(store) < 2:
        time.sleep(0.001)
    # This partition goes on to epoch 6; the others need only reach 5.
    store.replicas[0].apply(progress(6), [])
    for number in (1, 2):
        store.replicas[number].apply(progress(5), [])
    thread.join(10)
    assert told == [True]


@pytest.mark.parametrize("before", [True, False])
def test_a_wake_ends_the_wait_early(*, before: bool) -> None:
    store = open_store(CLICKS)
    awaited = [Awaited(store=store, partition=n, bound=PositionBound(epoch=0)) for n in range(3)]
    hooked, unhooked = list[Callable[[], None]](), list[Callable[[], None]]()

    @contextmanager
    def interrupting(wake: Callable[[], None]) -> Iterator[None]:
        hooked.append(wake)
        if before:
            wake()
        yield
        unhooked.append(wake)

    thread, told = in_thread(
        lambda: wait_for_partitions(awaited, timeout_s=30, interrupting=interrupting)
    )
    if not before:
        while waiters(store) < 3:
            time.sleep(0.001)
        hooked[0]()
    thread.join(10)
    assert told == [False]
    assert unhooked == hooked
    assert waiters(store) == 0


def test_all_partitions_are_awaited_if_all_must_report() -> None:
    store = open_store(CLICKS)
    store.drop(1)
    awaited = [Awaited(store=store, partition=n, bound=PositionBound(epoch=0)) for n in range(3)]
    thread, told = in_thread(lambda: wait_for_partitions(awaited, timeout_s=30, report_all=True))
    store.replicas[0].apply(progress(0), [])
    assert not told
    store.replicas[2].apply(progress(0), [])
    thread.join(10)
    assert told == [False]
