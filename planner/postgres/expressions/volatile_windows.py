"""Volatile values that sort or divide the rows of a window, as in `OVER (ORDER BY random())`.

DuckDB refuses them there. So the rows of FROM get the value as a further column.
"""

from __future__ import annotations

import itertools
from collections.abc import Container

from sqlglot import exp

from planner.errors import NotSupportedError
from planner.postgres.expressions.volatile import volatile_calls
from planner.trees.nodes import Nodes, position_of, put


def add_window_columns(nodes: Nodes, taken: Container[str]) -> None:
    """Compute such values beside the rows of FROM, in place.

    Args:
        nodes: the nodes of a tree that DuckDB can run.
        taken: the names in the statement.

    Raises:
        NotSupportedError: the rows of the window are joined or grouped (0A000).
    """
    if not nodes.of(exp.Window):
        return
    names = (name for n in itertools.count() if (name := f"sorting{n}") not in taken)
    is_changed = False
    for call in list(volatile_calls(nodes)):
        term = _term_of(call)
        if term is not None:
            _add_column(term, next(names))
            is_changed = True
    if is_changed:
        nodes.renew()


def _term_of(node: exp.Expr) -> exp.Expr | None:
    """Return the term of a window that has a node; None if the node stands elsewhere."""
    child, parent = node, node.parent
    while parent is not None and not isinstance(child, exp.Query):
        order = parent.parent if isinstance(parent, exp.Ordered) else None
        if isinstance(order, exp.Order) and isinstance(order.parent, exp.Window):
            return child
        if isinstance(parent, exp.Window) and child.arg_key == "partition_by":
            return child
        child, parent = parent, parent.parent
    return None


def _add_column(term: exp.Expr, name: str) -> None:
    select = term.parent_select
    from_ = select.args.get("from_") if isinstance(select, exp.Select) else None
    if not isinstance(select, exp.Select) or from_ is None or _is_combined(select):
        raise NotSupportedError(
            "a volatile value in a window of joined or grouped rows is not supported",
            hint="Compute the value in a subquery in FROM.",
            position=position_of(term),
        )
    item = from_.this
    owner = exp.to_identifier(item.alias_or_name, quoted=True)
    column = exp.to_identifier(name, quoted=True)
    put(term, exp.Column(this=column.copy(), table=owner.copy()))
    inner = exp.Select(
        expressions=[exp.Star(), exp.Alias(this=term, alias=column.copy())],
        from_=exp.From(this=item.copy()),
    )
    put(item, exp.Subquery(this=inner, alias=exp.TableAlias(this=owner)))
    for each in select.expressions:
        star = each.this if isinstance(each, exp.Column) else each
        if isinstance(star, exp.Star):
            star.set("except_", [*(star.args.get("except_") or ()), column.copy()])


def _is_combined(select: exp.Select) -> bool:
    """Whether the rows of a window are not those of one item of FROM."""
    if any(select.args.get(part) for part in ("joins", "group", "having")):
        return True
    aggregates = (node for item in select.expressions for node in item.find_all(exp.AggFunc))
    return any(not isinstance(_around(node), exp.Window) for node in aggregates)


def _around(node: exp.Expr) -> exp.Expr | None:
    parent = node.parent
    while isinstance(parent, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        parent = parent.parent
    return parent
