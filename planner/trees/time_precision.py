"""Casts that round times and intervals to fewer digits of a second, such as `timestamp(3)`."""

from __future__ import annotations

from sqlglot import exp

from planner.trees.nodes import call

DIGITS_MAX = 6
"""PostgreSQL counts microseconds; it reads a larger number of digits as this one."""
_MACROS = {
    exp.DType.TIME: "pg_sg_rounded_time",
    exp.DType.TIMESTAMP: "pg_sg_rounded_timestamp",
    exp.DType.TIMESTAMPTZ: "pg_sg_rounded_timestamptz",
    exp.DType.TIMESTAMPLTZ: "pg_sg_rounded_timestamptz",
    exp.DType.INTERVAL: "pg_sg_rounded_interval",
}


def digits_of(node: exp.DataType) -> int | None:
    """Return the digits of a second of a type; None if it keeps all, or is not a type of times."""
    if node.this not in _MACROS or not node.expressions:
        return None
    digits = int(node.expressions[0].name)
    return None if digits >= DIGITS_MAX else digits


def round_seconds(cast: exp.Cast) -> None:
    """Put a macro that rounds around a cast to fewer digits, in place.

    DuckDB has types for timestamps of 0, 3 and 9 digits, and none for times and intervals.
    """
    to = cast.to
    is_array = to.this is exp.DType.ARRAY and len(to.expressions) == 1
    element = to.expressions[0] if is_array else to
    if not isinstance(element, exp.DataType) or element.this not in _MACROS:
        return
    digits = digits_of(element)
    element.set("expressions", None)
    if digits is None:
        return
    macro = _MACROS[element.this] + ("s" if is_array else "")
    unit = exp.Literal.number(10 ** (DIGITS_MAX - digits))
    fresh = call(macro)
    cast.replace(fresh)
    fresh.set("expressions", [cast, unit])
