"""Origins of result columns, which drivers look up in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.binding.relations import Relation
from stategate.planner.postgres.types.output_columns import Outputs, is_star
from stategate.stores.spec.schema import Column

Origin: TypeAlias = tuple[Relation, str]
"""A relation and the name of its column."""
Origins: TypeAlias = tuple[Origin | None, ...]
"""One for each result column; None for a computed column."""
Readable: TypeAlias = Callable[[exp.Table], tuple[Relation, Mapping[str, Column]] | None]
"""Returns the relation of a table, and its columns by their names in the statement."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultColumn(Column):
    """A result column with its origin; equal to the same column without one."""

    table_oid: int
    number: int
    """`pg_attribute.attnum`."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        return (self.name, self.type) == (other.name, other.type)

    def __hash__(self) -> int:
        return hash((self.name, self.type))


def origins_of(scope: Scope, outputs: Outputs, readable: Readable) -> Origins | None:
    """Return the origins of a query's columns; None if the number of columns is not known.

    Columns of a UNION are computed, as in Postgres.
    """
    return _Finder(outputs, readable).of(scope)


class _Finder:
    """Finds the origins of the columns of each scope once, however many columns ask for them."""

    def __init__(self, outputs: Outputs, readable: Readable) -> None:
        self._outputs, self._readable = outputs, readable
        self._known: dict[int, Origins | None] = {}

    def of(self, scope: Scope) -> Origins | None:
        """Return the origins of a scope's columns; None if their number is not known."""
        key = id(scope)
        if key not in self._known:
            self._known[key] = self._find(scope)
        return self._known[key]

    def _find(self, scope: Scope) -> Origins | None:
        tree = scope.expression
        if not isinstance(tree, exp.Select):
            names = self._outputs.names(scope)
            return None if names is None else (None,) * len(names)
        found: list[Origin | None] = []
        for item in tree.expressions:
            if is_star(item):
                places = self._outputs.star(scope, item)
                if places is None:
                    return None
                found += [self._origin(scope, *place) for place in places]
                continue
            inner = item.unalias()
            is_column = isinstance(inner, exp.Column)
            found.append(self._origin(scope, inner.table, inner.name) if is_column else None)
        return tuple(found)

    def _origin(self, scope: Scope, owner: str, name: str) -> Origin | None:
        sources = scope.selected_sources
        chosen = [owner] if owner else [*sources]
        found: list[Origin | None] = []
        for each in chosen:
            source = sources[each][1] if each in sources else None
            if isinstance(source, exp.Table):
                known = self._readable(source)
                if known is not None and name in known[1]:
                    found.append((known[0], known[1][name].name))
            elif source is not None:
                names = self._outputs.names(source)
                inner = self.of(source) if names and name in names else None
                if names and inner is not None and len(names) == len(inner):
                    found.append(inner[names.index(name)])
        return found[0] if len(found) == 1 else None


def with_origins(
    columns: Sequence[Column], origins: Origins | None, oid_of: Callable[[Relation], int]
) -> tuple[Column, ...]:
    """Return the columns, with the oid and number of those that come from a relation."""
    if origins is None or len(origins) != len(columns):
        return tuple(columns)
    return tuple(
        [
            column if origin is None else _of_relation(column, *origin, oid_of)
            for column, origin in zip(columns, origins, strict=True)
        ]
    )


def _of_relation(
    column: Column, relation: Relation, name: str, oid_of: Callable[[Relation], int]
) -> Column:
    for number, each in enumerate(relation.columns, start=1):
        if each.name == name:
            return ResultColumn(
                name=column.name, type=column.type, table_oid=oid_of(relation), number=number
            )
    return column  # a column that PostgreSQL's catalog does not list, such as _partition
