"""Functions in Python that every database has, for what SQL cannot say."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from planner.number_text import number_text
from planner.templates import time_text


def _rowwise(function: Callable[..., str]) -> Callable[..., Any]:
    """A function of a value and a template as one of Arrow columns; NULL where one is NULL."""

    def of_columns(values: Any, templates: Any) -> Any:
        rows = zip(values.to_pylist(), templates.to_pylist(), strict=True)
        return pa.array([None if None in row else function(*row) for row in rows], pa.string())

    return of_columns


PYTHON_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "pg_sg_number_text": (
        _rowwise(lambda number, template: number_text(Decimal(number), template)),
        "VARCHAR",
    ),
    "pg_sg_time_text": (_rowwise(time_text), "BIGINT"),
}
"""Function and the type of its first argument, by name; the second, and what it gives, are text."""
