"""A store over a real state log, followed by hand: one call of `follow` at a time."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pytest

from stores.cuts import held_snapshot
from stores.errors import (
    FailureReason,
    InvalidPartitionError,
    LogMissingError,
    StoreError,
    StoreMigratedError,
    StoreNotAvailableError,
)
from stores.local import LocalStore
from stores.log import StoreLog, StoreWriter
from stores.memory import MemoryPartition
from stores.position import Position, PositionBound, Progress
from stores.query import KeyQuery, Query, RangeQuery, WindowRangeQuery
from stores.replica import VIEWS_MAX, Replica
from stores.result import Failure, QueryResult, Success
from stores.schema import StoreKind, StoreSchema
from stores.store import (
    DEFAULT_CONFIG,
    QueryConfig,
    in_store,
    snapshot_epoch,
    snapshot_epochs,
)
from stores.versions import VersionedRangeQuery
from tests.stores.values import rows_of
from tests.support.stores import batch, fill, keyvalue, open_store, progress, timed, window

R = TypeVar("R")
CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=3)
HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=10 * 3_600_000)
USERS = ["ann", "bob", "cid", "dan", "eve", "fay"]


def write(root: Path, epoch: int, *, users: list[str] = USERS, n: int | None = None) -> None:
    rows = pa.table({"usr": users, "n": [epoch if n is None else n] * len(users)})
    position = Position.of({"events": {0: epoch * 10}})
    StoreWriter(root, CLICKS).write(rows, position=position, epoch=epoch)


def followed(root: Path, schema: StoreSchema = CLICKS) -> LocalStore:
    replicas = {
        number: Replica(MemoryPartition(schema, number), schema=schema, partition=number)
        for number in range(schema.partitions)
    }
    return LocalStore(schema, replicas, log=StoreLog.open(root, schema.name))


def counts(store: LocalStore) -> dict[str, int]:
    result = store.query(in_store("clicks").with_query(RangeQuery()))
    assert result.failures == {}
    return {k: v for r in result.partitions.values() for k, v in rows_of(r.value)}


def errors(store: LocalStore) -> set[str | None]:
    return {status.error for status in store.statuses().values()}


def epochs(store: LocalStore) -> set[int]:
    return {status.progress.epoch for status in store.statuses().values()}


def test_each_call_applies_one_epoch(tmp_path: Path) -> None:
    write(tmp_path, 0)
    write(tmp_path, 1, users=["bob", "new"])
    store = followed(tmp_path)
    assert store.follow()
    assert counts(store) == dict.fromkeys(USERS, 0)
    assert store.follow()
    assert counts(store) == {**dict.fromkeys(USERS, 0), "bob": 1, "new": 1}
    assert not store.follow()
    # Partitions that no row came to have the position and the epoch all the same.
    result = store.query(in_store("clicks").with_query(KeyQuery.with_key("nobody")))
    assert {r.epoch for r in result.partitions.values()} == {1}
    assert {r.position for r in result.partitions.values()} == {Position.of({"events": {0: 10}})}
    assert store.committed_epoch() == 1


def commit_path(root: Path, epoch: int) -> Path:
    return root / "clicks" / "epochs" / f"{epoch:020d}.json"


def data_path(root: Path, epoch: int) -> Path:
    return next((root / "clicks" / "data" / str(epoch)).rglob("*.parquet"))


@pytest.mark.parametrize(
    ("path", "named"),
    [(commit_path, "0001.json"), (data_path, ".parquet")],
    ids=["commit record", "data file"],
)
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(b"{} not ours at all"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    ],
    ids=["torn", "foreign", "empty", "zeros"],
)
def test_a_damaged_file_leaves_the_last_good_epoch(
    tmp_path: Path,
    path: Callable[[Path, int], Path],
    named: str,
    damage: Callable[[Path], object],
) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    write(tmp_path, 1)
    damaged = path(tmp_path, 1)
    whole = damaged.read_bytes()
    damage(damaged)
    for _ in range(2):
        store.follow()
        (error,) = errors(store) - {None}
        assert error is not None
        assert named in error
    assert set(counts(store).values()) <= {0, 1}
    assert 0 in epochs(store)
    damaged.write_bytes(whole)
    assert store.follow()
    assert (errors(store), epochs(store)) == ({None}, {1})
    assert counts(store) == dict.fromkeys(USERS, 1)


def test_a_missing_file_stops_only_the_partition_that_needs_it(tmp_path: Path) -> None:
    write(tmp_path, 0)
    write(tmp_path, 1, users=["bob"])
    hidden = data_path(tmp_path, 1)
    whole = hidden.read_bytes()
    hidden.unlink()
    store = followed(tmp_path)
    store.follow()
    assert store.follow()
    stuck = {p for p, status in store.statuses().items() if status.error is not None}
    assert len(stuck) == 1
    assert {p for p, s in store.statuses().items() if s.progress.epoch == 0} == stuck
    # They are at two epochs now; the others go on, the one that is stuck catches up when it can.
    write(tmp_path, 2, users=["new"])
    assert store.follow()
    assert epochs(store) == {0, 2}
    hidden.write_bytes(whole)
    assert store.follow()
    assert store.follow()
    assert (epochs(store), errors(store)) == ({2}, {None})


class Faulty(MemoryPartition):
    """An engine with a bug."""

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take the first epoch, and trip over the next."""
        if progress.epoch:
            raise ZeroDivisionError("of its own")
        super().apply(progress, batches, replace=replace)


