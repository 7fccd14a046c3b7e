"""Snapshots of the state log: whole partitions as of an epoch, from which replicas are restored.

    <root>/<store>/snapshots/<epoch, 20 digits>/commit.json            a file that it does not name
    <root>/<store>/snapshots/<epoch, 20 digits>/<attempt>/p<partition>.sst        does not exist
    <root>/<store>/snapshots/<epoch, 20 digits>/<attempt>/p<partition>.parquet

A file holds the bytes of an engine with its progress, so rows and position arrive together. An
engine takes it only if it has the same layout, and if the size and hash of the file are those of
the commit. `stategate.stores.upkeep.compaction` writes snapshots.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from stategate.stores.errors import LogError, StoreError, TornRecordError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.file_systems import UnusableFileError
from stategate.stores.log.metadata.named_files import DataFile, SnapshotFile
from stategate.stores.log.metadata.records import Snapshot, decode_snapshot, snapshot_name
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Progress

_logger = logging.getLogger(__name__)

RETRY_S = 5.0
"""Pause after an attempt without a usable snapshot, because reading and hashing one takes time."""

Fetch: TypeAlias = Callable[[Path], None]
"""Copies the file to a path on this node's disk; raises a LogError if it is damaged."""
Clock: TypeAlias = Callable[[], float]


@runtime_checkable
class Restorable(Protocol):
    """An engine that can be filled from a snapshot."""

    @property
    def layout(self) -> str:
        """Text that is equal for two engines if, and only if, each can read the other's bytes."""

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Replace all content with that of a snapshot's file.

        A crash leaves the old content, nothing, or the whole file, never a part. The file is
        fetched before anything is removed; from then on the replica refuses queries until the end.

        Raises:
            StoreError: the file cannot be fetched or read, or has another progress.
        """


class Restored(Protocol):
    """The parts of a replica that restoring needs."""

    partition: int

    @property
    def engine(self) -> object:
        """The engine that holds the rows; restored only if it is `Restorable`."""

    @property
    def progress(self) -> Progress:
        """The progress of the replica."""

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Restore the engine, and wake its waiters."""


def read_snapshot(log: StoreLog, epoch: int) -> Snapshot | None:
    """Return the snapshot as of an epoch; None if it is missing.

    Raises:
        TornRecordError: its record is incomplete, foreign, or of another epoch or another log.
        LogReplacedError: the store was removed and created again.
    """
    data = log.directory.read(snapshot_name(epoch))
    if data is None:
        return None
    path = log.directory.join(snapshot_name(epoch))
    found = decode_snapshot(data, path)
    if found.epoch != epoch:
        raise TornRecordError(f'record "{path}" is the snapshot of epoch {found.epoch}')
    try:
        commit = log.commit(epoch)
    except TornRecordError:
        # A snapshot of an epoch can be used even if the epoch's commit is torn.
        return found
    if commit is None:
        # If the log goes on after it, the commit was removed because it is old. If the log ends
        # before it, the snapshot is of another log, or the newest epochs are lost.
        if not log.epochs(after=epoch):
            raise TornRecordError(f'snapshot "{path}" is of an epoch that the log has not reached')
    elif (commit.committed_ms, commit.position) != (found.committed_ms, found.position):
        raise TornRecordError(f'snapshot "{path}" is not of this log')
    # The record comes first, so it is not that of a store that was created again.
    log.require_same()
    return found


def usable_snapshot(
    log: StoreLog, epoch: int, *, layout: str, partitions: int, read_all: bool = False
) -> Snapshot | None:
    """Return the snapshot as of an epoch, if an engine of this layout can be restored from it.

    Args:
        log: the store's log.
        epoch: the epoch of the snapshot.
        layout: the layout of the engine.
        partitions: how many partitions the store has.
        read_all: read every file and check its hash; otherwise only the sizes are checked.

    Returns:
        None if it is missing, or lacks a part, which is logged.

    Raises:
        LogError: the file system does not answer.
    """
    try:
        snapshot = read_snapshot(log, epoch)
        if snapshot is None:
            return None
        _check_whole(log, snapshot, layout=layout, partitions=partitions, read_all=read_all)
    except TornRecordError as error:
        _logger.warning(
            "snapshot cannot be used store=%s epoch=%d error=%s", log.name, epoch, error
        )
        return None
    return snapshot


def newest_snapshot(
    log: StoreLog, *, layout: str, partitions: int, epoch: int | None = None, read_all: bool = False
) -> Snapshot | None:
    """Return the newest snapshot up to an epoch that `usable_snapshot` accepts, if there is one.

    Raises:
        LogError: the file system does not answer.
    """
    for number in log.snapshots():
        if epoch is None or number <= epoch:
            found = usable_snapshot(
                log, number, layout=layout, partitions=partitions, read_all=read_all
            )
            if found is not None:
                return found
    return None


