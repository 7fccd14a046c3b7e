"""The stores of the conformance cases, the epochs that fill them, and requests to them.

Names are those of Kafka's tests. FA, FB and FC are whole stores by topic partition; the others are
filled one record at a time, as in the engine tests that they come from. Times are milliseconds. In
FA the partition of a key is key mod 2.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import BatchStream, Query
from stategate.stores.spec.result import Failure
from stategate.stores.spec.schema import InputTopic, Row, StoreKind, StoreSchema, Value
from stategate.stores.spec.store import StateQueryRequest, StorePartition, in_store
from stategate.stores.spec.versions import VersionedKeyQuery, VersionedRow
from tests.support.stores import batch, keyvalue, timed, window
from tests.support.values import rows_of

MINUTE, DAY = 60_000, 86_400_000
W = 1_767_225_600_000
"""FA's first instant: 2026-01-01, aligned to 5 minutes."""
TOPIC = "input-topic"
POSITION = {TOPIC: {0: 5, 1: 3}}
"""IN: where FA's input ends."""
ENGINES = ("memory", "rocksdb")


def open_engine(schema: StoreSchema, directory: Path | None, partition: int = 0) -> StorePartition:
    """Return an engine in memory, or in RocksDB below a directory."""
    if directory is None:
        return MemoryPartition(schema, partition)
    path = directory / schema.name / str(partition)
    return RocksPartition(path, schema=schema, partition=partition)


@dataclass(slots=True, kw_only=True)
class Filled:
    """One partition that is filled one record at a time, each an epoch at the next offset."""

    schema: StoreSchema
    engine: StorePartition
    offset: int = -1
    watermark_ms: int | None = None

    @staticmethod
    def open(schema: StoreSchema, directory: Path | None) -> Filled:
        """Return an empty partition."""
        return Filled(schema=schema, engine=open_engine(schema, directory))

    def put(
        self, row: Row | Sequence[Row], *, at: int | None = None, deleted: bool = False
    ) -> Filled:
        """Apply one epoch of one or more rows, with event time `at`."""
        rows = list(row) if isinstance(row, list) else [tuple(row)]
        times = None if at is None else [at * 1000] * len(rows)
        self.offset += 1
        self.engine.apply(
            self.progress, [batch(self.schema, rows, times_us=times, deleted=[deleted] * len(rows))]
        )
        return self

    def advance(self, watermark_ms: int) -> Filled:
        """Apply an epoch without rows that advances stream time."""
        self.watermark_ms = watermark_ms
        self.offset += 1
        self.engine.apply(self.progress, [])
        return self

    @property
    def progress(self) -> Progress:
        """Return the progress so far."""
        return Progress(
            epoch=self.offset,
            position=Position.of({TOPIC: {0: self.offset}}),
            watermark_ms=self.watermark_ms,
        )

    def ask(self, query: Query[Any]) -> Any:
        """Return a query's result; a stream becomes its rows."""
        result = self.engine.handlers[type(query)](self.engine.view, query)
        return rows_of(result) if isinstance(result, BatchStream) else result


def partitioned(
    schema: StoreSchema, directory: Path | None, rows: Sequence[Row], times_ms: Sequence[int]
) -> LocalStore:
    """Return a store of two partitions: rows by key mod 2, at FA's positions."""
    replicas = {}
    # A test may open several stores of one name.
    own = None if directory is None else Path(tempfile.mkdtemp(dir=directory))
    for partition, last in POSITION[TOPIC].items():
        engine = open_engine(schema, own, partition)
        mine = [i for i, row in enumerate(rows) if row[0] % 2 == partition]
        engine.apply(
            Progress(epoch=0, position=Position.of({TOPIC: {partition: last}})),
            [
                batch(
                    schema,
                    [rows[i] for i in mine],
                    times_us=[times_ms[i] * 1000 for i in mine],
                )
            ],
        )
        replicas[partition] = Replica(engine, schema=schema, partition=partition)
    return LocalStore(schema, replicas)


def micros(*times_ms: int) -> list[Value]:
    """Return times as columns hold them."""
    return [time * 1000 for time in times_ms]


KEY, VALUE = {"k": "integer"}, {"v": "integer"}
# As in Kafka Streams, a partition of the topic feeds the store partition of the same number.
ALIGNED = (InputTopic(topic=TOPIC, aligned=True),)
FA_KV = replace(keyvalue("fa_kv", KEY, VALUE, partitions=2), inputs=ALIGNED)
FA_WINDOW = replace(
    window("fa_window", KEY, VALUE, partitions=2, size_ms=5 * MINUTE, retention_ms=DAY),
    inputs=ALIGNED,
)
FA_SESSION = replace(
    timed(StoreKind.SESSION, "fa_session", KEY, VALUE, partitions=2, retention_ms=DAY),
    inputs=ALIGNED,
)

