"""Times and intervals with fewer digits of a second, as `timestamp(3)`: a cast rounds to them."""

from __future__ import annotations

from sqlglot import exp

from planner.trees.nodes import call

DIGITS_MAX = 6
"""Postgres counts microseconds; it takes more digits as so many."""
_MACROS = {
    exp.DType.TIME: "pg_sg_rounded_time",
    exp.DType.TIMESTAMP: "pg_sg_rounded_timestamp",
    exp.DType.TIMESTAMPTZ: "pg_sg_rounded_timestamptz",
    exp.DType.TIMESTAMPLTZ: "pg_sg_rounded_timestamptz",
    exp.DType.INTERVAL: "pg_sg_rounded_interval",
}


def digits_of(node: exp.DataType) -> int | None:
    """How many digits of a second there may be; None if all, or it is no type of times."""
    if node.this not in _MACROS or not node.expressions:
        return None
    digits = int(node.expressions[0].name)
    return None if digits >= DIGITS_MAX else digits


def round_seconds(cast: exp.Cast) -> None:
    """Round in the tree what is cast to fewer digits.

    DuckDB has other types for the digits of a timestamp, and none for those of the others.
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
