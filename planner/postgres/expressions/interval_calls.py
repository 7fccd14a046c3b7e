"""Rules for calls about intervals, such as `justify_*` and `to_char`, and for time zones."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import InvalidValueError, MismatchedTypeError
from stategate.planner.postgres.expressions.rules import CallRule, null_beside, text_of, unsupported
from stategate.planner.postgres.expressions.statistical import beside
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import call, cast, position_of
from stategate.planner.values.time_zones import fixed_offset, zone_name
from stategate.stores.spec.schema import Kind

_PARTS = {
    "Y,YYY": ("years", 4),
    "YYYY": ("years", 4),
    "YYY": ("years % 1000", 3),
    "YY": ("years % 100", 2),
    "Y": ("years % 10", 1),
    "MM": ("month", 2),
    "DD": ("day", 2),
    "HH24": ("hour", 2),
    "HH12": ("hour12", 2),
    "HH": ("hour12", 2),
    "MI": ("minute", 2),
    "SS": ("second", 2),
    "MS": ("millisecond", 3),
    "US": ("microsecond", 6),
    "SSSSS": ("seconds", 0),
    "SSSS": ("seconds", 0),
}
"""The fields of a template for intervals: the value that each shows, and its digits."""
_HALVES = {"AM": ("AM", "PM"), "A.M.": ("A.M.", "P.M.")}
_FIELD = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*)"|\\(?P<escaped>")|(?P<fill>FM)?(?P<field>'
    + "|".join(sorted(_PARTS, key=len, reverse=True))
    + r")|(?P<half>[AP]\.M\.|[AP]M)|(?P<other>[A-Z][A-Z0-9,.]*)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)


def interval_text(node: exp.Expr, value: exp.Expr, template: exp.Expr) -> exp.Expr:
    """Return `to_char` of an interval: its fields as they are, without carrying between them.

    Raises:
        NotSupportedError: the template is not a literal, or has a rare field.
        InvalidValueError: the template has the name of a day or month (22007).
    """
    text = text_of(template)
    if text is None:
        raise unsupported(node, "to_char() of an interval requires its template as a literal")
    pieces = [_piece(node, value, found) for found in _FIELD.finditer(text)]
    if not pieces:
        return null_beside(value, "TEXT")
    joined = pieces[0] if len(pieces) > 1 else cast(pieces[0], "TEXT")
    for piece in pieces[1:]:
        joined = exp.DPipe(this=joined, expression=piece)
    # NULL stays NULL even if the template shows no field.
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    return exp.Case(ifs=[exp.If(this=is_null, true=exp.null())], default=joined)


def _piece(node: exp.Expr, value: exp.Expr, found: re.Match[str]) -> exp.Expr:
    field = found["field"]
    if field:
        name, width = _PARTS[field.upper()]
        if "," in field:
            return call("pg_sg_thousands", _field(value, name))
        width = 0 if found["fill"] else width
        macro = "pg_sg_padded_day" if name == "day" else "pg_sg_padded"
        return call(macro, _field(value, name), exp.Literal.number(width))
    if found["half"]:
        early, late = _HALVES["A.M." if "." in found["half"] else "AM"]
        if found["half"][0].islower():
            early, late = early.lower(), late.lower()
        is_late = exp.GTE(
            this=exp.Mod(
                this=exp.Paren(this=_field(value, "hour")), expression=exp.Literal.number(24)
            ),
            expression=exp.Literal.number(12),
        )
        return exp.Case(
            ifs=[exp.If(this=is_late, true=exp.Literal.string(late))],
            default=exp.Literal.string(early),
        )
    if found["other"]:
        word = found["other"].upper()
        if re.match(r"MON|DY|DAY", word):
            raise InvalidValueError(
                "invalid format specification for an interval value",
                hint="Intervals are not tied to specific calendar dates.",
                position=position_of(node),
                sqlstate="22007",
            )
        if re.search(r"[ABCDFGHIJMOPQRSTWYCV]", word):
            raise unsupported(
                node,
                f"to_char() of an interval does not write {found['other']}",
                "Use YYYY, MM, DD, HH24, HH12, MI, SS, MS, US, SSSS and AM.",
            )
        return exp.Literal.string(found["other"])
    quoted = found["escaped"] or found["quoted"]
    plain = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else found["plain"]
    return exp.Literal.string(plain)


def _field(value: exp.Expr, name: str) -> exp.Expr:
    """Return a field of an interval as an integer."""
    if name == "hour12":
        hours: exp.Expr = _field(value, "hour")
        return call("pg_sg_hour12", hours)
    if name == "seconds":
        of_day = call("pg_sg_interval_micros", value.copy())
        return exp.IntDiv(this=of_day, expression=exp.Literal.number(1_000_000))
    read, _, modulo = name.partition(" % ")
    part: exp.Expr = call("date_part", exp.Literal.string(_READ.get(read, read)), value.copy())
    if read in _WITHIN:
        part = _remainder(part, modulo=1_000_000)
        if read == "millisecond":
            part = exp.IntDiv(this=part, expression=exp.Literal.number(1000))
    return _remainder(part, modulo=int(modulo)) if modulo else part


_WITHIN = {"millisecond", "microsecond"}
_READ = {"years": "year", "millisecond": "microsecond"}


def _remainder(node: exp.Expr, *, modulo: int) -> exp.Expr:
    return exp.Paren(this=exp.Mod(this=node, expression=exp.Literal.number(modulo)))


def at_zone(node: exp.Expr, zone: exp.Expr, value: exp.Expr, types: Types) -> exp.Expr:
    """Return `value AT TIME ZONE zone`.

    A timestamptz becomes the local time in the zone; a timestamp, the moment of that local time.

    Raises:
        InvalidValueError: the zone does not exist (22023).
        NotSupportedError: the value is a time without a date.
    """
    kind = types.kind_of(value)
    if kind is Kind.TIME:
        raise unsupported(
            node, "AT TIME ZONE of a time is not supported", "Add the time to a date."
        )
    value = value.copy()
    if kind is not Kind.TIMESTAMP:
        value = cast(value, "TIMESTAMPTZ")
    text = text_of(zone)
    offset: exp.Expr | None = None
    if types.kind_of(zone) is Kind.INTERVAL:
        offset = zone.copy()
    elif text is None:
        name = "pg_sg_from_zone" if kind is Kind.TIMESTAMP else "pg_sg_at_zone"
        return call(name, zone.copy(), value)
    elif (seconds := fixed_offset(text)) is not None:
        offset = cast(exp.Literal.string(f"{seconds} seconds"), "INTERVAL")
    if offset is None:
        try:
            name = zone_name(text or "")
        except InvalidValueError as error:
            error.position = position_of(zone)
            raise
        return call("timezone", exp.Literal.string(name), value)
    utc = call("timezone", exp.Literal.string("UTC"), value)
    made = exp.Sub if kind is Kind.TIMESTAMP else exp.Add
    return exp.Paren(this=made(this=utc, expression=exp.Paren(this=offset)))


def _timezone(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return at_zone(node, given[0], given[1], types) if len(given) == 2 else None


def _isfinite(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Write `isfinite` of an interval, which is always true."""
    if types.kind_of(given[0]) is not Kind.INTERVAL:
        return None
    return exp.Case(
        ifs=[
            exp.If(
                this=exp.Not(this=exp.Is(this=given[0].copy(), expression=exp.null())),
                true=exp.true(),
            )
        ]
    )


