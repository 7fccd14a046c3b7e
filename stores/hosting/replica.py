"""One partition of one store on this host: an engine with a role, a state, views and waiters."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

import pyarrow as pa

from stategate.stores.engines.rocksdb.metadata import NEVER, AnsweredEpoch
from stategate.stores.errors import StoreError
from stategate.stores.hosting.bound_waiters import Waiter, Waiters
from stategate.stores.hosting.changed_keys import KeyRecorder
from stategate.stores.hosting.held_epochs import EpochHold, HeldEpochs, standstill
from stategate.stores.log.inputs import Inputs
from stategate.stores.log.snapshots import Fetch, Restorable
from stategate.stores.spec.key_log import recorded_columns
from stategate.stores.spec.position import (
    Measure,
    PositionBound,
    Progress,
    Unmet,
    measured,
    unmet_part,
)
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import (
    OnBound,
    PartitionStatus,
    ReplicaState,
    Role,
    StorePartition,
    View,
    Waiting,
)

_logger = logging.getLogger(__name__)

VIEWS_MAX = 4
"""Number of epochs at which a replica can be asked.

The follower takes the replicas of a host to the next epoch one after the other, so they may be one
epoch apart. The other epochs are for running statements.
"""
CLOSE_S = 10.0
"""How long closing waits for an epoch that is being applied."""
RESTORED = "restored"
"""The measure that a restoring replica has to reach first, whatever the bound."""


@runtime_checkable
class Restable(Protocol):
    """An engine whose database can be closed until it is needed."""

    def rest(self) -> bool:
        """Close the database until it is needed; False if it is in use now."""

    def rest_by(self, rest: Callable[[], bool]) -> None:
        """Call this instead of `rest` when others need the files of the database."""


def wall_clock_ms() -> int:
    """Return the current time, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Replica:
    """A replica of one partition. Queried from any thread, written by one.

    Readers take no lock: they read `state` and `_views`, which are replaced as a whole. What
    changes is guarded by locks that nest in this order:

    - `_writing`, for the engine: it applies one epoch, is restored, or closes. Held for long, so
      closing waits for it with a limit, and otherwise leaves the engine to the thread that holds
      it.
    - `standstill`, of the process, for a new epoch that is shown or an old one that is forgotten.
    - `_changing_state`, for `state` and the mark of what was answered. Held for microseconds, so
      that closing refuses queries at once, even while an epoch is being applied.

    The waiters and the held epochs have locks of their own, inside which nothing else is called.

    Args:
        engine: holds the rows.
        schema: the store.
        partition: its number.
        role: whether it answers requests for an active replica; may be set at any time.
        restore_to: the epoch that it must reach before it answers.
        pipeline: the writer of its epochs, if known.
        clock: wall clock, for bounds on lag.
        holds: the epochs that readers hold; by default with the limits of
            `stategate.stores.hosting.held_epochs`.
    """

    def __init__(
        self,
        engine: StorePartition,
        *,
        schema: StoreSchema,
        partition: int,
        role: Role = Role.ACTIVE,
        restore_to: int = -1,
        pipeline: str | None = None,
        clock: Callable[[], int] = wall_clock_ms,
        holds: HeldEpochs | None = None,
    ) -> None:
        self.engine = engine
        self.schema = schema
        self.inputs = Inputs(schema.inputs)
        """The inputs that bounds are checked with; its store replaces them with its own."""
        self.partition = partition
        self.role = role
        self.state = ReplicaState.RESTORING
        self.error: str | None = None
        self.pipeline = pipeline
        self._restore_to = restore_to
        self._clock = clock
        self._waiters = Waiters()
        self._holds = HeldEpochs() if holds is None else holds
        self._keys = KeyRecorder(recorded_columns(schema))
        self.follow_keys = self._keys.log
        """Returns the log of the keys that epochs change, which someone has to hold."""
        self._writing = threading.Lock()
        self._changing_state = threading.Lock()
        view = engine.view
        self._views: tuple[View, ...] = (view,)
        # A third party's engine need not have one; then it counts as having answered at all its
        # epochs.
        self._mark: AnsweredEpoch | None = getattr(engine, "answered", None)
        self._answered = view.progress.epoch if self._mark is None else self._mark.epoch
        """The newest epoch that it has answered at, as far as known, including before a restart."""
        if isinstance(engine, Restable):
            engine.rest_by(self.rest)
        self._update()

    @property
    def progress(self) -> Progress:
        """The newest epoch that was applied."""
        return self.engine.view.progress

    @property
    def status(self) -> PartitionStatus:
        """The replica's status now."""
        state, views = self.state, self._views
        progress = views[-1].progress if views else Progress()
        return PartitionStatus(
            partition=self.partition,
            role=self.role,
            state=state if views else ReplicaState.CLOSED,
            progress=progress,
            error=self.error,
            epoch_oldest=views[0].progress.epoch if views else -1,
            pipeline=self.pipeline,
            # A third party's engine need not count late rows.
            late_rows=getattr(self.engine, "late_rows", 0),
            held_epochs=len(self._holds),
        )

    @property
    def held_s(self) -> float:
        """For how many seconds the oldest held epoch has been held; 0 without any."""
        return self._holds.oldest_s()

    def view_at(self, epoch: int) -> View | None:
        """Return the view of an epoch; None if it is forgotten, or yet to come."""
        views = self._views
        if not views or epoch > views[-1].progress.epoch:
            return None
        kept = next((view for view in reversed(views) if view.progress.epoch <= epoch), None)
        return self._holds.view_at(epoch) if kept is None else kept

    def hold(self, epoch: int | None = None) -> EpochHold | None:
        """Keep an epoch from being forgotten; see `Store.hold`.

        None while it restores, since it may skip the epoch and another replica may have it.
        """
        with standstill():
            views = self._views
            if not views or self.state is not ReplicaState.RUNNING:
                return None
            at = views[-1].progress.epoch if epoch is None else epoch
            is_future = at > views[-1].progress.epoch
            return self._holds.take(at, self.view_at(at), is_future=is_future)

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Apply one epoch, and wake its waiters.

        Raises:
            StoreError: the engine cannot apply it, or the replica is closed.
        """
        with self._writing:
            try:
                self._check_open()
                keys = self._keys.begin(self.progress.epoch, replace=replace)
                if keys is not None:
                    batches = keys.reading(batches)
                self.engine.apply(progress, batches, replace=replace)
                if keys is not None:
                    keys.applied(progress.epoch)
                with standstill():
                    self._views = (*self._views, self.engine.view)[-VIEWS_MAX:]
                    self._holds.tidy(self._views)
                self.error = None
            finally:
                self._close_if_closed()
        self._update()

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Replace the content with that of a snapshot, and wake its waiters.

        Raises:
            StoreError: the engine cannot be restored, or the replica is closed.
        """
        with self._writing:
            try:
                self._check_open()
                if not isinstance(self.engine, Restorable):
                    raise StoreError("the engine cannot be filled from snapshots")

                def fetch_then_stop(path: Path) -> None:
                    fetch(path)
                    self.withhold()

                self.engine.restore(fetch_then_stop, progress)
                self.error = None
            finally:
                self._see_restored()
                self._close_if_closed()
        self._update()

    def withhold(self) -> None:
        """Refuse queries until an epoch is applied that is as new as the answers so far.

        The replica has no rows now, though its log has some.
        """
        with self._changing_state:
            if self.state is not ReplicaState.RUNNING:
                return
            self.state = ReplicaState.RESTORING
            self._answered = self.progress.epoch
            self._restore_to = max(0, self._answered)
        if self._mark is not None:
            self._mark.pause()

    def _see_restored(self) -> None:
        """Take over the engine's view: the snapshot, or an empty one if restoring failed."""
        view, before = self.engine.view, self._views[-1:]
        if before == (view,) or not before:
            return
        # The epochs between the old view and this one are unknown, so the old one must go.
        with standstill():
            self._views = (view,)
            self._holds.tidy(self._views)

    def serve_as_is(self) -> None:
        """Answer from now on, although the log goes on, because its next epoch cannot be read.

        Only a replica that is as new as its answers before a restart does so. A replica that was
        filled anew, or has lost epochs in a crash, would give older answers, so it still refuses.
        """
        is_as_new = NEVER < self._answered <= self.progress.epoch
        if is_as_new and self.state is ReplicaState.RESTORING:
            self._restore_to = -1
            self._update()

    def when(self, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back once the bound is met, or the replica closes; see `Store.when`.

        Raises:
            TooManyWaitersError: there are too many waiters.
        """
        if not self._is_closed():
            waiter = self._waiters.add(bound, callback, self._first_unmet)
            if waiter is not None:
                if self._is_closed():
                    # It closed meanwhile, and may have missed this waiter.
                    self._end_waiting()
                return waiter
        done = Waiter(None, callback)
        done.call(not self._is_closed())
        return done

    def wait(self, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until the bound is met; False if it is not in time, or the replica closes."""
        woken = threading.Event()
        outcome: list[bool] = []

        def wake(met: bool) -> None:
            outcome.append(met)
            woken.set()

        waiting = self.when(bound, wake)
        if not woken.wait(timeout_s) and not waiting.cancel():
            # The callback is being called right now.
            woken.wait()
        return outcome == [True]

    def rest(self) -> bool:
        """Let the engine close its database until it is needed, unless it is in use now.

        It goes on answering, at its newest epoch and at those that are held.
        """
        engine = self.engine
        if not isinstance(engine, Restable) or not self._writing.acquire(blocking=False):
            return False
        try:
            with standstill():
                # A database cannot rest while its older epochs can be read.
                self._views = self._views[-1:]
            return engine.rest()
        finally:
            self._close_if_closed()
            self._writing.release()

    def close(self, *, timeout_s: float = CLOSE_S) -> None:
        """Stop answering, and wake all waiters; repeated calls do nothing.

        If an epoch is still being applied after `timeout_s`, the thread that applies it closes the
        engine afterwards.
        """
        with self._changing_state:
            self.state = ReplicaState.CLOSED
        self._end_waiting()
        if self._writing.acquire(timeout=timeout_s):
            try:
                self._close_if_closed()
            finally:
                self._writing.release()
        else:
            _logger.warning(
                "replica closed while an epoch is being applied store=%s partition=%d",
                self.schema.name,
                self.partition,
            )

    def _is_closed(self) -> bool:
        """Return whether it is closed; another thread may close it between two calls."""
        return self.state is ReplicaState.CLOSED

    def _check_open(self) -> None:
        if self._is_closed():
            name = self.schema.name
            raise StoreError(f'partition {self.partition} of store "{name}" is closed')

    def _close_if_closed(self) -> None:
        if self.state is ReplicaState.CLOSED:
            # A database closes with its last view.
            self._views = ()
            self._holds.close()
            self.engine.close()

    def _end_waiting(self) -> None:
        for waiter in self._waiters.take_all():
            waiter.call(False)

    def _update(self) -> None:
        """Run if restored by now, and wake the waiters whose bounds are met."""
        views = self._views
        if not views:
            return
        progress = views[-1].progress
        if self.state is ReplicaState.RESTORING and progress.epoch >= self._restore_to:
            with self._changing_state:
                # Another thread may have closed it, and a closed replica never runs again.
                if self.state is ReplicaState.RESTORING:
                    if self._mark is not None:
                        self._mark.begin(progress.epoch)
                    self.state = ReplicaState.RUNNING
        now_ms = self._clock()

        def reached(measure: Measure) -> int | None:
            if measure == RESTORED:
                return int(self.state is ReplicaState.RUNNING)
            return measured(measure, progress, now_ms)

        for waiter in self._waiters.take_met(reached, self._first_unmet):
            waiter.call(True)

    def _first_unmet(self, bound: PositionBound) -> Unmet | None:
        views = self._views
        if not views or self.state is not ReplicaState.RUNNING:
            return Unmet(RESTORED, 1, "the replica is not running")
        return unmet_part(
            bound,
            views[-1].progress,
            inputs=self.inputs.topics,
            partition=self.partition,
            now_ms=self._clock(),
        )
