"""Predicates of single comparisons: with an operand, with the clock, or of two constants."""

from __future__ import annotations

import time

from sqlglot import exp

from planner.binding.column_side import Side
from planner.binding.predicates import (
    EVERY_ROW,
    NO_ROW,
    UNKNOWN,
    Compares,
    Operand,
    Predicate,
    all_hold,
    equals_one_of,
)
from planner.trees.known_arguments import seen
from planner.values.comparison_bounds import Fitted, Fitter, fitter
from planner.values.constants import constant_of
from stores.spec.schema import BIGINT, TEXT, DataType, Kind, Value

_DOUBLE_EXACT = 1 << 53
"""Every whole number below it has a double of its own."""


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
    behind = _refitted(operand, side.behind(operand.fit), "end")
    ends = {
        "=": ((">=", first), ("<", behind)),
        ">=": ((">=", first),),
        ">": ((">=", behind),),
        "<": (("<", first),),
        "<=": (("<", behind),),
    }[operator]
    return all_hold(*(Compares(column=side.column, operator=o, operand=v) for o, v in ends))


def _refitted(operand: Operand, fit: Fitter, end: str) -> Operand:
    return Operand(
        text=f"the {end} of {operand.text}",
        fit=fit,
        constant=operand.constant,
        parameter=operand.parameter,
        compute=operand.compute,
    )


def compare_constants(left: exp.Expr, operator: str, right: exp.Expr) -> Predicate:
    """Return the predicate of two constants: programs write `1 = 0` to ask for no row."""
    one, other = (_plain_constant(node) for node in (left, right))
    if one is None or other is None or (one[1] == TEXT) is not (other[1] == TEXT):
        return UNKNOWN
    a, b = one[0], other[0]
    holds = {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
    return EVERY_ROW if holds[operator] else NO_ROW


def _plain_constant(node: exp.Expr) -> tuple[Value, DataType] | None:
    node = seen(node)
    if not isinstance(node, exp.Literal):
        return None
    found = constant_of(node, TEXT)
    return found if found is not None and found[1].kind in {Kind.BIGINT, Kind.TEXT} else None


def constant_fitter(value: Value, source: DataType, column: DataType) -> Fitter | None:
    """Return the fitter of a constant to a column; None if they cannot be compared."""
    if source.kind is Kind.DOUBLE and column.kind is Kind.BIGINT and abs(value) < _DOUBLE_EXACT:
        return fitter(BIGINT, column)  # below the limit, no two bigints share a double
    return fitter(source, column)


def time_before_now(node: exp.Expr) -> int | None:
    """Return by how many microseconds `now() - interval '1 hour'` is before now."""
    node = seen(node)
    if _is_now(node):
        return 0
    if not isinstance(node, exp.Sub) or not _is_now(seen(node.this)):
        return None
    interval = constant_of(node.expression, TEXT)
    if interval is None or interval[1].kind is not Kind.INTERVAL:
        return None
    months, days, micros = interval[0]
    # The longest month: reads may begin too early, never too late.
    length: int = (31 * months + days) * 86_400_000_000 + micros
    return length if min(interval[0]) >= 0 else None


def _is_now(node: exp.Expr) -> bool:
    """Whether a node is now() without a precision."""
    return isinstance(node, exp.CurrentTimestamp) and not node.args.get("this")


def after_clock(side: Side, since_us: int) -> Predicate:
    """Return a lower bound that moves with the clock.

    DuckDB reads the clock later, and applies its own bound to the rows.
    """
    if side.type.kind is not Kind.TIMESTAMPTZ or side.column_type != side.type:
        return UNKNOWN
    text = f"now() - {since_us // 1_000_000} s"
    operand = Operand(
        text=text, fit=lambda _: Fitted(time.time_ns() // 1000 - since_us), constant=since_us
    )
    condition = Compares(column=side.column, operator=">=", operand=operand)
    return Predicate(disjuncts=((condition,),), exact=False)
