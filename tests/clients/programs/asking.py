"""The questions to each client, and how its answers get out of its program's environment.

A program may be several clients: one driver by two protocols, say. For each it registers how to ask
(`asks`), how to log in (`logs_in`) and, if the client has its own way to read the catalog, what it
lists (`lists`). `answer` and `log_in` then do what the test sends them as a line of JSON, and print
a line of JSON for each result. A result has the values that the client returned, so that the test
can compare both values and types.

As in `steps`, nothing but the standard library may be imported here.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

COLUMNS_SQL = (
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
)
"""The query for the columns of all stores, for clients without a call for it."""
LOGIN_SQL = "SELECT CAST(current_user AS text) AS name, 7 AS n"
"""The query of a client that has logged in."""

_askers: dict[str, Callable[..., Any]] = {}
_listers: dict[str, Callable[..., Any]] = {}
_logins: dict[str, Callable[..., Any]] = {}


def asks(client: str) -> Callable[[F], F]:
    """Register `function(sql, parameters)`, which returns rows; it may be a coroutine function."""
    return _registering(_askers, client)


def lists(client: str) -> Callable[[F], F]:
    """Register `function()`, which returns the names of columns by store."""
    return _registering(_listers, client)


def logs_in(client: str) -> Callable[[F], F]:
    """Register `function(password)`, which logs in and returns the rows of `LOGIN_SQL`."""
    return _registering(_logins, client)


def _registering(table: dict[str, Callable[..., Any]], client: str) -> Callable[[F], F]:
    def register(function: F) -> F:
        table[client] = function
        return function

    return register


# --- registering clients -------------------------------------------------------------------------


def marked(sql: str, mark: str) -> str:
    """Return the statement with other marks for parameters than `$1`, all alike, in their order."""
    return re.sub(r"\$\d+", lambda found: mark, sql)


def named(sql: str, parameters: Sequence[object]) -> tuple[str, dict[str, object]]:
    """Return the statement with the names `:p1`, `:p2`, … for its parameters, and their values."""
    values = {f"p{number}": value for number, value in enumerate(parameters, 1)}
    return re.sub(r"\$(\d+)", r":p\1", sql), values


def inlined(sql: str, parameters: Sequence[object]) -> str:
    """Return the statement with its parameters as literals, for clients that cannot bind them."""

    def literal(found: re.Match[str]) -> str:
        value = parameters[int(found[1]) - 1]
        if isinstance(value, int):
            return str(value)
        return "'" + str(value).replace("'", "''") + "'"

    return re.sub(r"\$(\d+)", literal, sql)


def rows_of(columns: Mapping[str, Iterable[object]]) -> list[tuple[object, ...]]:
    """Return the rows of a data frame's columns."""
    return list(zip(*columns.values(), strict=True))


# --- in and out ----------------------------------------------------------------------------------


def answer(client: str) -> None:
    """Answer the questions that stdin has: a list of name, SQL and parameters."""
    for question in json.loads(sys.stdin.readline()):
        parameters = [_decoded(value) for value in question["parameters"]]
        ask = _askers[client]
        name, sql = question["name"], question["sql"]
        if sql == COLUMNS_SQL and client in _listers:
            _report(name, lambda: _flat(_run(_listers[client])))
        else:
            _report(name, partial(_run, ask, sql, parameters))


def log_in(client: str) -> None:
    """Log in with each password of the list that stdin has."""
    for password in json.loads(sys.stdin.readline()):
        _report(password, partial(_run, _logins[client], password))


def _flat(columns: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    return [(store, column) for store in sorted(columns) for column in columns[store]]


def _run(function: Callable[..., Any], *arguments: object) -> Any:
    result = function(*arguments)
    return asyncio.run(result) if inspect.iscoroutine(result) else result


def _report(name: str, work: Callable[[], Iterable[Iterable[object]]]) -> None:
    answered: dict[str, object] = {"name": name, "rows": None, "error": None, "sqlstate": None}
    try:
        answered["rows"] = [[_encoded(value) for value in row] for row in work()]
    except Exception as error:  # the outermost loop of a program: any error goes to the test
        answered |= {"error": traceback.format_exc(), "sqlstate": _sqlstate_of(error)}
    print(json.dumps(answered), flush=True)


def _sqlstate_of(error: Exception) -> str | None:
    """Return the SQLSTATE, where the client's errors have one."""
    for name in ("sqlstate", "pgcode"):
        if isinstance(found := getattr(error, name, None), str):
            return found
    if hasattr(error, "getSQLState"):
        return str(error.getSQLState())
    first = error.args[0] if error.args else None
    return str(first["C"]) if isinstance(first, dict) and "C" in first else None


def _decoded(value: Any) -> object:
    return dt.datetime.fromisoformat(value["instant"]) if isinstance(value, dict) else value


def _encoded(value: Any) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return {"no zone": value.isoformat()}
        return {"instant": value.astimezone(dt.UTC).isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return {type(value).__name__: str(value)}
