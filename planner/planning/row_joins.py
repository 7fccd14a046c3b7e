"""Joins of few rows: each relation is looked up by the rows of those before it.

A row join belongs to a row plan. It begins with the relation that needs the smallest read. Every
other relation is read by keys that equal columns of the rows joined so far, or by its own range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct

from planner.binding.bind import Source
from planner.binding.plain_joins import EqualColumns, PlainJoin
from planner.binding.predicates import Equals, OneOf, Operand
from planner.planning.access import Access, plan_access
from planner.planning.key_regions import PREFIXES_MAX, fixed_columns
from planner.planning.row_columns import ReadRelation, RowColumns
from planner.planning.row_path import ROWS_MAX
from planner.planning.row_plan import ORDERED
from planner.values.comparison_bounds import INT_BITS, Fitted, Fitter, fitter
from stores.spec.schema import DataType, Row, Value

_RANGE = 1
"""The breadth of a range: a lookup has less, a scan has more."""
_Join: TypeAlias = Callable[[list[Row], list[Row]], "list[Row] | None"]
"""Takes joined rows and those of a relation; returns them joined, or None if there are too many."""


class KeyColumn(Struct, frozen=True, kw_only=True):
    """A key column, and the column of the joined rows that it must be equal to."""

    column: str
    at: int
    fit: Fitter

    def value_of(self, row: Row) -> Value:
        """Return the value that the key column must have; None if no value is possible."""
        value = row[self.at]
        if value is None or self.fit is Fitted:
            return value
        found = self.fit(value)
        return found.value if isinstance(found, Fitted) and found.exact else None


class JoinStep(Struct, frozen=True, kw_only=True):
    """How the rows of one relation are read, and joined to those before it."""

    access: Access
    keys: tuple[KeyColumn, ...]
    """The key columns whose values earlier rows give; empty if it is read by its own conditions."""
    keys_max: int
    join: _Join

    def values_of(self, rows: list[Row]) -> tuple[Any, ...] | None:
        """Return the values of the key columns that these rows give; None if they are many.

        Each is the value of the only column, or a row of values.
        """
        values: dict[Any, None]
        if not self.keys:
            return ()
        if len(self.keys) == 1:
            values = dict.fromkeys(map(self.keys[0].value_of, rows))
            values.pop(None, None)
            return None if len(values) > self.keys_max else tuple(values)
        values = dict.fromkeys([tuple([key.value_of(row) for key in self.keys]) for row in rows])
        found = tuple([value for value in values if None not in value])
        return None if len(values) > self.keys_max else found

    def narrowed(self, place: int) -> Access:
        """Return the read of the rows whose values of the key columns are a parameter.

        Args:
            place: the 0-based index of that parameter, which is from `values_of`.
        """
        names = tuple([key.column for key in self.keys])
        if not names:
            return self.access
        if len(names) == 1:
            operand = Operand(text="the keys", fit=Fitted, parameter=place, is_list=True)
            return self.access.and_also(Equals(column=names[0], operands=(operand,)))
        return self.access.and_also(OneOf(columns=names, parameter=place))


class RowJoin(Struct, frozen=True, kw_only=True):
    """The relations of a join, in the order in which they are read."""

    steps: tuple[JoinStep, ...]
    columns: RowColumns
    """The columns of the joined rows."""


def row_join(join: PlainJoin, sources: Sequence[Source]) -> RowJoin | None:
    """Return the plan of a join of few rows; None if one relation cannot be looked up.

    Args:
        join: the relations, and the columns that must be equal.
        sources: the same relations, in any order.
    """
    by_table = {source.table: source for source in sources}
    found = [by_table.get(each.table) for each in join.relations]
    known = [source for source in found if source is not None]
    if len(known) < len(found):
        return None
    accesses: list[Access] = []
    for source, each in zip(known, join.relations, strict=True):
        if source.relation.store is None:
            return None
        accesses.append(plan_access(source.relation.store, each.predicate, source.columns))
    maker = _Maker(join, known, accesses)
    if not all(map(maker.can_compare, join.equalities)):
        return None
    inner = [at for at, each in enumerate(join.relations) if not each.is_optional]
    for first in sorted(inner, key=lambda at: accesses[at].breadth):
        made = maker.beginning_with(first)
        if made is not None:
            return made
    return None


class _Maker:
    """Puts the relations of a join in order.

    Args:
        join: the relations, and the columns that must be equal.
        sources: the sources of the relations.
        accesses: how each is read by its own conditions.
    """

    def __init__(
        self, join: PlainJoin, sources: Sequence[Source], accesses: Sequence[Access]
    ) -> None:
        self._join, self._sources, self._accesses = join, sources, accesses
        self._types: list[Mapping[str, DataType]] = [
            {name: column.type for name, column in access.schema.column_by_name.items()}
            for access in accesses
        ]

    def can_compare(self, equality: EqualColumns) -> bool:
        """Whether Python finds values of two columns equal as PostgreSQL does."""
        (one, mine), (other, theirs) = equality.one, equality.other
        first, second = self._types[one][mine], self._types[other][theirs]
        if first == second:
            return first.kind in ORDERED
        return first.kind in INT_BITS and second.kind in INT_BITS

    def beginning_with(self, first: int) -> RowJoin | None:
        """Return the join that reads this relation first; None if another one cannot be read."""
        relations = self._join.relations
        offsets = {first: 0}
        steps = [self._step(first, offsets)]
        waiting = [at for at in range(len(relations)) if at != first]
        while waiting:
            width = sum(len(self._sources[at].columns) for at in offsets)
            inner = [at for at in waiting if not relations[at].is_optional]
            # Optional relations come last, in their order: an ON names only those before it.
            made = {at: self._step(at, {**offsets, at: width}) for at in inner or waiting[:1]}
            ready = [at for at, step in made.items() if _is_narrow(step)]
            if not ready:
                return None
            best = min(ready, key=lambda at: (not made[at].keys, made[at].access.breadth))
            steps.append(made[best])
            offsets[best] = width
            waiting.remove(best)
        columns = RowColumns(
            [
                ReadRelation(
                    name=each.name,
                    relation=source.relation,
                    columns=source.columns,
                    at=offsets[at],
                )
                for at, (each, source) in enumerate(zip(relations, self._sources, strict=True))
            ]
        )
        return RowJoin(steps=tuple(steps), columns=columns)

    def _step(self, number: int, offsets: Mapping[int, int]) -> JoinStep:
        """Return the step that joins a relation to those that already have offsets in a row."""
        access, columns = self._accesses[number], self._sources[number].columns
        equal = list(self._equal(number, offsets))
        given = {
            name: KeyColumn(column=name, at=at, fit=fit)
            for name, at, data_type in reversed(equal)
            if (fit := fitter(data_type, self._types[number][name])) is not None
        }
        keys, is_whole = _keys(access, given)
        return JoinStep(
            access=access,
            keys=keys,
            keys_max=ROWS_MAX if is_whole else PREFIXES_MAX,
            join=_joiner(
                [at for _, at, _ in equal],
                [columns.index(name) for name, _, _ in equal],
                width=len(columns),
                is_optional=self._join.relations[number].is_optional,
            ),
        )

    def _equal(self, number: int, offsets: Mapping[int, int]) -> list[tuple[str, int, DataType]]:
        """Return the columns of a relation that must equal a column of the rows joined so far.

        Each comes with the place in a row, and the type, of the column that it must equal.
        """
        found: list[tuple[str, int, DataType]] = []
        for equality in self._join.equalities:
            for mine, theirs in (
                (equality.one, equality.other),
                (equality.other, equality.one),
            ):
                other, name = theirs
                if mine[0] == number and other in offsets:
                    at = offsets[other] + self._sources[other].columns.index(name)
                    found.append((mine[1], at, self._types[other][name]))
        return found


def _is_narrow(step: JoinStep) -> bool:
    return bool(step.keys) or step.access.breadth <= _RANGE


def _keys(access: Access, given: Mapping[str, KeyColumn]) -> tuple[tuple[KeyColumn, ...], bool]:
    """Return the key columns whose values other rows give, and whether they are the whole key."""
    names = [column.name for column in access.schema.key]
    disjuncts = access.predicate.disjuncts
    if len(disjuncts) != 1 or fixed_columns(disjuncts[0], access.schema) == len(names):
        return (), True
    fixed = {c.column for c in disjuncts[0] if isinstance(c, Equals)}
    reach = 0
    while reach < len(names) and (names[reach] in given or names[reach] in fixed):
        reach += 1
    used = [name for name in names[:reach] if name in given and name not in fixed]
    return tuple([given[name] for name in used]), reach == len(names)


def _joiner(places: Sequence[int], own: Sequence[int], *, width: int, is_optional: bool) -> _Join:
    """Return the function that joins the rows of a relation to others.

    Args:
        places: the columns of the others that must be equal to its own.
        own: those columns.
        width: the number of its columns.
        is_optional: whether rows without a match are kept, with NULLs.
    """
    wanted, key_of = _key_getter(places), _key_getter(own)
    nulls = ((None,) * width,) if is_optional else ()

    def join(rows: list[Row], found: list[Row]) -> list[Row] | None:
        matches: dict[Any, list[Row]] = {}
        for row in found:
            matches.setdefault(key_of(row), []).append(row)
        joined: list[Row] = []
        for row in rows:
            key = wanted(row)
            # NULL is equal to nothing, and a key of several columns is NULL if one of them is.
            is_null = key is None or (type(key) is tuple and None in key)
            joined += [row + match for match in (() if is_null else matches.get(key, nulls))]
            if is_null:
                joined += [row + match for match in nulls]
            if len(joined) > ROWS_MAX:
                return None
        return joined

    return join


def _key_getter(places: Sequence[int]) -> Callable[[Row], Any]:
    return itemgetter(*places) if places else lambda row: ()
