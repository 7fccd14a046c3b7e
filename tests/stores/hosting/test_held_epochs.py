"""Held epochs: found as long as readers hold them, released when they must be."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.hosting.held_epochs import HeldEpochs, held_snapshot, standstill
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.metrics import MeteredStore, Metrics
from stategate.stores.hosting.replica import VIEWS_MAX, Replica
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.store import Hold, QueryConfig, ReplicaState
from tests.support.stores import batch, fill, keyvalue, open_store, progress

SCHEMA = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=1)


class Clock:
    """A clock that a test moves, in seconds."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def store_with(holds: HeldEpochs, directory: Path | None = None) -> LocalStore:
    store = open_store(SCHEMA, directory=directory)
    engine = store.replicas[0].engine
    return LocalStore(SCHEMA, {0: Replica(engine, schema=SCHEMA, partition=0, holds=holds)})


def apply_to(store: LocalStore, *epochs: int) -> None:
    for epoch in epochs:
        rows = [("ann", epoch)]
        store.replicas[0].apply(progress(epoch), [batch(SCHEMA, rows)])


def read(store: LocalStore, epoch: int) -> int | str:
    """Return the value of the row at an epoch, or the failure."""
    answer = store.query_partition(0, RangeQuery(columns=("n",)), QueryConfig(at_epoch=epoch))
    if isinstance(answer, Failure):
        return answer.reason.value
    found = [n for part in answer.value for n in part.column(0).to_pylist()]
    assert len(found) == 1
    number: int = found[0]
    return number


def held(store: LocalStore, epoch: int | None = None) -> Hold:
    hold = store.hold(0, epoch)
    assert hold is not None
    return hold


FORGOTTEN = "NOT_UP_TO_BOUND"


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "rocksdb"])
def test_a_held_epoch_is_not_forgotten(tmp_path: Path, *, on_disk: bool) -> None:
    store = open_store(SCHEMA, directory=tmp_path if on_disk else None)
    apply_to(store, 0, 1)
    hold, other = held(store), held(store, 0)
    assert (hold.epoch, other.epoch) == (1, 0)
    apply_to(store, *range(2, 20))
    assert (read(store, 1), read(store, 0), read(store, 2)) == (1, 0, FORGOTTEN)
    hold.release()
    hold.release()
    assert (read(store, 1), read(store, 0)) == (FORGOTTEN, 0)
    assert (hold.is_held, other.is_held) == (False, True)
    assert store.hold(0, 1) is None
    other.release()
    store.close()


def test_two_readers_hold_one_epoch() -> None:
    store = open_store(SCHEMA)
    apply_to(store, 0)
    first, second = held(store), held(store)
    apply_to(store, *range(1, 9))
    first.release()
    assert (first.is_held, second.is_held, read(store, 0)) == (False, True, 0)
    second.release()
    assert read(store, 0) == FORGOTTEN


def test_a_future_epoch_is_held_once_it_is_applied() -> None:
    store = open_store(SCHEMA)
    apply_to(store, 0)
    hold, between = held(store, 3), held(store, 4)
    assert read(store, 3) == FORGOTTEN  # it has not been reached
    apply_to(store, 1, 2, 3, 5, 6, 7, 8, 9, 10)
    assert (read(store, 3), read(store, 4)) == (3, 3)  # the store has no epoch 4
    assert hold.is_held
    assert between.is_held


def test_an_epoch_that_is_not_held_is_not_answered_by_an_older_one() -> None:
    store = open_store(SCHEMA)
    apply_to(store, 0)
    held(store)
    apply_to(store, *range(1, 9))
    assert read(store, 2) == FORGOTTEN


def test_the_time_limit_releases_only_epochs_that_cost_something() -> None:
    clock = Clock()
    store = store_with(HeldEpochs(hold_s=10, clock=clock))
    apply_to(store, 0)
    old = held(store)
    clock.now_s = 11
    apply_to(store, *range(1, VIEWS_MAX))
    assert (old.is_held, read(store, 0)) == (True, 0)  # still among the newest
    young = held(store, 1)
    apply_to(store, VIEWS_MAX, VIEWS_MAX + 1)
    assert (old.is_held, read(store, 0)) == (False, FORGOTTEN)
    assert (young.is_held, read(store, 1)) == (True, 1)
    old.release()
    clock.now_s = 22
    apply_to(store, VIEWS_MAX + 2)
    assert not young.is_held


