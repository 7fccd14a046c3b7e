"""Aggregates and functions over windows.

Sums of integers and numerics are exact. Sums of doubles depend on the order of the rows, in Spark
as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.operands import arguments as arguments_of
from stategate.planner.postgres.types.result_types import NUMERIC
from stategate.planner.spark.conversions import DIGITS_MAX, as_decimal, convert, is_whole, settled
from stategate.planner.spark.expressions import Expressions, finite_sql, raised
from stategate.planner.spark.refusal import refused, words
from stategate.planner.spark.scopes import Scope
from stategate.planner.spark.values import COMPUTED, Typed
from stategate.planner.trees.known_arguments import is_known
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import BIGINT, BOOLEAN, DOUBLE, DataType, Kind, decimal_type

_ROWS_DIGITS = 12
"""Digits of the number of rows of an aggregate."""
_PLACES = NUMERIC.scale
"""Digits of an average after the point, as in the gateway."""
_SUM_DIGITS = 10
"""Digits that Spark adds to the type of a sum of decimals."""
_UNIT_DIGITS_MAX = 18
"""Digits before the point of an average whose whole part is a bigint."""
_SCALE_MAX = 6
RANKS = frozenset({"row_number", "rank", "dense_rank"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aggregate:
    """An aggregate's arguments, and what is written behind each call of it."""

    writer: Expressions
    node: exp.Expr
    given: Sequence[Typed]
    distinct: str = ""
    behind: str = ""
    """FILTER and OVER."""

    def call(self, name: str, argument: str) -> str:
        return f"{name}({self.distinct}{argument}){self.behind}"


def aggregate(writer: Expressions, node: exp.Expr, scope: Scope) -> Typed:
    """Return an aggregate, with its FILTER and OVER.

    Raises:
        NotSupportedError: it is not listed, or not for these arguments.
    """
    behind = ""
    inner = node
    if isinstance(inner, exp.Window):
        behind = f" OVER ({_window(writer, inner, scope)})"
        inner = inner.this
    if isinstance(inner, exp.Filter):
        behind = f" FILTER (WHERE {writer.condition(inner.expression.this, scope)}){behind}"
        inner = inner.this
    name = call_name(inner)
    if name in RANKS and isinstance(node, exp.Window) and not any(inner.args.values()):
        return Typed(sql=f"CAST({name}(){behind} AS BIGINT)", type=BIGINT)
    if not is_known(inner):
        raise refused(words(inner), inner)
    rule = AGGREGATES.get(name)
    if rule is None:
        raise refused(f"the function {name}", inner)
    distinct, listed = _distinct(inner, is_window=isinstance(node, exp.Window))
    given = [
        Typed(sql="1", type=BIGINT)
        if isinstance(each, exp.Star)
        else settled(writer.write(each, scope), writer.arguments)
        for each in listed
    ]
    if len(given) > 1 or (not given and name != "count"):
        raise refused(f"{name} with {len(given)} arguments", inner)
    return rule(
        _Aggregate(writer=writer, node=inner, given=given, distinct=distinct, behind=behind)
    )


def _distinct(node: exp.Expr, *, is_window: bool) -> tuple[str, Sequence[exp.Expr]]:
    """Return DISTINCT, if the aggregate has it, and the arguments."""
    first = node.args.get("this")
    if isinstance(first, exp.Order):
        raise refused("aggregates with ORDER BY", node)
    if not isinstance(first, exp.Distinct):
        return "", arguments_of(node)
    if first.args.get("on") or is_window:
        raise refused("this DISTINCT", node)
    return "DISTINCT ", first.expressions


def _window(writer: Expressions, node: exp.Window, scope: Scope) -> str:
    if node.args.get("spec") or node.args.get("alias"):
        raise refused("windows with a name or a frame", node)
    parts = []
    by = [writer.write(each, scope) for each in node.args.get("partition_by") or ()]
    if any(each.kind not in COMPUTED for each in by):
        raise refused("a window by values of this type", node)
    if by:
        parts.append(f"PARTITION BY {', '.join(each.sql for each in by)}")
    if (order := node.args.get("order")) is not None:
        terms = [order_term(writer.write(each.this, scope), each) for each in order.expressions]
        parts.append(f"ORDER BY {', '.join(terms)}")
    return " ".join(parts)


def order_term(value: Typed, node: exp.Expr) -> str:
    """Return a term of ORDER BY, with its place of NULLs."""
    if value.literal is not None or value.kind not in COMPUTED:
        raise refused(f"ORDER BY of {format_type(value.type)}", node)
    direction = "DESC" if node.args.get("desc") else "ASC"
    nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
    return f"{value.sql} {direction} NULLS {nulls}"


