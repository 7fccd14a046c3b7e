"""Values that are computed here, in a microsecond: the common forms of expressions of parameters.

DuckDB would need a millisecond. Only computations that succeed, and are the same in PostgreSQL and
in DuckDB, are done; for others the function raises `DeclinedError`, and DuckDB computes the value.

Law: a value computed here is the one that DuckDB computes for the expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from sqlglot import exp

from stategate.planner.binding.comparisons import Steps, steps_of
from stategate.planner.errors import QueryError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import parameter_number
from stategate.planner.values.casts import cast_done
from stategate.planner.values.comparison_bounds import INT_BITS, is_infinite, start_of_day
from stategate.planner.values.constants import constant_of, moved, scaled
from stategate.stores.spec.schema import BIGINT, DATE, TEXT, DataType, Kind, Row, Value

Quick: TypeAlias = Callable[[Row, int], Value]
"""Takes the parameters, and the time of the run in microseconds since 1970; NULL is None."""

DEPTH_MAX = 16
"""Maximum nesting of such an expression."""
_DAY_US = 86_400_000_000
_STAMPS = {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_NUMBERS = {*INT_BITS, Kind.DOUBLE, Kind.REAL, Kind.DECIMAL}
_FIRST_US, _END_US = -62_135_596_800_000_000, 253_402_300_800_000_000
"""The years 1 to 9999."""
_INFINITY = (1 << 63) - 1


class DeclinedError(Exception):
    """Only DuckDB computes this value as PostgreSQL does."""


def quick_value(node: exp.Expr, types: Types, depth: int = DEPTH_MAX) -> Quick | None:
    """Return the function that computes an expression without columns; None if DuckDB must."""
    node = known_node(node)
    if isinstance(node, exp.Parameter):
        place = parameter_number(node) - 1
        return lambda row, _: row[place]
    if isinstance(node, exp.Literal | exp.Interval):
        return _constant(node)
    read = _READERS.get(type(node)) if depth else None
    if read is None and depth and isinstance(node, exp.Anonymous):
        read = _CALLS.get(node.name.lower())
    return None if read is None else read(node, _Inner(types, depth - 1))


class _Inner:
    """Reads the operands of a node."""

    __slots__ = ("_depth", "types")

    def __init__(self, types: Types, depth: int) -> None:
        self.types, self._depth = types, depth

    def value(self, node: exp.Expr) -> Quick | None:
        """Return the function of an operand."""
        return quick_value(node, self.types, self._depth)

    def typed(self, node: exp.Expr) -> tuple[Quick, DataType] | None:
        """Return the function and the type of an operand; None for a bare text or NULL."""
        found, data_type = self.value(node), self.types.of(node)
        bare = known_node(node)
        is_open = isinstance(bare, exp.Literal) and bare.is_string
        return None if found is None or data_type is None or is_open else (found, data_type)

    def text(self, node: exp.Expr) -> Quick | None:
        """Return the function of an operand that is a text."""
        bare = known_node(node)
        if isinstance(bare, exp.Literal) and bare.is_string:
            return _always(bare.name)
        return self.value(bare) if self.types.of(bare) == TEXT else None

    def integer(self, node: exp.Expr) -> Quick | None:
        """Return the function of an operand that is an integer."""
        return self.value(node) if self.types.kind_of(node) in INT_BITS else None


def _always(value: Value) -> Quick:
    return lambda row, now_us: value


def _constant(node: exp.Expr) -> Quick | None:
    if isinstance(node, exp.Literal) and node.is_string:
        return None  # its type depends on what it stands beside
    found = constant_of(node, BIGINT)
    return None if found is None else _always(found[0])


def _of_one(compute: Callable[[Any], Value], given: Quick | None) -> Quick | None:
    """Return a function of one operand that is NULL if this is NULL."""
    if given is None:
        return None

    def value(row: Row, now_us: int) -> Value:
        found = given(row, now_us)
        return None if found is None else compute(found)

    return value


def _of_two(
    compute: Callable[[Any, Any], Value], left: Quick | None, right: Quick | None
) -> Quick | None:
    """Return a function of two operands that is NULL if one of them is NULL."""
    if left is None or right is None:
        return None

    def value(row: Row, now_us: int) -> Value:
        one, other = left(row, now_us), right(row, now_us)
        return None if one is None or other is None else compute(one, other)

    return value


# Arithmetic


def _arithmetic(node: exp.Expr, inner: _Inner) -> Quick | None:
    left, right = inner.typed(node.this), inner.typed(node.expression)
    if left is None or right is None:
        return None
    kinds = left[1].kind, right[1].kind
    if kinds[0] in INT_BITS and kinds[1] in INT_BITS:
        return _of_two(_of_integers(type(node), inner.types.of(node)), left[0], right[0])
    if not isinstance(node, exp.Sub) and (kinds[0] is Kind.INTERVAL or kinds[1] is Kind.DATE):
        left, right, kinds = right, left, kinds[::-1]
    compute = _of_times(type(node), *kinds)
    return None if compute is None else _of_two(compute, left[0], right[0])


def _of_integers(operator: type[exp.Expr], result: DataType | None) -> Callable[[int, int], Value]:
    bits = INT_BITS.get(result.kind, 0) if result is not None else 0
    compute = _OPERATORS[operator]

    def computed(one: int, other: int) -> Value:
        return _in_range(compute(one, other), bits)

    return computed


_OPERATORS: dict[type[exp.Expr], Callable[[int, int], int]] = {
    exp.Add: lambda one, other: one + other,
    exp.Sub: lambda one, other: one - other,
    exp.Mul: lambda one, other: one * other,
}


def _in_range(value: int, bits: int) -> int:
    limit = 1 << (bits - 1) if bits else 0
    if not -limit <= value < limit:
        raise DeclinedError
    return value


def _of_times(
    operator: type[exp.Expr], left: Kind, right: Kind
) -> Callable[[Any, Any], Value] | None:
    """Return the operation of a time, or an interval, with an operand that follows it."""
    if operator is exp.Mul:
        is_product = left in _NUMBERS and right is Kind.INTERVAL
        is_product = is_product or (left is Kind.INTERVAL and right in _NUMBERS)
        return _product if is_product else None
    sign = -1 if operator is exp.Sub else 1
    if left is Kind.DATE and right in INT_BITS:
        return lambda days, more: _day(days, sign * more)
    if left is Kind.DATE and right is Kind.INTERVAL:
        return lambda days, length: _moved(_moment(start_of_day(days)), length, sign)
    if left in _STAMPS and right is Kind.INTERVAL:
        return lambda micros, length: _moved(micros, length, sign)
    return None


def _day(days: int, more: int) -> int:
    moment = _moment(start_of_day(days))
    if not is_infinite(moment):
        _finite(moment + more * _DAY_US)
        days += more
    return days


def _moment(micros: int) -> int:
    """Return a moment, unless it is so far away that calendars differ."""
    return micros if abs(micros) == _INFINITY else _finite(micros)


def _finite(micros: int) -> int:
    if not _FIRST_US <= micros < _END_US:
        raise DeclinedError
    return micros


def _moved(micros: int, length: tuple[int, int, int], sign: int) -> int:
    if is_infinite(_moment(micros)):
        return micros
    found = moved(micros, length, sign)
    if found is None:
        raise DeclinedError
    return _finite(found)


def _product(one: Any, other: Any) -> Value:
    length, factor = (one, other) if isinstance(one, tuple) else (other, one)
    return scaled(length, float(factor))


def _negative(node: exp.Expr, inner: _Inner) -> Quick | None:
    bits = INT_BITS.get(inner.types.kind_of(node) or Kind.TEXT)
    if bits is None:
        return None
    return _of_one(lambda value: _in_range(-value, bits), inner.integer(node.this))


# Calls and casts


def _cast(node: exp.Expr, inner: _Inner) -> Quick | None:
    bare = known_node(node.this)
    if isinstance(bare, exp.Literal) and bare.is_string:
        try:
            found = constant_of(node, TEXT)
        except QueryError:
            return None  # DuckDB raises the error
        return None if found is None else _always(found[0])
    given = inner.typed(bare)
    done = None if given is None else cast_done(given[1], node.args["to"])
    if given is None or done is None or Kind.DECIMAL in {given[1].kind, done.type.kind}:
        return None
    return given[0] if done.convert is None else _of_one(done.convert, given[0])


def _truncated(node: exp.Expr, inner: _Inner) -> Quick | None:
    if len(node.expressions) != 2:
        return None
    unit, moment = known_node(node.expressions[0]), inner.typed(node.expressions[1])
    steps = steps_of(unit.name.upper()) if isinstance(unit, exp.Literal) else None
    if steps is None or moment is None:
        return None
    if moment[1] == DATE:
        return _of_one(lambda days: _first(steps, start_of_day(days)), moment[0])
    if moment[1].kind not in _STAMPS:
        return None
    return _of_one(lambda micros: _first(steps, micros), moment[0])


def _first(steps: Steps, micros: int) -> int:
    return micros if is_infinite(_moment(micros)) else steps.first(micros)


def _joined(node: exp.Expr, inner: _Inner) -> Quick | None:
    sides = inner.text(node.this), inner.text(node.expression)
    return _of_two(lambda one, other: one + other, *sides)


def _upper(node: exp.Expr, inner: _Inner) -> Quick | None:
    return _of_one(lambda text: _ascii(text).upper(), inner.text(node.this))


def _lower(node: exp.Expr, inner: _Inner) -> Quick | None:
    return _of_one(lambda text: _ascii(text).lower(), inner.text(node.this))


def _ascii(text: str) -> str:
    if not text.isascii():
        raise DeclinedError
    return text


def _left(node: exp.Expr, inner: _Inner) -> Quick | None:
    sides = inner.text(node.this), inner.integer(node.expression)
    return _of_two(lambda text, count: text[:count], *sides)


def _right(node: exp.Expr, inner: _Inner) -> Quick | None:
    sides = inner.text(node.this), inner.integer(node.expression)
    return _of_two(_end, *sides)


def _end(text: str, count: int) -> str:
    if count == _LEAST:
        return text  # its opposite is no integer, and PostgreSQL leaves out no character
    return text[max(len(text) - count, 0) :] if count >= 0 else text[-count:]


_LEAST = -(1 << 31)


# The clock


def _now(node: exp.Expr, inner: _Inner) -> Quick | None:
    del inner
    return None if node.args.get("this") and isinstance(node, exp.CurrentTimestamp) else _clock


def _clock(row: Row, now_us: int) -> Value:
    del row
    return now_us


_READERS: dict[type[exp.Expr], Callable[[exp.Expr, _Inner], Quick | None]] = {
    exp.Add: _arithmetic,
    exp.Sub: _arithmetic,
    exp.Mul: _arithmetic,
    exp.Neg: _negative,
    exp.Cast: _cast,
    exp.DPipe: _joined,
    exp.Upper: _upper,
    exp.Lower: _lower,
    exp.Left: _left,
    exp.Right: _right,
    exp.CurrentTimestamp: _now,
}
_CALLS: dict[str, Callable[[exp.Expr, _Inner], Quick | None]] = {
    "date_trunc": _truncated,
    "clock_timestamp": _now,
    "transaction_timestamp": _now,
    "statement_timestamp": _now,
}
