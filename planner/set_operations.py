"""The columns of UNION, EXCEPT and INTERSECT: of one type each, which text literals take.

DuckDB makes texts of what does not go together. Source: select_common_type of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlglot import exp

from planner.errors import TypeProblem
from planner.inference import TIMES, Types
from planner.literals import adopt
from planner.predicates import strip
from planner.result_types import FLOATS, INTEGERS, common_type
from planner.sqltypes import duckdb_type, spelled_type
from planner.trees import cast, position_of
from planner.walk import Nodes, kinds
from stores.schema import TEXT, DataType, Kind

_Column: TypeAlias = tuple[DataType | None, exp.Expr | None]
"""Its type, None if that is not certain; and the text literal that it is, of no type yet."""
_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}
_KINDS = (exp.Union, exp.Except, exp.Intersect)
_EITHER = kinds(*_KINDS)


def match_types(nodes: Nodes, types: Types) -> None:
    """Give text literals the types of the columns that they stand below or above.

    Raises:
        ValueProblem: one is no value of that type (22P02).
        TypeProblem: two columns have types that do not go together (42804).
    """
    for kind in _KINDS:
        for node in reversed(nodes.of(kind)):
            _columns(node, types)
    if nodes.has(_EITHER):
        nodes.renew()


def _columns(query: exp.Expr | None, types: Types) -> Sequence[_Column] | None:
    """The columns of a query; None if it is not certain how many there are."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if isinstance(query, _KINDS):
        sides = [_columns(side, types) for side in (query.this, query.expression)]
        if None in sides:
            return None
        left, right = (side or () for side in sides)
        return [_matched(query, one, other, types) for one, other in zip(left, right, strict=False)]
    if not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return None
    return [_column(item.unalias(), types) for item in query.expressions]


def _column(node: exp.Expr, types: Types) -> _Column:
    bare = strip(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        return None, bare
    return types.of(node), None


def _matched(query: exp.Expr, one: _Column, other: _Column, types: Types) -> _Column:
    """The column that two make; literals of no type are texts, if both are."""
    if one[1] is not None and other[1] is not None:
        return TEXT, None
    for (_, literal), (found, _) in ((one, other), (other, one)):
        if literal is not None:
            _adopt(literal, found, types)
            return found, None
    left, right = one[0], other[0]
    if left is None or right is None:
        return None, None
    if Kind.NULL in {left.kind, right.kind}:
        return right if left.kind is Kind.NULL else left, None
    if not _go_together(left, right):
        raise TypeProblem(
            f"{query.key.upper()} types {spelled_type(left)} and {spelled_type(right)} "
            "cannot be matched",
            position=position_of(query.expression),
        )
    return common_type((left, right)), None


def _adopt(literal: exp.Expr, found: DataType | None, types: Types) -> None:
    assert isinstance(literal, exp.Literal)
    adopted = adopt(literal, found, types)
    if adopted is None:
        return
    found = adopted
    fresh = cast(literal.copy(), duckdb_type(found))
    literal.replace(fresh)
    types.note(fresh, found)


def _go_together(one: DataType, other: DataType) -> bool:
    kinds = {one.kind, other.kind}
    return len(kinds) == 1 or kinds <= _NUMBERS or kinds <= TIMES
