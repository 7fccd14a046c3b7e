"""SELECTs whose names collide: the same few names at every level, in every clause.

All values are integers, so that only names matter. Most names are drawn from those that are visible
where they stand, some from all.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz.tree import Node, Part

COLUMNS = ("a", "b", "c")
RELATIONS = ("t", "u", "a")
_OTHERS = (*RELATIONS, "v")


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of FROM: its name and its columns."""

    name: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class Names:
    """Draw queries.

    Args:
        chance: the source of all choices.
        stores: stores with columns of them that are integers.
        apart: whether each item of FROM has a name of its own. The same choices then give a
            statement with the same meaning, as far as items are named by their relations.
    """

    chance: random.Random
    stores: Sequence[tuple[str, Sequence[str]]] = ()
    apart: bool = False
    commons: list[_Item] = field(default_factory=list)
    count: int = 0
    """The number of items so far."""
    deepest: int = 0
    """How many levels of subqueries there may be; small statements fail less often."""

    def __post_init__(self) -> None:
        """Draw the depth."""
        self.deepest = self.chance.choice([1, 1, 2, 3])

    def query(self, outer: Sequence[_Item] = (), depth: int = 0, width: int = 0) -> Node:
        """Draw a query; `width` is its number of columns, 0 for any."""
        return self._query(outer, depth, width)[0]

    def _query(self, outer: Sequence[_Item], depth: int, width: int) -> tuple[Node, list[str]]:
        known = len(self.commons)
        parts: list[Part] = []
        if self.may(0.25) and depth < self.deepest:
            parts.append(self._with(outer, depth))
        select, names = self._select(outer, depth, width)
        parts.append(select)
        if self.may(0.1):
            other = self._select(outer, depth, len(names))[0]
            word = self.chance.choice([" UNION ALL ", " UNION ", " EXCEPT "])
            parts = [*parts[:-1], "(", select, f"){word}(", other, ")"]
            if self.may(0.4):
                parts.append(f" ORDER BY {self._any(names)}")
        del self.commons[known:]
        return Node("query", tuple(parts)), names

    def may(self, likely: float) -> bool:
        """Decide."""
        return self.chance.random() < likely

    def _any(self, names: Sequence[str]) -> str:
        once = [name for name in names if names.count(name) == 1]
        usual = self.may(0.99) and (once or names)
        return self.chance.choice(usual) if usual else self._column_name()

    def _fresh(self, names: Sequence[str], taken: Sequence[str]) -> str:
        """Draw one of some names; rarely one that is taken, unless all are."""
        left = [name for name in names if name not in taken]
        return self.chance.choice(left if left and self.may(0.93) else list(names))

    def _column_name(self) -> str:
        return self.chance.choice(COLUMNS)

    def _with(self, outer: Sequence[_Item], depth: int) -> Node:
        name = self.chance.choice([*RELATIONS, *(store for store, _ in self.stores)])
        inner, names = self._query(outer, depth + 1, 0)
        given = ""
        if self.may(0.4):
            names = [self._column_name() for _ in names]
            given = f"({', '.join(names)})"
        self.commons.append(_Item(name, tuple(names)))
        return Node("with", (f"WITH {name}{given} AS (", inner, ") "), "")

    def _select(self, outer: Sequence[_Item], depth: int, width: int) -> tuple[Node, list[str]]:
        items: list[_Item] = []
        parts: list[Part] = [" FROM "]
        count = self.chance.choice([1, 1, 2] if depth == 0 else [1, 2, 2, 3])
        for at in range(count):
            join = (
                ""
                if at == 0
                else self.chance.choice([", ", ", ", " JOIN ", " LEFT JOIN ", " CROSS JOIN "])
            )
            name = self._fresh(_OTHERS, [item.name[:1] for item in items])
            self.count += 1
            name = f"{name}{self.count}" if self.apart else name
            source, columns = self._source(name, [*items] if self.may(0.3) else [], outer, depth)
            parts += [join, source]
            right = _Item(name, columns)
            if "JOIN" in join and "CROSS" not in join:
                shared = [c for c in items[-1].columns if c in columns]
                if shared and self.may(0.4):
                    parts.append(f" USING ({shared[0]})")
                    # Without a relation, it is one column.
                    right = _Item(name, tuple(c for c in columns if c != shared[0]))
                    if self.may(0.4):
                        parts.append(" AS j")
                else:
                    parts += [" ON ", self._condition([items[-1], right], outer, depth)]
            items.append(right)
        outputs: list[Part] = []
        names: list[str] = []
        merged = any("USING" in part for part in parts if isinstance(part, str))
        if width == 0 and self.may(0.25) and not merged:
            outputs.append("*")
            names = [column for item in items for column in item.columns]
            width = len(names)
        else:
            for at in range(width or self.chance.choice([1, 2, 2, 3])):
                name = self._fresh(COLUMNS, names)
                bare, text = self._value(items, outer, depth)
                is_named = bare is None or self.may(0.97 if bare in names else 0.5)
                names.append(name if is_named or bare is None else bare)
                outputs += [", " if at else "", text, f" AS {name}" if is_named else ""]
        clauses, kind = self._clauses(items, outer, depth, names)
        return Node("select", (f"SELECT {kind}", *outputs, *parts, *clauses)), names

    def _clauses(
        self, items: Sequence[_Item], outer: Sequence[_Item], depth: int, names: Sequence[str]
    ) -> tuple[list[Part], str]:
        parts: list[Part] = []
        if self.may(0.4):
            condition = self._condition(items, outer, depth)
            parts.append(Node("where", (" WHERE ", condition), ""))
        kind = ""
        if self.may(0.15):
            kind = "DISTINCT "
        elif self.may(0.1):
            key = self._any(names)
            kind = f"DISTINCT ON ({key}) "
            every = ", ".join(str(place + 1) for place in range(len(names)))
            parts.append(Node("order", (f" ORDER BY {key}, {every}",), None))
        elif self.may(0.35):
            terms: list[Part] = []
            for at in range(self.chance.choice([1, 1, 2])):
                by = (
                    self._any(names)
                    if self.may(0.95 if kind else 0.6)
                    else self._value(items, outer, depth)[1]
                )
                terms += [", " if at else "", by]
            parts.append(Node("order", (" ORDER BY ", *terms), ""))
        return parts, kind

    def _source(
        self, name: str, left: Sequence[_Item], outer: Sequence[_Item], depth: int
    ) -> tuple[Node, tuple[str, ...]]:
        """Draw an item of FROM; `left` are items that it sees, if it is LATERAL."""
        if self.commons and self.may(0.3):
            common = self.chance.choice(self.commons)
            return Node("item", (f"{common.name} AS {name}",)), common.columns
        if self.stores and self.may(0.3):
            store, columns = self.chance.choice(self.stores)
            return Node("item", (f"{store} AS {name}",)), tuple(columns)
        if depth >= self.deepest or self.may(0.4):
            width = self.chance.choice([1, 2, 2, 3])
            given = [self._column_name() for _ in range(width)]
            if self.may(0.95):
                given = self.chance.sample(COLUMNS, width)
            rows = ", ".join(
                f"({', '.join(str(self.chance.randint(1, 3)) for _ in range(width))})"
                for _ in range(self.chance.choice([1, 2, 2, 3]))
            )
            return Node("item", (f"(VALUES {rows}) AS {name}({', '.join(given)})",)), tuple(given)
        lateral = "LATERAL " if left and self.may(0.8) else ""
        inner, names = self._query([*left, *outer], depth + 1, 0)
        given_text = ""
        if self.may(0.3):
            count = self.chance.randint(1, len(names)) if names else 0
            names = [*(self._column_name() for _ in range(count)), *names[count:]]
            given_text = f"({', '.join(names[:count])})" if count else ""
        parts = (f"{lateral}(", inner, f") AS {name}{given_text}")
        return Node("item", parts), tuple(names)

    def _value(
        self, items: Sequence[_Item], outer: Sequence[_Item], depth: int
    ) -> tuple[str | None, Node]:
        """Draw a value; also return its name if it is a column."""
        if self.may(0.75) or depth >= self.deepest:
            far = _not_hidden(items, outer) if self.may(0.3) else []
            seen = far or items
            item = self.chance.choice(list(seen)) if seen else None
            columns = item.columns if item else ()
            name = self._any(columns)
            others = [*items, *outer] if far else items
            is_unique = sum(each.columns.count(name) for each in others) == 1
            is_bare = self.may(0.7 if is_unique else 0.01)
            qualifier = f"{item.name}." if item and not is_bare else ""
            if self.may(0.01):
                qualifier = f"{self.chance.choice([*RELATIONS, 'j'])}."
            return name, Node("value", (f"{qualifier}{name}",))
        if self.may(0.3):
            return None, Node("value", (self._value(items, outer, depth)[1], " + 1"))
        if self.may(0.2):
            return None, Node("value", (str(self.chance.randint(1, 3)),))
        inner = self._query([*items, *outer], depth + 1, 1)[0]
        return None, Node("value", ("(SELECT max(q.x) FROM (", inner, ") AS q(x))"))

    def _condition(self, items: Sequence[_Item], outer: Sequence[_Item], depth: int) -> Node:
        left = self._value(items, outer, depth)[1]
        if depth >= self.deepest or self.may(0.6):
            sign = self.chance.choice(["=", "=", "=", "<>", "<=", ">"])
            return Node("condition", (left, f" {sign} ", self._value(items, outer, depth)[1]))
        seen = [*items, *outer]
        if self.may(0.3):
            return Node("condition", ("EXISTS (", self._query(seen, depth + 1, 0)[0], ")"))
        word = self.chance.choice(["IN", "NOT IN", "= ANY", "<> ALL"])
        if self.may(0.3):
            other = self._value(items, outer, depth)[1]
            inner = self._query(seen, depth + 1, 2)[0]
            return Node("condition", ("(", left, ", ", other, f") {word} (", inner, ")"))
        return Node("condition", (left, f" {word} (", self._query(seen, depth + 1, 1)[0], ")"))


def _not_hidden(items: Sequence[_Item], outer: Sequence[_Item]) -> list[_Item]:
    """Return the items of outer levels whose names no inner level has; inner ones come first."""
    found: list[_Item] = []
    taken = {item.name[:1] for item in items}
    for item in outer:
        if item.name[:1] not in taken:
            found.append(item)
            taken.add(item.name[:1])
    return found
