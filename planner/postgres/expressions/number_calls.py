"""Rules for calls about numbers, such as `round`, and the division of numerics.

DuckDB divides numerics as doubles, which keep 15 digits. PostgreSQL divides them exactly. So a
numeric becomes a whole number of 128 bits, and a macro divides the two to 16 digits after the
decimal point. Operators are in `arithmetic`, which also has the rule of `mod`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from sqlglot import exp

from stategate.planner.postgres.expressions.rules import CallRule, Rule, copies, unsupported
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import (
    DIGITS_MAX,
    FLOATS,
    INTEGERS,
    as_decimal,
    common_type,
)
from stategate.planner.trees.nodes import call, cast, put, strip, wrapped
from stategate.planner.values.catalog_types import has_any_scale
from stategate.planner.values.sqltypes import duckdb_type
from stategate.stores.spec.schema import DataType, Kind


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


def _same_type(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Cast gcd and lcm to the common type of their arguments."""
    found = common_type([types.of(each) for each in given])
    if found is not None and found.kind is Kind.DECIMAL:
        raise unsupported(node, f"{call_name(node)}() of numeric is not supported")
    if found is None or found.kind not in INTEGERS:
        return None
    return cast(call(call_name(node), *copies(given)), duckdb_type(found))


def _sign(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    kind = types.kind_of(given[0])
    wanted = "DECIMAL(1,0)" if kind is Kind.DECIMAL else "DOUBLE"
    return cast(call("sign", given[0].copy()), wanted)


def _div(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    one, other = (as_decimal(types.of(each)) for each in given[:2])
    found = types.of(node)
    if one is None or other is None or found is None:
        return None
    return cast(whole_quotient(given[0], given[1], one, other), duckdb_type(found))


def _trunc(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Truncate integers and reals as doubles; with a number of places, integers as numerics."""
    kind = types.kind_of(given[0])
    if len(given) > 1 and _is_computed(given[1]):
        return _to_computed_places("trunc", node, given, types)
    found = types.of(node)
    if len(given) > 1 and found is not None and found.kind is Kind.DECIMAL and found.scale:
        return cast(call("trunc", *copies(given)), duckdb_type(found))
    if kind not in {*INTEGERS, Kind.REAL}:
        return None
    held = "DOUBLE" if len(given) == 1 else "DECIMAL(19,0)"
    return call("trunc", cast(given[0].copy(), held), *copies(given[1:]))


def _with_all_places(node: exp.Expr, types: Types) -> exp.Expr:
    """Give a numeric that is rounded or cut all places that were asked for; DuckDB adds none."""
    found = types.of(node)
    if found is None or found.kind is not Kind.DECIMAL or not found.scale:
        return node
    return wrapped(node, lambda inner: cast(inner, duckdb_type(found)))


def _is_computed(places: exp.Expr) -> bool:
    """Whether a number of places is not a constant, or NULL: DuckDB wants a number."""
    return places.find(exp.Column, exp.Parameter, exp.Query, exp.Null) is not None


def _to_computed_places(
    name: str, node: exp.Expr, given: Sequence[exp.Expr], types: Types
) -> exp.Expr:
    """Return a numeric rounded or cut to a number of places that is computed.

    Raises:
        NotSupportedError: the number's type is not known (0A000).
    """
    value, places = given
    exact = as_decimal(types.of(value))
    if exact is None:
        raise unsupported(node, f"{name}() to a computed number of places is not supported here")
    scale = exp.Literal.number(exact.scale)
    dropped = exp.Sub(this=scale, expression=exp.Paren(this=places.copy()))
    whole = call(f"pg_sg_{name}_whole", _whole(value, exact), dropped)
    unit = exp.Literal.number(format(Decimal(1).scaleb(-exact.scale), "f"))
    held = cast(whole, f"DECIMAL({DIGITS_MAX},0)")
    return exp.Paren(this=exp.Mul(this=held, expression=unit) if exact.scale else held)


def _factorial(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return cast(call("factorial", cast(given[0].copy(), "INTEGER")), "DECIMAL(38,0)")


def _bit_count(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    of = given[0].copy()
    if types.kind_of(given[0]) is Kind.BYTEA:
        return call("pg_sg_bytes_count", of)
    return cast(call("bit_count", of), "BIGINT")


def _round(node: exp.Expr, types: Types) -> exp.Expr:
    """Round as PostgreSQL does.

    DuckDB rounds the half of a double away from zero, PostgreSQL to the even neighbour; numerics
    are rounded alike. `round`, `ceil` and `floor` of integers and reals are doubles.
    """
    kind = types.kind_of(node.this)
    places = node.args.get("decimals")
    if places is not None:
        if _is_computed(places):
            return put(node, _to_computed_places("round", node, [node.this, places], types))
        if kind in INTEGERS:
            wrapped(node.this, lambda inner: cast(inner, "DECIMAL(19,0)"))
        return _with_all_places(node, types)
    if kind in INTEGERS or (kind is Kind.REAL and not isinstance(node, exp.Round)):
        return wrapped(node, lambda inner: cast(inner, "DOUBLE"))
    if kind in FLOATS and isinstance(node, exp.Round):
        fresh = call("round_even", cast(node.this.copy(), "DOUBLE"), exp.Literal.number(0))
        return put(node, fresh)
    return node


def _scale(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Return the scale of a numeric's type, or its digits after the point without zeros.

    Only of a literal it is certain that it has the scale of its type, or of those it is cast to.
    """
    name, found = call_name(node), as_decimal(types.of(given[0]))
    plain = strip(given[0])
    while isinstance(plain, exp.Neg | exp.Cast):
        plain = strip(plain.this)
    is_known = isinstance(plain, exp.Literal | exp.Null) and not has_any_scale(types.of(given[0]))
    if found is None or (name == "scale" and not is_known):
        raise unsupported(node, f"{name}() of such a number is not supported")
    if name == "min_scale":
        return call("pg_sg_min_scale", cast(given[0].copy(), "TEXT"))
    is_null = exp.Is(this=given[0].copy(), expression=exp.null())
    return exp.Case(
        ifs=[exp.If(this=is_null, true=exp.null())], default=exp.Literal.number(found.scale)
    )


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("scale", "min_scale"), _scale),
    **dict.fromkeys(("gcd", "lcm"), _same_type),
    "sign": _sign,
    "div": _div,
    "trunc": _trunc,
    "factorial": _factorial,
    "bit_count": _bit_count,
}
"""The rules, by name of function."""
RULES: Mapping[type[exp.Expr], Rule] = dict.fromkeys((exp.Round, exp.Ceil, exp.Floor), _round)
"""The rules, by type of node."""
