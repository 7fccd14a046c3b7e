"""Functions of columns made of functions of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any, TypeAlias

import pyarrow as pa

from stategate.planner.composing.functions.raising import as_raised
from stategate.planner.errors import QueryError

PythonFunction: TypeAlias = tuple[Callable[..., Any], Sequence[str], str]
"""A function of Arrow columns, the types of its arguments, and that of its result."""
_ARROW = {
    "BIGINT": pa.int64(),
    "BIGINT[]": pa.list_(pa.int64()),
    "BLOB": pa.binary(),
    "BOOLEAN": pa.bool_(),
    "DOUBLE": pa.float64(),
    "INTEGER": pa.int32(),
    "VARCHAR": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()),
    "VARCHAR[][]": pa.list_(pa.list_(pa.string())),
}
"""The types of results, by DuckDB's name."""


def rowwise(function: Callable[..., Any], given: Sequence[str], result: str) -> PythonFunction:
    """Return a function of Arrow columns that calls one of values, with its types.

    Args:
        function: the function of values; None is NULL. It is not called if an argument is NULL.
        given: DuckDB's names of the types of its arguments.
        result: that of its result, which is NULL if an argument is.
    """
    arrow = _ARROW[result]

    def of_all(*columns: Any) -> Any:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else of_row(row) for row in rows], arrow)

    def of_row(row: Sequence[Any]) -> Any:
        try:
            return function(*row)
        except QueryError as error:
            raise as_raised(error) from None

    # DuckDB counts the parameters of a Python function.
    parameters = [Parameter(f"a{i}", Parameter.POSITIONAL_OR_KEYWORD) for i in range(len(given))]
    vars(of_all)["__signature__"] = Signature(parameters)
    return of_all, given, result
