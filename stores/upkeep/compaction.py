"""Writes snapshots from the last one and the epochs since: two files for each partition.

Replicas are restored from the SST file. Spark reads the Parquet file, three to ten times as fast.

Replicas in a temporary directory follow the log like any others, so a snapshot holds exactly the
rows of a replica that never saw one, for every kind of store.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from stategate.stores.engines.rocksdb.metadata import layout_of
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import LogError, StoreError, TornRecordError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.data.datafiles import new_path, write_part
from stategate.stores.log.files.directory import Directory, Root
from stategate.stores.log.metadata.named_files import DataFile, SnapshotFile
from stategate.stores.log.metadata.records import (
    Snapshot,
    encode_snapshot,
    snapshot_name,
    snapshot_path,
)
from stategate.stores.log.snapshots import read_snapshot, usable_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Progress
from stategate.stores.spec.registry import SHIPPED
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.upkeep.contents import shown
from stategate.stores.upkeep.recipes import scan
from stategate.stores.upkeep.scratch import scratch_directory

IsStopped: TypeAlias = Callable[[], bool]
"""Called before each long step; after it returns True the run ends as soon as it can."""
Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)
_logger = logging.getLogger(__name__)


class CompactionStoppedError(StoreError):
    """A run was stopped; the next run does the rest."""


def go_on() -> bool:
    """Return False: never stop."""
    return False


class PartitionWork(Protocol[Part_co]):
    """Work on each partition of a store as of an epoch. It can be sent to other processes."""

    @property
    def schema(self) -> StoreSchema:
        """The definition of the store."""

    @property
    def epoch(self) -> int:
        """The epoch as of which the partitions are read."""

    def write(
        self,
        log: StoreLog,
        partition: int,
        *,
        scratch: Path | None = None,
        is_stopped: IsStopped = go_on,
    ) -> Part_co:
        """Write the files of one partition, to be committed later.

        Args:
            log: the store's log.
            partition: the number of the partition.
            scratch: directory in which to build them; None for the system's.
            is_stopped: called before each long step.

        Raises:
            CompactionStoppedError: `is_stopped` returned True.
            LogError: the log cannot be read or written.
            StoreError: the disk of the scratch directory fails.
        """


class Runner(Protocol):
    """Does the work of all partitions."""

    def __call__(
        self, log: StoreLog, work: PartitionWork[Part], is_stopped: IsStopped
    ) -> list[Part]:
        """Return what the partitions were written to, in their order."""


@dataclass(frozen=True, slots=True)
class PartitionFiles:
    """The files of one partition of a snapshot."""

    file: SnapshotFile
    table: DataFile | None
    """None if the partition has no rows."""
    progress: Progress


@dataclass(frozen=True, slots=True)
class SnapshotWork:
    """The work of one snapshot: two files of each partition."""

    schema: StoreSchema
    """The definition by which all partitions are written, whatever the log's is by then."""
    epoch: int
    attempt: str
    """The directory of the files in that of the store."""

    def write(
        self,
        log: StoreLog,
        partition: int,
        *,
        scratch: Path | None = None,
        is_stopped: IsStopped = go_on,
    ) -> PartitionFiles:
        """Write the files of one partition; see `PartitionWork`."""
        with scratch_directory(scratch) as place:
            path = place / "partition.sst"
            engine = RocksPartition(place / "replica", schema=self.schema, partition=partition)
            try:
                progress = caught_up(log, engine, self.epoch, is_stopped)
                rows = engine.dump(path)
                table = write_part(
                    log.directory,
                    self.attempt,
                    (shown(batch, self.schema) for batch in scan(engine, self.schema)),
                    partition=partition,
                )
            finally:
                engine.close()
            kept = new_path(self.attempt, partition, ".sst")
            file = _put(log.directory, kept, path, partition=partition, rows=rows)
        return PartitionFiles(file, table, progress)


def in_turn(
    log: StoreLog, work: PartitionWork[Part], is_stopped: IsStopped, *, scratch: Path | None = None
) -> list[Part]:
    """Write the partitions one after the other in this process: the usual `Runner`."""
    return [
        work.write(log, partition, scratch=scratch, is_stopped=is_stopped)
        for partition in range(work.schema.partitions)
    ]


def check_stopped(store: str, is_stopped: IsStopped) -> None:
    """Make sure that the run may go on.

    Raises:
        CompactionStoppedError: it was stopped.
    """
    if is_stopped():
        raise CompactionStoppedError(f'compaction of store "{store}" was stopped')


def write_snapshot(root: Root, store: str, *, scratch: Path | None = None) -> Snapshot:
    """Write and commit a snapshot of a store as of its newest epoch.

    The epochs before that one can then be removed. Its own commit must stay, since it shows that
    the snapshot belongs to the log.

    Args:
        root: path or URI of the state log.
        store: the name of the store.
        scratch: directory in which to build the files, one partition at a time; None for the
            system's.

    Returns:
        The snapshot. A usable one of that epoch is returned as it is; an unusable one is replaced.

    Raises:
        LogError: the store has no epoch, or the log cannot be read or written.
        StoreError: the disk of the scratch directory fails.
    """
    return snapshot_of(StoreLog.open(root, store), scratch=scratch)


