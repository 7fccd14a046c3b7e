"""The texts that prepare and execute a statement in DuckDB, whose plan is then kept.

A relation of the Python client is planned each time it runs, which takes several times as long as
running it over a few rows. But DuckDB holds the whole result of an EXECUTE in memory, so only
statements with few rows are prepared, and with a limit: beyond it they run as relations.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from stategate.planner.composing.row_values import quoted

SCANNING, WRITTEN = "zz_scanning", "zz_written"
"""Each connection has one statement. It is prepared over its relations, over written rows, or both.
"""
VALUES_CHARACTERS_MAX = 20_000
"""Maximum characters of the values in an EXECUTE; longer ones are passed as parameters."""
ROWS_MAX = 1_024
"""Rows of the result of a prepared statement."""


def prepare_text(name: str, sql: str, clause: str = "") -> str:
    """Return the PREPARE of a statement; its result has one row too many if there are more.

    Args:
        name: `SCANNING` or `WRITTEN`.
        sql: the statement.
        clause: a WITH clause before it, which makes its relations.
    """
    return f"PREPARE {name} AS {clause}SELECT * FROM ({sql}\n) LIMIT {ROWS_MAX + 1}"


def execute_text(name: str, parameters: Mapping[str, Any], rows: Sequence[str] = ()) -> str | None:
    """Return the EXECUTE with these values; None if they are not written as text.

    Args:
        name: `SCANNING` or `WRITTEN`.
        parameters: Python values by name.
        rows: the arguments of written rows.
    """
    written: list[str] = []
    for parameter, value in parameters.items():
        text = _literal(value)
        if text is None:
            return None
        # By name, since a statement may have $2 without $1.
        written.append(f'"{parameter}" := {text}')
    values = ", ".join((*written, *rows))
    if len(values) > VALUES_CHARACTERS_MAX:
        return None
    return f"EXECUTE {name}({values})" if values else f"EXECUTE {name}"


def submit(cursor: Any, text: str, rows_max: int) -> pa.Table:
    """Run a statement and return its rows.

    This is what `to_arrow_table` of a relation calls. EXECUTE has no relation, and the public way
    to its rows copies them through another statement, which takes three times as long.
    """
    found: pa.Table = cursor._submit(text, None, "arrow", rows_max).arrow_table()
    return found


def can_execute(database: Any, failure: type[Exception]) -> bool:
    """Whether `submit` works with this version of DuckDB's client, whose errors are `failure`."""
    cursor = database.cursor()
    try:
        cursor.execute(prepare_text(SCANNING, "SELECT 1"))
        return bool(submit(cursor, execute_text(SCANNING, {}) or "", 1).num_rows == 1)
    except (AttributeError, TypeError, ValueError, failure):
        return False
    finally:
        cursor.close()


def _literal(value: Any) -> str | None:
    """Return a value as DuckDB's SQL, of its type as a parameter; None if it is not written."""
    write = _WRITERS.get(type(value))
    return None if write is None else write(value)


def _timestamp(value: dt.datetime) -> str:
    kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
    return f"CAST('{value.isoformat(' ')}' AS {kind})"


_WRITERS: Mapping[type, Callable[[Any], str | None]] = {
    type(None): lambda _: "NULL",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: lambda value: f"CAST('{value!r}' AS DOUBLE)",
    str: quoted,
    dt.datetime: _timestamp,
    dt.date: lambda value: f"CAST('{value.isoformat()}' AS DATE)",
}
