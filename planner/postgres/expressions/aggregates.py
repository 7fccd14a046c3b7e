"""Rules for aggregates: `avg`, `sum`, `string_agg`, percentiles, and their ORDER BY."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, MismatchedTypeError
from stategate.planner.postgres.expressions.interval_calls import interval_sum
from stategate.planner.postgres.expressions.number_calls import quotient
from stategate.planner.postgres.expressions.rules import Rule, unsupported
from stategate.planner.postgres.expressions.statistical import beside
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import bytes_of, check_literal
from stategate.planner.postgres.types.operands import arguments
from stategate.planner.postgres.types.result_types import DIGITS_MAX, NUMERIC, as_decimal
from stategate.planner.trees.nodes import (
    aggregate_call,
    call,
    cast,
    is_same_value,
    outermost,
    position_of,
    put,
    strip,
    wrapped,
)
from stategate.stores.spec.schema import DOUBLE, INTERVAL, DataType, Kind, decimal_type

_SUMS = {
    Kind.REAL: "REAL",
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER), "BIGINT"),
}
"""The types of sums, where DuckDB's are wider."""

_LENGTHS = frozenset({Kind.INTERVAL, Kind.TIME})
"""The types whose sums are intervals."""
_ROWS_DIGITS = 12
"""Digits of the number of rows of an aggregate."""


def _average(node: exp.Expr, types: Types) -> exp.Expr:
    """Divide the exact sum by the count: PostgreSQL's avg is a numeric, DuckDB's is a double."""
    of = _argument_type(node, types)
    aggregate = outermost(node)
    if of is not None and of.kind in _LENGTHS:
        return _sum_of_intervals(node, of, types)
    exact = as_decimal(of)
    if exact is None or of is None:
        return node
    total = beside(aggregate, node, exp.Sum(this=node.this.copy()))
    count = beside(aggregate, node, exp.Count(this=node.this.copy()))
    of_sum = decimal_type(min(DIGITS_MAX, exact.precision + _ROWS_DIGITS), exact.scale)
    divisor = call("nullif", count, exp.Literal.number(0))
    fresh = quotient(total, divisor, of_sum, decimal_type(_ROWS_DIGITS, 0))
    types.note(fresh, NUMERIC)
    put(aggregate, fresh)
    return fresh


def _sum_of_intervals(node: exp.Expr, of: DataType, types: Types) -> exp.Expr:
    """Return the sum or average of intervals, or of times, which are cast to intervals."""
    aggregate = outermost(node)
    argument = node.this
    if of.kind is Kind.TIME and not isinstance(argument, exp.Distinct):
        argument = call("pg_sg_time_length", argument)
    fresh = interval_sum(argument, aggregate, node)
    types.note(fresh, INTERVAL)
    put(aggregate, fresh)
    return fresh


def _logical(node: exp.Expr, types: Types) -> exp.Expr:
    """Drop DISTINCT, which changes nothing here, and which sqlglot writes within a cast."""
    if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
        node.set("this", node.this.expressions[0])
    return node


