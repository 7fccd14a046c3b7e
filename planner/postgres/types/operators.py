"""Operators that exist for a few pairs of types only, with their results.

Others of these symbols do not exist (42883). A bare text or NULL takes the type that an operator
needs; if several fit, a text is a text, as PostgreSQL prefers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from planner.errors import MismatchedTypeError, UnknownNameError
from planner.postgres.types.operands import is_open
from planner.trees.nodes import position_of
from planner.values.array_types import depth_of, leaf_of
from planner.values.sqltypes import format_type
from stores.spec.schema import BOOLEAN, INTEGER, JSON, JSONB, NULL, TEXT, DataType, Kind

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
_CONTAINS = ((JSONB, JSONB, BOOLEAN),)
_LESS = tuple((JSONB, right, JSONB) for right in (TEXT, INTEGER, TEXTS))
_MIXED: Mapping[type[exp.Expr], tuple[str, tuple[_Choice, ...]]] = {
    exp.ArrayContainsAll: ("@>", _CONTAINS),
    exp.ArrayContainedBy: ("<@", _CONTAINS),
    exp.ArrayOverlaps: ("&&", ()),
    exp.Sub: ("-", _LESS),
    exp.Add: ("+", ()),
    exp.Mul: ("*", ()),
    exp.Div: ("/", ()),
    exp.Mod: ("%", ()),
    exp.Pow: ("^", ()),
}
"""Operators that json and jsonb share with other types; here are those of json and jsonb."""
SHARED = tuple(_MIXED)
_WITHOUT_ARRAYS = (exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps)
DOCUMENTS = frozenset({Kind.JSON, Kind.JSONB})
_AS_JSONB = frozenset({Kind.STRUCT, Kind.MAP})
"""Types that clients see as jsonb."""


def operator_result(node: exp.Expr, type_of: TypeOf) -> DataType | None:
    """Return the result type of an operator of `OPERATORS`; of an unknown type, that of json."""
    _, choices = OPERATORS[type(node)]
    found = _fitting(node, choices, type_of)
    return found[0][2] if found else None


def check_operator(node: exp.Expr, type_of: TypeOf) -> None:
    """Refuse an operator that does not exist for the types of its operands.

    Raises:
        MismatchedTypeError: no operator takes these types (42883).
        UnknownNameError: several fit, and PostgreSQL does not choose (42725).
    """
    if type(node) in OPERATORS:
        symbol, choices = OPERATORS[type(node)]
    else:
        symbol, choices = _MIXED[type(node)]
        kinds = {None if is_open(s) else _kind(s, type_of) for s in (node.this, node.expression)}
        if isinstance(node, _WITHOUT_ARRAYS):
            _check_elements(symbol, node, type_of)
        if isinstance(node, _WITHOUT_ARRAYS):
            is_own = not kinds & {Kind.ARRAY, None}
        else:
            is_own = Kind.ARRAY in kinds  # DuckDB joins arrays by `+`
        if not kinds & DOCUMENTS and not is_own:
            return
    found = _fitting(node, choices, type_of)
    if not found:
        raise no_operator(symbol, node, type_of)
    is_known = all(is_open(side) or type_of(side) for side in (node.this, node.expression))
    if is_known and is_open(node.this) and len({left for left, _, _ in found}) > 1:
        raise UnknownNameError(
            f"operator is not unique: {_shown(node.this, type_of)} {symbol} "
            f"{_shown(node.expression, type_of)}",
            hint="Could not choose a best candidate operator. "
            "You might need to add explicit type casts.",
            position=position_of(node.this),
            sqlstate="42725",
        )


def _check_elements(symbol: str, node: exp.Expr, type_of: TypeOf) -> None:
    """Refuse `bigint[] @> integer[]`: both arrays have elements of one type."""
    sides = [None if is_open(side) else type_of(side) for side in (node.this, node.expression)]
    kinds = {leaf_of(side).kind for side in sides if side is not None and depth_of(side)}
    if len(kinds - {Kind.NULL}) > 1:
        raise no_operator(symbol, node, type_of)


def no_operator(symbol: str, node: exp.Expr, type_of: TypeOf) -> MismatchedTypeError:
    """Return the error for an operator that does not exist for the types of its operands."""
    left, right = (_shown(side, type_of) for side in (node.this, node.expression))
    return MismatchedTypeError(
        f"operator does not exist: {left} {symbol} {right}",
        hint=NO_OPERATOR,
        position=position_of(node.expression) or position_of(node.this),
        sqlstate="42883",
    )


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


def _kind(node: exp.Expr, type_of: TypeOf) -> Kind | None:
    found = type_of(node)
    return None if found is None else found.kind


def _shown(node: exp.Expr, type_of: TypeOf) -> str:
    found = None if is_open(node) else type_of(node)
    return "unknown" if found is None else format_type(found)
