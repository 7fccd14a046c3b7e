"""The columns of the rows that a row plan starts from: of one relation, or of several joined."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stategate.planner.binding.relations import Relation
from stategate.stores.spec.schema import Column


class ReadRelation(Struct, frozen=True, kw_only=True):
    """A relation whose columns are part of each row."""

    name: str
    """Its name in the statement."""
    relation: Relation
    columns: tuple[str, ...]
    """The columns that are read."""
    at: int = 0
    """The index of the first of them in a row."""


class RowColumns:
    """Finds the places of columns in rows.

    Args:
        relations: in the order of FROM.
    """

    def __init__(self, relations: Sequence[ReadRelation]) -> None:
        self._relations = {each.name: each for each in relations}
        self._places = {
            (each.name, name): each.at + at
            for each in relations
            for at, name in enumerate(each.columns)
        }
        by_place = {
            each.at + at: each.relation.readable[name]
            for each in relations
            for at, name in enumerate(each.columns)
        }
        self.columns: tuple[Column, ...] = tuple(by_place[at] for at in sorted(by_place))

    def is_column(self, name: str) -> bool:
        """Whether at least one column has this name."""
        return any(name in each.relation.readable for each in self._relations.values())

    def place(self, table: str, name: str) -> int | None:
        """Return the index of a column; None unless exactly one column has the name.

        Args:
            table: the relation's name; empty if the column's name is not qualified.
            name: the column's name.
        """
        owners = [
            each.name
            for each in self._relations.values()
            if (not table or each.name == table) and name in each.relation.readable
        ]
        return self._places.get((owners[0], name)) if len(owners) == 1 else None

    def star(self, table: str) -> list[tuple[str, int | None]] | None:
        """Return the names and places of the columns of `*`, or of `table.*`.

        None if there is no such relation.
        """
        if table and table not in self._relations:
            return None
        chosen = [self._relations[table]] if table else self._relations.values()
        return [
            (column.name, self._places.get((each.name, column.name)))
            for each in chosen
            for column in each.relation.columns
        ]
