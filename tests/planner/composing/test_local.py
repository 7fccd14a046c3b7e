"""DuckDB in a composing process: cached statements, and errors."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from stategate.planner.composing import kept_statements, local, prepared
from stategate.planner.composing.database import DatabaseError, Definition
from stategate.planner.composing.local import OWN_ERRORS, LocalDatabase, LocalStatement
from stategate.planner.composing.local_relation import LocalRelation
from tests.planner.composing.databases import SCHEMA

SUM = "SELECT sum(n) AS total, random() AS drawn FROM r0"


@pytest.fixture
def database() -> LocalDatabase:
    return LocalDatabase(Definition(threads=1))


def begun(
    database: LocalDatabase,
    sql: str,
    *values: int,
    schema: pa.Schema = SCHEMA,
    parameters: Mapping[str, Any] | None = None,
    script: str = "",
) -> LocalStatement:
    statement = database.statement(sql)
    batch = pa.record_batch([pa.array(values, schema.types[0])], schema=schema)
    relation = LocalRelation(schema, lambda: iter([batch]), is_whole=True)
    statement.begin(script, {"r0": relation}, parameters or {}, 100)
    return statement


def rows_of(database: LocalDatabase, sql: str, *values: int, **more: Any) -> list[dict[str, Any]]:
    statement = begun(database, sql, *values, **more)
    found: list[dict[str, Any]] = []
    try:
        while (batch := statement.next()) is not None:
            found += batch.to_pylist()
    finally:
        statement.close()
    return found


def cursors(database: LocalDatabase, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Collects all connections that are made from now on; no run is long."""
    monkeypatch.setattr(local, "SHORT_S", math.inf)
    made: list[object] = []
    make = database.cursor

    def counted() -> duckdb.DuckDBPyConnection:
        made.append(make())
        return made[-1]  # type: ignore[return-value] # a list of the results of `make`

    monkeypatch.setattr(database, "cursor", counted)
    return made


