"""The reads of one statement in the caller's thread: what partitions answer, and at which epoch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeVar

from planner.planning.row_path import SLICE_S
from planner.planning.scatter import KeyReads
from stores.spec.position import EMPTY, Position
from stores.spec.query import Query
from stores.spec.result import Success
from stores.spec.schema import Row
from stores.spec.store import Store

R = TypeVar("R")


class FewReads:
    """Asks partitions for one statement; keeps their epochs, positions and numbers of rows."""

    __slots__ = ("_counts", "_epochs", "position")

    def __init__(self) -> None:
        self.position: Position = EMPTY
        self._epochs: dict[tuple[str, int], int] = {}
        self._counts: dict[tuple[str, int], int] = {}

    @property
    def reads(self) -> tuple[tuple[str, int, int, int], ...]:
        """Each store and partition that answered, its epoch, and how many of its rows were read."""
        counts = self._counts
        return tuple([(*place, epoch, counts[place]) for place, epoch in self._epochs.items()])

    def ask(self, store: Store, targets: Sequence[tuple[int, Query[R]]]) -> list[R] | None:
        """Return the value of each answer.

        None if a partition has failed, or has answered at two epochs, or if it takes too long.
        """
        name, epochs, values = store.schema.name, self._epochs, list[R]()
        until_s = time.perf_counter() + SLICE_S
        for partition, query in targets:
            if values and time.perf_counter() > until_s:
                return None
            answer = store.query_partition(partition, query)
            if type(answer) is not Success:
                return None
            epoch = answer.epoch
            if epochs.setdefault((name, partition), epoch) != epoch:
                return None
            if answer.position is not self.position:
                self.position = self.position.merge(answer.position)
            values.append(answer.value)
        return values

    def count(
        self, store: Store, targets: Sequence[tuple[int, object]], rows: Sequence[int]
    ) -> None:
        """Note how many rows each answer had."""
        name, counts = store.schema.name, self._counts
        for (partition, _), more in zip(targets, rows, strict=True):
            place = name, partition
            counts[place] = counts.get(place, 0) + more

    def rows_by_key(self, store: Store, keys: KeyReads) -> list[Row] | None:
        """Return the rows of keys, each at most once; None as for `ask`."""
        values = self.ask(store, keys.targets)
        if values is None:
            return None
        self.count(store, keys.targets, [value is not None for value in values])
        row_of = keys.row_of
        return [
            row_of(query.key + value)
            for (_, query), value in zip(keys.targets, values, strict=True)
            if value is not None
        ]
