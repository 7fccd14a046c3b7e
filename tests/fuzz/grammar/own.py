"""What PostgreSQL does not have: versions as of a time, the gateway's columns and relations."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.grammar.statements import Case
from tests.fuzz.grammar.vocabulary import quoted
from tests.fuzz.tree import Literal, Node, Part
from tests.fuzz.world import STORES, relation_columns

VERSIONS = "prices"
_AS_OF = "versions as of a time"
"""The sort of a relation: the versions that were valid at a time."""
_TIMES = (
    *("1970-01-01 00:00:03+00", "1970-01-01 00:00:03.000001+00", "1969-12-31 23:59:58+00"),
    *("1970-01-01 00:00:10+00", "1970-01-02 00:00:00+00", "infinity", "-infinity"),
)
_COLUMNS = ("name", "size", "valid_from", "valid_to", "price", "note")
_JOINED = {"clicks": "name", "visits": "name", "words": "word"}
_RELATIONS = (
    *(
        "SELECT name, kind, key, columns, partitions FROM stategate.stores",
        "TABLE stategate.stores",
    ),
    *(
        "SELECT name, default_value FROM stategate.settings",
        "SELECT count(*) >= 0 FROM stategate.slow_queries",
    ),
    "SELECT count(*) >= 0, count(DISTINCT username) FROM stategate.queries",
    "SELECT DISTINCT store, partition FROM stategate.partitions WHERE node = 'a' OR true",
    "SELECT s.name FROM stategate.stores s JOIN stategate.partitions p ON p.store = s.name LIMIT 0",
    "SELECT count(*) >= 0, bool_or(partitions < running) IS TRUE FROM stategate.nodes",
)


@dataclass(slots=True)
class Own:
    """Draws statements of the gateway's own."""

    chance: random.Random

    def case(self) -> Case:
        """Draw a statement."""
        draw = self.chance.choice([self._versions, self._versions, self._join, self._system])
        return Case(root=Node("rows", draw()))

    def _versions(self) -> tuple[Part, ...]:
        alias = self.chance.choice(["", "p"])
        listed = self.chance.sample(_COLUMNS, self.chance.randint(1, 4))
        items = self.chance.choice([*["*", ", ".join(listed)] * 2, "count(*), max(price)"])
        return (f"SELECT {items} FROM ", self._relation(alias), self._where(alias))

    def _join(self) -> tuple[Part, ...]:
        other = self.chance.choice([*_JOINED, VERSIONS])
        kind = self.chance.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        right: Part = f"{other} o" if other != VERSIONS else self._relation("o")
        both = [self._relation("p"), right]
        if self.chance.random() < 0.5:
            both.reverse()
        on = f"p.name = o.{_JOINED.get(other, 'name')}"
        items = f"p.size, p.price, p.valid_to, o.{_JOINED.get(other, 'note')}"
        return (
            f"SELECT {items} FROM ",
            both[0],
            f" {kind} ",
            both[1],
            f" ON {on}",
            self._where("p"),
        )

    def _relation(self, alias: str) -> Node:
        text = self.chance.choice(_TIMES)
        time: Part = Literal(text=text, sql=f"'{text}'", type="timestamptz")
        time = self.chance.choice([time, time, "now()", "date '1970-01-02'", "current_timestamp"])
        word = self.chance.choice(["", "AS "])
        head = f"{VERSIONS} FOR SYSTEM_TIME AS OF "
        return Node(_AS_OF, (head, time, f" {word}{alias}" if alias else ""))

    def _where(self, alias: str) -> str:
        prefix = f"{alias}." if alias else ""
        return self.chance.choice(
            [
                *[
                    "",
                    f" WHERE {prefix}name = 'apple'",
                    f" WHERE {prefix}name = 'apple' AND size = 1",
                ],
                *[f" WHERE {prefix}price IS NULL", f" WHERE {prefix}valid_from >= '1970-01-01'"],
                f" WHERE {prefix}valid_to IS NULL OR {prefix}size > 1",
            ]
        )

    def _system(self) -> tuple[Part, ...]:
        if self.chance.random() < 0.5:
            return (self.chance.choice(_RELATIONS),)
        store = self.chance.choice(STORES)
        names = [quoted(name) for name, _ in relation_columns(store)]
        picked = self.chance.sample([*names, "_partition", "_timestamp", "_epoch"], 3)
        test = self.chance.choice(["= 1", "< 2", "IN (0, 2)", ">= 0", "IS NULL"])
        column = self.chance.choice(["_partition", "_epoch"])
        return (f"SELECT {', '.join(picked)} FROM {store.name} WHERE {column} {test}",)


def spelled_out(part: Node) -> Node:
    """Return a statement with conditions in place of FOR SYSTEM_TIME; the same without any."""

    def other(each: Part) -> Part:
        return spelled_out(each) if isinstance(each, Node) else each

    if part.sort != _AS_OF:
        parts = tuple(map(other, part.parts))
        return part if parts == part.parts else Node(part.sort, parts, part.simplest)
    _, time, alias = part.parts
    head = f"(SELECT * FROM {VERSIONS} WHERE valid_from <= "
    tail = f" OR valid_to IS NULL)){alias or f' {VERSIONS}'}"
    return Node(part.sort, (head, time, " AND (valid_to > ", time, tail))
