"""The names that an expression sees, as PostgreSQL finds them: items of FROM, level by level.

A level is one SELECT; its parent is the SELECT around it. A name is looked up level by level, from
the inside to the outside. Source: PostgreSQL's parse_relation.c.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import NotSupportedError, UnknownNameError
from stategate.planner.trees.nodes import position_of


@dataclass(slots=True, kw_only=True, eq=False)
class Item:
    """One item of FROM that has columns of its own."""

    node: exp.Expr
    name: str
    """Its name in the statement; empty if it has none."""
    number: int
    """Its number in the statement."""
    columns: tuple[str, ...] | None
    """The columns of `*` by their names in the statement, of which two can be equal; None if they
    are known later only, as those of a query of `(value).*`.
    """
    written: tuple[str, ...]
    """The same columns by their names in the bound tree, which all differ."""
    hidden: frozenset[str] = frozenset()
    """Columns that can be named, but are not in `*`."""
    schema: str | None = None
    """The schema by which its columns can be qualified; None if it is no relation, or has an alias.
    """
    key: tuple[str, ...] = ()
    """The columns of its primary key, by their names in the bound tree."""
    is_captured: bool = False
    """Whether DuckDB would find something else by its name."""
    is_value: bool = False
    """Whether its rows are values, as those of `unnest`; its name alone stands for them."""


@dataclass(frozen=True, slots=True)
class Own:
    """A column of an item, by its name in the bound tree."""

    item: Item
    name: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A column that USING makes of two; it has the value of the first one that is not NULL."""

    name: str
    first: Target
    other: Target


Target: TypeAlias = Own | Merged
"""What a name stands for."""
Place: TypeAlias = tuple[str, Target]
"""A column of a star, by its name in the statement."""


class Entry:
    """A part of a namespace: an item, or the columns of a join.

    Args:
        name: the name of the relation.
        places: the columns that have a name here, in the order of `*`.
        item: the item; None for a join.
        is_relation: whether `name.column` finds it.
        has_columns: whether a bare name finds its columns.
    """

    __slots__ = (
        *("_by_name", "has_columns", "is_lateral", "is_relation", "item", "may_be_lateral"),
        *("name", "places"),
    )

    def __init__(
        self,
        name: str,
        places: Sequence[Place],
        item: Item | None = None,
        *,
        is_relation: bool = True,
        has_columns: bool = True,
    ) -> None:
        self.name, self.places, self.item = name, places, item
        self.is_relation, self.has_columns = is_relation, has_columns
        self.is_lateral = False
        """Whether only LATERAL items see it, as it stands left of an item of its FROM."""
        self.may_be_lateral = True
        """Whether they may see it; not if the join keeps rows of the other side without a match."""
        self._by_name: dict[str, list[Target]] | None = None

    def of(self, name: str) -> list[Target]:
        """Return its columns of a name."""
        if self._by_name is None:
            self._by_name = {}
            for column, target in self.places:
                self._by_name.setdefault(column, []).append(target)
        return self._by_name.get(name, [])

    def hidden(self, name: str) -> list[Target]:
        """Return its column of a name that `*` does not include, or that is known later only."""
        if self.item is not None and (self.item.columns is None or name in self.item.hidden):
            return [Own(self.item, name)]
        return []


def entry_of(item: Item) -> Entry:
    """Return the entry of an item."""
    return Entry(item.name, places_of(item), item)


def places_of(item: Item) -> list[Place]:
    """Return the columns of an item."""
    names = zip(item.columns or (), item.written, strict=True)
    return [(name, Own(item, written)) for name, written in names]


class Level:
    """The namespace of one SELECT.

    Args:
        parent: that of the SELECT around it.
    """

    __slots__ = ("entries", "is_lateral", "parent", "reads")

    def __init__(self, parent: Level | None = None) -> None:
        self.parent = parent
        self.entries: list[Entry] = []
        """What its expressions see."""
        self.is_lateral = False
        """Whether the item that is being read sees the entries left of it."""
        self.reads = 0
        """How many names of its subqueries it has, or a level around it."""

    def visible(self) -> list[Entry]:
        """Return what is visible now."""
        return [each for each in self.entries if self.is_lateral or not each.is_lateral]


@dataclass(frozen=True, slots=True)
class Found:
    """What a name stands for, and at which level."""

    target: Target
    level: Level


def levels(level: Level | None) -> Iterator[Level]:
    """Yield a level and those around it."""
    while level is not None:
        yield level
        level = level.parent


