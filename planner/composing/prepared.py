"""The texts that prepare and execute a statement in DuckDB, whose plan is then kept.

A relation of the Python client is planned each time it runs, which takes several times as long as
running it over a few rows. But DuckDB holds the whole result of an EXECUTE in memory, so only
statements with few rows are prepared, and with a limit: beyond it they run as relations.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

_NAME = "zz_prepared"
"""Each connection has one, for its only statement."""
VALUES_CHARACTERS_MAX = 10_000
"""Maximum characters of the values in an EXECUTE; longer ones are passed as parameters."""
ROWS_MAX = 1_024
"""Rows of the result of a prepared statement."""
DEALLOCATE = f"DEALLOCATE {_NAME}"


def prepare_text(sql: str) -> str:
    """Return the PREPARE of a statement; its result has one row too many if there are more."""
    return f"PREPARE {_NAME} AS SELECT * FROM ({sql}\n) LIMIT {ROWS_MAX + 1}"


def execute_text(parameters: Mapping[str, Any]) -> str | None:
    """Return the EXECUTE with these values; None if they are not written as text.

    Args:
        parameters: Python values by name.
    """
    if not parameters:
        return f"EXECUTE {_NAME}"
    written: list[str] = []
    for name, value in parameters.items():
        text = _literal(value)
        if text is None:
            return None
        # By name, since a statement may have $2 without $1.
        written.append(f'"{name}" := {text}')
    values = ", ".join(written)
    return f"EXECUTE {_NAME}({values})" if len(values) <= VALUES_CHARACTERS_MAX else None


def _literal(value: Any) -> str | None:
    """Return a value as DuckDB's SQL, of its type as a parameter; None if it is not written."""
    write = _WRITERS.get(type(value))
    return None if write is None else write(value)


def _text(value: str) -> str | None:
    return None if "\0" in value else "'" + value.replace("'", "''") + "'"


def _timestamp(value: dt.datetime) -> str:
    kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
    return f"CAST('{value.isoformat(' ')}' AS {kind})"


_WRITERS: Mapping[type, Callable[[Any], str | None]] = {
    type(None): lambda _: "NULL",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: lambda value: f"CAST('{value!r}' AS DOUBLE)",
    str: _text,
    dt.datetime: _timestamp,
    dt.date: lambda value: f"CAST('{value.isoformat()}' AS DATE)",
}
