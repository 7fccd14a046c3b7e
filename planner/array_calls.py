"""Calls that take or make an array or a series."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.functions import call_name
from planner.inference import INTEGERS, Types
from planner.rewriting import CallRule, copies, renamed, unsupported
from planner.trees import call, cast
from stores.schema import Kind


def _string_to_array(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    null = given[2].copy() if len(given) > 2 else exp.null()
    found = call("pg_sg_string_to_array", *copies(given[:2]), null)
    return call("unnest", found) if call_name(node) == "string_to_table" else found


def _array_to_string(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return call("pg_sg_array_to_string", *copies(given)) if len(given) > 2 else None


def _array_length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return call("pg_sg_array_length", *copies(given)) if len(given) > 1 else None


def _generate_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """A series of dates is one of moments."""
    for each in given[:2]:
        if types.kind_of(each) is Kind.DATE:
            each.replace(cast(each.copy(), "TIMESTAMPTZ"))
        if types.kind_of(each) is Kind.DECIMAL:
            raise unsupported(
                node,
                "generate_series of numeric is not supported",
                "Generate integers, and divide them.",
            )
    return _bounded_series(node, given, types)


def _bounded_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """In FROM a series streams; anywhere else it is a list in memory, which no limit counts."""
    if isinstance(node.parent, exp.Table) or not given:
        return None
    start = exp.Literal.number(0) if len(given) == 1 else given[0].copy()
    step = given[2].copy() if len(given) > 2 else exp.Literal.number(1)
    stop = given[0] if len(given) == 1 else given[1]
    counts = types.kind_of(given[0]) in INTEGERS
    name = "pg_sg_series_end" if counts else "pg_sg_moments_end"
    stop.replace(call(name, start, stop.copy(), step))
    return None


CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("string_to_array", "string_to_table"), _string_to_array),
    "array_to_string": _array_to_string,
    "array_length": _array_length,
    "array_upper": renamed("pg_sg_array_length"),
    "array_lower": renamed("pg_sg_array_lower"),
    "array_ndims": renamed("pg_sg_array_ndims"),
    "array_dims": renamed("pg_sg_array_dims"),
    "array_positions": renamed("pg_sg_array_positions"),
    "array_remove": renamed("pg_sg_array_remove"),
    "array_replace": renamed("pg_sg_array_replace"),
    "array_fill": renamed("pg_sg_array_fill"),
    "trim_array": renamed("pg_sg_trim_array"),
    "array_append": renamed("list_append"),
    "array_prepend": renamed("list_prepend"),
    "array_cat": renamed("list_concat"),
    "generate_series": _generate_series,
    "range": _bounded_series,
}
"""Which rule takes which call."""
