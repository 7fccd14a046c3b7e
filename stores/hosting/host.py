"""A node's stores: finds them in the state log, opens their replicas, keeps them following.

The part that `KafkaStreams` has in KIP-796: `host.query(request)` answers for the partitions that
are held here.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from stores.engines.rocksdb.column_budget import ColumnBudget
from stores.errors import (
    ArgumentError,
    HostNotStartedError,
    HostRestoringError,
    HostStoppedError,
    InvalidPartitionError,
    LogError,
    SchemaError,
    StoreError,
    StoreMigratedError,
    StoreNotAvailableError,
    UnknownKindError,
    UnknownStoreError,
)
from stores.hosting.local_store import LocalStore
from stores.hosting.log_follower import is_same_log
from stores.hosting.maintenance import Upkeep
from stores.hosting.metrics import MeteredStore, Metrics, MetricsReading
from stores.hosting.opening import Opener
from stores.hosting.partition_waits import wait_for_request
from stores.hosting.replica import Replica
from stores.log.state_log import Root, StateLog, StoreLog
from stores.spec.arguments import require_integer, require_name, require_path, shown
from stores.spec.result import StateQueryResult
from stores.spec.schema import StoreSchema
from stores.spec.store import (
    PartitionStatus,
    ReplicaState,
    Role,
    StateQueryRequest,
    Store,
)

R = TypeVar("R")
T = TypeVar("T")
_logger = logging.getLogger(__name__)

_DISCOVER_S = 1.0
"""How often the log is searched for new stores, and replicas are held against it."""
_BACKOFF_S = 0.5
"""Pause after a log that could not be read."""
_GONE_S = 5.0
"""How long a store must be missing from a log that can be read before it is dropped."""
CLOSE_S = 30.0
"""How long closing waits for the follower, which may hang in a file system that does."""

Placement: TypeAlias = Callable[[StoreSchema], Mapping[int, Role]]
"""The partitions of a store that a host is to hold, each with its role."""


class HostState(Enum):
    """Where a host is in its life. See the table in the README for what a query gets in each."""

    CREATED = "created"
    """Not started."""
    RESTORING = "restoring"
    """Started; the log has not been read, or a replica has yet to catch up."""
    RUNNING = "running"
    """Started, and every replica answers."""
    STOPPING = "stopping"
    """Closing; what runs is let finish."""
    STOPPED = "stopped"
    """Closed."""
    ERROR = "error"
    """Could not start, or follows no longer; whatever was open is closed. Make another."""


def everything(schema: StoreSchema) -> Mapping[int, Role]:
    """Every partition, active: the placement of a node that is alone."""
    return dict.fromkeys(range(schema.partitions), Role.ACTIVE)


class Host:
    """The stores of a state log on this node.

    Args:
        root: path or URI of the state log; it may appear later.
        data: directory for the databases, kept across restarts; None for a temporary one. Of one
            host at a time.
        node: this node's name, as answers show it.
        poll_ms: how often the log is asked for the next epoch.
        cache_bytes: block cache, shared by all replicas.
        columns_bytes: decoded columns of all but versioned stores, for whole scans; 0 keeps none.
        rows_bytes: rows that are looked up again and again, of keyvalue and global stores; 0 keeps
            none.
        placement: which partitions to hold of a store when it is found, and in which role.

    Raises:
        ArgumentError: one of these is not what it should be.
    """

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
        placement: Placement = everything,
    ) -> None:
        self.root, self.node = require_path("root", root), require_name("node", node)
        self.error: str | None = None
        self._phase = HostState.CREATED
        self._data = None if data is None else Path(require_path("data", data))
        self._temporary: Path | None = None
        self._poll_s = require_integer("poll_ms", poll_ms, least=1) / 1000
        self._opener: Opener
        """From the start on, when there is a directory."""
        self._columns = ColumnBudget(require_integer("columns_bytes", columns_bytes))
        self._open_in = partial(
            Opener,
            cache_bytes=require_integer("cache_bytes", cache_bytes),
            columns=self._columns,
            rows_bytes=require_integer("rows_bytes", rows_bytes),
        )
        if not callable(placement):
            raise ArgumentError(f"placement must be a function, not {shown(placement)}")
        self._placement = placement
        self._placed: dict[str, dict[int, Role]] = {}
        self._stores: Mapping[str, LocalStore] = {}
        self._served: Mapping[str, Store] = {}
        self._metrics: dict[str, Metrics] = {}
        self._version = 0
        self._names: frozenset[str] | None = None
        """What the log held when it was last searched; None if it could not be."""
        self._unopened: Mapping[str, tuple[type[StoreError], str]] = {}
        """What keeps stores that are in the log from being open, as of then, by name."""
        self._gone_since: dict[str, float] = {}
        self._changing = threading.RLock()
        """Held to open, replace or drop stores and replicas; never while a query runs."""
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._upkeep = Upkeep(self._tended)

    @property
    def state(self) -> HostState:
        """Where it is in its life."""
        if self._phase is not HostState.RUNNING:
            return self._phase
        restored = self._names is not None and all(
            replica.state is not ReplicaState.RESTORING
            for store in self._stores.values()
            for replica in store.replicas.values()
        )
        return HostState.RUNNING if restored else HostState.RESTORING

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores by name, as they are now."""
        return self._served

    @property
    def version(self) -> int:
        """Counts up whenever a definition is added, changed or removed."""
        return self._version

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
        """Every replica as it stands now, by store and partition."""
        return {name: store.statuses() for name, store in self._stores.items()}

    def metrics(self) -> dict[str, MetricsReading]:
        """What each store has counted since the host began, by name."""
        return {name: metrics.read() for name, metrics in list(self._metrics.items())}

    @property
    def columns_bytes(self) -> int:
        """How much of the memory for decoded columns is used; see `rocksdb.column_cache`."""
        return self._columns.used_bytes

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask a store. What goes wrong inside a partition is in the result, and is not raised.

        Raises:
            HostNotStartedError: `start` has not been called.
            HostRestoringError: the log, or this store in it, cannot be read yet.
            HostStoppedError: the host is stopping, has stopped or has failed.
            UnknownKindError: the store is of a kind that is not registered here.
            UnknownStoreError: no store of that name.
        """
        if self._phase is not HostState.RUNNING:
            raise self._not_running()
        store = self._served.get(request.store)
        if store is None:
            raise self.missing(request.store)
        try:
            return store.query(request)
        except StoreNotAvailableError as error:
            raise self._not_running() from error
        except StoreMigratedError as error:
            renewed = self._served.get(request.store)
            if renewed is None or renewed is store:
                raise HostRestoringError(
                    f'store "{request.store}" is being started over'
                ) from error
            return renewed.query(request)

    def wait(self, request: StateQueryRequest[R], *, timeout_s: float) -> bool:
        """Block until all partitions that a request asks meet its bound; False if not in time.

        Raises:
            StoreError: as `query`, or as `stores.hosting.partition_waits.wait_for_request`.
        """
        if self._phase is not HostState.RUNNING:
            raise self._not_running()
        store = self._served.get(request.store)
        if store is None:
            raise self.missing(request.store)
        return wait_for_request(store, request, timeout_s=timeout_s)

    def start(self) -> None:
        """Open what the log holds and follow it in a thread; returns once stores are opened.

        A store whose definition or records cannot be read, now, does not keep the others from being
        served: `error` names it.

        Raises:
            StoreError: a database cannot be opened, or the host was started before.
            LogError: no file system of that kind is known.
        """
        if self._phase is not HostState.CREATED:
            raise StoreError(f"the host cannot be started, it is {self.state.value}")
        if self._data is None:
            self._temporary = self._data = Path(tempfile.mkdtemp(prefix="stategate-"))
        self._opener = self._open_in(self._data)
        try:
            for error in self._discover():
                if not isinstance(error, LogError | SchemaError):
                    raise error
        except Exception as error:
            self._phase, self.error = HostState.ERROR, str(error)
            self._release()
            raise
        self._phase = HostState.RUNNING
        self._thread = threading.Thread(target=self._run, name="follow-log", daemon=True)
        self._thread.start()
        self._upkeep.start()

    def close(self, *, timeout_s: float = CLOSE_S) -> None:
        """Stop following and close all replicas; what was applied is on disk. Once is enough.

        A follower that hangs, because its file system does, is left behind after `timeout_s`; no
        query is answered any more, and the follower closes the databases if it ever comes back.
        """
        if self._phase in {HostState.STOPPED, HostState.ERROR}:
            return
        self._phase = HostState.STOPPING
        self._stopping.set()
        deadline = time.monotonic() + timeout_s
        self._upkeep.stop(timeout_s=timeout_s)
        if self._thread is not None:
            self._thread.join(max(0.0, deadline - time.monotonic()))
            if self._thread.is_alive():
                _logger.error("the follower hangs and is left behind root=%s", self.root)
                self._phase = HostState.STOPPED
                return
        self._release()
        self._phase = HostState.STOPPED

    # Replicas

    def add_replica(self, store: str, partition: int, role: Role = Role.ACTIVE) -> None:
        """Hold one more partition; it answers once it has caught up with the log.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: the store has no such partition.
            StoreError: it is held already; or its database cannot be opened, for instance because
                somebody still reads what a replica held that was dropped just now.
            LogError: the log cannot be read now.
        """
        with self._held(store, partition) as held:
            if partition in held.replicas:
                raise StoreError(f'partition {partition} of store "{store}" is held already')
            assert held.log is not None
            held.add(self._opener.open(held.schema, held.log, partition, role))
            self._placed[store][partition] = role
            _logger.info(
                "replica added store=%s partition=%d role=%s", store, partition, role.value
            )

    def promote(self, store: str, partition: int) -> None:
        """Make a replica the active one: it answers requests that require that.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        self._turn(store, partition, Role.ACTIVE)

    def demote(self, store: str, partition: int) -> None:
        """Make a replica a standby: it goes on following and answers all other requests.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        self._turn(store, partition, Role.STANDBY)

    def drop(self, store: str, partition: int, *, remove: bool = False) -> None:
        """Hold a partition no longer: `NOT_PRESENT` from then on; streams are read to their end.

        Args:
            store: its name.
            partition: its number.
            remove: remove its files, too; else a replica that is added again goes on from them.

        Raises:
            HostNotStartedError, HostRestoringError: as `query`.
            HostStoppedError, UnknownStoreError: as `query`.
            InvalidPartitionError: there is no such partition, or no replica of it here.
        """
        with self._held(store, partition) as held:
            if held.drop(partition) is None:
                raise InvalidPartitionError(_not_here(store, partition))
            self._placed[store].pop(partition, None)
            if remove:
                self._opener.remove(held.schema, partition)
            _logger.info("replica dropped store=%s partition=%d", store, partition)

    def _turn(self, store: str, partition: int, role: Role) -> None:
        with self._held(store, partition) as held:
            replica = held.replicas.get(partition)
            if replica is None:
                raise InvalidPartitionError(_not_here(store, partition))
            replica.role = self._placed[store][partition] = role
            _logger.info(
                "replica turned store=%s partition=%d role=%s", store, partition, role.value
            )

    @contextlib.contextmanager
    def _held(self, store: str, partition: int) -> Iterator[LocalStore]:
        with self._changing:
            if self._phase is not HostState.RUNNING:
                raise self._not_running()
            held = self._stores.get(store)
            if held is None:
                raise self.missing(store)
            if not 0 <= partition < held.schema.partitions:
                raise InvalidPartitionError(
                    f'store "{store}" has partitions 0 to {held.schema.partitions - 1}, '
                    f"not {shown(partition)}"
                )
            yield held

    # Why a query is refused

    def _not_running(self) -> StoreError:
        if self._phase is HostState.CREATED:
            return HostNotStartedError("the host has not been started")
        if self._phase is HostState.ERROR:
            return HostStoppedError(f"the host has failed: {self.error}")
        state = "is stopping" if self._phase is HostState.STOPPING else "has stopped"
        return HostStoppedError(f"the host {state}")

    def is_whole(self) -> bool:
        """Whether all stores that are in the log now are open."""
        try:
            return self._served.keys() >= set(StateLog(self.root).stores())
        except StoreError:
            return False

    def missing(self, store: str) -> StoreError:
        """Why a store is not among those that are open; see `StoreCatalog.missing`.

        It may only be called unknown by who has read which ones there are.
        """
        if self._phase is not HostState.RUNNING:
            return self._not_running()
        if self._names is None:
            return HostRestoringError(f"the log has not been read: {self.error}")
        if store not in self._names:
            return UnknownStoreError(f'store "{store}" does not exist')
        kind, why = self._unopened.get(store, (StoreError, "it is being opened"))
        if issubclass(kind, UnknownKindError):
            return UnknownKindError(why)
        return HostRestoringError(f'store "{store}" cannot be opened yet: {why}')

    # Following

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # the outermost loop of this thread
            _logger.exception("the follower has ended root=%s", self.root)
            self._phase, self.error = HostState.ERROR, str(error)
            self._upkeep.stop(timeout_s=CLOSE_S)
            self._release()
        finally:
            if self._phase is HostState.STOPPED:
                # Who closed the host did not wait for this thread.
                self._release()

    def _follow(self) -> None:
        discovered = time.monotonic()
        while not self._stopping.is_set():
            if time.monotonic() - discovered >= _DISCOVER_S:
                self._guarded(self._discover)
                discovered = time.monotonic()
            busy = False
            for store in self._stores.values():
                busy = self._guarded(store.follow) is True or busy
                if self._stopping.is_set():
                    return
            if not busy:
                self._stopping.wait(self._poll_s if self.error is None else _BACKOFF_S)

    def _guarded(self, step: Callable[[], T]) -> T | None:
        """Run a step of the follower, which must outlive whatever a step runs into."""
        try:
            return step()
        except Exception as error:
            if self.error != str(error):
                _logger.exception("following the log failed root=%s", self.root)
            self.error = str(error)
            return None

    def _discover(self) -> list[StoreError]:
        """Open stores that are new in the log, and start over those whose log is another.

        Returns:
            What kept a store, or all of them, from being opened.
        """
        log = StateLog(self.root)
        errors: list[StoreError] = []
        unopened: dict[str, tuple[type[StoreError], str]] = {}
        names: frozenset[str] | None = None
        try:
            names = frozenset(log.stores())
        except LogError as error:
            errors.append(error)
        for name in sorted(names or ()):
            try:
                with self._changing:
                    self._refresh(name, log)
            except StoreError as error:
                errors.append(error)
                # Not the error itself, whose frames may hold a database open.
                unopened[name] = type(error), str(error)
        message = "; ".join(map(str, errors)) or None
        if message is not None and self.error != message:
            _logger.warning("stores cannot be opened root=%s errors=%s", self.root, message)
        self.error, self._names, self._unopened = message, names, unopened
        if names is not None:
            self._drop_gone(names)
        return errors

    def _refresh(self, name: str, root: StateLog) -> None:
        held = self._stores.get(name)
        # The log that is followed has the definition read, and knows the newest epoch.
        log = root.store(name) if held is None or held.log is None else held.log
        schema = log.schema()
        if held is None:
            self._publish(self._open(schema, log))
        elif not _is_followed(held, schema, log):
            _logger.warning("store is another than before, starting over store=%s", name)
            # Until its databases can be opened again, which a reader of the old ones may delay, the
            # closed store stands for it: its partitions are not present.
            held.close(StoreMigratedError)
            if held.schema.partitions != schema.partitions:
                # What was placed, turned or dropped until now were other partitions.
                self._placed.pop(name, None)
            self._publish(self._open(schema, root.store(name)))
        elif held.schema != schema:
            self._publish(held.with_inputs(schema))

    def _drop_gone(self, names: frozenset[str]) -> None:
        """Drop stores that were removed from the log.

        Not at once, and their files stay: a mount that is away for a moment looks just like it.
        """
        now = time.monotonic()
        for name in self._stores.keys() - names:
            if now - self._gone_since.setdefault(name, now) < _GONE_S:
                continue
            with self._changing:
                _logger.warning("store is gone from the log, dropping it store=%s", name)
                gone = self._stores[name]
                self._stores = {n: s for n, s in self._stores.items() if n != name}
                self._served = {n: s for n, s in self._served.items() if n != name}
                self._placed.pop(name, None)
                self._version += 1
                gone.close(StoreMigratedError)
        self._gone_since = {
            n: at for n, at in self._gone_since.items() if n in self._stores and n not in names
        }

    def _publish(self, store: LocalStore) -> None:
        name = store.schema.name
        metrics = self._metrics.setdefault(name, Metrics())
        self._stores = {**self._stores, name: store}
        self._served = {**self._served, name: MeteredStore(store, metrics)}
        self._version += 1

    def _tended(self) -> Iterator[Replica]:
        """Those whose engines are tended: none as long as one has yet to catch up."""
        if self.state is HostState.RUNNING:
            for store in self._stores.values():
                yield from store.replicas.values()

    # Opening and closing

    def _open(self, schema: StoreSchema, log: StoreLog) -> LocalStore:
        placed = self._placed.get(schema.name)
        if placed is None:
            placed = dict(self._placement(schema))
        roles = {n: role for n, role in sorted(placed.items()) if 0 <= n < schema.partitions}
        replicas: dict[int, Replica] = {}
        try:
            for partition, role in roles.items():
                replicas[partition] = self._opener.open(schema, log, partition, role)
        except StoreError:
            for replica in replicas.values():
                replica.close()
            raise
        self._placed[schema.name] = roles
        _logger.info("store opened store=%s partitions=%d", schema.name, len(replicas))
        return LocalStore(schema, replicas, log=log)

    def _release(self) -> None:
        """Close all that is open; harmless if it is closed."""
        with self._changing:
            for store in self._stores.values():
                store.close()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)


def _not_here(store: str, partition: int) -> str:
    return f'partition {partition} of store "{store}" is not on this node'


def _is_followed(store: LocalStore, schema: StoreSchema, log: StoreLog) -> bool:
    """Whether a store is open, of this definition, and made from this log.

    Its inputs may have become more: they decide which bounds count, not what the rows mean.
    All replicas of a store have applied the same commits, so one of the furthest stands for all.
    """
    if replace(store.schema, inputs=()) != replace(schema, inputs=()):
        return False
    statuses = store.statuses().values()
    furthest = max(statuses, key=lambda status: status.progress.epoch, default=None)
    if furthest is None:
        return not store.is_closed
    return furthest.state is not ReplicaState.CLOSED and is_same_log(log, furthest.progress)
