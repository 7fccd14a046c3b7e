"""Comparisons of a column with an operand, or of two constants, as predicates.

The column side can be a column, or a monotone function of one that can be undone.
`day::date = '2020-01-01'` is an interval of `day`, and `item::bigint = 5` is `item = 5`. If the
comparison might then hold for other rows, DuckDB evaluates it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from msgspec import Struct, structs
from sqlglot import exp

from stategate.planner.binding.predicates import (
    EVERY_ROW,
    NO_ROW,
    UNKNOWN,
    Compares,
    Operand,
    Predicate,
    all_hold,
    equals_one_of,
)
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.values.casts import keeps_all
from stategate.planner.values.comparison_bounds import Fit, Fitted, Fitter, Outside
from stategate.planner.values.constants import constant_of
from stategate.planner.values.sqltypes import data_type_of
from stategate.planner.values.type_modifiers import length_of, second_digits_of
from stategate.stores.spec.schema import DATE, TEXT, Column, DataType, Kind, Value

ColumnOf: TypeAlias = Callable[[exp.Column], Column | None]
"""Returns the column of the relation; None for a column of another relation."""

_DAY_US = 86_400_000_000
_UNITS_US = {
    "MICROSECOND": 1,
    "MICROSECONDS": 1,
    "MILLISECOND": 1000,
    "MILLISECONDS": 1000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": _DAY_US,
    "WEEK": 7 * _DAY_US,
}
_UNITS_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_MONDAY_US = -3 * _DAY_US
"""A midnight before a Monday; the first day of 1970 was a Thursday."""
_STAMPS = {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Rounding down: where the step of a value begins, and where the next step begins."""

    first: Callable[[int], int]
    next: Callable[[int], int]


class Side(Struct, frozen=True, kw_only=True):
    """One side of a comparison: a column, and the steps that are applied to it."""

    column: str
    type: DataType
    """The type of the expression, to which the other side is converted."""
    column_type: DataType
    shift: int = 0
    """The constant that the expression adds to the column."""
    steps: Steps | None = None
    """How the expression rounds the column down; None if it does not."""

    def placed(self, fit: Fitter) -> Fitter:
        """Return a fitter that undoes the shift of the column."""
        shift = self.shift
        return fit if not shift else lambda value: _mapped_fit(fit(value), lambda v: v - shift)

    def at_least(self, fit: Fitter) -> Fitter:
        """Return a fitter to the least column value whose step begins at the value or later."""
        steps = self.steps
        assert steps is not None, "the side rounds"

        def least(value: int) -> int:
            first = steps.first(value)
            return first if first == value else steps.next(value)

        return lambda value: _stepped_fit(fit(value), least)

    def after(self, fit: Fitter) -> Fitter:
        """Return a fitter to the start of the step after the one that contains the value."""
        steps = self.steps
        assert steps is not None, "the side rounds"
        return lambda value: _stepped_fit(fit(value), steps.next)


def _mapped_fit(fit: Fit, move: Callable[[Value], Value]) -> Fit:
    return fit if isinstance(fit, Outside) else Fitted(move(fit.value), fit.exact)


def _stepped_fit(fit: Fit, move: Callable[[Value], Value]) -> Fit:
    return fit if isinstance(fit, Outside) else Fitted(move(fit.value))


def side_of(node: exp.Expr, column_of: ColumnOf) -> Side | None:
    """Return the column side of an expression; None if its column cannot be compared alone."""
    node = known_node(node)
    if isinstance(node, exp.Column):
        column = column_of(node)
        if column is None:
            return None
        return Side(column=column.name, type=column.type, column_type=column.type)
    reader = _FUNCTIONS.get(type(node))
    argument = _argument(node)
    if reader is None or not isinstance(argument, exp.Column | exp.Cast):
        return None
    inner = side_of(argument, column_of)
    if inner is None or inner.shift or inner.steps is not None:
        return None
    return reader(node, inner)


def _cast(node: exp.Expr, inner: Side) -> Side | None:
    to = node.args["to"]
    data_type = data_type_of(to)
    if data_type is None or length_of(to) is not None or second_digits_of(to) is not None:
        return None
    if inner.type.kind in _STAMPS and data_type == DATE:
        return Side(
            column=inner.column, type=DATE, column_type=inner.column_type, steps=steps_of("DAY")
        )
    if not keeps_all(inner.type, data_type):
        return None
    return Side(column=inner.column, type=data_type, column_type=inner.column_type)


