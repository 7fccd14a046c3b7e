"""Moments computed from parameters: `$1 - interval '1 hour'`, `time + $1 * interval '1 day'`.

DuckDB would compute the moment for every row. Here it is computed once the parameters are known,
so that it can bound the rows that are read. The arithmetic is Postgres's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from planner.errors import InvalidValueError
from planner.trees.nodes import parameter_number, strip
from planner.values.constants import Constant, constant_of, moved
from planner.values.sqltypes import parameter_type_of
from stores.spec.schema import INTERVAL, TEXT, DataType, Kind, Row

_Compute: TypeAlias = Callable[[Row], Constant]
_DAY_US, _MONTH_DAYS = 86_400_000_000, 30
_NUMBERS = {Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DOUBLE, Kind.REAL, Kind.DECIMAL}
_STAMPS = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
DEPTH_MAX = 8
"""Maximum nesting of such a computation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A moment that is known once the parameters are known."""

    type: DataType
    compute: _Compute
    parameters: tuple[int, ...]
    """Numbers of the parameters it is computed from."""


def moment_of(
    node: exp.Expr, parameter_type: Callable[[int], DataType], depth: int = DEPTH_MAX
) -> Moment | None:
    """Return the moment, interval or number of an expression; None for any other expression."""
    node = strip(node)
    if not depth:
        return None
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        left = moment_of(node.this, parameter_type, depth - 1)
        return _combined(node, left, moment_of(node.expression, parameter_type, depth - 1))
    if isinstance(node, exp.Cast) and isinstance(strip(node.this), exp.Parameter):
        inner = moment_of(node.this, parameter_type, depth - 1)
        is_same = inner is not None and inner.type == parameter_type_of(node.to)
        return inner if is_same and not node.to.expressions else None
    if isinstance(node, exp.Parameter):
        return _of_parameter(parameter_number(node), parameter_type)
    is_text = isinstance(node, exp.Literal) and node.is_string
    constant = None if is_text else constant_of(node, TEXT)
    if constant is None or constant[0] is None:
        return None
    return Moment(type=constant[1], compute=lambda _: constant, parameters=())


def _of_parameter(number: int, parameter_type: Callable[[int], DataType]) -> Moment | None:
    found = parameter_type(number)
    if found.kind not in {*_NUMBERS, *_STAMPS, Kind.INTERVAL}:
        return None
    return Moment(type=found, compute=lambda row: (row[number - 1], found), parameters=(number,))


def _combined(node: exp.Expr, left: Moment | None, right: Moment | None) -> Moment | None:
    if left is None or right is None:
        return None
    kinds = (left.type.kind, right.type.kind)
    if not isinstance(node, exp.Sub) and kinds[0] is Kind.INTERVAL:
        left, right, kinds = right, left, kinds[::-1]
    if kinds[1] is not Kind.INTERVAL:
        return None
    parameters = (*left.parameters, *right.parameters)
    if isinstance(node, exp.Mul):
        if kinds[0] not in _NUMBERS:
            return None
        return Moment(type=INTERVAL, parameters=parameters, compute=_product(left, right))
    if kinds[0] not in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        return None
    sign = -1 if isinstance(node, exp.Sub) else 1
    return Moment(type=left.type, parameters=parameters, compute=_sum(left, right, sign))


def _product(number: Moment, interval: Moment) -> _Compute:
    def compute(row: Row) -> Constant:
        factor, length = number.compute(row)[0], interval.compute(row)[0]
        if factor is None or length is None:
            return None, INTERVAL
        return scaled(length, float(factor)), INTERVAL

    return compute


def _sum(time: Moment, interval: Moment, sign: int) -> _Compute:
    def compute(row: Row) -> Constant:
        moment, length = time.compute(row), interval.compute(row)[0]
        if moment[0] is None or length is None:
            return None, time.type
        found = moved(moment, length, sign)
        if found is None:
            raise InvalidValueError("timestamp out of range", sqlstate="22008")
        return found

    return compute


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
