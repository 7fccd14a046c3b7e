"""One partition of one store on this host: an engine, its role and state, and who waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa

from stores.engines.rocksdb.answered_epoch import NEVER, AnsweredMark
from stores.errors import StoreError
from stores.hosting.bound_waiters import Waiter, Waiters
from stores.hosting.held_epochs import HeldEpoch, Holds, standstill
from stores.log.inputs import Inputs
from stores.log.snapshots import Fetch, Restorable
from stores.spec.position import Measure, PositionBound, Progress, Unmet, measured, unmet_part
from stores.spec.schema import StoreSchema
from stores.spec.store import (
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
"""Epochs that a replica can be asked at.

The follower takes all replicas of a host from one epoch to the next by turns, so that they are one
apart; the rest is for statements that are under way.
"""
CLOSE_S = 10.0
"""How long closing waits for the epoch that is being applied."""
RESTORED = "restored"
"""The measure that a replica which restores has to reach first, whatever the bound."""


def wall_clock_ms() -> int:
    """Now, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Replica:
    """One partition as this host holds it. Queried from any thread, written by one.

    Args:
        engine: holds the rows.
        schema: the store.
        partition: its number.
        role: whether it answers requests for an active replica; may be set at any time.
        restore_to: the epoch that it must reach before it answers.
        pipeline: who wrote its epochs, if that is known.
        clock: wall clock, for bounds on lag.
        holds: the epochs that readers hold; with the limits of `stores.hosting.held_epochs` if it
            is not given.
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
        holds: Holds | None = None,
    ) -> None:
        self.engine = engine
        self.schema = schema
        self.inputs = Inputs(schema.inputs)
        """What its bounds are held against; its store puts its own in the place."""
        self.partition = partition
        self.role = role
        self.state = ReplicaState.RESTORING
        self.error: str | None = None
        self.pipeline = pipeline
        self._restore_to = restore_to
        self._clock = clock
        self._waiters = Waiters()
        self._holds = Holds() if holds is None else holds
        self._writing = threading.Lock()
        self._turning = threading.Lock()
        """Held to change `state`, so that nothing that is closed runs again."""
        view = engine.view
        self._views: tuple[View, ...] = (view,)
        # A third party's engine need not remember; then it is held to have answered what it has.
        self._mark: AnsweredMark | None = getattr(engine, "answered", None)
        self._answered = view.progress.epoch if self._mark is None else self._mark.epoch
        """The newest epoch that it is known to have answered at, in this life or before."""
        self._settle()

    @property
    def progress(self) -> Progress:
        """What has been applied."""
        return self.engine.view.progress

    @property
    def status(self) -> PartitionStatus:
        """The replica as it stands now."""
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
            # A third party's engine need not count.
            late_rows=getattr(self.engine, "late_rows", 0),
        )

    def view_at(self, epoch: int) -> View | None:
        """What was true at an epoch, if that is neither forgotten nor yet to come."""
        views = self._views
        if not views or epoch > views[-1].progress.epoch:
            return None
        kept = next((view for view in reversed(views) if view.progress.epoch <= epoch), None)
        return self._holds.view_at(epoch) if kept is None else kept

    def hold(self, epoch: int | None = None) -> HeldEpoch | None:
        """Keep an epoch from being forgotten; see `Store.hold`."""
        with standstill():
            views = self._views
            if not views:
                return None
            at = views[-1].progress.epoch if epoch is None else epoch
            is_to_come = at > views[-1].progress.epoch
            return self._holds.take(at, self.view_at(at), is_to_come=is_to_come)

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take one epoch and wake who waits for it.

        Raises:
            StoreError: the engine cannot take it, or the replica is closed.
        """
        with self._writing:
            try:
                self._check_open()
                self.engine.apply(progress, batches, replace=replace)
                with standstill():
                    self._views = (*self._views, self.engine.view)[-VIEWS_MAX:]
                    self._holds.tidy(self._views)
                self.error = None
            finally:
                self._close_if_closed()
        self._settle()

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Become what a snapshot holds, and wake who waits for it.

        Raises:
            StoreError: the engine cannot be restored so, or the replica is closed.
        """
        with self._writing:
            try:
                self._check_open()
                if not isinstance(self.engine, Restorable):
                    raise StoreError("the engine cannot be filled from snapshots")

                def fetch_then_stop(path: Path) -> None:
                    fetch(path)
                    self._stop_answering()

                self.engine.restore(fetch_then_stop, progress)
                self.error = None
            finally:
                self._see_restored()
                self._close_if_closed()
        self._settle()

    def _stop_answering(self) -> None:
        """What it has answered from is about to go: until it has as much again, it refuses."""
        with self._turning:
            if self.state is not ReplicaState.RUNNING:
                return
            self.state = ReplicaState.RESTORING
            self._answered = self._restore_to = self.progress.epoch
        if self._mark is not None:
            self._mark.pause()

    def _see_restored(self) -> None:
        """Take over the engine's view: the snapshot, or nothing if it failed half way."""
        view, before = self.engine.view, self._views[-1:]
        if before == (view,) or not before:
            return
        # What lies between the view before and this one is not known, so that one must go.
        with standstill():
            self._views = (view,)
            self._holds.tidy(self._views)

    def serve_as_is(self) -> None:
        """Answer from here on although the log goes on: the next epoch in it cannot be read.

        Only a replica that has all that it answered before it restarted does. One that was filled
        anew, or has lost epochs in a crash, would go back behind that, so it still refuses.
        """
        has_as_much = NEVER < self._answered <= self.progress.epoch
        if has_as_much and self.state is ReplicaState.RESTORING:
            self._restore_to = -1
            self._settle()

    def when(self, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back once the bound is met, or the replica closes; see `Store.when`.

        Raises:
            TooManyWaitersError: there are as many waiters as there may be.
        """
        if not self._is_closed():
            waiter = self._waiters.add(bound, callback, self._look)
            if waiter is not None:
                if self._is_closed():
                    # It closed meanwhile, and may have looked for waiters before this one came.
                    self._end_waiting()
                return waiter
        done = Waiter(None, callback)
        done.call(not self._is_closed())
        return done

    def wait(self, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until the bound is met; False if it is not by then, or the replica closes."""
        woken = threading.Event()
        outcome: list[bool] = []

        def wake(met: bool) -> None:
            outcome.append(met)
            woken.set()

        waiting = self.when(bound, wake)
        if not woken.wait(timeout_s) and not waiting.cancel():
            # It is being called right now.
            woken.wait()
        return outcome == [True]

    def close(self, *, timeout_s: float = CLOSE_S) -> None:
        """Stop answering, and wake who waits. Closing twice is closing once.

        If an epoch is still being applied after `timeout_s`, whoever applies it closes the engine
        when it is done.
        """
        with self._turning:
            self.state = ReplicaState.CLOSED
        self._end_waiting()
        if self._writing.acquire(timeout=timeout_s):
            try:
                self._close_if_closed()
            finally:
                self._writing.release()
        else:
            _logger.warning(
                "an epoch is still being applied to what is closed store=%s partition=%d",
                self.schema.name,
                self.partition,
            )

    def _is_closed(self) -> bool:
        """Asked more than once in a row, for another thread may close it at any time."""
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

    def _settle(self) -> None:
        """See what the new progress, or state, has made true."""
        views = self._views
        if not views:
            return
        progress = views[-1].progress
        if self.state is ReplicaState.RESTORING and progress.epoch >= self._restore_to:
            with self._turning:
                if self.state is ReplicaState.RESTORING:
                    if self._mark is not None:
                        self._mark.begin(progress.epoch)
                    self.state = ReplicaState.RUNNING
        now_ms = self._clock()

        def reached(measure: Measure) -> int | None:
            if measure == RESTORED:
                return int(self.state is ReplicaState.RUNNING)
            return measured(measure, progress, now_ms)

        for waiter in self._waiters.take_met(reached, self._look):
            waiter.call(True)

    def _look(self, bound: PositionBound) -> Unmet | None:
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
