"""A checkpoint and a store that differ are refused before a row is lost, with a remedy."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from stategate.stores.errors import EpochConflictError, SchemaError, TornRecordError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import pipeline
from stategate.stores.spark.checkpoint import Checkpoint
from stategate.stores.spark.continuity import check_start, different_epochs
from stategate.stores.spark.offsets import parse_offsets
from stategate.stores.spec.position import Position
from tests.spark.conftest import Orders
from tests.spark.test_materialize import log_of, send_lines, start, sums, totals
from tests.support.logs import CLICKS, commit_path, rows

pytestmark = pytest.mark.spark


def run(orders: Orders, tmp_path: Path, *amounts: int) -> None:
    """Send a batch for each amount."""
    query = start(totals(orders), tmp_path)
    for amount in amounts:
        orders.send(0, ("a", amount))
        query.processAllAvailable()
    query.stop()


def remove(path: Path) -> None:
    """Remove a file of a checkpoint, and its checksum."""
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def position_at(tmp_path: Path, epoch: int) -> Position:
    commit = log_of(tmp_path).commit(epoch)
    assert commit is not None
    return commit.position


def test_a_checkpoint_restored_from_a_copy(
    orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, copy = tmp_path / "checkpoint", tmp_path / "copy"
    run(orders, tmp_path, 1)
    shutil.copytree(checkpoint, copy)
    run(orders, tmp_path, 2, 3)
    shutil.rmtree(checkpoint)
    copy.rename(checkpoint)
    # Epochs 1 and 2 had a row each; batch 1 would have three now.
    orders.send(0, ("b", 4))
    before = log_of(tmp_path).commit(1)
    with pytest.raises(EpochConflictError, match=r"^epochs 1 to 2 of store .* Put back the checkp"):
        start(totals(orders), tmp_path)
    # This is as if the files were restored while the query runs.
    monkeypatch.setattr(pipeline, "check_start", lambda *_: None)
    query = start(totals(orders), tmp_path)
    with pytest.raises(StreamingQueryException, match="epochs 1 to 2 of store"):
        query.processAllAvailable()
    assert log_of(tmp_path).epochs() == [0, 1, 2]
    assert log_of(tmp_path).commit(1) == before


def test_a_checkpoint_that_is_ahead_of_an_empty_store(orders: Orders, tmp_path: Path) -> None:
    run(orders, tmp_path, 1)
    for mode in ("update", "complete"):
        with pytest.raises(EpochConflictError, match=r"has done batch 0, .* use a new checkpoint"):
            start(totals(orders), tmp_path, store="other", output_mode=mode)
    assert not (tmp_path / "log/other").exists()
    shutil.rmtree(tmp_path / "log")
    with pytest.raises(EpochConflictError, match="has no epoch"):
        start(totals(orders), tmp_path)


def test_the_records_of_sources_without_names(orders: Orders, tmp_path: Path) -> None:
    spark = orders.frame.sparkSession
    spark.conf.set("spark.sql.streaming.offsetLog.formatVersion", "2")
    try:
        run(orders, tmp_path, 1, 2)
    finally:
        spark.conf.unset("spark.sql.streaming.offsetLog.formatVersion")
    assert (tmp_path / "checkpoint/offsets/1").read_text().startswith("v2")
    assert position_at(tmp_path, 1) == Position.of({"orders": {0: 1}})


def test_a_lost_offset_file(orders: Orders, tmp_path: Path) -> None:
    run(orders, tmp_path, 1, 2)
    remove(tmp_path / "checkpoint/commits/1")
    remove(tmp_path / "checkpoint/offsets/1")
    with pytest.raises(EpochConflictError, match=r"^epoch 1 of store .* or has lost files"):
        run(orders, tmp_path, 3)
    assert log_of(tmp_path).epochs() == [0, 1]


def test_groups_of_files_with_the_same_numbers(spark: SparkSession, tmp_path: Path) -> None:
    """Groups of different files have the same offsets."""

    def batch() -> None:
        query = start(sums(spark, tmp_path), tmp_path, partitions=2)
        query.processAllAvailable()
        query.stop()

    send_lines(tmp_path, "a.json", ("a", 1))
    batch()
    shutil.copytree(tmp_path / "checkpoint", tmp_path / "copy")
    send_lines(tmp_path, "b.json", ("a", 2))
    batch()
    shutil.rmtree(tmp_path / "checkpoint")
    (tmp_path / "copy").rename(tmp_path / "checkpoint")
    (tmp_path / "lines/b.json").unlink()
    send_lines(tmp_path, "c.json", ("a", 9))
    with pytest.raises(EpochConflictError, match=r"^epoch 1 of store"):
        batch()


def test_names_of_sources_must_not_change(spark: SparkSession, tmp_path: Path) -> None:
    send_lines(tmp_path, "a.json", ("a", 1))
    query = start(sums(spark, tmp_path), tmp_path, inputs=["lines"])
    query.processAllAvailable()
    query.stop()
    for names in (["rows"], None):
        with pytest.raises(SchemaError, match=r'position {"lines":{"0":0}} at .*leave inputs='):
            start(sums(spark, tmp_path), tmp_path, inputs=names)
    assert [topic.topic for topic in log_of(tmp_path).schema().inputs] == ["lines"]
    start(sums(spark, tmp_path), tmp_path, inputs=["lines"]).stop()


def test_a_topic_that_is_created_again_does_not_move_the_position_back(
    orders: Orders, tmp_path: Path
) -> None:
    query = start(totals(orders), tmp_path)
    orders.send(0, *(("a", i) for i in range(5)))
    query.processAllAvailable()
    (orders.directory / "0.jsonl").write_text("")
    orders.send(0, ("a", 9))
    message = r"orders\[0\], .* back from offset 4 to 0: it was deleted and created again.*remove"
    with pytest.raises(StreamingQueryException, match=message):
        query.processAllAvailable()
    assert log_of(tmp_path).epochs() == [0]
    assert position_at(tmp_path, 0) == Position.of({"orders": {0: 4}})


def test_a_removed_topic_stays_in_the_position(orders: Orders, tmp_path: Path) -> None:
    query = start(totals(orders), tmp_path)
    orders.send(0, ("a", 1), ("a", 2))
    orders.send(1, ("a", 3))
    query.processAllAvailable()
    (orders.directory / "0.jsonl").unlink()
    orders.send(1, ("a", 4))
    query.processAllAvailable()
    query.stop()
    assert position_at(tmp_path, 1) == Position.of({"orders": {0: 1, 1: 1}})
    start(totals(orders), tmp_path).stop()


# Without Spark: a store and a checkpoint, each with a history


def record(batch: int, history: str) -> str:
    conf = f'{{"batchWatermarkMs":0,"batchTimestampMs":{batch},"conf":{{"history":"{history}"}}}}'
    return f"v1\n{conf}\n{batch + 1}"


def planned(directory: Path, histories: Mapping[int, str]) -> Checkpoint:
    """Return a checkpoint of these batches."""
    (directory / "offsets").mkdir(parents=True)
    (directory / "metadata").write_text('{"id":"q"}')
    for batch, history in histories.items():
        (directory / "offsets" / str(batch)).write_text(record(batch, history))
    return Checkpoint(spark=cast("SparkSession", None), path=str(directory))


def committed(root: Path, histories: Mapping[int, str], *, writer: str = "spark:q") -> StoreLog:
    """Return a store with an epoch for each batch; an empty history gives it no digest."""
    store = StoreWriter(root, CLICKS, writer=writer)
    for batch, history in histories.items():
        offsets = parse_offsets(record(batch, history), "offsets")
        digest = offsets.digest if history else None
        store.write(rows(0), position=offsets.position, epoch=batch, input_digest=digest)
    return store.log


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(range(6)), unique=True, min_size=1).map(sorted),
    st.integers(0, 6),
    st.integers(-1, 6),
    st.integers(0, 3),
)
def test_epochs_differ_from_the_first_other_batch_on(
    epochs: list[int], parting: int, newest: int, oldest: int
) -> None:
    """Spark has removed the batches before `oldest`; `newest` is its last batch."""
    with tempfile.TemporaryDirectory() as directory:
        log = committed(Path(directory, "log"), dict.fromkeys(epochs, "first"))
        batches = range(min(oldest, parting), newest + 1)
        histories = {batch: "first" if batch < parting else "second" for batch in batches}
        checkpoint = planned(Path(directory, "checkpoint"), histories)
        known = max(batches, default=-1)
        different = [epoch for epoch in epochs if epoch >= parting or epoch > known]
        assert different_epochs(log, checkpoint) == different
        if different:
            with pytest.raises(EpochConflictError, match=rf"epochs? {different[0]} .*of store"):
                check_start(log, checkpoint)
        else:
            check_start(log, checkpoint)


def test_an_epoch_without_a_digest_agrees(tmp_path: Path) -> None:
    log = committed(tmp_path / "log", {0: "first", 1: ""})
    checkpoint = planned(tmp_path / "checkpoint", {0: "other", 1: "other"})
    assert different_epochs(log, checkpoint) == []


def test_a_store_of_another_query_is_refused(tmp_path: Path) -> None:
    log = committed(tmp_path / "log", {0: "first"}, writer="spark:other")
    for checkpoint in (
        planned(tmp_path / "checkpoint", {0: "first"}),
        Checkpoint(spark=cast("SparkSession", None), path=str(tmp_path / "new")),
    ):
        with pytest.raises(EpochConflictError, match="committed by spark:other, not by this query"):
            check_start(log, checkpoint)


def test_a_torn_commit_is_skipped_in_the_comparison(tmp_path: Path) -> None:
    log = committed(tmp_path / "log", {0: "first", 1: "first"})
    commit_path(tmp_path / "log", 1).write_text("torn")
    check_start(log, planned(tmp_path / "checkpoint", {0: "first", 1: "second"}))
    with pytest.raises(EpochConflictError, match="epoch 0 of store"):
        check_start(log, planned(tmp_path / "other", {0: "second", 1: "second"}))


def test_a_checkpoint_that_only_hadoop_reads(spark: SparkSession, tmp_path: Path) -> None:
    """Hadoop resolves relative paths, and all paths that are not on a local disk."""
    planned(tmp_path / "checkpoint", {0: "first", 11: "first"})
    for path in (f"{tmp_path.as_uri()}/checkpoint", os.path.relpath(tmp_path / "checkpoint")):
        checkpoint = Checkpoint(spark=spark, path=path)
        assert checkpoint.query_id() == "q"
        assert checkpoint.newest_batch() == 11
        assert checkpoint.offsets(5) is None
        assert checkpoint.running(11).position == Position.of({"source-0": {0: 11}})
        with pytest.raises(TornRecordError, match=r"offsets/5.* is missing"):
            checkpoint.running(5)
    nowhere = Checkpoint(spark=spark, path=os.path.relpath(tmp_path / "nowhere"))
    assert (nowhere.query_id(), nowhere.newest_batch()) == (None, -1)
