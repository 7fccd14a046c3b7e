"""GROUP BY a primary key: the other columns of its relation have one value in each group.

The standard calls them functionally dependent, and PostgreSQL takes them as grouped. Those that are
read above are written into GROUP BY, which makes no other groups of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from stategate.planner.binding.naming.aggregate_levels import ROW_OF
from stategate.planner.binding.naming.groups import READ_ABOVE, is_whole, listed, value_of
from stategate.planner.binding.naming.namespaces import Item
from stategate.planner.binding.naming.result_names import RESULT, grouped_terms
from stategate.planner.postgres.document_checks import FOLLOWS
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, strip

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def group_by_keys(nodes: Nodes, items: Iterable[Item]) -> None:
    """Add the columns that follow from a primary key to each GROUP BY that has one, in place.

    Args:
        nodes: the nodes of a tree whose names are resolved.
        items: the items of all FROMs.
    """
    keyed = [item for item in items if item.key]
    is_changed = False
    for group in nodes.of(exp.Group) if keyed else ():
        select = group.parent
        if isinstance(select, exp.Select) and group.find(*_SETS) is None:
            for item in keyed:
                if item.node.parent_select is select:
                    is_changed |= _group(select, group, item)
    if is_changed:
        nodes.renew()


def _group(select: exp.Select, group: exp.Expr, item: Item) -> bool:
    """Add the columns of one item; return whether there are any."""
    joins = select.args.get("joins") or ()
    values = [strip(value_of(term, select)) for term in grouped_terms(group)]
    if any(join.side.upper() == "FULL" for join in joins):
        # What USING makes of two columns that are NULL is one group, with a row of each side.
        values = [each for each in values if each.text("table")]
    grouped = {each.name: each for each in values if _is_of(each, item)}
    if not set(item.key) <= grouped.keys():
        return False
    added = {each.name: each for each in _read(select, item, grouped)}
    fresh = [each.copy() for name, each in added.items() if name not in grouped]
    for each in fresh:
        each.meta[FOLLOWS] = True
    group.set("expressions", [*group.expressions, *fresh])
    return bool(fresh)


def _read(select: exp.Select, item: Item, grouped: Mapping[str, exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the columns of an item that are read above the groups, but not by aggregates."""
    for root in (each for key in READ_ABOVE for each in listed(select, key)):
        for node in root.walk(prune=is_whole):
            checkpoint()
            if _is_of(node, item):
                yield node
            elif _is_row_of(node, item):
                for name in item.written:
                    column = grouped[item.key[0]].copy()
                    column.set("this", exp.to_identifier(name, quoted=True))
                    if select.args.get("joins"):
                        column.set("table", exp.to_identifier(item.name, quoted=True))
                    yield column


def _is_of(node: exp.Expr, item: Item) -> bool:
    """Whether a node is a column of an item; one without a qualifier is of all that have it."""
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return False
    if ROW_OF in node.meta or RESULT in node.meta or node.table not in {"", item.name}:
        return False
    return node.name in item.written or node.name in item.hidden


def _is_row_of(node: exp.Expr, item: Item) -> bool:
    """Whether a node is a star over an item, or its name for its row."""
    if isinstance(node, exp.Star):
        return isinstance(node.parent, exp.Select)
    if not isinstance(node, exp.Column):
        return False
    found = node.table if isinstance(node.this, exp.Star) else node.meta.get(ROW_OF)
    return bool(found == item.name)
