"""Statements that DuckDB has bound, with their connections, kept for the next run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

from msgspec import Struct, field

from stategate.planner.composing.local_relation import LocalRelation, no_rows
from stategate.planner.composing.row_values import RowValues

KEPT_MAX = 128
"""Bound statements that a database caches, at about 20 kB each. Runs of one statement at the same
time need one each."""


class Connected(Struct):
    """A connection with the relations of a statement."""

    cursor: Any
    """A connection of DuckDB."""
    relations: Mapping[str, LocalRelation]

    def read(self, relations: Mapping[str, LocalRelation]) -> None:
        """Read these rows from now on."""
        for name, relation in relations.items():
            self.relations[name].read = relation.read

    def forget(self) -> None:
        """Let go of all rows."""
        for relation in self.relations.values():
            relation.read = no_rows


class Bound(Struct):
    """A statement that DuckDB has bound or prepared, which can run again over other rows."""

    whole: Connected
    """Where it runs over any number of rows."""
    found: Any = None
    """DuckDB's relation of it, if it has no parameters; None if it is not bound."""
    is_small: bool = False
    """Whether its last run was short and gave few rows."""
    rows: RowValues | None = None
    """How to write few rows of the relations into the statement; None to scan them."""
    small: Connected | None = None
    """Where it is prepared; None if it has never been."""
    prepared: set[str] = field(default_factory=set)
    """In which forms it is prepared."""
    refused: set[str] = field(default_factory=set)
    """In which forms DuckDB has refused to prepare it."""

    def forget(self) -> None:
        """Let go of all rows."""
        self.whole.forget()
        if self.small is not None:
            self.small.forget()

    def close(self) -> None:
        """Close its connections."""
        self.whole.cursor.close()
        if self.small is not None:
            self.small.cursor.close()


class KeptStatements:
    """Bound statements by their text and the schemas of their relations. Safe to use from threads.

    A run takes one out, and puts it back at its end.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, list[Bound]] = OrderedDict()
        """The statement that was used longest ago comes first."""
        self._count = 0
        self._lock = threading.Lock()

    def take(self, key: Hashable) -> Bound | None:
        """Take a statement out; None if it is missing."""
        with self._lock:
            same = self._kept.get(key)
            if same is None:
                return None
            self._count -= 1
            bound = same.pop()
            if not same:
                del self._kept[key]
            return bound

    def keep(self, key: Hashable, bound: Bound) -> None:
        """Put a statement back; close those that were used longest ago if there are too many."""
        bound.forget()
        surplus: list[Bound] = []
        with self._lock:
            self._kept.setdefault(key, []).append(bound)
            self._kept.move_to_end(key)
            self._count += 1
            while self._count > KEPT_MAX:
                oldest, same = next(iter(self._kept.items()))
                surplus.append(same.pop(0))
                self._count -= 1
                if not same:
                    del self._kept[oldest]
        for each in surplus:
            each.close()

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._kept.clear()
            self._count = 0
