"""Writes snapshots: from the last one and the epochs since, one SST file for each partition.

Replicas in a temporary directory follow the log as any others do, so that a snapshot holds exactly
what a replica holds that never saw one, whatever the kind of store.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from pathlib import Path

from stores.errors import LogError
from stores.local import LocalStore
from stores.log import Root, StoreLog
from stores.logfiles import Directory, sync_directory
from stores.position import Progress
from stores.records import Snapshot, SnapshotFile, encode_snapshot
from stores.replica import Replica
from stores.rocksdb import RocksPartition, layout_of
from stores.snapshots import CHUNK_BYTES, commit_path, read_snapshot, snapshot_path


def write_snapshot(root: Root, store: str, *, scratch: Path | None = None) -> Snapshot:
    """Write and commit a snapshot of a store as of its newest epoch.

    The epochs before that one can then be removed; its own commit must stay, as it tells that the
    snapshot belongs to the log.

    Args:
        root: of the state log.
        store: its name.
        scratch: where to build the files, one partition at a time; None for the system's place.

    Returns:
        The snapshot; if there is one of that epoch already, that, and nothing is changed.

    Raises:
        LogError: there is no epoch, or the log cannot be read or written.
        StoreError: the disk of the scratch directory fails.
    """
    log = StoreLog.open(root, store)
    epoch = log.latest_epoch()
    if epoch < 0:
        raise LogError(f'store "{store}" has no epoch that a snapshot could be of')
    if (found := read_snapshot(log, epoch)) is not None:
        return found
    schema = log.schema()
    attempt = f"{snapshot_path(epoch)}/{uuid.uuid4().hex[:12]}"
    log.directory.make(attempt)
    files = []
    progress = Progress()
    for partition in range(schema.partitions):
        with tempfile.TemporaryDirectory(prefix="stategate-snapshot-", dir=scratch) as name:
            path = Path(name) / "partition.sst"
            engine = RocksPartition(Path(name) / "replica", schema=schema, partition=partition)
            try:
                progress = _caught_up(log, engine, epoch)
                rows = engine.dump(path)
            finally:
                engine.close()
            relative = f"{attempt}/p{partition:05d}.sst"
            files.append(_put(log.directory, relative, path, partition=partition, rows=rows))
    snapshot = Snapshot(
        epoch=epoch,
        position=progress.position,
        watermark_ms=progress.watermark_ms,
        committed_ms=progress.committed_ms,
        layout=layout_of(schema),
        files=tuple(files),
    )
    return _publish(log, snapshot, attempt)


def _caught_up(log: StoreLog, engine: RocksPartition, epoch: int) -> Progress:
    """Bring an empty engine to exactly this epoch, the newest when its caller looked."""
    replica = Replica(engine, schema=engine.schema, partition=engine.partition)
    store = LocalStore(engine.schema, {engine.partition: replica}, log=log)
    while replica.progress.epoch < epoch:
        if not store.follow():
            raise LogError(replica.error or f"epoch {epoch} is gone from the log")
    if replica.progress.epoch != epoch:
        raise LogError(f"another snapshot has overtaken epoch {epoch}")
    return replica.progress


def _put(
    directory: Directory, relative: str, source: Path, *, partition: int, rows: int
) -> SnapshotFile:
    """Copy a file into the log; it is on the disk before a commit says that it is there."""
    path = directory.join(relative)
    digest = hashlib.sha256()
    try:
        with open(source, "rb") as stream, directory.system.open_output_stream(path) as out:
            while chunk := stream.read(CHUNK_BYTES):
                digest.update(chunk)
                out.write(chunk)
        if directory.local:
            sync_directory(path)
            sync_directory(os.path.dirname(path))
    except OSError as error:
        raise LogError(f'"{path}" cannot be written: {error}') from error
    return SnapshotFile(
        path=relative,
        partition=partition,
        rows=rows,
        size_bytes=source.stat().st_size,
        sha256=digest.hexdigest(),
    )


def _publish(log: StoreLog, snapshot: Snapshot, attempt: str) -> Snapshot:
    if log.directory.local:
        sync_directory(log.directory.join(snapshot_path(snapshot.epoch)))
        sync_directory(log.directory.join("snapshots"))
    if not log.directory.create(commit_path(snapshot.epoch), encode_snapshot(snapshot)):
        log.directory.remove(attempt)
        found = read_snapshot(log, snapshot.epoch)
        if found is None:
            raise LogError(f"the snapshot of epoch {snapshot.epoch} was removed as it was written")
        return found
    return snapshot
