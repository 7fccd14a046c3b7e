"""The columns of a query's result: `*` and NATURAL written out, with PostgreSQL's names.

DuckDB does not know which columns are hidden from `*`, and PostgreSQL puts the columns of USING
first. So a `*` that the two read differently is replaced by its columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.errors import MismatchedTypeError
from stategate.planner.postgres.types.functions import columns_of_function, is_numbered
from stategate.planner.trees.brackets import is_joined
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.column_names import OF_STAR, column_name
from stategate.planner.trees.nodes import Nodes, is_comma, kinds, position_of
from stategate.stores.spec.schema import DataType

Names: TypeAlias = tuple[str, ...]
_Place: TypeAlias = tuple[str, str]
"""A FROM item and one of its columns; the item is empty for a column that a join has merged."""
_Places: TypeAlias = tuple[_Place, ...]


class Outputs:
    """The columns of each scope of a query.

    Args:
        columns_of: the columns of `*` of a table in FROM; None if it is not a relation of ours.
        hidden: whether the statement names columns that are not in `*`.
    """

    def __init__(
        self, columns_of: Callable[[exp.Table], Names | None], *, hidden: Sequence[str]
    ) -> None:
        self._columns_of, self._hidden = columns_of, hidden
        self._known: dict[int, Names | None] = {}

    def expand(self, scopes: Sequence[Scope]) -> None:
        """Replace each `*` that DuckDB reads differently; inner scopes come first."""
        for scope in scopes:
            select = scope.expression
            if not isinstance(select, exp.Select):
                continue
            joins = select.args.get("joins") or ()
            if (
                self._hidden
                or any(join.args.get("using") for join in joins)
                # DuckDB numbers rows by a join, and then has two tables of that name; its series
                # are of bigints.
                or any(is_numbered(each) or _is_series(each) for each in from_items(select))
            ):
                self._expand_stars(scope, select)

    def names(self, scope: Scope) -> Names | None:
        """Return the result columns of a scope; None if only DuckDB knows them."""
        key = id(scope)
        if key not in self._known:
            self._known[key] = None  # a recursive CTE refers to itself
            self._known[key] = self._names(scope)
        return self._known[key]

    def _names(self, scope: Scope) -> Names | None:
        scope = within_lateral(scope)
        tree = scope.expression
        if isinstance(tree, exp.SetOperation):
            parts = scope.set_operation_scopes
            return self.names(parts[0]) if parts else None
        if not isinstance(tree, exp.Select):
            return None
        names: list[str] = []
        for node in tree.expressions:
            if is_star(node):
                places = self.star(scope, node)
                if places is None:
                    return None
                names.extend(name for _, name in places)
            else:
                names.append(column_name(node))
        return tuple(names)

    def star(self, scope: Scope, node: exp.Expr) -> _Places | None:
        """Return the columns of a star; None if they are not certain, or it has EXCLUDE."""
        star = node.this if isinstance(node, exp.Column) else node
        if any(star.args.values()):
            return None
        only = node.table if isinstance(node, exp.Column) else ""
        if not only:
            return self._places(scope, scope.expression)
        items = (each for item in from_items(scope.expression) for each in _in_brackets(item))
        item = next((each for each in items if each.alias_or_name == only), None)
        return None if item is None else self._item_places(scope, item)

    def _places(self, scope: Scope, select: exp.Expr) -> _Places | None:
        """Return the columns of FROM in PostgreSQL's order."""
        joins = select.args.get("joins") or []
        commas = [i for i, join in enumerate(joins) if is_comma(join)]
        steps = list(self._steps(scope, select))
        parts = [steps[i] for i in (*commas, len(joins))]
        return None if None in parts else tuple([place for part in parts for place in part or ()])

    def _joined(self, scope: Scope, select: exp.Expr, *, joins: int) -> _Places | None:
        """Return the columns that the given number of joins have, since the last comma."""
        return next(itertools.islice(self._steps(scope, select), joins, None), None)

    def _steps(self, scope: Scope, select: exp.Expr) -> Iterator[_Places | None]:
        """Return the columns before the first join, and those after each join.

        A comma binds less than JOIN, so a join does not see the items before the comma.
        """
        items = from_items(select)
        return self._steps_from(scope, items[0] if items else None, select.args.get("joins") or ())

    def _steps_from(
        self, scope: Scope, first: exp.Expr | None, joins: Sequence[exp.Join]
    ) -> Iterator[_Places | None]:
        places = None if first is None else self._item_places(scope, first)
        yield places
        is_known = first is not None
        for join in joins:
            right = self._item_places(scope, join.this) if is_known else None
            if is_comma(join):
                places = right
            elif places is None or right is None or join.method:
                places, is_known = None, False
            else:
                using = [column.name for column in join.args.get("using") or ()]
                merged = [("", name) for name in using]
                rest = [place for place in (*places, *right) if place[1] not in using]
                places = (*merged, *rest)
            yield places

    def of_item(self, scope: Scope, item: exp.Expr) -> Names | None:
        """Return the columns of a FROM item; None if they are not certain."""
        places = self._item_places(scope, item)
        return None if places is None else tuple([name for _, name in places])

    def _item_places(self, scope: Scope, item: exp.Expr) -> _Places | None:
        checkpoint()
        if _is_bracket(item):
            return self._bracketed_places(scope, item.this)
        name = item.alias_or_name
        found = scope.selected_sources.get(name)
        if found is None:
            return None
        source = found[1]
        columns: Names | None
        if isinstance(source, exp.Table):
            columns = self._columns_of(source)
        elif isinstance(source.expression, exp.Values):
            columns = ()  # its alias names them all
        elif isinstance(item, exp.Unnest):
            columns = columns_of_function(item)
        else:
            columns = self.names(source)
            if columns is not None:
                columns = _renamed(source.expression.parent, columns)
        if columns is None:
            return None
        return tuple((name, column) for column in _renamed(item, columns))

    def _bracketed_places(self, scope: Scope, first: exp.Expr) -> _Places | None:
        """Return the columns of `(a JOIN b …)`; None if one is of both sides."""
        joins = first.args.get("joins") or ()
        if any(join.args.get("using") for join in joins):
            return None
        return list(self._steps_from(scope, first, joins))[-1]

    def _expand_stars(self, scope: Scope, select: exp.Select) -> None:
        expanded: list[exp.Expr] = []
        for node in select.expressions:
            places = self.star(scope, node) if is_star(node) else None
            if places is None:
                self._hide(node, select)
                expanded.append(node)
            else:
                expanded += [exp.column(n, table=t or None, quoted=True) for t, n in places]
        select.set("expressions", expanded)

    def _hide(self, node: exp.Expr, select: exp.Select) -> None:
        """Keep the hidden columns out of a star over joins in parentheses."""
        tables = [t for t in select.find_all(exp.Table) if t.parent_select is select]
        wanted = self._hidden and any(self._columns_of(t) is not None for t in tables)
        if wanted and isinstance(node, exp.Star) and not any(node.args.values()):
            node.set("except_", [exp.to_identifier(name) for name in self._hidden])


