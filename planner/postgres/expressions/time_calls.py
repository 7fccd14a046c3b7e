"""Rules for calls about times, `now()`, and calls with templates, such as `to_char` of a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial

from sqlglot import exp

from stategate.planner.composing.functions.number_templates import digits_after_point, number_text
from stategate.planner.composing.functions.time_reading import check_template, strptime_format
from stategate.planner.composing.functions.time_templates import strftime_format, without_zone
from stategate.planner.errors import QueryError, UnknownNameError
from stategate.planner.postgres.expressions.interval_calls import at_zone, interval_text
from stategate.planner.postgres.expressions.rules import CallRule, copies, null_beside, text_of
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.result_types import ANY_NUMERIC, FLOATS, INTEGERS, TIMES
from stategate.planner.postgres.types.time_fields import (
    CUTS_WITHIN_DAY,
    UNBOUNDED,
    by_field,
    cut_of,
    cuts_within_day,
    field_of,
    fields_with,
    read_field,
    scale_of,
    truncated,
)
from stategate.planner.trees.nodes import call, cast, position_of, strip
from stategate.planner.values.catalog_types import postgres_name
from stategate.planner.values.sqltypes import duckdb_type, format_type
from stategate.stores.spec.schema import TIMESTAMP, TIMESTAMPTZ, DataType, Kind


def _to_char(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    value, template = given[0], given[1]
    kind, text = types.kind_of(value), text_of(template)
    if kind in INTEGERS or kind in FLOATS or kind is Kind.DECIMAL:
        _check_template(partial(number_text, Decimal(0)), template)
        if kind in FLOATS:
            digits = exp.Literal.number(6 if kind is Kind.REAL else 15)
            number = cast(value.copy(), "DOUBLE")
            return call("pg_sg_float_template_text", number, template.copy(), digits)
        return call("pg_sg_number_text", cast(value.copy(), "TEXT"), template.copy())
    if kind is Kind.INTERVAL:
        return interval_text(node, value, template)
    if kind in TIMES:
        return _moment_text(value, template, kind)
    if text is not None and not re.search(r"[A-CE-KMOQT-Y]", text.upper()):
        number = cast(cast(value.copy(), "DECIMAL(38,10)"), "TEXT")
        return call("pg_sg_number_text", number, template.copy())
    return _moment_text(value, template, kind)


def _moment_text(value: exp.Expr, template: exp.Expr, kind: Kind | None) -> exp.Expr:
    text = text_of(template)
    if text == "":
        return null_beside(value, "TEXT")
    if text is not None and kind is Kind.TIMESTAMP:
        text = without_zone(text)
    template = without_empty(template) if text is None else exp.Literal.string(text)
    known = strftime_format(text) if text else None
    if known is not None and kind is not None:
        moment = cast(value.copy(), "TIMESTAMP")
        return call("pg_sg_formatted", moment, exp.Literal.string(known), template)
    micros = call("epoch_us", cast(value.copy(), "TIMESTAMP"))
    name = "pg_sg_local_time_text" if kind is Kind.TIMESTAMP else "pg_sg_time_text"
    return call(name, micros, template)


def without_empty(template: exp.Expr) -> exp.Expr:
    """Return a template with NULL in place of an empty one, which gives NULL."""
    if text_of(template) is not None:
        return template
    return call("nullif", cast(template.copy(), "TEXT"), exp.Literal.string(""))


def _check_template(check: Callable[[str], object], template: exp.Expr) -> None:
    """Refuse a malformed template; the error points at it."""
    text = text_of(template)
    if text is None:
        return
    try:
        check(text)
    except QueryError as error:
        error.position = position_of(template)
        raise


def _to_timestamp(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) == 1:
        return call("pg_sg_to_timestamp", cast(given[0].copy(), "DOUBLE"))
    _check_template(check_template, given[1])
    if call_name(node) == "to_date":
        day = cast(call("pg_sg_day_by_template", *copies(given)), "INTEGER")
        kind, found = "DATE", call("make_date", day)
    else:
        found = call("make_timestamp", call("pg_sg_moment_by_template", *copies(given)))
        kind = "TIMESTAMPTZ"
    template = text_of(given[1])
    known = None if template is None else strptime_format(template)
    if known is not None:
        plain = call("try_strptime", given[0].copy(), exp.Literal.string(known))
        found = exp.Coalesce(this=cast(plain, kind), expressions=[cast(found, kind)])
    return cast(found, kind)


def _to_number(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    template = text_of(given[1])
    if template == "":
        return null_beside(given[0], duckdb_type(ANY_NUMERIC))
    parsed = call("pg_sg_number_of", given[0].copy(), without_empty(given[1]).copy())
    if template is None:
        return cast(parsed, duckdb_type(ANY_NUMERIC))
    _check_template(partial(number_text, Decimal(0)), given[1])
    return cast(parsed, f"DECIMAL(38,{min(digits_after_point(template), 38)})")


def _date_trunc(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    value, of, name = given[1].copy(), types.of(given[1]), text_of(given[0])
    if (of is not None and of.kind is Kind.DATE) or text_of(given[1]) is not None:
        value, of = cast(value, "TIMESTAMPTZ"), TIMESTAMPTZ
    field = None if name is None else cut_of(name, of, position_of(given[0]))

    def cut_down(time: exp.Expr, of: DataType | None) -> exp.Expr:
        if field is None:
            return by_field(given[0], lambda each: truncated(each, time.copy(), of), time, of)
        return truncated(field, time, of)

    if len(given) < 3:
        return cut_down(value, of)
    zone = given[2]
    moment = cast(value, "TIMESTAMPTZ")
    types.note(moment, TIMESTAMPTZ)
    local = at_zone(node, zone, moment.copy(), types)
    cut = cut_down(local.copy(), TIMESTAMP)
    cut_again = cut.copy()
    types.note(cut_again, TIMESTAMP)
    whole_days = at_zone(node, zone, cut_again, types)
    # An hour that comes twice, and what is smaller, keeps its offset: it is cut by the same time.
    within_day = call("pg_sg_cut_back", moment, local, cut)
    if field is not None:
        return within_day if cuts_within_day(field) else whole_days
    is_short = exp.In(
        this=call("lower", given[0].copy()),
        expressions=[exp.Literal.string(each) for each in CUTS_WITHIN_DAY],
    )
    return exp.Paren(
        this=exp.Case(ifs=[exp.If(this=is_short, true=within_day)], default=whole_days)
    )


_MOMENTS = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
"""Kinds whose epoch comes from DuckDB's count of microseconds: its `epoch` is a double.

