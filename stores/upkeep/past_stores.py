"""Opens stores as of earlier epochs, for as long as the log holds what they are built from.

A partition is built when it is first asked: a database in a scratch directory, filled from the
newest snapshot up to the epoch and the epochs since. So it answers every query as a replica would
have at that epoch, and what a reader does not ask for costs nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from stategate.stores.errors import FailureReason, LogError, StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.spec.past import PastEpoch
from stategate.stores.spec.query import Query
from stategate.stores.spec.registry import SHIPPED
from stategate.stores.spec.result import Failure, QueryResult, StateQueryResult
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Hold,
    QueryConfig,
    StateQueryRequest,
    Stop,
    Store,
)
from stategate.stores.upkeep.recipes import Recipe, build, recipe
from stategate.stores.upkeep.scratch import scratch_directory

R = TypeVar("R")
_logger = logging.getLogger(__name__)


class LogPast:
    """The past of the stores of a log; see `stategate.stores.spec.past.PastStores`.

    Args:
        root: path or URI of the state log.
        bytes_max: bytes of the log that one reader may read. The databases take about as much of
            the disk, or some times as much where Parquet has made its files small.
        scratch: where the databases are; None for the system's directory.
    """

    def __init__(self, root: Root, *, bytes_max: int, scratch: Path | None = None) -> None:
        self._root, self._bytes_max, self._scratch = root, bytes_max, scratch

    @contextmanager
    def open(self, epochs: Sequence[PastEpoch], *, stop: Stop) -> Iterator[_Opened]:
        """Open stores as of some epochs; see `PastStores.open`."""
        log = StateLog(self._root)
        budget = _Budget(self._bytes_max)
        with scratch_directory(self._scratch) as directory, ExitStack() as closing:
            opened = _Opened()
            for number, each in enumerate(epochs):
                stop.check()
                parts = _Parts(log.store(each.schema.name), each, budget, stop)
                store = _PastStore(parts, directory / str(number), opened.note)
                closing.callback(store.close)
                opened.add(store)
            yield opened


class _Opened:
    """The stores of one reader; see `PastOpened`."""

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}
        self.problem: str | None = None

    @property
    def stores(self) -> Mapping[str, Store]:
        """The stores by name."""
        return self._stores

    def add(self, store: Store) -> None:
        """Add a store."""
        self._stores[store.schema.name] = store

    def note(self, problem: str) -> None:
        """Note why a partition has failed."""
        self.problem = self.problem or problem


class _Budget:
    """The bytes of the log that a reader may read."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = self._left = bytes_max

    def take(self, size_bytes: int) -> None:
        """Count bytes that are about to be read.

        Raises:
            LogError: there are too many.
        """
        self._left -= size_bytes
        if self._left < 0:
            raise LogError(
                f"for the rows of that epoch more than {self._bytes_max} bytes of the log would "
                "have to be read"
            )


class _Parts:
    """What the partitions of a store are built from, as of an epoch.

    Args:
        log: the store's log.
        wanted: the epoch.
        budget: what may be read.
        stop: ends the work.

    Raises:
        LogError: the epoch is not, or no longer, in the log, or is another one by now.
    """

    def __init__(self, log: StoreLog, wanted: PastEpoch, budget: _Budget, stop: Stop) -> None:
        if wanted.schema.kind not in SHIPPED:
            kind = wanted.schema.kind.value
            raise LogError(f'a store of kind "{kind}" cannot be built from its log')
        self.schema = log.schema()
        if not self.schema.has_rows_of(wanted.schema):
            raise LogError(f'store "{log.name}" was rebuilt or created again')
        self._log, self._budget, self._stop = log, budget, stop
        self._recipe = _recipe(log, wanted)

    def replica(self, partition: int, path: Path) -> Replica:
        """Build a partition.

        Args:
            partition: its number.
            path: the directory of its database, which must not exist yet.

        Raises:
            StoreError: the log cannot be read or the disk fails, or it is too much.
        """
        self._budget.take(self._size_of(partition))
        engine = build(self._log, self._recipe, partition, path, check=self._stop.check)
        return Replica(engine, schema=self.schema, partition=partition)

    def _size_of(self, partition: int) -> int:
        base = self._recipe.base
        snapshot = None if base is None else base.file_of(partition)
        files = [file for commit in self._recipe.commits for file in commit.files_of(partition)]
        return sum(f.size_bytes for f in files) + (0 if snapshot is None else snapshot.size_bytes)


def _recipe(log: StoreLog, wanted: PastEpoch) -> Recipe:
    if wanted.epoch < 0:
        return Recipe(base=None, commits=())
    commit = _commit_at(log, wanted.epoch)
    if commit is None:
        raise LogError(f'the log no longer has epoch {wanted.epoch} of store "{log.name}"')
    if commit.committed_ms != wanted.committed_ms:
        raise LogError(
            f'epoch {wanted.epoch} of store "{log.name}" is not the one that it was: its log was '
            "put back from a copy"
        )
    return recipe(log, commit.epoch)


def _commit_at(log: StoreLog, epoch: int) -> Commit | None:
    """Return the commit of an epoch; if no such one was committed, of the epoch before."""
    found = log.commit(epoch)
    if found is None:
        earlier = [number for number in log.epochs() if number < epoch]
        found = log.commit(earlier[-1]) if earlier else None
    return found


class _PastStore(LocalStore):
    """A store that builds each partition when it is first asked.

    Args:
        parts: what they are built from.
        directory: for their databases; it is made.
        on_problem: gets why a partition has failed.
    """

    def __init__(self, parts: _Parts, directory: Path, on_problem: Callable[[str], object]) -> None:
        super().__init__(parts.schema, {})
        directory.mkdir()
        self._parts, self._directory, self._on_problem = parts, directory, on_problem
        self._building = threading.Lock()

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition, which is built before."""
        failure = self._build(partition)
        return super().query_partition(partition, query, config) if failure is None else failure

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions, which are built before."""
        asked = range(self.schema.partitions) if request.wanted is None else request.wanted
        failures = {number: self._build(number) for number in asked}
        found = super().query(request)
        failed = {number: each for number, each in failures.items() if each is not None}
        return structs.replace(found, partitions={**found.partitions, **failed})

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep its only epoch."""
        return None if self._build(partition) else super().hold(partition, epoch)

    def _build(self, partition: int) -> Failure | None:
        """Build a partition, unless it is there or does not exist; return why that failed."""
        with self._building:
            if partition in self.replicas or not 0 <= partition < self.schema.partitions:
                return None
            try:
                self.add(self._parts.replica(partition, self._directory / str(partition)))
            except StoreError as error:
                self._on_problem(str(error))
                return Failure(reason=FailureReason.STORE_EXCEPTION, message=str(error))
        _logger.info("built from the log store=%s partition=%d", self.schema.name, partition)
        return None
