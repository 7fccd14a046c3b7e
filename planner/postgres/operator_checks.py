"""Refuses operators that do not exist for the types of their operands, or are not unique.

Which operators exist for json, and for times, `types.operators` and `types.result_types` say.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import MismatchedTypeError, NotSupportedError, UnknownNameError
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import COMPARED, is_open
from planner.postgres.types.operators import (
    DOCUMENTS,
    NO_OPERATOR,
    OPERATORS,
    SHARED,
    check_operator,
    no_operator,
)
from planner.postgres.types.result_types import FLOATS, INTEGERS, SYMBOLS
from planner.trees.nodes import Nodes, position_of, strip
from planner.values.catalog_types import postgres_name
from planner.values.sqltypes import HELD_AS_TEXT, format_type
from stores.spec.schema import Kind

_OF_TEXTS: Mapping[type[exp.Expr], str] = {
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.RegexpLike: "~",
    exp.RegexpILike: "~*",
    exp.SimilarTo: "~",
}
"""Operators that match a text with a pattern, as PostgreSQL's errors name them."""


def check_operators(nodes: Nodes, types: Types) -> None:
    """Refuse operators that do not exist for the types of their operands, or are not unique.

    Such are those of texts for values that are only held as texts, `u LIKE '6%'`.

    Raises:
        MismatchedTypeError: no operator takes these types (42883).
        UnknownNameError: no operand has a type, and several fit (42725).
    """
    for kind, symbol in _OF_TEXTS.items():
        for node in nodes.of(kind):
            kinds = {types.kind_of(side) for side in (node.this, node.expression)}
            if "name" not in node.meta and not kinds.isdisjoint(HELD_AS_TEXT):
                raise no_operator(symbol, node, types.of)
    for node in nodes.of(exp.DPipe):
        if not _joins(*(_open_kind(side, types) for side in (node.this, node.expression))):
            raise no_operator("||", node, types.of)
    for node in nodes.in_turn((*OPERATORS, *SHARED)):
        check_operator(node, types.of)
    for kind, symbol in _OF_OPEN.items():
        for node in nodes.of(kind):
            _check_open(node, symbol)
    _check_signs(nodes, types)
    _check_inner_rows(nodes, types)


def _check_signs(nodes: Nodes, types: Types) -> None:
    """Refuse a plus or minus before a value that is no number."""
    plus = [node for node in nodes.of(exp.Paren) if "operator" in (node._meta or ())]
    for node in (*nodes.of(exp.Neg), *plus):
        symbol = "-" if isinstance(node, exp.Neg) else "+"
        found = types.kind_of(node.this)
        if found is Kind.TIME and symbol == "-":
            raise NotSupportedError(
                "a time of day with a minus before it is not supported",
                hint="Cast it to interval.",
                position=position_of(node),
            )
        if found in DOCUMENTS or (symbol == "+" and found is not None and found not in _NUMBERS):
            of = types.of(node.this)
            shown = "unknown" if of is None else format_type(of)
            raise MismatchedTypeError(
                f"operator does not exist: {symbol} {shown}",
                hint=NO_OPERATOR,
                position=position_of(node),
                sqlstate="42883",
            )


def _check_inner_rows(nodes: Nodes, types: Types) -> None:
    """Refuse to compare rows within rows whose columns have different types.

    Rows that are compared have been written as comparisons of their columns. PostgreSQL fails as
    soon as it comes to such columns.
    """
    for node in nodes.in_turn(COMPARED):
        if isinstance(node, exp.In):
            rows = [_members(each) for each in (node.this, *node.expressions)]
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
    first, second = _members(one), _members(other)
    if first is not None and second is not None:
        both = zip(first, second, strict=False)
        return any(_differ(*pair, types, is_inner=True) for pair in both)
    if not is_inner:
        return False
    found = types.of(one), types.of(other)
    shown = {(each.kind, postgres_name(each)) for each in found if each is not None}
    return is_open(one) or is_open(other) or (None not in found and len(shown) > 1)


def _members(node: exp.Expr) -> list[exp.Expr] | None:
    """Return the members of a row that is written out; None for other nodes."""
    bare = strip(node)
    is_call = isinstance(bare, exp.Anonymous) and bare.name.lower() == "row"
    return bare.expressions if is_call or isinstance(bare, exp.Tuple) else None


_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}
_OF_OPEN: Mapping[type[exp.Expr], str] = {
    **{kind: symbol for kind, symbol in SYMBOLS.items() if kind is not exp.Pow},
    exp.Neg: "-",
    exp.BitwiseNot: "~",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "#",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.ArrayContainsAll: "@>",
    exp.ArrayContainedBy: "<@",
    exp.ArrayOverlaps: "&&",
    exp.JSONBContainsAnyTopKeys: "?|",
}
"""Operators of which bare texts and NULLs mean none, as PostgreSQL names them."""


def _check_open(node: exp.Expr, symbol: str) -> None:
    """Refuse an operator none of whose operands has a type."""
    sides = [node.this] if isinstance(node, exp.Unary) else [node.this, node.expression]
    if all(map(is_open, sides)):
        raise UnknownNameError(
            f"operator is not unique: {'unknown ' * (len(sides) - 1)}{symbol} unknown",
            hint="Could not choose a best candidate operator. "
            "You might need to add explicit type casts.",
            position=position_of(node),
            sqlstate="42725",
        )


def _open_kind(node: exp.Expr, types: Types) -> Kind | None:
    return Kind.NULL if is_open(node) else types.kind_of(node)


def _joins(left: Kind | None, right: Kind | None) -> bool:
    """Whether `||` takes these types: one side is a text, or both have a `||` of their own."""
    if {left, right}.isdisjoint(_JOINED) and not left is right is Kind.BYTEA:
        return False
    for one, other in ((left, right), (right, left)):
        if one is Kind.JSON:
            return other in {Kind.TEXT, Kind.NULL, Kind.ARRAY, None}
        if one is Kind.JSONB:
            return other in {Kind.JSONB, *_JOINED}
    return True


_JOINED = frozenset({Kind.TEXT, Kind.NULL, Kind.ARRAY, Kind.STRUCT, Kind.MAP, Kind.JSONB, None})
"""Types that `||` takes beside most others."""
