"""Numerics of different scales where one type must hold them all: CASE, UNION, ARRAY and others.

DuckDB has 38 digits for a numeric. Where the digits in front of one's point and those behind
another's are more, it keeps those in front and rounds the others away; here the scale stays, as in
PostgreSQL, and what does not fit is out of range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from planner.postgres.expressions.calls import rewrite_call
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import alternatives
from planner.postgres.types.rules import Rule, hold_scale
from planner.trees.nodes import call, cast, wrapped
from planner.values.sqltypes import duckdb_type


def _agree(node: exp.Expr, types: Types) -> exp.Expr:
    """Alternatives of one expression, whose name may have a rule of its own."""
    hold_scale(alternatives(node), types)
    fresh = rewrite_call(node, types)
    return (
        _in_pairs(node) if fresh is node and isinstance(node, exp.Greatest | exp.Least) else fresh
    )


def _in_pairs(node: exp.Expr) -> exp.Expr:
    """`least(a, b, c)` as `least(least(a, b), c)`.

    Where DuckDB copies a query, it takes the names of columns behind the first argument for those
    of named arguments, which may not occur twice.
    """
    given, name = [each.copy() for each in alternatives(node)], call_name(node)
    if len(given) <= _PAIR:
        return node
    while len(given) > 1:
        pairs = [given[at : at + _PAIR] for at in range(0, len(given), _PAIR)]
        given = [call(name, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    return node.replace(given[0])


_PAIR = 2


def _nullif(node: exp.Expr, types: Types) -> exp.Expr:
    """In DuckDB it has the type of the first in any case."""
    found, own = types.of(node), types.of(node.this)
    if found is None or own is None or found.kind is own.kind:
        return node
    return wrapped(node, lambda inner: cast(inner, duckdb_type(found)))


def agree_in_sets(node: exp.Expr, types: Types) -> exp.Expr:
    """The columns of all queries that a set operation joins; done by the outermost."""
    assert isinstance(node, exp.SetOperation)
    outer = node.parent
    while isinstance(outer, exp.Subquery | exp.Paren):
        outer = outer.parent
    if not isinstance(outer, exp.SetOperation):
        _agree_in_columns(list(_branches(node)), types)
    return node


def _agree_in_values(node: exp.Expr, types: Types) -> exp.Expr:
    if not isinstance(node.parent, exp.SetOperation):
        _agree_in_columns(list(_branches(node)), types)
    return node


def _agree_in_columns(branches: Sequence[Sequence[exp.Expr]], types: Types) -> None:
    if all(branches) and len({len(branch) for branch in branches}) == 1:
        for column in zip(*branches, strict=True):
            hold_scale([item.unalias() for item in column], types)


def _branches(tree: exp.Expr) -> Iterator[Sequence[exp.Expr]]:
    """What each query of a set operation selects; nothing for one whose columns are not told."""
    if isinstance(tree, exp.SetOperation):
        yield from _branches(tree.this)
        yield from _branches(tree.expression)
    elif isinstance(tree, exp.Subquery | exp.Paren):
        yield from _branches(tree.this)
    elif isinstance(tree, exp.Values):
        for row in tree.expressions:
            yield row.expressions if isinstance(row, exp.Tuple) else (row,)
    elif isinstance(tree, exp.Select):
        values = tree.args["from_"].this if tree.is_star and tree.args.get("from_") else None
        if isinstance(values, exp.Values) and len(tree.expressions) == 1:
            yield from _branches(values)
        else:
            yield () if tree.is_star else tree.expressions
    else:
        yield ()


RULES: Mapping[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Case, exp.Coalesce, exp.Greatest, exp.Least, exp.Array), _agree),
    exp.Nullif: _nullif,
    exp.Values: _agree_in_values,
    exp.Except: agree_in_sets,
    exp.Intersect: agree_in_sets,
}
"""Which rule reads which nodes; UNION is read by `meaning`, too."""
