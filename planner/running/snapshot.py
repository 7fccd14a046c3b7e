"""The epochs that a statement, or a transaction, reads at: held, so that all of it sees the same.

A statement that mentions a store twice reads each partition at the epoch that it had when it was
first asked (`Newest`). One that wants a snapshot reads all partitions of a pipeline at one epoch
(`Snapshot`); a transaction that repeats its reads keeps that until it ends. Epochs are held in the
store, which goes on applying: what is held too long is lost, and the transaction with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from planner.errors import SnapshotTooOldError
from planner.values.session import Session, TransactionStatus
from stores.hosting.held_epochs import standstill
from stores.spec.store import (
    Hold,
    PartitionStatus,
    ReplicaState,
    Store,
    pipeline_of,
    snapshot_epoch,
)

Place = tuple[str, int]
"""A store's name and a partition of it."""
Wanted = Mapping[str, AbstractSet[int]]
"""Partitions by store."""


class Cut(Protocol):
    """At which epoch each partition is asked. Used by one thread at a time."""

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """What to ask a partition at; None for whatever it has: it will say why it cannot answer.

        Raises:
            SnapshotTooOldError: a transaction reads at an epoch that is no longer kept.
        """

    def release(self) -> None:
        """Let all be forgotten; what is asked later is asked at the same epochs all the same."""


@dataclass(slots=True)
class Newest:
    """Each partition at the epoch that it had when it was first asked."""

    _holds: dict[Place, Hold] = field(default_factory=dict)
    _is_released: bool = False

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """The newest epoch, as of the first time."""
        place = store.schema.name, partition
        hold = self._holds.get(place)
        if hold is None:
            hold = None if self._is_released else store.hold(partition)
            if hold is None:
                return None
            self._holds[place] = hold
        return hold.epoch

    def release(self) -> None:
        """Let all be forgotten."""
        self._is_released = True
        for hold in self._holds.values():
            hold.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """A partition that must come to an epoch before there can be one for all."""

    store: Store
    partition: int
    epoch: int


