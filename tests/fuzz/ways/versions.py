"""A store of versions, and its rows by a model in plain Python.

PostgreSQL has no such relation, so only the part `engine` has it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from stategate.stores.spec.schema import Row, StoreKind
from tests.support.stores import timed

PRICES = timed(
    StoreKind.VERSIONED,
    "prices",
    {"name": "text", "size": "integer"},
    {"price": "decimal(12,3)", "note": "text"},
)
SECOND_US = 1_000_000
TIMES_US = range(-2 * SECOND_US, 20 * SECOND_US, SECOND_US)
"""The times at which versions begin or end."""
_KEYS: tuple[Row, ...] = (
    *(("apple", 1), ("apple", 2), ("apple", None), ("Pear", 1)),
    *((None, 1), ("", -1), ("ä", 7)),
)
_PRICES = (None, Decimal("1.500"), Decimal("-2.500"))


class Versions:
    """What was written for each key, and the versions that it makes."""

    def __init__(self) -> None:
        self._written: defaultdict[Row, dict[int, tuple[Row | None, int]]] = defaultdict(dict)
        """By key and time: the values, or None for a deletion; and the epoch."""

    def drawn(self, chance: random.Random, epoch: int) -> tuple[list[Row], list[int], list[Row]]:
        """Draw an epoch; return its rows and deletions, and the times of the deletions and rows."""
        rows: dict[Row, int] = {}
        gone: dict[Row, int] = {}
        for key in _KEYS:
            for at in chance.sample(TIMES_US, chance.choice([0, 0, 1, 3])):
                values: Row = (chance.choice(_PRICES), chance.choice([None, "new"]))
                is_gone = chance.random() < 0.2
                self._written[key][at] = (None if is_gone else values), epoch
                (gone if is_gone else rows)[(*key, *values, at)] = at
        times = [*gone.values(), *rows.values()]
        return [row[:-1] for row in rows], times, [row[:-1] for row in gone]

    def rows(self) -> list[Row]:
        """Return all versions: key, begin, end, values."""
        return [(*key, *times, *values) for key, times, values, _ in self._versions()]

    def facts(self) -> dict[Row, tuple[int | None, int]]:
        """Return the event time and the epoch of each version, by its key and times."""
        return {(*key, *times): (times[0], epoch) for key, times, _, epoch in self._versions()}

    def _versions(self) -> Iterator[tuple[Row, tuple[int, int | None], Row, int]]:
        for key, written in self._written.items():
            begins = sorted(written)
            for at, end in zip(begins, [*begins[1:], None], strict=True):
                values, epoch = written[at]
                if values is not None:
                    yield key, (at, end), values, epoch
