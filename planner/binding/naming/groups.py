"""Columns of grouped queries: each must be grouped, or stand in an aggregate.

DuckDB checks this, too, but after all else, and not in a WITH query that nothing reads. What it
alone can decide is left to it: stars, whole rows, and columns that USING merges.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from sqlglot import exp

from stategate.planner.binding.naming.aggregate_levels import ROW_OF, Owners
from stategate.planner.binding.naming.result_names import (
    RESULT,
    grouped_terms,
    is_position,
    meaning,
)
from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.postgres.places import is_aggregate
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, position_of, strip

READ_ABOVE = ("expressions", "having", "windows", "qualify", "distinct", "order")
"""The clauses of a SELECT that are computed of its groups."""


_GROUPING = "arguments to GROUPING must be grouping expressions of the associated query level"


class Ungrouped(NamedTuple):
    """What is wrong with a column of a grouped query, and where it stands."""

    message: str
    position: int | None

    def error(self) -> InvalidSyntaxError:
        """Return the error of it."""
        return InvalidSyntaxError(self.message, position=self.position, sqlstate="42803")


def find_ungrouped(nodes: Nodes, owners: Owners, moved: Set[int]) -> Ungrouped | None:
    """Return a column that is not grouped, in any SELECT.

    PostgreSQL raises its error after those of types, for which the tree has to be whole.

    Args:
        nodes: the nodes of a tree whose names are resolved.
        owners: the queries that columns belong to.
        moved: the ids of aggregates in subqueries of their queries.
    """
    for select in nodes.of(exp.Select):
        if any(join.args.get("using") or join.method for join in select.args.get("joins") or ()):
            continue
        if owners.is_grouped(select):
            found = _find(select, owners, moved)
            if found is not None:
                return found
    return None


def _find(select: exp.Select, owners: Owners, moved: Set[int]) -> Ungrouped | None:
    group = select.args.get("group")
    values = [value_of(term, select) for term in grouped_terms(group)] if group else []
    terms = {plain_meaning(value) for value in values}
    kinds = {type(term) for term in terms}
    left = [each for key in reversed(READ_ABOVE) for each in reversed(listed(select, key))]
    while left:
        checkpoint()
        node = left.pop()
        is_own = node.parent_select is select
        if isinstance(node, exp.Grouping) and is_own:
            for each in node.expressions:
                if plain_meaning(each) not in terms:
                    return Ungrouped(_GROUPING, position_of(each))
        may_match = type(node) in kinds and (is_own or isinstance(node, exp.Column))
        if may_match and plain_meaning(node) in terms:
            continue
        if id(node) in moved or (is_own and is_whole(node)):
            continue
        if isinstance(node, exp.Column):
            if _is_checked(node) and owners.of_column(node) is select:
                return _ungrouped(node, select, is_own=is_own)
            continue
        left += reversed([*node.iter_expressions()])
    return None


def _is_checked(column: exp.Column) -> bool:
    is_whole_row = ROW_OF in column.meta or isinstance(column.this, exp.Star)
    return not is_whole_row and RESULT not in column.meta


def listed(select: exp.Select, key: str) -> list[exp.Expr]:
    """Return the parts of a clause."""
    value = select.args.get(key)
    found = value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, exp.Expr)]


def value_of(term: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return what a term of GROUP BY stands for."""
    bare, found = strip(term), term
    items: list[exp.Expr] = select.expressions
    if is_position(bare) and 0 < int(bare.name) <= len(items):
        found = items[int(bare.name) - 1]
    elif RESULT in bare.meta:
        found = next((item for item in items if item.alias == bare.name), term)
    return found.this if isinstance(found, exp.Alias) else found


def plain_meaning(node: exp.Expr) -> exp.Expr:
    """Return an expression as it is compared with terms of GROUP BY.

    The items of its subqueries, which have names of their own in the statement, are numbered.
    """
    copied = meaning(node)
    if not isinstance(copied, exp.Query) and copied.find(exp.Query) is None:
        return copied
    names: dict[str, str] = {}
    for item in copied.find_all(exp.Table, exp.DerivedTable, exp.UDTF):
        if name := item.alias_or_name:
            names.setdefault(name, f"{name.partition('#')[0]}#{len(names)}")
            alias = item.args.get("alias") or exp.TableAlias()
            alias.set("this", exp.to_identifier(names[name], quoted=True))
            item.set("alias", alias)
    for column in copied.find_all(exp.Column):
        if column.table in names:
            column.set("table", exp.to_identifier(names[column.table], quoted=True))
    return copied


def has_query(group: exp.Group) -> bool:
    """Whether a GROUP BY has a subquery, which may stand in other clauses, too."""
    return any(each.find(exp.Query) for each in grouped_terms(group))


def is_whole(node: exp.Expr) -> bool:
    """Whether a node is an aggregate with its WITHIN GROUP and FILTER."""
    while isinstance(node, exp.Filter | exp.WithinGroup):
        node = node.this
    return isinstance(node, exp.Func) and is_aggregate(node)


def _ungrouped(column: exp.Column, select: exp.Select, *, is_own: bool) -> Ungrouped:
    owner = column.table or next(_names(select), "")
    name = f"{owner.partition('#')[0] or owner}.{column.name}"
    return Ungrouped(
        f'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function'
        if is_own
        else f'subquery uses ungrouped column "{name}" from outer query',
        position_of(column),
    )


def _names(select: exp.Select) -> Iterator[str]:
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from_.this.alias_or_name