def _argument(node: exp.Expr) -> exp.Expr | None:
    """Return the argument that may be a column: the second one of date_trunc."""
    if isinstance(node, exp.Anonymous):
        is_trunc = node.name.lower() == "date_trunc" and len(node.expressions) == 2
        return known_node(node.expressions[1]) if is_trunc else None
    return known_node(node.this) if isinstance(node.this, exp.Expr) else None


def _truncated(node: exp.Expr, inner: Side) -> Side | None:
    unit = known_node(node.expressions[0])
    steps = steps_of(unit.name.upper()) if isinstance(unit, exp.Literal) else None
    if steps is None or inner.column_type.kind not in _STAMPS:
        return None
    return Side(column=inner.column, type=inner.type, column_type=inner.column_type, steps=steps)


def _added(node: exp.Expr, inner: Side) -> Side | None:
    if inner.column_type.kind not in _STAMPS:
        return None
    constant = constant_of(node.args["expression"], TEXT)
    if constant is None or constant[1].kind is not Kind.INTERVAL or constant[0][0]:
        return None  # months have no fixed length
    _, days, micros = constant[0]
    shift = days * _DAY_US + micros
    return Side(
        column=inner.column,
        type=inner.type,
        column_type=inner.column_type,
        shift=-shift if isinstance(node, exp.Sub) else shift,
    )


_FUNCTIONS: dict[type[exp.Expr], Callable[[exp.Expr, Side], Side | None]] = {
    exp.Cast: _cast,
    exp.Anonymous: _truncated,
    exp.Add: _added,
    exp.Sub: _added,
}


def steps_of(unit: str) -> Steps | None:
    """Return how a time is rounded down to a unit, which is in capitals; None for other units."""
    if (size_us := _UNITS_US.get(unit)) is not None:
        start = _MONDAY_US if unit == "WEEK" else 0
        return Steps(
            first=lambda v: (v - start) // size_us * size_us + start,
            next=lambda v: ((v - start) // size_us + 1) * size_us + start,
        )
    if (months := _UNITS_MONTHS.get(unit)) is not None:
        return Steps(
            first=lambda v: _month_start(v, months, 0), next=lambda v: _month_start(v, months, 1)
        )
    return None


def _month_start(micros: int, months: int, later: int) -> int:
    """Return the start of the group of months that contains a time, or of a later group."""
    month = int(np.datetime64(micros, "us").astype("datetime64[M]").astype(np.int64))
    begins = (month // months + later) * months
    return int(np.datetime64(begins, "M").astype("datetime64[us]").astype(np.int64))


def compare(side: Side, operator: str, operand: Operand) -> Predicate:
    """Return the predicate of a column side compared with an operand."""
    if side.steps is not None:
        return _stepped(side, operator, operand)
    if operator == "=":
        return all_hold(equals_one_of(side.column, (operand,)))
    return all_hold(Compares(column=side.column, operator=operator, operand=operand))


def _stepped(side: Side, operator: str, operand: Operand) -> Predicate:
    """Return a comparison with a column rounded down as an interval of the column."""
    first = _refitted(operand, side.at_least(operand.fit), "start")
    after = _refitted(operand, side.after(operand.fit), "end")
    ends = {
        "=": ((">=", first), ("<", after)),
        ">=": ((">=", first),),
        ">": ((">=", after),),
        "<": (("<", first),),
        "<=": (("<", after),),
    }[operator]
    return all_hold(*(Compares(column=side.column, operator=o, operand=v) for o, v in ends))


def _refitted(operand: Operand, fit: Fitter, end: str) -> Operand:
    return structs.replace(operand, text=f"the {end} of {operand.text}", fit=fit)


def compare_constants(left: exp.Expr, operator: str, right: exp.Expr) -> Predicate:
    """Return the predicate of two constants; programs write `1 = 0` to read no rows."""
    one, other = (_plain_constant(node) for node in (left, right))
    if one is None or other is None or (one[1] == TEXT) is not (other[1] == TEXT):
        return UNKNOWN
    a, b = one[0], other[0]
    holds = {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
    return EVERY_ROW if holds[operator] else NO_ROW


def _plain_constant(node: exp.Expr) -> tuple[Value, DataType] | None:
    node = known_node(node)
    if not isinstance(node, exp.Literal):
        return None
    found = constant_of(node, TEXT)
    return found if found is not None and found[1].kind in {Kind.BIGINT, Kind.TEXT} else None


def after_text(start: str) -> str | None:
    """Return the first text after all texts with this prefix; None if no text follows."""
    kept = start.rstrip("\U0010ffff")
    if not kept:
        return None
    code = ord(kept[-1]) + 1
    # Text cannot contain surrogates.
    return kept[:-1] + chr(0xE000 if 0xD800 <= code < 0xE000 else code)
