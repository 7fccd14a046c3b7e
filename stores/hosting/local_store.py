"""A store whose replicas are on this host: asks one or several of them, at one bound or epoch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from stategate.stores.errors import (
    FailureReason,
    InvalidPartitionError,
    LogError,
    StoreError,
    StoreNotAvailableError,
)
from stategate.stores.hosting.bound_waiters import Waiter
from stategate.stores.hosting.dispatch import Clock, query_partition
from stategate.stores.hosting.held_epochs import standstill
from stategate.stores.hosting.log_follower import LogFollower
from stategate.stores.hosting.log_reads import LogReads
from stategate.stores.hosting.replica import CLOSE_S, Replica, wall_clock_ms
from stategate.stores.log.inputs import Inputs
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import UNBOUNDED, Position, PositionBound, Progress
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import Failure, QueryResult, StateQueryResult
from stategate.stores.spec.schema import StoreKind, StoreSchema
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


class LocalStore:
    """A `Store` over the replicas of this host.

    Args:
        schema: the definition.
        replicas: the replicas by partition number; a host need not hold all.
        log: the log that they follow; None for a store that is filled by hand.
        clock: wall clock, for bounds on lag.
        inputs: the inputs of the store; None for those of the definition.
    """

    here: Store | None = None

    def __init__(
        self,
        schema: StoreSchema,
        replicas: Mapping[int, Replica],
        *,
        log: StoreLog | None = None,
        clock: Clock = wall_clock_ms,
        inputs: Inputs | None = None,
    ) -> None:
        self.schema = schema
        self.inputs = Inputs(schema.inputs, log=log) if inputs is None else inputs
        self._all = range(schema.partitions)
        self._is_global = schema.kind is StoreKind.GLOBAL
        self.replicas: Mapping[int, Replica] = dict(replicas)
        """The mapping is replaced as a whole, so a reader may go on with the one it has."""
        for replica in self.replicas.values():
            replica.inputs = self.inputs
        self.log = log
        self.note_waiting: Callable[[], None] | None = None
        """Called when someone waits for a bound, so that the follower looks at the log soon."""
        self._follower = None if log is None else LogFollower(log, self.inputs)
        self._clock = clock
        self._changing = threading.Lock()
        self._closed_by: type[StoreError] | None = None
        self._reads = LogReads(schema.name, is_local=log is None or log.directory.local)

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition."""
        replica = self.replicas.get(partition)
        if replica is None:
            return self._absence(partition)
        if config is not DEFAULT_CONFIG and config.bound is not UNBOUNDED:
            try:
                config = self._resolved(config)
            except LogError as error:
                return _unresolved(error, replica, config)
        return query_partition(replica, query, config, self._clock)

    def standing(self, partition: int) -> Progress | None:
        """Return where a partition stands, if it answers; see `Store`."""
        replica = self.replicas.get(partition)
        if replica is None or replica.state is not ReplicaState.RUNNING:
            return None
        try:
            return replica.engine.view.progress
        except StoreError:  # it was closed just now
            return None

    def query_each(
        self, targets: Sequence[Target], *, stop: Stop | None = None
    ) -> Iterator[QueryResult[Any]]:
        """Ask several partitions, one after another; see `Store`."""
        del stop  # nothing waits
        for number, query, config in targets:
            yield self.query_partition(number, query, config)

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; a missing one is in the result as a failure.

        Raises:
            StoreMigratedError: the store was closed, but its host goes on: get the store from it
                again.
            StoreNotAvailableError: the store was closed with its host.
        """
        if self._closed_by is not None:
            raise self._closed_by(f'store "{self.schema.name}" is closed')
        query, wanted, config = request.query, request.wanted, request.config
        numbers = self._all if wanted is None else sorted(wanted)
        if config is DEFAULT_CONFIG:
            partitions: dict[int, QueryResult[R]] = {}
            for number in numbers:
                partitions[number] = self._ask_resolved(number, query, config)
        elif config.bound.snapshot and config.at_epoch is None:
            partitions = self._ask_at_one_epoch(query, config, numbers)
        else:
            partitions = self._ask(query, config, numbers)
        return StateQueryResult(partitions=partitions, is_global=self._is_global)

    @property
    def is_closed(self) -> bool:
        """Whether `close` has been called."""
        return self._closed_by is not None

    def statuses(self) -> dict[int, PartitionStatus]:
        """Return the status of each partition on this host."""
        return {number: replica.status for number, replica in self.replicas.items()}

    def committed_epoch(self) -> int:
        """Return the newest epoch in the log; without a log, the newest applied.

        Raises:
            LogError: the log cannot be read now.
        """
        if self.log is not None:
            with self._reads.reading():
                newest = self.log.latest_epoch()
                # A store that was rebuilt goes on in another log, and answers from it soon.
                last = self.log.last()
                return newest if last is self.log else last.latest_epoch()
        return max((r.progress.epoch for r in self.replicas.values()), default=-1)

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        """Return the topics of a position that do not feed the store; see `Store.unread_topics`.

        Raises:
            LogError: there may be some, and the log cannot be read now.
        """
        if renew:
            self._require_inputs(position)
        unread = self.inputs.unread(position)
        if not unread:
            return unread
        applied = [replica.status.progress for replica in self.replicas.values()]
        if not self.inputs.topics and all(progress.epoch < 0 for progress in applied):
            return frozenset()
        counted = {topic for each in applied for topic, _ in each.position.components}
        return unread - counted

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound; False if it does not in time, or is not here.

        Raises:
            InvalidPartitionError: the store has no such partition.
            LogError: the bound is the latest epoch, or on a topic that is not a known input, and
                the log cannot be read now.
        """
        replica = self._checked(partition)
        return replica is not None and replica.wait(
            self._resolved_bound(bound), timeout_s=timeout_s
        )

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back once a partition meets the bound; see `Store.when`.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: the replica has as many waiters as it may.
            LogError: as `wait`.
        """
        replica = self._checked(partition)
        if replica is not None:
            return replica.when(self._resolved_bound(bound), callback)
        waiter = Waiter(None, callback)
        waiter.call(False)
        return waiter

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep a partition from forgetting an epoch; see `Store.hold`."""
        replica = self.replicas.get(partition)
        return None if replica is None else replica.hold(epoch)

    def follow_keys(self, partition: int) -> KeyLog | None:
        """Record the keys that epochs change; see `Store.follow_keys`."""
        replica = self.replicas.get(partition)
        return None if replica is None else replica.follow_keys()

    def add(self, replica: Replica) -> None:
        """Add a replica of one more partition.

        Raises:
            StoreError: it is held already, or the store is closed.
        """
        with self._changing:
            if replica.partition in self.replicas or self._closed_by is not None:
                why = (
                    "is held already"
                    if self._closed_by is None
                    else "cannot be added: the store is closed"
                )
                name = self.schema.name
                raise StoreError(f'partition {replica.partition} of store "{name}" {why}')
            replica.inputs = self.inputs
            self.replicas = {**self.replicas, replica.partition: replica}

    def drop(self, partition: int) -> Replica | None:
        """Drop a partition; queries of it that are running end normally."""
        with self._changing:
            replica = self.replicas.get(partition)
            if replica is None:
                return None
            self.replicas = {n: r for n, r in self.replicas.items() if n != partition}
        replica.close()
        return replica

    def follow(self) -> bool:
        """Apply the next epoch to every replica that has one waiting; True if any was applied.

        A torn or missing file stops only the replicas that need it: they go on serving their last
        good epoch, and try again at the next call.
        """
        assert self._follower is not None, "a store without a log is filled by hand"
        return self._follower.follow(self.replicas.values())

    def with_inputs(self, schema: StoreSchema) -> LocalStore:
        """Return the same replicas under a definition that differs only in inputs and comments."""
        for replica in self.replicas.values():
            replica.schema = schema
        self.inputs.add(schema.inputs)
        return LocalStore(
            schema, self.replicas, log=self.log, clock=self._clock, inputs=self.inputs
        )

    def close(
        self, raising: type[StoreError] = StoreNotAvailableError, *, timeout_s: float = CLOSE_S
    ) -> None:
        """Close all replicas.

        Args:
            raising: the error that `query` raises from then on.
            timeout_s: how long to wait for an epoch that is being applied to each.
        """
        with self._changing:
            self._closed_by = self._closed_by or raising
            held = self.replicas
        for replica in held.values():
            replica.close(timeout_s=timeout_s)

    def note_hung(self, why: str | None) -> None:
        """Let reads of the log fail, because its files do not answer; None lets them go on."""
        self._reads.hung = why
        if why is not None:
            for replica in self.replicas.values():
                replica.error = why

    def _ask(
        self, query: Query[R], config: QueryConfig, numbers: Iterable[int]
    ) -> dict[int, QueryResult[R]]:
        """Ask partitions one after the other, all with the same latest epoch."""
        unknown: LogError | None = None
        try:
            config = self._resolved(config)
        except LogError as error:
            unknown = error
        if unknown is None:
            return {number: self._ask_resolved(number, query, config) for number in numbers}
        return {
            number: self._absence(number)
            if (replica := self.replicas.get(number)) is None
            else _unresolved(unknown, replica, config)
            for number in numbers
        }

    def _ask_resolved(self, partition: int, query: Query[R], config: QueryConfig) -> QueryResult[R]:
        """Ask a partition with a bound that can be checked without the log."""
        replica = self.replicas.get(partition)
        if replica is None:
            return self._absence(partition)
        return query_partition(replica, query, config, self._clock)

    def _ask_at_one_epoch(
        self, query: Query[R], config: QueryConfig, numbers: Iterable[int]
    ) -> dict[int, QueryResult[R]]:
        """Ask partitions at one epoch: the newest epoch of the partition that is furthest behind.

        It is held until all have been asked, however far followers run ahead meanwhile. A partition
        that was too many epochs ahead before has forgotten it, and fails.
        """
        numbers = sorted(numbers)
        with standstill():
            found = [self.replicas[number] for number in numbers if number in self.replicas]
            statuses = [(replica, replica.status) for replica in found]
            running = [(r, s) for r, s in statuses if s.state is ReplicaState.RUNNING]
            epoch = min((status.progress.epoch for _, status in running), default=-1)
            holds = [replica.hold(epoch) for replica, _ in running]
        try:
            return self._ask(query, replace(config, at_epoch=epoch), numbers)
        finally:
            for hold in holds:
                if hold is not None:
                    hold.release()

    def _resolved(self, config: QueryConfig) -> QueryConfig:
        """Return the request's settings with a bound that can be checked without the log.

        Raises:
            LogError: as `_resolved_bound`.
        """
        bound = self._resolved_bound(config.bound)
        unread = self.unread_topics(bound.position, renew=False)
        if unread:
            bound = replace(bound, position=bound.position.without(unread))
        return config if bound is config.bound else replace(config, bound=bound)

    def _resolved_bound(self, bound: PositionBound) -> PositionBound:
        """Return the bound with the latest epoch as a number; its topics are looked up, too.

        Raises:
            LogError: the log has to be read for that, and cannot be now.
        """
        self._require_inputs(bound.position)
        if not bound.latest:
            return bound
        epoch = max(self.committed_epoch(), -1 if bound.epoch is None else bound.epoch)
        return replace(bound, latest=False, epoch=epoch)

    def _require_inputs(self, position: Position) -> None:
        if self.inputs.unread(position):
            with self._reads.reading():
                self.inputs.renew()

    def _checked(self, partition: int) -> Replica | None:
        if not 0 <= partition < self.schema.partitions:
            raise InvalidPartitionError(self._absence(partition).message)
        if self.note_waiting is not None:
            self.note_waiting()
        return self.replicas.get(partition)

    def _absence(self, partition: int) -> Failure:
        if not 0 <= partition < self.schema.partitions:
            return Failure(
                reason=FailureReason.DOES_NOT_EXIST,
                message=f'store "{self.schema.name}" has partitions 0 to '
                f"{self.schema.partitions - 1}, not {partition}",
            )
        return Failure(
            reason=FailureReason.NOT_PRESENT,
            message=f'partition {partition} of store "{self.schema.name}" is not on this node',
        )


def _unresolved(error: LogError, replica: Replica, config: QueryConfig) -> Failure:
    """Return the failure of a bound that needs the log, which cannot be read."""
    progress = replica.status.progress
    unknown = "the latest epoch is" if config.bound.latest else "the inputs of the store are"
    return Failure(
        reason=FailureReason.NOT_UP_TO_BOUND,
        message=f"{unknown} not known: {error}",
        position=progress.position,
        epoch=progress.epoch,
    )