def interval_sum(argument: exp.Expr, around: exp.Expr, node: exp.Expr) -> exp.Expr:
    """Return the sum of intervals as sums of their months, days and microseconds; or the average.

    Args:
        argument: the argument of the aggregate.
        around: the aggregate with its FILTER and OVER.
        node: the aggregate.

    Raises:
        NotSupportedError: it has DISTINCT; different intervals can have the same days.
    """
    if isinstance(argument, exp.Distinct):
        raise unsupported(
            node,
            f"{call_name(node)}(DISTINCT) of intervals is not supported",
            "Use SELECT DISTINCT in a subquery in FROM.",
        )
    parts = [
        beside(around, node, exp.Sum(this=call(f"pg_sg_interval_{name}", argument.copy())))
        for name in ("months", "days", "micros")
    ]
    if isinstance(node, exp.Sum):
        return call("pg_sg_interval", *parts)
    count = beside(around, node, exp.Count(this=argument.copy()))
    number = exp.Nullif(this=count, expression=exp.Literal.number(0))
    return call("pg_sg_interval_over", *parts, cast(number, "DOUBLE"))


def interval_quotient(length: exp.Expr, number: exp.Expr) -> exp.Expr:
    """Return an interval divided by a number."""
    parts = [call(f"pg_sg_interval_{name}", length.copy()) for name in ("months", "days", "micros")]
    return call("pg_sg_interval_over", *parts, cast(number.copy(), "DOUBLE"))


