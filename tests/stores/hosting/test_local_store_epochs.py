"""A store asked at one epoch of all partitions, or at the latest, while followers run."""

from __future__ import annotations

import itertools
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pytest

from stategate.stores.hosting.held_epochs import held_snapshot
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import VIEWS_MAX, Replica
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import Query, RangeQuery
from stategate.stores.spec.result import Failure, QueryResult
from stategate.stores.spec.schema import InputTopic, StoreKind, StoreSchema
from stategate.stores.spec.snapshots import snapshot_epoch, snapshot_epochs
from stategate.stores.spec.store import QueryConfig, in_store
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import WindowRangeQuery
from tests.stores.hosting.followed import CLICKS, SCAN, answered, epochs, errors, followed, write
from tests.support.logs import Clock, empty_commit, write_alone
from tests.support.stores import batch, open_store, progress, timed, window
from tests.support.values import rows_of

R = TypeVar("R")
LATEST, SNAPSHOT = PositionBound.at_latest(), PositionBound.at_snapshot()


def apply_to(store: LocalStore, partitions: list[int], epoch: int) -> None:
    for number in partitions:
        store.replicas[number].apply(progress(epoch), [])


def test_a_snapshot_is_one_epoch_of_all_partitions() -> None:
    store = open_store(CLICKS)
    for epoch in range(3):
        apply_to(store, [0, 1, 2], epoch)
    apply_to(store, [0, 1], 3)
    apply_to(store, [0], 4)
    assert answered(store, SNAPSHOT) == {0: 2, 1: 2, 2: 2}
    assert answered(store, PositionBound()) == {0: 4, 1: 3, 2: 2}
    # A bound holds for the epoch that is read, not for the one that is held.
    assert set(answered(store, PositionBound(epoch=3, snapshot=True)).values()) == {
        "NOT_UP_TO_BOUND"
    }
    apply_to(store, [2], 3)
    assert answered(store, PositionBound(epoch=3, snapshot=True)) == {0: 3, 1: 3, 2: 3}
    only = store.query(SCAN.with_position_bound(SNAPSHOT).with_partitions({0}))
    assert only.partitions[0].epoch == 4


def test_a_restoring_partition_does_not_choose_the_epoch() -> None:
    """It refuses queries anyway, and the others have forgotten its epoch."""
    store = open_store(CLICKS)
    for epoch in range(9):
        apply_to(store, [0, 1], epoch)
    engine = store.replicas[2].engine
    behind = Replica(engine, schema=CLICKS, partition=2, restore_to=5)
    restoring = LocalStore(CLICKS, {**store.replicas, 2: behind})
    assert answered(restoring, SNAPSHOT) == {0: 8, 1: 8, 2: "NOT_UP_TO_BOUND"}


@pytest.mark.parametrize("is_missing", [False, True], ids=["gap", "missing"])
def test_a_gap_that_is_seen_late_gives_no_answer_below_its_bound(
    tmp_path: Path, is_missing: bool
) -> None:
    """A long log is rarely listed. Until then bounds are refused; after that the error is named."""
    clock, listing_s = Clock(), 0.3

    class Long(Directory):
        def names(self, relative: str = "") -> list[str]:
            clock.now += listing_s
            return Directory.names(self, relative)

    log = StoreLog(Long(LocalFiles(), str(tmp_path / "clicks")), "clicks", clock=clock)
    log.define(replace(CLICKS, inputs=(InputTopic(topic="events"),)))

    def commit(epoch: int, previous: int) -> None:
        position = Position.of({"events": {0: epoch * 10}})
        write_alone(log, replace(empty_commit(epoch, previous=previous), position=position))

    commit(0, previous=-1)
    store = LocalStore(CLICKS, followed(tmp_path).replicas, log=log)
    while store.follow():
        pass
    commit(5, previous=4 if is_missing else 0)
    listed_s = clock.now
    reached = PositionBound.at(Position.of({"events": {0: 50}}))
    late = 0
    while not store.follow() and errors(store) == {None}:
        assert epochs(store) == {0}
        # Looking for the latest epoch takes a listing, so the follower sees it, too.
        latest = (LATEST,) if late == 5 else ()
        for bound in (reached, PositionBound(epoch=5), PositionBound.within_lag(1000), *latest):
            assert set(answered(store, bound).values()) == {"NOT_UP_TO_BOUND"}
        # Without a bound the answer names its epoch, as it would before any poll.
        assert set(answered(store, PositionBound()).values()) == {0}
        clock.now += 1
        late += 1
    assert late == 6
    assert clock.now - listed_s < 30
    if is_missing:
        (error,) = errors(store)
        assert error is not None
        assert "follows epoch 4, which is not in the log after epoch 0" in error
        assert set(answered(store, LATEST).values()) == {"NOT_UP_TO_BOUND"}
    else:
        assert set(answered(store, LATEST).values()) == {5}


