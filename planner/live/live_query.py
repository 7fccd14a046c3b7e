"""One live query: its result as of a moment, its latest events, and its subscribers."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Protocol

from stategate.planner.errors import InternalError, QueryError, SnapshotTooOldError
from stategate.planner.live.cuts import (
    Epochs,
    EpochWatch,
    Stores,
    mark_of,
    take_again,
    take_newest,
    take_next,
)
from stategate.planner.live.event_list import EventList
from stategate.planner.live.kept_results import KeptResult, reading_new_epochs
from stategate.planner.live.results import ResultReader, Standing
from stategate.planner.live.tokens import Mark, Seen, token_of
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.values.cancel import ALARMS
from stategate.planner.values.live import FirstRows, LiveEvent, Moment, RowChange
from stategate.stores.spec.schema import Column, Row

logger = logging.getLogger(__name__)

_STEPS_MAX = 16
"""Epochs that are read in one turn, before other queries get theirs."""
_FIRST_MAX = 8
"""First rows of different moments that subscribers may read at once; earlier ones are too late."""
_RETRY_S = 0.25
"""Time before another try, after a partition did not answer."""
_FAILING_S = 60.0
"""How long a query that cannot be read is tried again before it ends."""


class Keeper(Protocol):
    """What keeps all live queries; called from any thread, and never blocks."""

    def schedule(self, query: LiveQuery) -> None:
        """Call `advance` soon, in another thread."""

    def changed(self, query: LiveQuery) -> None:
        """Note that a query takes more memory, or has ended."""


class Reading(Protocol):
    """A subscriber, as its query sees it."""

    def wake(self) -> None:
        """Note that there are events, or that the query has ended; it must not block."""


class LiveQuery:
    """A statement that is kept up to date. Safe to use from many threads.

    Args:
        reader: reads its results.
        kept: keeps what it needs of the last one.
        digest: the statement's part of tokens.
        keeper: what keeps it.
    """

    def __init__(
        self, reader: ResultReader, kept: KeptResult, *, digest: str, keeper: Keeper
    ) -> None:
        self.digest = digest
        self.columns: tuple[Column, ...] = reader.columns
        self.stores = reader.store_names
        self.kept = kept
        self._reader, self._keeper = reader, keeper
        self._stepping = threading.Lock()
        """Held while results are read and compared: one step at a time."""
        self._lock = threading.Lock()
        """Held for microseconds; guards everything below."""
        self.error: QueryError | None = None
        """Why it has ended; None while it goes on."""
        self.readers: set[Reading] = set()
        """The subscribers; the keeper adds and removes them."""
        self.idle_since_s = 0.0
        """When the last subscriber left."""
        self._standing: Standing | None = None
        self._mark: Mark | None = None
        self._pipelines: Mapping[str, str] = {}
        """The pipeline of each store at that mark."""
        self._moment: Moment | None = None
        self._events: EventList | None = None
        """None before the first result."""
        self._firsts: list[weakref.ref[FirstRows]] = []
        self._watch: EpochWatch | None = None
        self._failing_since_s: float | None = None
        self._was_woken = False
        """Whether it was woken since its last turn."""
        self._pauses_until_s = 0.0
        """It was woken in vain, as when no node can hold the epoch, and would be again at once."""

    # --- called by the keeper --------------------------------------------------------------------

    def begin(self, at: Mark | None) -> None:
        """Read the first result: at these epochs if they are given and still there.

        Raises:
            QueryError: the statement fails, or no epoch is shared by all partitions.
        """
        with self._stepping:
            if self._moment is not None:
                return
            stores = self._reader.stores()
            snapshot = None if at is None else take_again(stores, at)
            if snapshot is None:
                snapshot = take_newest(stores)
            mark, standing = mark_of(snapshot, stores), self._stand(snapshot, stores)
            self.kept.begin(snapshot, stores)
            with self._lock:
                self._standing, self._mark = standing, mark
                self._pipelines = dict(snapshot.pipelines)
                self._moment = self._moment_of(standing, mark)
                self._events = EventList(self._moment)
        self._close_if_ended()
        self._keeper.changed(self)

    def advance(self) -> None:
        """Make the events of the epochs that have come, and watch for the next one."""
        try:
            with self._stepping:
                if self._moment is None:
                    return  # another thread is about to begin it
                was_woken, self._was_woken = self._was_woken, False
                steps, has_more = 0, True
                while has_more and self.error is None and steps < _STEPS_MAX:
                    found = self._step()
                    steps += found is not None
                    has_more = found is True
                self._failing_since_s = None
                self._settle()
                if has_more and self.error is None:
                    self._keeper.schedule(self)
                else:
                    if was_woken and not steps:
                        self._pauses_until_s = time.monotonic() + _RETRY_S
                    self._watch_on()
        except QueryError as error:
            self._failed(error)
        except Exception:  # the outermost call of its thread: the query ends, others go on
            logger.exception("a live query failed")
            self.end(InternalError("the live query failed"))
        self._close_if_ended()

    def end(self, error: QueryError) -> None:
        """End it with an error, which all its subscribers get."""
        with self._lock:
            if self.error is not None:
                return
            self.error = error
            readers = list(self.readers)
            watch, self._watch = self._watch, None
            if self._events is not None:
                self._events.clear()
        if watch is not None:
            watch.cancel()
        for each in readers:
            each.wake()
        self._close_if_ended()
        self._keeper.changed(self)

    @property
    def held_bytes(self) -> int:
        """About how much memory its result and its events take."""
        return self.kept.held_bytes + (0 if self._events is None else self._events.held_bytes)

    def trim(self) -> bool:
        """Drop some of the events; return whether there were any to drop."""
        with self._lock:
            return self._events is not None and self._events.trim()

    def settle(self) -> None:
        """Have epochs kept elsewhere if a node waits to be rid of them; another thread does it."""
        if self.error is None and self.kept.is_misplaced:
            self._keeper.schedule(self)

    # --- called by subscriptions -----------------------------------------------------------------

    def first_rows(self) -> tuple[FirstRows, int]:
        """Return the present rows, and the number of the first event after them.

        Raises:
            QueryError: it has ended.
        """
        with self._stepping:
            self._check()
            found = self._first(self.kept.rows())
        self._close_if_ended()
        return found

    def _first(self, rows: Sequence[Row]) -> tuple[FirstRows, int]:
        with self._lock:
            self._check()
            moment, events = self._moment, self._events
            assert moment is not None, "it has begun"
            assert events is not None, "they come with the moment"
            alive = [each for ref in self._firsts if (each := ref()) is not None]
            first = alive[-1] if alive and alive[-1].moment is moment else None
            if first is None:
                first = FirstRows(rows=rows, moment=moment)
                alive.append(first)
            for late in alive[:-_FIRST_MAX]:
                late.is_late = True
            self._firsts = [weakref.ref(each) for each in alive[-_FIRST_MAX:]]
            return first, events.next_number

    def number_after(self, seen: Seen) -> int | None:
        """Return the number of the first event after what was seen; None if it is gone.

        Raises:
            QueryError: it has ended.
        """
        with self._lock:
            self._check()
            return None if self._events is None else self._events.number_after(seen.token)

    @property
    def moment(self) -> Moment:
        """The moment of its rows."""
        moment = self._moment
        assert moment is not None, "it has begun"
        return moment

    def catch_up(self, seen: Seen) -> LiveEvent | None:
        """Return the event that leads from what was seen to a later moment, if it is kept.

        Raises:
            QueryError: it has ended.
        """
        with self._lock:
            self._check()
            return None if self._events is None else self._events.catch_up(seen.token)

    def add_catch_up(self, seen: Seen, changes: tuple[RowChange, ...], moment: Moment) -> bool:
        """Add the event that leads from what was seen to a moment; False if that is gone by now.

        Raises:
            QueryError: it has ended.
        """
        with self._lock:
            self._check()
            events = self._events
            done = events is not None and events.add_catch_up(seen.token, changes, moment)
        self._keeper.changed(self)
        return done

    def event(self, number: int) -> LiveEvent | None:
        """Return an event; None if it is yet to come.

        Raises:
            LimitExceededError: it is gone (53400).
            QueryError: the query has ended.
        """
        with self._lock:
            self._check()
            return None if self._events is None else self._events.event(number)

    def reached(self, least: Epochs) -> bool:
        """Whether its rows are at least as new as these epochs."""
        moment = self._moment
        return moment is not None and all(
            moment.epochs.get(name, epoch) >= epoch for name, epoch in least.items()
        )

    @property
    def has_begun(self) -> bool:
        """Whether it has a first result."""
        return self._moment is not None

    # --- steps -----------------------------------------------------------------------------------

    def _step(self) -> bool | None:
        """Make the event of the next epoch; return whether there may be more, None without one.

        It asks once where the stores stand, since with several nodes that is a request to each.
        """
        mark, stores = self._mark, self._reader.stores()
        assert mark is not None, "it has begun"
        taken = take_next(stores, mark)
        if taken is None:
            return None
        standing = self._stand(taken.snapshot, stores)
        is_same = self._standing is not None and standing.epochs == self._standing.epochs
        if is_same and not taken.is_newest:
            # Numbers of epochs may have gaps, in which there is nothing to read.
            taken.snapshot.release()
            taken = take_next(stores, mark, to_newest=True)
            if taken is None:
                return None
            standing = self._stand(taken.snapshot, stores)
        snapshot = taken.snapshot
        mark, pipelines = mark_of(snapshot, stores), dict(snapshot.pipelines)
        changes = self.kept.advance(snapshot, stores)
        self._standing, self._mark, self._pipelines = standing, mark, pipelines
        self._add(changes, self._moment_of(standing, mark))
        return not taken.is_newest

    def _stand(self, snapshot: Snapshot, stores: Stores) -> Standing:
        try:
            with reading_new_epochs():
                return self._reader.standing(snapshot, stores)
        except BaseException:
            snapshot.release()
            raise

    def _add(self, changes: tuple[RowChange, ...], moment: Moment) -> None:
        with self._lock:
            if self.error is not None:
                return
            assert self._events is not None, "it has begun"
            self._moment = moment
            self._events.add(changes, moment)
            readers = list(self.readers)
        for each in readers:
            each.wake()
        self._keeper.changed(self)

    def _moment_of(self, standing: Standing, mark: Mark) -> Moment:
        return Moment(
            token=token_of(self.digest, mark, self.kept.digest),
            epoch=max(mark.epochs.values()),
            epochs=dict(mark.epochs),
            position=standing.position,
        )

    def _settle(self) -> None:
        """Let nodes keep the epochs that are to; it is tried again, as long as none of them can."""
        mark = self._mark
        if mark is not None and self.kept.is_misplaced:
            snapshot = take_again(self._reader.stores(), mark)
            if snapshot is not None:
                self.kept.hold_anew(snapshot)

    def _watch_on(self) -> None:
        moment = self._moment
        if self.error is not None or moment is None:
            return
        stores = self._reader.stores()
        if self._watch is not None:
            if self._watch.is_waiting_for(stores, moment.epochs):
                return
            self._watch.cancel()
        watch = EpochWatch(stores, moment.epochs, self._pipelines, self._woken)
        with self._lock:
            has_ended = self._has_ended
            self._watch = None if has_ended else watch
        if has_ended:
            watch.cancel()

    def _woken(self, has_epoch: bool) -> None:
        self._was_woken = True
        if has_epoch and time.monotonic() >= self._pauses_until_s:
            self._keeper.schedule(self)
        else:  # a replica was closed, and may be opened again
            ALARMS.after(_RETRY_S, self._retry)

    def _retry(self) -> None:
        self._keeper.schedule(self)

    def _failed(self, error: QueryError) -> None:
        now_s = time.monotonic()
        if self._failing_since_s is None:
            self._failing_since_s = now_s
        is_lasting = now_s - self._failing_since_s > _FAILING_S
        if is_lasting or not error.retryable or isinstance(error, SnapshotTooOldError):
            self.end(error)
        else:
            ALARMS.after(_RETRY_S, self._retry)

    def _close_if_ended(self) -> None:
        """Release the result of a query that has ended, unless another thread works on it.

        That thread does so afterwards.
        """
        if self.error is not None and self._stepping.acquire(blocking=False):
            try:
                self.kept.close()
            finally:
                self._stepping.release()

    @property
    def _has_ended(self) -> bool:
        """Whether another thread has ended it by now."""
        return self.error is not None

    def _check(self) -> None:
        if self.error is not None:
            raise copy(self.error)  # each subscriber adds a traceback of its own