Intervals are not among them: DuckDB's `epoch_us` counts 360 days a year, PostgreSQL 365.25.
"""
_MICRO, _EPOCH = exp.Literal.number("0.000001"), "DECIMAL(24,6)"


_WITH_FIELDS = {*_MOMENTS, Kind.TIME, Kind.INTERVAL, Kind.NULL}


def extracted(name: str, source: exp.Expr, types: Types, *, exact: bool) -> exp.Expr:
    """Return a field of a time: exact as in `extract`, or a double as in `date_part`.

    The fields of an infinite time that do not repeat are infinite. As no numeric is infinite here,
    `extract` of such a column fails (0A000), and gives a double of such a literal.
    """
    of = types.of(source)
    function = "pg_catalog.extract" if exact else "date_part"
    if of is not None and not is_open(source) and of.kind not in _WITH_FIELDS:
        raise UnknownNameError(
            f"function {function}(unknown, {format_type(of)}) does not exist",
            hint="You might need to add explicit type casts.",
            position=position_of(source),
            sqlstate="42883",
        )
    if is_open(source):
        raise UnknownNameError(
            f"function {function}(unknown, unknown) is not unique",
            hint="Could not choose a best candidate function. "
            "You might need to add explicit type casts.",
            position=position_of(source),
            sqlstate="42725",
        )
    # PostgreSQL's date_part reads a date as its midnight.
    asked = TIMESTAMP if not exact and of is not None and of.kind is Kind.DATE else of
    field = field_of(name, asked, position_of(source), exact=exact)
    if of is not None and of.kind in _MOMENTS and (end := _infinity(source)) is not None:
        return cast(exp.Literal.string(end) if field in UNBOUNDED else exp.null(), "DOUBLE")
    part = _finite_part(field, source, of, exact=exact)
    if of is None or of.kind not in _MOMENTS or field not in UNBOUNDED:
        return part
    macro = "pg_sg_no_infinity" if exact else "pg_sg_infinity_of"
    ends = exp.If(this=call("isinf", source.copy()), true=call(macro, source.copy()))
    return exp.Paren(this=exp.Case(ifs=[ends], default=part))


def _infinity(source: exp.Expr) -> str | None:
    """Return the infinity that a literal names; None for other nodes."""
    node = strip(source)
    literal = strip(node.this) if isinstance(node, exp.Cast) else None
    text = (text_of(literal) or "").strip().lower() if literal is not None else ""
    return text if text in {"infinity", "-infinity"} else None


def _finite_part(field: str, source: exp.Expr, of: DataType | None, *, exact: bool) -> exp.Expr:
    """Return a field of a time; NULL if it is infinite."""
    scale = scale_of(field)
    if field == "epoch" and exact and of is not None and of.kind in _MOMENTS:
        micros = cast(call("epoch_us", source.copy()), "DECIMAL(19,0)")
        return cast(exp.Paren(this=exp.Mul(this=micros, expression=_MICRO.copy())), _EPOCH)
    if field == "epoch":
        return cast(read_field(field, source, of), _EPOCH if exact else "DOUBLE")
    if field == "julian" and not exact:
        return cast(read_field(field, source, of), "DOUBLE")
    part = cast(read_field(field if not scale else "microseconds", source, of), "DECIMAL(18,0)")
    if scale:
        unit = exp.Literal.number(f"0.{'1'.rjust(scale, '0')}")
        part = exp.Paren(this=exp.Mul(this=part, expression=unit))
    return part if exact else cast(part, "DOUBLE")


def _date_part(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    field = text_of(given[0])
    if field is not None:
        return extracted(field, given[1], types, exact=False)
    of, source = types.of(given[1]), given[1]
    asked = TIMESTAMP if of is not None and of.kind is Kind.DATE else of
    names = fields_with(asked)
    return by_field(
        given[0], lambda each: extracted(each, source, types, exact=False), source, asked, names
    )


def _age(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Write `age(xid)`, the number of transactions since, as 0: the gateway counts none."""
    return exp.Literal.number(0) if postgres_name(types.of(given[0])) == "xid" else None


