"""Rules for calls about numbers. Operators, `round`, `ceil` and `floor` are in `arithmetic`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.arithmetic import modulo
from planner.postgres.expressions.numeric_division import whole_quotient
from planner.postgres.expressions.rules import CallRule, copies, renamed
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.result_types import INTEGERS, as_decimal, common_type
from planner.trees.nodes import call, cast
from planner.values.sqltypes import duckdb_type
from stores.spec.schema import Kind


def _same_type(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Cast gcd and lcm to the common type of their arguments."""
    found = common_type([types.of(each) for each in given])
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


def _mod(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Write `mod` as `%`, whose rule keeps numerics exact."""
    rest = exp.Mod(this=given[0].copy(), expression=given[1].copy())
    for side, of in zip((rest.this, rest.expression), given, strict=False):
        types.note(side, types.of(of))
    holder = exp.Paren(this=rest)
    modulo(rest, types)
    return holder


def _trunc(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Truncate integers and reals as doubles; with a number of places, integers as numerics."""
    kind = types.kind_of(given[0])
    if kind not in {*INTEGERS, Kind.REAL}:
        return None
    held = "DOUBLE" if len(given) == 1 else "DECIMAL(19,0)"
    return call("trunc", cast(given[0].copy(), held), *copies(given[1:]))


def _factorial(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return cast(call("factorial", cast(given[0].copy(), "INTEGER")), "DECIMAL(38,0)")


def _bit_count(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    of = given[0].copy()
    if types.kind_of(given[0]) is Kind.BYTEA:
        return call("pg_sg_bytes_count", of)
    return cast(call("bit_count", of), "BIGINT")


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("gcd", "lcm"), _same_type),
    "exp": renamed("pg_sg_exp"),
    "sign": _sign,
    "div": _div,
    "mod": _mod,
    "trunc": _trunc,
    "factorial": _factorial,
    **{name: renamed(f"pg_sg_{name}") for name in ("acosh", "atanh")},
    "width_bucket": renamed("pg_sg_width_bucket"),
    "bit_count": _bit_count,
}
"""The rules, by name of function."""
