"""Functions in Python that each database gets, because SQL cannot compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from planner.composing.functions.json_functions import JSON_FUNCTIONS
from planner.composing.functions.number_templates import number_text, read_number
from planner.composing.functions.rowwise import rowwise
from planner.composing.functions.time_templates import time_text
from planner.errors import InvalidValueError
from planner.values.array_text import json_of_array
from planner.values.byte_text import escaped, hex_digits_of, unescaped
from planner.values.moment_text import time_words
from planner.values.numerics import quotient


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
    "pg_sg_divided": (rowwise(_divided, 3), ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR"),
    "pg_sg_number_text": (
        rowwise(lambda number, template: number_text(Decimal(number), template)),
        ("VARCHAR", "VARCHAR"),
        "VARCHAR",
    ),
    "pg_sg_time_text": (rowwise(time_text), ("BIGINT", "VARCHAR"), "VARCHAR"),
    "pg_sg_time_words": (rowwise(time_words), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "pg_sg_json_of_array": (rowwise(json_of_array, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_digits_of": (rowwise(hex_digits_of, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_escaped": (rowwise(escaped, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_unescaped": (rowwise(unescaped, 1), ("VARCHAR",), "VARCHAR"),
    "pg_sg_number_of": (rowwise(read_number), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    **JSON_FUNCTIONS,
}
"""By name: the function, the types of its arguments, and its result type."""
