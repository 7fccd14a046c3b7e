"""Our WITH clause, and the settings that stand for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fuzz.grammar.vocabulary import ZONES

_TOKENS = ('{"events": {"0": 0}}', '{"events": {"0": 1}}', '{"events": {"0": 9999}}', "{}", "x")
_WAITS = ("'5 ms'", "'0'", "'1 ms'", "'2 hours'", "'-1 s'", "'x'", "'1 month'")


@dataclass(slots=True)
class Clauses:
    """Draws clauses, settings and transactions."""

    chance: random.Random

    def clause(self) -> str:
        """Draw a clause: mostly a correct one."""
        options: Mapping[str, Callable[[], str]] = {
            "BOUND": lambda: f"BOUND ({', '.join(self._bounds())})",
            "WAIT": lambda: f"WAIT {self.chance.choice(_WAITS[:3] * 4 + _WAITS)}",
            "PARTITIONS": lambda: f"PARTITIONS ({self.chance.choice(['0', '0, 1', '2, 2', '9'])})",
            "ACTIVE": lambda: "ACTIVE",
            "PARTIAL": lambda: "PARTIAL",
            "INFO": lambda: "INFO",
        }
        picked = self.chance.sample(sorted(options), self.chance.choice([1, 1, 1, 2, 3]))
        if self.chance.random() < 0.03:
            picked.append(picked[0])
        text = " WITH " + ", ".join(options[name]() for name in picked)
        if self.chance.random() < 0.04:
            at = self.chance.randrange(1, len(text))
            text = text[:at] + self.chance.choice(["", ")", " x ", ","])
        return text

    def _bounds(self) -> list[str]:
        bounds = (
            *("LATEST", "LATEST", "SNAPSHOT", "SNAPSHOT", "UNBOUNDED", "MAX LAG '1 day'"),
            *("MAX LAG '0'", "events[0] >= 0", "events[0] >= 1", "events[0] >= 99999"),
            *("events[7] >= 0", "nothing[0] >= 1", '"events"[0] >= 1', "events[-1] >= 0"),
            *(f"'{token}'" for token in _TOKENS),
        )
        return self.chance.sample(bounds, self.chance.choice([1, 1, 1, 2]))

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
