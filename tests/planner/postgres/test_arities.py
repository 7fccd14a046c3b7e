"""Calls of each function with any number of arguments give rows or a proper error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.planner.errors import InternalError, QueryError
from stategate.planner.postgres.expressions.calls import CALLS
from stategate.planner.postgres.types.functions import FUNCTIONS
from stategate.planner.records.functions import RECORDS
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from tests.planner.refusals import refusal
from tests.planner.world import world

ARGUMENTS = ("name", "number", "due", "paid", "'x'", "1")
OF_SYNTAX = {
    *("all", "any", "array", "cast", "exists", "extract", "if", "interval", "json_value", "row"),
    *("overlay", "position", "some", "substring", "trim", "normalize", "grouping"),
    *("coalesce", "greatest", "least", "nullif"),
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
}
"""Words with their own syntax; a plain call of one can be a syntax error."""


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    made = world().engine
    yield made
    made.close()


def refused(engine: SqlEngine, call: str) -> QueryError | None:
    """Return the error of a call; None if it is planned."""
    try:
        engine.prepare(f"SELECT {call} FROM orders", Session())
    except InternalError as error:
        pytest.fail(f"{call}: {error.message}")
    except QueryError as error:
        return error
    return None


def sqlstate(engine: SqlEngine, call: str) -> str | None:
    error = refused(engine, call)
    return None if error is None else error.sqlstate


@pytest.mark.parametrize("first", sorted({name[0] for name in FUNCTIONS}))
def test_calls_with_any_number_of_arguments_succeed_or_fail_properly(
    engine: SqlEngine, first: str
) -> None:
    for name in sorted(each for each in FUNCTIONS if each[0] == first):
        ruled = name in RECORDS or name in CALLS
        for count in range(7) if ruled else (0, 2):
            found = sqlstate(engine, f"{name}({', '.join(ARGUMENTS[:count])})")
            assert found != "XX000", name
            assert found != "42601" or name in OF_SYNTAX, (name, count)


def test_wrong_number_of_arguments_is_an_unknown_function(engine: SqlEngine) -> None:
    for name, record in RECORDS.items():
        if name in OF_SYNTAX or not record.counts:
            continue
        for count in (min(record.counts) - 1, max(record.counts) + 1):
            if count >= 0 and not record.allows(count):
                given = ", ".join((ARGUMENTS * 2)[:count])
                wanted = "42809" if (name, count) == ("count", 0) else "42883"
                assert sqlstate(engine, f"{name}({given})") == wanted, (name, count)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("length()", "function length() does not exist"),
        ("frob()", "function frob() does not exist"),
        ("frob(*)", "function frob() does not exist"),
        ("frob(1, 'x')", "function frob(integer, unknown) does not exist"),
        (
            "frob(ARRAY[1], now())",
            "function frob(integer[], timestamp with time zone) does not exist",
        ),
        ("regexp_like('a')", "function regexp_like(unknown) does not exist"),
        ("div(1)", "function div(integer) does not exist"),
        ("date_trunc('day')", "function date_trunc(unknown) does not exist"),
        ("json_agg()", "function json_agg() does not exist"),
        ("upper(name, number)", "function upper(text, bigint) does not exist"),
        (
            "Round(due, 1, NULL)",
            "function round(timestamp with time zone, integer, unknown) does not exist",
        ),
        ("upper(paid)", "function upper(boolean) does not exist"),
        ("initcap(number)", "function initcap(bigint) does not exist"),
        ("exp(paid)", "function exp(boolean) does not exist"),
        ("round(number, name)", "function round(bigint, text) does not exist"),
        ("to_char(paid, 'x')", "function to_char(boolean, unknown) does not exist"),
        ("date_trunc('day', name)", "function date_trunc(unknown, text) does not exist"),
    ],
)
def test_error_has_the_types_of_the_arguments(engine: SqlEngine, call: str, message: str) -> None:
    error = refusal(engine, f"SELECT name, {call} FROM orders")
    assert (error.sqlstate, error.message) == ("42883", message)
    assert error.position == len("SELECT name, ") + 1


def test_wrong_types_are_errors_of_the_function_that_was_written(engine: SqlEngine) -> None:
    """A call may be rewritten to others, which no one has asked for."""
    for name, record in RECORDS.items():
        if name in OF_SYNTAX or not record.counts:
            continue
        for column in ("name", "number", "paid", "due"):
            call = f"{name}({', '.join([column] * min(record.counts))})"
            error = refused(engine, call)
            if error is not None and error.sqlstate == "42883":
                assert error.message.startswith(f"function {name}("), (call, error.message)
