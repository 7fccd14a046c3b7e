"""How one statement reads: its waits, and the bound and epoch at which it asks each partition.

All waiting happens before the first partition is asked, for all partitions at once and with one
deadline. Nothing is locked meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from stategate.planner.errors import LimitExceededError, UnavailableError, UnknownNameError
from stategate.planner.running.read_counts import ReadCounts
from stategate.planner.running.snapshot import Cut, Newest, Snapshot
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.stores.errors import LogError, TooManyWaitersError
from stategate.stores.hosting.blocking import Interrupting, blocked, uninterrupted
from stategate.stores.hosting.partition_waits import Awaited, wait_for_partitions
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.store import DEFAULT_CONFIG, QueryConfig, Store

_APPLIED_POLL_S = 0.05
"""Pause between two looks at the inputs that are known here, while a topic is awaited."""
_DECLARED_POLL_S = 1.0
"""Time between two reads of the definitions in the log meanwhile, which may cost money."""
_TOPICS_SHOWN = 10
"""Maximum number of topics in the hint of an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A store that a statement reads, and the partitions that it will ask."""

    store: Store
    partitions: AbstractSet[int]


@dataclass(slots=True, kw_only=True)
class Reading:
    """One execution of a statement.

    Args:
        options: its read options.
        cancellation: ends its waits.
        snapshot: the epochs of its transaction, if that repeats its reads.
        counts: counts its waits.
    """

    options: ReadOptions
    cancellation: Cancellation | None = None
    snapshot: Snapshot | None = None
    counts: ReadCounts | None = None
    _cut: Cut | None = None
    _deadline_s: float = 0.0
    _configs: dict[str, QueryConfig] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Record when the wait begins."""
        self._deadline_s = time.monotonic() + self.options.wait_ms / 1000

    @property
    def is_plain(self) -> bool:
        """Whether partitions answer at once, without a wait or a snapshot."""
        return self.snapshot is None and not (self.options.wait_ms or self.options.snapshot)

    def store(self, store: Store) -> Store:
        """Return the store to ask: a transaction keeps the one that it began with."""
        return store if self.snapshot is None else self.snapshot.store(store)

    def make_ready(self, asked: Iterable[Asked], *, others: Iterable[Store] = ()) -> None:
        """Wait until partitions have reached the bound, and choose the epochs to ask them at.

        Args:
            asked: the partitions known so far; others can be asked later, at the same epochs.
            others: all stores, which a transaction holds with its first query.

        Raises:
            QueryCancelledError: the statement was cancelled, or its deadline has passed.
            UnavailableError: the latest epoch is not known.
            LimitExceededError: too many statements wait.
        """
        partitions: dict[str, set[int]] = {}
        stores: dict[str, Store] = {}
        for each in asked:
            stores.setdefault(each.store.schema.name, each.store)
            partitions.setdefault(each.store.schema.name, set()).update(each.partitions)
        snapshot = self.snapshot
        if snapshot is None and self.options.snapshot:
            snapshot = Snapshot()
        if snapshot is not None and self.options.latest:
            self._set_latest(snapshot, stores)
        if self.options.wait_ms:
            self._wait(snapshot, stores, partitions)
        if snapshot is not None:
            self._cut = snapshot
            is_first = snapshot.of_transaction and not snapshot.is_taken
            if is_first and not self._has_bound:
                snapshot.align_all(others)
            self._align(snapshot, stores, partitions)
            if is_first:
                snapshot.hold_rest(others)

    def keep_epochs(self) -> None:
        """Ask each partition at the epoch of its first read from now on.

        Otherwise a partition that is asked twice could answer at two epochs, and the result would
        claim the position of the newer one for both.
        """
        if self._cut is None:
            self._cut = Newest()

    def check_topics(self, stores: Iterable[Store], catalog: StoreCatalog) -> None:
        """Refuse a bound on a topic that feeds no store: it would be ignored silently.

        A topic that the statement names must feed a store of the statement. A token may contain
        topics of other stores, even of a store that cannot be opened now. A statement that may wait
        does so for the topic, too: a pipeline may not have found it yet.

        Args:
            stores: the stores that the statement reads.
            catalog: all stores.

        Raises:
            UnknownNameError: a topic feeds no store (42704).
            UnavailableError: the inputs of a store are not known.
            QueryCancelledError: the statement was cancelled, or its deadline has passed.
        """
        if self.options.bound.position.is_empty or self.options.ignores_unknown:
            return
        mine = list({id(store): store for store in stores}.values())
        unknown = self._unknown_topic(mine, catalog)
        read_s = time.monotonic()
        while unknown is not None:
            left_s = self._deadline_s - time.monotonic()
            if left_s <= 0:
                raise _unknown_topic(unknown, mine)
            self._pause(min(left_s, _APPLIED_POLL_S))
            now_s = time.monotonic()
            renew = now_s >= min(read_s + _DECLARED_POLL_S, self._deadline_s)
            unknown = self._unknown_topic(mine, catalog, renew=renew)
            read_s = now_s if renew else read_s

    def _unknown_topic(
        self, mine: Sequence[Store], catalog: StoreCatalog, *, renew: bool = True
    ) -> str | None:
        """Return a topic of the bound that feeds no store; None without one."""
        position = self.options.bound.position
        unread: AbstractSet[str] = frozenset(topic for topic, _ in position.components)
        for store in mine:
            unread &= _unread(store, position, renew=renew)
            if not unread:
                return None
        if named := unread & self.options.named_topics:
            return min(named)
        for store in catalog.stores.values():
            unread &= _unread(store, position, renew=renew)
            if not unread:
                return None
        return min(unread) if catalog.is_whole() else None

    def _pause(self, seconds: float) -> None:
        """Do nothing for a while, or until the statement is cancelled, which raises."""
        woken, cancellation = threading.Event(), self.cancellation
        blocked(lambda: not woken.wait(seconds), woken.set, _interrupting(cancellation))
        if cancellation is not None:
            cancellation.check()

    def config(self, store: Store, partition: int) -> QueryConfig:
        """Return the options for a query of a partition.

        Raises:
            UnavailableError: the latest epoch is not known.
            SnapshotTooOldError: the transaction's epoch is no longer kept.
        """
        config = self._config(store)
        epoch = None if self._cut is None else self._cut.epoch_of(store, partition)
        return config if epoch is None else replace(config, at_epoch=epoch)

    def release(self) -> None:
        """Release the epochs, unless a transaction holds them."""
        if self._cut is not None and self._cut is not self.snapshot:
            self._cut.release()

    @property
    def _has_bound(self) -> bool:
        options = self.options
        return options.latest or not (options.bound.is_unbounded and options.seen.is_empty)

    def _config(self, store: Store) -> QueryConfig:
        name = store.schema.name
        held = self._configs.get(name)
        if held is None:
            bound = self._bound(store)
            if self.options.latest:
                bound = replace(bound, epoch=_committed(store))
            held = self._configs[name] = self._made(bound)
        return held

    def _bound(self, store: Store) -> PositionBound:
        """Return the bound of a store, without the offsets of topics that do not feed it.

        Positions that the session has seen come from stores that are open here, so the store knows
        their topics. Other offsets come from elsewhere, and the store may have to look for topics.
        """
        options = self.options
        position, seen = options.bound.position, options.seen
        if not position.is_empty:
            position = position.without(_unread(store, position))
        if not seen.is_empty:
            position = position.merge(seen.without(store.unread_topics(seen, renew=False)))
        if position is options.bound.position:
            return options.bound
        return replace(options.bound, position=position)

    def _made(self, bound: PositionBound) -> QueryConfig:
        options = self.options
        if bound.is_unbounded and not options.active and not options.info:
            return DEFAULT_CONFIG
        return QueryConfig(bound=bound, active=options.active, info=options.info)

    def _set_latest(self, snapshot: Snapshot, stores: Mapping[str, Store]) -> None:
        """Set the latest epoch of each pipeline: the newest that all of its stores have committed.

        Stores commit one after another, so an epoch that only some have is not complete.
        """
        committed = {name: _committed(store) for name, store in stores.items()}
        pipelines = {name: snapshot.pipeline(store) for name, store in stores.items()}
        for name, pipeline in pipelines.items():
            epoch = min(committed[other] for other, its in pipelines.items() if its == pipeline)
            self._configs[name] = self._made(replace(self._bound(stores[name]), epoch=epoch))

    def _wait(
        self,
        snapshot: Snapshot | None,
        stores: Mapping[str, Store],
        partitions: Mapping[str, AbstractSet[int]],
    ) -> None:
        """Wait for the bound, or for the epoch where it has been chosen."""
        awaited: list[Awaited] = []
        for name, store in stores.items():
            epoch = None if snapshot is None else snapshot.chosen(store)
            bound = self._config(store).bound if epoch is None else PositionBound(epoch=epoch)
            awaited += [
                Awaited(store=store, partition=partition, bound=bound)
                for partition in sorted(partitions[name])
            ]
        self._wait_for(awaited)

    def _align(
        self,
        snapshot: Snapshot,
        stores: Mapping[str, Store],
        partitions: Mapping[str, AbstractSet[int]],
    ) -> None:
        behind = snapshot.align(stores.values(), partitions)
        while behind and self._wait_for(
            [
                Awaited(
                    store=each.store,
                    partition=each.partition,
                    bound=PositionBound(epoch=each.epoch),
                )
                for each in behind
            ]
        ):
            behind = snapshot.align(stores.values(), partitions)

    def _wait_for(self, awaited: list[Awaited]) -> bool:
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            return False
        with nullcontext() if self.counts is None else self.counts.waiting(self.options):
            return wait_for_all(
                awaited,
                timeout_s=left_s,
                cancellation=self.cancellation,
                report_all=self.options.partial,
            )


