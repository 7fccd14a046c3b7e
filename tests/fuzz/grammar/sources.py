"""FROM: trees of joins of every kind over stores, CTEs, derived tables and functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.fuzz.grammar import catalogs
from tests.fuzz.grammar.calls import SERIES_CALLS
from tests.fuzz.grammar.expressions import MAY_FAIL, Expressions, RowsOf, Scope, on_sides
from tests.fuzz.grammar.vocabulary import ALIASES, NAMES, SORTS, quoted
from tests.fuzz.tree import Node, Part
from tests.fuzz.world import ROLES, STORES, relation_columns

Columns: TypeAlias = Sequence[tuple[str, str]]
"""The names of columns, with their types."""
SelectOf: TypeAlias = Callable[[Sequence[str], int, "Scope | None"], Node]
"""Draw a query with columns of these types, at a depth, within a scope."""
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT JOIN", "INNER JOIN", "CROSS JOIN")
_SERIES_RESULT = {
    "generate_subscripts": "integer",
    "json_each": "json",
    "json_each_text": "text",
    "jsonb_each": "jsonb",
    "jsonb_each_text": "text",
    "regexp_matches": "text[]",
    "regexp_split_to_table": "text",
    "string_to_table": "text",
}
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "double precision")
"""Types that USING joins with each other; the result is the later one."""


@dataclass(slots=True)
class Relation:
    """An item of FROM: an alias and its columns."""

    alias: str
    columns: Columns
    store: str | None = None


@dataclass(slots=True)
class Joined:
    """A tree of joins: its relations, and the columns that USING merged."""

    relations: list[Relation]
    node: Node
    merged: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    """Column → its type, and the aliases of the relations that have it."""

    def named(self) -> dict[str, list[str]]:
        """Return the types of each name that stands without an alias; one if it is unambiguous."""
        found: dict[str, list[str]] = {}
        for relation in self.relations:
            for name, sort in relation.columns:
                if relation.alias not in self.merged.get(name, ("", frozenset()))[1]:
                    found.setdefault(name, []).append(sort)
        for name, (sort, _) in self.merged.items():
            found.setdefault(name, []).append(sort)
        return found


@dataclass(slots=True)
class Sources:
    """Draws FROM.

    Args:
        expressions: draws conditions and arguments.
        rows: draws subqueries in conditions.
        select: draws derived tables.
        tables: the visible CTEs.
    """

    expressions: Expressions
    rows: RowsOf
    select: SelectOf
    tables: list[Relation]

    @property
    def chance(self) -> random.Random:
        """The source of all choices."""
        return self.expressions.chance

    def draw(self, depth: int, outer: Scope | None) -> Joined:
        """Draw the items of FROM."""
        taken: set[str] = set()
        found = self._tree(self._size(depth), depth, taken, outer, Scope({}, outer))
        while depth > 0 and len(found.relations) < 4 and self.may(0.08, "comma"):
            before = self.scope(found, outer)
            other = self._tree(1 + self.may(0.2), depth - 1, taken, outer, before)
            node = Node("source", (found.node, ", ", other.node))
            found = self._beside(found, other, node)
        return found

    def may(self, likely: float, feature: str = "") -> bool:
        """Decide whether to use a clause; never if its feature is left out."""
        return self.expressions.may(likely, feature)

    def _size(self, depth: int) -> int:
        if depth <= 0 or not self.may(0.4, "join"):
            return 1
        return self.chance.choice([2, 2, 2, 3, 3, 4]) if depth > 1 else 2

    def _beside(self, one: Joined, other: Joined, node: Node) -> Joined:
        """Return both sides; a name that USING merged in both is ambiguous, so it has no entry."""
        merged = {**one.merged, **other.merged}
        for name in set(one.merged) & set(other.merged):
            del merged[name]
        return Joined([*one.relations, *other.relations], node, merged)

    def _tree(
        self, size: int, depth: int, taken: set[str], outer: Scope | None, left: Scope
    ) -> Joined:
        """Draw a join of some relations; `left` is what LATERAL and functions see."""
        if size == 1:
            return self._relation(depth, taken, outer, left)
        first = self.chance.choice([size - 1, size - 1, self.chance.randint(1, size - 1)])
        one = self._tree(first, depth, taken, outer, left)
        kind = self.chance.choice(_JOINS)
        sees = kind in {"JOIN", "LEFT JOIN", "INNER JOIN", "CROSS JOIN"}
        seen = self.scope(one, left) if sees else Scope({}, outer)
        other = self._tree(size - first, depth - 1, taken, outer, seen)
        inner: Part = other.node
        if len(other.relations) > 1 or self.may(0.03):
            inner = Node("source", ("(", other.node, ")")) if len(other.relations) > 1 else inner
        if kind == "CROSS JOIN":
            node = Node("join", (one.node, " CROSS JOIN ", inner))
            return self._beside(one, other, node)
        return self._condition(one, other, kind, inner, outer)

    def _condition(
        self, one: Joined, other: Joined, kind: str, inner: Part, outer: Scope | None
    ) -> Joined:
        both = self._beside(one, other, one.node)
        if self.may(0.3, "using"):
            merged = self._using(one, other)
            if merged:
                listed = ", ".join(quoted(name) for name in merged)
                alias = ""
                shared = set(one.named()) & set(other.named())
                is_natural = shared == set(merged) and self.may(0.5)
                head = f" NATURAL {kind} " if is_natural else f" {kind} "
                if not is_natural:
                    alias = f" USING ({listed})"
                node = Node("join", (one.node, head, inner, alias))
                return Joined(both.relations, node, {**both.merged, **merged})
        condition = self._equality(one, other)
        if self.may(0.45):
            if self.may(0.5, "sides"):
                more = self.on_sides(both.relations)
            else:
                more = self.expressions.draw("boolean", self.scope(both, outer), 1, self.rows)
            condition = Node("boolean", (condition, " AND ", more), None)
        node = Node("join", (one.node, f" {kind} ", inner, " ON ", condition))
        return Joined(both.relations, node, both.merged)

    def _using(self, one: Joined, other: Joined) -> dict[str, tuple[str, frozenset[str]]]:
        left, right = one.named(), other.named()
        names: dict[str, str] = {}
        for name in left:
            sorts = left[name] + right.get(name, [])
            if len(left[name]) == 1 and len(sorts) == 2:
                common = _common(*sorts)
                if common is not None:
                    names[name] = common
        picked = self.chance.sample(list(names), min(len(names), self.chance.choice([1, 1, 2, 4])))
        return {name: (names[name], self._having(name, one, other)) for name in picked}

    def _having(self, name: str, *sides: Joined) -> frozenset[str]:
        return frozenset(
            relation.alias
            for side in sides
            for relation in side.relations
            if any(column == name for column, _ in relation.columns)
        )

    def _equality(self, one: Joined, other: Joined) -> Node:
        pairs = [
            (f"{quoted(a.alias)}.{quoted(x)}", f"{quoted(b.alias)}.{quoted(y)}")
            for a in one.relations
            for x, first in a.columns
            for b in other.relations
            for y, second in b.columns
            if first == second and first != "json"
        ]
        if not pairs:
            return Node("boolean", ("1 = 1",))
        left, right = self.chance.choice(pairs)
        if self.may(0.3):
            left, right = right, left
        return Node("boolean", (f"{left} = {right}",))

    def on_sides(self, relations: Sequence[Relation]) -> Node:
        """Draw conditions on columns of any side of a join."""
        columns = [
            (f"{quoted(relation.alias)}.{quoted(name)}", sort)
            for relation in relations
            for name, sort in relation.columns
        ]
        return on_sides(self.chance, columns, self.expressions)

    # Relations

    def _relation(self, depth: int, taken: set[str], outer: Scope | None, left: Scope) -> Joined:
        alias = self._alias(taken)
        if self.tables and self.may(0.5):
            table = self.chance.choice(self.tables)
            found = Relation(alias, table.columns)
            node = Node("relation", (f"{quoted(table.alias)} AS {quoted(alias)}",))
            return Joined([found], node)
        if depth > 0 and self.may(0.18, "derived"):
            return self._derived(alias, depth, outer, left)
        if self.may(0.08, "series"):
            return self._series(alias, left)
        relation, node = self.store(alias, taken)
        return Joined([relation], node)

    def _derived(self, alias: str, depth: int, outer: Scope | None, left: Scope) -> Joined:
        sorts = self.sorts(3)
        columns = list(zip(self.names(len(sorts)), sorts, strict=True))
        named = f"{quoted(alias)} ({', '.join(quoted(name) for name, _ in columns)})"
        is_lateral = bool(left.columns) and self.may(0.4, "lateral")
        inner = self.select(sorts, depth - 1, left if is_lateral else outer)
        head = "LATERAL (" if is_lateral else "("
        return Joined([Relation(alias, columns)], Node("relation", (head, inner, f") AS {named}")))

    def _series(self, alias: str, left: Scope) -> Joined:
        """Draw a function that returns rows; it sees the items before it."""
        call = self.chance.choice(SERIES_CALLS)
        sort = _SERIES_RESULT.get(call.name, call.result or call.form.parts[1].rstrip("!"))
        sort = sort.removesuffix("[]") if call.name == "unnest" else sort
        self.expressions.used.add(MAY_FAIL)
        parts = [
            text if at % 2 == 0 else self.expressions.draw(text, left, 0, self.rows)
            for at, text in enumerate(call.form.parts)
        ]
        columns = [("x", sort)]
        if call.name.removesuffix("_text").endswith("_each"):
            columns = [("name", "text"), ("x", sort)]
        is_multiple = call.name == "unnest" and len(call.form.parts) > 3
        if is_multiple:
            return Joined([Relation(alias, [])], Node("relation", (*parts, f" AS {quoted(alias)}")))
        ordinality = ""
        if self.may(0.3):
            ordinality = " WITH ORDINALITY"
            columns.append(("number", "bigint"))
        listed = ", ".join(quoted(name) for name, _ in columns)
        word = self.chance.choice(["", "", "LATERAL "])
        tail = f"{ordinality} AS {quoted(alias)} ({listed})"
        return Joined([Relation(alias, columns)], Node("relation", (word, *parts, tail)))

    def store(self, alias: str, taken: set[str] | None = None) -> tuple[Relation, Node]:
        """Draw a store, under an alias or its own name; or a relation of the catalog."""
        if self.expressions.in_catalog:
            query, columns = self.chance.choice([*catalogs.RELATIONS.values()])
            listed = ", ".join(quoted(name) for name, _ in columns)
            node = Node("relation", (f"({query}) AS {quoted(alias)} ({listed})",))
            return Relation(alias, columns), node
        hidden = {table.alias for table in self.tables}
        stores = [store for store in STORES if store.name not in hidden] or [STORES[2]]
        weights = [{"samples": 4, "words": 2}.get(store.name, 1) for store in stores]
        store = self.chance.choices(stores, weights)[0]
        prefix = self.chance.choice(["", "", "", "public."])
        if store.name in hidden:
            prefix = "public."
        relation = Relation(alias, relation_columns(store), store.name)
        if taken is not None and store.name not in taken and self.may(0.3):
            taken.discard(alias)
            taken.add(store.name)
            relation.alias = store.name
            return relation, Node("relation", (f"{prefix}{store.name}",))
        word = self.chance.choice(["AS ", ""])
        sample = ""
        if self.may(0.02, "sample"):
            method = self.chance.choice(["SYSTEM", "BERNOULLI"])
            sample = f" TABLESAMPLE {method} ({self.chance.choice([0, 100])})"
        text = f"{prefix}{store.name} {word}{quoted(alias)}{sample}"
        return relation, Node("relation", (text,))

    def _alias(self, taken: set[str]) -> str:
        name = self.chance.choice([alias for alias in ALIASES if alias not in taken])
        taken.add(name)
        return name

    # Names

    def scope(self, joined: Joined, outer: Scope | None = None) -> Scope:
        """Return the columns of some relations; a name is unqualified only if it is unambiguous."""
        named, aliases = joined.named(), {relation.alias for relation in joined.relations}
        columns: dict[str, list[str]] = {}

        def add(sort: str, text: str) -> None:
            columns.setdefault(sort, []).append(text)
            if sort == "json":
                columns.setdefault("jsonb", []).append(f"{text}::jsonb")

        for relation in joined.relations:
            for name, sort in relation.columns:
                texts = [f"{quoted(relation.alias)}.{quoted(name)}"]
                # An alias of that name would mean a row.
                if len(named[name]) == 1 and name not in joined.merged and name not in aliases:
                    texts.append(quoted(name))
                text = self.chance.choice(texts)
                add(sort, text)
                role = ROLES.get(relation.store or "", {}).get(name)
                if role is not None:
                    add(role, text)
        for name, (sort, _) in joined.merged.items():
            if len(named[name]) == 1 and name not in aliases:
                columns.setdefault(sort, []).extend([quoted(name)] * 2)
        return Scope(columns, outer, frozenset(aliases | set(named)))

    def sorts(self, most: int) -> list[str]:
        """Draw the types of a result, mostly those of columns in many stores."""
        common = ("integer", "text", "bigint", "timestamptz")
        return [
            self.chance.choice(common if self.chance.random() < 0.5 else SORTS)
            for _ in range(self.chance.randint(1, most))
        ]

    def names(self, count: int) -> list[str]:
        """Draw names of columns."""
        without = self.expressions.without
        return self.chance.sample(
            [name for name in NAMES if name.islower() or "case" not in without], count
        )


def _common(one: str, other: str) -> str | None:
    """Return the type of a merged column, or None if two types are not compared."""
    if one == other:
        return None if one in {"json", "bigint[][]"} else one
    if one in _NUMBERS and other in _NUMBERS:
        return max(one, other, key=_NUMBERS.index)
    return None
