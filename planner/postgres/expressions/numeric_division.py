"""Division of numerics, in whole numbers of 128 bits.

DuckDB divides numerics as doubles, which keep 15 digits. PostgreSQL divides them exactly. So a
numeric becomes a whole number, and a macro divides the two to 16 digits after the decimal point.
"""

from __future__ import annotations

from sqlglot import exp

from planner.postgres.types.result_types import DIGITS_MAX
from planner.trees.nodes import call, cast
from stores.spec.schema import DataType


def quotient(left: exp.Expr, right: exp.Expr, one: DataType, other: DataType) -> exp.Expr:
    """Return the call that divides a numeric by another.

    Args:
        left: the dividend.
        right: the divisor.
        one: a decimal type that holds all values of `left`.
        other: a decimal type that holds all values of `right`.
    """
    apart = other.scale - one.scale
    return call(
        "pg_sg_quotient",
        _whole(left, one),
        _whole(right, other),
        cast(exp.Literal.number(10 ** max(apart, 0)), "HUGEINT"),
        cast(exp.Literal.number(10 ** max(-apart, 0)), "HUGEINT"),
        exp.Literal.number(apart),
    )


def whole_quotient(left: exp.Expr, right: exp.Expr, one: DataType, other: DataType) -> exp.Expr:
    """Return a numeric divided by another, without its fraction: `div(left, right)`."""
    sides: list[exp.Expr] = []
    for side, own, more in ((left, one, other.scale), (right, other, one.scale)):
        whole = _whole(side, own)
        if more > own.scale:
            unit = cast(exp.Literal.number(10 ** (more - own.scale)), "HUGEINT")
            whole = exp.Mul(this=whole, expression=unit)
        sides.append(exp.Paren(this=whole))
    return exp.Paren(this=exp.IntDiv(this=sides[0], expression=sides[1]))


def _whole(node: exp.Expr, data_type: DataType) -> exp.Expr:
    """Return a decimal without its point, as an integer of 128 bits."""
    digits, scale = data_type.precision, data_type.scale
    exact = cast(node.copy(), f"DECIMAL({DIGITS_MAX},{scale})")
    if scale and digits + scale > DIGITS_MAX:  # the product would have too many digits
        printed = call("replace", cast(exact, "TEXT"), *map(exp.Literal.string, (".", "")))
        return cast(printed, "HUGEINT")
    if scale:
        exact = exp.Mul(this=exact, expression=exp.Literal.number(10**scale))
    return cast(exact, "HUGEINT")
