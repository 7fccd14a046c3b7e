"""Joins of few rows: each relation is looked up by the rows of those before it.

A row join belongs to a row plan. It begins with the relation that needs the smallest read. Every
other relation is read by keys that equal columns of the rows joined so far, or by its own range.
If those columns also limit the times of windows, sessions or versions, each row has a read of its
own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct

from stategate.planner.binding.bound import Source
from stategate.planner.binding.plain_joins import ComparedColumns, PlainJoin
from stategate.planner.binding.predicate_reader import MIRRORED
from stategate.planner.binding.predicates import Compares, Condition, Equals, OneOf, Operand
from stategate.planner.planning.access import Access, plan_access
from stategate.planner.planning.key_regions import PREFIXES_MAX, fixed_columns
from stategate.planner.planning.row_columns import ReadRelation, RowColumns
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.planning.row_plan import ORDERED
from stategate.planner.values.comparison_bounds import INT_BITS, Fitted, Fitter, fitter
from stategate.stores.codec.rows import row_getter
from stategate.stores.spec.schema import DataType, Row, Value

_RANGE = 1
"""The breadth of a range: a lookup has less, a scan has more."""
_TIMED_MAX = 64
"""Maximum number of reads for one relation that have times of their own."""
_Join: TypeAlias = Callable[[list[Row], Sequence[Row], Sequence[list[Row]]], "list[Row] | None"]
"""Takes joined rows, the parameters of the reads of a relation, and the rows of each read; returns
the rows joined, or None if there are too many."""
READ_ONCE: Sequence[Row] = ((),)
"""The parameters of a read that needs no other rows."""
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class GivenColumn(Struct, frozen=True, kw_only=True):
    """A column, and the column of the joined rows that it is compared with."""

    column: str
    operator: str
    at: int
    fit: Fitter

    def value_of(self, row: Row) -> Value:
        """Return the value that the column is compared with; None if no value is possible."""
        value = row[self.at]
        if value is None or self.fit is Fitted:
            return value
        found = self.fit(value)
        return found.value if isinstance(found, Fitted) and found.exact else None

    def condition(self, place: int) -> Condition:
        """Return the condition on the column if the value is the parameter at a place."""
        operand = Operand(text=f"${place + 1}", fit=Fitted, parameter=place)
        if self.operator == "=":
            return Equals(column=self.column, operands=(operand,))
        return Compares(column=self.column, operator=self.operator, operand=operand)


class JoinStep(Struct, frozen=True, kw_only=True):
    """How the rows of one relation are read, and joined to those before it."""

    access: Access
    keys: tuple[GivenColumn, ...]
    """The key columns whose values earlier rows give; empty if it is read by its own conditions."""
    times: tuple[GivenColumn, ...]
    """The limits of times that earlier rows give."""
    keys_max: int
    join: _Join

    def reads(self, rows: list[Row]) -> Sequence[Row] | None:
        """Return the parameters of each read that these rows need; None if there are many.

        If the rows give times, each read has the values of the key columns and the times of a row.
        Otherwise there is one read, whose parameter has the values of all rows. Each of them is the
        value of the only key column, or a row of values.
        """
        if self.times:
            given = dict.fromkeys(map(self.values_of, rows))
            found = [values for values in given if None not in values]
            return None if len(found) > _TIMED_MAX else found
        if not self.keys:
            return READ_ONCE
        values: dict[Any, None]
        if len(self.keys) == 1:
            values = dict.fromkeys(map(self.keys[0].value_of, rows))
            values.pop(None, None)
            return None if len(values) > self.keys_max else ((tuple(values),),)
        values = dict.fromkeys(map(self.values_of, rows))
        listed = tuple([value for value in values if None not in value])
        return None if len(values) > self.keys_max else ((listed,),)

    def values_of(self, row: Row) -> Row:
        """Return the values that a row gives for the key columns and times."""
        return tuple([each.value_of(row) for each in (*self.keys, *self.times)])

    def narrowed(self, place: int) -> Access:
        """Return the read of the rows that others need.

        Args:
            place: the 0-based index of the first parameter from `reads`.
        """
        names = tuple([key.column for key in self.keys])
        if self.times:
            access = self.access
            for at, each in enumerate((*self.keys, *self.times), start=place):
                access = access.and_also(each.condition(at))
            return access
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
    if not all(map(maker.can_compare, join.comparisons)):
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

    def can_compare(self, columns: ComparedColumns) -> bool:
        """Whether Python compares values of two columns as PostgreSQL does."""
        (one, mine), (other, theirs) = columns.one, columns.other
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
        given = self._given(number, offsets)
        keys, is_whole = _keys(access, {c.column: c for c in reversed(given) if c.operator == "="})
        timed = {column.name for column in access.schema.time_columns} if is_whole else set()
        times = tuple([c for c in given if c.column in timed and c.operator != "<>"])
        return JoinStep(
            access=access,
            keys=keys,
            times=times,
            keys_max=ROWS_MAX if is_whole else PREFIXES_MAX,
            join=_joiner(
                given,
                columns,
                keys=keys,
                times=times,
                is_optional=self._join.relations[number].is_optional,
            ),
        )

    def _given(self, number: int, offsets: Mapping[int, int]) -> list[GivenColumn]:
        """Return the columns of a relation that are compared with columns of the rows so far."""
        found: list[GivenColumn] = []
        for each in self._join.comparisons:
            for mine, sign, theirs in (
                (each.one, each.operator, each.other),
                (each.other, MIRRORED[each.operator], each.one),
            ):
                other, name = theirs
                if mine[0] == number and other in offsets:
                    at = offsets[other] + self._sources[other].columns.index(name)
                    # A column without a fitter is not part of a key.
                    fit = fitter(self._types[other][name], self._types[number][mine[1]]) or Fitted
                    found.append(GivenColumn(column=mine[1], operator=sign, at=at, fit=fit))
        return found


def _is_narrow(step: JoinStep) -> bool:
    return bool(step.keys) or step.access.breadth <= _RANGE


def _keys(access: Access, given: Mapping[str, GivenColumn]) -> tuple[tuple[GivenColumn, ...], bool]:
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


def _joiner(
    given: Sequence[GivenColumn],
    columns: Sequence[str],
    *,
    keys: Sequence[GivenColumn],
    times: Sequence[GivenColumn],
    is_optional: bool,
) -> _Join:
    """Return the function that joins the rows of a relation to others.

    Args:
        given: the columns that are compared with columns of the others.
        columns: the columns of the relation.
        keys: the columns whose equality with columns of the others is applied by reads.
        times: the columns whose limits are applied by the read for one of the others.
        is_optional: whether rows without a match are kept, with NULLs.
    """
    nulls: list[Row] = [(None,) * len(columns)] if is_optional else []
    equal = [*keys, *times] if times else [each for each in given if each.operator == "="]
    meets = _test([each for each in given if each not in equal], columns)
    places = [each.at for each in equal]
    wanted = row_getter(places) if times else _key_getter(places)
    key_of = _key_getter([columns.index(each.column) for each in equal])
    # A read for one row returns only the matches of that row, if it applies all equalities.
    reads_matches = not times and set(equal) <= set(keys)

    def join(rows: list[Row], reads: Sequence[Row], found: Sequence[list[Row]]) -> list[Row] | None:
        matches: Mapping[Any, list[Row]]
        if times:
            matches = dict(zip(reads, found, strict=True))
        elif reads_matches and len(rows) == 1:
            matches = {wanted(rows[0]): found[0]}
        else:
            matches = _by_key(found[0], key_of)
        joined: list[Row] = []
        for row in rows:
            few = matches.get(wanted(row), nulls)
            if few and meets is not None:
                few = [match for match in few if meets(row, match)]
            joined += [row + match for match in few or nulls]
            if len(joined) > ROWS_MAX:
                return None
        return joined

    return join


def _by_key(rows: list[Row], key_of: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    """Return rows by their keys, without those that have a NULL there: it is equal to nothing."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(key_of(row), []).append(row)
    return {key: few for key, few in found.items() if not _has_null(key)}


def _has_null(key: Any) -> bool:
    return key is None or (type(key) is tuple and None in key)


def _key_getter(places: Sequence[int]) -> Callable[[Row], Any]:
    return itemgetter(*places) if places else lambda row: ()


def _test(
    given: Sequence[GivenColumn], columns: Sequence[str]
) -> Callable[[Row, Row], bool] | None:
    """Return a test of whether two rows meet the comparisons; None without comparisons."""
    if not given:
        return None
    tests = [(_COMPARE[c.operator], columns.index(c.column), c.at) for c in given]

    def meets(row: Row, match: Row) -> bool:
        for compare, own, at in tests:
            one, other = match[own], row[at]
            if one is None or other is None or not compare(one, other):
                return False
        return True

    return meets