def test_an_engine_that_trips_stops_only_its_own_partition(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for epoch in range(3):
        write(tmp_path, epoch)
    engines = [Faulty(CLICKS, 0), MemoryPartition(CLICKS, 1), Faulty(CLICKS, 2)]
    replicas = {n: Replica(e, schema=CLICKS, partition=n) for n, e in enumerate(engines)}
    store = LocalStore(CLICKS, replicas, log=StoreLog.open(tmp_path, "clicks"))
    for _ in range(4):
        store.follow()
    statuses = store.statuses()
    assert {n: status.progress.epoch for n, status in statuses.items()} == {0: 0, 1: 2, 2: 0}
    tripped = "ZeroDivisionError: of its own"
    assert {n: status.error for n, status in statuses.items()} == {0: tripped, 1: None, 2: tripped}
    # Where it tripped is told, once for each and not at every poll.
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


def test_an_error_that_has_passed_is_forgotten_without_a_new_epoch(tmp_path: Path) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    commit_path(tmp_path, 1).write_bytes(b"junk")
    store.follow()
    assert None not in errors(store)
    commit_path(tmp_path, 1).unlink()
    store.follow()
    assert errors(store) == {None}


def test_a_store_that_goes_away_is_still_served(tmp_path: Path) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    shutil.rmtree(tmp_path / "clicks")
    with pytest.raises(LogMissingError):
        store.committed_epoch()
    assert counts(store) == dict.fromkeys(USERS, 0)


def test_an_epoch_of_another_log_is_not_applied_on_top(tmp_path: Path) -> None:
    for epoch in range(2):
        write(tmp_path / "one", epoch)
        write(tmp_path / "two", epoch, n=100 + epoch)
    write(tmp_path / "two", 2, users=["bob"], n=102)
    store = followed(tmp_path / "one")
    store.follow()
    store.follow()
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "two", tmp_path / "one")
    assert not store.follow()
    (error,) = errors(store)
    assert error == "the log is not the one that epoch 1 came from"
    assert counts(store) == dict.fromkeys(USERS, 1)


def test_logs_that_were_committed_at_one_moment_differ_by_their_input(tmp_path: Path) -> None:
    rows = pa.table({"usr": USERS, "n": [1] * len(USERS)})
    for name, offset in (("one", 1), ("two", 2)):
        writer = StoreWriter(tmp_path / name, CLICKS)
        for epoch in range(2):
            at = Position.of({"events": {0: 10 * epoch + offset}})
            writer.write(rows, position=at, committed_ms=7)
    store = followed(tmp_path / "one")
    store.follow()
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "two", tmp_path / "one")
    assert not store.follow()
    assert errors(store) == {"the log is not the one that epoch 0 came from"}