def find_bare(level: Level, name: str, node: exp.Expr, *, is_local: bool = False) -> Found | None:
    """Return what a name without a relation stands for; None if it is no column.

    Raises:
        UnknownNameError: several columns have the name (42702), or its relation may not be named
        here (42P10).
    """
    for each in [level] if is_local else levels(level):
        visible = each.visible()
        found = [(e, target) for e in visible if e.has_columns for target in e.of(name)]
        found = found or [(e, target) for e in visible for target in e.hidden(name)]
        if len(found) > 1:
            raise ambiguous(f'column reference "{name}" is ambiguous', node)
        if found:
            _check_lateral(found[0][0], node)
            return Found(found[0][1], each)
    return None


def find_relation(
    level: Level, name: str, node: exp.Expr, schema: str | None = None
) -> tuple[Entry, Level] | None:
    """Return the entry that a name stands for, as in `name.column`, or None.

    Raises:
        UnknownNameError: several have the name (42P09), or it may not be named here (42P10).
    """
    for each in levels(level):
        found = [
            entry
            for entry in each.visible()
            if entry.is_relation and entry.name == name and _is_of(entry, schema)
        ]
        if len(found) > 1:
            raise UnknownNameError(
                f'table reference "{name}" is ambiguous',
                position=position_of(node),
                sqlstate="42P09",
            )
        if found:
            _check_lateral(found[0], node)
            return found[0], each
    return None


def item_of(entry: Entry, column: exp.Column) -> Item:
    """Return the item that a whole row is of.

    Raises:
        NotSupportedError: it is of a join.
    """
    if entry.item is None:
        raise NotSupportedError(
            "a whole row of the columns that USING merges is not supported",
            hint="Name the columns.",
            position=position_of(column),
        )
    return entry.item


def _is_of(entry: Entry, schema: str | None) -> bool:
    return schema is None or (entry.item is not None and entry.item.schema == schema)


def _check_lateral(entry: Entry, node: exp.Expr) -> None:
    if entry.is_lateral and not entry.may_be_lateral:
        raise UnknownNameError(
            f'invalid reference to FROM-clause entry for table "{entry.name}"',
            detail="The combining JOIN type must be INNER or LEFT for a LATERAL reference.",
            position=position_of(node),
            sqlstate="42P10",
        )


_ELSEWHERE = "it cannot be referenced from this part of the query"


def ambiguous(message: str, node: exp.Expr) -> UnknownNameError:
    """Return the error for a name that several columns have."""
    return UnknownNameError(message, position=position_of(node), sqlstate="42702")


def no_column(level: Level, name: str, node: exp.Expr) -> UnknownNameError:
    """Return the error for a bare name that is no column."""
    entries = [entry for each in levels(level) for entry in each.entries]
    known = {column for entry in entries for column, _ in entry.places}
    owner = next((entry.name for entry in entries if entry.name and entry.of(name)), None)
    near = difflib.get_close_matches(name, sorted(known), n=1)
    hint = f'Perhaps you meant "{near[0]}".' if near else None
    if owner is not None:
        hint = f'There is a column named "{name}" in table "{owner}", but {_ELSEWHERE}.'
    return UnknownNameError(
        f'column "{name}" does not exist', hint=hint, position=position_of(node), sqlstate="42703"
    )


def no_relation(level: Level, name: str, node: exp.Expr) -> UnknownNameError:
    """Return the error for a qualified name whose relation is not visible."""
    item = next(
        (
            entry.item
            for each in levels(level)
            for entry in each.entries
            if entry.item is not None and _is_called(entry.item, name)
        ),
        None,
    )
    if item is None:
        return UnknownNameError(
            f'missing FROM-clause entry for table "{name}"', position=position_of(node)
        )
    hint = f'There is an entry for table "{name}", but {_ELSEWHERE}.'
    if item.name != name:
        hint = f'Perhaps you meant to reference the table alias "{item.name}".'
    return UnknownNameError(
        f'invalid reference to FROM-clause entry for table "{name}"',
        hint=hint,
        position=position_of(node),
    )


def _is_called(item: Item, name: str) -> bool:
    node = item.node
    is_table = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
    return item.name == name or (is_table and node.name == name)


def owner_of(column: exp.Column, level: Level) -> tuple[Entry, Level]:
    """Return the relation by which a column is qualified."""
    qualifier, schema = column.args["table"], column.args.get("db")
    of_schema = None if schema is None else schema.name
    found = find_relation(level, qualifier.name, qualifier, of_schema)
    if found is not None:
        return found
    if column.args.get("catalog") is not None:
        raise NotSupportedError(
            "cross-database references are not implemented",
            position=position_of(column.args["catalog"]),
        )
    raise no_relation(level, qualifier.name, schema or qualifier)