FA_KV_ROWS: list[Row] = [(0, 1), (1, 3), (2, 5), (3, 7), (4, 9)]
FA_KV_TIMES = [W + minutes * MINUTE for minutes in (2, 6, 10, 14, 18)]


def _windows(values: Sequence[tuple[int, int, int]]) -> list[Row]:
    return [(k, *micros(W + start * MINUTE, W + (start + 5) * MINUTE), v) for k, start, v in values]


FA_SUM = _windows(
    [(0, 0, 1), (1, 0, 2), (1, 5, 3), (2, 5, 4), (2, 10, 5), (3, 10, 13), (4, 15, 17)]
)
FA_LAST = _windows([(0, 0, 1), (1, 0, 2), (1, 5, 3), (2, 5, 4), (2, 10, 5), (3, 10, 7), (4, 15, 9)])
FA_SESS: list[Row] = [
    (k, *micros(W + 4 * k * MINUTE, W + (4 * k + 2) * MINUTE), v)
    for k, v in enumerate((1, 5, 9, 13, 17))
]
FA_PT: list[Row] = [(i // 2, *micros(W + 2 * i * MINUTE, W + 2 * i * MINUTE), i) for i in range(10)]

FV = timed(StoreKind.VERSIONED, "fv", KEY, VALUE, partitions=1, retention_ms=DAY)
B = 1_700_000_000_000
HR, SI = 300_000, 100_000
FX = timed(StoreKind.VERSIONED, "fx", {"k": "text"}, {"v": "text"}, partitions=1, retention_ms=HR)
FW = window("fw", KEY, {"v": "text"}, partitions=1, size_ms=3, retention_ms=120_000)
S = 59_996
FS = timed(
    StoreKind.SESSION, "fs", {"k": "text"}, {"v": "integer"}, partitions=1, retention_ms=10_000
)
FW_FIRST = [
    (0, S, "zero"), (1, S + 1, "one"), (2, S + 2, "two"),
    (3, S + 2, "three"), (4, S + 4, "four"), (5, S + 5, "five"),
]  # fmt: skip
FW_SECOND = [(2, S + 2 + n, f"two+{n}") for n in range(1, 7)]


def fw(directory: Path | None, *, both: bool = False) -> Filled:
    """Return FW, filled with its first batch or with both."""
    store = Filled.open(FW, directory)
    for k, start, v in FW_FIRST + (FW_SECOND if both else []):
        store.put((k, *micros(start, start + 3), v))
    return store


def fs(directory: Path | None, sessions: Sequence[tuple[str, int, int, int]]) -> Filled:
    """Return FS, filled with sessions (key, start, end, aggregate)."""
    store = Filled.open(FS, directory)
    for k, start, end, v in sessions:
        store.put((k, *micros(start, end), v))
    return store


def as_of(
    store: Filled, key: Any, time_ms: int | None = None
) -> tuple[Any, int, int | None] | None:
    """Return a value, its valid-from and its valid-to in milliseconds."""
    query = VersionedKeyQuery.with_key(key)
    found: VersionedRow | None = store.ask(query if time_ms is None else query.as_of(time_ms))
    if found is None:
        return None
    valid_to = found.valid_to_us
    end = None if valid_to is None else valid_to // 1000
    return found.row[0], found.valid_from_us // 1000, end


IN = Position.of(POSITION)
UNKNOWN = FailureReason.UNKNOWN_QUERY_TYPE


# Requests over all rows of FA


def fa_kv(directory: Path | None) -> LocalStore:
    return partitioned(FA_KV, directory, FA_KV_ROWS, FA_KV_TIMES)


def fa_windows(directory: Path | None, rows: Sequence[Row] = FA_SUM) -> LocalStore:
    return partitioned(FA_WINDOW, directory, rows, [row[1] // 1000 for row in rows])


def fa_sessions(directory: Path | None, rows: Sequence[Row] = FA_SESS) -> LocalStore:
    return partitioned(FA_SESSION, directory, rows, [row[2] // 1000 for row in rows])


def bounded(query: Query[Any]) -> StateQueryRequest[Any]:
    """Return a request as every request to FA is made: to both partitions, with the bound IN."""
    request = in_store("fa").with_query(query).with_partitions({0, 1})
    return request.with_position_bound(PositionBound.at(IN))


def values(store: LocalStore, query: Query[Any]) -> list[Any]:
    """Return the last column of all rows, in the order of partitions; check the position."""
    result = store.query(bounded(query))
    assert result.position == IN
    return [row[-1] for _, r in sorted(result.partitions.items()) for row in rows_of(r.value)]


def reasons(store: LocalStore, query: Query[Any]) -> list[FailureReason | None]:
    result = store.query(bounded(query))
    return [
        r.reason if isinstance(r, Failure) else None for _, r in sorted(result.partitions.items())
    ]
