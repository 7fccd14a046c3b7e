"""The fields of times: their names, the types that have them, and their units."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from stategate.planner.errors import RAISED, InvalidValueError, NotSupportedError
from stategate.planner.trees.nodes import call
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import DataType, Kind

_SPELLED = {
    "microsecond": "microseconds microsecon us usec usecs usecond useconds",
    "millisecond": "milliseconds millisecon ms msec msecs msecond mseconds",
    "second": "seconds s sec secs",
    "minute": "minutes m min mins",
    "hour": "hours h hr hrs",
    "day": "days d",
    "week": "weeks w",
    "month": "months mon mons",
    "quarter": "qtr",
    "year": "years y yr yrs",
    "decade": "decades dec decs",
    "century": "centuries c cent",
    "millennium": "millennia mil mils",
    "julian": "jd j",
    **dict.fromkeys(("epoch", "dow", "isodow", "doy", "isoyear"), ""),
    **dict.fromkeys(("timezone", "timezone_hour", "timezone_minute"), ""),
}
_NAMES = {name: field for field, others in _SPELLED.items() for name in (field, *others.split())}
_OF_DAY = frozenset({"microsecond", "millisecond", "second", "minute", "hour"})
_OF_YEARS = frozenset({"day", "month", "quarter", "year", "decade", "century", "millennium"})
_OF_DATE = _OF_YEARS | {"week", "dow", "isodow", "doy", "isoyear"}
UNBOUNDED = frozenset({*("year", "decade", "century", "millennium", "epoch", "julian", "isoyear")})
"""The fields that do not repeat: those of an infinite time are infinite."""
_OF_ZONE = frozenset({"timezone", "timezone_hour", "timezone_minute"})
_HELD = {
    Kind.DATE: _OF_DATE | {"julian"},
    Kind.TIME: _OF_DAY,
    Kind.TIMESTAMP: _OF_DATE | _OF_DAY,
    Kind.TIMESTAMPTZ: _OF_DATE | _OF_DAY | _OF_ZONE,
    Kind.INTERVAL: _OF_YEARS | _OF_DAY,
}
"""The fields of each type, apart from `epoch`, which all have."""
_CUT = _OF_DAY | _OF_YEARS | {"week"}
"""The fields that `date_trunc` cuts to."""
_STAMPS = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_COUNTED = {"year": "pg_sg_year", "isoyear": "pg_sg_year"}
_YEARS = {"century": 100, "millennium": 1000}


_SCALES = {"epoch": 6, "second": 6, "millisecond": 3}


def scale_of(name: str) -> int:
    """Return how many digits a field has after the point."""
    return _SCALES.get(_NAMES.get(name.lower(), ""), 0)


def field_of(name: str, of: DataType | None, position: int | None, *, exact: bool) -> str:
    """Return DuckDB's name of a field of a type: exact as in `extract`, or as in `date_part`.

    Raises:
        InvalidValueError: the field does not exist (22023).
        NotSupportedError: the type does not have it.
    """
    field = _named(name, of, position)
    held = _HELD[of.kind] if exact and of is not None and of.kind in _HELD else fields_with(of)
    if of is not None and of.kind in _HELD and field not in held | {"epoch"}:
        raise _missing(name, of, position)
    return field


def named_field(name: str) -> str | None:
    """Return DuckDB's name of a field; None if there is no such field."""
    return _NAMES.get(name.lower())


def cuts_within_day(name: str) -> bool:
    """Whether `date_trunc` cuts to a field that is shorter than a day."""
    return named_field(name) in _OF_DAY


CUTS_WITHIN_DAY = tuple(name for name in _NAMES if cuts_within_day(name))
"""The names of fields that are shorter than a day."""


def cut_of(name: str, of: DataType | None, position: int | None) -> str:
    """Return DuckDB's name of a field that `date_trunc` cuts to.

    Raises:
        InvalidValueError: the field does not exist (22023).
        NotSupportedError: `date_trunc` does not cut to it, or does not cut intervals to it.
    """
    field = _named(name, of, position)
    is_interval = of is not None and of.kind is Kind.INTERVAL
    if field in _OF_ZONE or (is_interval and field == "week"):
        raise _missing(name, of, position)
    if field not in _CUT:
        raise _unknown(name, of, position)
    return field


def _named(name: str, of: DataType | None, position: int | None) -> str:
    found = _NAMES.get(name.lower())
    if found is None:
        raise _unknown(name, of, position)
    return found


def _unknown(name: str, of: DataType | None, position: int | None) -> InvalidValueError:
    return InvalidValueError(
        f'unit "{name[:100]}" not recognized{_for_type(of)}', position=position
    )


def _missing(name: str, of: DataType | None, position: int | None) -> NotSupportedError:
    return NotSupportedError(f'unit "{name}" not supported{_for_type(of)}', position=position)


def _for_type(of: DataType | None) -> str:
    return "" if of is None else f" for type {format_type(of)}"


def fields_with(of: DataType | None) -> frozenset[str]:
    """Return the fields of a type that `date_part` has."""
    kind = of.kind if of is not None and of.kind in _HELD else Kind.TIMESTAMP
    return _HELD[kind] | {"epoch"} | ({"julian"} if kind in _STAMPS else set())


def by_field(
    name: exp.Expr,
    make: Callable[[str], exp.Expr],
    value: exp.Expr,
    of: DataType | None,
    fields: frozenset[str] = _CUT,
) -> exp.Expr:
    """Return an expression for the field that a text names, which is not known before it runs.

    Args:
        name: the name of the field.
        make: returns the expression for a field.
        value: the time that has the field; if it is NULL, any name will do.
        of: the type that has the fields.
        fields: the fields that there are.
    """
    if of is not None and of.kind is Kind.INTERVAL:
        fields -= {"week"}
    ifs = []
    for field in sorted(fields):
        names = [exp.Literal.string(each) for each, of_name in _NAMES.items() if of_name == field]
        found = exp.In(this=call("lower", name.copy()), expressions=names)
        ifs.append(exp.If(this=found, true=make(field)))
    message = exp.DPipe(
        this=exp.DPipe(this=exp.Literal.string(f'{RAISED}22023 unit "'), expression=name.copy()),
        expression=exp.Literal.string(f'" not recognized{_for_type(of)}'),
    )
    missing = exp.or_(
        *(exp.Is(this=each.copy(), expression=exp.null()) for each in (name, value)), copy=False
    )
    ifs.insert(0, exp.If(this=missing, true=exp.null()))
    return exp.Paren(this=exp.Case(ifs=ifs, default=call("pg_sg_error", message)))


def read_field(field: str, value: exp.Expr, of: DataType | None) -> exp.Expr:
    """Return a field of a value; DuckDB's year of 1 BC is 0, PostgreSQL's is -1."""
    name = exp.Literal.string(field)
    if of is None or of.kind not in _STAMPS:
        return call("date_part", name, value.copy())
    if field == "decade":
        return call("pg_sg_decade", call("date_part", exp.Literal.string("year"), value.copy()))
    part = call("date_part", name, value.copy())
    return call(_COUNTED[field], part) if field in _COUNTED else part


def truncated(field: str, value: exp.Expr, of: DataType | None) -> exp.Expr:
    """Return a time cut to a field; PostgreSQL's 20th century began in 1901, DuckDB's in 1900."""
    years = _YEARS.get(field)
    if years is None or (of is not None and of.kind is Kind.INTERVAL):
        return call("date_trunc", exp.Literal.string(field), value)
    return call("pg_sg_cut_years", value, exp.Literal.number(years))
