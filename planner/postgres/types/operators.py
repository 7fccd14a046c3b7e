"""Operators that exist for a few pairs of types only, with their results.

Others of these symbols do not exist (42883). A bare text or NULL takes the type that an operator
needs; if several fit, a text is a text, as PostgreSQL prefers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.postgres.types.operands import is_open
from stategate.stores.spec.schema import BOOLEAN, INTEGER, JSON, JSONB, NULL, TEXT, DataType, Kind

TypeOf: TypeAlias = Callable[[exp.Expr], DataType | None]
_Choice: TypeAlias = tuple[DataType, DataType, DataType]
"""The types of the left side, of the right side and of the result."""

TEXTS = DataType(kind=Kind.ARRAY, element=TEXT)
NO_OPERATOR = (
    "No operator matches the given name and argument types. "
    "You might need to add explicit type casts."
)
"""PostgreSQL's hint."""


def _of_both(right: DataType, result: DataType | None = None) -> tuple[_Choice, ...]:
    return tuple((each, right, result or each) for each in (JSON, JSONB))


OPERATORS: Mapping[type[exp.Expr], tuple[str, tuple[_Choice, ...]]] = {
    exp.JSONExtract: ("->", (*_of_both(TEXT), *_of_both(INTEGER))),
    exp.JSONExtractScalar: ("->>", (*_of_both(TEXT, TEXT), *_of_both(INTEGER, TEXT))),
    exp.JSONBExtract: ("#>", _of_both(TEXTS)),
    exp.JSONBExtractScalar: ("#>>", _of_both(TEXTS, TEXT)),
    exp.JSONBContains: ("?", ((JSONB, TEXT, BOOLEAN),)),
    exp.JSONBContainsTopKey: ("?", ((JSONB, TEXT, BOOLEAN),)),
    exp.JSONBContainsAnyTopKeys: ("?|", ((JSONB, TEXTS, BOOLEAN),)),
    exp.JSONBContainsAllTopKeys: ("?&", ((JSONB, TEXTS, BOOLEAN),)),
    exp.JSONBPathExists: ("@?", ((JSONB, NULL, BOOLEAN),)),
    exp.JSONBDeleteAtPath: ("#-", ((JSONB, TEXTS, JSONB),)),
}
"""By type of node: the symbol, and what it takes."""
DOCUMENTS = frozenset({Kind.JSON, Kind.JSONB})
_AS_JSONB = frozenset({Kind.STRUCT, Kind.MAP})
"""Types that clients see as jsonb."""


def operator_result(node: exp.Expr, type_of: TypeOf) -> DataType | None:
    """Return the result type of an operator of `OPERATORS`; of an unknown type, that of json."""
    _, choices = OPERATORS[type(node)]
    found = _fitting(node, choices, type_of)
    return found[0][2] if found else None


def _fitting(node: exp.Expr, choices: tuple[_Choice, ...], type_of: TypeOf) -> list[_Choice]:
    left, right = node.this, node.expression
    return [
        choice
        for choice in choices
        if _fits(left, choice[0], type_of) and _fits(right, choice[1], type_of)
    ]


def _fits(node: exp.Expr, wanted: DataType, type_of: TypeOf) -> bool:
    found = None if is_open(node) else type_of(node)
    return found is None or _is_taken(found, wanted)


def _is_taken(found: DataType, wanted: DataType) -> bool:
    if found.element is not None and wanted.element is not None:
        return _is_taken(found.element, wanted.element)
    if wanted.kind is Kind.INTEGER:
        return found.kind in {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER}
    if wanted.kind is Kind.JSONB and found.kind in _AS_JSONB:
        return True
    return found.kind is wanted.kind or found.kind is Kind.NULL
