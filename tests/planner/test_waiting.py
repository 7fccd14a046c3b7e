"""Waiting: for all at once, by one deadline, ended by a cancel, with no one holding a lock."""

from __future__ import annotations

import threading
import time

import pytest

from planner.cancel import Cancellation
from planner.errors import Cancelled, LimitExceeded
from planner.session import Session
from planner.sql import SqlEngine
from planner.waiting import Awaited, wait_for_all
from stores.errors import TooManyWaitersError
from stores.local import LocalStore
from stores.position import PositionBound
from stores.store import OnBound, Waiting
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, progress

SCHEMA = keyvalue("state", {"k": "text"}, {"v": "bigint"}, partitions=4)
AT_5 = PositionBound(epoch=5)


@pytest.fixture
def store() -> LocalStore:
    made = open_store(SCHEMA)
    fill(made, [("a", 1)])
    return made


def all_of(store: LocalStore, bound: PositionBound = AT_5) -> list[Awaited]:
    return [Awaited(store=store, partition=n, bound=bound) for n in range(SCHEMA.partitions)]


def waiters(store: LocalStore) -> int:
    return sum(len(replica._waiters) for replica in store.replicas.values())


def apply_all(store: LocalStore, epoch: int = 5) -> None:
    for replica in store.replicas.values():
        replica.apply(progress(epoch), [])


def test_nothing_to_wait_for_is_no_wait(store: LocalStore) -> None:
    met = PositionBound(epoch=0)
    assert wait_for_all(all_of(store, met), timeout_s=0, cancellation=None)
    assert wait_for_all([], timeout_s=0, cancellation=None)


def test_it_ends_with_the_last_partition(store: LocalStore) -> None:
    found: list[bool] = []
    waiting = threading.Thread(
        target=lambda: found.append(
            wait_for_all(all_of(store), timeout_s=60, cancellation=Cancellation())
        )
    )
    waiting.start()
    while waiters(store) < SCHEMA.partitions:
        time.sleep(0.001)
    for replica in store.replicas.values():
        assert found == []
        replica.apply(progress(5), [])
    waiting.join()
    assert (found, waiters(store)) == ([True], 0)


def test_the_time_is_for_all_of_them_together(store: LocalStore) -> None:
    began = time.monotonic()
    assert not wait_for_all(all_of(store), timeout_s=0.1, cancellation=Cancellation())
    elapsed_s = time.monotonic() - began
    # One after the other would take four times as long.
    assert 0.1 <= elapsed_s < 0.35
    assert waiters(store) == 0


def test_a_statement_waits_once_for_all_that_it_reads(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(store))
    sql = "SELECT count(*) FROM state a JOIN state b USING (k) WITH BOUND (events[0] >= 9), WAIT "
    began = time.monotonic()
    assert refusal(engine, f"{sql} '100 ms'").sqlstate == "55S01"
    assert 0.1 <= time.monotonic() - began < 0.6
    assert waiters(store) == 0


def test_the_deadline_of_the_statement_counts(store: LocalStore) -> None:
    with pytest.raises(Cancelled, match="statement timeout"):
        wait_for_all(all_of(store), timeout_s=60, cancellation=Cancellation(timeout_s=0.02))
    assert waiters(store) == 0


@pytest.mark.parametrize("before", [True, False])
def test_a_cancel_ends_it_at_once(store: LocalStore, *, before: bool) -> None:
    cancellation = Cancellation()
    timer = threading.Timer(0.0 if before else 0.05, cancellation.cancel)
    timer.start()
    if before:
        timer.join()
    began = time.monotonic()
    with pytest.raises(Cancelled, match="user request"):
        wait_for_all(all_of(store), timeout_s=60, cancellation=cancellation)
    assert time.monotonic() - began < 5
    assert waiters(store) == 0
    timer.join()
    assert cancellation._callbacks == []


@pytest.mark.parametrize("all_heard", [True, False])
def test_a_partition_that_never_will(store: LocalStore, *, all_heard: bool) -> None:
    """One that is not here ends the wait, unless the others are wanted all the same."""
    store.drop(2)
    timer = threading.Timer(0.05, apply_all, (store,))
    if all_heard:
        timer.start()
    began = time.monotonic()
    met = wait_for_all(all_of(store), timeout_s=60, cancellation=None, all_heard=all_heard)
    assert not met
    assert time.monotonic() - began < 5
    assert all(replica.progress.epoch == 5 for replica in store.replicas.values()) is all_heard
    assert waiters(store) == 0


def test_a_store_that_closes_wakes_who_waits(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(store))
    timer = threading.Timer(0.05, store.close)
    timer.start()
    error = refusal(engine, "SELECT * FROM state WITH BOUND (events[0] >= 9), WAIT '60 s'")
    assert error.sqlstate == "55S03"
    timer.join()


class FullStore(LocalStore):
    """A store for whose last partition nobody more can wait."""

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Refuse the last."""
        if partition == SCHEMA.partitions - 1:
            raise TooManyWaitersError("100000 callers wait for this partition")
        return super().when(partition, bound, callback)


def test_too_many_waiters_are_refused(store: LocalStore) -> None:
    full = FullStore(store.schema, store.replicas)
    with pytest.raises(LimitExceeded) as caught:
        wait_for_all(all_of(full), timeout_s=60, cancellation=Cancellation())
    assert caught.value.sqlstate == "53300"
    assert waiters(store) == 0


def test_who_waits_keeps_nobody_from_reading_or_applying(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(store))
    text = "SELECT k FROM state WITH BOUND (events[0] >= 5), WAIT '60 s'"
    threads = [threading.Thread(target=run, args=(engine, text)) for _ in range(20)]
    for thread in threads:
        thread.start()
    while waiters(store) < 20 * SCHEMA.partitions:
        time.sleep(0.001)
    assert rows_of(run(engine, "SELECT v FROM state WHERE k = 'a'", session=Session())) == [(1,)]
    apply_all(store, 4)
    assert waiters(store) == 20 * SCHEMA.partitions
    apply_all(store)
    for thread in threads:
        thread.join()
    assert waiters(store) == 0
