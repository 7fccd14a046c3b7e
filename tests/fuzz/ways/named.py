"""Queries by name, as HTTP asks them, on one of three nodes and over all partitions.

The judge is plain Python over the rows, partition by partition: rows, their order, and the values.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stategate.planner.errors import QueryError
from stategate.planner.typed import Argument, Rows, TypedAnswer, TypedQueries, TypedQuery
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from tests.fuzz.ways.asked import Difference
from tests.fuzz.ways.named_model import Arguments, Expected
from tests.fuzz.ways.nodes import LOST, World
from tests.planner.live.watching import comparable_row

_UNMET = '{"events": {"0": 99999}}'
_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "stategate.consistency": ("eventual", "monotonic", "latest", "snapshot"),
    "stategate.bound": ('{"events": {"0": 0}}', _UNMET, "{}"),
    "stategate.wait": ("0", "5"),
    "stategate.active": ("on", "off"),
    "stategate.partial": ("on",),
    "stategate.info": ("on",),
}
_FAR_MS = (-(2**63), 2**63 - 1)
_UNAVAILABLE = "55"
_TIME_S = 60.0


def wrong(found: World, chance: random.Random) -> Difference | str:
    """Ask a store a query by name; return how the answer differs, or the outcome."""
    schema = chance.choice([*found.schemas.values()])
    query = chance.choice(found.named["nodes"].known(schema.name))
    expected = Expected(found, schema)
    asking = _Asking(
        query=query,
        arguments=_Drawn(chance, schema, found.rows_of(schema.name)).arguments(query),
        partitions=_partitions(chance, schema),
        settings=_settings(chance),
    )
    lost = chance.sample(LOST, chance.choice([0, 0, 0, 0, 1, 2]))
    with found.without(*lost):
        for way, typed in found.named.items():
            how = _asked(typed, asking, expected, found if way == "nodes" else None, lost)
            if how is not None:
                return f"by name, {way}", how[0], f"{asking}\nlost: {lost}\n{how[1]}"
    place = None if lost else _misplaced(found, schema, expected, chance)
    if place is not None:
        return "where a key is", schema.name, place
    return f"by name, {'refused' if asking.is_refused(expected) else 'rows'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """A query with all that decides its answer."""

    query: TypedQuery
    arguments: Arguments
    partitions: frozenset[int] | None
    settings: Mapping[str, str]

    def is_refused(self, expected: Expected) -> bool:
        """Whether there is no answer, also if all nodes are there."""
        return (
            expected.is_refused(self.query.name, self.arguments)
            or self.settings.get("stategate.bound") == _UNMET
            or not (self.partitions or frozenset()) <= {*range(expected.partitions)}
        )

    def targets(self, expected: Expected) -> list[int]:
        """Return the partitions that are asked: those of the keys, if whole keys are given."""
        if self.partitions is not None:
            return sorted(self.partitions)
        for name, argument in self.query.arguments.items():
            if argument.is_key and not argument.is_prefix:
                given = self.arguments[name]
                keys = given if argument.is_list else [given]
                return sorted({expected.partition_of(key) for key in keys})
        return [*range(expected.partitions)]


def _asked(
    typed: TypedQueries, asking: _Asking, expected: Expected, nodes: World | None, lost: list[str]
) -> tuple[str, str] | None:
    """Return how the answer of one engine differs; `nodes` are those that it asks."""
    is_refused, targets = asking.is_refused(expected), asking.targets(expected)
    store = asking.query.store
    placed = nodes.nodes.placed if nodes else {}
    gone = {n for n in targets if {*placed.get((store, n), ["a"])} <= {*lost}}
    described = typed.describe(store, asking.query.name)
    session = Session(settings=asking.settings)
    typed.is_inline(described, session)
    try:
        given = typed.ask(
            described,
            asking.arguments,
            session,
            partitions=asking.partitions,
            cancellation=Cancellation(timeout_s=_TIME_S),
        )
    except QueryError as error:
        is_away = bool(lost) and nodes is not None and error.sqlstate.startswith(_UNAVAILABLE)
        may_fail = is_refused or gone or (is_away and asking.settings)
        return None if may_fail and error.sqlstate != "XX000" else (error.sqlstate, error.message)
    if is_refused:
        # With partial answers, all partitions may fail.
        statuses = {each.answer.status for each in given.partitions}
        return None if statuses <= {"failed"} else ("is not refused", "")
    wanted = expected.rows(asking.query.name, asking.arguments, targets)
    return _differs(given, asking.query, wanted, gone)


def _settings(chance: random.Random) -> Mapping[str, str]:
    names = chance.sample([*_SETTINGS], chance.choice([0, 0, 0, 1, 2]))
    return {name: chance.choice(_SETTINGS[name]) for name in names}


class _Drawn:
    """Draws arguments of queries of one store."""

    def __init__(self, chance: random.Random, schema: StoreSchema, rows: list[Row]) -> None:
        self._chance, self._schema, self._rows = chance, schema, rows

    def arguments(self, query: TypedQuery) -> Arguments:
        """Draw arguments, of which those that are not required may be left out."""
        chance = self._chance
        picked = {
            name: self._value(name, argument)
            for name, argument in query.arguments.items()
            if argument.required or chance.random() < 0.4
        }
        if query.name == "prefix" and not picked.get("prefix") and chance.random() < 0.8:
            picked["prefix"] = self._key()[:1]
        return picked

    def _value(self, name: str, argument: Argument) -> Any:
        chance = self._chance
        if argument.is_list:
            return tuple(self._key() for _ in range(chance.choice([0, 1, 2, 5])))
        if argument.is_key:
            return self._prefix() if argument.is_prefix else self._key()
        if name.endswith("_ms"):
            return self._time_ms()
        drawn: Mapping[str, Any] = {
            "limit": [0, 1, 1, 2, 3, 7, 2**63 - 1, None, -1],
            "order": ["asc", "desc", "DESC", "Asc", None, "up"],
            "text": ["", "a", "A", "ab", "ä", "%"],
        }
        if name == "columns":
            names = sorted(self._schema.column_by_name)
            picked = chance.sample(names, chance.randint(1, min(4, len(names))))
            return [*picked, "nothing"] if chance.random() < 0.05 else picked
        return chance.choice(drawn.get(name, [True, False, None]))

    def _key(self) -> Row:
        """Draw the key of a row, or one that few or no rows have."""
        width = len(self._schema.key)
        row = self._chance.choice(self._rows)
        if self._chance.random() < 0.8:
            return row[:width]
        other = self._chance.choice(self._rows)
        return (row[0], *other[1:width]) if width > 1 else (None,)

    def _prefix(self) -> Row | None:
        if self._chance.random() < 0.03:
            return ()
        return self._key()[: self._chance.randint(1, len(self._schema.key))]

    def _time_ms(self) -> int:
        """Draw a time near one of a row, or any time."""
        width, count = len(self._schema.key), len(self._schema.time_columns)
        times = [each for row in self._rows for each in row[width : width + count]]
        listed: list[Any] = [each for each in times if isinstance(each, int)]
        if not listed or self._chance.random() < 0.1:
            return self._chance.choice(_FAR_MS)
        return int(self._chance.choice(listed)) // 1000 + self._chance.choice([-1, 0, 0, 1])


def _partitions(chance: random.Random, schema: StoreSchema) -> frozenset[int] | None:
    if chance.random() < 0.8:
        return None
    numbers = range(schema.partitions + (chance.random() < 0.1))
    return frozenset(chance.sample(numbers, chance.randint(1, len(numbers))))


def _differs(
    given: TypedAnswer, query: TypedQuery, wanted: dict[int, list[Row]], gone: set[int]
) -> tuple[str, str] | None:
    """Return how an answer differs, and both."""
    answered = {each.answer.partition: each for each in given.partitions}
    if answered.keys() != wanted.keys():
        return "partitions", f"ours: {sorted(answered)}\nmodel: {sorted(wanted)}"
    for number, each in answered.items():
        if each.answer.status == "failed":
            if number not in gone:
                return "failed", f"partition {number}: {each.answer.message}"
            continue
        rows = [*map(comparable_row, wanted[number])]
        if query.name == "approximate_count":
            continue  # an estimate, which deletions make too high
        ours: Any = each.value
        theirs: Any = len(rows)
        if query.result is None:
            ours, theirs = [*map(comparable_row, _rows(each.value))], rows
        if ours != theirs:
            return "rows", f"partition {number}\nours: {ours}\nmodel: {theirs}"
    return None


def _rows(value: object) -> list[Row]:
    """Return the rows of a partition as physical values; none for no row."""
    if not isinstance(value, Rows):
        return []
    if value.row is not None:
        return [value.row]
    found: list[Row] = []
    for batch in value.batches:
        pairs = zip(batch.columns, value.columns, strict=True)
        found += zip(*(physical_list(each, column.type) for each, column in pairs), strict=True)
    return found


def _misplaced(
    found: World, schema: StoreSchema, expected: Expected, chance: random.Random
) -> str | None:
    """Return how the place of a key differs."""
    row = chance.choice(found.rows_of(schema.name))
    key = row[: len(schema.key)]
    if None in key or schema.kind is StoreKind.GLOBAL:
        return None
    located = found.named["nodes"].locate(schema.name, [*map(str, key)], "")
    placed = found.nodes.placed[schema.name, expected.partition_of(key)]
    if located.partition != expected.partition_of(key):
        return f"{key} is said to be in partition {located.partition}"
    named = {each.node for each in located.replicas}
    return None if named == {*placed} else f"{key} is said to be on {named}, and is on {placed}"
