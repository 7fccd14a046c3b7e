"""Draw expressions of a type from the table of forms and the visible columns."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.fuzz.constants import CONSTANTS, UNQUOTED
from tests.fuzz.forms import (
    FORMS,
    GENERIC,
    GENERIC_ORDERED,
    NOT_COMPARABLE,
    RISKY,
    Form,
)
from tests.fuzz.tree import FIXED, Literal, Node, Part


@dataclass(slots=True)
class Scope:
    """The columns that an expression may name."""

    columns: Mapping[str, Sequence[str]]
    """Type → the texts that name a column of that type."""
    outer: Scope | None = None
    """Scope of the enclosing statement; a subquery that uses it is correlated."""
    hidden: frozenset[str] = frozenset()
    """Aliases and columns of this scope; they hide those of `outer` with the same name."""

    def of(self, sort: str) -> Sequence[str]:
        """Return the texts of the columns of a type."""
        return self.columns.get(sort, ())

    def hides(self, text: str) -> bool:
        """Whether a name of the enclosing statement is hidden here."""
        return text.split(".", maxsplit=1)[0].strip('"') in self.hidden


RowsOf: TypeAlias = Callable[[str, Scope, int], Node]
"""Draw a subquery: one column of a type, or any columns where the type is empty."""


@dataclass(slots=True)
class Expressions:
    """Draws expressions."""

    chance: random.Random
    without: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    """Names of the features used so far."""

    def constant(self, sort: str) -> Node:
        """Draw a constant of a type, or of one of the sorts with a `'`."""
        data_type, text = self.chance.choice(
            [(kind, text) for kind, text in CONSTANTS[sort] if f"{kind} {text}" not in self.without]
        )
        quoted = "'" + text.replace("'", "''") + "'"
        written = text if data_type in UNQUOTED else f"{quoted}::{data_type}"
        if data_type == "text":
            written = quoted
        if written.startswith("-"):
            written = f"({written})"
        literal = Literal(text=text, sql=written, type=data_type)
        return Node(sort, (literal,), None)

    def leaf(self, sort: str, scope: Scope) -> Node:
        """Draw a column, a constant or NULL."""
        named = scope.of(sort)
        roll = self.chance.random()
        if named and roll < 0.72:
            return Node(sort, (self.chance.choice(named),), None)
        if scope.outer is not None and roll < 0.85:
            seen = [name for name in scope.outer.of(sort) if not scope.hides(name)]
            if seen:
                return Node(sort, (self.chance.choice(seen),), None)
        if roll > 0.96:
            return Node(sort, (f"NULL::{sort}",), None)
        return self.constant(sort)

    def draw(
        self, sort: str, scope: Scope, depth: int, rows: RowsOf, *, risky: bool = False
    ) -> Node:
        """Draw an expression of a type.

        Args:
            sort: its type.
            scope: the columns it may name.
            depth: how many operators may be nested.
            rows: draws a subquery of one column of a type, or of any column.
            risky: its outermost operator may fail for some rows.
        """
        if sort.startswith("'"):
            return self.constant(sort)
        if sort == "uuid" and "uuid" in self.without:
            return Node(sort, (self.chance.choice(scope.of(sort) or ("NULL::uuid",)),), None)
        if sort.startswith("rows"):
            return rows(sort.removeprefix("rows").removeprefix(" of "), scope, depth - 1)
        if depth <= 0:
            return self.leaf(sort, scope)
        columns = scope.of("integer")
        if sort in GUARDED and columns and self.chance.random() < 0.03:
            return guarded(self.chance, sort, columns)
        form = self._form(sort, risky=risky, subqueries=depth > 1)
        if form is None:
            return self.leaf(sort, scope)
        parts: list[Part] = []
        for index, text in enumerate(form.parts):
            if index % 2 == 0:
                parts.append(text)
            elif text == "=":
                parts.append(sort)
            else:
                inner = sort if text == "@" else text
                deeper = self.chance.random() < 0.45
                parts.append(self.draw(inner, scope, depth - 1 if deeper else 0, rows))
        return Node(sort, tuple(parts), f"NULL::{sort}")

    def _form(self, sort: str, *, risky: bool, subqueries: bool) -> Form | None:
        if risky and sort in RISKY:
            forms: Sequence[Form] = RISKY[sort]
        elif self.chance.random() < 0.2:
            forms = GENERIC if sort in NOT_COMPARABLE else (*GENERIC, *GENERIC_ORDERED)
            forms = [f for f in forms if sort not in NOT_COMPARABLE or "nullif(" not in f.parts]
        else:
            forms = FORMS[sort]
        for _ in range(8):
            form = self.chance.choice(forms)
            if form.is_in(self.without) or (form.feature == "subquery" and not subqueries):
                continue
            if any(part.startswith("rows") for part in form.parts) and not subqueries:
                continue
            if "uuid" in self.without and "{uuid}" in form.text:
                continue
            if form.feature:
                self.used.add(form.feature)
            return form
        return None


_COMPARED = frozenset(CONSTANTS) - {"json", "bigint[]"}


def on_sides(
    chance: random.Random,
    columns: Sequence[tuple[str, str]],
    expressions: Expressions,
) -> Node:
    """Draw conditions on some columns: that a match is missing or not, values, lists and ranges.

    Args:
        chance: decides.
        columns: the qualified columns of all sides, with their types.
        expressions: draws constants.
    """
    parts: list[Part] = []
    for name, sort in chance.sample(columns, min(len(columns), chance.randint(1, 3))):
        forms: list[tuple[Part, ...]] = [(f"{name} IS NULL",), (f"{name} IS NOT NULL",)]
        if sort in _COMPARED:
            one, other = expressions.constant(sort), expressions.constant(sort)
            forms += [
                (f"{name} = ", one),
                (f"{name} IN (", one, ", ", other, ")"),
                (f"{name} {chance.choice(['<', '>=', '<>'])} ", one),
                (f"({name} BETWEEN ", one, " AND ", other, ")"),
                (f"({name} = ", one, f" OR {name} IS NULL)"),
            ]
            same = [each for each, its in columns if its == sort and each != name]
            if same:
                forms.append((f"{name} = {chance.choice(same)}",))
        word = chance.choice([" AND ", " AND ", " AND ", " OR "]) if parts else ""
        parts += [word, Node("boolean", chance.choice(forms), "true")]
    return Node("boolean", ("(", *parts, ")"), "true")


GUARDED: Mapping[str, Sequence[str]] = {
    "integer": (
        "(CASE WHEN {0} <> 0 THEN (SELECT 10 / {0}) END)",
        "(CASE {0} WHEN 0 THEN 1 ELSE (SELECT 10 / {0}) END)",
        "(CASE WHEN {0} <> 0 THEN 10 / {0} ELSE 0 END)",
        "coalesce((CASE WHEN {0} = 0 THEN 1 END), (SELECT max(y / {0}) FROM (VALUES (7)) q (y)))",
        "(CASE WHEN {0} > 0 AND 10 / {0} > 2 THEN 1 END)",
    ),
    "boolean": (
        "({0} <> 0 AND 10 / {0} > 2)",
        "({0} = 0 OR 10 / {0} > 2)",
        "({0} = 0 OR EXISTS (SELECT 1 FROM (VALUES (1)) q (y) WHERE 10 / {0} > y))",
        "({0} <> 0 AND {0} IN (SELECT 4 / {0}))",
        "(({0} <> 0 AND 10 / {0} > 2) IS TRUE)",
    ),
    "aggregate": (
        "sum(10 / {0}) FILTER (WHERE {0} <> 0)",
        "count(sqrt({0})) FILTER (WHERE {0} >= 0)",
        "array_agg(100 / ({0} - 2) ORDER BY {0}, 100 / ({0} - 2)) FILTER (WHERE {0} > 2)",
        "count(DISTINCT 10 / {0}) FILTER (WHERE {0} <> 0)",
        "min(({0}::text || 'x')::integer) FILTER (WHERE {0} IS NULL)",
        "sum(10 / {0}) FILTER (WHERE {0} <> 0 AND 10 / {0} > 1)",
    ),
}
"""Expressions that fail for some values of a column, each behind a condition on the same column."""


def guarded(chance: random.Random, sort: str, columns: Sequence[str]) -> Node:
    """Draw an expression that fails where PostgreSQL does not compute it."""
    text = chance.choice(GUARDED[sort]).format(chance.choice(columns))
    return Node(FIXED, (text,), None)
