"""Execution of plans: bounds, waits, failed partitions, cancellation."""

from __future__ import annotations

import re
import threading

import pyarrow as pa
import pytest

from stategate.planner.errors import QueryCancelledError, QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.errors import FailureReason, LogMissingError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import Position
from stategate.stores.spec.result import Failure
from stategate.stores.spec.schema import Row
from tests.planner.faults import FaultyStore, failure
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, batch, fill, keyvalue, open_store, progress

SCHEMA = keyvalue("state", {"k": "text"}, {"v": "bigint"})
ROWS: list[Row] = [(f"k{i}", i) for i in range(20)]
TOKEN = '{"events":{"0":0}}'
AHEAD = '{"events":{"0":5}}'


def filled() -> LocalStore:
    store = open_store(SCHEMA)
    fill(store, ROWS)
    return store


@pytest.fixture
def store() -> LocalStore:
    return filled()


@pytest.fixture
def engine(store: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(store))


def partition_of(engine: SqlEngine, key: str) -> int:
    ((partition,),) = rows_of(run(engine, f"SELECT _partition FROM state WHERE k = '{key}'"))
    assert isinstance(partition, int)
    return partition


LOOKUP = "SELECT v FROM state WHERE k = 'k1'"
SCAN = "SELECT k FROM state"
COMPOSED = "SELECT count(*) FROM state"
ENDS = "SELECT min(k), max(k) FROM state"
"""A statement that asks each partition twice."""
EVERY_PLAN = pytest.mark.parametrize("sql", [LOOKUP, SCAN, COMPOSED])


@EVERY_PLAN
@pytest.mark.parametrize(
    ("bound", "parameters", "met"),
    [
        ("events[0] >= 0", (), True),
        ("events[0] >= 5", (), False),
        ("events[0] >= $1", (0,), True),
        ("events[$1] >= $2", (0, 5), False),
        ("'events'[0] >= 0", (), True),
        ('"events"[0] >= 5', (), False),
        (f"'{TOKEN}'", (), True),
        (f"'{AHEAD}'", (), False),
        ("$1", (TOKEN,), True),
        ("$1", (AHEAD,), False),
        ("events[0] >= 0, events[0] >= 5", (), False),
        ("LATEST", (), True),
        ("MAX LAG '365 days'", (), False),
        ("MAX LAG $1", ((0, 1, 0),), False),
        ("UNBOUNDED", (), True),
    ],
)
def test_bounds(engine: SqlEngine, sql: str, bound: str, parameters: Row, *, met: bool) -> None:
    text = f"{sql} WITH BOUND ({bound})"
    if met:
        assert rows_of(run(engine, text, parameters)) == rows_of(run(engine, sql))
        return
    error = refusal(engine, text, parameters)
    assert (error.sqlstate, error.retryable) == ("55S01", True)
    assert error.hint == "Add WAIT to wait for the bound, or retry."


@EVERY_PLAN
def test_every_answer_carries_its_position(engine: SqlEngine, sql: str) -> None:
    session = Session()
    result = run(engine, sql, session=session)
    rows_of(result)
    assert result.position == Position.of({"events": {0: 0}}) == session.seen
    assert {answer.status for answer in result.partitions} == {"ok"}


def test_latest_is_the_newest_epoch_of_the_log(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(FaultyStore(store, committed=lambda: 3)))
    assert "behind epoch 3" in refusal(engine, f"{SCAN} WITH BOUND (LATEST)").message


def test_latest_without_the_log_can_be_retried(store: LocalStore) -> None:
    def missing() -> int:
        raise LogMissingError("gone")

    engine = SqlEngine(FixedCatalog(FaultyStore(store, committed=missing)))
    error = refusal(engine, f"{SCAN} WITH BOUND (LATEST)")
    assert (error.sqlstate, error.detail) == ("55000", "gone")
    assert rows_of(run(engine, f"{SCAN} WITH BOUND (UNBOUNDED)"))


@EVERY_PLAN
def test_a_wait_ends_when_another_thread_applies(sql: str) -> None:
    store, waiting = filled(), threading.Event()
    engine = SqlEngine(FixedCatalog(FaultyStore(store, on_wait=waiting.set)))

    def apply() -> None:
        waiting.wait()
        for replica in store.replicas.values():
            replica.apply(progress(5), [])

    thread = threading.Thread(target=apply)
    thread.start()
    result = run(engine, f"{sql} WITH BOUND (events[0] >= 5), WAIT '60 s'")
    assert rows_of(result)
    thread.join()
    assert result.position == Position.of({"events": {0: 5}})


