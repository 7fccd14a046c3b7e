"""A subscriber that keeps a copy of the rows, as a client would."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from stategate.planner.engine import Engine, LiveEvent, Moment, Subscription
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.codec.partitioner import partition_column
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.planner.sides import comparable
from tests.support.stores import batch, progress
from tests.support.waiting import WAIT_S


class Watcher:
    """Subscribes, and applies the events to its copy of the rows.

    Args:
        engine: has the live queries.
        sql: the statement.
        parameters: its parameters.
        token: goes on after this one.
        rows: the rows that it has at that token.
        settings: those of its session.
        may_start_over: whether it begins with first rows if it cannot go on.
    """

    def __init__(
        self,
        engine: Engine,
        sql: str,
        parameters: Row = (),
        *,
        token: str | None = None,
        rows: Sequence[Row] = (),
        settings: Mapping[str, str] | None = None,
        may_start_over: bool = True,
    ) -> None:
        self._ready = threading.Event()
        self.sql = sql
        session = Session(settings=settings)
        self.subscription: Subscription = engine.subscribe(
            engine.prepare(sql, session),
            parameters,
            session,
            token=token,
            on_ready=self._ready.set,
            cancellation=Cancellation(WAIT_S),
            may_start_over=may_start_over,
        )
        self.events: list[LiveEvent] = []
        self.moment: Moment | None = None
        self._counts = Counter(map(comparable_row, rows))
        while not self.subscription.has_begun:
            assert self._ready.wait(WAIT_S), "it did not begin"
            self._ready.clear()
            self.subscription.begin()
        first = self.subscription.first
        if first is not None:
            assert not rows or self.subscription.start_over, "it was given rows that it has"
            self._counts = Counter(map(comparable_row, first.rows))
            self.moment = first.moment

    @property
    def rows(self) -> list[Row]:
        """The rows of its copy."""
        return list(self._counts.elements())

    def counts(self) -> Counter[Row]:
        """Return how often each row occurs in its copy."""
        return Counter(self._counts)

    def take(self) -> LiveEvent | None:
        """Apply the next event, if there is one."""
        event = self.subscription.take()
        if event is None:
            return None
        for change in event.changes:
            assert change.old is not None or change.new is not None
            if change.old is not None:
                old = comparable_row(change.old)
                assert self._counts[old] > 0, "a row is deleted that it does not have"
                self._counts[old] -= 1
            if change.new is not None:
                self._counts[comparable_row(change.new)] += 1
        self._counts = +self._counts
        self.moment = event.moment
        self.events.append(event)
        return event

    def next(self) -> LiveEvent:
        """Wait for the next event, and apply it."""
        while True:
            self._ready.clear()
            if (event := self.take()) is not None:
                return event
            assert self._ready.wait(WAIT_S), "no event came"

    def until(self, **epochs: int) -> None:
        """Apply events until these stores are at these epochs."""
        while self.moment is None or any(
            self.moment.epochs.get(name, epoch) < epoch for name, epoch in epochs.items()
        ):
            self.next()

    def close(self) -> None:
        """End the subscription."""
        self.subscription.close()


def comparable_row(row: Row) -> Row:
    """Return a row that can be counted: NaN equals itself, and arrays can be hashed."""
    return tuple(_hashable(value) for value in comparable(row))


def _hashable(value: object) -> object:
    if isinstance(value, list | tuple):
        return tuple(_hashable(each) for each in value)
    if isinstance(value, dict):
        return tuple((name, _hashable(each)) for name, each in value.items())
    return value


def apply_to(store: LocalStore, rows: Sequence[Row], epoch: int, gone: Sequence[Row] = ()) -> None:
    """Apply an epoch with changed rows, and whole rows whose keys are deleted."""
    schema = store.schema
    listed = [*gone, *rows]
    whole = batch(schema, listed, deleted=[True] * len(gone) + [False] * len(rows))
    numbers = partition_column(whole, schema.key, schema.partitions)
    for partition, replica in store.replicas.items():
        mine = whole.filter(pa.array(numbers == partition))
        replica.apply(progress(epoch), [mine])
