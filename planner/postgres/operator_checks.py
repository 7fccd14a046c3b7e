"""Refuses operators that do not exist for the types of their operands, or are not unique.

Which exist, `records.operators` says; how PostgreSQL chooses among them, `types.type_choice`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp

from stategate.planner.errors import (
    MismatchedTypeError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    UnknownNameError,
)
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.operands import (
    COMPARED,
    COMPARISONS,
    compared,
    is_open,
    members_of,
)
from stategate.planner.postgres.types.operators import NO_OPERATOR
from stategate.planner.postgres.types.output_columns import is_star
from stategate.planner.postgres.types.result_types import SYMBOLS
from stategate.planner.postgres.types.type_choice import UNKNOWN, choose, name_of
from stategate.planner.records.operators import INFIX, PREFIX, UNSUPPORTED, Operands
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, cast, position_of, strip
from stategate.planner.values.catalog_types import postgres_name
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import TEXT, DataType

_INFIX: Mapping[type[exp.Expr], str] = {
    **SYMBOLS,
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "#",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.DPipe: "||",
    **COMPARISONS,
    exp.NullSafeEQ: "=",
    exp.NullSafeNEQ: "=",
    exp.Nullif: "=",
    exp.In: "=",
    exp.Case: "=",
    exp.Between: ">=",
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.RegexpLike: "~",
    exp.RegexpILike: "~*",
    exp.SimilarTo: "~",
    exp.StartsWith: "^@",
    exp.AtTimeZone: "AT_TIME_ZONE",
    exp.JSONExtract: "->",
    exp.JSONExtractScalar: "->>",
    exp.JSONBExtract: "#>",
    exp.JSONBExtractScalar: "#>>",
    exp.JSONBDeleteAtPath: "#-",
    exp.JSONBContains: "?",
    exp.JSONBContainsTopKey: "?",
    exp.JSONBContainsAnyTopKeys: "?|",
    exp.JSONBContainsAllTopKeys: "?&",
    exp.JSONBPathExists: "@?",
    exp.ArrayContainsAll: "@>",
    exp.ArrayContainedBy: "<@",
    exp.ArrayOverlaps: "&&",
}
"""Nodes of operators with two sides, and of what compares as they do, with their symbols."""
_PREFIX: Mapping[type[exp.Expr], str] = {exp.Neg: "-", exp.BitwiseNot: "~", exp.Abs: "@"}


class MissingOperator(NamedTuple):
    """An operator that does not exist for its operands, is not unique, or is not supported."""

    use: str
    """The operator with the types of its operands."""
    fitting: int
    """How many operators of PostgreSQL fit; one that does is not supported."""
    position: int | None
    start: float
    """Where its first operand begins; infinite if that is not known."""

    def is_after(self, error: QueryError) -> bool:
        """Whether an error comes first: of a value before the operator, or the statement's end."""
        if isinstance(error, QueryCancelledError):
            return True
        of_value = error.sqlstate.startswith("22") and error.position is not None
        return of_value and (error.position or 0) < self.start

    def error(self) -> QueryError:
        """Return the error of a statement with it."""
        if self.fitting == 1:
            return NotSupportedError(
                f"the operator {self.use} is not supported", position=self.position
            )
        if self.fitting:
            return UnknownNameError(
                f"operator is not unique: {self.use}",
                hint="Could not choose a best candidate operator. "
                "You might need to add explicit type casts.",
                position=self.position,
                sqlstate="42725",
            )
        return MismatchedTypeError(
            f"operator does not exist: {self.use}",
            hint=NO_OPERATOR,
            position=self.position,
            sqlstate="42883",
        )


def missing_operator(nodes: Nodes, types: Types) -> MissingOperator | None:
    """Return the first operator that does not exist for its operands, or is not unique.

    Operands whose types are not certain are left to DuckDB.
    """
    found: list[MissingOperator] = []
    for node in nodes.in_turn(_INFIX):
        for left, right in _pairs(node):
            found += _missing(node, _INFIX[type(node)], (left, right), types)
    for node in nodes.in_turn(_PREFIX):
        if "name" not in node.meta:  # `abs(x)` is a call
            found += _missing(node, _PREFIX[type(node)], (node.this,), types)
    for node in nodes.of(exp.Paren):
        if "operator" in (node._meta or ()):
            found += _missing(node, "+", (node.this,), types)
    return min(found, key=lambda missing: missing.start, default=None)


