"""Calls about numbers. Operators are in `arithmetic`, and so are `round`, `ceil` and `floor`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.functions import call_name
from planner.inference import Types
from planner.result_types import INTEGERS, as_decimal, common_type
from planner.rewriting import CallRule, copies, renamed
from planner.sqltypes import duckdb_type
from planner.trees import call, cast
from stores.schema import Kind


def _same_type(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """gcd, lcm: as wide as their arguments."""
    found = common_type([types.of(each) for each in given])
    if found is None or found.kind not in INTEGERS:
        return None
    return cast(call(call_name(node), *copies(given)), duckdb_type(found))


def _sign(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    kind = types.kind_of(given[0])
    wanted = "DECIMAL(1,0)" if kind is Kind.DECIMAL else "DOUBLE"
    return cast(call("sign", given[0].copy()), wanted)


def _div(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    left, right = (types.of(each) for each in given[:2])
    if None in {as_decimal(left), as_decimal(right)}:
        return None
    both = exp.IntDiv(this=given[0].copy(), expression=given[1].copy())
    if left is not None and right is not None and {left.kind, right.kind} <= set(INTEGERS):
        return cast(exp.Paren(this=both), "DECIMAL(19,0)")
    divided = exp.Div(this=cast(given[0].copy(), "DOUBLE"), expression=given[1].copy())
    return cast(call("trunc", divided), "DECIMAL(38,0)")


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
    "factorial": _factorial,
    **{name: renamed(f"pg_sg_{name}") for name in ("acosh", "atanh")},
    "width_bucket": renamed("pg_sg_width_bucket"),
    "bit_count": _bit_count,
}
"""Which rule takes which call."""
