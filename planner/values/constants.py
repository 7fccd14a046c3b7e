"""Constants in SQL as physical values: literals, casts of them, and simple computations.

Only computations that succeed, and are the same in PostgreSQL and DuckDB, are done here. Other
expressions are not constants, and stay with DuckDB.
"""

from __future__ import annotations

import calendar
import datetime as dt
from decimal import Context, Decimal
from typing import TypeAlias

from sqlglot import exp

from planner.errors import QueryError
from planner.trees.known_arguments import known_node
from planner.values.casts import applied, cast_done
from planner.values.catalog_types import is_of_catalog
from planner.values.comparison_bounds import INT_BITS
from planner.values.sqltypes import HELD_AS_TEXT, data_type_of
from planner.values.text_values import parse_value
from planner.values.type_modifiers import length_of, second_digits_of
from stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTERVAL,
    NULL,
    TEXT,
    TIMESTAMP,
    DataType,
    Kind,
    Value,
    decimal_type,
)

Constant: TypeAlias = tuple[Value, DataType]

_DAY_US = 86_400_000_000
_EPOCH = dt.datetime(1970, 1, 1)
_BIGINT_MAX = (1 << 63) - 1
_DIGITS_MAX = 38
_EXACT = Context(prec=100)
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
    if isinstance(node, exp.Cast):
        return _cast(node, depth)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.DPipe):
        return _computed(node, wanted, depth)
    return None


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
    literal, unit = known_node(node.this or exp.null()), node.args.get("unit")
    is_word = isinstance(unit and known_node(unit), exp.Var | None)
    if not isinstance(literal, exp.Literal) or not is_word:
        return None
    text = literal.name if unit is None else f"{literal.name} {unit.name}"
    try:
        return parse_value(text, INTERVAL), INTERVAL
    except QueryError:
        return None  # DuckDB knows this spelling, or raises the error


def _cast(node: exp.Cast, depth: int) -> Constant | None:
    literal, to = known_node(node.this), data_type_of(node.to)
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


def _computed(node: exp.Binary, wanted: DataType, depth: int) -> Constant | None:
    if isinstance(node, exp.DPipe):
        return _joined(*(constant_of(side, TEXT, depth) for side in (node.this, node.expression)))
    if wanted.kind is Kind.TEXT:
        return None  # a bare literal next to a number is a number, not a text
    left, right = (_side(side, depth) for side in (node.this, node.expression))
    if left is None or right is None or None in {left[0], right[0]}:
        return None
    if right[1].kind is Kind.INTERVAL and isinstance(node, exp.Add | exp.Sub):
        return moved(left, right[0], -1 if isinstance(node, exp.Sub) else 1)
    if left[1].kind is Kind.INTERVAL and isinstance(node, exp.Add):
        return moved(right, left[0], 1)
    return _arithmetic(node, left, right)


def _side(node: exp.Expr, depth: int) -> Constant | None:
    """Return an operand of arithmetic; None for a bare text literal, whose type is open."""
    bare = known_node(node)
    if isinstance(bare, exp.Literal) and bare.is_string:
        return None
    return constant_of(bare, BIGINT, depth)


def _joined(left: Constant | None, right: Constant | None) -> Constant | None:
    if left is None or right is None or not left[1] == right[1] == TEXT:
        return None
    return left[0] + right[0], TEXT


def _arithmetic(node: exp.Binary, left: Constant, right: Constant) -> Constant | None:
    kinds = {left[1].kind, right[1].kind}
    if not kinds <= {*INT_BITS, Kind.DECIMAL}:
        return None
    one, other = Decimal(left[0]), Decimal(right[0])
    if isinstance(node, exp.Mul):
        value = _EXACT.multiply(one, other)
    else:
        value = (_EXACT.add if isinstance(node, exp.Add) else _EXACT.subtract)(one, other)
    if Kind.DECIMAL in kinds:
        return _decimal(value)
    return (int(value), BIGINT) if abs(value) <= _BIGINT_MAX else None


def moved(time: Constant, interval: tuple[int, int, int], sign: int) -> Constant | None:
    """Return a time moved by an interval; a date becomes a timestamp."""
    value, data_type = time
    if data_type.kind is Kind.DATE:
        value, data_type = value * _DAY_US, TIMESTAMP
    if data_type.kind not in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        return None
    months, days, micros = (sign * part for part in interval)
    try:
        return _months_later(value, months) + days * _DAY_US + micros, data_type
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