def test_a_replacing_epoch_is_the_whole_store(tmp_path: Path) -> None:
    write(tmp_path, 0)
    rows = pa.table({"usr": ["only"], "n": [7]})
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows, position=Position.of({"events": {0: 10}}), replace=True)
    store = followed(tmp_path)
    store.follow()
    store.follow()
    assert counts(store) == {"only": 7}


def test_a_watermark_never_goes_back(tmp_path: Path) -> None:
    """Else windows that have expired, and are gone from some replicas, would come back."""
    hour_us, hour_ms = 3_600_000_000, 3_600_000
    writer = StoreWriter(tmp_path, HOURS)
    times = pa.array([0, 11 * hour_us], pa.timestamp("us", tz="UTC"))
    rows = pa.table({"usr": ["a", "b"], "window_start": times, "n": [1, 2]})
    for epoch, watermark_ms in enumerate([11 * hour_ms, None, 0]):
        position = Position.of({"events": {0: epoch}})
        writer.write(rows, position=position, watermark_ms=watermark_ms)
        # Ours never writes one that is behind; who reads the log does not rely on that.
        path = tmp_path / "hours" / "epochs" / f"{epoch:020d}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "watermark_ms": watermark_ms}))
    store = followed(tmp_path, HOURS)
    for _ in range(3):
        assert store.follow()
        assert store.replicas[0].progress.watermark_ms == 11 * hour_ms
        result = store.query_partition(0, WindowRangeQuery(columns=("usr",)))
        assert isinstance(result, Success)
        assert rows_of(result.value) == [("b",)]


def test_partitions_that_are_not_here_or_nowhere() -> None:
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


def test_a_closed_store_says_what_became_of_it() -> None:
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


def test_new_inputs_are_taken_over_without_closing() -> None:
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


LATEST, SNAPSHOT = PositionBound.at_latest(), PositionBound.at_snapshot()
SCAN = in_store("clicks").with_query(RangeQuery())


def apply_to(store: LocalStore, partitions: list[int], epoch: int) -> None:
    for number in partitions:
        store.replicas[number].apply(progress(epoch), [])


def answered(store: LocalStore, bound: PositionBound) -> dict[int, int | str]:
    """Partition → the epoch it answered at, or the reason why it did not."""
    result = store.query(SCAN.with_position_bound(bound))
    return {
        number: answer.epoch if isinstance(answer, Success) else answer.reason.value
        for number, answer in result.partitions.items()
    }


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


def test_a_partition_that_restores_does_not_hold_the_others_back() -> None:
    """It refuses anyway; at its epoch the others would be asked for what they have forgotten."""
    store = open_store(CLICKS)
    for epoch in range(9):
        apply_to(store, [0, 1], epoch)
    engine = store.replicas[2].engine
    behind = Replica(engine, schema=CLICKS, partition=2, restore_to=5)
    restoring = LocalStore(CLICKS, {**store.replicas, 2: behind})
    assert answered(restoring, SNAPSHOT) == {0: 8, 1: 8, 2: "NOT_UP_TO_BOUND"}


def test_a_snapshot_that_is_forgotten_is_refused() -> None:
    store = open_store(CLICKS)
    apply_to(store, [0, 1, 2], 0)
    for epoch in range(1, 9):
        apply_to(store, [0, 1], epoch)
    assert answered(store, SNAPSHOT) == {0: "NOT_UP_TO_BOUND", 1: "NOT_UP_TO_BOUND", 2: 0}
    store.drop(2)
    assert answered(store, SNAPSHOT) == {0: 8, 1: 8, 2: "NOT_PRESENT"}


def test_what_one_has_forgotten_is_no_epoch_of_all() -> None:
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
    """One row, the same in each epoch but for its number."""
    times = (3_600_000_000, 7_200_000_000) if schema.kind is StoreKind.WINDOW else ()
    return batch(schema, [("ann", *times, number)], times_us=[number * 1000])


class Racing(LocalStore):
    """Its followers run ahead by more epochs than a replica keeps before any partition is asked."""

    def run_ahead(self) -> None:
        for replica in self.replicas.values():
            newest = replica.progress.epoch
            for epoch in range(newest + 1, newest + 3 * VIEWS_MAX):
                replica.apply(progress(epoch), [epoch_rows(self.schema, epoch)])

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        thread = threading.Thread(target=self.run_ahead)
        thread.start()
        thread.join(10)
        assert not thread.is_alive(), "asking must not keep anybody from applying"
        return super().query_partition(partition, query, config)