def _unread(store: Store, position: Position, *, renew: bool = True) -> AbstractSet[str]:
    try:
        return store.unread_topics(position, renew=renew)
    except LogError as error:
        raise UnavailableError(
            f'the inputs of store "{store.schema.name}" are not known',
            detail=str(error),
            hint="Retry, or read without a bound.",
        ) from error


def _unknown_topic(topic: str, stores: Sequence[Store]) -> UnknownNameError:
    known = sorted({each.topic for store in stores for each in store.schema.inputs})
    shown = ", ".join(f'"{each}"' for each in known[:_TOPICS_SHOWN])
    more = ", …" if len(known) > _TOPICS_SHOWN else ""
    named = " or ".join(f'"{store.schema.name}"' for store in stores[:_TOPICS_SHOWN])
    return UnknownNameError(
        f'topic "{topic}" does not feed store {named}'
        if stores
        else f'topic "{topic}" does not feed a store of the statement',
        hint=(f"Topics are {shown}{more}. " if known else "")
        + "SET stategate.unknown_topics = 'ignore' to ignore the bound on others.",
        sqlstate="42704",
    )


def _committed(store: Store) -> int:
    try:
        return store.committed_epoch()
    except LogError as error:
        raise UnavailableError(
            f'the log of store "{store.schema.name}" cannot be read',
            detail=str(error),
            hint="Retry, or read without LATEST.",
        ) from error