def _count(of: _Aggregate) -> Typed:
    argument = of.given[0].sql if of.given else "1"
    if of.distinct and of.given[0].kind not in COMPUTED:
        raise refused(f"DISTINCT of {format_type(of.given[0].type)}", of.node)
    return Typed(sql=of.call("count", argument), type=BIGINT)


def _extreme(of: _Aggregate) -> Typed:
    (value,) = of.given
    if value.kind not in COMPUTED or value.kind is Kind.BOOLEAN:
        raise refused(f"{call_name(of.node)} of {format_type(value.type)}", of.node)
    return Typed(sql=of.call(call_name(of.node), value.sql), type=value.type)


def _truth(of: _Aggregate) -> Typed:
    name = "bool_or" if call_name(of.node) == "bool_or" else "bool_and"
    value = convert(of.given[0], BOOLEAN, of.writer.arguments)
    return Typed(sql=of.call(name, value.sql), type=BOOLEAN)


def _sum(of: _Aggregate) -> Typed:
    (value,) = of.given
    if value.kind is Kind.DOUBLE:
        return _of_doubles(of, of.call("sum", value.sql), value)
    if value.kind in {Kind.SMALLINT, Kind.INTEGER}:
        return Typed(sql=of.call("sum", value.sql), type=BIGINT)
    total, data_type = _exact_sum(of, value)
    return Typed(sql=total, type=data_type)


def _exact_sum(of: _Aggregate, value: Typed) -> tuple[str, DataType]:
    if not (is_whole(value.type) or value.kind is Kind.DECIMAL):
        raise refused(f"{call_name(of.node)} of {format_type(value.type)}", of.node)
    exact = as_decimal(value.type)
    digits = min(DIGITS_MAX, exact.precision + _SUM_DIGITS)
    argument = convert(value, exact, of.writer.arguments).sql
    return of.call("sum", argument), decimal_type(digits, exact.scale)


def _of_doubles(of: _Aggregate, sql: str, value: Typed) -> Typed:
    """Return a sum or an average that fails where that of finite doubles is not finite."""
    largest = f"max(abs({value.sql})){of.behind}"
    error = raised("22003", "value out of range: overflow")
    overflows = f"{finite_sql(largest)} AND NOT {finite_sql(sql)}"
    return Typed(
        sql=f"(CASE WHEN {overflows} THEN CAST({error} AS DOUBLE) ELSE {sql} END)", type=DOUBLE
    )


def _average(of: _Aggregate) -> Typed:
    """Divide the exact sum by the count to 16 places, halves away from zero.

    Spark's own division of decimals keeps fewer digits. So the whole part and the rest are divided
    apart, each as a whole number that fits.
    """
    (value,) = of.given
    if value.kind is Kind.DOUBLE:
        return _of_doubles(of, of.call("avg", value.sql), value)
    total, data_type = _exact_sum(of, value)
    scale = data_type.scale
    digits = as_decimal(value.type).precision
    is_wide = digits + scale > DIGITS_MAX - _SUM_DIGITS - 2 or scale > _SCALE_MAX
    if is_wide or (value.kind is Kind.DECIMAL and digits - scale > _UNIT_DIGITS_MAX):
        raise refused(f"avg of {format_type(value.type)} of so many digits", of.node)
    whole = total
    if scale:
        power = 10**scale
        whole = (
            f"CAST({total} * CAST({power} AS DECIMAL({scale + 1},0)) AS DECIMAL({DIGITS_MAX},0))"
        )
    rows = f"CAST(nullif({of.call('count', value.sql)}, 0) AS DECIMAL({_ROWS_DIGITS},0))"
    by = rows if not scale else f"({rows} * CAST({10**scale} AS DECIMAL({scale + 1},0)))"
    width = _ROWS_DIGITS + scale + 1
    rest = f"CAST({whole} % {by} AS DECIMAL({width},0))"
    doubled = f"CAST({2 * 10**_PLACES} AS DECIMAL({_PLACES + 1},0))"
    half = f"((abs({rest}) * {doubled} + {by}) DIV (2 * {by}))"
    unit = f"CAST('{10**-_PLACES:.{_PLACES}f}' AS DECIMAL({_PLACES},{_PLACES}))"
    fraction = f"(CAST({half} AS DECIMAL({_PLACES + 1},0)) * {unit})"
    sign = f"(CASE WHEN {rest} < 0 THEN -{fraction} ELSE {fraction} END)"
    sql = f"CAST(CAST(({whole} DIV {by}) AS DECIMAL(19,0)) + {sign} AS DECIMAL(38,{_PLACES}))"
    return Typed(sql=sql, type=NUMERIC)


AGGREGATES: Mapping[str, Callable[[_Aggregate], Typed]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("bool_and", "bool_or", "every"), _truth),
}
"""The aggregates, by name."""
