"""The reads of one statement in the caller's thread: answers of partitions, and their epochs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from stategate.planner.planning.partition_queries import Target
from stategate.planner.planning.scatter import KeyReads
from stategate.planner.running.node_answers import ReadStore, UnansweredError, need
from stategate.planner.values.statement import Reads
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.query import FirstRowsQuery, Query
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row

SLICE_S = 0.005
"""Reads that take longer, as from a cold disk or for want of a core, go on in a thread."""
THREAD_SLICE_S = 0.05
"""Few rows are read one by one for this long in a thread. A batch of them in DuckDB takes half as
long, so it is worth that only if the reads are slow because there is much to read."""
R = TypeVar("R")
FirstRows: TypeAlias = Callable[[int, int], list[list[Row]] | None]
"""Takes how many first rows of each read to return, and how many rows may be read in all. Returns
None if the reads have more rows, or take too long."""


class LateError(Exception):
    """Reads of few rows take too long. It says nothing of how many rows there are."""


def slice_end() -> float:
    """Return when reads that begin now go on in a thread, as `time.perf_counter()` gives it."""
    return time.perf_counter() + SLICE_S


def thread_slice_end() -> float:
    """Return when reads that begin now in a thread go on in batches; see `slice_end`."""
    return time.perf_counter() + THREAD_SLICE_S


def first_rows_of(
    reads: Sequence[R], ask: Callable[[R, int, float], list[Row] | None], until_s: float
) -> FirstRows:
    """Return the function that returns the first rows of each read, if they are few.

    It raises `LateError`.

    Args:
        reads: the reads of one statement.
        ask: takes a read, how many first rows to return, and the time at which to stop; returns
        None if there is more to read then.
        until_s: the time of `time.perf_counter()` at which to stop.
    """

    def first_rows(count: int, rows_max: int) -> list[list[Row]] | None:
        found: list[list[Row]] = []
        left = rows_max
        for each in reads:
            if found and time.perf_counter() > until_s:
                raise LateError
            rows = ask(each, min(count, left + 1), until_s)
            if rows is None:
                if time.perf_counter() > until_s:
                    raise LateError
                return None
            left -= len(rows)
            if left < 0:
                return None
            found.append(rows)
        return found

    return first_rows


class FewReads:
    """Asks partitions for one statement; keeps their epochs, positions and numbers of rows."""

    __slots__ = ("_counts", "_epochs", "_nodes", "position", "rows_read")

    def __init__(self) -> None:
        self.position: Position = EMPTY
        self.rows_read = 0
        """How many rows all answers had."""
        self._epochs: dict[tuple[str, int], int] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._nodes: dict[tuple[str, int], str] = {}
        """The partitions that other nodes have answered."""

    @property
    def reads(self) -> Reads:
        """Each store and partition that answered, its epoch, and how many of its rows were read."""
        counts = self._counts
        return tuple([(*place, epoch, counts[place]) for place, epoch in self._epochs.items()])

    @property
    def nodes(self) -> tuple[str | None, ...]:
        """The node of each read, None for this one; empty if all are of this one."""
        nodes = self._nodes
        return tuple(map(nodes.get, self._epochs)) if nodes else ()

    def ask(self, store: ReadStore, targets: Sequence[tuple[int, Query[R]]]) -> list[R] | None:
        """Return the value of each answer.

        None if a partition has failed, or has answered at two epochs.

        Raises:
            LateError: it takes too long for the event loop.
        """
        values: list[R] = []
        name, epochs = store.schema.name, self._epochs
        until_s = slice_end()
        for at, (partition, query) in enumerate(targets):
            if values and time.perf_counter() > until_s:
                raise LateError
            try:
                answer = store.query_partition(partition, query)
            except UnansweredError:
                need(store, targets[at + 1 :])
                raise
            if type(answer) is not Success:
                return None
            if epochs.setdefault((name, partition), answer.epoch) != answer.epoch:
                return None
            if answer.node is not None:
                self._nodes[name, partition] = answer.node
            if answer.position is not self.position:
                self.position = self.position.merge(answer.position)
            values.append(answer.value)
        return values

    def first_rows(self, store: ReadStore, targets: Sequence[Target]) -> FirstRows:
        """Return the function that returns the first rows of each query; see `first_rows_of`."""
        name, epochs, query_partition = store.schema.name, self._epochs, store.query_partition

        def ask(target: Target, count: int, until_s: float) -> list[Row] | None:
            partition, query = target
            try:
                answer = query_partition(partition, FirstRowsQuery(query, count, until_s))
            except UnansweredError:
                need(store, [(n, FirstRowsQuery(q, count, until_s)) for n, q in targets])
                raise
            if type(answer) is not Success:
                return None
            if epochs.setdefault((name, partition), answer.epoch) != answer.epoch:
                return None
            if answer.node is not None:
                self._nodes[name, partition] = answer.node
            if answer.position is not self.position:
                self.position = self.position.merge(answer.position)
            return answer.value

        return first_rows_of(targets, ask, slice_end())

    def count(
        self, store: ReadStore, targets: Sequence[tuple[int, object]], rows: Sequence[int]
    ) -> None:
        """Record how many rows each answer had."""
        name, counts = store.schema.name, self._counts
        for (partition, _), more in zip(targets, rows, strict=True):
            place = name, partition
            counts[place] = counts.get(place, 0) + more
            self.rows_read += more

    def rows_by_key(self, store: ReadStore, keys: KeyReads) -> list[Row] | None:
        """Return the rows of keys, each at most once; see `ask`."""
        values = self.ask(store, keys.targets)
        if values is None:
            return None
        self.count(store, keys.targets, list(map(len, values)))
        return list(map(keys.row_of, itertools.chain.from_iterable(values)))