def racing(schema: StoreSchema, directory: Path | None) -> Racing:
    store = open_store(schema, directory=directory)
    raced = Racing(schema, store.replicas)
    for replica in raced.replicas.values():
        replica.pipeline = "spark:a"
        replica.apply(progress(0), [epoch_rows(schema, 0)])
    # The others are an epoch ahead, as a follower that takes its turns leaves them.
    raced.replicas[0].apply(progress(1), [epoch_rows(schema, 1)])
    return raced


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "rocksdb"])
@pytest.mark.parametrize("schema", SHIPPED, ids=lambda schema: schema.kind.value)
def test_no_follower_runs_away_from_a_snapshot(
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


def test_no_follower_runs_away_from_a_snapshot_of_several_stores(tmp_path: Path) -> None:
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


def test_a_snapshot_is_chosen_while_all_stand_still() -> None:
    """Between two looks at replicas of one store none of them comes to another epoch."""
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


@pytest.mark.parametrize("writer", [None, "python"])
def test_who_is_not_named_makes_no_pipeline(writer: str | None) -> None:
    """Epochs of two writers that were given no name have only their numbers in common."""
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


def test_latest_is_what_the_log_holds_when_it_is_asked(tmp_path: Path) -> None:
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
    # It cannot be said to have been reached while nobody can say what it is.
    shutil.rmtree(tmp_path / "clicks")
    store.drop(2)
    assert answered(store, LATEST) == {0: "NOT_UP_TO_BOUND", 1: "NOT_UP_TO_BOUND", 2: "NOT_PRESENT"}
    blind = store.query_partition(0, RangeQuery(), config)
    assert isinstance(blind, Failure)
    assert "the latest epoch is not known" in blind.message


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


def test_a_restart_before_a_torn_record_serves_what_it_has(tmp_path: Path) -> None:
    """It goes on with what it answered before; one that is filled anew would go back behind it."""
    write(tmp_path, 0)
    write(tmp_path, 1)
    engines = [MemoryPartition(CLICKS, number) for number in range(3)]
    for engine in engines[:2]:
        commit = StoreLog.open(tmp_path, "clicks").commit(0)
        assert commit is not None
        engine.apply(
            Progress(epoch=0, position=commit.position, committed_ms=commit.committed_ms), []
        )
    commit_path(tmp_path, 1).write_bytes(b"torn")
    log = StoreLog.open(tmp_path, "clicks")
    replicas = {
        e.partition: Replica(e, schema=CLICKS, partition=e.partition, restore_to=1) for e in engines
    }
    store = LocalStore(CLICKS, replicas, log=log)
    assert set(answered(store, PositionBound()).values()) == {"NOT_UP_TO_BOUND"}
    store.follow()
    store.follow()
    assert answered(store, PositionBound()) == {0: 0, 1: 0, 2: "NOT_UP_TO_BOUND"}
    assert all(error is not None and "0001.json" in error for error in errors(store))


def test_a_restart_without_the_log_waits_for_it(tmp_path: Path) -> None:
    """Nobody can tell then what it lacks: a log that is away is not one that is torn."""
    write(tmp_path, 0)
    commit = StoreLog.open(tmp_path, "clicks").commit(0)
    assert commit is not None
    engine = MemoryPartition(CLICKS, 0)
    engine.apply(Progress(position=commit.position, epoch=0, committed_ms=commit.committed_ms), [])
    replica = Replica(engine, schema=CLICKS, partition=0, restore_to=1)
    store = LocalStore(CLICKS, {0: replica}, log=StoreLog.open(tmp_path, "clicks"))
    shutil.move(tmp_path / "clicks", tmp_path / "away")
    store.follow()
    assert replica.error is not None
    assert answered(store, PositionBound())[0] == "NOT_UP_TO_BOUND"
    shutil.move(tmp_path / "away", tmp_path / "clicks")
    write(tmp_path, 1)
    assert store.follow()
    assert answered(store, PositionBound())[0] == 1