def test_a_wait_ends_with_an_error_at_its_limit(engine: SqlEngine) -> None:
    assert refusal(engine, f"{SCAN} WITH BOUND (events[0] >= 5), WAIT '1 ms'").sqlstate == "55S01"


def test_a_wait_is_cancelled(store: LocalStore) -> None:
    cancellation = Cancellation()
    engine = SqlEngine(FixedCatalog(FaultyStore(store, on_wait=cancellation.cancel)))
    session = Session()
    statement = engine.prepare(f"{SCAN} WITH BOUND (events[0] >= 5), WAIT '60 s'", session)
    with pytest.raises(QueryCancelledError, match="user request"):
        engine.execute(statement, (), session, cancellation=cancellation)


def test_monotonic_sessions_never_go_back(store: LocalStore) -> None:
    stale = filled()
    for replica in store.replicas.values():
        replica.apply(progress(3), [])
    catalog = FixedCatalog(store)
    engine = SqlEngine(catalog)
    session = Session()
    run(engine, "SET stategate.consistency = 'monotonic'", session=session)
    rows_of(run(engine, SCAN, session=session))
    catalog.replace(stale)
    error = refusal(engine, SCAN, session=session)
    assert (error.sqlstate, "at offset 0, behind 3" in error.message) == ("55S01", True)
    for bound in ("UNBOUNDED", "LATEST", "SNAPSHOT", "events[0] >= 0", "MAX LAG '1 day'"):
        error = refusal(engine, f"{SCAN} WITH BOUND ({bound})", session=session)
        assert (bound, error.sqlstate) == (bound, "55S01")
    run(engine, "SET stategate.consistency = 'eventual'", session=session)
    assert rows_of(run(engine, SCAN, session=session))


@pytest.mark.parametrize(
    "settings",
    [
        {"stategate.bound": AHEAD},
        {"stategate.consistency": "latest"},
        {"stategate.bound": AHEAD, "stategate.wait": "1ms"},
    ],
)
def test_settings_have_the_effect_of_the_clause(
    store: LocalStore, settings: dict[str, str]
) -> None:
    engine = SqlEngine(FixedCatalog(FaultyStore(store, committed=lambda: 5)))
    for sql in (LOOKUP, SCAN, COMPOSED):
        assert refusal(engine, sql, session=Session(settings=settings)).sqlstate == "55S01"


def test_partitions_narrow_a_statement(engine: SqlEngine) -> None:
    found = [
        {k for (k,) in rows_of(run(engine, f"{SCAN} WITH PARTITIONS ({partition})"))}
        for partition in range(3)
    ]
    assert set.union(*found) == {k for k, _ in ROWS}
    assert sum(map(len, found)) == len(ROWS)
    result = run(engine, f"{SCAN} WITH PARTITIONS (0, $1)", (2,))
    assert [answer.partition for answer in result.partitions] == [0, 2]


def test_a_lookup_in_another_partition_finds_nothing(engine: SqlEngine) -> None:
    elsewhere = (partition_of(engine, "k1") + 1) % 3
    assert rows_of(run(engine, f"{LOOKUP} WITH PARTITIONS ({elsewhere})")) == []


@EVERY_PLAN
def test_a_partition_that_does_not_exist_is_refused(engine: SqlEngine, sql: str) -> None:
    error = refusal(engine, f"{sql} WITH PARTITIONS (7)")
    assert (error.sqlstate, error.hint) == ("22023", "It has partitions 0 to 2.")


def test_active_needs_a_running_active_replica(engine: SqlEngine) -> None:
    assert rows_of(run(engine, f"{LOOKUP} WITH ACTIVE")) == [(1,)]


def test_info_describes_each_partition(engine: SqlEngine) -> None:
    for sql in (LOOKUP, SCAN, COMPOSED):
        result = run(engine, f"{sql} WITH INFO")
        rows_of(result)
        assert all(answer.info for answer in result.partitions)
        assert not any(answer.info for answer in run(engine, sql).partitions)


def test_info_has_the_time_to_read_each_stream(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(store), limits=EngineLimits(few_rows=False))
    for sql in (SCAN, COMPOSED):
        result = run(engine, f"{sql} WITH INFO")
        rows_of(result)
        for answer in result.partitions:
            assert re.fullmatch(rf"read {answer.rows} rows of the stream: \d+ ns", answer.info[-1])


