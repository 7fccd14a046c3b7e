"""The past of stores, without a log: what a test says it was, when the test says so."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from stategate.planner.sql import SqlEngine
from stategate.stores.errors import LogError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.past import PastEpoch
from stategate.stores.spec.store import Stop, Store
from tests.support.waiting import until


@dataclass(frozen=True, slots=True)
class Opened:
    """Stores as of some epochs."""

    stores: Mapping[str, Store]
    problem: str | None = None


class GivenPast:
    """A `PastStores` that gives out what it was given."""

    def __init__(self) -> None:
        self.stores: dict[int, LocalStore] = {}
        """The store of a test by epoch; an epoch that is not there is no longer held."""
        self.is_asked, self.may_answer = threading.Event(), threading.Event()
        self.may_answer.set()

    @contextmanager
    def open(self, epochs: Sequence[PastEpoch], *, stop: Stop) -> Iterator[Opened]:
        """Return the store once it may answer."""
        self.is_asked.set()
        ended = threading.Event()
        forget = stop.on_cancel(ended.set)
        try:
            until(lambda: self.may_answer.is_set() or ended.is_set())
        finally:
            forget()
        stop.check()
        (asked,) = epochs
        if asked.epoch not in self.stores:
            raise LogError(f"epoch {asked.epoch} is gone")
        yield Opened({asked.schema.name: self.stores[asked.epoch]})


def until_forgotten(engine: SqlEngine, stores: Iterable[LocalStore]) -> None:
    """Wait until an engine keeps no live query, and no reader keeps an epoch of the stores.

    Until then an epoch that replicas do not keep by themselves may still be read from them.
    """
    until(lambda: engine.live_counts().queries == 0)
    statuses = [status for store in stores for status in store.statuses().values()]
    until(lambda: not any(status.held_epochs for status in statuses))
