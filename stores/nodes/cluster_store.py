"""A store whose partitions are on several nodes: asks whichever replica can answer.

Replicas only follow the log, so any of them may answer whatever bound it meets, and two that answer
at one epoch have the same rows in the same order. So a partition whose node is gone, restoring or
behind is asked elsewhere, and a stream that breaks or cannot be read goes on at another node where
it stopped.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from stategate.stores.errors import FailureReason, InvalidPartitionError, StoreError
from stategate.stores.nodes.asking import Around, Asking, Holders
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.holds import STATUS_S, EpochHolds
from stategate.stores.nodes.key_logs import COPIES_MAX, ClusterKeyLog
from stategate.stores.nodes.links import REAL_TIME, Inbox, Link, NodeError, Replied, Timing
from stategate.stores.nodes.messages import AskStatuses, Statuses, WaitForBound
from stategate.stores.nodes.opened_rows import OpenedRows
from stategate.stores.nodes.reply_times import ReplyTimes
from stategate.stores.nodes.waits import BeginWait, SharedWaits, Soon, WaitEverywhere, wait_at
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import Failure, QueryResult, StateQueryResult
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.snapshots import snapshot_epoch
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Hold,
    OnBound,
    PartitionStatus,
    QueryConfig,
    ReplicaState,
    StateQueryRequest,
    Stop,
    Store,
    Target,
    Waiting,
)

R = TypeVar("R")

_GRACE_S = 1.0
"""How long to wait for a callback that is being called."""
_CUTS_MAX = 3
"""Tries to read at one epoch; each is in vain only if a replica forgets it meanwhile."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """What callers wait for together."""

    partition: int
    bound: PositionBound
    without: frozenset[str] = frozenset()
    """The nodes whose replicas do not count."""


class ClusterStore:
    """A `Store` over the replicas of all nodes.

    Args:
        local: the store on this node, which may hold none of its partitions.
        node: the name of this node.
        links: the other nodes by name, as of now.
        holders: which nodes hold a partition.
        timing: how to wait for replies.
        on_overdue: gets the node of each reply that is overdue.
        on_unreadable: gets each copy that could not be read.
        homes: which nodes are to hold a partition and can; None if nothing moves.
    """

    def __init__(
        self,
        local: Store,
        *,
        node: str,
        links: Mapping[str, Link],
        holders: Holders,
        timing: Timing = REAL_TIME,
        on_overdue: Callable[[str], object] = str,
        on_unreadable: Callable[[Unreadable], object] = repr,
        homes: Holders | None = None,
    ) -> None:
        self.here: Store | None = local
        self.local = local
        self._node, self._links, self._timing = node, links, timing
        self.around = Around(
            local=local,
            node=node,
            links=links,
            holders=holders,
            times=ReplyTimes(timing.clock),
            timing=timing,
            on_overdue=on_overdue,
            on_unreadable=on_unreadable,
            homes=homes,
        )
        self._holds = EpochHolds(self.around)
        self._soon = Soon(timing.after)
        self._waits = SharedWaits(self._wait_everywhere)
        self._following = threading.Lock()
        self._logs: WeakValueDictionary[int, ClusterKeyLog] = WeakValueDictionary()

    @property
    def schema(self) -> StoreSchema:
        """The store's definition."""
        return self.local.schema

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask the replicas of one partition, one after the other, until one answers."""
        found: list[QueryResult[R]] = list(self.query_each([(partition, query, config)]))
        return found[0]

    def standing(self, partition: int) -> Progress | None:
        """Return where a partition on this node stands; see `Store`."""
        return self.local.standing(partition)

    def query_each(
        self, targets: Sequence[Target], *, stop: Stop | None = None
    ) -> Iterable[QueryResult[Any]]:
        """Ask several partitions at once, with one request for each node; see `Store`."""
        asked: list[Target] = []
        for number, query, config in targets:
            try:
                asked.append((number, query, self._resolved(config)))
            except StoreError as error:
                failure = Failure(reason=FailureReason.NOT_UP_TO_BOUND, message=str(error))
                return [failure] * len(targets)
        rows = OpenedRows(self.around, self._holds, self._wait_for_others, stop)
        answers = Asking(self.around, asked, on_opened=rows.there, stop=stop).answers()
        absent = [at for at, answer in enumerate(answers) if _is_absent(answer)]
        if absent and self._links:
            # It may have moved meanwhile to a node that did not have it when it was asked.
            again = [asked[at] for at in absent]
            found = Asking(self.around, again, on_opened=rows.there, stop=stop).answers()
            for at, answer in zip(absent, found, strict=True):
                answers[at] = answer
        rows.read_in_turn()
        return list(map(rows.here, asked, answers))

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; the result has each of them."""
        wanted = range(self.schema.partitions) if request.wanted is None else request.wanted
        config = request.config
        if not config.bound.snapshot or config.at_epoch is not None:
            return self._query(sorted(wanted), request.query, config)
        for _ in range(_CUTS_MAX):
            statuses = self.statuses()
            epoch = snapshot_epoch(statuses[number] for number in wanted if number in statuses)
            cut = replace(config, at_epoch=-1 if epoch is None else epoch)
            result = self._query(sorted(wanted), request.query, cut)
            if not result.failures:
                break
        return result

    def _query(
        self, numbers: Sequence[int], query: Query[R], config: QueryConfig
    ) -> StateQueryResult[R]:
        answers = self.query_each([(number, query, config) for number in numbers])
        return StateQueryResult(
            partitions=dict(zip(numbers, answers, strict=True)),
            is_global=self.schema.kind is StoreKind.GLOBAL,
        )

    def statuses(self) -> Mapping[int, PartitionStatus]:
        """Return the status of the replica of each partition that is furthest ahead."""
        best: dict[int, PartitionStatus] = {}
        for replicas in self.replicas().values():
            for status in replicas:
                held = best.get(status.partition)
                if held is None or _readiness(status) > _readiness(held):
                    best[status.partition] = status
        return dict(sorted(best.items()))

    def replicas(self) -> dict[str, Sequence[PartitionStatus]]:
        """Return the status of every replica, by node; a node that cannot be reached has none."""
        inbox: Inbox[tuple[str, Replied | NodeError]] = self._timing.inbox()
        asked = 0
        for name, link in list(self._links.items()):
            with suppress(StoreError):
                link.begin(AskStatuses(self.schema.address), partial(_put, inbox, name))
                asked += 1
        found: dict[str, Sequence[PartitionStatus]] = {
            self._node: tuple(self.local.statuses().values())
        }
        until_s = self._timing.clock() + STATUS_S
        while asked and (arrived := inbox.get(until_s - self._timing.clock())) is not None:
            asked -= 1
            name, replied = arrived
            if isinstance(replied, tuple) and isinstance(replied[0], Statuses):
                found[name] = [replace(status, node=name) for status in replied[0].replicas]
        return found

    @property
    def is_closed(self) -> bool:
        """Whether this node has closed it."""
        return self.local.is_closed

    def committed_epoch(self) -> int:
        """Return the newest committed epoch; see `Store.committed_epoch`."""
        return self.local.committed_epoch()

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        """Return the topics of a position that do not feed the store; see `Store`."""
        return self.local.unread_topics(position, renew=renew)

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a replica of a partition meets the bound; False if not within the time.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: this node has too many waiters.
        """
        return self._waited(partial(self.when, partition, bound), timeout_s)

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back when a replica of a partition meets the bound; see `Store.when`.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: this node has too many waiters.
        """
        self._check(partition)
        bound = self._resolved_bound(bound)
        of_epoch = bound == PositionBound(epoch=bound.epoch)
        if not of_epoch and _follows(self.local.statuses().get(partition)):
            return self.local.when(partition, bound, callback)
        return self._waits.add(_Wait(partition, bound), callback)

    def follow_keys(self, partition: int) -> KeyLog | None:
        """Record the keys that epochs change, at all copies; see `Store.follow_keys`."""
        with self._following:
            log = self._logs.get(partition)
            if log is None:
                log = self._logs[partition] = ClusterKeyLog(self.around, partition)
            return log

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep an epoch of a partition at the first replica that has it; see `Store.hold`."""
        return self._holds.hold(partition, epoch)

    def _wait_everywhere(self, wait: _Wait, on_end: OnBound) -> Waiting:
        """Wait at all copies: one that cannot follow the log must not keep others waiting."""
        partition, bound, without = wait.partition, wait.bound, wait.without
        request = WaitForBound(self.schema.address, partition, bound, math.inf)

        def places() -> dict[str | None, BeginWait] | None:
            if self.is_closed:  # other nodes may have one that was made anew
                return None
            holders = self.around.holders(self.schema, partition)
            names = [name for name in holders if name not in without]
            links = {name: link for name in names if (link := self._links.get(name)) is not None}
            found: dict[str | None, BeginWait] = {}
            if self._node not in without:
                found[None] = partial(self.local.when, partition, bound)
            for name, link in islice(links.items(), COPIES_MAX):
                found[name] = partial(wait_at, link, request)
            return found

        waiting = WaitEverywhere(places, on_end, self._soon.call)
        waiting.begin()
        return waiting

    def _wait_for_others(self, target: Target, without: Iterable[str], timeout_s: float) -> bool:
        """Wait until a node that is not among some has the epoch of a target."""
        number, _, config = target
        wait = _Wait(number, PositionBound(epoch=config.at_epoch), frozenset(without))
        return self._waited(partial(self._waits.add, wait), timeout_s)

    def _waited(self, begin: BeginWait, timeout_s: float) -> bool:
        """Block until a wait ends; return whether the bound was met within the time."""
        inbox: Inbox[bool] = self._timing.inbox()
        waiting = begin(inbox.put)
        met = inbox.get(timeout_s)
        if met is None and not waiting.cancel():
            met = inbox.get(_GRACE_S)  # the callback is being called right now
        return met is True

    def _resolved(self, config: QueryConfig) -> QueryConfig:
        if config is DEFAULT_CONFIG:
            return config
        return replace(config, bound=self._resolved_bound(config.bound))

    def _resolved_bound(self, bound: PositionBound) -> PositionBound:
        """Return the bound with the latest epoch as a number, the same for all replicas.

        An age becomes the time of a commit: it counts from the clock of this node, whichever node
        answers.

        Raises:
            LogError: the log cannot be read now.
        """
        if bound.lag_ms_max is not None:
            least_ms = self._timing.wall_ms() - bound.lag_ms_max
            aged = PositionBound(committed_ms=least_ms)
            bound = replace(bound, lag_ms_max=None).merge(aged)
        if not bound.latest:
            return bound
        epoch = max(self.committed_epoch(), -1 if bound.epoch is None else bound.epoch)
        return replace(bound, latest=False, epoch=epoch)

    def _check(self, partition: int) -> None:
        if not 0 <= partition < self.schema.partitions:
            name, last = self.schema.name, self.schema.partitions - 1
            raise InvalidPartitionError(
                f'store "{name}" has partitions 0 to {last}, not {partition}'
            )


def _follows(status: PartitionStatus | None) -> bool:
    """Whether a replica answers and follows the log, as far as it knows."""
    return status is not None and status.state is ReplicaState.RUNNING and status.error is None


def _is_absent(answer: QueryResult[Any]) -> bool:
    return isinstance(answer, Failure) and answer.reason is FailureReason.NOT_PRESENT


def _put(
    inbox: Inbox[tuple[str, Replied | NodeError]], name: str, replied: Replied | NodeError
) -> None:
    inbox.put((name, replied))


def _readiness(status: PartitionStatus) -> tuple[bool, int]:
    return status.state is ReplicaState.RUNNING, status.progress.epoch
