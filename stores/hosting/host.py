"""The host: opens the stores of a log on this node, keeps them following it, and answers queries.

It plays the part of `KafkaStreams` in KIP-796: `host.query(request)` answers for the partitions
that are on this node.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import TypeVar

from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.open_files import OpenFiles, files_of_process
from stategate.stores.errors import (
    ArgumentError,
    HostNotStartedError,
    HostRestoringError,
    HostStoppedError,
    StoreError,
    StoreMigratedError,
    StoreNotAvailableError,
)
from stategate.stores.hosting.follower import Follower
from stategate.stores.hosting.maintenance import EngineMaintenance
from stategate.stores.hosting.metrics import MetricsReading
from stategate.stores.hosting.open_stores import OpenStores, Placement, everything
from stategate.stores.hosting.partition_waits import wait_for_request
from stategate.stores.hosting.replica import Replica
from stategate.stores.hosting.replica_opener import ReplicaOpener
from stategate.stores.log.files.directory import Root
from stategate.stores.spec.arguments import require_integer, require_name, require_path, shown
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.result import StateQueryResult
from stategate.stores.spec.store import (
    PartitionStatus,
    ReplicaState,
    Role,
    StateQueryRequest,
    Store,
)

R = TypeVar("R")
_logger = logging.getLogger(__name__)

CLOSE_S = 30.0
"""How long closing waits for an epoch that is being applied."""


class HostState(Enum):
    """The states of a host. A table in the README shows how a query is answered in each."""

    CREATED = "created"
    """It has not been started."""
    RESTORING = "restoring"
    """Started; the log has not been read, or a replica has yet to catch up."""
    RUNNING = "running"
    """Started, and every replica answers."""
    STOPPING = "stopping"
    """Closing; running queries may finish."""
    STOPPED = "stopped"
    """Closed."""
    ERROR = "error"
    """It could not start, or its follower has failed; all stores are closed. Make another host."""


class Host:
    """The stores of a state log on this node.

    Args:
        root: path or URI of the state log; it may appear later.
        data: directory for the databases, kept across restarts, for one host at a time; None for a
            temporary one.
        node: name of this node, as answers show it.
        poll_ms: how often to look for the next epoch of a store that changes; see
            `stategate.stores.hosting.schedule` for others.
        cache_bytes: memory for the block cache, shared by all replicas.
        columns_bytes: memory for decoded columns of whole scans, not of versioned stores; or 0.
        rows_bytes: memory for rows that are looked up again, or were read in small ranges; or 0.
        open_files: about how many files the databases may have open; the ones least used are closed
            until they are needed. 0 allows half of the files that the process may open.
        placement: which partitions of a new store to hold, and in which role.

    Raises:
        ArgumentError: one of these has the wrong type or value.
    """

    nodes: Nodes | None = None

    def __init__(
        self,
        root: Root,
        data: Root | None = None,
        *,
        node: str = "local",
        poll_ms: int = 25,
        cache_bytes: int = 256 << 20,
        columns_bytes: int = 256 << 20,
        rows_bytes: int = 256 << 20,
        open_files: int = 0,
        placement: Placement = everything,
    ) -> None:
        self.root, self.node = require_path("root", root), require_name("node", node)
        self._phase = HostState.CREATED
        self._failure: str | None = None
        """Why it is in the state ERROR."""
        self._poll_s = require_integer("poll_ms", poll_ms, least=1) / 1000
        self._columns = ColumnBudget(require_integer("columns_bytes", columns_bytes))
        files_max = require_integer("open_files", open_files) or files_of_process() // 2
        self._files = OpenFiles(files_max)
        opener = ReplicaOpener(
            None if data is None else Path(require_path("data", data)),
            cache_bytes=require_integer("cache_bytes", cache_bytes),
            columns=self._columns,
            rows_bytes=require_integer("rows_bytes", rows_bytes),
            files=self._files,
        )
        if not callable(placement):
            raise ArgumentError(f"placement must be a function, not {shown(placement)}")
        self._open = OpenStores(self.root, opener, placement)
        self.editions = self._open.editions
        """The stores under all definitions that are open, for other nodes."""
        self.held_s = self._open.held_s
        self._follower: Follower | None = None
        self._maintenance = EngineMaintenance(self._maintained)

    @property
    def error(self) -> str | None:
        """The reason why it does not follow the whole log; None if it does."""
        follower = self._follower
        return self._failure or (None if follower is None else follower.error)

    @property
    def state(self) -> HostState:
        """Its state now."""
        if self._phase is not HostState.RUNNING:
            return self._phase
        restored = self._open.are_known and all(
            replica.state is not ReplicaState.RESTORING
            for store in self._open.local.values()
            for replica in store.replicas.values()
        )
        return HostState.RUNNING if restored else HostState.RESTORING

    @property
    def stores(self) -> Mapping[str, Store]:
        """The open stores by name, as of now."""
        return self._open.served

    @property
    def version(self) -> int:
        """Counts up whenever a definition is added, changed or removed."""
        return self._open.version

    @property
    def is_ready(self) -> bool:
        """Whether the log has been found and every replica answers."""
        running = ReplicaState.RUNNING
        return (
            self.state is HostState.RUNNING
            and self.error is None
            and all(
                status.state is running and status.error is None
                for statuses in self.statuses().values()
                for status in statuses.values()
            )
        )

    def statuses(self) -> dict[str, dict[int, PartitionStatus]]:
        """Return the status of every replica, by store and partition."""
        return {name: store.statuses() for name, store in self._open.local.items()}

    def metrics(self) -> dict[str, MetricsReading]:
        """Return the counters of each store since the host began, by name."""
        return self._open.metrics()

    @property
    def columns_bytes(self) -> int:
        """The memory that decoded columns use; see `rocksdb.column_cache`."""
        return self._columns.used_bytes

    @property
    def open_databases(self) -> int:
        """How many databases are open; the others are at rest."""
        return self._files.databases

    @property
    def open_files(self) -> int:
        """About how many files the databases have open."""
        return self._files.used

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask a store. An error of one partition is in the result, and is not raised.

        Raises:
            HostNotStartedError: `start` has not been called.
            HostRestoringError: the log, or this store in it, cannot be read yet.
            HostStoppedError: the host is stopping, has stopped or has failed.
            UnknownKindError: the store is of a kind that is not registered here.
            UnknownStoreError: there is no store of that name.
        """
        if self._phase is not HostState.RUNNING:
            raise self._not_running()
        store = self._open.served.get(request.store)
        if store is None:
            raise self.missing(request.store)
        try:
            return store.query(request)
        except StoreNotAvailableError as error:
            raise self._not_running() from error
        except StoreMigratedError as error:
            renewed = self._open.served.get(request.store)
            if renewed is None or renewed is store:
                why = f'store "{request.store}" is being started over'
                raise HostRestoringError(why) from error
            return renewed.query(request)

    def wake(self, store: str) -> None:
        """Look for the next epoch of a store now: a hint that saves the pause until the next look.

        A name that the log does not have does no harm. Before `start` it does nothing.
        """
        if self._follower is not None:
            self._follower.wake(store)

    def wait(self, request: StateQueryRequest[R], *, timeout_s: float) -> bool:
        """Block until all partitions that a request asks meet its bound; False if not in time.

        Raises:
            StoreError: as `query`, or as `partition_waits.wait_for_request`.
        """
        if self._phase is not HostState.RUNNING:
            raise self._not_running()
        store = self._open.served.get(request.store)
        if store is None:
            raise self.missing(request.store)
        return wait_for_request(store, request, timeout_s=timeout_s)

    def start(self) -> None:
        """Open the stores of the log and follow it in threads; return once they are open.

        A store whose definition or records cannot be read now does not keep the others from being
        served: `error` names it. Nor does one whose files hang.

        Raises:
            StoreError: a database cannot be opened, or the host was started before.
            LogError: no file system of that kind is known.
        """
        if self._phase is not HostState.CREATED:
            raise StoreError(f"the host cannot be started, it is {self.state.value}")
        try:
            self._follower = Follower(self._open, poll_s=self._poll_s, failed=self._fail)
            self._follower.start()
        except Exception as error:
            self._phase, self._failure = HostState.ERROR, str(error)
            self._open.close()
            raise
        self._phase = HostState.RUNNING
        self._maintenance.start()
        self._follower.follow()

    def close(self, *, timeout_s: float = CLOSE_S) -> None:
        """Stop following and close all replicas; repeated calls do nothing.

        Applied epochs are on disk. Threads that hang in a file system are abandoned, and all others
        after `timeout_s`. Their stores answer no query from then on, and the threads close the
        databases if they ever return.
        """
        if self._phase in {HostState.STOPPED, HostState.ERROR}:
            return
        self._phase = HostState.STOPPING
        deadline = time.monotonic() + timeout_s
        self._maintenance.stop(timeout_s=timeout_s)
        abandoned: frozenset[str] = frozenset()
        if self._follower is not None:
            abandoned = self._follower.stop(timeout_s=max(0.0, deadline - time.monotonic()))
        if abandoned:
            names = ", ".join(sorted(abandoned))
            _logger.error("stores hang, closing without them root=%s stores=%s", self.root, names)
        self._open.close(abandoned)
        self._phase = HostState.STOPPED

    # Replicas

    def add_replica(self, store: str, partition: int, role: Role = Role.ACTIVE) -> None:
        """Hold one more partition; it answers once it has caught up with the log.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: the store has no such partition.
            StoreError: it is held already; or its database cannot be opened, for instance because
                streams of a dropped replica are still being read.
            LogError: the log cannot be read now.
        """
        with self._changing(store) as stores:
            stores.add_replica(store, partition, role)

    def promote(self, store: str, partition: int) -> None:
        """Make a replica active: it answers requests that require an active one.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        with self._changing(store) as stores:
            stores.set_role(store, partition, Role.ACTIVE)

    def demote(self, store: str, partition: int) -> None:
        """Make a replica a standby: it goes on following and answers all other requests.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        with self._changing(store) as stores:
            stores.set_role(store, partition, Role.STANDBY)

    def drop(self, store: str, partition: int, *, remove: bool = False) -> None:
        """Drop a partition: `NOT_PRESENT` from then on; open streams can be read to their end.

        Args:
            store: its name.
            partition: its number.
            remove: remove its files, too; otherwise a replica that is added later goes on from
                them.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        with self._changing(store) as stores:
            stores.drop_replica(store, partition, remove=remove)

    @contextlib.contextmanager
    def _changing(self, store: str) -> Iterator[OpenStores]:
        """Return the stores, of which no other thread changes or closes this one meanwhile."""
        with self._open.changing(store):
            if self._phase is not HostState.RUNNING:
                raise self._not_running()
            yield self._open

    # Why a query is refused

    def _not_running(self) -> StoreError:
        if self._phase is HostState.CREATED:
            return HostNotStartedError("the host has not been started")
        if self._phase is HostState.ERROR:
            return HostStoppedError(f"the host has failed: {self.error}")
        is_ending = self._phase is HostState.STOPPING
        return HostStoppedError(f"the host {'is stopping' if is_ending else 'has stopped'}")

    def is_whole(self) -> bool:
        """Return whether all stores that are in the log now are open."""
        return self._open.are_all_in_log()

    def missing(self, store: str) -> StoreError:
        """Return why a store is not open; see `StoreCatalog.missing`."""
        if self._phase is not HostState.RUNNING:
            return self._not_running()
        return self._open.missing(store)

    def _fail(self, error: Exception) -> None:
        """End, because nothing can be followed any more."""
        _logger.error("the follower has ended root=%s", self.root, exc_info=error)
        self._phase, self._failure = HostState.ERROR, str(error)
        self._maintenance.stop(timeout_s=CLOSE_S)
        self._open.close()

    def _maintained(self) -> Iterator[Replica]:
        """Yield the replicas to maintain; no replica while any of them has yet to catch up."""
        if self.state is HostState.RUNNING:
            for store in self._open.local.values():
                yield from store.replicas.values()
