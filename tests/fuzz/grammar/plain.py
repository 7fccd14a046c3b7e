"""Plain statements, as applications send them: few rows by key, ranges, groups, joins by key.

The planner has a way of its own for most of them, which the rich statements of the grammar miss.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz.grammar.statements import Case, Statements
from tests.fuzz.grammar.vocabulary import KEYS, quoted
from tests.fuzz.tree import Literal, Node, Part
from tests.fuzz.world import ROWS, STORES, relation_columns

_SUMMED = frozenset({"integer", "bigint", "smallint", "numeric"})
_EXACT = _SUMMED | {"text", "date", "timestamp", "timestamptz", "boolean"}
_COMPARED = ("=", "=", "<", "<=", ">", ">=", "<>")
_JOINED = {"notes": ("sample", "samples", "id"), "r0": ("id", "samples", "id")}
"""Stores whose column is the key of another."""


@dataclass(slots=True)
class Plain:
    """Draws plain statements."""

    chance: random.Random
    statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        self.statements = Statements(self.chance, depth=1)

    def case(self) -> Case:
        """Draw a statement."""
        store = self.chance.choice(STORES)
        columns = relation_columns(store)
        return self.chance.choice([self._rows, self._rows, self._groups, self._join])(
            store.name, columns
        )

    def may(self, likely: float) -> bool:
        """Decide."""
        return self.chance.random() < likely

    def _constant(self, store: str, column: str, sort: str) -> Part:
        """Draw a value of a column: of one of its rows, or any other of the type."""
        if sort in {"integer", "bigint", "text"} and self.may(0.7):
            value = self.chance.choice(ROWS[store]).get(column)
            if isinstance(value, int):
                sql = f"({value})" if value < 0 else str(value)
                return Literal(text=str(value), sql=sql, type=sort)
            if isinstance(value, str):
                sql = "'" + value.replace("'", "''") + "'"
                return Literal(text=value, sql=sql, type=sort)
        return self.statements.expressions.constant(sort)

    def _condition(self, store: str, alias: str, columns: Sequence[tuple[str, str]]) -> Node:
        """Draw a condition on one column, or on all of the key."""
        prefix = f"{alias}." if alias else ""
        if self.may(0.45):
            parts: list[Part] = []
            types = dict(columns)
            for name in KEYS[store][: self.chance.randint(1, len(KEYS[store]))]:
                parts += [" AND " if parts else "", f"{prefix}{quoted(name)} "]
                operator = "=" if self.may(0.75) else self.chance.choice(_COMPARED)
                parts += [f"{operator} ", self._constant(store, name, types[name])]
            return Node("boolean", tuple(parts), None)
        if len(KEYS[store]) == 2 and self.may(0.25):
            return self._pairs(store, prefix, dict(columns))
        typed = [each for each in columns if each[1] in _EXACT]
        name, sort = self.chance.choice(typed)
        column = f"{prefix}{quoted(name)}"
        values = [self._constant(store, name, sort) for _ in range(self.chance.randint(1, 3))]
        listed: list[Part] = []
        for value in values:
            listed += [", " if listed else "", value]
        forms: list[tuple[Part, ...]] = [
            (f"{column} {self.chance.choice(_COMPARED)} ", values[0]),
            (f"{column} IN (", *listed, ")"),
            (f"{column} = ANY (ARRAY[", *listed, "])"),
            (f"{column} BETWEEN ", values[0], " AND ", values[-1]),
            (f"{column} IS {self.chance.choice(['', 'NOT '])}NULL",),
        ]
        return Node("boolean", self.chance.choice(forms), None)

    def _pairs(self, store: str, prefix: str, types: dict[str, str]) -> Node:
        """Draw a list of keys: as rows, or as conditions."""
        one, other = KEYS[store]
        pairs = [
            (self._constant(store, one, types[one]), self._constant(store, other, types[other]))
            for _ in range(self.chance.choice([1, 2, 3, 6]))
        ]
        parts: list[Part] = []
        if self.may(0.5):
            for a, b in pairs:
                parts += [", (" if parts else "(", a, ", ", b, ")"]
            head = f"({prefix}{quoted(one)}, {prefix}{quoted(other)}) IN ("
            return Node("boolean", (head, *parts, ")"), None)
        for a, b in pairs:
            parts += [" OR " if parts else "", f"({prefix}{quoted(one)} = ", a]
            parts += [f" AND {prefix}{quoted(other)} = ", b, ")"]
        return Node("boolean", ("(", *parts, ")"), None)

    def _where(self, store: str, alias: str, columns: Sequence[tuple[str, str]]) -> Node:
        if self.may(0.2):
            return Node("clause", ("",))
        parts: list[Part] = [" WHERE ", self._condition(store, alias, columns)]
        while self.may(0.35):
            other = self._condition(store, alias, columns)
            parts = [parts[0], "(", *parts[1:], self.chance.choice([" AND ", " OR "]), other, ")"]
        return Node("clause", tuple(parts), "")

    def _rows(self, store: str, columns: Sequence[tuple[str, str]]) -> Case:
        alias = self.chance.choice(["t", ""])
        prefix = f"{alias}." if alias else ""
        source = f"{store} {alias}".strip()
        keys = [f"{prefix}{quoted(key)}" for key in KEYS[store]]
        picked = self.chance.sample(columns, self.chance.randint(1, min(4, len(columns))))
        names = [f"{prefix}{quoted(name)}" for name, _ in picked]
        star = self.chance.choice(["*", f"{prefix}*", ", ".join(names), ", ".join(names)])
        if self.may(0.25):
            star = ", ".join([*keys, *names])
        distinct = self.may(0.1) and all(sort in _EXACT for _, sort in picked)
        if distinct:
            return Case(
                root=Node(
                    "rows",
                    (
                        f"SELECT DISTINCT {', '.join(names)} FROM {source}",
                        self._where(store, alias, columns),
                    ),
                )
            )
        tail = ""
        if self.may(0.5):
            word = self.chance.choice(["", "", " DESC", " ASC NULLS FIRST", " DESC NULLS LAST"])
            tail = f" ORDER BY {', '.join(f'{key}{word}' for key in keys)}"
            if self.may(0.6):
                tail += f" LIMIT {self.chance.randint(0, 8)}"
            if self.may(0.2):
                tail += f" OFFSET {self.chance.randint(0, 3)}"
        where = self._where(store, alias, columns)
        return Case(root=Node("rows", (f"SELECT {star} FROM {source}", where, tail)))

    def _groups(self, store: str, columns: Sequence[tuple[str, str]]) -> Case:
        exact = [name for name, sort in columns if sort in _EXACT]
        ordered = [name for name, sort in columns if sort in _EXACT - {"boolean"}]
        summed = [name for name, sort in columns if sort in _SUMMED]
        if not summed:
            return self._rows(store, columns)
        keys = [quoted(key) for key in self.chance.sample(exact, self.chance.randint(0, 2))]
        found = []
        for _ in range(self.chance.randint(1, 3)):
            any_one, least, number = (
                quoted(self.chance.choice(each)) for each in (exact, ordered, summed)
            )
            call = self.chance.choice(
                [
                    *("count(*)", f"count({any_one})", f"min({least})", f"max({least})"),
                    *(f"sum({number})", f"sum({number})", f"avg({number})"),
                    *(f"count(DISTINCT {any_one})", f"count(*) FILTER (WHERE {number} > 0)"),
                    *(f"coalesce(sum({number}), 0)", f"max({number}) - min({number})"),
                ]
            )
            found.append(call)
        having = f" HAVING {self.chance.choice(found)} IS NOT NULL" if self.may(0.15) else ""
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        order = ""
        if keys and self.may(0.4):
            order = f" ORDER BY {', '.join(keys)}"
            order += f" LIMIT {self.chance.randint(0, 4)}" if self.may(0.5) else ""
        where = self._where(store, "t", columns)
        head = f"SELECT {', '.join([*keys, *found])} FROM {store} t"
        return Case(root=Node("rows", (head, where, group + having + order)))

    def _join(self, store: str, columns: Sequence[tuple[str, str]]) -> Case:
        del store, columns
        name = self.chance.choice([*_JOINED])
        column, other, key = _JOINED[name]
        of = {each.name: relation_columns(each) for each in STORES}
        kind = self.chance.choice(["JOIN", "LEFT JOIN", "JOIN", "RIGHT JOIN"])
        both = [f"t.{quoted(each)}" for each, _ in of[name]]
        both += [f"u.{quoted(each)}" for each, sort in of[other] if sort in _EXACT]
        listed = self.chance.choice(["*", ", ".join(self.chance.sample(both, 3))])
        if self.may(0.25):
            listed = f"count(*), max(t.{quoted(column)}), min(u.{quoted(key)})"
        head = f"SELECT {listed} FROM {name} t {kind} {other} u ON u.{key} = t.{column}"
        where = self._where(name, "t", of[name])
        return Case(root=Node("rows", (head, where)))
