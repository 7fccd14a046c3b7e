"""Constants in SQL as physical values: literals and casts of them; and arithmetic of intervals.

Only casts that succeed, and are the same in PostgreSQL and DuckDB, are done here. Other
expressions are not constants.
"""

from __future__ import annotations

import calendar
import datetime as dt
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.values.casts import applied, cast_done
from stategate.planner.values.catalog_types import is_of_catalog
from stategate.planner.values.interval_text import FIELDS, parse_interval
from stategate.planner.values.sqltypes import HELD_AS_TEXT, data_type_of
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.type_modifiers import length_of, second_digits_of
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTERVAL,
    NULL,
    DataType,
    Kind,
    Value,
    decimal_type,
)

Constant: TypeAlias = tuple[Value, DataType]

_DAY_US = 86_400_000_000
_EPOCH = dt.datetime(1970, 1, 1)
_DIGITS_MAX, _MONTH_DAYS = 38, 30
DEPTH_MAX = 16
"""Maximum nesting of a computation of constants."""


def constant_of(node: exp.Expr, wanted: DataType, depth: int = DEPTH_MAX) -> Constant | None:
    """Return the value and type of a constant; None for other nodes.

    A bare text literal takes the wanted type, as in PostgreSQL.

    Raises:
        QueryError: a text literal is not a value of the wanted type (22P02).
    """
    node = known_node(node)
    match node:
        case exp.Literal():
            return literal_value(node, wanted)
        case exp.Null():
            return None, NULL
        case exp.Boolean():
            return bool(node.this), BOOLEAN
        case exp.Interval():
            return interval_of(node)
        case _:
            return _composed(node, wanted, depth - 1) if depth else None


def _composed(node: exp.Expr, wanted: DataType, depth: int) -> Constant | None:
    """Return a constant that is computed from others; None for other nodes."""
    if isinstance(node, exp.Neg):
        inner = constant_of(node.this, wanted, depth)
        negatable = inner is not None and isinstance(inner[0], int | float | Decimal)
        return (-inner[0], inner[1]) if inner is not None and negatable else None
    return _cast(node, depth) if isinstance(node, exp.Cast) else None


def literal_value(node: exp.Literal, wanted: DataType) -> Constant:
    """Return the value and type of a literal; a text takes the wanted type.

    Raises:
        QueryError: the text is not a value of the wanted type (22P02).
    """
    if not node.is_string:
        return number_of(node.name)
    try:
        return parse_value(node.name, wanted), wanted
    except QueryError as error:
        error.position = node.meta.get("start", -1) + 1 or None
        raise


def number_of(text: str) -> Constant:
    """Return a numeric literal as a bigint, or a decimal if that is too small, or a double."""
    if text.isdigit() and int(text) < 1 << 63:
        return int(text), BIGINT
    if "e" in text.lower():
        return float(text), DOUBLE
    value = Decimal(text)
    found = _decimal(value)
    return (float(text), DOUBLE) if found is None else found


def _decimal(value: Decimal) -> Constant | None:
    digits = len(value.as_tuple().digits)
    scale = max(0, -int(value.as_tuple().exponent))
    if max(digits, scale) > _DIGITS_MAX:
        return None
    return value, decimal_type(max(digits, scale, 1), scale)


def interval_of(node: exp.Expr) -> Constant | None:
    """Return the value of `INTERVAL '1 day'` or `INTERVAL '1' DAY`; None if it has no literal."""
    literal, fields = known_node(node.this or exp.null()), fields_of(node)
    if not isinstance(literal, exp.Literal) or fields not in {None, *FIELDS}:
        return None
    try:
        return parse_interval(literal.name, fields), INTERVAL
    except QueryError:
        return None  # it is raised where the statement is rewritten


def fields_of(node: exp.Expr) -> str | None:
    """Return the fields after an interval or its type, as in `interval '5' day to hour`.

    Words that are no fields are returned, too; a missing one is a question mark.
    """
    unit = node.args.get("unit")
    if not isinstance(unit, exp.Expr):
        return None
    ends = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit,)
    return " TO ".join("?" if each is None else each.name.upper() for each in ends)


def _cast(node: exp.Cast, depth: int) -> Constant | None:
    literal, to = known_node(node.this), data_type_of(node.to)
    if isinstance(node.to.this, exp.Interval):
        return None  # it cuts off what is smaller than its fields
    if isinstance(literal, exp.Literal) and literal.is_string:
        if to is None or to.kind in HELD_AS_TEXT or is_of_catalog(to):
            return None
        if length_of(node.to) is not None or second_digits_of(node.to) is not None:
            return None  # varchar(3) cuts, timestamp(3) rounds
        return parse_value(literal.name, to), to
    inner = constant_of(literal, BIGINT if to is None else to, depth)
    return None if inner is None else _converted(inner, node.to, to)


def _converted(constant: Constant, node: exp.DataType, to: DataType | None) -> Constant | None:
    """Return a constant as another type; None if only DuckDB converts it."""
    value, source = constant
    if source.kind is Kind.NULL:
        return None if to is None else (None, to)
    cast = cast_done(source, node)
    if cast is None:
        return None
    try:
        return applied(cast, value), cast.type
    except QueryError:
        return None  # DuckDB raises the error, if there are rows


def moved(micros: int, interval: tuple[int, int, int], sign: int) -> int | None:
    """Return a timestamp moved by an interval; None beyond the years 1 to 9999."""
    months, days, more_us = (sign * part for part in interval)
    try:
        return _months_later(micros, months) + days * _DAY_US + more_us
    except (OverflowError, ValueError):
        return None  # beyond Python's calendar


def _months_later(value: int, months: int) -> int:
    """Return the same day some months later, or the last day of that month."""
    if not months:
        return value
    moment = _EPOCH + dt.timedelta(microseconds=value)
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    moved = moment.replace(year=year, month=month + 1, day=day)
    return (moved - _EPOCH) // dt.timedelta(microseconds=1)


def scaled(interval: tuple[int, int, int], factor: float) -> tuple[int, int, int]:
    """Multiply an interval; fractions of a month become days, and fractions of a day become time.

    Raises:
        InvalidValueError: the product is out of range (22008).

    Source: PostgreSQL's interval_mul.
    """
    try:
        months, days, micros = (part * factor for part in interval)
        month_days = round((months - int(months)) * _MONTH_DAYS, 6)
        rest = round((days - int(days) + month_days - int(month_days)) * 86_400, 6)
        carried = int(rest / 86_400) if abs(rest) >= 86_400 else 0
        rest -= carried * 86_400
        whole = int(days) + int(month_days) + carried
        return int(months), whole, round(micros + rest * 1_000_000)
    except (OverflowError, ValueError):
        raise InvalidValueError("interval out of range", sqlstate="22008") from None
