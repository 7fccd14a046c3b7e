"""Rules for LIKE, `~` and SIMILAR TO. Functions with a pattern are in `pattern_calls`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import NotSupportedError
from planner.postgres.expressions.rules import Rule
from planner.postgres.types.inference import Types
from planner.postgres.types.pattern_texts import regular_expression, similar_to
from planner.trees.nodes import call, position_of, strip, wrapped
from stores.spec.schema import BOOLEAN

ALTERNATIVES_MAX = 100
"""Most written patterns that are compared one by one; more become a list."""


def _of_many(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `LIKE ANY (array)` and its kin as one comparison for each pattern; NULL is unknown."""
    many = node.expression
    is_any, array = isinstance(many, exp.Any), strip(many.this)
    if isinstance(array, exp.Cast) and isinstance(strip(array.this), exp.Array):
        array = strip(array.this)
    if isinstance(array, exp.Query):
        array = exp.Array(expressions=[array.copy()])
    is_list = isinstance(array, exp.Array) and not array.find(exp.Query)
    if is_list and 0 < len(array.expressions) <= ALTERNATIVES_MAX:
        parts = [_one(node, pattern.copy()) for pattern in array.expressions]
        joined = (exp.or_ if is_any else exp.and_)(*parts, copy=False)
        fresh: exp.Expr = node.replace(exp.Paren(this=joined))
        for part in parts:
            types.note(part, BOOLEAN)
            RULES[type(node)](part, types)
        return fresh
    pattern = exp.to_identifier("pattern", quoted=True)
    one = _one(node, exp.column(pattern.copy()))
    if isinstance(one, exp.Like | exp.ILike):
        one = exp.Escape(this=one, expression=exp.Literal.string("\\"))
    each = exp.Lambda(this=one, expressions=[pattern])
    found = call("list_transform", array.copy(), each)
    return node.replace(call("pg_sg_any" if is_any else "pg_sg_all", found))


def _one(node: exp.Expr, pattern: exp.Expr) -> exp.Expr:
    fresh = node.copy()
    fresh.set("expression", pattern)
    return fresh


def _like(node: exp.Expr, types: Types) -> exp.Expr:
    r"""Add ESCAPE '\' to LIKE: it is PostgreSQL's default, and DuckDB has none."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _of_many(node, types)
    pattern = strip(node.expression)
    is_plain = isinstance(pattern, exp.Literal) and "\\" not in pattern.name
    if isinstance(node.parent, exp.Escape) or is_plain:
        return node
    return wrapped(node, lambda inner: exp.Escape(this=inner, expression=exp.Literal.string("\\")))


def _regexp(node: exp.Expr, types: Types) -> exp.Expr:
    """Write the pattern of `~` and `~*` for RE2."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _of_many(node, types)
    pattern = strip(node.expression)
    if isinstance(pattern, exp.Literal):
        found = regular_expression(pattern.name, position_of(pattern))
        pattern.replace(exp.Literal.string(found))
    return node


def _similar(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    pattern = strip(node.expression)
    if not isinstance(pattern, exp.Literal):
        raise NotSupportedError(
            "SIMILAR TO requires its pattern as a literal",
            hint="Use ~ with a regular expression.",
            position=position_of(node),
        )
    escape = node.parent.expression.name if isinstance(node.parent, exp.Escape) else "\\"
    fresh = exp.RegexpLike(
        this=node.this.copy(), expression=exp.Literal.string(similar_to(pattern.name, escape))
    )
    (node.parent if isinstance(node.parent, exp.Escape) else node).replace(fresh)
    return fresh


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: _regexp,
    exp.RegexpILike: _regexp,
    exp.SimilarTo: _similar,
}
"""The rules, by type of node."""
