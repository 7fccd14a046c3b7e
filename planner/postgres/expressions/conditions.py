"""Comparisons of rows, and what AND, OR, NOT, WHERE and HAVING take."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import MismatchedTypeError, NotSupportedError
from planner.postgres.expressions.row_comparisons import as_row, spelled_comparison
from planner.postgres.expressions.volatile import check_copied
from planner.postgres.types import object_names
from planner.postgres.types.inference import Types
from planner.postgres.types.rules import Rule, hold_scale
from planner.trees.nodes import cast, position_of, strip
from planner.values.sqltypes import duckdb_type
from stores.spec.schema import Kind

SPELLED_MAX = 16
"""Longer lists of rows are not spelled out."""


def _compare(node: exp.Expr, types: Types) -> exp.Expr:
    object_names.compared(node, types)
    _hold_scale(node, types)
    return node


def _hold_scale(node: exp.Expr, types: Types) -> None:
    """Compare numerics with those of arrays and subqueries by all their digits.

    DuckDB makes one type of both, which can have less of a fraction than either.
    """
    other = node.args.get("query") or node.expression
    is_many = isinstance(other, exp.Any | exp.All)
    other = strip(other.this if is_many else other)
    while isinstance(other, exp.Subquery):
        other = other.this
    if isinstance(other, exp.Select) and len(other.selects) == 1:
        other = other.selects[0].unalias()
    elif not is_many and types.kind_of(other) is not Kind.ARRAY:
        return  # DuckDB compares two values, and the members of a list, as they are
    if not isinstance(other, exp.Query | exp.Star):
        hold_scale([node.this, other], types)


def _compare_arrays(node: exp.Expr, types: Types) -> exp.Expr:
    hold_scale([node.this, node.expression], types)
    return node


def _find_row(node: exp.Expr, types: Types) -> exp.Expr:
    """`(a, b) IN ((1, 2), …)` is NULL where a comparison is; in DuckDB NULL equals NULL in a row.

    A long list is one of a subquery's rows, of which DuckDB says so, too: thousands of alternatives
    take it minutes.
    """
    if node.args.get("query") is not None:
        _hold_scale(node, types)
    row = as_row(node.this)
    members = [as_row(member) for member in node.expressions]
    if not isinstance(row, exp.Tuple) or not all(isinstance(m, exp.Tuple) for m in members):
        return node
    if not members:
        return node
    is_constant = not any(member.find(exp.Column, exp.Query) for member in members)
    if len(members) > SPELLED_MAX and is_constant:
        listed = [_typed(row, member, types) for member in members]
        values = exp.Values(expressions=listed, alias=exp.TableAlias(this=exp.to_identifier("v")))
        query = exp.Subquery(this=exp.select("*").from_(values))
        return node.replace(exp.In(this=row.copy(), query=query))
    if len(members) > 1:
        check_copied(row.expressions)
    spelled = (spelled_comparison(exp.EQ, row, member) for member in members)
    each = [condition for condition in spelled if condition is not None]
    return node.replace(exp.Paren(this=exp.or_(*each)))


def _typed(row: exp.Expr, member: exp.Expr, types: Types) -> exp.Expr:
    """A row of a list, its text literals of the types that they are compared with."""
    values: list[exp.Expr] = []
    for column, value in zip(row.expressions, member.expressions, strict=True):
        found = types.of(column)
        is_text = isinstance(value, exp.Literal) and value.is_string
        plain = value.copy()
        values.append(cast(plain, duckdb_type(found)) if is_text and found is not None else plain)
    return exp.Tuple(expressions=values)


def _row_is_null(node: exp.Expr, types: Types) -> exp.Expr:
    """A row is NULL if all its values are, and NOT NULL if none is: it can be neither."""
    row = as_row(node.this)
    if not isinstance(strip(node.expression), exp.Null):
        return node
    places = types.columns.of_row(row) if isinstance(row, exp.Column) else None
    if places:
        # `n IS NULL` of a FROM item; DuckDB's row of nothing but NULLs is none.
        columns = [exp.column(name, table=item, quoted=True) for item, name in places]
        row = exp.Tuple(expressions=columns)
    if not isinstance(row, exp.Tuple):
        return node
    negate = node.args.get("negate")
    each = [
        exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null(), negate=negate)
        for value in row.expressions
    ]
    return node.replace(exp.Paren(this=exp.and_(*each)) if each else exp.true())


def _order(node: exp.Expr, types: Types) -> exp.Expr:
    """The order of rows and of nested values."""
    _check_subquery(node)
    _hold_scale(node, types)
    return _order_nested(node, types)


def _check_subquery(node: exp.Expr) -> None:
    """Refuse the order of a row and a subquery's: DuckDB knows only whether they are equal."""
    row = as_row(node.this)
    if isinstance(row, exp.Tuple) and isinstance(node.expression, exp.Any | exp.All):
        raise NotSupportedError(
            "the order of a row and those of a subquery is not supported",
            hint="Compare the columns one by one.",
            position=position_of(node),
        )


def _order_nested(node: exp.Expr, types: Types) -> exp.Expr:
    """`coalesce(a >= b, NULL)` for `a >= b` of arrays, structs and maps.

    From two such conditions on one column, DuckDB makes a BETWEEN, which it cannot run for them.
    """
    other = node.args["low"] if isinstance(node, exp.Between) else node.expression
    if not {types.kind_of(node.this), types.kind_of(other)} & {Kind.ARRAY, Kind.STRUCT, Kind.MAP}:
        return node
    return node.replace(exp.Coalesce(this=node.copy(), expressions=[exp.null()]))


def _predicate(node: exp.Expr, types: Types) -> exp.Expr:
    """AND, OR, NOT, WHERE and HAVING take booleans only."""
    sides = [node.this, node.expression] if isinstance(node, exp.And | exp.Or) else [node.this]
    for side in sides:
        found = types.of(side)
        literal = isinstance(strip(side), exp.Literal) and strip(side).is_string
        if found is not None and not literal and found.kind not in {Kind.BOOLEAN, Kind.NULL}:
            raise MismatchedTypeError(
                f"argument of {node.key.upper()} must be type boolean, not type {found}",
                position=position_of(side),
            )
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.EQ: _compare,
    exp.NEQ: _compare,
    **dict.fromkeys((exp.LT, exp.LTE, exp.GT, exp.GTE), _order),
    exp.Between: _order_nested,
    exp.In: _find_row,
    exp.Is: _row_is_null,
    exp.ArrayOverlaps: _compare_arrays,
    exp.And: _predicate,
    exp.Or: _predicate,
    exp.Not: _predicate,
    exp.Where: _predicate,
    exp.Having: _predicate,
}
"""Which rule reads which nodes."""
