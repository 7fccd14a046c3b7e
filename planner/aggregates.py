"""`avg` and `sum` in Postgres's meaning: exact where their arguments are, and of its types."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from planner.arithmetic import quotient
from planner.errors import TypeProblem
from planner.inference import NUMERIC, Types, arguments, as_decimal
from planner.interval_calls import interval_sum
from planner.predicates import strip
from planner.rewriting import Rule
from planner.trees import call, cast, outermost, position_of, wrapped
from stores.schema import DataType, Kind

_SUMS = {
    Kind.REAL: "REAL",
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER), "BIGINT"),
}
"""What a sum is, where it is not what DuckDB makes it."""


def _average(node: exp.Expr, types: Types) -> exp.Expr:
    """The avg of exact numbers is numeric: their sum, which is exact, by their number."""
    of = _only_type(node, types)
    exact = as_decimal(of)
    if exact is None or of is None:
        return node
    aggregate = outermost(node)
    total = _swapped(aggregate, lambda inner: exp.Sum(this=inner))
    count = _swapped(aggregate, lambda inner: exp.Count(this=inner))
    fresh = quotient(total, call("nullif", count, exp.Literal.number(0)), exact.scale, 0)
    types.note(fresh, NUMERIC)
    aggregate.replace(fresh)
    return fresh


def _swapped(aggregate: exp.Expr, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Another aggregate of the same argument, with the same FILTER and OVER."""
    holder = exp.Paren(this=aggregate.copy())
    inner: exp.Expr = holder.this
    while not isinstance(inner, exp.Avg):
        inner = inner.this
    inner.replace(make(inner.this.copy()))
    made: exp.Expr = holder.this
    return made


def _only_type(node: exp.Expr, types: Types) -> DataType | None:
    found = arguments(node)
    return types.of(found[0]) if found else None


def _sum(node: exp.Expr, types: Types) -> exp.Expr:
    """The sum of integers is bigint, of reals real; DuckDB's are wider."""
    of = _only_type(node, types)
    if of is None:
        return node
    if of.kind is Kind.INTERVAL:
        aggregate = outermost(node)
        fresh = interval_sum(node.this, aggregate, node)
        types.note(fresh, of)
        aggregate.replace(fresh)
        return fresh
    if of.kind is Kind.TEXT:
        raise TypeProblem(
            "function sum(text) does not exist", position=position_of(node), sqlstate="42883"
        )
    name = _SUMS.get(of.kind)
    if name is None:
        return node
    aggregate = outermost(node)
    known = types.of(node)
    fresh = wrapped(aggregate, lambda inner: cast(inner, name))
    types.note(fresh, known)
    return fresh


def _joined(node: exp.Expr, types: Types) -> exp.Expr:
    """NULL between texts is nothing between them; DuckDB makes NULL of them all."""
    del types
    between = strip(node.args.get("separator") or exp.null())
    while isinstance(between, exp.Cast):
        between = strip(between.this)
    if isinstance(between, exp.Null):
        node.set("separator", exp.Literal.string(""))
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Avg: _average,
    exp.GroupConcat: _joined,
    exp.Sum: _sum,
}
"""Which rule reads which nodes."""