def test_a_statement_is_bound_once_and_run_anew(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    described = database.statement(SUM)
    names = [column.name for column in described.describe({"r0": SCHEMA}, ())]
    described.close()
    found = [rows_of(database, SUM, 1, 2), rows_of(database, SUM, 5), rows_of(database, SUM)]
    assert names == ["total", "drawn"]
    assert [each["total"] for (each,) in found] == [3, 5, None]
    assert (
        len({each["drawn"] for (each,) in found}) == 3
    )  # no part of the statement is computed in advance
    assert len(made) == 1


def test_concurrent_statements_have_a_connection_each(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    one, other = begun(database, SUM, 1), begun(database, SUM, 2)
    found = [statement.next() for statement in (one, other)]
    assert [batch["total"].to_pylist() for batch in found if batch is not None] == [[1], [2]]
    for statement in (one, other):
        assert statement.next() is None
        statement.close()
    assert len(made) == 2
    assert rows_of(database, SUM, 3)[0]["total"] == 3
    assert len(made) == 2


def test_only_an_identical_statement_is_used_again(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    rows_of(database, SUM, 1)
    rows_of(database, SUM, 1, schema=pa.schema([("n", pa.int32())]))
    rows_of(database, SUM + " ", 1)
    assert len(made) == 3
    above = "SELECT n FROM r0 WHERE n > $least"
    found = [rows_of(database, above, 1, 2, parameters={"least": each}) for each in (0, 1, 2)]
    assert [len(rows) for rows in found] == [2, 1, 0]  # values are never kept
    assert len(made) == 4
    for _ in range(2):
        rows_of(database, "SELECT n FROM r0, t", 1, script="CREATE TEMP TABLE t (a INTEGER)")
        rows_of(database, f"{SUM} -- {'x' * local.KEPT_SQL_MAX}", 1)
    assert len(made) == 8


EACH = "SELECT n + CAST(${} AS BIGINT) AS more, CAST(${} AS TEXT) AS said FROM r0"


def plans(connection: object) -> int:
    """Return how many prepared statements a connection has."""
    assert isinstance(connection, duckdb.DuckDBPyConnection)
    ((count,),) = connection.execute("SELECT count(*) FROM duckdb_prepared_statements()").fetchall()
    return int(count)


@pytest.mark.parametrize("names", [("1", "2"), ("2", "11")])
def test_a_short_statement_is_planned_once_and_takes_other_values(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str]
) -> None:
    sql = EACH.format(*names)
    made = cursors(database, monkeypatch)
    counts = []
    for number, said in ((1, "it's"), (-2, "$1; SELECT"), (1 << 40, None)):
        parameters = dict(zip(names, (number, said), strict=True))
        found = rows_of(database, sql, 7, parameters=parameters)
        assert found == [{"more": 7 + number, "said": said}]
        counts.append(plans(made[0]))
    assert len(made) == 1
    assert counts == [0, 1, 1]


def test_a_prepared_statement_keeps_its_order(database: LocalDatabase) -> None:
    sql = "SELECT n % 3 AS part, n FROM r0 ORDER BY n % 3 DESC, n"
    found = [rows_of(database, sql, *range(500)) for _ in range(3)]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 500


def test_a_prepared_statement_with_many_rows_runs_as_others_do(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    sql = "SELECT unnest(range(CAST($1 AS BIGINT))) AS n FROM r0"
    counts = []
    for rows in (1, prepared.ROWS_MAX, prepared.ROWS_MAX + 1, 100_000, 1):
        found = rows_of(database, sql, 7, parameters={"1": rows})
        assert [row["n"] for row in found] == [*range(rows)]
        counts.append(plans(made[0]))
    assert counts == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(1 << 63), 1 << 64, 0.1, 1e300, math.inf, "", "'", "\\", "ä\n"),
        dt.datetime(1, 1, 1, 0, 0, 0, 1),
        dt.datetime(2013, 7, 4, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.date(9999, 12, 31),
        *("a\0b", "x" * 20_000, b"\0", Decimal("1.10"), dt.time(1, 2), [1, None], ["a"]),
    ],
)
def test_a_value_is_the_same_as_text_and_as_a_parameter(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    sql = "SELECT $1 AS value, typeof($1) AS kind FROM r0"
    found = rows_of(database, sql, 1, parameters={"1": value})
    assert found == rows_of(database, sql, 1, parameters={"1": value})
    monkeypatch.setattr(database, "can_execute", False)
    assert found == rows_of(database, f"{sql} ", 1, parameters={"1": value})


def test_a_statement_that_cannot_be_prepared_runs_as_a_relation(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    monkeypatch.setattr(local, "prepare_text", lambda *_: "PREPARE of nothing")
    assert [rows_of(database, SUM, 1)[0]["total"] for _ in range(3)] == [1, 1, 1]
    assert len(made) == 1


def test_a_plan_is_not_kept_after_a_long_run(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    counts = []
    for short_s in (math.inf, math.inf, 0, 0):
        monkeypatch.setattr(local, "SHORT_S", short_s)
        assert rows_of(database, SUM, 1, 2)[0]["total"] == 3
        counts.append(plans(made[0]))
    assert counts == [0, 1, 0, 0]


def test_a_failed_statement_is_not_used_again(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    begun(database, SUM, 1).close()  # the rows are not read
    interrupted = begun(database, SUM, 1)
    interrupted.interrupt()
    with pytest.raises(DatabaseError, match="Interrupted"):
        interrupted.next()
    interrupted.close()
    sql = "SELECT CASE WHEN n > 1 THEN error('no') ELSE n END AS n FROM r0"
    with pytest.raises(DatabaseError, match="no"):
        rows_of(database, sql, 2)
    assert rows_of(database, sql, 1) == [{"n": 1}]
    assert rows_of(database, SUM, 4)[0]["total"] == 4
    assert len(made) == 5


def test_runs_at_the_same_time_keep_a_plan_each(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    for _ in range(3):
        several = [begun(database, SUM, number) for number in range(4)]
        for number, each in enumerate(several):
            batch = each.next()
            assert batch is not None
            assert batch["total"].to_pylist() == [number]
            assert each.next() is None
        for each in several:
            each.close()
    assert len(made) == 4
    assert [plans(each) for each in made] == [1] * 4


def test_few_statements_are_kept(database: LocalDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cursors(database, monkeypatch)
    monkeypatch.setattr(kept_statements, "KEPT_MAX", 2)
    for number in (1, 2, 3, 3, 2, 1):
        rows_of(database, f"SELECT n + {number} FROM r0", 1)
    assert len(made) == 4


STREAM = "Invalid Input Error: reading the stream registered as 'r0' failed"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (duckdb.BinderException("Binder Error: no"), "Binder"),
        (duckdb.OutOfMemoryException("Out of Memory Error: no"), "OutOfMemory"),
        (OSError("Out of Memory Error: Allocation failure"), "OutOfMemory"),
        (OSError("Out of Range Error: Overflow in addition"), "OutOfRange"),
        (OSError("Invalid Input Error: no"), "InvalidInput"),
        (OSError("Not implemented Error: no"), "NotImplemented"),
        (OSError("INTERRUPT Error: Interrupted!"), "Interrupt"),
        (duckdb.Error("Out of Memory Error: Allocation failure"), "OutOfMemory"),
        (duckdb.Error("something"), "Error"),
        (OSError("Mismatch Type Error: no"), "TypeMismatch"),
        (OSError("broken pipe"), "Error"),
        (MemoryError(), "OutOfMemory"),
        (duckdb.InvalidInputException(f"{STREAM}: Out of memory: malloc failed"), "OutOfMemory"),
        (OSError(f"{STREAM}: IOError: Out of Memory Error: Allocation failure"), "OutOfMemory"),
        (duckdb.InvalidInputException(f"{STREAM}: Unknown error: it is closed"), "Stream"),
        (OSError(f"{STREAM}: Unknown error: it is closed"), "Stream"),
    ],
)
def test_an_error_is_recognised_by_its_class_or_its_text(raised: Exception, kind: str) -> None:
    with pytest.raises(DatabaseError) as found, OWN_ERRORS:
        raise raised
    assert found.value.kind == kind


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 64 failed")])
@pytest.mark.parametrize("sql", ["SELECT sum(n) FROM r0", "SELECT n FROM r0"])
def test_memory_that_is_short_while_rows_are_read_is_told(
    database: LocalDatabase, sql: str, error: Exception
) -> None:
    """DuckDB gives each failure of a stream as an invalid input."""

    def read() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([pa.array(range(5000))], schema=SCHEMA)
        raise error

    statement = database.statement(sql)

    def run() -> None:
        statement.begin("", {"r0": LocalRelation(SCHEMA, read)}, {}, 100)
        while statement.next() is not None:
            pass

    with pytest.raises(DatabaseError) as found:
        run()
    assert found.value.kind == "OutOfMemory"
    statement.close()
