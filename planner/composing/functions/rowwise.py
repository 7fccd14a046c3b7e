"""Functions of columns made of functions of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from planner.errors import RAISED, QueryError


def rowwise(
    function: Callable[..., Any], count: int = 2, result: pa.DataType | None = None
) -> Callable[..., Any]:
    """Return a function of Arrow columns that calls one of values; NULL if an argument is NULL.

    Args:
        function: the function of values; None is NULL.
        count: the number of its arguments.
        result: the type of the column that it returns; texts by default.
    """
    returned = pa.string() if result is None else result

    def of_all(*columns: Any) -> Any:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else of_row(row) for row in rows], returned)

    def of_row(row: Sequence[Any]) -> Any:
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
