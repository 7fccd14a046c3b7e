"""Rules for statistics of doubles, where DuckDB's result for odd input is another.

| input | PostgreSQL | DuckDB |
|---|---|---|
| one value that is infinite or NaN | its variance is NaN | 0 |
| x is constant | `corr`, `regr_slope`, `regr_intercept` and `regr_r2` are NULL | NaN |
| y is constant | `corr` is NULL | NaN |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.postgres.expressions.rules import CallRule
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import FLOATS
from stategate.planner.trees.nodes import aggregate_call, outermost, put, wrapped


def beside(aggregate: exp.Expr, node: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Return another aggregate with the FILTER and OVER of one.

    Args:
        aggregate: the aggregate with its FILTER and OVER.
        node: the aggregate alone.
        other: the other one alone.
    """
    if aggregate is node:
        return other
    holder = exp.Paren(this=aggregate.copy())
    inner: exp.Expr = holder.this
    while type(inner) is not type(node):
        inner = inner.this
    put(inner, other)
    made: exp.Expr = holder.this
    return made


def _of_population(node: exp.Expr, given: list[exp.Expr], types: Types) -> None:
    """Add `0 * min(x)`: NaN if the only value is infinite or NaN, and otherwise 0."""
    if types.kind_of(given[0]) not in FLOATS:
        return
    aggregate, known = outermost(node), types.of(node)
    least = beside(aggregate, node, aggregate_call("min", given[0].copy()))
    nothing = exp.Mul(this=exp.Literal.number(0), expression=least)
    fresh = wrapped(
        aggregate, lambda inner: exp.Paren(this=exp.Add(this=inner, expression=nothing))
    )
    types.note(fresh, known)


def _without_spread(constant: Sequence[str]) -> CallRule:
    """Return a rule that makes a statistic NULL where one of the given sums of squares is 0."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> None:
        aggregate, known = outermost(node), types.of(node)
        spreads = [
            exp.EQ(
                this=beside(
                    aggregate, node, aggregate_call(name, *(each.copy() for each in given))
                ),
                expression=exp.Literal.number(0),
            )
            for name in constant
        ]
        nothing = exp.If(this=exp.or_(*spreads), true=exp.null())
        fresh = wrapped(aggregate, lambda inner: exp.Case(ifs=[nothing], default=inner))
        types.note(fresh, known)

    return rule


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("var_pop", "stddev_pop"), _of_population),
    "corr": _without_spread(("regr_sxx", "regr_syy")),
    **dict.fromkeys(("regr_slope", "regr_intercept", "regr_r2"), _without_spread(("regr_sxx",))),
}
"""The rules, by name of function."""
