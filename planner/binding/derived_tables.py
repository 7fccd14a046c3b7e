"""The relations from which a derived table, or a common table expression, takes its columns.

A condition on such a column can be applied to the relation if there is no LIMIT, no window and no
DISTINCT ON. With GROUP BY, the column must be one of the groups. A common table expression must be
named only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.postgres.types.output_columns import Outputs, from_items, is_star
from stategate.planner.trees.known_arguments import known_node
from stategate.planner.trees.nodes import Nodes
from stategate.stores.spec.schema import Column

Readable: TypeAlias = Mapping[str, Column]
"""The columns of a relation, by their names in the statement."""
Resolver: TypeAlias = Callable[[exp.Column], tuple[exp.Table, Column] | None]
"""Returns the table and column of a column node; None if they are not certain."""

_DEPTH_MAX = 20
"""Maximum number of nested derived tables that a condition is pushed through."""
_PARTS = {"expressions", "from_", "where", "joins", "group", "having", "distinct", "order", "with_"}
_ITEM_PARTS = {"this", "alias"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Beneath:
    """A relation whose rows a derived table passes on."""

    table: exp.Table
    column_of: Callable[[exp.Column], Column | None]
    """Returns the relation's column of a column of the derived table."""
    items: tuple[tuple[exp.Expr, exp.Expr], ...]
    """The FROM items on the way down, each with its SELECT; the relation's own item is the last."""


class DerivedTables:
    """The derived tables of one statement.

    Args:
        nodes: the nodes of the tree.
        outputs: the columns of each scope.
        resolvers: functions that resolve column nodes, by the id of the scope.
    """

    def __init__(self, nodes: Nodes, outputs: Outputs, resolvers: Mapping[int, Resolver]) -> None:
        self._nodes, self._outputs, self._resolvers = nodes, outputs, resolvers

    def beneath(self, scope: Scope, depth: int = _DEPTH_MAX) -> Iterator[Beneath]:
        """Yield the relations behind the derived tables in the FROM of a scope."""
        sources = scope.selected_sources
        for item in from_items(scope.expression) if depth else ():
            name = item.alias_or_name
            source = sources[name][1] if name in sources else None
            if not isinstance(source, Scope) or not self._is_read_once(item, source):
                continue
            inner = self._passed_on(scope, item, source)
            if not inner:
                continue
            is_only = len(sources) == 1
            for each in self._of(source, depth - 1):
                yield replace(
                    each,
                    column_of=_renaming(name, inner, each.column_of, is_only=is_only),
                    items=((scope.expression, item), *each.items),
                )

    def _of(self, scope: Scope, depth: int) -> Iterator[Beneath]:
        """Yield the relations in the FROM of a scope, and those behind its derived tables."""
        resolve = self._resolvers[id(scope)]
        for item in from_items(scope.expression):
            if isinstance(item, exp.Table):
                yield Beneath(
                    table=item,
                    column_of=_owned_by(item, resolve),
                    items=((scope.expression, item),),
                )
        yield from self.beneath(scope, depth)

    def _is_read_once(self, item: exp.Expr, source: Scope) -> bool:
        """Whether the rows of a scope are read by this FROM item only."""
        if {name for name, value in item.args.items() if value} - _ITEM_PARTS:
            return False
        if isinstance(item, exp.Subquery):
            return item.this is source.expression
        parent = source.expression.parent
        if not isinstance(item, exp.Table) or not isinstance(parent, exp.CTE):
            return False
        clause = parent.parent
        is_recursive = isinstance(clause, exp.With) and bool(clause.args.get("recursive"))
        return not is_recursive and self._is_alone(item.name)

    def _is_alone(self, name: str) -> bool:
        """Whether exactly one common table expression has this name, and it is used once."""
        uses = sum(table.name == name and not table.db for table in self._nodes.of(exp.Table))
        return uses == sum(each.alias == name for each in self._nodes.of(exp.CTE)) == 1

    def _passed_on(self, scope: Scope, item: exp.Expr, source: Scope) -> dict[str, exp.Column]:
        """Return the columns of a derived table that are columns of its own FROM, by name."""
        select = source.expression
        if not isinstance(select, exp.Select) or id(source) not in self._resolvers:
            return {}
        if {name for name, value in select.args.items() if value} - _PARTS:
            return {}
        distinct = select.args.get("distinct")
        if (distinct is not None and distinct.args.get("on")) or select.find(exp.Window):
            return {}
        names, columns = self._outputs.of_item(scope, item), self._columns(source, select)
        if names is None or columns is None or len(names) != len(columns):
            return {}
        groups = self._groups(select, columns)
        return {
            name: column
            for name, column in zip(names, columns, strict=True)
            if column is not None
            and names.count(name) == 1
            and (groups is None or _place(column) in groups)
        }

    def _columns(self, scope: Scope, select: exp.Select) -> list[exp.Column | None] | None:
        """Return the columns of a SELECT list, None for computed ones; None if not certain."""
        found: list[exp.Column | None] = []
        for node in select.expressions:
            if is_star(node):
                places = self._outputs.star(scope, node)
                if places is None:
                    return None
                found += [exp.column(n, table=t) if t else None for t, n in places]
                continue
            inner = known_node(node.unalias())
            found.append(inner if isinstance(inner, exp.Column) else None)
        return found

    @staticmethod
    def _groups(
        select: exp.Select, columns: list[exp.Column | None]
    ) -> set[tuple[str, str]] | None:
        """Return the columns of GROUP BY; None if rows are not grouped."""
        group = select.args.get("group")
        if group is None:
            is_grouped = any(node.find(exp.AggFunc) for node in select.expressions)
            return set() if is_grouped or select.args.get("having") else None
        if {name for name, value in group.args.items() if value} - {"expressions"}:
            return set()  # with grouping sets, a group may contain all rows
        found: set[tuple[str, str]] = set()
        for node in map(known_node, group.expressions):
            if isinstance(node, exp.Literal) and node.name.isdigit():
                at = int(node.name) - 1
                column = columns[at] if 0 <= at < len(columns) else None
                found |= set() if column is None else {_place(column)}
            elif isinstance(node, exp.Column):
                found.add(_place(node))
        return found


def _place(column: exp.Column) -> tuple[str, str]:
    return column.table, column.name


def _owned_by(table: exp.Table, resolve: Resolver) -> Callable[[exp.Column], Column | None]:
    def column_of(column: exp.Column) -> Column | None:
        owned = resolve(column)
        return owned[1] if owned is not None and owned[0] is table else None

    return column_of


def _renaming(
    name: str,
    inner: Mapping[str, exp.Column],
    column_of: Callable[[exp.Column], Column | None],
    *,
    is_only: bool,
) -> Callable[[exp.Column], Column | None]:
    """Return the function that finds a column by its name in a derived table.

    Args:
        name: the name of the derived table.
        inner: its columns that are passed on.
        column_of: returns the column of one of them.
        is_only: whether the FROM has no other item, so that names need no qualifier.
    """

    def renamed(column: exp.Column) -> Column | None:
        if column.table != name and (column.table or not is_only):
            return None
        found = inner.get(column.name)
        return None if found is None else column_of(found)

    return renamed
