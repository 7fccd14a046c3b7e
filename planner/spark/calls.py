"""Calls of functions: the allow-list, and how each is written.

| left out | because |
|---|---|
| `lower`, `upper`, `initcap` | Java's rules differ from PostgreSQL's for some letters |
| regular expressions, `to_char`, `format` | the patterns differ |
| rounding, roots and logarithms of doubles | the last digits, or halves, differ |
| `now()` and other calls of the clock, or of chance | Spark's moment is not ours |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.operands import arguments as arguments_of
from stategate.planner.spark.aggregates import AGGREGATES, aggregate
from stategate.planner.spark.conversions import convert, is_whole
from stategate.planner.spark.expressions import Expressions, raised
from stategate.planner.spark.refusal import refused
from stategate.planner.spark.scopes import Scope
from stategate.planner.spark.values import STAMPS, Typed
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import BOOLEAN, INTEGER, TEXT, Kind, decimal_type

Rule: TypeAlias = Callable[[Expressions, exp.Expr, Sequence[exp.Expr], Scope], Typed]


def write_call(writer: Expressions, node: exp.Expr, scope: Scope) -> Typed:
    """Return a call of a function.

    Raises:
        NotSupportedError: the function is not listed, or not for these arguments.
    """
    if isinstance(node, exp.Filter | exp.Window) or call_name(node) in AGGREGATES:
        return aggregate(writer, node, scope)
    rule = _RULES.get(call_name(node))
    if rule is None:
        raise refused(f"the function {call_name(node)}", node)
    return rule(writer, node, arguments_of(node), scope)


def _any_of(name: str) -> Rule:
    def rule(writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope) -> Typed:
        del node
        return writer.any_of(name, given, scope)

    return rule


def _absolute(
    writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope
) -> Typed:
    value = writer.write(given[0], scope)
    if value.literal is not None or not (
        is_whole(value.type) or value.kind in {Kind.DECIMAL, Kind.DOUBLE}
    ):
        raise refused(f"abs of {format_type(value.type)}", node)
    return Typed(sql=f"abs({value.sql})", type=value.type)


def _nullif(writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope) -> Typed:
    one, other = (writer.write(each, scope) for each in given)
    if one.literal is not None or one.is_null or (one.type != other.type and other.literal is None):
        raise refused("nullif of different types", node)
    return Typed(
        sql=f"(CASE WHEN {writer.compared(one, '=', other)} THEN NULL ELSE {one.sql} END)",
        type=one.type,
    )


def _texts(name: str, count: int, *, result: str = "") -> Rule:
    """Return the rule of a function of texts; its result is a text, or has the given type."""

    def rule(writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope) -> Typed:
        if len(given) != count:
            raise refused(f"{call_name(node)} with {len(given)} arguments", node)
        found = [convert(writer.write(each, scope), TEXT, writer.arguments) for each in given]
        if any(each.type != TEXT for each in found):
            raise refused(f"{call_name(node)} of other types than text", node)
        data_type = {"": TEXT, "integer": INTEGER, "boolean": BOOLEAN}[result]
        return Typed(sql=f"{name}({', '.join(each.sql for each in found)})", type=data_type)

    return rule


def _number(node: exp.Expr, least: int) -> int | None:
    """Return a literal that is a whole number in the range of all integers; None for others."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        found = int(node.name)
        return found if least <= found < 1 << 31 else None
    return None


def _substring(
    writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope
) -> Typed:
    text = convert(writer.write(given[0], scope), TEXT, writer.arguments)
    numbers = [_number(each, least) for each, least in zip(given[1:], (1, 0), strict=False)]
    if text.type != TEXT or not numbers or None in numbers or len(given) > 3:
        raise refused("substring, except of a text from a literal number on", node)
    return Typed(sql=f"substring({text.sql}, {', '.join(map(str, numbers))})", type=TEXT)


