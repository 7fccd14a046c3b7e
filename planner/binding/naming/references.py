"""What the columns of a tree stand for, until all is known; then their names are written.

Until then, a column is qualified by a number that no name has. So expressions that mean the same
are equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from stategate.planner.binding.naming.aggregate_levels import ROW_OF
from stategate.planner.binding.naming.namespaces import Item, Level, Merged, Own, Target, levels
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.column_names import UNNAMED, column_name
from stategate.planner.trees.nodes import put


@dataclass(frozen=True, slots=True)
class _Reference:
    """A node that names a column, or a whole row, and what it stands for.

    Args:
        column: the node.
        target: what it stands for; an item for `t.*` and for a whole row.
        given: its qualifier in the statement.
        is_apart: whether a bare name would stand for something else there.
    """

    column: exp.Column
    target: Target | Item
    given: exp.Expr | None
    is_apart: bool = False

    @property
    def is_row(self) -> bool:
        """Whether it is a bare name of a relation."""
        return isinstance(self.target, Item) and not isinstance(self.column.this, exp.Star)

    @property
    def value_of(self) -> Item | None:
        """The item of which it is the value; None if it is a column, or a row with fields."""
        item = self.target
        return item if isinstance(item, Item) and self.is_row and item.is_value else None


class References:
    """The columns that have been resolved."""

    def __init__(self) -> None:
        self._found: dict[int, _Reference] = {}
        self._merged: dict[Merged, int] = {}

    def note(
        self, column: exp.Column, target: Target | Item, level: Level, owner: Level | None
    ) -> None:
        """Note what a column stands for.

        Args:
            column: the node.
            target: what it stands for.
            level: the level where it stands.
            owner: the level that has the target.
        """
        if owner is not level:
            _count_reads(level, owner)
        is_apart = False
        if isinstance(target, Item):
            number = str(target.number)
            _mark_captured(target, level, owner)
        elif isinstance(target, Own):
            number = str(target.item.number)
            _mark_captured(target.item, level, owner)
            if target.name != column.name:
                column.set("this", exp.to_identifier(target.name, quoted=True))
        else:
            number = f"m{self._merged.setdefault(target, len(self._merged))}"
            is_apart = owner is not level or not _is_bare(column.name, target, level)
            for item in _items(target) if is_apart else ():
                _mark_captured(item, level, owner)
        reference = _Reference(column, target, column.args.get("table"), is_apart)
        self._found[id(column)] = reference
        if not reference.is_row:
            column.set("table", exp.to_identifier(f"#{number}", quoted=True))
            column.set("db", None)
            column.set("catalog", None)

    def copied(self, node: exp.Expr) -> exp.Expr:
        """Return a copy of a resolved expression, whose columns are resolved, too."""
        copied = node.copy()
        for old, new in zip(node.find_all(exp.Column), copied.find_all(exp.Column), strict=True):
            if (found := self._found.get(id(old))) is not None:
                self._found[id(new)] = _Reference(new, found.target, found.given, found.is_apart)
        return copied

    def write(
        self, items: Sequence[Item], taken: set[str], *, is_alone: bool, has_groups: bool
    ) -> bool:
        """Write the names of all columns into the tree; return whether that changes it.

        Args:
            items: the items of all FROMs.
            taken: the names of the statement.
            is_alone: whether there is only one SELECT, and at most one item.
            has_groups: whether there is a GROUP BY.
        """
        found = self._found.values()
        # For DuckDB, `t.a` and `a` are two groups.
        is_mixed = has_groups and len({each.given is None for each in found}) > 1
        is_qualified = is_changed = not is_alone or is_mixed
        if is_qualified:
            _name_items(items, taken)
        for reference in found:
            checkpoint()
            if (item := reference.value_of) is not None:
                _write_value(reference.column, item, is_qualified=is_qualified)
                is_changed = True
            elif not is_qualified and not isinstance(reference.target, Merged):
                if not reference.is_row:
                    reference.column.set("table", reference.given)
                elif isinstance(reference.target, Item):
                    reference.column.meta[ROW_OF] = reference.target.name
            else:
                _write(reference)
        return is_changed


def _count_reads(level: Level, owner: Level | None) -> None:
    for each in levels(level.parent):
        each.reads += 1
        if each is owner:
            return


def _is_bare(name: str, target: Merged, level: Level) -> bool:
    """Whether a bare name stands for a column."""
    found = [entry.of(name) for entry in level.entries if entry.has_columns]
    return [each for targets in found for each in targets] == [target]


def _items(target: Target) -> list[Item]:
    if isinstance(target, Own):
        return [target.item]
    return [*_items(target.first), *_items(target.other)]


def _mark_captured(item: Item, level: Level, owner: Level | None) -> None:
    """Mark an item if DuckDB, on its way from a level to that of the item, finds its name before.

    DuckDB lets items of FROM see those left of them, and takes `a.b` for a field of a column a.
    """
    name = item.name.lower()
    for each in levels(level):
        for entry in each.entries:
            other = entry.item
            if other is item:
                continue
            is_same = other is not None and other.name.lower() == name
            if is_same or (each is not owner and entry.of(item.name)):
                item.is_captured = True
        if each is owner:
            return


def _name_items(items: Sequence[Item], taken: set[str]) -> None:
    """Give items names of their own, where they need them: no two items have the same one.

    Later steps look names up from any place, such as that of a subquery or of a WITH in it.
    """
    lower = {name.lower() for name in taken}
    known: set[str] = set()
    for item in items:
        is_again = item.name.lower() in known
        known.add(item.name.lower())
        if is_again or item.is_captured or not item.name:
            numbered = (f"{item.name or 'item'}#{n}" for n in itertools.count(2))
            item.name = next(each for each in numbered if each.lower() not in lower)
            lower.add(item.name.lower())
            taken.add(item.name)
        elif item.node.alias_or_name:
            continue
        _name_item(item)


def _name_item(item: Item) -> None:
    node, name = item.node, exp.to_identifier(item.name, quoted=True)
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        alias = exp.TableAlias(this=name)
        node.set("alias", alias)
    alias.set("this", name)
    is_call = isinstance(node, exp.Func) or isinstance(node.this, exp.Func)
    if is_call and not alias.columns and item.written:
        # Without names for them, the column of a function has the name of the item.
        alias.set("columns", [exp.to_identifier(item.written[0], quoted=True)])


def _write(reference: _Reference) -> None:
    column, target = reference.column, reference.target
    if isinstance(target, Merged):
        column.set("table", None)
        if reference.is_apart and column.parent is not None:
            _replace(column, _value(target), column.name)
        return
    item = target if isinstance(target, Item) else target.item
    if not reference.is_row:
        given = reference.given
        is_kept = given is not None and given.name == item.name
        column.set("table", given if is_kept else _identifier(item.name))
        return
    column.meta[ROW_OF] = item.name
    if column.name != item.name:
        name = column.name
        column.set("this", exp.to_identifier(item.name, quoted=True))
        _replace(column, column.copy(), name)


def _write_value(column: exp.Column, item: Item, *, is_qualified: bool) -> None:
    """Write the name of an item as that of its column."""
    name = column.name
    column.set("this", exp.to_identifier(item.written[0], quoted=True))
    if is_qualified:
        column.set("table", _identifier(item.name))
    if column.name != name:
        _replace(column, column.copy(), name)


def _identifier(name: str) -> exp.Identifier:
    """Return a name, in quotes if it needs them."""
    return exp.to_identifier(name, quoted=None if name.islower() else True)


def _value(target: Target) -> exp.Expr:
    """Return the value of a column where its bare name means another one."""
    if isinstance(target, Own):
        table = exp.to_identifier(target.item.name, quoted=True)
        return exp.column(target.name, table=table, quoted=True)
    return exp.Coalesce(this=_value(target.first), expressions=[_value(target.other)])


def _replace(column: exp.Column, value: exp.Expr, name: str) -> None:
    """Replace a column; the item of the SELECT list where it stands keeps its name."""
    written = exp.column(name, quoted=True)
    put(column, written)
    item: exp.Expr = written
    while item.parent is not None and not isinstance(item.parent, exp.Select):
        item = item.parent
    wanted = column_name(item)
    is_named = isinstance(item, exp.Alias) or item.arg_key != "expressions"
    is_whole = item is written
    put(written, value)
    item = value if is_whole else item
    if is_named or not isinstance(item.parent, exp.Select) or wanted == UNNAMED:
        return
    if is_whole or column_name(item) != wanted:
        alias = exp.Alias(alias=exp.to_identifier(wanted, quoted=True))
        item.replace(alias)
        alias.set("this", item)
