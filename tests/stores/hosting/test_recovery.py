"""What a start applies again after a crash: a part of the log that does not grow with the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.engines.rocksdb.unflushed import EPOCH_ROWS, PAUSE_S, Unflushed
from stategate.stores.hosting.host import Host
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import in_store
from tests.support.database_files import copy_as_killed
from tests.support.stores import keyvalue
from tests.support.values import rows_of
from tests.support.waiting import WAIT_S, until

PARTITIONS = 4
CLICKS = keyvalue("clicks", {"usr": "bigint"}, {"n": "bigint"}, partitions=PARTITIONS)
ONE, TWO, THREE = Path("1"), Path("2"), Path("3")


class Reads:
    """Counts what is read from the log."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.epochs = self.rows = 0
        read = StoreLog.read

        def counting(log: StoreLog, *given: Any, **more: Any) -> Any:
            self.epochs += 1
            for batch in read(log, *given, **more):
                self.rows += batch.num_rows
                yield batch

        monkeypatch.setattr(StoreLog, "read", counting)


def write(root: Path, *, epochs: int, rows: int) -> None:
    writer = StoreWriter(root, CLICKS)
    for epoch in range(epochs):
        table = pa.table({"usr": range(rows), "n": [epoch] * rows})
        writer.write(table, position=Position.of({"events": {0: epoch}}))


def started(root: Path, data: Path, *, epoch: int) -> Host:
    host = Host(root, data)
    host.start()
    request = in_store("clicks").with_query(RangeQuery())
    assert host.wait(request.with_position_bound(PositionBound(epoch=epoch)), timeout_s=WAIT_S)
    return host


def held(host: Host) -> dict[int, int]:
    answers = host.query(in_store("clicks").with_query(RangeQuery())).partitions.values()
    assert all(isinstance(answer, Success) for answer in answers)
    return {k: v for each in answers if isinstance(each, Success) for k, v in rows_of(each.value)}


def tables(data: Path) -> list[Path]:
    return list(data.rglob("*.sst"))


@pytest.mark.parametrize(("epochs", "rows"), [(60, 8), (2, 6_000)])
def test_a_start_applies_little_again(
    epochs: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small epochs, and large ones: a crash finds nearly all of them on the disk."""
    most = 10 * EPOCH_ROWS if epochs > 10 else 5_000 + EPOCH_ROWS
    monkeypatch.setattr(
        "stategate.stores.hosting.replica_opener.Unflushed", lambda: Unflushed(most, pause_s=0)
    )
    root, data, killed = tmp_path / "log", tmp_path / "data", tmp_path / "killed"
    write(root, epochs=epochs, rows=rows)
    first = started(root, data, epoch=epochs - 1)
    left = first._open._opener._unflushed
    until(lambda: left.rows <= most)
    expected = held(first)
    reads = Reads(monkeypatch)

    def applied_again() -> int:
        copy_as_killed(data, killed)
        reads.epochs = reads.rows = 0
        again = started(root, killed, epoch=epochs - 1)
        assert held(again) == expected
        again.close()
        return reads.rows + EPOCH_ROWS * reads.epochs

    # A flush goes on in the background.
    until(lambda: applied_again() <= most)
    assert reads.epochs < PARTITIONS * epochs
    first.close()


def test_the_database_with_the_most_is_flushed_first() -> None:
    unflushed = Unflushed(10 * EPOCH_ROWS, pause_s=0)
    for database, epochs in ((ONE, 1), (TWO, 7), (THREE, 3)):
        for _ in range(epochs):
            unflushed.written(database, 1)
    assert [unflushed.take_due(each) for each in (ONE, THREE, TWO)] == [False, False, True]
    assert [unflushed.take_due(each) for each in (ONE, THREE, TWO)] == [False] * 3
    assert unflushed.rows == 4 * (EPOCH_ROWS + 1)


def test_a_database_is_not_flushed_again_at_once() -> None:
    now = [0.0]
    unflushed = Unflushed(EPOCH_ROWS, clock=lambda: now[0])
    unflushed.written(ONE, 1)
    assert unflushed.take_due(ONE)
    unflushed.written(ONE, 1)
    assert not unflushed.take_due(ONE)
    now[0] += PAUSE_S
    assert unflushed.take_due(ONE)


def test_a_closed_database_counts_no_more() -> None:
    unflushed = Unflushed(EPOCH_ROWS)
    unflushed.written(ONE, 1)
    unflushed.forget(ONE)
    unflushed.forget(TWO)
    assert (unflushed.rows, unflushed.take_due(ONE)) == (0, False)
