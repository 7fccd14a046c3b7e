"""`now()` and its kin: the time at which a statement began to run, the same wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from planner.postgres.types.inference import Types
from planner.trees.nodes import call, cast


def now(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """The moment, rounded to so many digits as are given, if any.

    DuckDB has the bare words, too, but takes them for the result columns that are named by them.
    """
    del node, types
    if not given:
        return call("now")
    return call("to_timestamp", call("round", call("epoch", call("now")), given[0].copy()))


def local_now(data_type: str) -> Callable[[exp.Expr, list[exp.Expr], Types], exp.Expr]:
    """A rule for its date and time, or its time of day, in UTC.

    Args:
        data_type: TIMESTAMP or TIME.
    """

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        whole = cast(now(node, given, types), "TIMESTAMP")
        return whole if data_type == "TIMESTAMP" else cast(whole, data_type)

    return rule