def _count(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse to count rows that an outer join may lack: DuckDB counts those of NULLs, too."""
    row = strip(node.this) if isinstance(node.this, exp.Expr) else None
    is_row = isinstance(row, exp.Column) and types.columns.of_row(row) is not None
    if is_row and isinstance(row, exp.Column) and types.columns.may_be_missing(row):
        raise unsupported(
            row,
            "count() of a whole row beside an outer join is not supported",
            "Count a column that is never NULL.",
        )
    return node


def _argument_type(node: exp.Expr, types: Types) -> DataType | None:
    found = arguments(node)
    return types.of(found[0]) if found else None


def _sum(node: exp.Expr, types: Types) -> exp.Expr:
    """Cast sums to PostgreSQL's types: bigint for integers, real for reals."""
    of = _argument_type(node, types)
    if of is None:
        return node
    if of.kind in _LENGTHS:
        return _sum_of_intervals(node, of, types)
    if of.kind is Kind.TEXT:
        raise MismatchedTypeError(
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


def _string_agg(node: exp.Expr, types: Types) -> exp.Expr:
    """Rewrite `string_agg` with a separator that DuckDB does not take.

    With a NULL separator, DuckDB returns NULL; PostgreSQL joins the texts. DuckDB takes only a
    constant separator; PostgreSQL takes one from each row. So a macro joins pairs of both.
    """
    separator = node.args.get("separator") or exp.null()
    given = node.this.this if isinstance(node.this, exp.Order) else node.this
    of = given.expressions[0] if isinstance(given, exp.Distinct) else given
    if types.kind_of(of) is Kind.BYTEA:
        return _bytes_agg(node, given, separator, types)
    between = strip(separator)
    while isinstance(between, exp.Cast):
        between = strip(between.this)
    if _is_null(separator):
        node.set("separator", exp.Literal.string(""))
        return node
    order = node.this if isinstance(node.this, exp.Order) else None
    text = node.this if order is None else order.this
    is_constant = isinstance(between, exp.Literal | exp.Parameter)
    if isinstance(text, exp.Distinct) and not is_constant:
        raise unsupported(
            node,
            "string_agg(DISTINCT …) with a separator that is not constant is not supported",
            "Take the DISTINCT rows in a subquery.",
        )
    if is_constant:
        return node
    known = types.of(node)
    texts = [cast(each.copy(), "TEXT") for each in (text, separator)]
    pair: exp.Expr = exp.Array(expressions=texts)
    if order is not None:
        pair = exp.Order(this=pair, expressions=[each.copy() for each in order.expressions])
    fresh = put(node, aggregate_call("list", pair))
    fresh = wrapped(outermost(fresh), lambda inner: call("pg_sg_pairs_joined", inner))
    types.note(fresh, known)
    return fresh


def _bytes_agg(node: exp.Expr, given: exp.Expr, separator: exp.Expr, types: Types) -> exp.Expr:
    """Write `string_agg` of bytea as a list of values with their separators, which are joined."""
    order, known = node.this if isinstance(node.this, exp.Order) else None, types.of(node)
    if isinstance(given, exp.Distinct) and (order is not None or separator.find(exp.Column)):
        raise unsupported(
            node,
            "string_agg(DISTINCT …) of bytea with ORDER BY or separators is not supported",
            "Take the DISTINCT rows in a subquery.",
        )
    between = cast(exp.null(), "BLOB") if _is_null(separator) else bytes_of(separator)
    of = given.expressions[0] if isinstance(given, exp.Distinct) else given
    pair: exp.Expr = exp.Array(expressions=[of.copy(), between])
    if isinstance(given, exp.Distinct):
        pair = exp.Distinct(expressions=[pair])
    elif order is not None:
        pair = exp.Order(this=pair, expressions=[each.copy() for each in order.expressions])
    fresh = put(node, aggregate_call("list", pair))
    name = "pg_sg_set_of_bytes_joined" if isinstance(given, exp.Distinct) else "pg_sg_bytes_joined"
    fresh = wrapped(outermost(fresh), lambda inner: call(name, inner))
    types.note(fresh, known)
    return fresh


def _is_null(node: exp.Expr) -> bool:
    """Whether a separator is NULL, with or without a type."""
    bare = strip(node)
    while isinstance(bare, exp.Cast):
        bare = strip(bare.this)
    return isinstance(bare, exp.Null)


def _order_by(node: exp.Expr, types: Types) -> exp.Expr:
    """Drop literals from the ORDER BY of an aggregate: they order nothing, and DuckDB refuses."""
    del types
    if not isinstance(node.this, exp.Expr):
        return node  # the ORDER BY of a query
    if isinstance(node.this, exp.Distinct) and node.this.find(exp.Query, exp.Any, exp.All):
        # DuckDB does not see that the ORDER BY expression is the argument.
        raise unsupported(
            node,
            "an ordered aggregate of DISTINCT values of a subquery, ANY or ALL is not supported",
            "Take the DISTINCT values in a subquery in FROM.",
        )
    _check_distinct(node)
    kept = [each for each in node.expressions if not isinstance(strip(each.this), exp.Literal)]
    if kept:
        node.set("expressions", kept)
        return node
    return put(node, node.this.copy())


def _check_distinct(node: exp.Expr) -> None:
    """Refuse an aggregate of DISTINCT values that is ordered by another value."""
    if not isinstance(node.this, exp.Distinct):
        return
    separator = None if node.parent is None else node.parent.args.get("separator")
    given = [strip(each) for each in (*node.this.expressions, separator) if each is not None]
    for term in node.expressions:
        value = strip(term.this)
        is_given = any(is_same_value(value, each) for each in given)
        if not is_given or (isinstance(value, exp.Literal) and value.is_string):
            raise InvalidSyntaxError(
                "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                position=position_of(term),
                sqlstate="42P10",
            )


def _percentile(node: exp.Expr, types: Types) -> exp.Expr:
    """Write percentiles as quantiles, which sqlglot can write with computed fractions.

    The percentile between two numerics or reals is a double, as in PostgreSQL. A subquery by which
    `mode` orders becomes its argument, too: DuckDB would copy it, and cannot.
    """
    name, terms = call_name(node.this), node.expression.expressions
    if name == "mode" and len(terms) == 1 and terms[0].find(exp.Query, exp.Any, exp.All):
        term = terms[0]
        sorted_by = exp.Order(this=term.this.copy(), expressions=[term.copy()])
        return put(node, call("mode", sorted_by))
    made = {"percentile_cont": "quantile_cont", "percentile_disc": "quantile_disc"}.get(name)
    if made is None or len(terms) != 1:
        return node
    term = terms[0].copy()
    kind = types.kind_of(terms[0].this)
    if name == "percentile_cont" and kind is Kind.INTERVAL:
        raise unsupported(
            node,
            "percentile_cont() of intervals is not supported",
            "Order by extract(epoch FROM …), and multiply by interval '1 second'.",
        )
    if name == "percentile_cont" and kind in {Kind.DECIMAL, Kind.REAL}:
        term.set("this", cast(term.this.copy(), "DOUBLE"))
    fraction = arguments(node.this)[0]
    if isinstance(fraction, exp.Literal) and fraction.is_string:
        check_literal(fraction, DOUBLE)
        fraction = exp.Literal.number(fraction.name.strip())
    is_known = isinstance(fraction, exp.Literal | exp.Array)
    given = fraction.copy() if is_known else _fraction_or_half(fraction, types)
    ordered = exp.Order(this=given, expressions=[term])
    known = types.of(node)
    fresh: exp.Expr = put(node, aggregate_call(made, term.this.copy(), ordered))
    if not is_known:
        is_null = exp.Is(this=fraction.copy(), expression=exp.null())
        missing = exp.If(this=is_null, true=exp.null())
        fresh = wrapped(outermost(fresh), lambda inner: exp.Case(ifs=[missing], default=inner))
        types.note(fresh, known)
    return fresh


def _fraction_or_half(fraction: exp.Expr, types: Types) -> exp.Expr:
    """Return a fraction that is never NULL: DuckDB refuses NULL, even to describe a statement."""
    half: exp.Expr = exp.Literal.number("0.5")
    if types.kind_of(fraction) is Kind.ARRAY:
        half = exp.Array(expressions=[half])
    return call("coalesce", fraction.copy(), half)


def _nth_value(node: exp.Expr, types: Types) -> exp.Expr:
    """Refuse a place before the first row, for which DuckDB returns NULL."""
    del types
    place = node.args.get("offset")
    if place is not None:
        wrapped(place, lambda inner: call("pg_sg_nth", inner))
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.NthValue: _nth_value,
    exp.WithinGroup: _percentile,
    exp.Avg: _average,
    exp.GroupConcat: _string_agg,
    exp.Sum: _sum,
    exp.Count: _count,
    exp.Order: _order_by,
    **dict.fromkeys((exp.LogicalAnd, exp.LogicalOr), _logical),
}
"""The rules, by type of node."""
