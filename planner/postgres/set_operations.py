"""The types of the columns of UNION, EXCEPT, INTERSECT and VALUES.

PostgreSQL gives text literals the type of their column, and refuses types that do not match. DuckDB
makes texts of them. Source: select_common_type of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlglot import exp

from planner.postgres.types.inference import Types
from planner.postgres.types.literals import adopt, check_alike
from planner.postgres.types.result_types import common_type
from planner.trees.node_index import Nodes, kinds
from planner.trees.nodes import cast, strip
from planner.values.sqltypes import duckdb_type
from stores.spec.schema import TEXT, DataType, Kind

_Column: TypeAlias = tuple[DataType | None, exp.Expr | None]
"""A column's type, None if it is not certain, and the literal if it is a text without a type."""
_KINDS = (exp.Union, exp.Except, exp.Intersect)
_EITHER = kinds(*_KINDS, exp.Values)


def match_types(nodes: Nodes, types: Types) -> None:
    """Give text literals the types of their columns, in place.

    Raises:
        InvalidValueError: a literal is not a value of that type (22P02).
        MismatchedTypeError: two types of a column do not match (42804).
    """
    for values in nodes.of(exp.Values):
        _match_rows(values, types)
    for kind in _KINDS:
        for node in reversed(nodes.of(kind)):
            _columns(node, types)
    if nodes.has(_EITHER):
        nodes.renew()


def _match_rows(values: exp.Expr, types: Types) -> None:
    """Match the columns of VALUES: all rows count alike."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    for column in zip(*rows, strict=False):
        cells = [_column(item, types) for item in column]
        literals = [literal for _, literal in cells if literal is not None]
        found = [data_type for data_type, literal in cells if literal is None]
        known = [each for each in found if each is not None and each.kind is not Kind.NULL]
        if None in found or not known:
            continue
        check_alike(known, "VALUES", values)
        for literal in literals:
            _adopt(literal, common_type(known), types)


def _columns(query: exp.Expr | None, types: Types) -> Sequence[_Column] | None:
    """Return the columns of a query; None if their number is not certain."""
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
    """Return the column that two columns make; two literals without a type make a text."""
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
    check_alike((left, right), query.key.upper(), query.expression)
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