_MAKES = {"years": "12", "months": "1", "weeks": "7", "days": "1"}
_MAKES_TIME = {"hours": "3600", "mins": "60", "secs": "1"}


def _make_interval(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write `make_interval`, with arguments by position or by name."""
    names = [*_MAKES, *_MAKES_TIME]
    values: dict[str, exp.Expr] = {}
    for at, each in enumerate(given[: len(names)]):
        is_named = isinstance(each, exp.Kwarg | exp.PropertyEQ)
        name = each.this.name.lower() if is_named else names[at]
        if name not in names or name in values:
            raise MismatchedTypeError(
                f"function make_interval({name} => …) does not exist",
                position=position_of(node),
                sqlstate="42883",
            )
        value = each.expression if is_named else each
        values[name] = cast(value.copy(), "DOUBLE" if name == "secs" else "BIGINT")

    def total(counts: Mapping[str, str]) -> exp.Expr:
        found: exp.Expr = exp.Literal.number(0)
        for name, size in counts.items():
            if name in values:
                part = exp.Mul(this=values[name], expression=exp.Literal.number(size))
                found = exp.Add(this=found, expression=part)
        return exp.Paren(this=found)

    months = total({name: _MAKES[name] for name in ("years", "months")})
    days = total({name: _MAKES[name] for name in ("weeks", "days")})
    seconds: exp.Expr = exp.Mul(this=total(_MAKES_TIME), expression=exp.Literal.number(1_000_000))
    return call("pg_sg_interval", months, days, cast(call("round", _limited(seconds)), "HUGEINT"))


def _limited(value: exp.Expr) -> exp.Expr:
    """Return a double that fits into an integer: no interval is as long. NaN is the largest."""
    end = exp.Literal.number("1e30")
    outside = exp.Or(
        this=exp.GT(this=value.copy(), expression=end),
        expression=exp.LT(this=value.copy(), expression=exp.Neg(this=end.copy())),
    )
    return exp.Case(ifs=[exp.If(this=outside, true=end.copy())], default=value)


_JUSTIFIED = ("days", "hours", "interval")


def _interval_macro(name: str) -> CallRule:
    """Return a rule that calls a macro with an interval; a macro cannot find the type itself."""
    return lambda node, given, types: call(name, cast(given[0].copy(), "INTERVAL"))


def _extreme(name: str) -> CallRule:
    """Return a rule for `greatest` or `least` of intervals.

    DuckDB's functions compare months, days and microseconds one by one. Its lists compare lengths,
    as PostgreSQL does.
    """

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        if types.kind_of(node) is not Kind.INTERVAL:
            return None
        return call(name, exp.Array(expressions=[cast(n.copy(), "INTERVAL") for n in given]))

    return rule


CALLS: Mapping[str, CallRule] = {
    "greatest": _extreme("list_max"),
    "least": _extreme("list_min"),
    **{f"justify_{to}": _interval_macro(f"pg_sg_justify_{to}") for to in _JUSTIFIED},
    "make_interval": _make_interval,
    "timezone": _timezone,
    "isfinite": _isfinite,
}
"""The rules, by name of function."""
