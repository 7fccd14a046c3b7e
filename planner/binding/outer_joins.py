"""What the joins of a SELECT keep: which rows an ON drops, and which relations may be missing."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.trees.nodes import is_comma


def may_filter(select: exp.Expr, join: exp.Join, table: exp.Expr) -> bool:
    """Whether the ON of a join drops rows of a relation instead of leaving them unmatched."""
    if join.method:
        return False
    joins = select.args.get("joins") or []
    at = next((i for i, each in enumerate(joins) if each is join), 0)
    is_right = join.this is table
    is_left = not is_right and all(each.this is not table for each in joins[at:])
    side = join.side.upper()
    if side == "":
        is_inner = join.kind.upper() in {"", "INNER", "CROSS"}
        return is_inner and (is_left or is_right)
    if side == "RIGHT" and is_left:
        # JOIN binds tighter than a comma: items before the last comma are joined with the result.
        begin = max((i for i, each in enumerate(joins[:at]) if is_comma(each)), default=-1)
        joined = [each.this for each in joins[max(begin, 0) : at]]
        first = [select.args["from_"].this] if begin < 0 else []
        return is_in(table, (*first, *joined))
    return side == "LEFT" and is_right


def is_in(table: exp.Expr, items: Sequence[exp.Expr]) -> bool:
    """Whether a table is one of these items of FROM, or stands in the parentheses of one."""
    return any(_holds(item, table) for item in items)


def _holds(item: exp.Expr, table: exp.Expr) -> bool:
    """Whether a table is an item of FROM or stands in its parentheses."""
    node: exp.Expr | None = table
    while node is not None and node is not item:
        node = node.parent
    return node is not None


def may_be_missing(select: exp.Expr, table: exp.Expr, but: exp.Join | None) -> bool:
    """Whether an outer join other than `but` can replace rows of a relation with NULLs."""
    joins = select.args.get("joins") or []
    at = next((i for i, each in enumerate(joins) if each.this is table), -1)
    for i, join in enumerate(joins):
        side = join.side.upper()
        if join is not but and (
            (i == at and side in {"LEFT", "FULL"}) or (i > at and side in {"RIGHT", "FULL"})
        ):
            return True
    return False
