"""Lookups by key, as drivers prepare them: whole keys, windows of a key, keys that are computed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from stategate.stores.spec.schema import StoreKind, StoreSchema
from tests.fuzz.grammar.statements import Case
from tests.fuzz.grammar.vocabulary import KEYS, quoted
from tests.fuzz.tree import Literal, Node, Part
from tests.fuzz.world import ROWS, STORES, relation_columns

_TIMES = (
    *("1970-01-01 00:00:00+00", "1970-01-01 00:00:00.000001+00", "1969-12-31 23:00:00+00"),
    *("1970-01-01 03:00:00+00", "1970-01-01 03:59:59.9999+00", "2021-05-03 00:00:00+00"),
    *("2020-01-01 01:00:00+00", "infinity", "-infinity"),
)
_SPANS = ("0", "1 microsecond", "1 hour", "-3 hours", "30 days")
_UNITS = ("hour", "day", "week", "month", "quarter", "year")
_COMPUTED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "integer": (("abs(", ")"), ("", " + 0"), ("(1 - ", ")"), ("length(repeat('x', ", "))")),
    "bigint": (("abs(", ")"), ("-", ""), ("", " * 1")),
    "text": (("lower(", ")"), ("trim(", ")"), ("", " || ''"), ("replace(", ", 'q', 'x')")),
}
"""What stands before and after a value of a key column, so that each run computes it."""


@dataclass(slots=True)
class Keyed:
    """Draws lookups."""

    chance: random.Random

    def case(self) -> Case:
        """Draw a statement."""
        store = self.chance.choice(STORES)
        names = [quoted(name) for name, _ in relation_columns(store)]
        listed = self.chance.sample(names, self.chance.randint(1, min(3, len(names))))
        items = self.chance.choice(["*", ", ".join(listed), ", ".join([*listed, "_partition"])])
        where: list[Part] = [self._key(store)]
        if store.kind in {StoreKind.WINDOW, StoreKind.SESSION}:
            for _ in range(self.chance.choice([0, 1, 1, 2])):
                where += [" AND ", self._time()]
        order = ""
        if self.chance.random() < 0.3:
            times = [column.name for column in store.time_columns]
            order = " ORDER BY " + ", ".join(
                map(quoted, dict.fromkeys([*KEYS[store.name], *times]))
            )
            order += self.chance.choice(["", " LIMIT 2", " LIMIT 1 OFFSET 1"])
        return Case(root=Node("rows", (f"SELECT {items} FROM {store.name} WHERE ", *where, order)))

    def _key(self, store: StoreSchema) -> Node:
        """Draw a condition on all columns of the key, mostly of a row that there is."""
        row = self.chance.choice(ROWS[store.name])
        types = dict(relation_columns(store))
        parts: list[Part] = []
        for name in (column.name for column in store.key):
            sort = types[name]
            if parts:
                parts.append(" AND ")
            before, after = "", ""
            if self.chance.random() < 0.2:
                before, after = self.chance.choice(_COMPUTED[sort])
            values = [self._value(row.get(name), sort)]
            if self.chance.random() < 0.2:
                for _ in range(self.chance.randint(0, 3)):
                    other = self.chance.choice(ROWS[store.name])
                    values += [", ", self._value(other.get(name), sort)]
                parts += [f"{quoted(name)} IN (", *values, ")"]
            else:
                parts += [f"{quoted(name)} = {before}", *values, after]
        return Node("boolean", tuple(parts))

    def _value(self, value: object, sort: str) -> Part:
        if value is None:
            return "NULL"
        text = str(value)
        return Literal(text=text, sql="'" + text.replace("'", "''") + "'", type=sort)

    def _time(self) -> Node:
        """Draw a condition on an end of a window."""
        text = self.chance.choice(_TIMES)
        at = Literal(text=text, sql=f"'{text}'::timestamptz", type="timestamptz")
        column = self.chance.choice(["window_start", "window_end"])
        operator = self.chance.choice(["=", "<", "<=", ">", ">="])
        unit, span = self.chance.choice(_UNITS), self.chance.choice(_SPANS)
        forms: list[tuple[Part, ...]] = [
            *[(f"{column} {operator} ", at)] * 4,
            (f"{column} + interval '{span}' {operator} ", at),
            (f"date_trunc('{unit}', {column}) {operator} ", at),
            (f"{column} {operator} date_trunc('{unit}', ", at, ")"),
            (f"{column}::date {operator} '1970-01-01'",),
            (f"{column} {operator} now() - interval '{span}'",),
            (f"{column} BETWEEN ", at, f" AND '{self.chance.choice(_TIMES)}'"),
        ]
        return Node("boolean", self.chance.choice(forms))
