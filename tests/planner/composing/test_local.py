"""DuckDB in its process: cached statements, and errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from planner.composing import local
from planner.composing.database import DatabaseError, Definition
from planner.composing.local import LocalDatabase, LocalRelation, LocalStatement, own_errors
from tests.planner.composing.databases import SCHEMA

SUM = "SELECT sum(n) AS total, random() AS drawn FROM r0"


@pytest.fixture
def database() -> LocalDatabase:
    return LocalDatabase(Definition(config={"threads": "1"}))


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
    relation = LocalRelation(schema, lambda: iter([batch]))
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
    """All connections that are made from now on."""
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
    assert len({each["drawn"] for (each,) in found}) == 3  # nothing of it is computed ahead
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


def test_only_the_same_statement_is_used_again(
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


def test_a_failed_statement_is_not_used_again(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cursors(database, monkeypatch)
    begun(database, SUM, 1).close()  # its rows are not read
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


def test_few_statements_are_kept(database: LocalDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cursors(database, monkeypatch)
    monkeypatch.setattr(local, "KEPT_MAX", 2)
    for number in (1, 2, 3, 3, 2, 1):
        rows_of(database, f"SELECT n + {number} FROM r0", 1)
    assert len(made) == 4


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
    ],
)
def test_an_error_is_known_by_its_class_or_its_text(raised: Exception, kind: str) -> None:
    with pytest.raises(DatabaseError) as found, own_errors():
        raise raised
    assert found.value.kind == kind
