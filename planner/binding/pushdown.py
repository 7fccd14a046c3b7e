"""Push conditions down to the relations of a statement, and find the links between relations.

A condition is pushed down to a relation if rows that do not meet it cannot change the result;
`stategate.planner.binding.outer_joins` has the laws. A relation whose key is equal to columns of
another is *linked* to it: few rows there mean few lookups here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct, field
from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.binding.derived_tables import Beneath, DerivedTables, Readable, Resolver
from stategate.planner.binding.join_parts import Comparison, JoinParts, Part, accepts_null
from stategate.planner.binding.operands import ParameterType
from stategate.planner.binding.outer_joins import join_tree, parts_for
from stategate.planner.binding.predicate_reader import MIRRORED, PredicateReader
from stategate.planner.binding.predicates import EVERY_ROW, Predicate, conjunction

_Place: TypeAlias = tuple[int, str]
"""A column of a table: the id of the table node, and the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A column of a relation, and the column of another relation that it is compared with."""

    column: str
    operator: str = "="
    """=, <, <=, > or >=, written between the column and the other."""
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The columns of a relation that are compared with columns of one other relation."""

    table: int
    """The id of the other table node."""
    pairs: tuple[Pair, ...]
    """The equal columns, then those that are less or greater."""


class PushedConditions(Struct, kw_only=True):
    """The conditions on one relation."""

    predicate: Predicate = EVERY_ROW
    equal: dict[_Place, list[str]] = field(default_factory=dict)
    """Columns of other relations, each with the names of our columns that must be equal to it."""
    ordered: dict[int, list[Pair]] = field(default_factory=dict)
    """Our columns that must be less or greater than columns of another table, by that table."""

    def compare(self, table: exp.Table, each: Comparison) -> None:
        """Record how a column of the relation compares with another."""
        sides = (
            (each.one, each.operator, each.other),
            (each.other, MIRRORED[each.operator], each.one),
        )
        for (mine, name), operator, (theirs, other) in sides:
            if mine is not table:
                continue
            if operator != "=":
                pair = Pair(column=name, operator=operator, other=other)
                self.ordered.setdefault(id(theirs), []).append(pair)
                continue
            names = self.equal.setdefault((id(theirs), other), [])
            if name not in names:
                names.append(name)

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The comparisons, grouped by the other relation."""
        if not (self.equal or self.ordered):
            return ()
        pairs: dict[int, list[Pair]] = {}
        for (table, other), names in self.equal.items():
            for name in names:
                pairs.setdefault(table, []).append(Pair(column=name, other=other))
        for table, ordered in self.ordered.items():
            pairs.setdefault(table, []).extend(ordered)
        return tuple(Compared(table=table, pairs=tuple(found)) for table, found in pairs.items())


class Pushdown:
    """The conditions of one statement, by relation.

    Args:
        scopes: inner ones first.
        readable: the columns of each relation, by the id of its table node.
        resolvers: functions that resolve column nodes, by the id of the scope.
        parameter_type: the types of the parameters.
        derived: the derived tables.
    """

    def __init__(
        self,
        scopes: Sequence[Scope],
        readable: Mapping[int, Readable],
        resolvers: Mapping[int, Resolver],
        parameter_type: ParameterType,
        derived: DerivedTables,
    ) -> None:
        self._readable, self._parameter_type = readable, parameter_type
        self._pushed: dict[int, PushedConditions] = {}
        by_select = {id(scope.expression): scope for scope in scopes}
        for scope in scopes:
            if isinstance(scope.expression, exp.Select):
                parts = JoinParts(scope, readable, resolvers, by_select, parameter_type)
                self._read(parts)
                if len(scopes) > 1:
                    self._read_beneath(parts, derived.beneath(scope))

    def of(self, table: exp.Table) -> PushedConditions:
        """Return the conditions on a relation."""
        return self._pushed.setdefault(id(table), PushedConditions())

    def _read(self, parts: JoinParts) -> None:
        """Read the conditions on the tables of a SELECT."""
        for table in parts.tables:
            pushed = self.of(table)
            found = parts_for(parts.tree, table, parts.where, parts)
            for part in found:
                for each in part.comparisons:
                    pushed.compare(table, each)
            for part in found:
                read = parts.predicate(part, table, pushed.equal)
                pushed.predicate = conjunction(pushed.predicate, read)

    def _read_beneath(self, parts: JoinParts, relations: Iterable[Beneath]) -> None:
        """Read the conditions on the relations behind the derived tables of a SELECT."""
        for each in relations:
            if id(each.table) not in self._readable:
                continue
            reader = PredicateReader(column_of=each.column_of, parameter_type=self._parameter_type)
            (_, item), *inner = each.items
            found = parts_for(parts.tree, item, parts.where, _Beneath(parts, reader, item))
            for select, within in inner:
                tree, about = join_tree(select), _Beneath(None, reader, within)
                found = parts_for(tree, within, found, about)
            pushed = self.of(each.table)
            for part in found:
                pushed.predicate = conjunction(pushed.predicate, reader.predicate(part.node))


class _Beneath:
    """What is known of the parts of a SELECT, or of one around it, by a relation beneath an item.

    Args:
        parts: the parts of the SELECT; None if they are those of a SELECT around it.
        reader: reads predicates on the relation.
        item: the item of FROM, which passes on rows of the relation.
    """

    def __init__(self, parts: JoinParts | None, reader: PredicateReader, item: exp.Expr) -> None:
        self._parts, self._reader, self._item = parts, reader, item

    def on(self, join: exp.Join) -> Sequence[Part]:
        return () if self._parts is None else self._parts.on(join)

    def rejects(self, part: Part, items: frozenset[int]) -> bool:
        if self._parts is not None and self._parts.rejects(part, items):
            return True
        return id(self._item) in items and not accepts_null(self._reader.predicate(part.node))

    def is_of(self, part: Part, items: frozenset[int]) -> bool:
        return self._parts is not None and self._parts.is_of(part, items)

    def is_merged(self, part: Part, join: exp.Join) -> bool:
        return self._parts is not None and self._parts.is_merged(part, join)
