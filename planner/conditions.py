"""Comparisons of rows, and what AND, OR, NOT, WHERE and HAVING take."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import TypeProblem
from planner.inference import Types
from planner.predicates import strip
from planner.rewriting import Rule
from planner.trees import position_of
from stores.schema import Kind


def _compare_rows(node: exp.Expr, types: Types) -> exp.Expr:
    """(a, b) = (c, d) is NULL if that is not certain; in DuckDB NULL equals NULL in a row."""
    del types
    left, right = _strip_row(node.this), _strip_row(node.expression)
    if not (isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)):
        return node
    pairs = list(zip(left.expressions, right.expressions, strict=False))
    if len(left.expressions) != len(right.expressions) or not pairs:
        return node
    compared = [type(node)(this=a.copy(), expression=b.copy()) for a, b in pairs]
    joined = exp.and_(*compared) if isinstance(node, exp.EQ) else exp.or_(*compared)
    fresh = exp.Paren(this=joined)
    return node.replace(fresh)


def _strip_row(node: exp.Expr) -> exp.Expr:
    """A row, whether or not ROW is written."""
    is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
    return exp.Tuple(expressions=node.expressions) if is_row else node


def _predicate(node: exp.Expr, types: Types) -> exp.Expr:
    """AND, OR, NOT, WHERE and HAVING take booleans only."""
    sides = [node.this, node.expression] if isinstance(node, exp.And | exp.Or) else [node.this]
    for side in sides:
        found = types.of(side)
        literal = isinstance(strip(side), exp.Literal) and strip(side).is_string
        if found is not None and not literal and found.kind not in {Kind.BOOLEAN, Kind.NULL}:
            raise TypeProblem(
                f"argument of {node.key.upper()} must be type boolean, not type {found}",
                position=position_of(side),
            )
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.EQ: _compare_rows,
    exp.NEQ: _compare_rows,
    exp.And: _predicate,
    exp.Or: _predicate,
    exp.Not: _predicate,
    exp.Where: _predicate,
    exp.Having: _predicate,
}
"""Which rule reads which nodes."""