def test_each_reader_of_an_epoch_has_the_full_time() -> None:
    """The last reader is served for as long as the first."""
    clock = Clock()
    store = store_with(HeldEpochs(hold_s=10, clock=clock))
    apply_to(store, *range(VIEWS_MAX))
    first = held(store, 0)
    clock.now_s = 9
    second = held(store, 0)
    for now_s, is_held in ((18, True), (19, False)):
        clock.now_s = now_s
        apply_to(store, VIEWS_MAX + now_s)
        assert (first.is_held, second.is_held) == (is_held, is_held)


class Standing(LocalStore):
    """A store that checks at each hold whether another thread could show an epoch."""

    was_standing = False

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        applying = threading.Thread(
            target=apply_to, args=(self, self.replicas[0].progress.epoch + 1)
        )
        applying.start()
        applying.join(0.05)
        self.was_standing = applying.is_alive()
        self.applying = applying
        return super().hold(partition, epoch)


def test_a_snapshot_is_held_before_another_epoch_is_shown() -> None:
    store = Standing(SCHEMA, open_store(SCHEMA).replicas)
    apply_to(store, 0)
    with held_snapshot([store]) as epochs:
        assert epochs == {"clicks": 0}
        assert store.was_standing
        store.applying.join(10)
        apply_to(store, *range(2, 9))
        assert read(store, 0) == 0
    assert len(store.replicas[0]._holds) == 0


def test_at_a_standstill_no_epoch_is_shown_or_held() -> None:
    """It is written at once; only showing it waits."""
    store = open_store(SCHEMA)
    apply_to(store, 0)
    replica = store.replicas[0]
    holds: list[Hold] = []
    threads = [
        threading.Thread(target=apply_to, args=(store, 1)),
        threading.Thread(target=lambda: holds.append(held(store))),
    ]
    with standstill():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(0.05)
        assert all(thread.is_alive() for thread in threads)
        assert (replica.status.progress.epoch, replica.progress.epoch) == (0, 1)
    for thread in threads:
        thread.join(10)
    assert replica.status.progress.epoch == 1
    assert len(holds) == 1


def test_with_too_many_held_epochs_the_oldest_is_released() -> None:
    store = store_with(HeldEpochs(holds_max=2))
    holds = []
    for epoch in range(5):
        apply_to(store, epoch)
        holds.append(held(store))
    apply_to(store, *range(5, 9))
    assert [hold.is_held for hold in holds] == [False, False, False, True, True]
    assert [read(store, epoch) for epoch in range(5)] == [*[FORGOTTEN] * 3, 3, 4]


def test_closing_releases_all_epochs(tmp_path: Path) -> None:
    store = open_store(SCHEMA, directory=tmp_path)
    apply_to(store, 0)
    hold = held(store)
    apply_to(store, *range(1, 9))
    store.close()
    assert not hold.is_held
    assert store.hold(0) is None
    hold.release()
    again = open_store(SCHEMA, directory=tmp_path)  # no reader keeps the database open
    assert again.statuses()[0].state is ReplicaState.RUNNING
    again.close()


def test_a_missing_partition_or_epoch_is_not_held() -> None:
    store = open_store(SCHEMA)
    assert store.hold(7) is None
    fill(store, [], epoch=5)
    metered = MeteredStore(store, Metrics())
    hold = metered.hold(0, 5)
    assert hold is not None
    assert metered.hold(7) is None


@given(st.lists(st.integers(0, 3), max_size=40))
def test_every_hold_reads_its_own_epoch(acts: list[int]) -> None:
    """0 and 1 apply an epoch, 2 holds the newest, 3 releases the oldest hold."""
    store = open_store(SCHEMA)
    apply_to(store, 0)
    epoch, holds = 0, list[Hold]()
    for act in acts:
        if act < 2:
            epoch += 1
            apply_to(store, epoch)
        elif act == 2:
            holds.append(held(store))
        elif holds:
            holds.pop(0).release()
        assert [read(store, hold.epoch) for hold in holds] == [hold.epoch for hold in holds]
    assert len(store.replicas[0]._holds) == len({hold.epoch for hold in holds})


def test_holds_do_not_block_applies() -> None:
    """Readers hold and release in threads, while another one applies."""
    store = open_store(SCHEMA)
    apply_to(store, 0)
    stopping, wrong = threading.Event(), list[object]()

    def hold_and_read() -> None:
        while not stopping.is_set():
            hold = held(store)
            answer = store.query_partition(0, RangeQuery(), QueryConfig(at_epoch=hold.epoch))
            if not isinstance(answer, Success) or answer.epoch != hold.epoch:
                wrong.append(answer)
            hold.release()

    threads = [threading.Thread(target=hold_and_read) for _ in range(3)]
    for thread in threads:
        thread.start()
    apply_to(store, *range(1, 300))
    stopping.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(store.replicas[0]._holds) == 0
