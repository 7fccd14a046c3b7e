"""Stores as of earlier epochs that stay open for the statements that follow.

After a restart of a gateway all clients come back with tokens of the same few epochs, and often
each with a statement of its own. Then a partition is built once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.past import PastEpoch, PastOpened, PastStores
from stategate.stores.spec.store import Store
from stategate.stores.spec.traces import Trace

OPEN_MAX = 4
"""Stores that are open at once, unless one statement reads more of them; the one that was used
longest ago goes first."""


class _Entry(NamedTuple):
    opened: PastOpened
    closing: ExitStack


class OpenedPast:
    """The stores that are open. Used by one thread.

    Args:
        past: opens them.
    """

    def __init__(self, past: PastStores) -> None:
        self._past = past
        self._entries: dict[PastEpoch, _Entry] = {}
        """Those used last are at the end."""
        self._stop = _CurrentWork()

    def stores(self, epochs: Sequence[PastEpoch], work: Cancellation) -> Mapping[str, Store]:
        """Return stores as of some epochs, until the next call.

        Args:
            epochs: the epoch of each store.
            work: ends what is done with them until the next call.

        Raises:
            LogError: an epoch is not, or no longer, there.
            QueryCancelledError: the work was ended.
        """
        self._stop.work = work
        for each in epochs:
            entry = self._entries.pop(each, None)
            self._entries[each] = self._open(each) if entry is None else entry
        for each in list(self._entries)[: -max(OPEN_MAX, len(epochs))]:
            self._entries.pop(each).closing.close()
        found: dict[str, Store] = {}
        for each in epochs:
            found.update(self._entries[each].opened.stores)
        return found

    def problem(self, epochs: Sequence[PastEpoch]) -> str | None:
        """Return why a partition of these stores has failed; None if none has."""
        found = (self._entries[each].opened.problem for each in epochs)
        return next(filter(None, found), None)

    def close(self) -> None:
        """Close all of them."""
        while self._entries:
            _, entry = self._entries.popitem()
            entry.closing.close()

    def _open(self, epoch: PastEpoch) -> _Entry:
        with ExitStack() as opening:
            opened = opening.enter_context(self._past.open([epoch], stop=self._stop))
            return _Entry(opened, opening.pop_all())


class _CurrentWork:
    """A `Stop` that is the one of the work that is done now."""

    work = Cancellation()
    trace: Trace | None = None

    @property
    def remaining_s(self) -> float | None:
        """Seconds until the work ends."""
        return self.work.remaining_s

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when the work ends."""
        return self.work.on_cancel(callback)

    def check(self) -> None:
        """Raise if the work has ended."""
        self.work.check()