def _pairs(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield the operands of a node, two by two."""
    if not isinstance(node, COMPARED):
        yield node.this, node.args["zone"] if isinstance(node, exp.AtTimeZone) else node.expression
        return
    query = node.args.get("query")
    if query is not None and (row := members_of(node.this)) is not None:
        yield from zip(row, _columns(query.unnest()), strict=False)
        return
    for first, *others in compared(node):
        left = _settled(first) if isinstance(node, exp.Case) else first
        for other in others:
            yield left, other


def _columns(query: exp.Expr) -> list[exp.Expr]:
    """Return what stands in the columns of a query, in VALUES a typed value; empty if unknown."""
    items = [each.unalias() for each in query.selects] if isinstance(query, exp.Query) else []
    if not any(map(is_star, items)):
        return [_settled(each) for each in items]
    values = query.find(exp.Values)
    if values is None or len(items) > 1 or not isinstance(values.parent, exp.From):
        return []
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    columns = zip(*rows, strict=False)
    return [next((e for e in each if not is_open(e)), _settled(each[0])) for each in columns]


def _settled(node: exp.Expr) -> exp.Expr:
    """Return an operand, or a text for a bare text or NULL that has become one."""
    return cast(node.copy(), "TEXT") if is_open(node) else node


def _missing(
    node: exp.Expr,
    symbol: str,
    operands: Sequence[exp.Expr],
    types: Types,
) -> Iterator[MissingOperator]:
    """Yield the operator of a node if it is missing."""
    checkpoint()
    given = [_operand(each, types) for each in operands]
    if None in given:
        return
    known = tuple(each for each in given if each is not None)
    found = _chosen(symbol, known)
    is_known = len(found) == 1
    if is_known and (symbol, found[0]) not in UNSUPPORTED and (symbol, *known) != ("-", "time"):
        return
    shown = [_shown(each, types) for each in operands]
    use = f" {symbol.replace('_', ' ')} ".join(shown) if len(shown) > 1 else f"{symbol} {shown[0]}"
    position = position_of(operands[-1]) or position_of(operands[0]) or position_of(node)
    starts = [position_of(each) or math.inf for each in operands[0].walk()]
    yield MissingOperator(use, len(found), position, min(starts))


@lru_cache(maxsize=1024)
def _chosen(symbol: str, given: Operands) -> list[Operands]:
    return choose((INFIX if len(given) == 2 else PREFIX)[symbol], given)


def _operand(node: exp.Expr, types: Types) -> str | None:
    """Return the name of an operand's type; None if it is not certain."""
    bare = strip(node)
    if is_open(bare):
        return UNKNOWN
    if isinstance(bare, exp.Tuple):
        return "record"
    within = strip(bare.this) if isinstance(bare, exp.Any | exp.All) else bare
    if within is not bare and not isinstance(within, exp.Query):
        listed = within.expressions
        if any(isinstance(each, exp.Parameter) and types.of(each) is None for each in listed):
            return None  # parameters take the type of what they are compared with
    found = _type(bare, types)
    return None if found is None else name_of(found)


def _type(bare: exp.Expr, types: Types) -> DataType | None:
    """Return the type of an operand; a bare text or NULL of a query is a text."""
    within = strip(bare.this) if isinstance(bare, exp.Any | exp.All) else bare
    if not isinstance(within, exp.Query):
        return value_type(bare, types)
    query = within.unnest()
    items = query.selects if isinstance(query, exp.Query) else []
    if len(items) == 1 and is_open(items[0].unalias()):
        return TEXT
    return types.of_query(query)


def _shown(node: exp.Expr, types: Types) -> str:
    found = None if is_open(node) else _type(strip(node), types)
    return UNKNOWN if found is None else format_type(found)


def check_inner_rows(nodes: Nodes, types: Types) -> None:
    """Refuse to compare rows within rows whose columns have different types.

    Rows that are compared have been written as comparisons of their columns. PostgreSQL fails as
    soon as it comes to such columns.
    """
    for node in nodes.in_turn(COMPARED):
        if isinstance(node, exp.In):
            rows = [members_of(each) for each in (node.this, *node.expressions)]
            members = [row for row in rows if row is not None]
            pairs = [pair for row in members[1:] for pair in zip(members[0], row, strict=False)]
        else:
            other = node.args.get("expression")
            pairs = [(node.this, other)] if isinstance(other, exp.Expr) else []
        for pair in pairs:
            if _differ(*pair, types):
                raise NotSupportedError(
                    "a comparison of rows within rows, whose columns have different types, is not "
                    "supported",
                    hint="Cast their columns to one type.",
                    position=position_of(node),
                )


def _differ(one: exp.Expr, other: exp.Expr, types: Types, *, is_inner: bool = False) -> bool:
    """Whether two rows have columns of different types; for columns, whether theirs differ."""
    first, second = members_of(one), members_of(other)
    if first is not None and second is not None:
        both = zip(first, second, strict=False)
        return any(_differ(*pair, types, is_inner=True) for pair in both)
    if not is_inner:
        return False
    found = types.of(one), types.of(other)
    shown = {(each.kind, postgres_name(each)) for each in found if each is not None}
    return is_open(one) or is_open(other) or (None not in found and len(shown) > 1)
