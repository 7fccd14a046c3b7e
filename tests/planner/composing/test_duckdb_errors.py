"""Errors of DuckDB get PostgreSQL's message, SQLSTATE and position."""

from __future__ import annotations

import pytest
import sqlglot

from stategate.planner.composing.database import ROW_TOO_LONG, STREAM, DatabaseError, Definition
from stategate.planner.composing.duckdb_errors import translate
from stategate.planner.composing.functions.raising import as_raised
from stategate.planner.composing.local import LocalDatabase
from stategate.planner.errors import InternalError, InvalidValueError
from stategate.planner.trees.outline import outline

OUTLINE = outline(sqlglot.parse_one("SELECT name FROM t"))


@pytest.mark.parametrize(
    ("error", "sqlstate", "message"),
    [
        (
            DatabaseError("Binder", 'Binder Error: Referenced column "nam" not found'),
            "42703",
            'column "nam" does not exist',
        ),
        (
            DatabaseError("Binder", 'Binder Error: Referenced table "x" not found!'),
            "42P01",
            'missing FROM-clause entry for table "x"',
        ),
        (
            DatabaseError("Conversion", "Conversion Error: Could not convert string 'x' to INT32"),
            "22P02",
            'invalid input syntax for type integer: "x"',
        ),
        (
            DatabaseError(
                "InvalidInput",
                "Invalid Input Error: Division by zero in expression (1 // "
                "pg_sg_error('stategate error 2201G bounds')). Use TRY(...)",
            ),
            "22012",
            "division by zero",
        ),
        (
            DatabaseError(
                "Conversion",
                "Conversion Error: Could not convert string 'x' to INT32\n\n"
                "LINE 1: SELECT pg_sg_error('stategate error 2201G bounds')",
            ),
            "22P02",
            'invalid input syntax for type integer: "x"',
        ),
        (
            DatabaseError(ROW_TOO_LONG, "a row of the result takes 20,000,000 bytes"),
            "54000",
            "a row of the result takes 20,000,000 bytes",
        ),
        (DatabaseError("OutOfMemory", "Out of Memory Error: failed"), "53200", "out of memory"),
        (DatabaseError("OutOfRange", "Out of Range Error: Overflow"), "22003", "overflow"),
        (
            DatabaseError("Parser", "Parser Error: Max expression depth limit of 1000 exceeded"),
            "54000",
            "statement is nested too deep",
        ),
        (DatabaseError("Permission", "Permission Error: no"), "42501", "no"),
        (DatabaseError("Interrupt", "INTERRUPT Error: Interrupted!"), "57014", "interrupted"),
        (DatabaseError("InvalidInput", "Invalid Input Error: boom"), "22023", "boom"),
        (DatabaseError(STREAM, "the feed is closed"), "XX000", "the feed is closed"),
    ],
)
def test_errors_are_translated(error: DatabaseError, sqlstate: str, message: str) -> None:
    found = translate(error, OUTLINE)
    assert (found.sqlstate, found.message) == (sqlstate, message)


def test_out_of_memory_has_a_hint() -> None:
    found = translate(DatabaseError("OutOfMemory", "Out of Memory Error: failed"), OUTLINE)
    assert found.detail == "failed"
    assert found.hint is not None
    assert "memory_bytes_max" in found.hint


def test_an_unplanned_error_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Only its kind is logged: the text may contain a value."""
    found = translate(DatabaseError("Internal", "bad state of 'secret'"), OUTLINE)
    assert isinstance(found, InternalError)
    assert "kind=Internal" in caplog.text
    assert "secret" not in caplog.text


def test_the_place_of_a_name_is_found() -> None:
    error = DatabaseError("Binder", 'Binder Error: Referenced column "name" not found')
    assert translate(error, OUTLINE).position == 8


def _run(sql: str) -> None:
    statement = LocalDatabase(Definition(threads=1)).statement(sql)
    try:
        statement.begin("", {}, {}, 100)
        statement.next()
    finally:
        statement.close()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            "regexp_match('a', 'a', 'g')",
            InvalidValueError(
                'regexp_match() does not support the "global" option',
                hint="Use the regexp_matches function instead.",
            ),
        ),
        (
            "encode('a'::BLOB, 'a' || chr(10) || chr(10) || 'LINE 1: b' || chr(31) || chr(30))",
            InvalidValueError(
                'unrecognized encoding: "a\n\nLINE 1: b  "', hint="Use hex, base64 or escape."
            ),
        ),
        (
            "error('stategate error 22023 a' || chr(10) || 'b' || chr(31))",
            InvalidValueError("a\nb "),
        ),
    ],
)
def test_an_error_of_a_function_is_whole(call: str, error: InvalidValueError) -> None:
    with pytest.raises(DatabaseError) as caught:
        _run(f"SELECT pg_sg_{call}")
    found = translate(caught.value, OUTLINE)
    assert (found.message, found.hint) == (error.message, error.hint)
    assert (found.sqlstate, found.detail) == (error.sqlstate, error.detail)


def test_detail_and_hint_pass_through_duckdb() -> None:
    raised = as_raised(InvalidValueError("a", detail="b", hint="c", sqlstate="22000"))
    found = translate(DatabaseError("InvalidInput", f"Invalid Input Error: {raised}.\n"), OUTLINE)
    assert (found.message, found.detail, found.hint, found.sqlstate) == ("a", "b", "c", "22000")
