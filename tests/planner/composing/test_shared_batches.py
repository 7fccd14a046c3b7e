"""Batches in shared memory: the same for every process, and gone with the batch itself."""

from __future__ import annotations

import gc
import mmap
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.composing import frames, shared_batches
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.shared_batches import SharedBatch, SharedBatches
from tests.planner.composing.databases import (
    MEMORY_BYTES,
    SUM,
    database_in,
    numbers,
    relation,
    rows_of,
)

ROWS = 8192


def batch_of(count: int = ROWS) -> pa.RecordBatch:
    return numbers(count, rows=count)[0]


def shared_of(shared: SharedBatches, batch: pa.RecordBatch) -> SharedBatch:
    shared.find(batch)
    found = shared.find(batch)
    assert found is not None
    return found


def read(found: SharedBatch, schema: pa.Schema) -> pa.RecordBatch:
    (body,) = frames.mapped([os.dup(found.fileno())])
    return frames.batches_in(None, [0], schema, iter([body]))[0]


def test_a_batch_is_shared_from_its_second_use_on() -> None:
    shared, batch = SharedBatches(MEMORY_BYTES), batch_of()
    assert shared.find(batch) is None
    found = shared.find(batch)
    assert found is not None
    assert shared.find(batch) is found
    assert read(found, batch.schema).equals(batch)
    assert shared.find(batch_of(ROWS)) is None, "an equal batch is another one"


@given(
    st.lists(
        st.tuples(st.none() | st.integers(-9, 9), st.none() | st.text(max_size=9)), max_size=50
    ),
    st.integers(0, 9),
)
def test_what_is_mapped_is_the_batch(rows: list[tuple[int | None, str | None]], start: int) -> None:
    schema = pa.schema([("n", pa.int64()), ("t", pa.string())])
    arrays = [pa.array([row[at] for row in rows], schema.types[at]) for at in range(2)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema).slice(start)
    assert read(SharedBatch(batch), schema).equals(batch)


def test_a_small_batch_is_copied() -> None:
    shared, batch = SharedBatches(MEMORY_BYTES), batch_of(shared_batches.BATCH_BYTES_MIN // 8 - 1)
    assert [shared.find(batch) for _ in range(3)] == [None] * 3


def test_it_ends_with_its_batch_and_whoever_uses_it() -> None:
    shared, batch = SharedBatches(MEMORY_BYTES), batch_of()
    found = shared_of(shared, batch)
    fd = found.fileno()
    del batch
    gc.collect()
    assert shared.size_bytes == 0
    assert os.fstat(fd).st_size == found.size, "a statement sends it"
    del found
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_no_one_can_change_it() -> None:
    found = SharedBatch(batch_of())
    with pytest.raises(OSError, match="not permitted"):
        os.write(found.fileno(), b"0")
    with pytest.raises(OSError, match="not permitted"):
        os.ftruncate(found.fileno(), 0)
    with pytest.raises(OSError, match="not permitted"):
        mmap.mmap(found.fileno(), 0)


def test_its_memory_is_limited_and_goes_to_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [batch_of() for _ in range(4)]
    size = SharedBatch(batches[0]).size
    shared = SharedBatches(2 * size)
    used = [shared_of(shared, batch) for batch in batches[:2]]
    shared.find(batches[2])
    assert shared.find(batches[2]) is None
    assert [shared.find(batch) for batch in batches[:2]] == used
    monkeypatch.setattr(shared_batches, "_IDLE_S", 0.0)
    assert shared.find(batches[2]) is not None
    assert shared.size_bytes == 2 * size
    assert shared.find(batches[1]) is used[1], "the one that was used longest ago has gone"


def test_open_files_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_batches, "COUNT_MAX", 1)
    shared, batches = SharedBatches(MEMORY_BYTES), [batch_of() for _ in range(2)]
    shared_of(shared, batches[0])
    assert [shared.find(batches[1]) for _ in range(3)] == [None] * 3


@pytest.mark.parametrize("fds_max", [1, 3, frames.FDS_MAX])
def test_statements_read_the_same_rows_however_they_come(
    monkeypatch: pytest.MonkeyPatch, fds_max: int
) -> None:
    """Copied with the statement, on its feed, and shared, with both."""
    monkeypatch.setattr(frames, "FDS_MAX", fds_max)
    batches = [batch for count in (10, ROWS, 3, ROWS, ROWS) for batch in numbers(count)]
    pool = ProcessPool(memory_bytes_max=MEMORY_BYTES)
    try:
        database = database_in(pool)
        expected = rows_of(database, SUM, r=relation([batch.slice(0) for batch in batches]))
        twice = "SELECT count(*), sum(a.n) FROM r a JOIN r b USING (n)"
        joined = rows_of(database, twice, r=relation([batch.slice(0) for batch in batches]))
        opened = 0
        for _ in range(5):
            assert rows_of(database, SUM, r=relation(batches)) == expected
            assert rows_of(database, twice, r=relation(batches)) == joined
            (pid,) = pool.pids
            files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            assert opened in {0, files}, "no file of a statement stays open"
            opened = files
    finally:
        pool.close()
