"""The stores of a log that are open on this node: found, opened, started over and dropped."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TypeAlias

from stategate.stores.errors import (
    HostRestoringError,
    InvalidPartitionError,
    LogError,
    LogMissingError,
    StoreError,
    StoreMigratedError,
)
from stategate.stores.hosting.editions import Editions
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.log_follower import is_same_log
from stategate.stores.hosting.log_names import LogNames
from stategate.stores.hosting.metrics import MeteredStore, Metrics, MetricsReading
from stategate.stores.hosting.replica import Replica
from stategate.stores.hosting.replica_opener import ReplicaOpener
from stategate.stores.hosting.successors import Successors
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.spec.arguments import shown
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import ReplicaState, Role, Store

_logger = logging.getLogger(__name__)

_GONE_S = 5.0
"""How long a store must be missing from a log that can be read before it is dropped."""
_CHANGE_S = 10.0
"""How long a change of a store waits for another one, which reads the log."""

Placement: TypeAlias = Callable[[StoreSchema], Mapping[int, Role]]
"""The partitions of a store that a host is to hold, each with its role."""


def everything(schema: StoreSchema) -> Mapping[int, Role]:
    """Place every partition, active: the placement of a node that is alone."""
    return dict.fromkeys(range(schema.partitions), Role.ACTIVE)


class OpenStores:
    """The open stores of one log. Read from any thread; a store is changed under its `changing`.

    Args:
        root: path or URI of the state log.
        opener: opens the replicas.
        placement: which partitions of a new store to hold, and in which role.
    """

    def __init__(self, root: str, opener: ReplicaOpener, placement: Placement) -> None:
        self._locks: dict[str, threading.RLock] = {}
        self._publishing = threading.Lock()
        """Held to replace what readers of all stores see, for microseconds."""
        self._is_closed = False
        self.local: Mapping[str, LocalStore] = {}
        """The stores by name. It is replaced as a whole, so a reader may keep the old mapping."""
        self.served: Mapping[str, Store] = {}
        """The same stores with their queries counted."""
        self.version = 0
        """Counts up whenever a definition is added, changed or removed."""
        self._root, self._opener, self._placement = root, opener, placement
        self._placed: dict[str, dict[int, Role]] = {}
        self._metrics: dict[str, Metrics] = {}
        self._names = LogNames(root)
        self._gone_since: dict[str, float] = {}
        self.editions = Editions()
        """The stores that other nodes can ask for."""
        self._successors = Successors(opener, self.editions)

    @cached_property
    def log(self) -> StateLog:
        """The log.

        Raises:
            LogError: no file system of that kind is known.
        """
        return StateLog(self._root)

    @property
    def error(self) -> str | None:
        """All errors, as one text; None if every store could be opened."""
        return self._names.error

    @property
    def are_known(self) -> bool:
        """Whether the last search could list the stores."""
        return self._names.stores is not None

    @property
    def candidates(self) -> frozenset[str]:
        """The open stores, and the names in the log that may be others."""
        return self._names.listed | self.local.keys()

    def may_be_store(self, name: str) -> bool:
        """Whether a name had a definition when it was last looked at."""
        return self._names.may_be_store(name)

    @contextmanager
    def changing(self, name: str, *, wait_s: float | None = None) -> Iterator[None]:
        """Hold a store, to open, replace or drop it or its replicas; not while a query runs.

        Raises:
            HostRestoringError: another thread has held it for all of that time.
        """
        lock = self._locks.setdefault(name, threading.RLock())
        if not lock.acquire(timeout=_CHANGE_S if wait_s is None else wait_s):
            raise HostRestoringError(f'store "{name}" is being changed: try again')
        try:
            yield
        finally:
            lock.release()

    def metrics(self) -> dict[str, MetricsReading]:
        """Return the counters of each store since the host began, by name."""
        return {name: metrics.read() for name, metrics in list(self._metrics.items())}

    def held_s(self) -> dict[str, float]:
        """Return for how many seconds readers have held an epoch of each store; 0 for none."""
        return {
            name: max((replica.held_s for replica in store.replicas.values()), default=0.0)
            for name, store in self.local.items()
        }

    def are_all_in_log(self) -> bool:
        """Return whether all stores that are in the log now are open."""
        try:
            others = self.log.names() - self.served.keys()
            return self._names.are_opened and not any(map(self._is_defined, others))
        except StoreError:
            return False

    def _is_defined(self, name: str) -> bool:
        return self.log.store(name).defined()

    def missing(self, name: str) -> StoreError:
        """Return why a store is not open; see `LogNames.missing`."""
        return self._names.missing(name)

    # Replicas

    def add_replica(self, name: str, partition: int, role: Role) -> None:
        """Open one more partition; see `Host.add_replica`."""
        store = self._checked(name, partition)
        if partition in store.replicas:
            raise StoreError(f'partition {partition} of store "{name}" is held already')
        assert store.log is not None
        store.add(self._opener.open(store.schema, store.log, partition, role))
        self._placed[name][partition] = role
        self._successors.drop(name)
        _logger.info("replica added store=%s partition=%d role=%s", name, partition, role.value)

    def set_role(self, name: str, partition: int, role: Role) -> None:
        """Give a replica another role; see `Host.promote`."""
        replica = self._checked(name, partition).replicas.get(partition)
        if replica is None:
            raise _not_here(name, partition)
        replica.role = self._placed[name][partition] = role
        self._successors.drop(name)
        _logger.info(
            "replica role changed store=%s partition=%d role=%s", name, partition, role.value
        )

    def drop_replica(self, name: str, partition: int, *, remove: bool) -> None:
        """Close a partition; see `Host.drop`."""
        store = self._checked(name, partition)
        if store.drop(partition) is None:
            raise _not_here(name, partition)
        self._placed[name].pop(partition, None)
        self._successors.drop(name)
        if remove:
            self._opener.remove(store.schema, partition)
        _logger.info("replica dropped store=%s partition=%d", name, partition)

    def _checked(self, name: str, partition: int) -> LocalStore:
        store = self.local.get(name)
        if store is None:
            raise self.missing(name)
        if not 0 <= partition < store.schema.partitions:
            raise InvalidPartitionError(
                f'store "{name}" has partitions 0 to {store.schema.partitions - 1}, '
                f"not {shown(partition)}"
            )
        return store

    # Stores

    def search(self) -> None:
        """List the names in the log, and drop the stores that are gone."""
        try:
            listed = self.log.names()
        except LogError as error:
            self._names.fail_to_list(error)
        else:
            self._drop_gone(self._names.list(listed, self.local.keys()))

    def refresh(self, name: str) -> StoreError | None:
        """Open a store, or start it over if its log was replaced.

        Returns:
            The error that kept it from being opened; None also if there is no such store.
        """
        try:
            with self.changing(name):
                self._refresh(name, self.log)
        except LogMissingError:
            self._names.miss(name, is_open=name in self.local)
        except StoreError as error:
            self._names.fail_to_open(name, error)
            return error
        else:
            self._names.open(name)
        return None

    def note_hung(self, name: str, why: str | None) -> None:
        """Note that the files of a store do not answer, or that they have; until they do, it fails.

        Args:
            name: the store.
            why: what is wrong, and since when; None if they have answered.
        """
        store = self.local.get(name)
        if store is not None:
            store.note_hung(why)
        elif why is not None:
            self._names.fail_to_open(name, HostRestoringError(why))

    def close(self, abandoned: frozenset[str] = frozenset()) -> None:
        """Close all stores, and remove temporary databases; repeated calls do nothing.

        Args:
            abandoned: stores that threads work at which do not return. They are closed by these.
        """
        with self._publishing:
            self._is_closed = True
        for name, store in self.local.items():
            if name in abandoned:
                store.close(timeout_s=0)
                continue
            with suppress(HostRestoringError), self.changing(name):
                self._successors.drop(name)
            store.close()
        self._successors.close()
        self._opener.close()

    def _refresh(self, name: str, root: StateLog) -> None:
        store = self.local.get(name)
        # The log that is followed has the definition read, and knows the newest epoch.
        log = root.store(name) if store is None or store.log is None else store.log
        try:
            schema = log.schema()
        except LogMissingError:
            # The log of a rebuilt store goes with the store, which may be made anew in another one.
            log = root.store(name)
            schema = log.schema()
        if store is None:
            self._publish(self._open(schema, log))
        elif not _is_followed(store, schema, log):
            _logger.warning("store was replaced in the log, starting over store=%s", name)
            # Until the new one is open the closed one stands for it, without any partition.
            self._successors.drop(name)
            self.editions.remove(store)
            store.close(StoreMigratedError)
            if store.schema.partitions != schema.partitions:
                # The partitions that were placed, promoted or dropped until now belong to the old
                # store.
                self._placed.pop(name, None)
            self._publish(self._open(schema, root.store(name)))
            self._successors.replaced(store, schema)
        elif (store.schema, store.schema.comments) != (schema, schema.comments):
            self._publish(store.with_inputs(schema))

    def follow(self, name: str) -> bool:
        """Apply the next epoch of a store; return whether there was one.

        A store whose log was moved answers until the rebuilt one has caught up with it.
        """
        store = self.local.get(name)
        if store is None:
            return False
        has_news = store.follow()
        with self.changing(name):
            self._successors.close_replaced(name)
            if store.log is None or store.log.move is None:
                return has_news
            rebuilt = self._successors.of(store, self._open_rebuilt)
            if rebuilt is not None:
                self._publish(rebuilt)
        return has_news or rebuilt is not None

    def is_moving(self, name: str) -> bool:
        """Whether a rebuilt store has yet to catch up."""
        return name in self._successors

    def _open_rebuilt(self, old: LocalStore, log: StoreLog) -> LocalStore:
        schema = log.schema()
        if schema.partitions != old.schema.partitions:
            self._placed.pop(schema.name, None)
        return self._open(schema, log)

    def _drop_gone(self, names: frozenset[str]) -> None:
        """Drop stores that were removed from the log.

        They are dropped after a pause, and their files stay: a mount that is missing for a moment
        looks the same.
        """
        now = time.monotonic()
        for name in self.local.keys() - names:
            if now - self._gone_since.setdefault(name, now) < _GONE_S:
                continue
            with suppress(HostRestoringError), self.changing(name, wait_s=0):
                _logger.warning("store is gone from the log, dropping it store=%s", name)
                self._successors.drop(name)
                gone = self.local[name]
                with self._publishing:
                    self.local = {n: s for n, s in self.local.items() if n != name}
                    self.served = {n: s for n, s in self.served.items() if n != name}
                    self.version += 1
                self._placed.pop(name, None)
                self.editions.remove(gone)
                gone.close(StoreMigratedError)
        self._gone_since = {
            n: at for n, at in self._gone_since.items() if n in self.local and n not in names
        }

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
        if schema.name not in self.local:
            self._opener.remove_others(schema)
        return LocalStore(schema, replicas, log=log)

    def _publish(self, store: LocalStore) -> None:
        name = store.schema.name
        metrics = self._metrics.setdefault(name, Metrics())
        served = MeteredStore(store, metrics)
        with self._publishing:
            is_closed = self._is_closed
            if not is_closed:
                self.local = {**self.local, name: store}
                self.served = {**self.served, name: served}
                self.version += 1
        if is_closed:
            # The host was closed without this thread.
            store.close()
            return
        self.editions.put(store, served)


def _not_here(name: str, partition: int) -> InvalidPartitionError:
    return InvalidPartitionError(f'partition {partition} of store "{name}" is not on this node')


def _is_followed(store: LocalStore, schema: StoreSchema, log: StoreLog) -> bool:
    """Return whether a store is open, of this incarnation, and made from this log.

    It may have fewer inputs: they decide which bounds count, not what the rows mean. A log whose
    files were put back from a copy is one that it was not made from. All replicas of a store have
    applied the same commits, so checking one of those furthest ahead is enough.
    """
    if not store.schema.has_rows_of(schema):
        return False
    statuses = store.statuses().values()
    furthest = max(statuses, key=lambda status: status.progress.epoch, default=None)
    if furthest is None:
        return not store.is_closed
    return furthest.state is not ReplicaState.CLOSED and is_same_log(log, furthest.progress)
