"""Writing the state log: definitions, commits, data files, file systems."""

from __future__ import annotations

import math
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import fs

from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import (
    EpochConflictError,
    LogError,
    LogMissingError,
    PositionBackError,
    SchemaError,
    TornRecordError,
)
from stategate.stores.log.data.datafiles import file_schema
from stategate.stores.log.data.deduplication import last_of_runs, latest_rows
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.metadata.definitions import decode_definition, encode_definition
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import (
    BIGINT,
    DOUBLE,
    TEXT,
    Column,
    DataType,
    InputTopic,
    Kind,
    StoreKind,
    StoreSchema,
)
from tests.support.logs import AT, CLICKS, HOURS, contents, empty_commit, rows
from tests.support.object_storage.buckets import BucketServer

# Definitions


def test_a_definition_round_trips(tmp_path: Path) -> None:
    schema = replace(HOURS, inputs=(InputTopic(topic="orders"),), retention_ms=86_400_000)
    StoreLog.open(tmp_path, "hours").define(schema)
    assert StoreLog.open(tmp_path.as_uri(), "hours").schema() == schema
    assert StateLog(tmp_path).store("hours").defined()


def test_nested_types_round_trip(tmp_path: Path) -> None:
    inner = DataType(kind=Kind.STRUCT, fields=(("a, b", BIGINT), ("c)", TEXT)))
    table = DataType(kind=Kind.MAP, fields=(("key", TEXT),), element=inner)
    value = Column(name="v", type=DataType(kind=Kind.ARRAY, element=table))
    schema = replace(CLICKS, value=(value,))
    assert decode_definition(encode_definition(schema), "store.json") == schema


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"partitions": 8}, "partitions: 4, not 8"),
        ({"key": (Column(name="usr", type=BIGINT),)}, "key: usr text, not usr bigint"),
        ({"value": ()}, "value: n bigint, not none"),
        ({"kind": StoreKind.VERSIONED}, "kind: keyvalue, not versioned"),
    ],
)
def test_another_definition_is_refused(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    with pytest.raises(SchemaError, match=named):
        log.define(replace(CLICKS, **change))
    assert log.schema() == CLICKS
    log = StoreLog.open(tmp_path, "hours")
    log.define(HOURS)
    with pytest.raises(SchemaError, match="retention ms: None, not 5"):
        log.define(replace(HOURS, retention_ms=5))


def test_new_inputs_are_added_and_old_ones_kept(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    a, b = InputTopic(topic="a"), InputTopic(topic="b")
    log.define(replace(CLICKS, inputs=(a,)))
    assert log.define(replace(CLICKS, inputs=(b,))).inputs == (a, b)
    assert log.define(CLICKS).inputs == (a, b)
    with pytest.raises(SchemaError, match='alignment of input "a"'):
        log.define(replace(CLICKS, inputs=(replace(a, aligned=True),)))


def test_comments_are_set_kept_and_removed(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    assert b"comment" not in (tmp_path / "clicks" / "store.json").read_bytes()
    key = tuple(replace(column, comment="who") for column in CLICKS.key)
    log.define(replace(CLICKS, key=key, comment="clicks of users"))
    kept = log.define(replace(CLICKS, inputs=(InputTopic(topic="more"),)))
    assert kept.comments == log.schema().comments
    assert kept.comments[:2] == ("clicks of users", "who")
    assert kept.means_same(CLICKS)
    log.define(replace(CLICKS, comment=""))
    again = StoreLog.open(tmp_path, "clicks").schema()
    assert again.comments[:2] == (None, "who")
    assert {topic.topic for topic in again.inputs} == {*(i.topic for i in CLICKS.inputs), "more"}


def test_a_new_topic_of_a_writer_keeps_comments_that_were_set_meanwhile(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, replace(CLICKS, comment="old"))
    log = StoreLog.open(tmp_path, "clicks")
    log.define(replace(CLICKS, comment="new"))
    writer.write(rows(), position=Position.of({"other": {0: 1}}))
    assert "other" in {topic.topic for topic in log.schema().inputs}
    assert log.schema().comment == "new"


def test_no_change_of_a_definition_is_lost(tmp_path: Path) -> None:
    """Writers name topics while comments are set."""
    StoreLog.open(tmp_path, "clicks").define(CLICKS)
    check_changes(str(tmp_path))


def test_no_change_of_a_definition_in_a_bucket_is_lost(buckets: BucketServer) -> None:
    root = buckets.root(uuid.uuid4().hex)
    StoreLog.open(root, "clicks").define(CLICKS)
    check_changes(root)


def check_changes(root: str) -> None:
    def change(number: int) -> None:
        log = StoreLog.open(root, "clicks")
        for each in range(5):
            log.define(replace(CLICKS, inputs=(InputTopic(topic=f"topic{number}-{each}"),)))
        log.define(replace(CLICKS, comment=f"set by {number}"))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(change, range(4))) == [None] * 4
    found = StoreLog.open(root, "clicks").schema()
    added = {topic.topic for topic in found.inputs} - {topic.topic for topic in CLICKS.inputs}
    assert added == {f"topic{number}-{each}" for number in range(4) for each in range(5)}
    assert found.comment in {f"set by {number}" for number in range(4)}


def test_a_change_is_not_tried_forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    monkeypatch.setattr(Directory, "replace_if", lambda *_, **__: False)
    with pytest.raises(LogError, match='"clicks" is changed all the time'):
        log.define(replace(CLICKS, comment="mine"))


def test_a_topic_with_another_id_is_refused(tmp_path: Path) -> None:
    """It was deleted and created again, so its offsets mean other records."""
    log = StoreLog.open(tmp_path, "clicks")
    a, b = InputTopic(topic="a"), InputTopic(topic="b")
    log.define(replace(CLICKS, inputs=(a, b)))
    writer = StoreWriter(tmp_path, CLICKS)
    writer.declare(["a", "b"], {"a": "first"})
    known = (replace(a, id="first"), b)
    assert log.schema().inputs == writer.schema.inputs == known
    # A writer that does not know the id changes nothing.
    StoreWriter(tmp_path, CLICKS).declare(["a"])
    assert log.schema().inputs == known
    with pytest.raises(PositionBackError, match=r'^topic "a", which feeds .* created again\.'):
        writer.declare(["a"], {"a": "second"})
    assert log.schema().inputs == known


def test_a_missing_store_raises(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    assert not log.defined()
    for ask in (log.schema, log.latest_epoch, log.epochs, lambda: log.next_commit(-1)):
        with pytest.raises(LogMissingError):
            ask()
    with pytest.raises(LogMissingError):
        StateLog(tmp_path / "nowhere").stores()


def test_the_stores_of_a_root(tmp_path: Path) -> None:
    for name in ("b", "a"):
        StoreLog.open(tmp_path, name).define(replace(CLICKS, name=name))
    (tmp_path / "_checkpoints").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "file").touch()
    assert StateLog(tmp_path).stores() == ["a", "b"]
    assert StateLog(tmp_path).lost() == []
    StoreWriter(tmp_path, CLICKS).write(rows(1), position=AT)
    (tmp_path / "clicks" / "store.json").unlink()
    assert StateLog(tmp_path).stores() == ["a", "b"]
    assert StateLog(tmp_path).lost() == ["clicks"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 1', "not complete JSON"),
        ("[]", "not a JSON object"),
        ('{"format": 99}', "format 99"),
        ('{"format": 1}', "format 1"),
    ],
)
def test_torn_definitions(tmp_path: Path, text: str, message: str) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    (tmp_path / "clicks" / "store.json").write_text(text)
    with pytest.raises(TornRecordError, match=message) as error:
        log.schema()
    assert "clicks/store.json" in str(error.value)


def test_a_definition_of_another_store(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    (tmp_path / "clicks").rename(tmp_path / "moved")
    with pytest.raises(TornRecordError, match='defines store "clicks"'):
        StoreLog.open(tmp_path, "moved").schema()


# Writing and reading


def test_rows_come_back_from_the_partitions_of_their_keys(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(rows(), position=AT, watermark_ms=7, committed_ms=8)
    log = StoreLog.open(tmp_path, "clicks")
    assert log.commit(0) == commit
    assert (commit.epoch, commit.previous, commit.position) == (0, -1, AT)
    assert (commit.watermark_ms, commit.committed_ms, commit.rows) == (7, 8, 20)
    partition_of = partitioner(CLICKS.key, CLICKS.partitions)
    found = {}
    for partition in range(CLICKS.partitions):
        for batch in log.read(commit, partition):
            assert batch.schema == file_schema(CLICKS)
            for row in batch.to_pylist():
                assert partition_of((row["usr"],)) == partition
                found[row["usr"]] = (row["n"], row["_timestamp"], row["_deleted"])
    assert found == {f"u{i}": (i, None, False) for i in range(20)}
    assert log.schema().inputs == (InputTopic(topic="orders"),)


def test_an_epoch_is_written_once(tmp_path: Path) -> None:
    first = StoreWriter(tmp_path, CLICKS).write(rows(), position=AT, epoch=3)
    other = StoreWriter(tmp_path, CLICKS)
    # The same rows in other chunks are the same attempt.
    chunked = pa.concat_tables([rows(7), rows(13, start=7)])
    assert other.write(chunked, position=AT, epoch=3) == first
    assert other.log.epochs() == [3]
    assert len(contents(other.log, first)) == 20


def test_another_attempt_at_a_committed_epoch_is_refused(tmp_path: Path) -> None:
    """If it were taken for a replay, its rows would be dropped silently."""
    first = StoreWriter(tmp_path, CLICKS).write(rows(), position=AT, epoch=3)
    beyond = Position.of({"orders": {0: 10}})
    for name, table, position, whole in (
        ("python", rows(19), AT, False),
        ("python", rows(), beyond, False),
        ("python", rows(), AT, True),
        ("another", rows(), AT, False),
    ):
        writer = StoreWriter(tmp_path, CLICKS, writer=name)
        with pytest.raises(EpochConflictError, match='epoch 3 of store "clicks" is committed'):
            writer.write(table, position=position, epoch=3, replace=whole)
    with pytest.raises(EpochConflictError, match="committed with other content"):
        StoreWriter(tmp_path, CLICKS).write(rows(), position=AT, epoch=3, watermark_ms=1)
    assert writer.log.commit(3) == first
    assert len(contents(writer.log, first)) == 20


def test_a_repeated_write_has_the_committed_watermark_and_input(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows(1), position=AT, watermark_ms=8)
    first = writer.write(rows(), position=AT, watermark_ms=5, input_digest="a")
    writer = StoreWriter(tmp_path, CLICKS)
    for watermark_ms in (None, 5, 8):
        again: dict[str, Any] = {
            "epoch": 1,
            "watermark_ms": watermark_ms,
            "input_digest": "a",
        }
        assert writer.write(rows(), position=AT, **again) == first
    for changed in ({"watermark_ms": 9}, {"input_digest": "b"}, {"input_digest": None}):
        with pytest.raises(EpochConflictError, match="committed with other content"):
            writer.write(rows(), position=AT, **{**again, **changed})


def test_a_new_write_is_not_taken_for_the_failed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats have the same rows and position each time."""
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows(0), position=AT, watermark_ms=1)

    def fail(commit: Commit) -> None:
        raise LogError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(writer.log, "write_commit", fail)
        with pytest.raises(LogError, match="no room"):
            writer.write(rows(0), position=AT, watermark_ms=1)
    assert writer.write(rows(0), position=AT, watermark_ms=1).epoch == 1


def test_an_epoch_before_the_newest_is_refused(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows(), position=AT, epoch=3)
    with pytest.raises(EpochConflictError, match="comes before epoch 3"):
        writer.write(rows(), position=AT, epoch=2)


def test_one_of_many_writers_commits(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    log.directory.make("epochs")
    commits = [empty_commit(0, writer=str(i)) for i in range(8)]
    lost: list[str] = []
    barrier = threading.Barrier(len(commits))

    def race(commit: Commit) -> None:
        barrier.wait(10)
        try:
            log.write_commit(commit)
        except EpochConflictError:
            lost.append(commit.writer)

    threads = [threading.Thread(target=race, args=(commit,)) for commit in commits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    found = log.commit(0)
    assert found is not None
    assert sorted([*lost, found.writer]) == [commit.writer for commit in commits]
    assert [p.name for p in (tmp_path / "clicks/epochs").iterdir()] == [f"{0:020d}.json"]


def test_a_commit_removes_the_files_of_other_attempts(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    left = writer.log.begin(0)
    (tmp_path / "clicks" / left / "p00000.parquet").write_bytes(b"half a file")
    commit = writer.write(rows(), position=AT)
    assert not (tmp_path / "clicks" / left).exists()
    assert len(contents(writer.log, commit)) == 20


def test_an_empty_epoch_moves_position_and_watermark(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(rows(0), position=AT, watermark_ms=5)
    assert commit.files == ()
    assert contents(writer.log, commit) == []
    assert writer.log.next_commit(-1) == commit


def test_tombstones_and_event_times(tmp_path: Path) -> None:
    table = pa.table(
        {
            "_deleted": [True, None],
            "n": [None, 2],
            "usr": ["a", None],
            "_timestamp": pa.array([5, None], pa.timestamp("ms")),
        }
    )
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(table, position=AT, replace=True)
    assert commit.replace
    found = {row["usr"]: row for row in contents(writer.log, commit)}
    assert found["a"]["_deleted"] is True
    assert found["a"]["_timestamp"].timestamp() == 0.005
    assert found[None]["_deleted"] is False


def test_rows_that_do_not_fit_the_store_are_refused(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    for table, message in [
        (rows().drop_columns("n"), 'lack column "n"'),
        (rows().append_column("x", [[1] * 20]), 'no column "x"'),
        (pa.table({"usr": ["a"], "n": ["one"]}), 'column "n" of store "clicks"'),
    ]:
        with pytest.raises(SchemaError, match=message):
            writer.write(table, position=AT)


@pytest.mark.parametrize("end", [-1, None])
def test_a_session_without_an_end_or_with_an_early_one_is_refused(end: int | None) -> None:
    sessions = replace(HOURS, kind=StoreKind.SESSION, window_size_ms=None)
    times = pa.timestamp("us", "UTC")
    table = pa.table({"usr": ["a"], "window_start": pa.array([0], times), "n": [1]})
    whole = table.append_column("window_end", pa.array([0], times))
    assert shaped(whole, sessions).num_rows == 1
    with pytest.raises(SchemaError, match="lacks an end, or ends before it begins"):
        shaped(table.append_column("window_end", pa.array([end], times)), sessions)


def test_the_last_window_ends_at_the_last_time() -> None:
    """Kafka's rule: a window that would end after the last time ends there."""
    last = (1 << 63) - 1
    starts, ends = (
        pa.array(times, pa.timestamp("us", "UTC")) for times in ([last - 1, last], [last, last])
    )
    table = pa.table({"usr": ["a", "b"], "window_start": starts, "n": [1, 2]})
    for given_rows in (table, table.append_column("window_end", ends)):
        found = shaped(given_rows, HOURS).column("window_end").cast(pa.int64())
        assert found.to_pylist() == [last, last]
    with pytest.raises(SchemaError, match="not all 3600000 ms long"):
        shaped(table.append_column("window_end", starts), HOURS)


def test_windows(tmp_path: Path) -> None:
    hour = pa.array([0, 3_600_000, 0], pa.timestamp("ms", "UTC"))
    table = pa.table({"usr": ["a", "a", "a"], "n": [1, 2, 3], "window_start": hour})
    writer = StoreWriter(tmp_path, HOURS)
    commit = writer.write(table, position=AT)
    found = {row["window_start"].timestamp(): row for row in contents(writer.log, commit)}
    assert {start: row["n"] for start, row in found.items()} == {0: 3, 3600: 2}
    assert found[3600]["window_end"].timestamp() == 7200
    with pytest.raises(SchemaError, match="not all 3600000 ms long"):
        writer.write(table.append_column("window_end", hour), position=AT)
    with pytest.raises(SchemaError, match='"window_start"'):
        writer.write(table.drop_columns("window_start"), position=AT)


KEYED = StoreSchema(
    name="s",
    kind=StoreKind.KEYVALUE,
    key=(Column(name="k", type=DOUBLE), Column(name="t", type=TEXT)),
    value=(Column(name="n", type=BIGINT),),
    partitions=1,
    by_event_time=True,
)
BY_ARRIVAL = replace(KEYED, by_event_time=False)
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from([None, 0.0, -0.0, 1.5, float("nan"), float("inf")]),
        st.sampled_from([None, "", "a", "b"]),
        st.none() | st.integers(0, 3).map(lambda ms: ms * 1000),
    ),
    max_size=30,
)


def entries_table(entries: list[Any], schema: StoreSchema = KEYED) -> pa.Table:
    table = pa.table(
        {
            "k": pa.array([e[0] for e in entries], pa.float64()),
            "t": pa.array([e[1] for e in entries], pa.string()),
            "n": pa.array(range(len(entries)), pa.int64()),
            "_timestamp": pa.array([e[2] for e in entries], pa.timestamp("us", "UTC")),
        }
    )
    return shaped(table, schema)


def winners(entries: list[Any]) -> list[int]:
    """Return the numbers of the winning rows: the latest by event time, then by input order."""
    best: dict[Any, tuple[int, int]] = {}
    for number, (k, t, time) in enumerate(entries):
        same = "nan" if k is not None and math.isnan(k) else k
        rank = (-1 if time is None else time, number)
        best[same, t] = max(best.get((same, t), rank), rank)
    return sorted(number for _, number in best.values())


@given(ENTRIES)
def test_the_latest_row_of_each_key_wins(entries: list[Any]) -> None:
    assert latest_rows(entries_table(entries), KEYED).column("n").to_pylist() == winners(entries)
    untimed = [(k, t, None) for k, t, _ in entries]
    found = latest_rows(entries_table(entries, BY_ARRIVAL), BY_ARRIVAL)
    assert found.column("n").to_pylist() == winners(untimed)


@given(ENTRIES, st.lists(st.integers(1, 7), min_size=1))
def test_sorted_rows_in_batches_of_any_size_have_the_same_winners(
    entries: list[Any], sizes: list[int]
) -> None:
    def rank(number: int) -> Any:
        """Spark's order: NULL first, NaN last."""
        k, t, time = entries[number]
        nan = k is not None and math.isnan(k)
        return (k is not None, nan, 0.0 if nan else k or 0.0, t is not None, t or "",
                -1 if time is None else time, number)  # fmt: skip

    order = np.array(sorted(range(len(entries)), key=rank), np.int64)
    ordered = entries_table(entries).take(order)
    batches, at, turn = [], 0, 0
    while at < ordered.num_rows:
        size = sizes[turn % len(sizes)]
        batches += ordered.slice(at, size).combine_chunks().to_batches()
        at, turn = at + size, turn + 1
    found = [n for batch in last_of_runs(batches, KEYED) for n in batch.column("n").to_pylist()]
    assert sorted(found) == winners(entries)


# Following


# File systems


def test_a_file_system_without_links(tmp_path: Path) -> None:
    remote = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    log = StoreLog(Directory(ArrowFiles(remote), "clicks"), "clicks")
    with pytest.raises(LogMissingError):
        log.latest_epoch()
    log.define(CLICKS)
    log.define(replace(CLICKS, inputs=(InputTopic(topic="a"),)))
    assert log.schema().inputs == (InputTopic(topic="a"),)
    log.write_commit(empty_commit(0))
    with pytest.raises(EpochConflictError):
        log.write_commit(empty_commit(0))
    assert log.next_commit(-1) == empty_commit(0)
    assert log.next_commit(0) is None
    assert log.epochs() == [0]
    attempt = log.begin(1)
    log.begin(1)
    log.remove_other_attempts(attempt)
    assert log.directory.names("data/1") == [attempt.rpartition("/")[2]]
    assert StoreLog.open(tmp_path, "clicks").latest_epoch() == 0


@pytest.mark.parametrize("spelled", ["file:{}", "file://{}", "{}"])
def test_forms_of_a_local_root(tmp_path: Path, spelled: str) -> None:
    directory = Directory.at(spelled.format(tmp_path))
    assert isinstance(directory.system, LocalFiles)
    assert directory.path == str(tmp_path)


def test_a_root_of_an_unknown_file_system() -> None:
    with pytest.raises(LogError, match="no file system"):
        Directory.at("nosuch://host/path")


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "clicks").write_text("a file, not a directory")
    with pytest.raises(LogError, match="cannot be written"):
        StoreLog.open(tmp_path, "clicks").define(CLICKS)


def test_a_writer_declares_topics_before_their_first_data(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, replace(CLICKS, inputs=()))
    writer.declare(["b", "a"])
    writer.declare(["a", "c"])
    assert [each.topic for each in writer.schema.inputs] == ["a", "b", "c"]
    assert StoreLog.open(tmp_path, CLICKS.name).schema() == writer.schema
