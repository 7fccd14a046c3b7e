"""A store whose partitions are on several nodes: asks whichever replica can answer.

Replicas only follow the log, so any of them may answer whatever bound it meets, and two that answer
at one epoch have the same rows in the same order. So a partition whose node is gone, restoring or
behind is asked elsewhere, and a stream that breaks goes on at another node where it stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from stores.errors import FailureReason, InvalidPartitionError, StoreError
from stores.nodes.links import Link, NodeError
from stores.nodes.messages import (
    Answer,
    Answers,
    Ask,
    AskStatuses,
    HeldEpoch,
    HoldEpoch,
    Met,
    Opened,
    Refused,
    Statuses,
    WaitForBound,
)
from stores.nodes.remote import RemoteHold, RemoteRows, RemoteWait, sent_query
from stores.spec.position import Position, PositionBound
from stores.spec.query import BatchStream, Query
from stores.spec.result import Failure, QueryResult, StateQueryResult, Success
from stores.spec.schema import StoreKind, StoreSchema
from stores.spec.store import (
    DEFAULT_CONFIG,
    Hold,
    OnBound,
    PartitionStatus,
    QueryConfig,
    ReplicaState,
    StateQueryRequest,
    Store,
    Waiting,
    snapshot_epoch,
)

R = TypeVar("R")

Holders = Callable[[StoreSchema, int], Sequence[str]]
"""The names of the nodes that hold a partition, in the order in which to ask them."""

_WAIT_GRACE_S = 1.0
"""How much longer to wait for the reply of a node that waits itself."""
_ELSEWHERE = {FailureReason.STORE_EXCEPTION, *(r for r in FailureReason if r.retryable)}
"""Reasons for which another replica may still answer."""
_CUTS_MAX = 3
"""Tries to read at one epoch; each is in vain only if a replica forgets it meanwhile."""


class ClusterStore:
    """A `Store` over the replicas of all nodes.

    Args:
        local: the store on this node, which may hold none of its partitions.
        node: the name of this node.
        links: the other nodes by name, as of now.
        holders: which nodes hold a partition.
    """

    def __init__(
        self, local: Store, *, node: str, links: Mapping[str, Link], holders: Holders
    ) -> None:
        self.here: Store | None = local
        self.local = local
        self._node, self._links, self._holders = node, links, holders

    @property
    def schema(self) -> StoreSchema:
        """The store's definition."""
        return self.local.schema

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask the replicas of one partition, one after the other, until one answers."""
        if not 0 <= partition < self.schema.partitions:
            return self.local.query_partition(partition, query, config)
        try:
            config = self._resolved(config)
        except StoreError as error:
            return Failure(reason=FailureReason.NOT_UP_TO_BOUND, message=str(error))
        found: Failure | None = None
        for node in self._order(partition):
            answer = self._ask(node, partition, query, config)
            if isinstance(answer, Success) or answer.reason not in _ELSEWHERE:
                return answer
            found = answer if found is None else max(found, answer, key=_usefulness)
        return found or self._absence(partition)

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
        return StateQueryResult(
            partitions={n: self.query_partition(n, query, config) for n in numbers},
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
        found: dict[str, Sequence[PartitionStatus]] = {
            self._node: tuple(self.local.statuses().values())
        }
        for name, link in list(self._links.items()):
            try:
                reply, _ = link.ask(AskStatuses(self.schema.name))
            except StoreError:
                continue
            if isinstance(reply, Statuses):
                found[name] = [replace(status, node=name) for status in reply.replicas]
        return found

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
        """
        self._check(partition)
        until_s = time.monotonic() + timeout_s
        bound = self._resolved_bound(bound)
        for node in self._order(partition):
            left_s = max(0.0, until_s - time.monotonic())
            if node == self._node:
                if self.local.wait(partition, bound, timeout_s=left_s):
                    return True
                continue
            request = WaitForBound(self.schema.name, partition, bound, left_s)
            try:
                reply, _ = self._links[node].ask(request, timeout_s=left_s + _WAIT_GRACE_S)
            except (KeyError, StoreError):
                continue
            if isinstance(reply, Met) and reply.is_met:
                return True
        return False

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back when a replica of a partition meets the bound; see `Store.when`.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: this node has too many waiters.
        """
        self._check(partition)
        bound = self._resolved_bound(bound)
        if partition in self.local.statuses():
            return self.local.when(partition, bound, callback)
        request = WaitForBound(self.schema.name, partition, bound, math.inf)
        links = [self._links[node] for node in self._order(partition) if node in self._links]
        waiting = RemoteWait(request, links, callback)
        waiting.begin()
        return waiting

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep an epoch of a partition at the first replica that can; see `Store.hold`."""
        for node in self._order(partition):
            if node == self._node:
                hold = self.local.hold(partition, epoch)
                if hold is not None:
                    return hold
                continue
            link = self._links.get(node)
            if link is None:
                continue
            try:
                reply, _ = link.ask(HoldEpoch(self.schema.name, partition, epoch))
            except StoreError:
                continue
            if isinstance(reply, HeldEpoch) and reply.hold >= 0:
                return RemoteHold(link, reply)
        return None

    def _order(self, partition: int) -> list[str]:
        """Return the nodes to ask: this one first, since it answers soonest, then the holders.

        The others come last: while a partition moves, a node that no longer is to hold it may be
        the only one that has caught up.
        """
        holders = self._holders(self.schema, partition)
        return list(dict.fromkeys((self._node, *holders, *self._links)))

    def _ask(
        self, node: str, partition: int, query: Query[R], config: QueryConfig
    ) -> QueryResult[R]:
        if node == self._node:
            return self.local.query_partition(partition, query, config)
        sent = None if config is DEFAULT_CONFIG else config
        request = Ask(self.schema.name, ((partition, sent_query(query)),), sent)
        try:
            link = self._links[node]
            reply, _ = link.ask(request)
        except (KeyError, NodeError) as error:
            why = "it is not connected" if isinstance(error, KeyError) else str(error)
            return _unreachable(node, f"node {node}: {why}")
        except StoreError as error:
            return Failure(
                reason=FailureReason.STORE_EXCEPTION, message=f"node {node}: {error}", node=node
            )
        if not isinstance(reply, Answers):
            why = reply.message if isinstance(reply, Refused) else "unexpected reply"
            return _unreachable(node, f"node {node} did not answer: {why}")
        (answer,) = reply.answers
        if answer.failed is not None:
            return _failure(node, answer)
        value = answer.value
        if isinstance(value, Opened):
            at_epoch = replace(config, at_epoch=answer.epoch)
            rows = RemoteRows(
                link, value.stream, lambda: self._reopened(partition, query, at_epoch, node)
            )
            value = BatchStream(rows.read, rows_in_memory=value.rows_in_memory)
        return Success(
            value=value, position=answer.position, epoch=answer.epoch, info=answer.info, node=node
        )

    def _reopened(
        self, partition: int, query: Query[Any], config: QueryConfig, lost: str
    ) -> BatchStream:
        """Return the same rows as another node has them.

        Raises:
            NodeError: none of them has the epoch.
        """
        why = f"node {lost} was lost while its rows were read"
        for node in self._order(partition):
            if node != lost:
                answer = self._ask(node, partition, query, config)
                if isinstance(answer, Success):
                    found: BatchStream = answer.value
                    return found
                why = f"{why}, and {node} did not answer: {answer.message}"
        raise NodeError(why)

    def _resolved(self, config: QueryConfig) -> QueryConfig:
        if not config.bound.latest:
            return config
        return replace(config, bound=self._resolved_bound(config.bound))

    def _resolved_bound(self, bound: PositionBound) -> PositionBound:
        """Return the bound with the latest epoch as a number, the same for all replicas.

        Raises:
            LogError: the log cannot be read now.
        """
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

    def _absence(self, partition: int) -> Failure:
        return Failure(
            reason=FailureReason.NOT_PRESENT,
            message=f'partition {partition} of store "{self.schema.name}" is on no node',
        )


def _failure(node: str, answer: Answer) -> Failure:
    assert answer.failed is not None
    reason, message, restoring = answer.failed
    return Failure(
        reason=FailureReason(reason),
        message=message,
        position=answer.position,
        epoch=answer.epoch,
        info=answer.info,
        restoring=restoring,
        node=node,
    )


def _unreachable(node: str, message: str) -> Failure:
    return Failure(reason=FailureReason.NOT_PRESENT, message=message, node=node)


def _usefulness(failure: Failure) -> tuple[int, bool, int]:
    """Return how much a failure says: that of a replica more than that of a missing one."""
    order = (FailureReason.NOT_PRESENT, FailureReason.STORE_EXCEPTION)
    known = order.index(failure.reason) if failure.reason in order else len(order)
    # That this node does not hold the partition says less than why others that do cannot answer.
    return known, failure.node is not None, failure.epoch


def _readiness(status: PartitionStatus) -> tuple[bool, int]:
    return status.state is ReplicaState.RUNNING, status.progress.epoch
