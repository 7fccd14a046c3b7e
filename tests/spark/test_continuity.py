"""A checkpoint and a store that part: found before a row is lost, and said with the remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from stores.errors import EpochConflictError, SchemaError
from stores.position import Position
from stores.spark import pipeline
from stores.spark.checkpoint import Checkpoint
from stores.spark.continuity import different_epochs
from tests.spark.conftest import Orders
from tests.spark.test_materialize import log_of, send_lines, start, sums, totals

pytestmark = pytest.mark.spark


def run(orders: Orders, tmp_path: Path, *amounts: int) -> None:
    """A batch for each amount."""
    query = start(totals(orders), tmp_path)
    for amount in amounts:
        orders.send(0, ("a", amount))
        query.processAllAvailable()
    query.stop()


def remove(path: Path) -> None:
    """A file of a checkpoint, with its checksum."""
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
    # As when the files are restored behind the back of a query that has begun.
    monkeypatch.setattr(pipeline, "check_start", lambda *_: None)
    query = start(totals(orders), tmp_path)
    with pytest.raises(StreamingQueryException, match="epochs 1 to 2 of store"):
        query.processAllAvailable()
    assert log_of(tmp_path).epochs() == [0, 1, 2]
    assert log_of(tmp_path).commit(1) == before


def test_an_offset_file_that_was_lost(orders: Orders, tmp_path: Path) -> None:
    run(orders, tmp_path, 1, 2)
    remove(tmp_path / "checkpoint/commits/1")
    remove(tmp_path / "checkpoint/offsets/1")
    with pytest.raises(EpochConflictError, match=r"^epoch 1 of store .* or has lost files"):
        run(orders, tmp_path, 3)
    assert log_of(tmp_path).epochs() == [0, 1]


def test_groups_of_files_that_are_numbered_alike(spark: SparkSession, tmp_path: Path) -> None:
    """The offsets of files are the same, whatever files are in a group."""

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


def test_names_of_sources_stay_what_they_were(spark: SparkSession, tmp_path: Path) -> None:
    send_lines(tmp_path, "a.json", ("a", 1))
    query = start(sums(spark, tmp_path), tmp_path, inputs=["lines"])
    query.processAllAvailable()
    query.stop()
    for names in (["rows"], None):
        with pytest.raises(SchemaError, match=r'position {"lines":{"0":0}} at .*leave inputs='):
            start(sums(spark, tmp_path), tmp_path, inputs=names)
    assert [topic.topic for topic in log_of(tmp_path).schema().inputs] == ["lines"]
    start(sums(spark, tmp_path), tmp_path, inputs=["lines"]).stop()


def test_a_topic_that_is_made_again_does_not_move_the_position_back(
    orders: Orders, tmp_path: Path
) -> None:
    query = start(totals(orders), tmp_path)
    orders.send(0, *(("a", i) for i in range(5)))
    query.processAllAvailable()
    (orders.directory / "0.jsonl").write_text("")
    orders.send(0, ("a", 9))
    message = r"orders\[0\], .* went back from offset 4 to 0: it was deleted and made again.*remove"
    with pytest.raises(StreamingQueryException, match=message):
        query.processAllAvailable()
    assert log_of(tmp_path).epochs() == [0]
    assert position_at(tmp_path, 0) == Position.of({"orders": {0: 4}})


def test_a_topic_that_is_gone_has_been_applied(orders: Orders, tmp_path: Path) -> None:
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


def test_what_cannot_be_known_of_an_epoch_agrees(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    run(orders, tmp_path, 1, 2)
    log, checkpoint = log_of(tmp_path), Checkpoint(spark=spark, path=str(tmp_path / "checkpoint"))
    assert different_epochs(log, checkpoint) == []
    # Spark removes the records of old batches.
    remove(tmp_path / "checkpoint/offsets/0")
    assert different_epochs(log, checkpoint) == []
    remote = Checkpoint(spark=spark, path=f"{tmp_path.as_uri()}/checkpoint")
    assert remote.newest_batch() == 1
    assert different_epochs(log, remote) == []