def _now(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write `now()` and similar calls: the time when the statement began, to the given digits.

    DuckDB reads a bare `current_timestamp` as the result column of that name, if there is one;
    PostgreSQL reads the function. So it becomes a call.
    """
    del node, types
    if not given:
        return call("now")
    return call("to_timestamp", call("round", call("epoch", call("now")), given[0].copy()))


def _local_now(data_type: str) -> CallRule:
    """Return a rule for the date and time of `now()`, or for its time of day, in UTC.

    Args:
        data_type: TIMESTAMP or TIME.
    """

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        whole = cast(_now(node, given, types), "TIMESTAMP")
        return whole if data_type == "TIMESTAMP" else cast(whole, data_type)

    return rule


def _of_year(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write a negative year as one before our era; there is no year 0."""
    year = call("pg_sg_given_year", given[0].copy())
    if len(given) < 6:
        return call("make_date", year, *copies(given[1:]))
    seconds = call("pg_sg_given_seconds", given[5].copy())
    local = call("make_timestamp", year, *copies(given[1:5]), seconds)
    if call_name(node) == "make_timestamp":
        return local
    # DuckDB's make_timestamptz takes 25 hours for an hour of the next day.
    return (
        call("pg_sg_made_in_zone", given[6].copy(), local)
        if len(given) > 6
        else cast(local, "TIMESTAMPTZ")
    )


def _make_time(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Check the seconds, of which DuckDB takes more than 60."""
    return call("make_time", *copies(given[:2]), call("pg_sg_given_seconds", given[2].copy()))


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("make_date", "make_timestamp", "make_timestamptz"), _of_year),
    "make_time": _make_time,
    "to_char": _to_char,
    "age": _age,
    **dict.fromkeys(("to_timestamp", "to_date"), _to_timestamp),
    "to_number": _to_number,
    "date_trunc": _date_trunc,
    "date_part": _date_part,
    **dict.fromkeys(("now", "current_timestamp", "transaction_timestamp"), _now),
    **dict.fromkeys(("statement_timestamp", "clock_timestamp"), _now),
    **dict.fromkeys(("current_time", "localtime"), _local_now("TIME")),
    "localtimestamp": _local_now("TIMESTAMP"),
}
"""The rules, by name of function."""
