"""PEP 249, requirement by requirement, for the parts that do not write."""

from __future__ import annotations

import datetime as dt
import inspect
import time
from typing import Any

import psycopg
import pytest

import stategate
from tests.support.sample_rows import TYPES
from tests.test_docs import text_of

SERIES = "SELECT n, name FROM series(5)"
ROWS = [(n, f"row {n}") for n in range(5)]


# --- the module ----------------------------------------------------------------------------------


def test_globals() -> None:
    assert stategate.apilevel == "2.0"
    assert stategate.threadsafety == 2
    assert stategate.paramstyle == "named"
    assert callable(stategate.connect)


def test_errors_form_the_tree() -> None:
    assert issubclass(stategate.Warning, Exception)
    assert not issubclass(stategate.Warning, stategate.Error)
    assert stategate.Error.__bases__ == (Exception,)
    assert stategate.InterfaceError.__bases__ == (stategate.Error,)
    assert stategate.DatabaseError.__bases__ == (stategate.Error,)
    for name in ("Data", "Operational", "Integrity", "Internal", "Programming", "NotSupported"):
        error = getattr(stategate, f"{name}Error")
        assert error.__bases__ == (stategate.DatabaseError,)


def test_errors_are_attributes_of_connections(db: stategate.Connection) -> None:
    names = [name for name in stategate.__all__ if name.endswith("Error")] + ["Warning"]
    assert len(names) == 10
    assert all(getattr(db, name) is getattr(stategate, name) for name in names)


def sqlstates() -> set[str]:
    """Return the codes in the gateway's table of errors."""
    section = text_of("gateway/README.md").partition("\n## Errors\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line[:3] not in {"", "| S", "|--"}]
    cells = [line.split("|")[1] for line in rows if line.startswith("|")]
    return {code.strip() for cell in cells for code in cell.split(",")}


def test_sqlstates_have_the_classes_of_psycopg() -> None:
    """Except that a malformed request is a mistake of the program, and one class is narrower."""
    found = sqlstates()
    assert len(found) > 50
    for code in sorted(found - {"08P01", "72000"}):
        try:
            theirs = psycopg.errors.lookup(code)
        except KeyError:  # of our own, like all of class 55
            theirs = psycopg.OperationalError
        bases = [each.__name__ for each in theirs.__mro__ if each.__module__ == "psycopg"]
        mine = stategate.errors.class_of(code).__name__
        assert mine in bases, (code, bases)
    assert stategate.errors.class_of("08P01") is stategate.ProgrammingError
    assert stategate.errors.class_of("72000") is stategate.OperationalError


# --- types ---------------------------------------------------------------------------------------


def test_constructors() -> None:
    ticks = time.mktime((2024, 2, 29, 13, 14, 15, 0, 0, -1))
    assert stategate.Date(2024, 2, 29) == dt.date(2024, 2, 29)
    assert stategate.DateFromTicks(ticks) == dt.date(2024, 2, 29)
    assert stategate.Time(13, 14, 15) == dt.time(13, 14, 15)
    assert stategate.TimeFromTicks(ticks) == dt.time(13, 14, 15)
    assert stategate.Timestamp(2024, 2, 29, 13, 14, 15) == dt.datetime(2024, 2, 29, 13, 14, 15)
    assert stategate.TimestampFromTicks(ticks) == dt.datetime(2024, 2, 29, 13, 14, 15)
    assert stategate.Binary(b"\x00\xff") == b"\x00\xff"


def test_type_objects_equal_the_codes_of_their_columns(db: stategate.Connection) -> None:
    description = db.execute("SELECT * FROM types").description
    assert description is not None
    kinds = {
        "STRING": {"a_text", "a_uuid", "a_json"},
        "BINARY": {"a_bytea"},
        "NUMBER": {
            *("a_tinyint", "a_smallint", "an_integer", "a_bigint"),
            *("a_real", "a_double", "a_decimal"),
        },
        "DATETIME": {"a_date", "a_time", "a_timestamp", "a_timestamptz", "an_interval"},
        "ROWID": set[str](),
    }
    for name, columns in kinds.items():
        type_object = getattr(stategate, name)
        assert {each[0] for each in description if each[1] == type_object} == columns
        assert type_object == type_object
        assert type_object != 7


# --- connections ---------------------------------------------------------------------------------


def test_commit_and_rollback_do_nothing(db: stategate.Connection) -> None:
    assert db.commit() is None  # type: ignore[func-returns-value]
    assert db.rollback() is None  # type: ignore[func-returns-value]
    assert db.execute("SELECT 1").fetchall() == [(1,)]


def test_a_closed_connection_can_do_nothing(fake_url: str) -> None:
    db = stategate.connect(fake_url)
    cursor = db.cursor()
    db.close()
    db.close()
    for use in (
        db.commit,
        db.rollback,
        db.cursor,
        lambda: db.execute("SELECT 1"),
        lambda: cursor.execute("SELECT 1"),
        lambda: db.batch("SELECT 1", [[]]),
    ):
        with pytest.raises(stategate.InterfaceError, match="connection is closed"):
            use()


def test_cursors_know_their_connection(db: stategate.Connection) -> None:
    assert db.cursor().connection is db


# --- cursors -------------------------------------------------------------------------------------


def test_description(db: stategate.Connection) -> None:
    assert db.cursor().description is None
    description = db.execute("SELECT * FROM types").description
    assert description is not None
    assert [each[0] for each in description] == [name for name, _, _ in TYPES]
    assert [each[1] for each in description] == [str(data_type) for _, data_type, _ in TYPES]
    assert all(len(each) == 7 for each in description)
    (decimal,) = [each for each in description if each[0] == "a_decimal"]
    assert decimal == ("a_decimal", "decimal(12,2)", None, None, 12, 2, None)


def test_rowcount(db: stategate.Connection) -> None:
    cursor = db.cursor()
    assert cursor.rowcount == -1
    cursor.execute(SERIES)
    cursor.fetchall()
    assert cursor.rowcount == 5


def test_rows_are_fetched_in_order(db: stategate.Connection) -> None:
    cursor = db.cursor()
    cursor.execute(SERIES)
    assert cursor.arraysize == 1
    assert cursor.fetchone() == ROWS[0]
    assert cursor.fetchmany() == ROWS[1:2]
    assert cursor.fetchmany(2) == ROWS[2:4]
    cursor.arraysize = 10
    assert cursor.fetchmany() == ROWS[4:]
    assert cursor.fetchmany() == []
    assert cursor.fetchone() is None
    assert cursor.fetchall() == []
    assert list(cursor) == []
    assert [*cursor.execute(SERIES)] == ROWS
    assert cursor.execute(SERIES).fetchmany(0) == []


def test_fetching_without_a_result_is_an_error(db: stategate.Connection) -> None:
    cursor = db.cursor()
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall, lambda: next(cursor)):
        with pytest.raises(stategate.Error, match="there is no result"):
            fetch()
    cursor.execute("SELECT 1")
    with pytest.raises(stategate.ProgrammingError):
        cursor.execute("SELECT * FROM nowhere")
    assert cursor.description is None
    with pytest.raises(stategate.Error, match="there is no result"):
        cursor.fetchone()


