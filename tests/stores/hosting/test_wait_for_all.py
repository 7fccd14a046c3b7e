"""Waiting for all partitions of a request: one deadline, and none that waits in vain."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from stores.errors import InvalidPartitionError
from stores.hosting.local_store import LocalStore
from stores.hosting.wait_for_all import wait_for
from stores.spec.position import PositionBound
from stores.spec.query import BatchStream, RangeQuery
from stores.spec.store import StateQueryRequest, in_store
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


def test_it_ends_with_the_last_partition() -> None:
    store = open_store(CLICKS)
    thread, told = in_thread(lambda: wait_for(store, asked(0), timeout_s=30))
    for replica in list(store.replicas.values())[:2]:
        replica.apply(progress(0), [])
    assert not told
    store.replicas[2].apply(progress(0), [])
    thread.join(10)
    assert told == [True]
    assert wait_for(store, asked(0), timeout_s=0)
    assert waiters(store) == 0


def test_the_time_is_of_all_partitions_together() -> None:
    store = open_store(CLICKS)
    began = time.monotonic()
    assert not wait_for(store, asked(0), timeout_s=0.05)
    assert 0.05 <= time.monotonic() - began < 0.05 * CLICKS.partitions
    assert not wait_for(store, asked(0), timeout_s=-1)
    assert waiters(store) == 0


def test_only_the_partitions_that_are_asked_count() -> None:
    store = open_store(CLICKS)
    store.replicas[1].apply(progress(0), [])
    assert wait_for(store, asked(0).with_partitions({1}), timeout_s=0)
    assert wait_for(store, asked(0).with_partitions(set()), timeout_s=0)
    with pytest.raises(InvalidPartitionError):
        wait_for(store, asked(0).with_partitions({0, 3}), timeout_s=30)
    assert waiters(store) == 0


def test_it_does_not_wait_for_what_is_not_here_or_goes() -> None:
    store = open_store(CLICKS)
    thread, told = in_thread(lambda: wait_for(store, asked(0), timeout_s=30))
    store.drop(1)
    thread.join(10)
    assert told == [False]
    assert not wait_for(store, asked(0), timeout_s=30)
    assert waiters(store) == 0


class Hurried(LocalStore):
    """Another epoch is committed each time somebody looks."""

    committed = 3

    def committed_epoch(self) -> int:
        self.committed += 1
        return self.committed


def test_the_latest_is_asked_once_for_all_partitions() -> None:
    store = Hurried(CLICKS, open_store(CLICKS).replicas)
    fill(store, [], epoch=4)
    latest = asked(3).with_position_bound(PositionBound.at_latest())
    assert wait_for(store, latest, timeout_s=0)
    assert not wait_for(store, latest, timeout_s=0)


def test_the_latest_is_what_it_was_at_the_beginning() -> None:
    store = open_store(CLICKS)
    fill(store, [], epoch=4)
    latest = asked(3).with_position_bound(PositionBound.at_latest())
    assert wait_for(store, latest, timeout_s=0)
    store.replicas[0].apply(progress(5), [])
    thread, told = in_thread(lambda: wait_for(store, latest, timeout_s=30))
    while waiters(store) < 2:
        time.sleep(0.001)
    # This one goes on, which the others need not do.
    store.replicas[0].apply(progress(6), [])
    for number in (1, 2):
        store.replicas[number].apply(progress(5), [])
    thread.join(10)
    assert told == [True]
