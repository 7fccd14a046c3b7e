"""Hold the epochs that a statement or a transaction reads at, so that all reads see the same data.

A statement that names a store twice reads each partition at the epoch of its first read (`Newest`).
A statement that asks for a snapshot reads all partitions of a pipeline at one epoch (`Snapshot`); a
transaction that repeats its reads keeps that snapshot until it ends. The store holds the epochs
while it applies further ones. An epoch held for too long is lost, and its transaction fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Protocol

from stategate.planner.errors import SnapshotTooOldError
from stategate.planner.values.session import Session, TransactionStatus
from stategate.stores.hosting.held_epochs import standstill
from stategate.stores.spec.snapshots import pipeline_of, snapshot_epoch
from stategate.stores.spec.store import Hold, PartitionStatus, ReplicaState, Store

Place = tuple[str, int]
"""A store's name and a partition of it."""
Wanted = Mapping[str, AbstractSet[int]]
"""Partitions by store."""


class Cut(Protocol):
    """The epochs that partitions are asked at. Used by one thread at a time."""

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """Return the epoch to ask a partition at; None if the partition does not answer.

        Raises:
            SnapshotTooOldError: a transaction reads at an epoch that is no longer kept.
        """

    def release(self) -> None:
        """Release the epochs in the stores; later reads still ask for the same ones."""


@dataclass(slots=True)
class Newest:
    """Each partition at the epoch of its first read."""

    _holds: dict[Place, Hold] = field(default_factory=dict)
    _is_released: bool = False

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """Return the epoch that was the newest at the first read."""
        place = store.schema.name, partition
        hold = self._holds.get(place)
        if hold is None:
            hold = None if self._is_released else store.hold(partition)
            if hold is None:
                return None
            self._holds[place] = hold
        return hold.epoch

    def release(self) -> None:
        """Release the epochs in the stores."""
        self._is_released = True
        for hold in self._holds.values():
            hold.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """A partition that must reach an epoch before all partitions share one."""

    store: Store
    partition: int
    epoch: int


