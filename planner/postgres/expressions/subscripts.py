"""Rules for `a[i]` and `a[i:j]`.

DuckDB counts negative subscripts from an array's end; PostgreSQL has no elements there. The vectors
of the catalog (`pg_index.indkey`) begin at 0, as do the arrays that they are cast to, and names.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.rules import Rule
from planner.postgres.types.inference import Types
from planner.trees.nodes import call, strip
from planner.values.catalog_types import NAME, first_subscript
from stores.spec.schema import Kind


def _subscript(node: exp.Expr, types: Types) -> exp.Expr:
    owner = types.of(node.this)
    if owner == NAME and len(node.expressions) == 1:
        character = call("pg_sg_character", node.this.copy(), node.expressions[0].copy())
        return node.replace(character)
    if owner is None or owner.kind is not Kind.ARRAY or len(node.expressions) != 1:
        return node
    place = node.expressions[0]
    first = first_subscript(owner)
    if isinstance(place, exp.Slice):
        start, stop = (_place(place.args.get(end), first) for end in ("this", "expression"))
        start = start or exp.Literal.number(1)
        stop = stop or call("len", node.this.copy())
        fresh = call("pg_sg_slice", node.this.copy(), start, stop)
        return node.replace(fresh)
    plain = strip(place)
    if first == 1 and isinstance(plain, exp.Literal) and plain.name.isdigit():
        return node
    counted = _place(place, first)
    assert counted is not None
    fresh = call("pg_sg_element", node.this.copy(), counted)
    return node.replace(fresh)


def _place(node: exp.Expr | None, first: int) -> exp.Expr | None:
    """Return a subscript counted from 1."""
    if node is None or first == 1:
        return None if node is None else node.copy()
    return exp.Add(this=exp.Paren(this=node.copy()), expression=exp.Literal.number(1 - first))


RULES: Mapping[type[exp.Expr], Rule] = {exp.Bracket: _subscript}
"""The rules, by type of node."""
