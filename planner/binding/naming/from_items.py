"""Reads FROM from left to right: the items and their columns, what joins merge, and who sees what.

Source: PostgreSQL's parse_clause.c, `transformFromClauseItem`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from stategate.planner.binding.naming.namespaces import (
    Entry,
    Item,
    Level,
    Merged,
    Place,
    Target,
    ambiguous,
    entry_of,
    places_of,
)
from stategate.planner.errors import NotSupportedError, UnknownNameError
from stategate.planner.postgres.select_clauses import OF_VALUES
from stategate.planner.postgres.types.functions import call_name, columns_of_function
from stategate.planner.trees.brackets import is_joined
from stategate.planner.trees.column_names import folded
from stategate.planner.trees.dialect import USING_ALIAS
from stategate.planner.trees.nodes import SEES_LEFT, is_comma, position_of

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation that a table in FROM names.

    Args:
        columns: the columns of `*`; None if they are known later only.
        written: the same ones by their names in the bound tree.
        hidden: further columns.
        schema: its schema; None for a common table expression.
        key: the columns of its primary key.
    """

    columns: Names | None
    written: Names
    hidden: frozenset[str] = frozenset()
    schema: str | None = None
    key: Names = ()


Commons = Mapping[str, Relation]
"""The common table expressions that can be named."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some items of FROM that are joined."""

    entries: list[Entry]
    places: list[Place]
    """The columns of `*`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromReader:
    """Reads the FROM of SELECTs.

    Args:
        relation_of: returns the relation of a table; None if it is a function.
        read: resolves the names of an expression.
        query: reads a query at a level, and returns its columns; None if they are known later only.
        items: gets all items that are read.
        mentioned: the names of the statement; gets those that NATURAL stands for.
    """

    relation_of: Callable[[exp.Table, Commons], Relation | None]
    read: Callable[[exp.Expr, Level, Commons], None]
    query: Callable[[exp.Expr, Level, Commons], Names | None]
    items: list[Item]
    mentioned: set[str]

    def places(self, select: exp.Select, level: Level, commons: Commons) -> list[Place]:
        """Fill a level with the items of a FROM, and return the columns of `*`."""
        from_ = select.args.get("from_")
        if from_ is None:
            return []
        places: list[Place] = []
        part = self._item(from_.this, level, commons)
        for join in select.args.get("joins") or ():
            if is_comma(join):
                places += part.places
                _check_names(level.entries, part.entries)
                _show(part.entries, is_lateral=True)
                level.entries += part.entries
                part = self._item(join.this, level, commons)
            else:
                part = self._join(part, join, level, commons)
        places += part.places
        _check_names(level.entries, part.entries)
        level.entries += part.entries
        _show(level.entries, is_lateral=False)
        return places

    def _item(self, node: exp.Expr, level: Level, commons: Commons) -> _Part:
        if isinstance(node, exp.Subquery) and is_joined(node):
            part = self._item(node.this, level, commons)
        else:
            item = self._own(node, level, commons)
            part = _Part([entry_of(item)], places_of(item))
        for join in node.args.get("joins") or ():
            part = self._join(part, join, level, commons)
        return part

    def _own(self, node: exp.Expr, level: Level, commons: Commons) -> Item:
        """Return an item with its own columns."""
        found = None
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Values):
            found = self.relation_of(node, commons)
        if found is not None:
            return self._named(node, found)
        body, inside = _body(node), level.is_lateral
        is_query = isinstance(body, exp.Subquery | exp.Values)
        level.is_lateral = isinstance(node, exp.Lateral) or not is_query or SEES_LEFT in node.meta
        query = body.this if isinstance(body, exp.Subquery) else body
        columns = self.query(query, level, commons) if is_query else None
        if not is_query:
            for key, value in body.args.items():
                for each in value if isinstance(value, list) else [value]:
                    if isinstance(each, exp.Expr) and key not in {"alias", "joins"}:
                        self.read(each, level, commons)
        level.is_lateral = inside
        if not is_query:
            return self._called(node, columns_of_function(node) or ())
        item = self._named(node, Relation(columns=columns, written=columns or ()))
        item.is_value = query.meta.get(OF_VALUES, False)
        if isinstance(node, exp.Lateral) and isinstance(query, exp.Values):
            _name_columns(node, item.written)  # DuckDB calls them col0, col1, …
        return item

    def _called(self, node: exp.Expr, columns: Names) -> Item:
        """Return the item of a function."""
        if len(set(columns)) < len(columns):
            raise NotSupportedError(
                "a function in FROM whose columns have the same name is not supported",
                hint="Give them different names.",
                position=position_of(node),
            )
        item = Item(
            node=node,
            name=node.alias_or_name or call_name(_body(node)),
            number=len(self.items),
            columns=columns,
            written=columns,
            is_value=len(columns) == 1,
        )
        self.items.append(item)
        return item

    def _named(self, node: exp.Expr, relation: Relation) -> Item:
        """Return the item of a node, with the column names of its alias."""
        alias = node.args.get("alias")
        given = [each.name for each in alias.columns] if isinstance(alias, exp.TableAlias) else []
        columns, written = relation.columns, relation.written
        name = node.alias_or_name
        key = relation.key
        if columns is not None:
            columns = with_aliases(columns, given, f'table "{name}"', position_of(node))
            written = (*given, *written[len(given) :])
            fresh = told_apart(columns)
            if fresh != written:
                written = fresh
                _name_columns(node, written)
            names = dict(zip(relation.written, written, strict=True))
            key = tuple(names[each] for each in key)
        is_plain = alias is None or not alias.name
        item = Item(
            node=node,
            name=name,
            number=len(self.items),
            columns=columns,
            written=written,
            hidden=relation.hidden,
            schema=relation.schema if is_plain else None,
            key=key,
        )
        self.items.append(item)
        return item

    # Joins

    def _join(self, left: _Part, join: exp.Join, level: Level, commons: Commons) -> _Part:
        side = join.side.upper()
        before = level.entries
        _show(left.entries, is_lateral=True, may_be=side in {"", "LEFT"})
        level.entries = [*before, *left.entries]
        right = self._item(join.this, level, commons)
        _show(left.entries, is_lateral=False)
        _check_names(left.entries, right.entries)
        using = self._using(join, left, right)
        merged = [_merge(name, left, right, is_right=side == "RIGHT") for name in using]
        if (on := join.args.get("on")) is not None:
            level.entries = [*left.entries, *right.entries]
            self.read(on, level, commons)
        level.entries = before
        entries = [*left.entries, *right.entries]
        for entry in entries:
            entry.has_columns = False
        rest = [place for place in (*left.places, *right.places) if place[0] not in using]
        places = [*merged, *rest]
        entries.append(Entry("", places, is_relation=False))
        if (alias := join.meta.pop(USING_ALIAS, None)) is not None:
            entries.append(Entry(folded(alias), merged, has_columns=False))
            _check_names(entries[:-1], entries[-1:])
        return _Part(entries, places)

    def _using(self, join: exp.Join, left: _Part, right: _Part) -> list[str]:
        """Return the columns that a join merges; NATURAL is written as USING."""
        if join.method.upper() == "NATURAL":
            self._write_natural(join, left, right)
        using = [column.name for column in join.args.get("using") or ()]
        for place, name in enumerate(using):
            if name in using[:place]:
                raise UnknownNameError(
                    f'column name "{name}" appears more than once in USING clause',
                    sqlstate="42701",
                )
            for side, part in (("left", left), ("right", right)):
                count = sum(column == name for column, _ in part.places)
                is_open = any(e.item and e.item.columns is None for e in part.entries)
                if count > 1:
                    raise ambiguous(
                        f'common column name "{name}" appears more than once in {side} table', join
                    )
                if count == 0 and not is_open:
                    raise UnknownNameError(
                        f'column "{name}" specified in USING clause does not exist in {side} table',
                        sqlstate="42703",
                    )
        return using

    def _write_natural(self, join: exp.Join, left: _Part, right: _Part) -> None:
        if any(e.item and e.item.columns is None for e in (*left.entries, *right.entries)):
            raise NotSupportedError("NATURAL JOIN with a query of (value).* is not supported")
        theirs = {name for name, _ in right.places}
        common = [name for name in dict.fromkeys(n for n, _ in left.places) if name in theirs]
        join.set("method", None)
        self.mentioned.update(common)
        if common:
            join.set("using", [exp.to_identifier(name, quoted=True) for name in common])
        else:
            join.set("on", exp.true())


def with_aliases(names: Names, given: Sequence[str], what: str, position: int | None) -> Names:
    """Return the names of columns, of which an alias names the first ones anew.

    Args:
        names: the names without the alias.
        given: the names in the alias.
        what: the relation, for the error.
        position: its place in the statement.

    Raises:
        UnknownNameError: it has fewer columns than the alias names (42P10).
    """
    if len(given) > len(names):
        raise UnknownNameError(
            f"{what} has {len(names)} columns available but {len(given)} columns specified",
            position=position,
            sqlstate="42P10",
        )
    return (*given, *names[len(given) :])


def told_apart(names: Sequence[str]) -> Names:
    """Return names that differ: the second `a` is `a#2`."""
    written = set(names)
    if len(written) == len(names):
        return tuple(names)
    found: dict[str, None] = {}
    numbers = dict.fromkeys(written, 1)
    for name in names:
        fresh = name
        while fresh in found or (fresh != name and fresh in written):
            numbers[name] += 1
            fresh = f"{name}#{numbers[name]}"
        found[fresh] = None
    return tuple(found)


def _name_columns(node: exp.Expr, names: Names) -> None:
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        alias = exp.TableAlias(this=exp.to_identifier(node.alias_or_name or None, quoted=True))
        node.set("alias", alias)
    alias.set("columns", [exp.to_identifier(name, quoted=True) for name in names])


def _merge(name: str, left: _Part, right: _Part, *, is_right: bool) -> Place:
    sides: list[Target] = []
    for part in (left, right):
        found = [target for column, target in part.places if column == name]
        found = found or [target for entry in part.entries for target in entry.hidden(name)]
        sides.append(found[0])
    first, other = reversed(sides) if is_right else sides
    return name, Merged(name, first, other)


def _show(entries: Sequence[Entry], *, is_lateral: bool, may_be: bool = True) -> None:
    for entry in entries:
        entry.is_lateral, entry.may_be_lateral = is_lateral, may_be


def _check_names(one: Sequence[Entry], other: Sequence[Entry]) -> None:
    names = {entry.name for entry in one if entry.is_relation and entry.name}
    for entry in other:
        if entry.is_relation and entry.name in names:
            raise UnknownNameError(
                f'table name "{entry.name}" specified more than once', sqlstate="42712"
            )


def _body(node: exp.Expr) -> exp.Expr:
    """Return the query or the call of an item."""
    while isinstance(node, exp.Table | exp.Lateral) and isinstance(node.this, exp.Expr):
        node = node.this
    return node


def has_ends(node: exp.Expr) -> bool:
    """Whether a query has clauses that belong to it as a whole, such as WITH and LIMIT."""
    return any(node.args.get(key) for key in ("with_", "order", "limit", "offset"))
