"""A node's stores: finds them in the state log, opens their replicas, keeps them following.

The part that `KafkaStreams` has in KIP-796: `host.query(request)` answers for the partitions that
are held here.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TypeVar

from stores.errors import (
    HostNotStartedError,
    HostStoppedError,
    LogError,
    SchemaError,
    StoreError,
    UnknownStoreError,
)
from stores.local import LocalStore, is_same_log
from stores.log import StateLog, StoreLog
from stores.replica import Replica
from stores.result import StateQueryResult
from stores.rocksdb import RocksPartition, shared_cache
from stores.schema import StoreSchema
from stores.store import PartitionStatus, ReplicaState, StateQueryRequest, Store

R = TypeVar("R")
T = TypeVar("T")
_logger = logging.getLogger(__name__)

_DISCOVER_S = 1.0
"""How often the log is searched for new stores, and replicas are held against it."""
_BACKOFF_S = 0.5
"""Pause after a log that could not be read."""


class HostState(Enum):
    """Where a host is in its life."""

    CREATED = "created"
    RUNNING = "running"
    STOPPED = "stopped"


class Host:
    """All stores of a state log, every partition of them, on this node.

    Args:
        root: path or URI of the state log; it may appear later.
        data: directory for the databases, kept across restarts; None for a temporary one.
        node: this node's name, as answers show it.
        poll_ms: how often the log is asked for the next epoch.
        cache_bytes: block cache, shared by all replicas.
    """

    def __init__(
        self,
        root: str,
        data: Path | None = None,
        *,
        node: str = "local",
        poll_ms: int = 25,
        cache_bytes: int = 256 << 20,
    ) -> None:
        self.root, self.node = root, node
        self.state = HostState.CREATED
        self.error: str | None = None
        self._data = data
        self._temporary: Path | None = None
        self._poll_s = poll_ms / 1000
        self._cache = shared_cache(cache_bytes)
        self._stores: Mapping[str, LocalStore] = {}
        self._version = 0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores by name, as they are now."""
        return self._stores

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

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask a store.

        Raises:
            HostNotStartedError: `start` has not been called.
            HostStoppedError: `close` has been called.
            UnknownStoreError: no store of that name.
        """
        store = self._stores.get(request.store)
        if self.state is HostState.CREATED:
            raise HostNotStartedError("the host has not been started")
        if self.state is HostState.STOPPED:
            raise HostStoppedError("the host has stopped")
        if store is None:
            raise UnknownStoreError(f'store "{request.store}" does not exist')
        return store.query(request)

    def start(self) -> None:
        """Open what the log holds and follow it in a thread; returns once stores are opened.

        A store whose definition or records cannot be read, now, does not keep the others from being
        served: `error` names it.

        Raises:
            StoreError: a database cannot be opened, or the host was started before.
            LogError: no file system of that kind is known.
        """
        if self.state is not HostState.CREATED:
            raise StoreError(f"the host cannot be started, it is {self.state.value}")
        if self._data is None:
            self._temporary = self._data = Path(tempfile.mkdtemp(prefix="stategate-"))
        try:
            for error in self._discover():
                if not isinstance(error, LogError | SchemaError):
                    raise error
        except StoreError:
            self.close()
            raise
        self.state = HostState.RUNNING
        self._thread = threading.Thread(target=self._follow, name="follow-log", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop following and close all replicas; what was applied is on disk. Once is enough."""
        self.state = HostState.STOPPED
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        for store in self._stores.values():
            store.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

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
        try:
            names = log.stores()
        except LogError as error:
            names = []
            errors.append(error)
        for name in names:
            try:
                self._refresh(name, log.store(name))
            except StoreError as error:
                errors.append(error)
        message = "; ".join(map(str, errors)) or None
        if message is not None and self.error != message:
            _logger.warning("stores cannot be opened root=%s errors=%s", self.root, message)
        self.error = message
        return errors

    def _refresh(self, name: str, log: StoreLog) -> None:
        schema = log.schema()
        held = self._stores.get(name)
        if held is None:
            self._publish(self._open(schema, log))
        elif not _is_followed(held, schema, log):
            _logger.warning("store is another than before, starting over store=%s", name)
            # Until its databases can be opened again, which a reader of the old ones may delay, the
            # closed store stands for it: its partitions are not present.
            held.close()
            self._publish(self._open(schema, log))
        elif held.schema != schema:
            self._publish(held.with_inputs(schema))

    def _publish(self, store: LocalStore) -> None:
        self._stores = {**self._stores, store.schema.name: store}
        self._version += 1

    def _open(self, schema: StoreSchema, log: StoreLog) -> LocalStore:
        assert self._data is not None
        newest = log.latest_epoch()
        engines: list[RocksPartition] = []
        try:
            for partition in range(schema.partitions):
                path = self._data / schema.name / str(partition)
                engine = RocksPartition(path, schema=schema, partition=partition, cache=self._cache)
                engines.append(engine)
                if not is_same_log(log, engine.view.progress):
                    engine.reset()
        except StoreError:
            for engine in engines:
                engine.close()
            raise
        replicas = {
            engine.partition: Replica(
                engine, schema=schema, partition=engine.partition, restore_to=newest
            )
            for engine in engines
        }
        _logger.info("store opened store=%s partitions=%d", schema.name, schema.partitions)
        return LocalStore(schema, replicas, log=log)


def _is_followed(store: LocalStore, schema: StoreSchema, log: StoreLog) -> bool:
    """Whether a store is open, of this definition, and made from this log.

    Its inputs may have become more: they decide which bounds count, not what the rows mean.
    All replicas of a store have applied the same commits, so one of the furthest stands for all.
    """
    if replace(store.schema, inputs=()) != replace(schema, inputs=()):
        return False
    furthest = max(store.statuses().values(), key=lambda status: status.progress.epoch)
    return furthest.state is not ReplicaState.CLOSED and is_same_log(log, furthest.progress)