def _check_whole(
    log: StoreLog, snapshot: Snapshot, *, layout: str, partitions: int, read_all: bool
) -> None:
    path = log.directory.join(snapshot_name(snapshot.epoch))
    if snapshot.layout != layout:
        raise TornRecordError(f'snapshot "{path}" is of another definition')
    for partition in range(partitions):
        if snapshot.file_of(partition) is None:
            raise TornRecordError(f'snapshot "{path}" has no file of partition {partition}')
    for file in snapshot.all_files:
        if log.directory.size_of(file.path) != file.size_bytes:
            source = log.directory.join(file.path)
            raise TornRecordError(f'snapshot file "{source}" is not the one that was committed')
        if read_all:
            fetch(log.directory, file, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """A failed attempt to restore a replica: its epoch, when and why."""

    epoch: int
    at_s: float
    error: str | None


class SnapshotReader:
    """Restores the replicas of a store from its newest usable snapshot.

    Args:
        log: the store's log.
        clock: seconds, for the pause between attempts.
    """

    def __init__(self, log: StoreLog, *, clock: Clock = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._failed: dict[int, _Attempt] = {}

    def restore(self, replica: Restored) -> bool:
        """Bring a replica forward to the newest usable snapshot; False without one.

        The reason why a snapshot cannot be used is logged, and `error` returns it: an older
        snapshot, or the epochs, may serve as well.
        """
        engine = replica.engine
        if not isinstance(engine, Restorable):
            return False
        before = replica.progress.epoch
        tried = self._failed.get(replica.partition)
        if tried and tried.epoch == before and self._clock() - tried.at_s < RETRY_S:
            return False
        errors: list[str] = []
        try:
            for epoch in self._log.snapshots():
                if epoch <= before:
                    break
                if self._restore(replica, engine, epoch, errors):
                    self._failed.pop(replica.partition, None)
                    return True
        except LogError as error:
            errors.append(str(error))
        self._failed[replica.partition] = _Attempt(
            epoch=before, at_s=self._clock(), error="; ".join(errors) or None
        )
        return False

    def error(self, partition: int) -> str | None:
        """Return why no snapshot could be used at the last attempt; None if one was."""
        tried = self._failed.get(partition)
        return None if tried is None else tried.error

    def _restore(
        self, replica: Restored, engine: Restorable, epoch: int, errors: list[str]
    ) -> bool:
        partition, name = replica.partition, self._log.name
        try:
            snapshot = read_snapshot(self._log, epoch)
            if snapshot is None:
                return False  # it is being written, or was never finished
            file = snapshot.file_of(partition)
            if snapshot.layout != engine.layout or file is None:
                path = self._log.directory.join(snapshot_name(epoch))
                raise TornRecordError(f'snapshot "{path}" is of another definition')
            replica.restore(lambda path: fetch(self._log.directory, file, path), snapshot.progress)
        except StoreError as error:
            errors.append(str(error))
            _logger.warning(
                "snapshot cannot be used store=%s partition=%d epoch=%d error=%s",
                name,
                partition,
                epoch,
                error,
            )
            return False
        _logger.info(
            "restored from snapshot store=%s partition=%d epoch=%d", name, partition, epoch
        )
        return True


def fetch(directory: Directory, file: SnapshotFile | DataFile, path: Path | None) -> None:
    """Copy a snapshot's file to this node's disk; without a path only check it.

    Raises:
        TornRecordError: it is missing, or its size or hash is not that of its commit.
        LogError: it cannot be read, or the copy cannot be written.
    """
    source = directory.join(file.path)
    digest, size_bytes = hashlib.sha256(), 0
    try:
        with open(path or os.devnull, "wb") as out:
            for chunk in directory.system.chunks(source):
                digest.update(chunk)
                size_bytes += len(chunk)
                if size_bytes > file.size_bytes:
                    break
                out.write(chunk)
    except FileNotFoundError as error:
        raise TornRecordError(f'snapshot file "{source}" is missing') from error
    except UnusableFileError as error:
        raise TornRecordError(f'snapshot file "{source}" {error}') from error
    except OSError as error:
        raise LogError(f'snapshot file "{source}" cannot be fetched: {error}') from error
    if size_bytes != file.size_bytes or digest.hexdigest() != file.sha256:
        raise TornRecordError(f'snapshot file "{source}" is not the one that was committed')