def test_a_closed_cursor_can_do_nothing(db: stategate.Connection) -> None:
    cursor = db.execute(SERIES)
    cursor.close()
    cursor.close()
    uses: list[Any] = [
        cursor.fetchone,
        cursor.fetchall,
        lambda: cursor.execute("SELECT 1"),
        lambda: cursor.executemany("SELECT v FROM kv WHERE k = $1", [[1]]),
    ]
    for use in uses:
        with pytest.raises(stategate.InterfaceError, match="cursor is closed"):
            use()


@pytest.mark.parametrize(
    ("sql", "params"),
    [
        ("SELECT v FROM kv WHERE k = $1", [7]),
        ("SELECT v FROM kv WHERE k = $1", (7,)),
        ("SELECT v FROM kv WHERE k = :key", {"key": 7}),
    ],
)
def test_parameters(db: stategate.Connection, sql: str, params: Any) -> None:
    assert db.cursor().execute(sql, params).fetchall() == [("value-7",)]


def test_executemany_has_the_rows_of_all_runs(db: stategate.Connection) -> None:
    cursor = db.cursor()
    cursor.executemany("SELECT v FROM kv WHERE k = $1", [(1,), (-1,), (3,)])
    assert (cursor.rowcount, cursor.fetchall()) == (2, [("value-1",), ("value-3",)])
    description = cursor.description
    assert description is not None
    assert description[0][:2] == ("v", "text")
    cursor.executemany("SELECT v FROM kv WHERE k = $1", [])
    assert cursor.fetchall() == []
    with pytest.raises(stategate.DataError):
        cursor.executemany("SELECT v FROM kv WHERE k = $1", [(1,), ("x",)])


def test_sizes_may_be_set_and_have_no_effect(db: stategate.Connection) -> None:
    cursor = db.cursor()
    cursor.setinputsizes([25])
    cursor.setoutputsize(1000)
    cursor.setoutputsize(1000, 0)
    assert cursor.execute(SERIES).fetchall() == ROWS


@pytest.mark.parametrize(
    ("sql", "params", "error", "sqlstate"),
    [
        ("SELEC 1", None, stategate.ProgrammingError, "42601"),
        ("SELECT * FROM nowhere", None, stategate.ProgrammingError, "42P01"),
        ("SELECT v FROM kv WHERE k = $1", [1, 2], stategate.ProgrammingError, "08P01"),
        ("SELECT v FROM kv WHERE k = $1", ["x"], stategate.DataError, "22P02"),
        ("BEGIN", None, stategate.NotSupportedError, "0A000"),
        ("SELECT bug()", None, stategate.InternalError, "XX000"),
        ("SELECT fail('58030')", None, stategate.OperationalError, "58030"),
        (7, None, stategate.InterfaceError, None),
        ("SELECT v FROM kv WHERE k = $1", [object()], stategate.InterfaceError, None),
        ("SELECT 1", "x", stategate.InterfaceError, None),
    ],
)
def test_errors(
    db: stategate.Connection, sql: Any, params: Any, error: type[stategate.Error], sqlstate: str
) -> None:
    with pytest.raises(stategate.Error) as raised:
        db.execute(sql, params)
    assert (type(raised.value), raised.value.sqlstate) == (error, sqlstate)


def test_an_error_says_where_it_is(db: stategate.Connection) -> None:
    with pytest.raises(stategate.ProgrammingError) as raised:
        db.execute("SELECT * FROM nowhere")
    assert raised.value.position == 15
    with pytest.raises(stategate.OperationalError) as refused:
        db.execute("SELECT refuse('55S01')", timeout_s=0.1)
    assert str(refused.value) == "it was refused\nDETAIL: As asked.\nHINT: Ask less."
    assert refused.value.retryable


def test_signatures_are_those_of_the_standard() -> None:
    wanted = {
        "execute": ["operation", "parameters"],
        "executemany": ["operation", "seq_of_parameters"],
        "fetchmany": ["size"],
        "setinputsizes": ["sizes"],
        "setoutputsize": ["size", "column"],
    }
    for name, parameters in wanted.items():
        given = list(inspect.signature(getattr(stategate.Cursor, name)).parameters)
        assert given[1 : len(parameters) + 1] == parameters
