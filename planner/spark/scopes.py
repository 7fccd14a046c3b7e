"""The columns that a part of a statement can name, each with its name in Spark's SQL.

Each FROM item and each result column gets a name of ours, so that no name of a client can mean
another column in Spark, whose rules for names differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from stategate.planner.spark.refusal import refused
from stategate.planner.spark.values import Typed
from stategate.stores.spec.schema import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A column of a relation or of a query."""

    name: str
    """Its name in the statement."""
    column: str
    """Its name in Spark."""
    type: DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item of FROM."""

    name: str
    """Its name in the statement."""
    alias: str
    """Its name in Spark."""
    outputs: tuple[Output, ...]
    hidden: tuple[Output, ...] = ()
    """Columns that `*` leaves out, because USING has merged them."""

    def value(self, output: Output) -> Typed:
        """Return one of its columns."""
        return Typed(sql=f"{self.alias}.{quoted(output.column)}", type=output.type)

    def find(self, name: str) -> list[Typed]:
        """Return its columns of this name."""
        known = (*self.outputs, *self.hidden)
        return [self.value(each) for each in known if each.name == name]


@dataclass(slots=True, kw_only=True)
class Scope:
    """The items of one FROM, inside of those of the queries around it."""

    parent: Scope | None = None
    items: list[Item] = field(default_factory=list)

    def resolve(self, column: exp.Column) -> Typed:
        """Return the column that a node names.

        Raises:
            NotSupportedError: there is not exactly one.
        """
        name, table = column.name, column.table
        scope: Scope | None = self
        while scope is not None:
            found = scope._find(name, table)
            if len(found) == 1:
                return found[0]
            if found:
                break
            scope = scope.parent
        raise refused(f'column "{name}"', column)

    def has(self, name: str) -> bool:
        """Whether a bare name is a column of an item."""
        return bool(self._find(name, ""))

    def star(self, table: str = "") -> list[tuple[str, Typed]]:
        """Return the columns that `*` or `table.*` stands for, with their names."""
        found = []
        for item in self.items:
            if not table or item.name == table:
                shown = (*item.outputs, *item.hidden) if table else item.outputs
                found += [(each.name, item.value(each)) for each in shown]
        return found

    def _find(self, name: str, table: str) -> list[Typed]:
        if table:
            return [value for item in self.items if item.name == table for value in item.find(name)]
        return [
            item.value(each) for item in self.items for each in item.outputs if each.name == name
        ]


def quoted(name: str) -> str:
    """Return a name as Spark's SQL quotes it, with braces doubled for its formatter."""
    return "`" + name.replace("`", "``").replace("{", "{{").replace("}", "}}") + "`"


def renamed(outputs: Sequence[Output], names: Sequence[str]) -> tuple[Output, ...]:
    """Return columns with the names that `AS t (a, b)` gives to the first of them."""
    fresh = [
        Output(name=name, column=each.column, type=each.type)
        for each, name in zip(outputs, names, strict=False)
    ]
    return (*fresh, *outputs[len(fresh) :])
