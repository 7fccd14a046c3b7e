"""Versions of whole epochs: some follow the latest of their key, others go between older ones."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import CodecError
from stategate.stores.spec.scans import RawScanQuery
from stategate.stores.spec.schema import Row, StoreKind
from stategate.stores.spec.store import StorePartition
from stategate.stores.spec.versions import VersionedRangeQuery
from tests.support.stores import batch, progress, timed
from tests.support.values import rows_of

MINUTE_US = 60_000_000
# Two minutes of retention make segments of one.
KEPT = timed(StoreKind.VERSIONED, "v", {"k": "text"}, {"n": "bigint"}, partitions=1)
EXPIRING = timed(
    StoreKind.VERSIONED, "v", {"k": "text"}, {"n": "bigint"}, partitions=1, retention_ms=120_000
)

KEYS = st.sampled_from([None, "", "a", "a\0", "a\0b", "b"])
TIMES = st.integers(-6, 12).map(lambda tick: tick * MINUTE_US // 3)
VERSIONS = st.lists(st.tuples(KEYS, TIMES, st.booleans()), max_size=8)
EPOCHS = st.lists(st.lists(VERSIONS, max_size=2), max_size=4)


def logged(versions: list[tuple[Any, int, bool]], first: int) -> pa.RecordBatch:
    """Return versions as logged rows; their values count up from `first`."""
    rows: list[Row] = [(key, first + i) for i, (key, _, _) in enumerate(versions)]
    return batch(
        KEPT,
        rows,
        times_us=[time_us for _, time_us, _ in versions],
        deleted=[gone for _, _, gone in versions],
    )


def shown(engine: StorePartition) -> list[Row]:
    """Return all versions that can be read, with the epoch that wrote each."""
    names = ("k", "valid_from", "valid_to", "n", "_epoch")
    query = VersionedRangeQuery(columns=names)
    return rows_of(engine.handlers[VersionedRangeQuery](engine.view, query))


@given(epochs=EPOCHS, expires=st.booleans(), replaced=st.integers(0, 4))
@settings(deadline=None)
def test_epochs_of_several_batches_agree_with_memory(
    epochs: list[list[list[tuple[Any, int, bool]]]], expires: bool, replaced: int
) -> None:
    schema = EXPIRING if expires else KEPT
    with tempfile.TemporaryDirectory() as directory:
        memory = MemoryPartition(schema, 0)
        rocks = RocksPartition(Path(directory), schema=schema, partition=0)
        for epoch, batches in enumerate(epochs):
            made = [logged(versions, epoch * 100 + i * 10) for i, versions in enumerate(batches)]
            at = progress(epoch, watermark_ms=epoch * 40_000)
            memory.apply(at, made, replace=epoch == replaced)
            rocks.apply(at, made, replace=epoch == replaced)
            assert shown(rocks) == shown(memory)
            assert rocks.late_rows == memory.late_rows
        rocks.close()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_some_of_many_keys_get_another_version(tmp_path: Path, share: float) -> None:
    """Neighbouring keys are reached by steps, distant ones by a seek."""
    chance = random.Random(7)
    keys = [f"k{number:05d}" for number in range(2_000)]
    memory = MemoryPartition(KEPT, 0)
    rocks = RocksPartition(tmp_path, schema=KEPT, partition=0)
    for epoch in range(3):
        chosen = chance.sample(keys, int(share * len(keys)))
        versions = [
            (key, (epoch * 40 + i % 7) * MINUTE_US, i % 11 == 3) for i, key in enumerate(chosen)
        ]
        made = [logged(versions[:700], 0), logged(versions[700:], 700)]
        memory.apply(progress(epoch), made)
        rocks.apply(progress(epoch), made)
    assert shown(rocks) == shown(memory)
    rocks.close()


def test_a_version_replaced_in_its_own_epoch_leaves_no_entry(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=KEPT, partition=0)
    engine.apply(progress(0), [logged([("a", 5, False), ("a", 5, True), ("a", 5, False)], 0)])
    assert shown(engine) == [("a", 5, None, 2, 0)]
    engine.apply(progress(1), [logged([("a", 5, True)], 0)])
    raw = engine.handlers[RawScanQuery](engine.view, RawScanQuery.scan())
    assert [row for _, row in raw] == [b""]
    engine.close()


def test_a_version_without_a_time_is_refused(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=KEPT, partition=0)
    with pytest.raises(CodecError, match="has no event time"):
        engine.apply(progress(0), [batch(KEPT, [("a", 1)])])
    assert engine.view.progress.epoch == -1
    engine.close()
