"""Draw expressions of a type from the table of forms and the visible columns."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.fuzz.grammar import catalogs
from tests.fuzz.grammar.calls import SCALARS
from tests.fuzz.grammar.constants import CONSTANTS, UNQUOTED
from tests.fuzz.grammar.forms import (
    FORMS,
    GENERIC,
    GENERIC_ORDERED,
    GENERIC_ROWS,
    NOT_COMPARABLE,
    ONE_FORM,
    RISKY,
    Form,
    forms,
)
from tests.fuzz.grammar.guards import guarded
from tests.fuzz.tree import Literal, Node, Part, spelled


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

    def all_columns(self) -> list[tuple[str, str]]:
        """Return the texts of all columns, with their types."""
        return [(name, sort) for sort, names in self.columns.items() for name in names]

    def hides(self, text: str) -> bool:
        """Whether a name of the enclosing statement is hidden here."""
        return text.split(".", maxsplit=1)[0].strip('"') in self.hidden


def _is_item(before: str, after: str) -> bool:
    """Whether an argument, a member or an element stands between these texts."""
    return before.endswith(("(", "[", ", ")) and after.startswith((")", "]", ", "))


def unbracketed(node: Node) -> Node | None:
    """Return a node without the brackets around all of it; None if it has none.

    What copies such an operand must write them.
    """
    first, last = node.parts[0], node.parts[-1]
    text = spelled(node)
    if not isinstance(first, str) or not isinstance(last, str) or not text.startswith("("):
        return None
    depth, is_quoted = 0, False
    for at, letter in enumerate(text):
        is_quoted ^= letter == "'"
        depth += 0 if is_quoted else {"(": 1, ")": -1}.get(letter, 0)
        if not depth and not is_quoted and at < len(text) - 1:
            return None
    if "," in text:
        return None  # a row
    whole = (first[1:-1],) if len(node.parts) == 1 else (first[1:], *node.parts[1:-1], last[:-1])
    return Node(node.sort, whole, node.simplest)


RowsOf: TypeAlias = Callable[[str, Scope, int], Node]
"""Draw a subquery: one column of a type, or any columns where the type is empty."""


_BOUND = ("integer", "bigint", "text", "date", "timestamp", "timestamptz")
"""Types of columns that expressions without columns are compared with."""


@dataclass(slots=True)
class Expressions:
    """Draws expressions."""

    chance: random.Random
    without: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    """Names of the features used so far."""
    calls: float = 0.0
    """How often a call of the records is drawn. It may fail for some rows."""

    in_catalog: bool = False
    """Whether the statement reads the system catalog, and calls its functions."""

    def may(self, likely: float, feature: str = "") -> bool:
        """Decide whether to use a clause; never if its feature is left out."""
        if self.chance.random() >= likely or feature in self.without:
            return False
        if feature:
            self.used.add(feature)
        return True

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
        found = self._leaf(sort, scope, depth, rows)
        if found is not None:
            return found
        if self.chance.random() < 0.03 and "guards" not in self.without:
            found = guarded(self.chance, sort, scope.all_columns())
            if found is not None:
                self.used.add("guards")
                return found
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
                inner = text.replace("@", sort)
                deeper = self.chance.random() < 0.45
                drawn = self.draw(inner, scope, depth - 1 if deeper else 0, rows)
                is_item = _is_item(form.parts[index - 1], form.parts[index + 1])
                bare = unbracketed(drawn) if is_item and self.chance.random() < 0.7 else None
                parts.append(bare or drawn)
        return Node(sort, tuple(parts), f"NULL::{sort}")

    def _leaf(self, sort: str, scope: Scope, depth: int, rows: RowsOf) -> Node | None:
        """Draw what has no form: a special place, a subquery, or anything at the depth's end."""
        if sort.startswith("'"):
            named = scope.of(sort)
            if named and self.chance.random() < 0.6:
                return Node(sort, (self.chance.choice(named),), None)
            return self.constant(sort)
        if sort.endswith("!"):
            return self.leaf(sort[:-1], scope)
        if sort == "uuid" and "uuid" in self.without:
            return Node(sort, (self.chance.choice(scope.of(sort) or ("NULL::uuid",)),), None)
        if sort.startswith("rows"):
            return rows(sort.removeprefix("rows").removeprefix(" of "), scope, depth - 1)
        return self.leaf(sort, scope) if depth <= 0 else None

    def bounded(self, condition: Node, scope: Scope, rows: RowsOf) -> Node:
        """Return a condition and a comparison of a column with expressions without columns."""
        found = self._bound(scope, rows)
        return condition if found is None else Node("boolean", (found, " AND ", condition), "true")

    def _bound(self, scope: Scope, rows: RowsOf) -> Node | None:
        """Draw a comparison of a column with expressions that name no column."""
        sorts = [sort for sort in _BOUND if scope.of(sort)]
        if not sorts:
            return None
        sort = self.chance.choice(sorts)
        column = self.chance.choice(scope.of(sort))
        low, high = (self.draw(sort, Scope({}), 1, rows) for _ in range(2))
        operator = self.chance.choice(["=", "<", ">=", "<>"])
        either = [(column, f" {operator} ", low), (column, " BETWEEN ", low, " AND ", high)]
        parts: tuple[Part, ...] = self.chance.choice(
            [*either, (column, " IN (", low, ", ", high, ")")]
        )
        return Node("boolean", ("(", *parts, ")"), "true")

    def _form(self, sort: str, *, risky: bool, subqueries: bool) -> Form | None:
        for _ in range(8):
            form = self.chance.choice(self._forms(sort, risky=risky))
            if form.is_in(self.without) or (form.feature == "subquery" and not subqueries):
                continue
            if any(part.startswith("rows") for part in form.parts[1::2]) and not subqueries:
                continue
            if "uuid" in self.without and "{uuid}" in form.text:
                continue
            if form.feature:
                self.used.add(form.feature)
            return form
        return None

    def _forms(self, sort: str, *, risky: bool) -> Sequence[Form]:
        if self.chance.random() < (0.6 if risky else self.calls) and sort in CALLS:
            if not risky:
                self.used.add(MAY_FAIL)
            return self.chance.choice(CALLS[sort])
        if self.in_catalog and sort in catalogs.FORMS and self.chance.random() < 0.4:
            return catalogs.FORMS[sort]
        if risky and sort in RISKY:
            return RISKY[sort]
        if self.chance.random() < 0.2 or sort not in FORMS:
            if sort in NOT_COMPARABLE:
                return [form for form in GENERIC if "nullif(" not in form.parts]
            return (*GENERIC, *GENERIC_ORDERED, *(GENERIC_ROWS if sort in ONE_FORM else ()))
        return FORMS[sort]


def _calls() -> Mapping[str, Sequence[Sequence[Form]]]:
    """Return the forms of calls by type; those of one function are together.

    The type of some is left to PostgreSQL. So each call is a text, too, and a boolean.
    """
    found: dict[str, dict[str, list[Form]]] = {}
    for call in SCALARS:
        name, text = call.name, call.form.text
        if call.result in CONSTANTS:
            found.setdefault(str(call.result), {}).setdefault(name, []).append(call.form)
        found.setdefault("text", {}).setdefault(name, []).extend(forms(f"{text}::text"))
        asked = found.setdefault("boolean", {}).setdefault(name, [])
        asked.extend(forms(f"({text} IS NOT NULL)"))
    return {sort: list(named.values()) for sort, named in found.items()}


CALLS = _calls()
MAY_FAIL = "may fail"
"""Feature of a statement with an expression that fails for some rows, anywhere."""
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
