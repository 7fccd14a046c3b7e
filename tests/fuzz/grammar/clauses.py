"""Our WITH clause, and the settings that stand for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.fuzz.grammar.vocabulary import ZONES
from tests.fuzz.tree import Literal, Node, Part, spelled

_TOKENS = ('{"events": {"0": 0}}', '{"events": {"0": 1}}', '{"events": {"0": 9999}}', "{}", "x")
_WAITS = ("5 ms", "0", "1 ms", "2 hours", "-1 s", "x", "1 month")


def _constant(text: str, sort: str) -> Literal:
    """Return text in quotes, or a parameter."""
    sql = text if sort == "bigint" else f"'{text}'"
    return Literal(text=text, sql=sql, type=sort)


@dataclass(slots=True)
class Clauses:
    """Draws clauses, settings and transactions."""

    chance: random.Random

    def clause(self) -> Node:
        """Draw a clause: mostly a correct one."""
        options: Mapping[str, Callable[[], Sequence[Part]]] = {
            "BOUND": self._bound,
            "WAIT": self._wait,
            "PARTITIONS": self._partitions,
            "ACTIVE": lambda: ["ACTIVE"],
            "PARTIAL": lambda: ["PARTIAL"],
            "INFO": lambda: ["INFO"],
        }
        picked = self.chance.sample(sorted(options), self.chance.choice([1, 1, 1, 2, 3]))
        if self.chance.random() < 0.03:
            picked.append(picked[0])
        parts: list[Part] = []
        for name in picked:
            parts += [", " if parts else " WITH ", *options[name]()]
        if self.chance.random() < 0.1:
            whole = spelled(Node("clause", tuple(parts)))
            at = self.chance.randrange(1, len(whole))
            damage = self.chance.choice(["", ")", " x ", ",", "$", "$1", "(", "'1 ms'", "7"])
            parts = [whole[:at] + damage + self.chance.choice([whole[at:], whole[at + 3 :]])]
        return Node("clause", tuple(parts))

    def _bound(self) -> Sequence[Part]:
        bounds: Sequence[Part] = (
            *("LATEST", "LATEST", "SNAPSHOT", "SNAPSHOT", "UNBOUNDED", "MAX LAG '1 day'"),
            *("MAX LAG '0'", "events[0] >= 0", "events[0] >= 1", "events[0] >= 99999"),
            *("events[7] >= 0", "nothing[0] >= 1", '"events"[0] >= 1', "events[-1] >= 0"),
            *("MAX LAG INTERVAL '1 hour'", "events[0] > 0", "'events'[0] >= 0"),
            *(_constant(token, "text") for token in _TOKENS),
            Node("bound", ("events[0] >= ", _constant("0", "bigint"))),
            Node("bound", ("MAX LAG ", _constant("1 day", "interval"))),
        )
        picked = self.chance.sample(bounds, self.chance.choice([1, 1, 1, 2]))
        parts: list[Part] = []
        for each in picked:
            parts += [", " if parts else "BOUND (", each]
        return [*parts, ")"]

    def _wait(self) -> Sequence[Part]:
        text = self.chance.choice(_WAITS[:3] * 4 + _WAITS)
        return ["WAIT ", self.chance.choice(["", "", "INTERVAL "]), _constant(text, "interval")]

    def _partitions(self) -> Sequence[Part]:
        listed = self.chance.choice([("0",), ("0", "1"), ("2", "2"), ("9",)])
        parts: list[Part] = []
        for each in listed:
            number = Literal(text=each, sql=each, type="integer")
            parts += [
                ", " if parts else "PARTITIONS (",
                each if self.chance.random() < 0.5 else number,
            ]
        return [*parts, ")"]

    def settings(self) -> Mapping[str, str]:
        """Draw settings of a session."""
        choices = {
            "stategate.consistency": ["eventual", "monotonic", "latest", "snapshot", "snapshot"],
            "stategate.bound": _TOKENS[:3],
            "stategate.unknown_topics": ["error", "ignore"],
            "stategate.wait": ["0", "5 ms", "5"],
            "stategate.active": ["on", "off"],
            "stategate.partial": ["on", "off"],
            "stategate.info": ["on"],
            "stategate.engine": ["auto", "local"],
            "timezone": ZONES,
            "datestyle": ["ISO, DMY", "ISO, YMD"],
        }
        names = self.chance.sample(sorted(choices), self.chance.choice([1, 1, 2]))
        return {name: self.chance.choice(choices[name]) for name in names}

    def begin(self) -> str:
        """Draw the beginning of a transaction."""
        level = self.chance.choice(["REPEATABLE READ", "SERIALIZABLE", "READ COMMITTED"])
        return f"BEGIN ISOLATION LEVEL {level}"