FAILURES = {
    0: failure(FailureReason.NOT_PRESENT, "elsewhere"),
    2: failure(FailureReason.NOT_UP_TO_BOUND, "behind"),
}


@pytest.fixture
def failing(store: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(FaultyStore(store, failures=FAILURES)))


@pytest.mark.parametrize("sql", [SCAN, COMPOSED, ENDS])
def test_every_failed_partition_is_named(failing: SqlEngine, sql: str) -> None:
    error = refusal(failing, sql)
    assert (error.sqlstate, error.retryable) == ("55S03", True)
    assert error.message == 'partition 0 of store "state" (and 1 more) did not answer: elsewhere'
    assert error.detail == "state[0] NOT_PRESENT: elsewhere; state[2] NOT_UP_TO_BOUND: behind"


@pytest.mark.parametrize("sql", [SCAN, COMPOSED, ENDS])
def test_partial_results_list_the_failed_partitions(failing: SqlEngine, sql: str) -> None:
    for session, text in (
        (Session(), f"{sql} WITH PARTIAL"),
        (Session(settings={"stategate.partial": "on"}), sql),
    ):
        result = run(failing, text, session=session)
        assert rows_of(result)
        assert [(a.partition, a.status, a.reason) for a in result.partitions] == [
            (0, "failed", "NOT_PRESENT"),
            (1, "ok", None),
            (2, "failed", "NOT_UP_TO_BOUND"),
        ]
        missing = "state[0] NOT_PRESENT: elsewhere; state[2] NOT_UP_TO_BOUND: behind"
        assert [n.message for n in result.notices] == [f"rows are missing: {missing}"]


@pytest.mark.parametrize(
    ("failed", "sqlstate", "retryable"),
    [
        (failure(FailureReason.NOT_ACTIVE), "55S02", True),
        (failure(FailureReason.NOT_PRESENT), "55S03", True),
        (failure(FailureReason.NOT_UP_TO_BOUND), "55S01", True),
        (failure(FailureReason.UNKNOWN_QUERY_TYPE), "0A000", False),
        (failure(FailureReason.DOES_NOT_EXIST), "22023", False),
        (failure(FailureReason.STORE_EXCEPTION), "58030", False),
        (Failure(reason=FailureReason.NOT_ACTIVE, message="", restoring=True), "55S04", True),
    ],
)
@EVERY_PLAN
def test_each_reason_has_its_code(
    store: LocalStore, sql: str, failed: Failure, sqlstate: str, *, retryable: bool
) -> None:
    failures = dict.fromkeys(range(3), failed)
    error = refusal(SqlEngine(FixedCatalog(FaultyStore(store, failures=failures))), sql)
    assert (error.sqlstate, error.retryable) == (sqlstate, retryable)


def test_a_stream_that_breaks_names_its_partition(store: LocalStore) -> None:
    def broken() -> None:
        raise OSError("disk gone")

    engine = SqlEngine(FixedCatalog(FaultyStore(store, on_batch=broken)))
    for sql in (SCAN, COMPOSED):
        error = refusal(engine, sql)
        assert error.sqlstate == "58030"
        assert error.message == ('partition 0 of store "state" failed while it was read: disk gone')


@pytest.mark.parametrize("sql", [SCAN, COMPOSED])
def test_a_stream_without_memory_is_out_of_memory(store: LocalStore, sql: str) -> None:
    def full() -> None:
        raise MemoryError("malloc of size 64 failed")

    error = refusal(SqlEngine(FixedCatalog(FaultyStore(store, on_batch=full))), sql)
    assert (error.sqlstate, error.detail) == ("53200", "malloc of size 64 failed")


@pytest.mark.parametrize("sql", [SCAN, COMPOSED, "SELECT a.k FROM state a, state b"])
def test_a_statement_is_cancelled_in_the_middle_of_its_rows(store: LocalStore, sql: str) -> None:
    cancellation = Cancellation()
    engine = SqlEngine(FixedCatalog(FaultyStore(store, on_batch=cancellation.cancel)))
    session = Session()
    statement = engine.prepare(sql, session)
    with pytest.raises(QueryCancelledError) as caught:
        rows_of(engine.execute(statement, (), session, cancellation=cancellation))
    assert caught.value.sqlstate == "57014"


ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"