def test_a_forgotten_snapshot_is_refused() -> None:
    store = open_store(CLICKS)
    apply_to(store, [0, 1, 2], 0)
    for epoch in range(1, 9):
        apply_to(store, [0, 1], epoch)
    assert answered(store, SNAPSHOT) == {0: "NOT_UP_TO_BOUND", 1: "NOT_UP_TO_BOUND", 2: 0}
    store.drop(2)
    assert answered(store, SNAPSHOT) == {0: 8, 1: 8, 2: "NOT_PRESENT"}


def test_an_epoch_that_one_partition_forgot_is_not_chosen() -> None:
    store = open_store(CLICKS)
    apply_to(store, [0, 1, 2], 0)
    for epoch in range(1, VIEWS_MAX):
        apply_to(store, [0], epoch)
    assert snapshot_epoch(store.statuses().values()) == 0
    apply_to(store, [0], VIEWS_MAX)
    assert snapshot_epoch(store.statuses().values()) is None
    assert snapshot_epoch([]) is None


SHIPPED = [
    CLICKS,
    window("hours", {"usr": "text"}, {"n": "bigint"}),
    timed(StoreKind.VERSIONED, "versions", {"usr": "text"}, {"n": "bigint"}),
]
SCANS = {
    StoreKind.KEYVALUE: RangeQuery(columns=("n",)),
    StoreKind.WINDOW: WindowRangeQuery(columns=("n",)),
    StoreKind.VERSIONED: VersionedRangeQuery(columns=("n",)).as_of(3_600_000),
}


def epoch_rows(schema: StoreSchema, number: int) -> pa.RecordBatch:
    """Return one row, whose value is the number of the epoch."""
    times = (3_600_000_000, 7_200_000_000) if schema.kind is StoreKind.WINDOW else ()
    return batch(schema, [("ann", *times, number)], times_us=[number * 1000])


class Racing(LocalStore):
    """A store whose followers run far ahead before any partition is asked."""

    def run_ahead(self) -> None:
        for replica in self.replicas.values():
            newest = replica.progress.epoch
            for epoch in range(newest + 1, newest + 3 * VIEWS_MAX):
                replica.apply(progress(epoch), [epoch_rows(self.schema, epoch)])

    def _ask_resolved(self, partition: int, query: Query[R], config: QueryConfig) -> QueryResult[R]:
        thread = threading.Thread(target=self.run_ahead)
        thread.start()
        thread.join(10)
        assert not thread.is_alive(), "queries must not block applies"
        return super()._ask_resolved(partition, query, config)


def racing(schema: StoreSchema, directory: Path | None) -> Racing:
    store = open_store(schema, directory=directory)
    raced = Racing(schema, store.replicas)
    for replica in raced.replicas.values():
        replica.pipeline = "spark:a"
        replica.apply(progress(0), [epoch_rows(schema, 0)])
    # The others are an epoch ahead, as happens when a follower takes them one by one.
    raced.replicas[0].apply(progress(1), [epoch_rows(schema, 1)])
    return raced


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "rocksdb"])
@pytest.mark.parametrize("schema", SHIPPED, ids=lambda schema: schema.kind.value)
def test_followers_cannot_outrun_a_snapshot(
    tmp_path: Path, schema: StoreSchema, *, on_disk: bool
) -> None:
    store = racing(schema, tmp_path if on_disk else None)
    scan = in_store(schema.name).with_query(SCANS[schema.kind])
    answer = store.query(scan.with_position_bound(SNAPSHOT))
    assert {number: part.epoch for number, part in answer.partitions.items()} == {0: 0, 1: 0, 2: 0}
    assert [rows_of(part.value) for part in answer.partitions.values()] == [[(0,)]] * 3
    assert all(len(replica._holds) == 0 for replica in store.replicas.values())
    assert min(epochs(store)) > 2 * VIEWS_MAX
    store.close()


