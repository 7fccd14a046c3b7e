"""LIKE, `~` and SIMILAR TO. Functions that take a pattern are in `pattern_calls`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import NotSupported
from planner.inference import Types
from planner.patterns import regular_expression, similar_to
from planner.predicates import strip
from planner.rewriting import Rule
from planner.trees import position_of, wrapped


def _like(node: exp.Expr, types: Types) -> exp.Expr:
    r"""LIKE escapes with `\` unless ESCAPE says otherwise; in DuckDB nothing does."""
    del types
    pattern = strip(node.expression)
    is_plain = isinstance(pattern, exp.Literal) and "\\" not in pattern.name
    if isinstance(node.parent, exp.Escape) or is_plain or isinstance(pattern, exp.Any | exp.All):
        return node
    return wrapped(node, lambda inner: exp.Escape(this=inner, expression=exp.Literal.string("\\")))


def _regexp(node: exp.Expr, types: Types) -> exp.Expr:
    """`~` and `~*`."""
    del types
    pattern = strip(node.expression)
    if isinstance(pattern, exp.Literal):
        found = regular_expression(pattern.name, position_of(pattern))
        pattern.replace(exp.Literal.string(found))
    return node


def _similar(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    pattern = strip(node.expression)
    if not isinstance(pattern, exp.Literal):
        raise NotSupported(
            "SIMILAR TO takes a pattern that is written out",
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
"""Which rule reads which nodes."""