@dataclass(slots=True, kw_only=True)
class Snapshot:
    """All partitions of a pipeline at one epoch: a consistent cut.

    Args:
        of_transaction: whether it outlives its statement, so that a lost epoch cannot be replaced.
    """

    of_transaction: bool = False
    is_taken: bool = False
    """Whether the other stores are held too, as after the first query of a transaction."""
    _stores: dict[str, Store] = field(default_factory=dict)
    """The stores as first read: a store that is opened again is a different one."""
    _pipelines: dict[str, str] = field(default_factory=dict)
    """The pipeline of each store."""
    _epochs: dict[str, int] = field(default_factory=dict)
    """The epoch of each pipeline."""
    _incomplete: set[str] = field(default_factory=set)
    """Pipelines without an epoch at which all partitions could be held."""
    _holds: dict[Place, Hold] = field(default_factory=dict)
    _is_released: bool = False

    def store(self, store: Store) -> Store:
        """Return the store of this name in the snapshot; the given one before the first read.

        Raises:
            SnapshotTooOldError: it was rebuilt or created again since the first read.
        """
        held = self._stores.setdefault(store.schema.name, store)
        if held is not store and not held.schema.has_rows_of(store.schema):
            raise SnapshotTooOldError(
                f'store "{store.schema.name}" was rebuilt or created again',
                hint="Begin the transaction again.",
            )
        return held

    def _unchanged(self, stores: Iterable[Store]) -> list[Store]:
        """Return the stores as first seen, without those that were rebuilt or created again since.

        A transaction that reads none of them goes on.
        """
        found: list[Store] = []
        for store in stores:
            with suppress(SnapshotTooOldError):
                found.append(self.store(store))
        return found

    def pipeline(self, store: Store) -> str:
        """Return the pipeline whose epochs a store has, as of its first read."""
        name = store.schema.name
        found = self._pipelines.get(name)
        if found is None:
            found = self._pipelines[name] = pipeline_of(name, store.statuses().values())
        return found

    def align(self, stores: Iterable[Store], wanted: Wanted) -> list[Behind]:
        """Hold partitions, all partitions of a pipeline at one epoch, which is chosen once.

        Args:
            stores: the stores.
            wanted: the partitions to hold, by store.

        Returns:
            The partitions to wait for before another try; empty if an epoch was found or no wait
            would help.
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
        """Choose the epochs of all pipelines whose stores share one, whatever the statement reads.

        A statement that reads a single partition might choose an epoch that other partitions have
        not reached, and the next statement of the transaction would find them behind.
        """
        for pipeline, members in self._by_pipeline(self._unchanged(stores)).items():
            places = [(store, number) for store in members for number in store.statuses()]
            if pipeline not in self._epochs and self._choose(pipeline, places):
                self._incomplete.discard(pipeline)
                del self._epochs[pipeline]

    def hold_rest(self, stores: Iterable[Store]) -> None:
        """Hold all other partitions of these stores that can be held, for later statements."""
        self.is_taken = True
        everything = self._unchanged(stores)
        self.align(everything, {s.schema.name: frozenset(s.statuses()) for s in everything})

    def hold_at(
        self, stores: Iterable[Store], epochs: Mapping[str, int], pipelines: Mapping[str, str]
    ) -> bool:
        """Hold all partitions of these stores at given epochs, instead of choosing some.

        Args:
            stores: the stores.
            epochs: the epoch of each store, by name; the same for all stores of a pipeline.
            pipelines: the pipeline of each store.

        Returns:
            False if no replica of a partition has its epoch; then nothing is held.
        """
        self.is_taken = True
        self._pipelines.update(pipelines)
        for store in map(self.store, stores):
            epoch = self._epochs[self.pipeline(store)] = epochs[store.schema.name]
            for partition in range(store.schema.partitions):
                if self._held(store, partition, epoch) is None:
                    self.release()
                    return False
        return True

    def chosen(self, store: Store) -> int | None:
        """Return the epoch of the store's pipeline if no wait can change it; None otherwise."""
        pipeline = self.pipeline(store)
        return None if pipeline in self._incomplete else self._epochs.get(pipeline)

    @property
    def pipelines(self) -> Mapping[str, str]:
        """The pipeline of each store that is held."""
        return self._pipelines

    @property
    def is_misplaced(self) -> bool:
        """Whether nodes keep epochs for it that wait to be rid of them."""
        return any(hold.is_misplaced for hold in tuple(self._holds.values()))

    def committed_ms(self, store: Store) -> set[int]:
        """Return when the epoch of a store was committed, as its partitions know it."""
        name = store.schema.name
        times = [hold.committed_ms for (held, _), hold in self._holds.items() if held == name]
        return {each for each in times if each is not None}

    def epoch_of(self, store: Store, partition: int) -> int | None:
        """Return the epoch of the store's pipeline; None if none of its partitions answers."""
        name = store.schema.name
        if self.pipeline(store) not in self._epochs:
            self.align([self.store(store)], {name: {partition}})
        epoch = self._epochs.get(self.pipeline(store))
        if epoch is None or self._is_released:
            return epoch
        hold = self._held(store, partition, epoch)
        # An epoch that could not be held is not lost: the partition reports that it lacks it.
        is_lost = hold is not None and not (hold.is_held or hold.is_missed)
        if self.of_transaction and is_lost:
            raise SnapshotTooOldError(
                "snapshot too old",
                detail=f'Partition {partition} of store "{name}" no longer keeps epoch {epoch}.',
                hint="Begin the transaction again.",
            )
        return epoch

    def release(self) -> None:
        """Release the epochs in the stores."""
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
        """Hold all partitions at the newest epoch that they share, or else at the lowest one."""
        self._incomplete.discard(pipeline)
        # Other nodes do not stand still, and must not wait for this one: then two could wait for
        # each other. An epoch that one of them forgets meanwhile is not found, and tried again.
        is_here = all(store.here is None for store, _ in places)
        with standstill() if is_here else nullcontext():
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
    """Return the status of each partition that answers; others report why when asked."""
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
    """Return the snapshot of the session's transaction; None if it does not repeat its reads.

    The first query settles the isolation of the transaction.
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