def test_work_inside_duckdb_is_cancelled(engine: SqlEngine) -> None:
    session, cancellation = Session(), Cancellation()
    statement = engine.prepare(ENDLESS, session)
    timer = threading.Timer(0.1, cancellation.cancel)
    timer.start()
    with pytest.raises(QueryCancelledError, match="user request"):
        rows_of(engine.execute(statement, (), session, cancellation=cancellation))
    timer.join()
    assert rows_of(run(engine, LOOKUP)) == [(1,)]


def test_work_inside_duckdb_ends_at_the_deadline(engine: SqlEngine) -> None:
    session = Session()
    statement = engine.prepare(ENDLESS, session)
    with pytest.raises(QueryCancelledError, match="statement timeout"):
        rows_of(engine.execute(statement, (), session, cancellation=Cancellation(timeout_s=0.1)))


def test_memory_is_limited() -> None:
    store = open_store(SCHEMA)
    fill(store, ROWS)
    limits = EngineLimits(memory_bytes_max=8 << 20, composer_threads=1)
    engine = SqlEngine(FixedCatalog(store), limits=limits)
    error = refusal(
        engine, "SELECT md5(n::text) AS h FROM generate_series(1, 3000000) t(n) ORDER BY h"
    )
    assert error.sqlstate == "53200"
    assert rows_of(run(engine, COMPOSED)) == [(20,)]


def test_a_stream_can_be_abandoned_and_the_next_statement_runs(engine: SqlEngine) -> None:
    result = run(engine, "SELECT n FROM generate_series(1, 1000000) t(n)")
    assert result.batches is not None
    assert next(result.batches).num_rows > 0
    result.close()
    result.close()
    assert rows_of(run(engine, COMPOSED)) == [(20,)]


def test_rows_read_are_counted(engine: SqlEngine) -> None:
    result = run(engine, SCAN)
    rows_of(result)
    assert sum(answer.rows for answer in result.partitions) == len(ROWS)
    (answer,) = run(engine, LOOKUP).partitions
    assert answer.rows == 1


def test_a_statement_reads_one_epoch_of_a_partition(store: LocalStore, engine: SqlEngine) -> None:
    """Rows that are applied while a result is read do not appear in it."""
    result = run(engine, SCAN)
    changed = batch(SCHEMA, [("new", 1)])
    for replica in store.replicas.values():
        replica.apply(progress(1), [changed.slice(0, 0)])
        replica.apply(progress(2), [changed])
    assert ("new",) not in rows_of(result)


def test_a_map_without_keys_has_a_type(engine: SqlEngine) -> None:
    assert rows_of(run(engine, "SELECT histogram(NULL)")) == [(None,)]


@pytest.mark.parametrize("parameters", [(), ("a", "b")])
def test_parameters_are_counted(engine: SqlEngine, parameters: Row) -> None:
    error = refusal(engine, "SELECT v FROM state WHERE k = $1", parameters)
    assert error.sqlstate == "08P01"
    assert error.message == f"statement takes 1 parameters, {len(parameters)} were given"


def test_a_parameter_of_another_type_is_refused(engine: SqlEngine) -> None:
    session = Session()
    statement = engine.prepare("SELECT k FROM state WHERE v = $1 AND k > $2", session)
    with pytest.raises(QueryError) as caught:
        rows_of(engine.execute(statement, ("x", "a"), session, cancellation=Cancellation()))
    assert caught.value.sqlstate in {"22P02", "42804"}


def test_results_have_the_described_types(engine: SqlEngine) -> None:
    result = run(engine, "SELECT sum(v), avg(v), k || 'x' FROM state GROUP BY k")
    assert result.batches is not None
    table = pa.Table.from_batches(list(result.batches))
    assert [field.type for field in table.schema] == [c.type.arrow for c in result.columns]


@pytest.mark.parametrize(
    "series",
    [
        "generate_series(1, 1000000000)",
        "generate_series(1000000000, 1, -1)",
        "generate_series(timestamp '0001-01-01', timestamp '2020-01-03', interval '1 second')",
        "range(1, 1000000000)",
        "range(1000000000)",
    ],
)
def test_a_series_that_is_a_list_is_bounded(series: str) -> None:
    """DuckDB's memory limit does not count it."""
    engine = SqlEngine(FixedCatalog())
    with pytest.raises(QueryError) as caught:
        rows_of(run(engine, f"SELECT {series}"))
    assert caught.value.sqlstate == "54000"
    assert rows_of(run(engine, "SELECT count(*) FROM generate_series(1, 10000000)")) == [(10**7,)]
