"""The forms of expressions that name the session's zone, so that no database needs to know it.

Their functions begin with `pg_sg_`. They take a region of the tz database, and the seconds by which
the zone is east of it. Each form is a cast to its type, which later steps can so find.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from stategate.planner.errors import NotSupportedError, QueryError
from stategate.planner.trees.nodes import call, cast, position_of, strip
from stategate.planner.values.constants import interval_of
from stategate.planner.values.moment_text import moment_words
from stategate.planner.values.sqltypes import data_type_of
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import INTERVAL, DataType, Kind

_DAY_US = 86_400_000_000


def zone_arguments(times: TimeSettings) -> tuple[exp.Expr, exp.Expr]:
    """Return the last arguments of a form: the region, and the seconds."""
    ahead = exp.Literal.number(abs(times.zone.ahead_s))
    return (
        exp.Literal.string(times.zone.region),
        exp.Neg(this=ahead) if times.zone.ahead_s < 0 else ahead,
    )


def in_zone(name: str, value: exp.Expr, data_type: str, times: TimeSettings) -> exp.Expr:
    """Return a call of a function of a value and the session's zone, as a cast to its type."""
    return cast(call(name, value.copy(), *zone_arguments(times)), data_type)


def local(moment: exp.Expr, times: TimeSettings) -> exp.Expr:
    """Return the local time of a moment, as a timestamp."""
    return in_zone("pg_sg_local", moment, "TIMESTAMP", times)


def moment(time: exp.Expr, times: TimeSettings) -> exp.Expr:
    """Return the moment of a local time: a date, a timestamp, or a literal of one."""
    known = _known_local(time, times)
    if known is not None:
        found = moment_words(known - times.zone.ahead_at(known) * 1_000_000)
        return cast(exp.Literal.string(found), "TIMESTAMPTZ")
    return in_zone("pg_sg_moment", cast(time.copy(), "TIMESTAMP"), "TIMESTAMPTZ", times)


def _known_local(node: exp.Expr, times: TimeSettings) -> int | None:
    """Return the local time of `date '…'` or `timestamp '…'`; None for other nodes."""
    node = strip(node)
    if not isinstance(node, exp.Cast) or node.to.expressions:
        return None
    literal, data_type = strip(node.this), data_type_of(node.to)
    is_text = isinstance(literal, exp.Literal) and literal.is_string
    if not is_text or data_type is None or data_type.kind not in {Kind.DATE, Kind.TIMESTAMP}:
        return None
    try:
        value: int = parse_value(literal.name, data_type, times.literals)
    except QueryError:
        return None  # such as infinity
    return value * _DAY_US if data_type.kind is Kind.DATE else value


def moved(time: exp.Expr, by: exp.Expr, times: TimeSettings) -> exp.Expr:
    """Return a moment some interval later: its months and days are those of the local calendar."""
    given = (time.copy(), by.copy(), *zone_arguments(times))
    return cast(call("pg_sg_moved", *given), "TIMESTAMPTZ")


def zoned_series(given: Sequence[exp.Expr], times: TimeSettings) -> exp.Expr | None:
    """Return the moments of generate_series as an array; None if DuckDB makes the same ones.

    DuckDB takes no step that has days and hours, or months and days. Nor does it know the zone.
    """
    start, stop, step = given
    found = _parts_of(step)
    is_mixed = found is None or sum(map(bool, found)) > 1
    if not is_mixed and (times.zone.is_never_ahead or not has_days(step)):
        return None
    ends = [call("pg_sg_series_bound", each.copy()) for each in (start, stop)]
    parts = [call(f"pg_sg_interval_{part}", step.copy()) for part in ("months", "days", "micros")]
    zone = exp.Literal.string(times.zone.name)
    counted = [cast(each, "BIGINT") for each in (*ends, *parts)]
    return call("pg_sg_moments_of", call("pg_sg_zoned_series", *counted, zone))


def has_days(interval: exp.Expr) -> bool:
    """Whether an interval may have months or days, which are not always equally long."""
    found = _parts_of(interval)
    return found is None or bool(found[0] or found[1])


def _parts_of(interval: exp.Expr) -> tuple[int, int, int] | None:
    """Return the months, days and microseconds of a literal interval; None for other nodes."""
    node = strip(interval)
    if isinstance(node, exp.Neg):
        return _parts_of(node.this)
    if isinstance(node, exp.Interval):
        constant = interval_of(node)
        return None if constant is None else constant[0]
    if not isinstance(node, exp.Cast) or data_type_of(node.to) != INTERVAL:
        return None
    literal = strip(node.this)
    is_text = isinstance(literal, exp.Literal) and literal.is_string
    try:
        return parse_value(literal.name, INTERVAL) if is_text else None
    except QueryError:
        return None  # it is refused elsewhere


def words(text: exp.Expr, kind: Kind, times: TimeSettings) -> exp.Expr:
    """Return a text as the words of a date or moment that mean the same in every session."""
    settings = (times.zone.name, times.order)
    given = [cast(text.copy(), "TEXT"), exp.Literal.string(kind.value)]
    given += [exp.Literal.string(each) for each in settings]
    return cast(call("pg_sg_session_words", *given), "TEXT")


def no_zone(what: str, node: exp.Expr, times: TimeSettings) -> NotSupportedError:
    """Return the error for what is only right in UTC."""
    return NotSupportedError(
        f"{what} is not supported in the time zone {times.zone.name}",
        hint="SET TIME ZONE 'UTC', or convert with AT TIME ZONE.",
        position=position_of(node),
    )


def has_moments(data_type: DataType | None) -> bool:
    """Whether values of a type are moments, or have some inside."""
    if data_type is None:
        return False
    if data_type.kind is Kind.TIMESTAMPTZ or has_moments(data_type.element):
        return True
    return any(has_moments(inner) for _, inner in data_type.fields)


def names_zone(tree: exp.Expr) -> bool:
    """Whether a bound tree has one of the forms: its values depend on the session's settings."""
    return any(each.name.startswith("pg_sg_") for each in tree.find_all(exp.Anonymous))
