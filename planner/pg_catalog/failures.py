"""DuckDB's errors as the planner's, with the SQLSTATE that PostgreSQL would give."""

from __future__ import annotations

import re

from planner.composing.definition import DatabaseError
from planner.errors import (
    InternalProblem,
    LimitExceeded,
    NameProblem,
    NotSupported,
    QueryError,
    TypeProblem,
    ValueProblem,
)

_RAISED = re.compile(r"(?:^|: )(4[0-9A-Z]{4}|3F000):(.+)", re.DOTALL)
"""Ours, from a macro that calls `error('<SQLSTATE>:<message>')`."""
_COLUMN = re.compile(r'column(?: named| name)?:? "([^"]+)"', re.IGNORECASE)
_FUNCTION = re.compile(r"Function with name \"?([\w.]+)\"?", re.IGNORECASE)
_ARGUMENTS = re.compile(r"Macro (\w+)\(\) does not support the supplied arguments")
_TABLE_FUNCTION = re.compile(r'"(\w+)" is a table function', re.IGNORECASE)


def query_error(error: DatabaseError) -> QueryError:  # noqa: PLR0911 - one line per class
    """The planner's error for one of DuckDB's."""
    text = str(error)
    if (raised := _RAISED.search(text)) is not None:
        return NameProblem(raised[2].strip().splitlines()[0], sqlstate=raised[1])
    first = text.split("\n", 1)[0].partition(": ")[2] or text
    if error.kind in {"Binder", "Catalog"}:
        return _binding_error(first)
    if error.kind == "Conversion":
        return ValueProblem(_lower(first), sqlstate="22P02")
    if error.kind == "OutOfRange":
        return ValueProblem(_lower(first), sqlstate="22003")
    if error.kind == "OutOfMemory":
        return LimitExceeded("the catalog query needs too much memory", sqlstate="53200")
    if error.kind in {"Internal", "Fatal"}:
        return InternalProblem(f"the catalog failed: {first}")
    if error.kind == "InvalidInput":
        return ValueProblem(_lower(first))
    return NotSupported(f"the catalog does not run this statement: {_lower(first)}")


def _binding_error(first: str) -> QueryError:  # noqa: PLR0911 - one line per message
    if "mbiguous" in first:
        return NameProblem(_lower(first), sqlstate="42702")
    if (function := _FUNCTION.search(first)) is not None and "does not exist" in first:
        return NameProblem(f"function {function[1]} does not exist", sqlstate="42883")
    if (macro := _ARGUMENTS.search(first)) is not None:
        return NameProblem(f"function {macro[1]}() does not exist", sqlstate="42883")
    if (table := _TABLE_FUNCTION.search(first)) is not None:
        return NameProblem(f"function {table[1]} does not exist", sqlstate="42883")
    if (column := _COLUMN.search(first)) is not None and _tells_of_column(first):
        return NameProblem(f'column "{column[1]}" does not exist', sqlstate="42703")
    if "GROUP BY" in first:
        return NotSupported(_lower(first), sqlstate="42803")
    if "No function matches" in first or "Cannot compare" in first:
        return TypeProblem(_lower(first), sqlstate="42883")
    return NotSupported(f"the catalog does not run this statement: {_lower(first)}")


def _tells_of_column(first: str) -> bool:
    return "not found" in first or "does not have" in first or "not exist" in first


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".!")