def _ends(name: str) -> Rule:
    def rule(writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope) -> Typed:
        text = convert(writer.write(given[0], scope), TEXT, writer.arguments)
        number = _number(given[1], 0)
        if text.type != TEXT or number is None:
            raise refused(f"{name} of a text, except with a literal number", node)
        return Typed(sql=f"{name}({text.sql}, {number})", type=TEXT)

    return rule


_UNITS = frozenset({"year", "quarter", "month", "week", "day", "hour", "minute", "second"})
_INFINITY = (1 << 63) - 1
"""The physical value of infinity, in microseconds; Spark would take it for a year."""


def _infinite(value: Typed) -> str:
    stamp = value.sql if value.kind is Kind.TIMESTAMPTZ else f"CAST({value.sql} AS TIMESTAMP)"
    return f"unix_micros({stamp}) IN ({_INFINITY}, {-_INFINITY})"


def _truncated(
    writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope
) -> Typed:
    unit = given[0]
    is_known = isinstance(unit, exp.Literal) and unit.name.lower() in _UNITS
    if not is_known or len(given) != 2:
        raise refused("date_trunc with this unit", node)
    value = writer.write(given[1], scope)
    if value.literal is not None or value.kind not in STAMPS:
        raise refused(f"date_trunc of {format_type(value.type)}", node)
    cut = f"date_trunc('{unit.name.lower()}', {value.sql})"
    if value.kind is Kind.TIMESTAMP:
        cut = f"CAST({cut} AS TIMESTAMP_NTZ)"
    sql = f"(CASE WHEN {_infinite(value)} THEN {value.sql} ELSE {cut} END)"
    return Typed(sql=sql, type=value.type)


_FIELDS: Mapping[str, str] = {
    "year": "YEAR",
    "quarter": "QUARTER",
    "month": "MONTH",
    "day": "DAY",
    "doy": "DOY",
    "isodow": "DOW_ISO",
    "week": "WEEK",
    "isoyear": "YEAROFWEEK",
    "hour": "HOUR",
    "minute": "MINUTE",
}
"""PostgreSQL's fields of EXTRACT that are whole numbers, and Spark's names of them."""


_UNBOUNDED = {"YEAR", "YEAROFWEEK"}
"""Fields that do not repeat; those of an infinite time are infinite, which no numeric is."""


def _extracted(
    writer: Expressions, node: exp.Expr, given: Sequence[exp.Expr], scope: Scope
) -> Typed:
    del given
    field = _FIELDS.get(node.this.name.lower())
    value = writer.write(node.expression, scope)
    if field is None or value.literal is not None or value.kind not in STAMPS:
        raise refused(f"this field of {format_type(value.type)}", node)
    found = f"CAST(extract({field} FROM {value.sql}) AS DECIMAL(24,0))"
    end = "NULL"
    if field in _UNBOUNDED:
        error = raised("0A000", "a field of an infinite time as a numeric is not supported")
        end = f"CAST({error} AS DECIMAL(24,0))"
    sql = f"(CASE WHEN {_infinite(value)} THEN {end} ELSE {found} END)"
    return Typed(sql=sql, type=decimal_type(24, 0))


_RULES: Mapping[str, Rule] = {
    "coalesce": _any_of("coalesce"),
    "greatest": _any_of("greatest"),
    "least": _any_of("least"),
    "nullif": _nullif,
    "abs": _absolute,
    **dict.fromkeys(
        ("length", "char_length", "character_length"),
        _texts("char_length", 1, result="integer"),
    ),
    "octet_length": _texts("octet_length", 1, result="integer"),
    "replace": _texts("replace", 3),
    "starts_with": _texts("startswith", 2, result="boolean"),
    **dict.fromkeys(("substring", "substr"), _substring),
    "left": _ends("left"),
    "right": _ends("right"),
    "date_trunc": _truncated,
    "extract": _extracted,
}
"""The functions of one row, by name."""