def test_followers_cannot_outrun_a_snapshot_of_several_stores(tmp_path: Path) -> None:
    stores = [racing(schema, tmp_path) for schema in SHIPPED]
    with held_snapshot(stores) as found:
        assert found == {"clicks": 0, "hours": 0, "versions": 0}
        for store in stores:
            at = QueryConfig(at_epoch=found[store.schema.name])
            scan = SCANS[store.schema.kind]
            answers = [store.query_partition(number, scan, at) for number in store.replicas]
            assert [rows_of(answer.value) for answer in answers] == [[(0,)]] * 3
    for store in stores:
        assert all(len(replica._holds) == 0 for replica in store.replicas.values())
        store.close()


def test_a_snapshot_is_chosen_at_a_standstill() -> None:
    """Between two reads of a store's replicas, none of them shows another epoch."""
    store = open_store(replace(CLICKS, partitions=4))
    stopped = threading.Event()

    def follow() -> None:
        for epoch in itertools.count():
            for replica in store.replicas.values():
                replica.apply(progress(epoch), [])
            if stopped.is_set():
                return

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        for _ in range(200):
            answers = answered(store, SNAPSHOT)
            assert len(set(answers.values())) == 1
            assert "NOT_UP_TO_BOUND" not in answers.values()
    finally:
        stopped.set()
        thread.join()


def test_a_snapshot_over_the_stores_of_one_pipeline() -> None:
    first, second = open_store(CLICKS), open_store(replace(CLICKS, name="more"))
    other = open_store(replace(CLICKS, name="other"))
    for store, epoch in ((first, 5), (second, 6), (other, 2)):
        for replica in store.replicas.values():
            replica.pipeline = "spark:b" if store is other else "spark:a"
        apply_to(store, [0, 1, 2], epoch - 1)
        apply_to(store, [0, 1, 2], epoch)
    assert snapshot_epochs([first, second, other]) == {"clicks": 5, "more": 5, "other": 2}
    at = QueryConfig(at_epoch=5)
    for store in (first, second):
        assert store.query_partition(0, RangeQuery(), at).epoch == 5
    other.close()
    assert snapshot_epochs([other]) == {"other": None}


@pytest.mark.parametrize("writer", [None, "python", "load"])
def test_unnamed_writers_are_not_a_pipeline(writer: str | None) -> None:
    """Epochs of two unnamed writers have only their numbers in common."""
    first, second = open_store(CLICKS), open_store(replace(CLICKS, name="more"))
    for store, epoch in ((first, 5), (second, 6)):
        for replica in store.replicas.values():
            replica.pipeline = writer
        apply_to(store, [0, 1, 2], epoch - 1)
        apply_to(store, [0, 1, 2], epoch)
    assert snapshot_epochs([first, second]) == {"clicks": 5, "more": 6}


def followed_to(root: Path, epoch: int) -> LocalStore:
    store = followed(root)
    while epochs(store) != {epoch}:
        assert store.follow()
    return store


def test_latest_is_the_newest_epoch_in_the_log_at_the_time_of_the_query(tmp_path: Path) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    assert answered(store, LATEST) == {0: 0, 1: 0, 2: 0}
    write(tmp_path, 1)
    assert set(answered(store, LATEST).values()) == {"NOT_UP_TO_BOUND"}
    beyond = PositionBound(epoch=2).merge(LATEST)
    assert answered(followed_to(tmp_path, 1), beyond) == dict.fromkeys(range(3), "NOT_UP_TO_BOUND")
    told: list[bool] = []
    waiting = store.when(0, LATEST, told.append)
    config = QueryConfig(bound=LATEST)
    behind = store.query_partition(0, RangeQuery(), config)
    assert isinstance(behind, Failure)
    assert behind.message == "epoch 0 is behind epoch 1"
    store.follow()
    assert told == [True]
    assert not waiting.cancel()
    assert answered(store, LATEST) == {0: 1, 1: 1, 2: 1}
    # It cannot count as reached while it is unknown.
    shutil.rmtree(tmp_path / "clicks")
    store.drop(2)
    assert answered(store, LATEST) == {0: "NOT_UP_TO_BOUND", 1: "NOT_UP_TO_BOUND", 2: "NOT_PRESENT"}
    blind = store.query_partition(0, RangeQuery(), config)
    assert isinstance(blind, Failure)
    assert "the latest epoch is not known" in blind.message