def wait_for_all(
    awaited: Sequence[Awaited],
    *,
    timeout_s: float,
    cancellation: Cancellation | None,
    report_all: bool = False,
) -> bool:
    """Block until every partition has met its bound; return False if one has not in time.

    Args:
        awaited: the partitions.
        timeout_s: the maximum wait; the deadline of the statement also ends it.
        cancellation: ends the wait at once.
        report_all: whether to go on waiting for the others after a partition is missing or closes.
        Otherwise the wait ends then, because the statement fails anyway.

    Raises:
        QueryCancelledError: the statement was cancelled, or its deadline has passed.
        LimitExceededError: a partition has too many waiters (53300).
        UnavailableError: the log has to be read for a bound, and cannot be now.
    """
    try:
        all_met = wait_for_partitions(
            awaited,
            timeout_s=timeout_s,
            report_all=report_all,
            interrupting=_interrupting(cancellation),
        )
    except TooManyWaitersError as error:
        raise LimitExceededError(str(error), hint="Retry later.", sqlstate="53300") from error
    except LogError as error:
        raise UnavailableError(
            "the log cannot be read", detail=str(error), hint="Retry."
        ) from error
    if cancellation is not None:
        cancellation.check()
    return all_met


def _interrupting(cancellation: Cancellation | None) -> Interrupting:
    """Return what ends a wait if its statement is cancelled, or at the deadline of it."""
    return uninterrupted if cancellation is None else cancellation.interrupting
