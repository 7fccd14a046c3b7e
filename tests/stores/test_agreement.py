"""Memory and RocksDB agree: after any epochs, tombstones, replacements, reopens and expiries.

The engines share neither codecs nor comparisons, so an error in one of them shows up here.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec import structs

from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import (
    BatchStream,
    FewKeysQuery,
    FirstRowsQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    TimestampedRow,
)
from stategate.stores.spec.result import Success
from stategate.stores.spec.scans import (
    CountQuery,
    PrefixQuery,
    RawKeyQuery,
    RawScanQuery,
    RawStream,
)
from stategate.stores.spec.schema import (
    WINDOW_END,
    WINDOW_START,
    Key,
    Row,
    StoreKind,
    StoreSchema,
    Value,
)
from stategate.stores.spec.store import QueryConfig
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
    VersionedRow,
)
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)
from tests.support.stores import batch, keyvalue, open_store, timed, window
from tests.support.values import KEY_VALUES, rows_of, same

MINUTE_MS = 60_000
EVENTS = keyvalue(
    "events",
    {"name": "text", "score": "double"},
    {"count": "bigint", "note": "text", "raw": "bytea", "amount": "decimal(38,10)"},
    partitions=1,
)
# Two minutes of retention make segments of one minute, so a few steps cross both ends of a segment.
WINDOWS = window(
    "windows",
    {"name": "text"},
    {"count": "bigint", "note": "text"},
    partitions=1,
    size_ms=MINUTE_MS,
    retention_ms=2 * MINUTE_MS,
)
KEPT_WINDOWS = window(
    "kept", {"name": "text"}, {"count": "bigint"}, partitions=1, size_ms=MINUTE_MS
)
SESSIONS = timed(
    StoreKind.SESSION,
    "sessions",
    {"name": "text"},
    {"count": "bigint"},
    partitions=1,
    retention_ms=2 * MINUTE_MS,
)
KEPT_SESSIONS = timed(
    StoreKind.SESSION, "kept_sessions", {"name": "text"}, {"count": "bigint"}, partitions=1
)
VERSIONS = timed(
    StoreKind.VERSIONED,
    "versions",
    {"name": "text"},
    {"count": "bigint"},
    partitions=1,
    retention_ms=2 * MINUTE_MS,
)
KEPT_VERSIONS = timed(
    StoreKind.VERSIONED, "kept_versions", {"name": "text"}, {"count": "bigint"}, partitions=1
)

NAMES = st.one_of(st.none(), st.sampled_from(["", "a", "a\0", "a\0b", "ab", "b", "é"]))
SCORES = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, -1.5, float("nan"), float("inf")]))
COUNTS, NOTES = st.one_of(st.none(), st.integers(-3, 3)), st.one_of(st.none(), st.text(max_size=3))
# A tick is a third of a minute, so that windows lie at, before and after edges of segments.
TICKS = st.integers(-12, 18).map(lambda tick: tick * MINUTE_MS // 3)
# The same in microseconds, and the ends of time.
MOMENTS = st.one_of(
    TICKS.map(lambda tick: tick * 1000),
    st.sampled_from([MICROS_MIN, MICROS_MAX - 1, MICROS_MAX]),
)
ORDERS = st.sampled_from(Order)
LIMITS = st.one_of(st.none(), st.integers(0, 5))
TIMES = st.builds(
    TimeRange, start_ms=st.one_of(st.none(), TICKS), end_ms=st.one_of(st.none(), TICKS)
)


def intervals(keys: st.SearchStrategy[Key], width: int) -> st.SearchStrategy[Interval]:
    ends = st.one_of(st.none(), st.builds(lambda key, cut: key[:cut], keys, st.integers(1, width)))
    return st.builds(
        Interval,
        lower=ends,
        upper=ends,
        lower_inclusive=st.booleans(),
        upper_inclusive=st.booleans(),
    )


def chosen_columns(schema: StoreSchema) -> st.SearchStrategy[tuple[str, ...] | None]:
    names = sorted(schema.column_by_name)
    return st.one_of(
        st.none(), st.lists(st.sampled_from(names), unique=True, max_size=4).map(tuple)
    )


def answer(store: LocalStore, query: Query[Any]) -> Any:
    """Return the result of a query as comparable values; a failure is its reason."""
    result = store.query_partition(0, query)
    if not isinstance(result, Success):
        return result.reason
    match result.value:
        case BatchStream() as stream:
            rows = rows_of(stream)
            for count in {0, len(rows) // 2, len(rows), len(rows) + 1}:
                first = store.query_partition(0, FirstRowsQuery(query, count))
                assert isinstance(first, Success)
                for few in (stream.first_rows(count), first.value):
                    assert few is not None, "these engines read few rows one by one"
                    assert [tuple(map(same, row)) for row in few] == rows[:count]
            return rows
        case RawStream() as stream:
            return list(stream)
        case tuple() as row:
            return tuple(map(same, row))
        case list() as few_rows:
            return [tuple(map(same, row)) for row in few_rows]
        case TimestampedRow(row=row, timestamp_us=timestamp_us):
            return (*map(same, row), timestamp_us)
        case VersionedRow(row=row, valid_from_us=valid_from_us, valid_to_us=valid_to_us):
            return (*map(same, row), valid_from_us, valid_to_us)
        case value:
            return value


def first_by_time(rows: list[Row], at: int, count: int, order: Order) -> list[Row]:
    """Return the first rows by the time at an index, with those equal to the last of them."""
    times = sorted((row[at] for row in rows), reverse=order is Order.DESCENDING)
    return [row for row in rows if row[at] in times[:count]]


class Agreement(RuleBasedStateMachine):
    """Both engines, with one partition each, the same epochs and the same queries."""

    schema: StoreSchema
    keys: st.SearchStrategy[Key]
    values: st.SearchStrategy[Row]
    queries: st.SearchStrategy[Query[Any]]

    @initialize()
    def open(self) -> None:
        self.directory = tempfile.TemporaryDirectory(prefix="agreement-")
        self.memory = open_store(self.schema)
        self.rocks = self.open_rocks()
        self.epoch = -1
        self.watermark_ms: int | None = None
        self.late_before = 0
        self.held: list[tuple[BatchStream, list[Row]]] = []

    def open_rocks(self) -> LocalStore:
        path, columns = Path(self.directory.name), ColumnBudget(1 << 20)
        rows = RowBudget(1 << 12)
        return open_store(self.schema, directory=path, columns=columns, rows=rows)

    def teardown(self) -> None:
        if hasattr(self, "rocks"):
            self.held.clear()
            self.rocks.close()
            self.directory.cleanup()

    @rule(data=st.data(), replace=st.sampled_from([False, False, False, True]))
    def apply(self, data: st.DataObject, replace: bool) -> None:
        rows = data.draw(st.dictionaries(self.identities(), self.values, max_size=6))
        whole = [self.row(identity, values) for identity, values in rows.items()]
        some = st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))
        times = self.times(data, list(rows))
        applied = batch(self.schema, whole, times_us=times, deleted=data.draw(some))
        # In two batches, as an epoch of many rows has them.
        cut = data.draw(st.integers(0, len(rows)))
        self.epoch += data.draw(st.integers(1, 3))
        progress = Progress(
            epoch=self.epoch,
            position=Position.of({"events": {0: self.epoch}}),
            watermark_ms=self.watermark_ms,
            committed_ms=self.epoch,
        )
        for store in (self.memory, self.rocks):
            batches = [applied.slice(0, cut), applied.slice(cut)]
            store.replicas[0].apply(progress, batches, replace=replace)

    def identities(self) -> st.SearchStrategy[Any]:
        """Return a strategy for identities of rows: a key, or a key and a window start."""
        return self.keys

    def times(self, data: st.DataObject, identities: list[Any]) -> list[int | None]:
        """Return the event times of rows with these identities."""
        ends = st.sampled_from([MICROS_MIN, MICROS_MIN + 900, MICROS_MAX])
        micros = st.one_of(st.none(), st.integers(-(10**12), 10**12), ends)
        count = len(identities)
        return data.draw(st.lists(micros, min_size=count, max_size=count))

    def row(self, identity: Any, values: Row) -> Row:
        """Return the row of all columns."""
        whole: Row = (*identity, *values)
        return whole

    @rule()
    def reopen(self) -> None:
        self.held.clear()
        self.late_before += self.rocks.statuses()[0].late_rows
        self.rocks.close()
        self.rocks = self.open_rocks()

    @rule()
    def maintain(self) -> None:
        """Do the work of a host in the background: scans are then answered from columns."""
        engine = self.rocks.replicas[0].engine
        assert isinstance(engine, RocksPartition)
        engine.maintain(lambda: False)

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        query = data.draw(self.queries)
        assert answer(self.rocks, query) == answer(self.memory, query)

    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        """Open a stream, which must give the same rows after later epochs."""
        query = data.draw(self.queries)
        for store in (self.memory, self.rocks):
            result = store.query_partition(0, query)
            if isinstance(result, Success) and isinstance(result.value, BatchStream):
                self.held.append((result.value, rows_of(result.value)))

    @rule()
    def read_held(self) -> None:
        for stream, rows in self.held:
            assert rows_of(stream) == rows
            assert rows_of(stream) == rows

    @invariant()
    def progress_agrees(self) -> None:
        assert self.rocks.replicas[0].progress == self.memory.replicas[0].progress
        for epoch in (self.epoch, self.epoch + 1):
            config = QueryConfig(bound=PositionBound(epoch=epoch))
            kinds = {
                type(store.query_partition(0, self.scan(), config))
                for store in (self.memory, self.rocks)
            }
            assert len(kinds) == 1

    @invariant()
    def what_came_too_late_agrees(self) -> None:
        late = self.late_before + self.rocks.statuses()[0].late_rows
        assert late == self.memory.statuses()[0].late_rows

    def scan(self) -> Query[Any]:
        """Check scans of everything."""
        return RangeQuery()


def common_queries(
    schema: StoreSchema, keys: st.SearchStrategy[Key], width: int
) -> st.SearchStrategy[Query[Any]]:
    """Return the queries that every kind of store answers."""
    ends = st.one_of(st.just(b""), st.binary(max_size=3).map(lambda end: b"\x01" + end))
    return st.one_of(
        st.builds(
            PrefixQuery,
            prefix=keys.map(lambda key: key[: width - 1]),
            text=st.sampled_from(["", "a", "a\0", "é", b"a"]),
            order=ORDERS,
            limit=LIMITS,
            columns=chosen_columns(schema),
        ),
        st.builds(PrefixQuery, prefix=st.tuples(NAMES), order=ORDERS, limit=LIMITS),
        st.builds(CountQuery, interval=intervals(keys, width)),
        st.just(CountQuery()),
        st.builds(RawScanQuery, start=ends, order=ORDERS, limit=LIMITS),
        st.builds(RawKeyQuery, key_bytes=ends),
    )


class EventsAgreement(Agreement):
    """A keyvalue store with a composite key."""

    schema = EVENTS
    keys = st.tuples(NAMES, SCORES.map(lambda s: s + 0.0 if s == 0 else s))
    values = st.tuples(COUNTS, NOTES, KEY_VALUES["bytea"], KEY_VALUES["decimal(38,10)"])
    queries = st.one_of(
        st.builds(KeyQuery, key=st.one_of(keys, st.tuples(NAMES))),
        st.builds(FewKeysQuery, keys=st.lists(keys, max_size=4).map(tuple)),
        st.builds(
            KeysQuery,
            keys=st.lists(keys, max_size=4).map(tuple),
            columns=chosen_columns(EVENTS),
        ),
        st.builds(
            RangeQuery,
            interval=intervals(keys, 2),
            order=ORDERS,
            limit=LIMITS,
            columns=chosen_columns(EVENTS),
        ),
        st.builds(RangeQuery, columns=chosen_columns(EVENTS)),
        st.builds(TimestampedKeyQuery, key=keys),
        st.builds(TimestampedRangeQuery, interval=intervals(keys, 2), order=ORDERS, limit=LIMITS),
        st.builds(WindowRangeQuery),
        common_queries(EVENTS, keys, 2),
    )


class TimedAgreement(Agreement):
    """A store whose watermark moves on."""

    @rule(ticks=st.integers(0, 4))
    def move_watermark(self, ticks: int) -> None:
        self.watermark_ms = (self.watermark_ms or 0) + ticks * MINUTE_MS // 3


class WindowAgreement(TimedAgreement):
    """A window store whose windows expire as its watermark moves on."""

    schema = WINDOWS
    keys = st.tuples(NAMES)

    def identities(self) -> st.SearchStrategy[Any]:
        return st.tuples(self.keys, TICKS)

    def row(self, identity: Any, values: Row) -> Row:
        key, start_ms = identity
        times: list[Value] = [start_ms * 1000, (start_ms + MINUTE_MS) * 1000]
        return (*key, *times, *values)

    @rule(count=st.integers(0, 8), order=ORDERS)
    def ask_for_the_first_by_time(self, count: int, order: Order) -> None:
        """Partitions may leave out any other row, but none that is needed."""
        query = structs.replace(self.scan(), first_by_time=count, order=order)
        filed_by = WINDOW_END if self.schema.kind is StoreKind.SESSION else WINDOW_START
        at = [column.name for column in self.schema.columns].index(filed_by.name)
        whole = answer(self.memory, self.scan())
        needed = first_by_time(whole, at, count, order)
        for store in (self.memory, self.rocks):
            stream = store.query_partition(0, query)
            assert isinstance(stream, Success)
            for found in (rows_of(stream.value), stream.value.first_rows(len(whole))):
                assert found is not None
                assert len(set(found)) == len(found)
                assert set(needed) <= set(found) <= set(whole)

    def scan(self) -> WindowRangeQuery | SessionRangeQuery:
        return WindowRangeQuery()


def window_queries(schema: StoreSchema) -> st.SearchStrategy[Query[Any]]:
    keys = st.tuples(NAMES)
    columns = chosen_columns(schema)
    return st.one_of(
        st.builds(
            WindowKeyQuery, key=keys, time=TIMES, order=ORDERS, limit=LIMITS, columns=columns
        ),
        st.builds(
            WindowRangeQuery,
            interval=intervals(keys, 1),
            time=TIMES,
            order=ORDERS,
            limit=LIMITS,
            columns=columns,
        ),
        st.builds(WindowRangeQuery, time=TIMES, columns=columns),
        st.builds(WindowRangeQuery, columns=columns),
        st.builds(KeyQuery, key=keys),
        common_queries(schema, keys, 1),
    )


class ExpiringWindows(WindowAgreement):
    """A retention of two minutes."""

    values = st.tuples(COUNTS, NOTES)
    queries = window_queries(WINDOWS)


class KeptWindows(WindowAgreement):
    """No retention: nothing expires."""

    schema = KEPT_WINDOWS
    values = st.tuples(COUNTS)
    queries = window_queries(KEPT_WINDOWS)


class SessionAgreement(WindowAgreement):
    """A session store whose sessions expire as its watermark moves on."""

    schema = SESSIONS
    values = st.tuples(COUNTS)

    def identities(self) -> st.SearchStrategy[Any]:
        # Microseconds beside the ticks, as Spark's sessions have them.
        ends = st.tuples(TICKS, st.integers(0, 3), st.sampled_from([0, 0, 1, -1]))
        return st.tuples(self.keys, ends)

    def row(self, identity: Any, values: Row) -> Row:
        key, (start_ms, ticks, micros) = identity
        end_ms = start_ms + ticks * MINUTE_MS // 3
        return (*key, start_ms * 1000 + micros, end_ms * 1000 + micros, *values)

    def scan(self) -> WindowRangeQuery | SessionRangeQuery:
        return SessionRangeQuery()


def session_queries(schema: StoreSchema) -> st.SearchStrategy[Query[Any]]:
    keys, columns = st.tuples(NAMES), chosen_columns(schema)
    ends = st.one_of(st.none(), TICKS)
    times = st.builds(
        SessionTime,
        earliest_start_ms=ends,
        latest_start_ms=ends,
        earliest_end_ms=ends,
        latest_end_ms=ends,
    )
    return st.one_of(
        st.builds(
            SessionKeyQuery, key=keys, time=times, order=ORDERS, limit=LIMITS, columns=columns
        ),
        st.builds(
            SessionRangeQuery,
            interval=intervals(keys, 1),
            time=times,
            order=ORDERS,
            limit=LIMITS,
            columns=columns,
        ),
        st.builds(SessionRangeQuery, time=times, columns=columns),
        st.builds(SessionRangeQuery, columns=columns),
        st.builds(
            lambda key, start, ticks: SessionQuery.with_session(
                key, start_ms=start, end_ms=start + ticks * MINUTE_MS // 3
            ),
            keys,
            TICKS,
            st.integers(0, 3),
        ),
        st.builds(WindowKeyQuery, key=keys, time=TIMES),
        common_queries(schema, keys, 1),
    )


class ExpiringSessions(SessionAgreement):
    """A retention of two minutes."""

    queries = session_queries(SESSIONS)


class KeptSessions(SessionAgreement):
    """No retention: nothing expires."""

    schema = KEPT_SESSIONS
    queries = session_queries(KEPT_SESSIONS)


class VersionAgreement(TimedAgreement):
    """A versioned store: versions out of order, tombstones, late rows, a watermark that moves."""

    schema = VERSIONS
    values = st.tuples(COUNTS)

    def identities(self) -> st.SearchStrategy[Any]:
        return st.tuples(st.tuples(st.sampled_from(["a", "a\0", "b"])), MOMENTS)

    def row(self, identity: Any, values: Row) -> Row:
        key, _ = identity
        return (*key, *values)

    def times(self, data: st.DataObject, identities: list[Any]) -> list[int | None]:
        return [moment for _, moment in identities]

    def scan(self) -> Query[Any]:
        return VersionedRangeQuery()


def version_queries(schema: StoreSchema) -> st.SearchStrategy[Query[Any]]:
    keys, columns = st.tuples(st.sampled_from(["a", "a\0", "b", "c"])), chosen_columns(schema)
    maybe = st.one_of(st.none(), TICKS)
    times = st.tuples(maybe, maybe).map(
        lambda ends: ends if None in ends else tuple(sorted(ends))  # type: ignore[type-var]
    )
    return st.one_of(
        st.builds(VersionedKeyQuery, key=keys, as_of_ms=maybe),
        st.builds(
            lambda key, time, order, limit, names: MultiVersionedKeyQuery(
                key=key, from_ms=time[0], to_ms=time[1], order=order, limit=limit, columns=names
            ),
            keys,
            times,
            ORDERS,
            LIMITS,
            columns,
        ),
        st.builds(
            lambda interval, time, order, limit, names: VersionedRangeQuery(
                interval=interval,
                from_ms=time[0],
                to_ms=time[1],
                order=order,
                limit=limit,
                columns=names,
            ),
            intervals(keys, 1),
            times,
            ORDERS,
            LIMITS,
            columns,
        ),
        st.builds(VersionedRangeQuery),
        st.builds(WindowRangeQuery, time=TIMES, columns=columns),
        st.builds(WindowRangeQuery, columns=columns),
        st.builds(KeyQuery, key=keys),
        common_queries(schema, keys, 1),
    )


class ExpiringVersions(VersionAgreement):
    """A retention of two minutes of history."""

    queries = version_queries(VERSIONS)


class KeptVersions(VersionAgreement):
    """No retention: all history is kept."""

    schema = KEPT_VERSIONS
    queries = version_queries(KEPT_VERSIONS)


SETTINGS = settings(
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestEvents = EventsAgreement.TestCase
TestExpiringWindows = ExpiringWindows.TestCase
TestKeptWindows = KeptWindows.TestCase
TestExpiringSessions = ExpiringSessions.TestCase
TestKeptSessions = KeptSessions.TestCase
TestExpiringVersions = ExpiringVersions.TestCase
TestKeptVersions = KeptVersions.TestCase
TestEvents.settings = TestExpiringWindows.settings = TestKeptWindows.settings = SETTINGS
TestExpiringSessions.settings = TestKeptSessions.settings = SETTINGS
TestExpiringVersions.settings = TestKeptVersions.settings = SETTINGS
