"""Numbers of different types in one place: CASE, UNION, ARRAY, comparisons and others.

DuckDB has 38 digits for a numeric. If one numeric has many digits before the decimal point and
another many after it, DuckDB rounds the latter away; PostgreSQL keeps them all. So the largest
scale stays here, and a value that does not fit is out of range.

DuckDB compares a real with another number as reals; PostgreSQL compares them as doubles. So both
become doubles here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sqlglot import exp

from planner.postgres.expressions.calls import rewrite_call
from planner.postgres.expressions.rules import Rule, hold_scale
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.operands import COMPARED, alternatives, compared
from planner.postgres.types.result_types import FLOATS, INTEGERS
from planner.trees.node_index import Nodes
from planner.trees.nodes import call, cast, strip, wrapped
from planner.values.sqltypes import duckdb_type
from stores.spec.schema import DOUBLE, DataType, Kind

_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL}
_PAIR = 2


def _agree_in_node(node: exp.Expr, types: Types) -> exp.Expr:
    """Give the alternatives of an expression one scale, then apply the rule of its name."""
    hold_scale(alternatives(node), types)
    fresh = rewrite_call(node, types)
    return (
        _in_pairs(node) if fresh is node and isinstance(node, exp.Greatest | exp.Least) else fresh
    )


def _in_pairs(node: exp.Expr) -> exp.Expr:
    """Write `least(a, b, c)` as `least(least(a, b), c)`.

    When DuckDB copies a query, it reads columns after the first argument as named arguments, and
    fails if a name comes twice.
    """
    given, name = [each.copy() for each in alternatives(node)], call_name(node)
    if len(given) <= _PAIR:
        return node
    while len(given) > 1:
        pairs = [given[at : at + _PAIR] for at in range(0, len(given), _PAIR)]
        given = [call(name, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    return node.replace(given[0])


def _nullif(node: exp.Expr, types: Types) -> exp.Expr:
    """Cast `nullif` to its type in PostgreSQL; in DuckDB it has the type of its first argument."""
    found, own = types.of(node), types.of(node.this)
    if found is None or own is None or found.kind is own.kind:
        return node
    return wrapped(node, lambda inner: cast(inner, duckdb_type(found)))


def agree_in_sets(node: exp.Expr, types: Types) -> exp.Expr:
    """Give each column of a set operation one scale; the outermost operation does it for all."""
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
    """Yield the SELECT list of each query of a set operation; it is empty if it has a star."""
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


def compare_as_doubles(nodes: Nodes, types: Types) -> None:
    """Cast reals to doubles where they are compared with other numbers, in place."""
    for kind in COMPARED:
        for node in nodes.of(kind):
            if isinstance(node, exp.In) and len(node.expressions) > 1:
                continue  # PostgreSQL finds one type for the whole list, which is real
            for one, *others in compared(node):
                _widen(node, [one, *(each for side in others for each in _listed(side))], types)


def _listed(side: exp.Expr) -> Sequence[exp.Expr]:
    """Return the elements that `= ANY (…)` compares with; for other sides, the side itself."""
    if not isinstance(side, exp.Any | exp.All):
        return [side]
    inner = strip(side.this)
    return inner.expressions if isinstance(inner, exp.Array) else [inner]


def _widen(node: exp.Expr, sides: Sequence[exp.Expr], types: Types) -> None:
    found = [(each, _element(types.of(each))) for each in sides]
    kinds = {each.kind for _, each in found if each is not None}
    if Kind.REAL not in kinds or not (kinds & _NUMBERS) - {Kind.REAL}:
        return
    for side, data_type in found:
        is_rows = isinstance(strip(side), exp.Query) or types.kind_of(side) is Kind.ARRAY
        if data_type is None or data_type.kind not in _NUMBERS or is_rows:
            continue
        types.note(wrapped(side, lambda inner: cast(inner, "DOUBLE")), DOUBLE)
        if isinstance(node, exp.Nullif) and side is sides[0]:
            held = duckdb_type(data_type)
            types.note(wrapped(node, partial(cast, data_type=held)), data_type)


def _element(data_type: DataType | None) -> DataType | None:
    is_array = data_type is not None and data_type.kind is Kind.ARRAY
    return data_type.element if data_type is not None and is_array else data_type


RULES: Mapping[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Case, exp.Coalesce, exp.Greatest, exp.Least, exp.Array), _agree_in_node),
    exp.Nullif: _nullif,
    exp.Values: _agree_in_values,
    exp.Except: agree_in_sets,
    exp.Intersect: agree_in_sets,
}
"""The rules, by type of node. The rule of UNION is in `rewrite`."""
