"""The types of columns: of relations, of subqueries, and of functions in FROM.

A column belongs to the innermost scope that has one of its name. The types of computed columns come
from `inference`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.postgres.types.functions import (
    ROW_TYPES,
    call_name,
    columns_of_function,
    is_numbered,
)
from stategate.planner.postgres.types.lateral_items import left_of
from stategate.planner.postgres.types.operands import is_open, is_recursive
from stategate.planner.postgres.types.output_columns import is_star, within_lateral
from stategate.planner.postgres.types.result_types import (
    INTEGERS,
    NUMERIC,
    agreed_type,
    common_type,
)
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.stores.spec.schema import (
    BIGINT,
    INTEGER,
    NULL,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
)

ColumnType: TypeAlias = Callable[[exp.Table, str], DataType | None]
"""The type of a relation's column; None if the table is not a relation or has no such column."""
Star: TypeAlias = Callable[[Scope, exp.Expr], Sequence[tuple[str, str]] | None]
"""The columns that a star in a SELECT list stands for, each with its FROM item.

A column that a join has merged has an empty item. None if they are not certain.
"""


class ColumnTypes:
    """The types of the columns of one statement.

    Args:
        scopes: the scopes of the statement, inner ones first.
        column_type: the types of the relations' columns.
        star: the columns that stars stand for.
        type_of: the type of an expression.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        column_type: ColumnType,
        star: Star,
        type_of: Callable[[exp.Expr], DataType | None],
    ) -> None:
        self._scopes, self._column_type = scopes, column_type
        self._star, self._type_of = star, type_of
        self._scope_of: dict[int, Scope] | None = None
        self._outputs: dict[int, Mapping[str, DataType | None]] = {}
        self._types: dict[int, list[DataType | None]] = {}
        """The types of the columns of each scope: each is found once, whoever asks."""
        self._kept: list[exp.Expr] = []
        """Nodes whose ids are in `_outputs`, so that no id is used again."""

    def of(self, column: exp.Column) -> DataType | None:
        """Return the type of a column; None if it is not certain."""
        inner = self._scope_at(column)
        found = self._around(inner, column)
        if found is _ABSENT and column.table:
            # DuckDB reads fields of structs without parentheses, too: `s.f` and `t.s.f`.
            struct = exp.Column(this=column.args["table"].copy(), table=column.args.get("db"))
            owner = self._around(inner, struct)
            found = dict(owner.fields).get(column.name) if isinstance(owner, DataType) else None
        return found if isinstance(found, DataType) else None

    def of_row(self, column: exp.Column) -> Sequence[tuple[str, str]] | None:
        """Return the columns of the FROM item of that name; None if the name is a column's."""
        scope = None if column.table else self._scope_at(column)
        while scope is not None and self._in_scope(scope, column) is _ABSENT:
            if column.name in scope.selected_sources:
                whole = exp.Column(this=exp.Star(), table=exp.to_identifier(column.name))
                return self._star(scope, whole)
            scope = scope.parent
        return None

    def members(self, column: exp.Column) -> Sequence[tuple[str, str, DataType | None]] | None:
        """Return the columns of the FROM item of that name, as `of_row`, with their types."""
        places = self.of_row(column)
        scope = self._scope_at(column)
        if places is None or scope is None:
            return None
        found: list[tuple[str, str, DataType | None]] = []
        for item, name in places:
            known = self._around(scope, exp.column(name, table=item or None))
            found.append((item, name, known if isinstance(known, DataType) else None))
        return found

    def may_be_missing(self, column: exp.Column) -> bool:
        """Whether an outer join may add rows of NULLs for the FROM item of that name."""
        scope = self._scope_at(column)
        while scope is not None and column.name not in scope.selected_sources:
            scope = scope.parent
        select = None if scope is None else scope.expression
        joins = [] if select is None else select.args.get("joins") or []
        sides = {join.side.upper() for join in joins}
        named = [join for join in joins if join.alias_or_name == column.name]
        within = [] if select is None else select.find_all(exp.Join)
        if any(j.side and j.parent is not select and j.parent_select is select for j in within):
            return True  # in parentheses, where it is not looked which side the item is on
        return "FULL" in sides or "RIGHT" in sides or any(j.side.upper() == "LEFT" for j in named)

    def of_columns(self, select: exp.Select) -> list[tuple[exp.Expr, DataType | None]]:
        """Return an expression for each column of a SELECT, stars written out, with its type."""
        scope = self._scope_at_query(select)
        found: list[tuple[exp.Expr, DataType | None]] = []
        for item in select.expressions:
            places = self._star(scope, item) if scope is not None and is_star(item) else None
            if scope is None or places is None:
                found.append((item.unalias(), self._type_of(item.unalias())))
                continue
            for (owner, name), each in zip(places, self._item_types(scope, item), strict=True):
                found.append((exp.column(name, table=owner or None, quoted=True), each))
        return found

    def of_set(self, tree: exp.SetOperation) -> list[tuple[str, DataType | None]]:
        """Return the names and types of the columns of a set operation."""
        scope = self._scope_at_query(tree)
        if scope is None:
            return []
        return list(zip(self._names(scope, tree), self._output_types(scope), strict=False))

    def of_merged(self, select: exp.Select, name: str) -> list[DataType]:
        """Return the types of the columns of one name in the FROM items of a SELECT."""
        scope = self._scope_at_query(select)
        sources = {} if scope is None else scope.selected_sources
        sides = (self._of_source(item, *source, name) for item, source in sources.items())
        return [side for side in sides if isinstance(side, DataType)]

    def other_than_duckdb(self, column: exp.Column) -> DataType | None:
        """Return the type of a column if DuckDB gives it another one: by USING, or of a series."""
        select = column.parent_select
        if not column.table and isinstance(select, exp.Select):
            sides = self.of_merged(select, column.name)
            if any(each != sides[0] for each in sides):
                return common_type(sides)
        scope = self._scope_at(column)
        while scope is not None:
            for name, (_, source) in scope.selected_sources.items():
                if column.table in {"", name} and isinstance(source, exp.Table):
                    found = self._of_series(source, column.name)
                    if found is not None:
                        return found if found == INTEGER else None
            scope = scope.parent
        return None

    def _scope_at_query(self, query: exp.Expr) -> Scope | None:
        for scope in self._scopes:
            if scope.expression is query:
                return scope
        return None

    def of_query(self, scope: Scope) -> tuple[DataType | None, ...] | None:
        """Return the types of a query's columns; None if a star hides their number."""
        for part in (scope, *(scope.set_operation_scopes or ())):
            tree = part.expression
            items = tree.expressions if isinstance(tree, exp.Select) else []
            if any(is_star(item) and self._star(part, item) is None for item in items):
                return None
        return tuple(self._output_types(scope))

    def forget(self) -> None:
        """Find types that are not known again, because a parameter now has its type."""
        for key in [key for key, found in self._types.items() if None in found]:
            del self._types[key]
        for key in [key for key, found in self._outputs.items() if None in found.values()]:
            del self._outputs[key]

    def widened(self, tree: exp.SetOperation) -> list[bool]:
        """Tell which columns of a recursive query are computed numerics, whose scale can grow."""
        first = self._of_tree(tree.this)
        others = tree.expression.selects
        return [
            each is not None and each.kind is Kind.DECIMAL and not isinstance(other, exp.Column)
            for each, other in zip(first, (other.unalias() for other in others), strict=False)
        ]

    def of_first(self, tree: exp.SetOperation) -> list[DataType | None]:
        """Return the types of the columns of the first part of a recursive query."""
        return self._of_tree(tree.this)

    def _of_tree(self, tree: exp.Expr) -> list[DataType | None]:
        """Return the types of the columns of a SELECT, before a recursive part widens them."""
        while isinstance(tree, exp.Subquery):
            tree = tree.this
        scope = next((each for each in self._scopes if each.expression is tree), None)
        if scope is None or not isinstance(tree, exp.Select):
            items = tree.selects if isinstance(tree, exp.Query) else []
            return [self._type_of(item.unalias()) for item in items]
        return [kind for item in tree.selects for kind in self._item_types(scope, item)]

    def _kind_of(self, node: exp.Expr) -> Kind | None:
        found = self._type_of(node)
        return None if found is None else found.kind

    def _agreed(self, nodes: Sequence[exp.Expr]) -> DataType | None:
        return agreed_type(nodes, [self._type_of(node) for node in nodes])

    def _scope_at(self, column: exp.Column) -> Scope | None:
        """Return the scope that a column is in."""
        if self._scope_of is None:
            self._scope_of = {}
            for scope in self._scopes:  # inner ones first: a column belongs to the innermost
                # Not `scope.columns`, which climbs from each column through a whole chain of OR.
                for each in (scope.expression, *scope.find_all(exp.Column)):
                    self._scope_of.setdefault(id(each), scope)
        # Columns that replaced a star are in no scope's list.
        return self._scope_of.get(id(column)) or self._scope_of.get(id(column.parent_select))

    def _around(self, scope: Scope | None, column: exp.Column) -> DataType | object | None:
        """Return the type of a column in the innermost scope that has it."""
        inner: Scope | None = None
        while scope is not None:
            found = self._in_scope(scope, column, inner)
            if found is not _ABSENT:
                return found
            scope, inner = scope.parent, scope
        return _ABSENT

    def _in_scope(
        self, scope: Scope, column: exp.Column, inner: Scope | None = None
    ) -> DataType | object | None:
        """Return the type of a scope's column; a LATERAL item `inner` sees the items left of it."""
        sources = scope.selected_sources
        if inner is not None:
            sources = left_of(inner, sources)
        if column.table:
            if column.table not in sources:
                return _ABSENT
            return self._of_source(column.table, *sources[column.table], column.name)
        known: list[DataType | object | None] = []
        for name, (node, source) in sources.items():
            found = self._of_source(name, node, source, column.name)
            if found is not _ABSENT:
                known.append(found)
        if not known:
            return _ABSENT
        if len(known) == 1 or all(each == known[0] for each in known):
            return known[0]
        # USING has merged them.
        found = [each for each in known if isinstance(each, DataType)]
        return common_type(found) if len(found) == len(known) else None

    def _of_source(
        self, name: str, node: exp.Expr, source: exp.Table | Scope, column: str
    ) -> DataType | object | None:
        if isinstance(source, exp.Table):
            known = self._column_type(source, column)
            if known is not None:
                return known
            found = self._of_series(source, column)
            names = columns_of_function(source) or ()
            if found is None and column in names:
                # The column belongs to this item, though its type is not known, so outer scopes do
                # not count.
                return BIGINT if is_numbered(source) and column == names[-1] else None
            return _ABSENT if found is None else found
        outputs = self._outputs_of(source, node)
        return outputs.get(column, _ABSENT)

    def _of_series(self, table: exp.Table, column: str) -> DataType | None:
        """Return the type of a series in FROM."""
        alias, series = table.args.get("alias"), table.this
        if isinstance(series, exp.Anonymous):
            return _of_function(table, column)
        if not isinstance(series, exp.GenerateSeries):
            return None
        named = table.alias or call_name(series)
        if column != (alias.columns[0].name if alias and alias.columns else named):
            return None
        kind = self._kind_of(series.args["start"])
        if kind in INTEGERS:
            others = [self._kind_of(each) for each in series.args.values() if each is not None]
            return BIGINT if Kind.BIGINT in others or None in others else INTEGER
        return {
            Kind.DATE: TIMESTAMPTZ,
            Kind.TIMESTAMP: TIMESTAMP,
            Kind.TIMESTAMPTZ: TIMESTAMPTZ,
        }.get(kind or Kind.NULL)

    def _outputs_of(self, scope: Scope, node: exp.Expr) -> Mapping[str, DataType | None]:
        key = id(node)
        if key not in self._outputs:
            self._kept.append(node)
            self._outputs[key] = {}
            found: dict[str, DataType | None] = {}
            for name, each in zip(
                self._names(scope, node), self._output_types(scope), strict=False
            ):
                found[name] = each if found.get(name, each) == each else None
            self._outputs[key] = found
        return self._outputs[key]

    def _output_types(self, scope: Scope) -> list[DataType | None]:
        key = id(scope)
        if key not in self._types:
            checkpoint()
            self._types[key] = self._find_types(within_lateral(scope))
        return self._types[key]

    def _find_types(self, scope: Scope) -> list[DataType | None]:
        tree = scope.expression
        if isinstance(tree, exp.Values):
            rows = [row.expressions for row in tree.expressions if isinstance(row, exp.Tuple)]
            return [self._agreed(column) for column in zip(*rows, strict=False)]
        if isinstance(tree, exp.SetOperation) and scope.set_operation_scopes:
            if is_recursive(tree):  # PostgreSQL gives the recursive part the first one's types
                return self._output_types(scope.set_operation_scopes[0])
            sides = [self._open_types(side) for side in scope.set_operation_scopes]
            return [common_type(pair) for pair in zip(*sides, strict=False)]
        if isinstance(tree, exp.Query):
            found = [kind for item in tree.selects for kind in self._item_types(scope, item)]
            whole = tree.parent
            if isinstance(whole, exp.SetOperation) and whole.this is tree and is_recursive(whole):
                wide = self.widened(whole)
                return [NUMERIC if each else t for t, each in zip(found, wide, strict=False)]
            return found
        arrays = tree.expressions if isinstance(tree, exp.Unnest) else []
        found = [self._type_of(each) for each in arrays]
        elements = [
            leaf_of(each) if each is not None and depth_of(each) else None for each in found
        ]
        return [*elements, BIGINT] if is_numbered(tree) else elements

    def _open_types(self, scope: Scope) -> list[DataType | None]:
        """Return the types of a side of a set operation; a bare text has the open type."""
        found = self._output_types(scope)
        items = scope.expression.selects if isinstance(scope.expression, exp.Select) else []
        if len(items) != len(found):
            return found
        return [
            NULL if is_open(item.unalias()) else each
            for item, each in zip(items, found, strict=True)
        ]

    def _item_types(self, scope: Scope, item: exp.Expr) -> list[DataType | None]:
        """Return the types of the columns of one item of a SELECT list."""
        places = self._star(scope, item) if is_star(item) else None
        if places is None:
            return [self._type_of(item.unalias())]
        found: list[DataType | None] = []
        for owner, name in places:
            column = exp.column(name, table=owner or None)
            known = self._in_scope(scope, column) if owner else self._merged(scope, name)
            found.append(known if isinstance(known, DataType) else None)
        return found

    def _merged(self, scope: Scope, name: str) -> DataType | None:
        """Return the type of a column that USING has merged."""
        sides = [
            self._of_source(item, *source, name) for item, source in scope.selected_sources.items()
        ]
        return common_type([s for s in sides if isinstance(s, DataType)]) if sides else None

    def _names(self, scope: Scope, node: exp.Expr) -> list[str]:
        """Return the names of a derived table's columns, with those of its alias."""
        scope = within_lateral(scope)
        tree = scope.expression
        first = scope
        while first.set_operation_scopes:
            first = first.set_operation_scopes[0]
        items = tree.selects if isinstance(tree, exp.Query) else []
        names: list[str] = []
        for item in [] if isinstance(tree, exp.Values) else items:
            places = self._star(first, item) if is_star(item) else None
            names += [item.output_name] if places is None else [name for _, name in places]
        outer = tree.parent
        while isinstance(outer, exp.SetOperation):
            outer = outer.parent  # a recursive CTE reads its first part
        for owner in (outer, node, tree):
            alias = owner.args.get("alias") if owner is not None else None
            if isinstance(alias, exp.TableAlias) and alias.columns:
                given = [column.name for column in alias.columns]
                names = [*given, *names[len(given) :]]
        if isinstance(tree, exp.Unnest):
            names = list(columns_of_function(tree) or names)
        return names


def _of_function(table: exp.Table, column: str) -> DataType | None:
    """Return the type of a column of a function in FROM, if all its calls have the same."""
    known = ROW_TYPES.get(call_name(table.this), ())
    names = columns_of_function(table) or ()
    if len(known) == 1 and column == table.alias_or_name:
        return known[0]  # an item of one column stands for it
    return dict(zip(names, known, strict=False)).get(column)


_ABSENT = object()
"""The scope has no such column: look further out."""