def _is_bracket(item: exp.Expr) -> bool:
    """Whether an item of FROM is `(a JOIN b …)`, whose items are known outside."""
    return isinstance(item, exp.Subquery) and is_joined(item) and not item.args.get("alias")


def _in_brackets(item: exp.Expr) -> Iterator[exp.Expr]:
    """Yield an item of FROM, or those of a join in brackets."""
    if not _is_bracket(item):
        yield item
        return
    for each in (item.this, *(join.this for join in item.this.args.get("joins") or ())):
        yield from _in_brackets(each)


def is_star(node: exp.Expr) -> bool:
    """Whether an item of a SELECT list is `*` or `t.*`."""
    return isinstance(node, exp.Star) or (
        isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
    )


def name_columns(select: exp.Select) -> None:
    """Give the unnamed expressions of a SELECT list PostgreSQL's names, if they are known."""
    items = select.expressions
    if {type(node) for node in items} <= _NAMED:
        return
    named: list[exp.Expr] = []
    for node in items:
        name = "" if type(node) in _NAMED or is_field_star(node) else column_name(node)
        if name and name != OF_STAR:
            node = exp.Alias(this=node, alias=exp.to_identifier(name, quoted=True))  # noqa: PLW2901
        named.append(node)
    select.set("expressions", named)


def name_values(values: exp.Values) -> None:
    """Name the columns of VALUES column1, column2, …, as Postgres does."""
    alias = values.args.get("alias")
    if not isinstance(alias, exp.TableAlias) or not values.expressions:
        return
    width = len(values.expressions[0].expressions)
    given = list(alias.columns)
    names = [f"column{i + 1}" for i in range(len(given), width)]
    alias.set("columns", [*given, *(exp.to_identifier(name) for name in names)])


_NAMED = kinds(exp.Alias, exp.Column, exp.Star)


def _is_series(item: exp.Expr) -> bool:
    return isinstance(item, exp.Table) and isinstance(item.this, exp.GenerateSeries)


def expand_fields(nodes: Nodes, type_of: Callable[[exp.Expr], DataType | None]) -> None:
    """Replace `(value).*` with the fields of a struct, in place.

    Raises:
        MismatchedTypeError: the value is not a struct (42809).
    """
    stars = [dot for dot in nodes.of(exp.Dot) if is_field_star(dot)]
    for select in (star.parent for star in stars):
        if isinstance(select, exp.Select):
            _expand_fields(select, type_of)
    if stars:
        nodes.renew()


def _expand_fields(select: exp.Select, type_of: Callable[[exp.Expr], DataType | None]) -> None:
    expanded: list[exp.Expr] = []
    for node in select.expressions:
        if not is_field_star(node):
            expanded.append(node)
            continue
        found = type_of(node.this)
        if found is None or not found.fields:
            raise MismatchedTypeError(
                f"type {found or 'unknown'} is not composite",
                position=position_of(node),
                sqlstate="42809",
            )
        for name, _ in found.fields:
            field = exp.to_identifier(name, quoted=True)
            taken = exp.Dot(this=node.this.copy(), expression=field)
            expanded.append(exp.alias_(taken, name, quoted=True))
    select.set("expressions", expanded)


def is_field_star(node: exp.Expr) -> bool:
    """Whether a node is `(value).*`."""
    return isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star)


def from_items(select: exp.Expr) -> list[exp.Expr]:
    """Return the items of a FROM in their order."""
    from_ = select.args.get("from_")
    joins = select.args.get("joins") or ()
    return [] if from_ is None else [from_.this, *(join.this for join in joins)]


def _renamed(node: exp.Expr | None, columns: Names) -> Names:
    """Return the columns, the first ones renamed by `AS t (a, b)` or `WITH t (a, b)`."""
    alias = node.args.get("alias") if node is not None else None
    given = tuple(c.name for c in alias.columns) if isinstance(alias, exp.TableAlias) else ()
    return (*given, *columns[len(given) :])


def within_lateral(scope: Scope) -> Scope:
    """Return the scope of the query in LATERAL; for other scopes, the scope itself."""
    lateral = scope.expression
    if not isinstance(lateral, exp.Lateral):
        return scope
    inside = (each for each in scope.traverse() if each.expression is lateral.this.this)
    return next(inside, scope)
