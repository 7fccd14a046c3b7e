"""Functions in Python that each database gets, because SQL cannot compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from planner.composing.functions.number_templates import number_text, read_number
from planner.composing.functions.time_templates import time_text
from planner.errors import RAISED, InvalidValueError, QueryError
from planner.values import json_edit
from planner.values.array_text import json_of_array
from planner.values.byte_text import escaped, hex_digits_of, unescaped
from planner.values.moment_text import time_words
from planner.values.numerics import quotient


def _rowwise(function: Callable[..., str], count: int = 2) -> Callable[..., Any]:
    """Return a function of Arrow columns that calls one of values; NULL if an argument is NULL."""

    def of_all(*columns: Any) -> Any:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else of_row(row) for row in rows], pa.string())

    def of_row(row: Sequence[Any]) -> str:
        try:
            return function(*row)
        except QueryError as error:
            raise ValueError(f"{RAISED}{error.sqlstate} {error.message}") from None

    # DuckDB counts the parameters of a Python function, so each count needs one.
    def of_one(a: Any) -> Any:
        return of_all(a)

    def of_two(a: Any, b: Any) -> Any:
        return of_all(a, b)

    def of_three(a: Any, b: Any, c: Any) -> Any:
        return of_all(a, b, c)

    def of_four(a: Any, b: Any, c: Any, d: Any) -> Any:
        return of_all(a, b, c, d)

    shapes: dict[int, Callable[..., Any]] = {1: of_one, 2: of_two, 3: of_three, 4: of_four}
    return shapes[count]


def _divided(one: str, other: str, apart: int) -> str:
    """Return one / other * 10**apart, with 16 digits after the decimal point."""
    if not int(other):
        raise InvalidValueError("division by zero", sqlstate="22012")
    return f"{quotient(Decimal(one), Decimal(other), apart):f}"


def _raise(messages: Any) -> Any:
    """Raise the first message that is not NULL; it begins with its SQLSTATE.

    DuckDB's own `error` is volatile, and a window cannot be ordered by volatile expressions. DuckDB
    does not compute volatile expressions in advance, however, which the catalog's macros need in
    COALESCE.
    """
    for message in messages.to_pylist():
        if message is not None:
            raise ValueError(message)
    return pa.nulls(len(messages))


PYTHON_FUNCTIONS: dict[str, tuple[Callable[..., Any], Sequence[str], str]] = {
    "pg_sg_error": (_raise, ("VARCHAR",), '"NULL"'),
    "pg_sg_divided": (_rowwise(_divided, 3), ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR"),
    "pg_sg_number_text": (
        _rowwise(lambda number, template: number_text(Decimal(number), template)),
        ("VARCHAR", "VARCHAR"),
        "VARCHAR",
    ),
    "pg_sg_time_text": (_rowwise(time_text), ("BIGINT", "VARCHAR"), "VARCHAR"),
    "pg_sg_time_words": (_rowwise(time_words), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "pg_sg_json_of_array": (_rowwise(json_of_array), ("VARCHAR", "INTEGER"), "VARCHAR"),
    "pg_sg_checked_json": (_rowwise(json_edit.checked, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_digits_of": (_rowwise(hex_digits_of, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_escaped": (_rowwise(escaped, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_unescaped": (_rowwise(unescaped, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_number_of": (_rowwise(read_number), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "pg_sg_json_concat": (_rowwise(json_edit.concatenated), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "pg_sg_json_less": (_rowwise(json_edit.without_keys), ("VARCHAR", "VARCHAR[]"), "VARCHAR"),
    "pg_sg_json_less_at": (_rowwise(json_edit.without_element), ("VARCHAR", "INTEGER"), "VARCHAR"),
    "pg_sg_json_less_path": (_rowwise(json_edit.without_path), ("VARCHAR", "VARCHAR[]"), "VARCHAR"),
    "pg_sg_json_set": (
        _rowwise(json_edit.with_path, 4),
        ("VARCHAR", "VARCHAR[]", "VARCHAR", "BOOLEAN"),
        "VARCHAR",
    ),
    "pg_sg_json_insert": (
        _rowwise(json_edit.with_inserted, 4),
        ("VARCHAR", "VARCHAR[]", "VARCHAR", "BOOLEAN"),
        "VARCHAR",
    ),
}
"""By name: the function, the types of its arguments, and its result type."""
