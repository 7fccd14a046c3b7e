"""Set operations of jsonb, which compare rows by content.

a UNION b        SELECT DISTINCT ON (key(c0)) c0 FROM (a UNION ALL b)
a INTERSECT b    SELECT first(c0) FROM (a, then b, with their side) GROUP BY key(c0)
                 HAVING both sides have rows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.document_keys import is_document, key_of
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_recursive
from stategate.planner.trees.nodes import Nodes, call, position_of, put, strip
from stategate.stores.spec.schema import DataType, Kind

_SETS = (exp.Union, exp.Intersect, exp.Except)
_MOVED = ("with_", "order", "limit", "offset")
_Columns: TypeAlias = Sequence[tuple[str, DataType | None]]


def set_columns(nodes: Nodes, types: Types) -> list[tuple[exp.SetOperation, _Columns]]:
    """Return the set operations with the names and types of their columns, innermost first."""
    found = [node for kind in _SETS for node in nodes.of(kind)]
    found.sort(key=lambda node: -node.depth)
    return [(node, types.columns.of_set(node)) for node in found]


def order_sets(
    tree: exp.Query, found: Sequence[tuple[exp.SetOperation, _Columns]], types: Types
) -> exp.Query:
    """Let set operations compare jsonb by content; return the tree, or what takes its place.

    Raises:
        NotSupportedError: INTERSECT ALL, EXCEPT ALL, or a recursive query.
    """
    for node, columns in found:
        if not any(is_document(each, Kind.JSONB) for _, each in columns):
            continue
        is_all = not node.args.get("distinct")
        if is_all and isinstance(node, exp.Union) and not node.args.get("order"):
            continue
        if is_recursive(node) or (is_all and not isinstance(node, exp.Union)):
            raise NotSupportedError(
                f"{node.key.upper()}{' ALL' * is_all} of jsonb is not supported here",
                hint="Compare the texts of the values.",
                position=position_of(node.expression),
            )
        holder = exp.Subquery()
        fresh = _written(node, holder, columns, types)
        if node is tree:
            tree = fresh
        else:
            is_side = isinstance(node.parent, exp.SetOperation)
            put(node, exp.Subquery(this=fresh) if is_side else fresh)
        holder.set("this", _all_rows(node))
    return tree


def _written(
    node: exp.SetOperation, holder: exp.Subquery, columns: _Columns, types: Types
) -> exp.Select:
    """Return the SELECT for a set operation, whose rows it takes from `holder`."""
    values: list[exp.Expr] = []
    keys: list[exp.Expr] = []
    side = exp.column("side", table="united", quoted=True)
    items: list[exp.Expr] = []
    for at, (_, found) in enumerate(columns):
        value = exp.column(f"c{at}", table="united", quoted=True)
        types.note(value, found)
        values.append(value)
        keys.append(key_of(value.copy(), found, types))
        is_jsonb = is_document(found, Kind.JSONB)
        items.append(call("arg_min", value.copy(), side.copy()) if is_jsonb else value)
    listed = [exp.to_identifier(f"c{at}", quoted=True) for at in range(len(columns))]
    fresh = exp.Select()
    if node.args.get("distinct"):
        listed.append(exp.to_identifier("side", quoted=True))
        fresh.set("group", exp.Group(expressions=keys))
        if not isinstance(node, exp.Union):
            fresh.set("having", exp.Having(this=_has_sides(node, side)))
    else:
        items = values
    named = zip(items, columns, strict=True)
    fresh.set("expressions", [exp.alias_(item, name, quoted=True) for item, (name, _) in named])
    holder.set("alias", exp.TableAlias(this=exp.to_identifier("united"), columns=listed))
    fresh.set("from_", exp.From(this=holder))
    for name in _MOVED:
        clause = node.args.get(name)
        node.set(name, None)
        fresh.set(name, clause)
    order = fresh.args.get("order")
    for term in () if order is None else order.expressions:
        _order_by_column(term, items, columns, types)
    return fresh


def _has_sides(node: exp.SetOperation, side: exp.Expr) -> exp.Expr:
    """Return the condition on the sides that have equal rows: both, or the left one alone."""
    first, last = call("min", side.copy()), call("max", side.copy())
    if isinstance(node, exp.Intersect):
        return exp.LT(this=first, expression=last)
    return exp.EQ(this=last, expression=exp.Literal.number(0))


def _all_rows(node: exp.SetOperation) -> exp.Expr:
    """Return the rows of both sides; each with its side, unless it is a UNION ALL."""
    if not node.args.get("distinct"):
        return node
    sides = [
        exp.select("*", exp.alias_(exp.Literal.number(at), "side", quoted=True)).from_(
            each if isinstance(each, exp.Subquery) else exp.Subquery(this=each)
        )
        for at, each in enumerate((node.this, node.expression))
    ]
    return exp.Union(this=sides[0], expression=sides[1], distinct=False)


def _order_by_column(
    term: exp.Expr, items: Sequence[exp.Expr], columns: _Columns, types: Types
) -> None:
    bare = strip(term.this)
    for at, (name, found) in enumerate(columns):
        if bare.name in {name, str(at + 1)}:
            term.set("this", key_of(items[at].copy(), found, types))
            return
