"""Rebuilds a store as of an epoch, from a snapshot and the epochs since or from epochs alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from stategate.stores.engines.rocksdb.metadata import layout_of
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.log.metadata.records import Commit, Snapshot
from stategate.stores.log.snapshots import fetch, newest_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import BatchStream, Query, RangeQuery
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery, WindowRangeQuery

_SCANS: dict[StoreKind, Query[BatchStream]] = {
    StoreKind.WINDOW: WindowRangeQuery(),
    StoreKind.SESSION: SessionRangeQuery(),
    StoreKind.VERSIONED: VersionedRangeQuery(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The parts from which a store is built as of an epoch."""

    base: Snapshot | None
    """The snapshot to begin with; None for an empty store."""
    commits: tuple[Commit, ...]
    """The epochs to apply, in order."""


def recipe(log: StoreLog, epoch: int | None = None) -> Recipe:
    """Return the parts from which the store is built as of an epoch, by default the newest.

    It begins as late as possible: with an epoch that replaces the store, or the newest snapshot.

    Raises:
        LogError: the epoch is not committed, or the log cannot be read.
        TornRecordError: a needed epoch is missing or torn.
    """
    newest = log.latest_epoch()
    if epoch is not None and (epoch > newest or log.commit(epoch) is None):
        raise LogError(f'epoch {epoch} of store "{log.name}" is not committed')
    end = newest if epoch is None else epoch
    schema = log.schema()
    base = newest_snapshot(log, layout=layout_of(schema), partitions=schema.partitions, epoch=end)
    start = -1 if base is None else base.epoch
    commits: list[Commit] = []
    # Go back from epoch to epoch instead of listing: a replaced writer may have left commits that
    # readers pass over.
    while end > start:
        commit = log.commit(end)
        if commit is None:
            break
        commits.append(commit)
        end = commit.previous
        if commit.replace:
            return Recipe(base=None, commits=tuple(reversed(commits)))
    if end != start:
        first = commits[-1].epoch if commits else end
        raise TornRecordError(
            f'store "{log.name}" has a hole before epoch {first}, and no snapshot that fills it'
        )
    return Recipe(base=base, commits=tuple(reversed(commits)))


def _go_on() -> None:
    """Let the work go on."""


def build(
    log: StoreLog,
    made_of: Recipe,
    partition: int,
    path: Path,
    *,
    check: Callable[[], None] = _go_on,
) -> RocksPartition:
    """Build a partition from a recipe; the caller closes it.

    Args:
        log: the store's log.
        made_of: the recipe.
        partition: the number of the partition.
        path: a directory for the database, which must not exist yet.
        check: called again and again meanwhile; what it raises ends the work.

    Raises:
        TornRecordError: a file is missing, short or foreign; the message names it.
        StoreError: the log cannot be read, or the disk fails.
    """
    engine = RocksPartition(path, schema=log.schema(), partition=partition)
    try:
        _fill(engine, log, made_of, partition, check)
    except BaseException:
        engine.close()
        raise
    return engine


def _fill(
    engine: RocksPartition,
    log: StoreLog,
    made_of: Recipe,
    partition: int,
    check: Callable[[], None],
) -> None:
    progress = Progress()
    check()
    if made_of.base is not None:
        file = made_of.base.file_of(partition)
        if file is None:
            raise TornRecordError(f"a snapshot has no file of partition {partition}")
        progress = made_of.base.progress
        engine.restore(lambda path: fetch(log.directory, file, path), progress)
    for commit in made_of.commits:
        progress = commit.progress_after(progress)
        rows = _checked(log.read(commit, partition), check)
        engine.apply(progress, rows, replace=commit.replace)


def _checked(
    batches: Iterator[pa.RecordBatch], check: Callable[[], None]
) -> Iterator[pa.RecordBatch]:
    check()
    for batch in batches:
        yield batch
        check()


def scan(engine: RocksPartition, schema: StoreSchema) -> Generator[pa.RecordBatch]:
    """Yield all readable rows, with the columns of the relation."""
    query = _SCANS.get(schema.kind, RangeQuery())
    yield from engine.handlers[type(query)](engine.view, query)