@dataclass(slots=True, kw_only=True)
class Snapshot:
    """All partitions of a pipeline at one epoch: a consistent cut.

    Args:
        of_transaction: it outlives its statement: what is lost cannot be chosen anew.
    """

    of_transaction: bool = False
    is_taken: bool = False
    """Whether the rest of the stores is held, too: of a transaction, after its first query."""
    _stores: dict[str, Store] = field(default_factory=dict)
    """As they were when they were first read: a store that is opened anew is another."""
    _pipelines: dict[str, str] = field(default_factory=dict)
    """Of each store."""
    _epochs: dict[str, int] = field(default_factory=dict)
    """Of each pipeline."""
    _incomplete: set[str] = field(default_factory=set)
    """Pipelines for which there was no epoch that all partitions could be held at."""
    _holds: dict[Place, Hold] = field(default_factory=dict)
    _is_released: bool = False

    def store(self, store: Store) -> Store:
        """The store of this name that the snapshot is of; the given one, if it is the first."""
        return self._stores.setdefault(store.schema.name, store)

    def pipeline(self, store: Store) -> str:
        """Whose epochs a store has, as it was when it was first read."""
        name = store.schema.name
        found = self._pipelines.get(name)
        if found is None:
            found = self._pipelines[name] = pipeline_of(name, store.statuses().values())
        return found

    def align(self, stores: Iterable[Store], wanted: Wanted) -> list[Behind]:
        """Hold partitions, all of a pipeline at one epoch, which is chosen once.

        Args:
            stores: the stores.
            wanted: which of their partitions.

        Returns:
            What to wait for before trying again, where there is no such epoch; empty if there is,
            or no wait would help.
        """
        behind: list[Behind] = []
        for pipeline, members in self._by_pipeline(stores).items():
            places = [(s, p) for s in members for p in sorted(wanted.get(s.schema.name, ()))]
            if pipeline in self._epochs and pipeline not in self._incomplete:
                for store, partition in places:
                    self._held(store, partition, self._epochs[pipeline])
            elif places:
                behind += self._choose(pipeline, places)
        return behind

    def align_all(self, stores: Iterable[Store]) -> None:
        """Choose the epochs of all pipelines whose stores share one, whatever is read of them.

        A statement that reads one partition alone might be given an epoch that others are yet to
        come to; the next statement of its transaction would find them behind.
        """
        for pipeline, members in self._by_pipeline(map(self.store, stores)).items():
            places = [(store, number) for store in members for number in store.statuses()]
            if pipeline not in self._epochs and self._choose(pipeline, places):
                self._incomplete.discard(pipeline)
                del self._epochs[pipeline]

    def hold_rest(self, stores: Iterable[Store]) -> None:
        """Hold whatever else can be held of these stores, so that later statements can read it."""
        self.is_taken = True
        everything = [self.store(store) for store in stores]
        self.align(everything, {s.schema.name: frozenset(s.statuses()) for s in everything})

    def chosen(self, store: Store) -> int | None:
        """The epoch of the store's pipeline, if it is settled, so that no wait can change it."""
        pipeline = self.pipeline(store)
        return None if pipeline in self._incomplete else self._epochs.get(pipeline)

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """The epoch of the store's pipeline; None if none of its partitions answers."""
        name = store.schema.name
        if self.pipeline(store) not in self._epochs:
            self.align([self.store(store)], {name: {partition}})
        epoch = self._epochs.get(self.pipeline(store))
        if epoch is None or self._is_released:
            return epoch
        hold = self._held(store, partition, epoch)
        # What could not be held was not lost: the partition says itself that it lacks the epoch.
        is_lost = hold is not None and not (hold.is_held or hold.is_missed)
        if self.of_transaction and is_lost:
            raise SnapshotTooOldError(
                "snapshot too old",
                detail=f'Partition {partition} of store "{name}" no longer keeps epoch {epoch}.',
                hint="Begin the transaction again.",
            )
        return epoch

    def release(self) -> None:
        """Let all be forgotten."""
        self._is_released = True
        for hold in self._holds.values():
            hold.release()
        self._holds.clear()

    def _by_pipeline(self, stores: Iterable[Store]) -> dict[str, list[Store]]:
        found: dict[str, list[Store]] = {}
        for store in stores:
            found.setdefault(self.pipeline(store), []).append(store)
        return found

    def _choose(self, pipeline: str, places: list[tuple[Store, int]]) -> list[Behind]:
        """Hold all places at the newest epoch that they share; where there is none, the least."""
        self._incomplete.discard(pipeline)
        with standstill():
            running = _running(places)
            if not running:
                return []
            epoch = snapshot_epoch(status for _, status in running.values())
            if epoch is not None and self._hold_all(running.values(), epoch):
                self._epochs[pipeline] = epoch
                return []
        self._incomplete.add(pipeline)
        self._epochs[pipeline] = min(status.progress.epoch for _, status in running.values())
        oldest = max(status.epoch_oldest for _, status in running.values())
        return [
            Behind(store=store, partition=status.partition, epoch=oldest)
            for store, status in running.values()
            if status.progress.epoch < oldest
        ]

    def _hold_all(self, running: Iterable[tuple[Store, PartitionStatus]], epoch: int) -> bool:
        taken: dict[Place, Hold] = {}
        for store, status in running:
            hold = store.hold(status.partition, epoch)
            if hold is None:
                for each in taken.values():
                    each.release()
                return False
            taken[store.schema.name, status.partition] = hold
        self._holds.update(taken)
        return True

    def _held(self, store: Store, partition: int, epoch: int) -> Hold | None:
        place = store.schema.name, partition
        hold = self._holds.get(place)
        if hold is None:
            hold = store.hold(partition, epoch)
            if hold is not None:
                self._holds[place] = hold
        return hold


def _running(
    places: Iterable[tuple[Store, int]],
) -> dict[tuple[str, int], tuple[Store, PartitionStatus]]:
    """The status of those that answer: the others will say themselves why they do not."""
    statuses: dict[str, Mapping[int, PartitionStatus]] = {}
    found = {}
    for store, partition in places:
        name = store.schema.name
        if name not in statuses:
            statuses[name] = store.statuses()
        status = statuses[name].get(partition)
        if status is not None and status.state is ReplicaState.RUNNING:
            found[name, partition] = store, status
    return found


def transaction_snapshot(session: Session) -> Snapshot | None:
    """What the session's transaction reads at; None outside of one, or if it reads what is newest.

    Once there has been a query, the transaction's isolation is settled.
    """
    if session.transaction is TransactionStatus.IDLE:
        return None
    session.has_queried = True
    if not session.isolation.repeats_reads:
        return None
    if session.snapshot is None:
        session.snapshot = Snapshot(of_transaction=True)
    assert isinstance(session.snapshot, Snapshot), "only this function makes one"
    return session.snapshot


def takes_snapshot(session: Session) -> bool:
    """Whether the next query is the first of a transaction that repeats its reads."""
    return (
        session.transaction is not TransactionStatus.IDLE
        and session.snapshot is None
        and session.isolation.repeats_reads
    )