def snapshot_of(
    log: StoreLog,
    *,
    scratch: Path | None = None,
    is_stopped: IsStopped = go_on,
    run: Runner | None = None,
) -> Snapshot:
    """Do the same as `write_snapshot` for an open log; `run` writes the files of the partitions."""
    epoch = log.latest_epoch()
    if epoch < 0:
        raise LogError(f'store "{log.name}" has no epoch to write a snapshot of')
    schema = log.schema()
    if schema.kind not in SHIPPED:
        raise LogError(
            f'store "{log.name}" is of kind "{schema.kind.value}", whose engines take no snapshots'
        )
    if (found := _usable(log, schema, epoch)) is not None:
        return found
    attempt = f"{snapshot_path(epoch)}/{uuid.uuid4().hex[:12]}"
    work = SnapshotWork(schema, epoch, attempt)
    try:
        log.directory.make(attempt)
        if run is None:
            written = in_turn(log, work, is_stopped, scratch=scratch)
        else:
            written = run(log, work, is_stopped)
    except BaseException:
        _abandon(log, attempt)
        raise
    progress = written[-1].progress
    snapshot = Snapshot(
        epoch=epoch,
        position=progress.position,
        watermark_ms=progress.watermark_ms,
        committed_ms=progress.committed_ms,
        layout=layout_of(schema),
        files=tuple(each.file for each in written),
        tables=tuple(each.table for each in written if each.table is not None),
    )
    return _publish(log, schema, snapshot, attempt)


def _abandon(log: StoreLog, attempt: str) -> None:
    """Remove the files of a failed attempt, which may be large; retention would wait a day."""
    try:
        log.directory.remove(attempt)
    except LogError as error:
        _logger.warning("attempt not removed store=%s path=%s error=%s", log.name, attempt, error)


def bytes_to_read(log: StoreLog, epoch: int) -> int:
    """Return the size of what a snapshot of this epoch is made of: the last one, and the epochs.

    Raises:
        LogError: the log cannot be read.
    """
    base = None
    for number in log.snapshots():
        with contextlib.suppress(TornRecordError):
            base = read_snapshot(log, number)
        if base is not None:
            break
    before = -1 if base is None else base.epoch
    held = 0 if base is None else sum(file.size_bytes for file in base.files)
    commits = (log.commit(number) for number in log.epochs(after=before) if number <= epoch)
    return held + sum(
        file.size_bytes for commit in commits if commit is not None for file in commit.files
    )


def _usable(log: StoreLog, schema: StoreSchema, epoch: int) -> Snapshot | None:
    return usable_snapshot(
        log, epoch, layout=layout_of(schema), partitions=schema.partitions, read_all=True
    )


def caught_up(log: StoreLog, engine: RocksPartition, epoch: int, is_stopped: IsStopped) -> Progress:
    """Bring an empty engine to exactly this epoch, and return its progress.

    Raises:
        CompactionStoppedError: `is_stopped` returned True.
        LogError: the log cannot be read, or no longer has the epoch.
    """
    replica = Replica(engine, schema=engine.schema, partition=engine.partition)
    store = LocalStore(engine.schema, {engine.partition: replica}, log=log)
    while replica.progress.epoch < epoch:
        check_stopped(log.name, is_stopped)
        if not store.follow():
            raise LogError(replica.error or f"epoch {epoch} is gone from the log")
    if replica.progress.epoch != epoch:
        raise LogError(f"another snapshot has overtaken epoch {epoch}")
    return replica.progress


def _put(
    directory: Directory, relative: str, source: Path, *, partition: int, rows: int
) -> SnapshotFile:
    """Copy a file into the log, and write it through to the disk before a commit names it."""
    directory.upload(relative, source)
    directory.sync(relative.rpartition("/")[0])
    with open(source, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return SnapshotFile(
        path=relative,
        partition=partition,
        rows=rows,
        size_bytes=source.stat().st_size,
        sha256=digest.hexdigest(),
    )


def _publish(log: StoreLog, schema: StoreSchema, snapshot: Snapshot, attempt: str) -> Snapshot:
    path = snapshot_name(snapshot.epoch)
    log.directory.sync(snapshot_path(snapshot.epoch))
    log.directory.sync("snapshots")
    if log.directory.create(path, encode_snapshot(snapshot)):
        return snapshot
    if (found := _usable(log, schema, snapshot.epoch)) is not None:
        # Another run has written one meanwhile.
        log.directory.remove(attempt)
        return found
    log.directory.replace(path, encode_snapshot(snapshot))
    return snapshot
