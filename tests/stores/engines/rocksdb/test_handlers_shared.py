"""The parts that the RocksDB handlers of all kinds share."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.query import BatchStream, Interval, Query
from stategate.stores.spec.scans import PrefixQuery
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.spec.versions import MultiVersionedKeyQuery
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionRangeQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from tests.support.stores import batch, progress, timed, window

MONTH_US = 30 * 86_400_000_000
SEGMENTS = 20
WINDOWS = window("windows", {"k": "text"}, {"v": "bigint"}, partitions=1)
SESSIONS = timed(StoreKind.SESSION, "sessions", {"k": "text"}, {"v": "bigint"}, partitions=1)
VERSIONS = timed(StoreKind.VERSIONED, "versions", {"k": "text"}, {"v": "bigint"}, partitions=1)
ONE_KEY = Interval(lower=("a",), upper=("a",))


@pytest.mark.parametrize(
    ("schema", "query"),
    [
        (
            WINDOWS,
            WindowKeyQuery.with_key_and_window_start_range(("a",), start_ms=0, end_ms=1 << 43),
        ),
        (WINDOWS, WindowRangeQuery(interval=ONE_KEY)),
        (WINDOWS, WindowRangeQuery(interval=ONE_KEY, first_by_time=3)),
        (WINDOWS, PrefixQuery(prefix=("a",))),
        (SESSIONS, SessionKeyQuery.with_key("a")),
        (SESSIONS, SessionRangeQuery(interval=ONE_KEY)),
        (VERSIONS, MultiVersionedKeyQuery(key=("a",))),
    ],
)
def test_a_slow_read_of_few_rows_ends_in_segments_without_them(
    tmp_path: Path, schema: StoreSchema, query: Query[BatchStream]
) -> None:
    engine = RocksPartition(tmp_path, schema=schema, partition=0)
    for number in range(SEGMENTS):
        start = 2 * number * MONTH_US
        times = () if schema.kind is StoreKind.VERSIONED else (start, start + 3_600_000_000)
        rows: list[Row] = [("b", *times, number)]
        if number == SEGMENTS - 1:
            rows.append(("a", *times, number))
        engine.apply(progress(number), [batch(schema, rows, times_us=[start] * len(rows))])
    stream = engine.handlers[type(query)](engine.view, query)
    assert isinstance(stream, BatchStream)
    assert stream.first_rows(9, until_s=0.0) is None
    assert len(stream.first_rows(9, until_s=math.inf) or ()) == 1
    assert sum(each.num_rows for each in stream) == 1
    engine.close()
