"""Keeps a state log short: writes snapshots, and removes the epochs that they replace.

The order of the steps makes a crash after each of them safe. The snapshot is whole before anything
is removed. Epochs are removed from the oldest on, each commit before its data, so that the rest is
always one chain up to the newest epoch; the commit of a snapshot goes before its files, too. A
reader that meets a gap goes on from the snapshot. The next run finds the files that a crash leaves,
since no commit names them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stategate.stores.engines.rocksdb.metadata import layout_of
from stategate.stores.errors import LogError, StoreError
from stategate.stores.hosting.replica import wall_clock_ms
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import Snapshot, snapshot_name, snapshot_path
from stategate.stores.log.metadata.terms import remove_old_terms
from stategate.stores.log.snapshots import newest_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.upkeep.compaction import IsStopped, Runner, check_stopped, go_on, snapshot_of
from stategate.stores.upkeep.old_logs import remove_old_logs

_logger = logging.getLogger(__name__)

DAY_MS = 86_400_000
KEEP_MS = 7 * DAY_MS
"""A week, for which Kafka keeps topics by default."""
ORPHAN_AGE_MS = DAY_MS
"""Age at which a file without a commit is removed: no attempt to write an epoch takes that long."""


class RetentionError(StoreError, ValueError):
    """A retention is not valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Which epochs compaction keeps.

    An epoch is removed once it exceeds every limit that is set and a snapshot holds its rows.
    """

    age_ms: int | None = None
    """Epochs that were committed no longer ago than this are kept."""
    epochs: int | None = None
    """This many of the newest epochs are kept."""

    def __post_init__(self) -> None:
        """Refuse negative limits, and a retention without a limit, which would keep nothing."""
        limits = [limit for limit in (self.age_ms, self.epochs) if limit is not None]
        if not limits or min(limits) < 0:
            raise RetentionError("a retention is an age or a number of epochs, from 0 on")


WEEK = Retention(age_ms=KEEP_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """The result of one run over the log of one store."""

    store: str
    snapshot: Snapshot | None
    """The newest usable snapshot; None if the store has no epoch."""
    written: bool
    """Whether this run wrote it."""
    epochs_removed: int
    snapshots_removed: int
    orphans_removed: int
    """Attempts and drafts that no commit names, left by writers that died."""
    logs_removed: int = 0
    """Logs from before the store was rebuilt."""


def compact(
    root: Root,
    store: str,
    *,
    retention: Retention = WEEK,
    every: int = 1,
    orphan_age_ms: int = ORPHAN_AGE_MS,
    scratch: Path | None = None,
    clock: Callable[[], int] = wall_clock_ms,
    is_stopped: IsStopped = go_on,
    run: Runner | None = None,
) -> Compacted:
    """Write a snapshot of a store if one is due, and remove old epochs.

    It may run at any time, beside the writer, readers and other runs. The next run removes the
    files that a killed run left.

    Args:
        root: path or URI of the state log.
        store: the name of the store.
        retention: which epochs are kept. Epochs that no snapshot holds are always kept.
        every: a snapshot is due once this many epochs were committed since the last one.
        orphan_age_ms: age at which files that no commit names are removed.
        scratch: directory in which to build the files, one partition at a time; None for the
            system's.
        clock: wall clock, epoch milliseconds; it must agree with that of the writers.
        is_stopped: called before each long step; the run ends when it returns True.
        run: writes the files of a snapshot's partitions; None to write one after the other here.

    Raises:
        RetentionError: `every` or `orphan_age_ms` is too small.
        LogError: the log cannot be read or written, or the kind of store has no snapshots.
        StoreError: the disk of the scratch directory fails.
        CompactionStoppedError: `is_stopped` returned True.
    """
    log = StoreLog.open(root, store)
    return compact_log(
        log,
        retention=retention,
        every=every,
        orphan_age_ms=orphan_age_ms,
        scratch=scratch,
        clock=clock,
        is_stopped=is_stopped,
        run=run,
    )


def compact_log(
    log: StoreLog,
    *,
    retention: Retention = WEEK,
    every: int = 1,
    orphan_age_ms: int = ORPHAN_AGE_MS,
    scratch: Path | None = None,
    clock: Callable[[], int] = wall_clock_ms,
    is_stopped: IsStopped = go_on,
    run: Runner | None = None,
) -> Compacted:
    """Do the same as `compact` for an open log."""
    if every < 1 or orphan_age_ms < 0:
        raise RetentionError("`every` must be 1 or more, and `orphan_age_ms` 0 or more")
    now_ms = clock()
    log = _last_log(log)
    base, written = _base(log, every, scratch, is_stopped, run)
    epochs = snapshots = 0
    if base is not None:
        check_stopped(log.name, is_stopped)
        epochs = _remove_epochs(log, base.epoch, retention, now_ms)
        snapshots = _remove_snapshots(log, base.epoch)
        log.remove_skips(log.epochs()[0])
        remove_old_terms(log.directory)
    orphans = _remove_orphans(log, now_ms - orphan_age_ms)

    def is_old(moved_ms: int) -> bool:
        if base is None or (retention.epochs is not None and len(log.epochs()) <= retention.epochs):
            return False
        return retention.age_ms is None or now_ms - moved_ms > retention.age_ms

    logs, dead = remove_old_logs(log, is_old, orphans_before_ms=now_ms - orphan_age_ms)
    done = Compacted(
        store=log.name,
        snapshot=base,
        written=written,
        epochs_removed=epochs,
        snapshots_removed=snapshots,
        orphans_removed=orphans + dead,
        logs_removed=logs,
    )
    _logger.info(
        "log compacted store=%s snapshot=%s written=%s epochs=%d snapshots=%d orphans=%d logs=%d",
        log.name,
        None if base is None else base.epoch,
        written,
        epochs,
        snapshots,
        orphans + dead,
        logs,
    )
    return done


def _last_log(log: StoreLog) -> StoreLog:
    """Return the log in which a store goes on, though the hint to it may never have been written.

    Without the hint the new log would look like that of a rebuild that died.
    """
    if log.directory.exists():
        log.latest_epoch()
        log.note_move()
    return log.last()


def _base(
    log: StoreLog,
    every: int,
    scratch: Path | None,
    is_stopped: IsStopped,
    run: Runner | None,
) -> tuple[Snapshot | None, bool]:
    """Return the snapshot for readers to begin with, and whether it was written now."""
    schema = log.schema()

    def newest() -> Snapshot | None:
        # The snapshot is read to its last byte: it will soon be the only copy of its rows.
        return newest_snapshot(
            log, layout=layout_of(schema), partitions=schema.partitions, read_all=True
        )

    found = newest()
    since = log.epochs(after=-1 if found is None else found.epoch)
    if not since or (found is not None and len(since) < every):
        return found, False
    try:
        return snapshot_of(log, scratch=scratch, is_stopped=is_stopped, run=run), True
    except LogError:
        # Another run may have removed the epochs that this one was reading.
        newer = newest()
        if newer is None or (found is not None and newer.epoch <= found.epoch):
            raise
        return newer, False


def _remove_epochs(log: StoreLog, base: int, retention: Retention, now_ms: int) -> int:
    """Remove old epochs before the snapshot's; its own commit shows that it is of this log."""
    removed = []
    for epoch in _old_epochs(log, base, retention, now_ms):
        log.remove_commit(epoch)
        removed.append(epoch)
    if removed:
        # Otherwise a loss of power could bring back a commit without its data.
        log.directory.sync("epochs")
    for epoch in removed:
        log.directory.remove(f"data/{epoch}")
    return len(removed)


def _old_epochs(log: StoreLog, base: int, retention: Retention, now_ms: int) -> Iterator[int]:
    """Yield epochs from the oldest up to the first that is kept, so that the rest is a chain."""
    epochs = log.epochs()
    if retention.epochs is not None:
        epochs = epochs[: max(0, len(epochs) - retention.epochs)]
    for epoch in epochs:
        if epoch >= base:
            return
        if retention.age_ms is not None:
            commit = log.commit(epoch)
            if commit is not None and now_ms - commit.committed_ms <= retention.age_ms:
                return
        yield epoch


def _remove_snapshots(log: StoreLog, base: int) -> int:
    """Remove snapshots of removed epochs, except the one that readers begin with."""
    oldest = log.epochs()[0]
    old = [epoch for epoch in log.snapshots() if epoch < min(oldest, base)]
    for epoch in old:
        log.directory.remove_file(snapshot_name(epoch))
        log.directory.remove(snapshot_path(epoch))
    return len(old)


def _remove_orphans(log: StoreLog, before_ms: int) -> int:
    """Remove files that no commit names: those before the oldest epoch now, others once old."""
    directory = log.directory
    epochs = log.epochs()
    committed = frozenset(epochs)
    removed = 0
    numbers = (name for name in directory.names("data") if name.isascii() and name.isdecimal())
    for epoch in sorted(int(name) for name in numbers if name == str(int(name))):
        if epochs and epoch < epochs[0]:
            # Writers only go forward, so it cannot be committed any more.
            directory.remove(f"data/{epoch}")
            removed += 1
            continue
        names = [name for name in directory.names(f"data/{epoch}") if not name.startswith(".")]
        # A committed epoch usually has one attempt, since its writer has removed all others.
        if epoch not in committed or len(names) > 1:
            removed += _remove_attempts(log, epoch, names, before_ms)
    for epoch in log.snapshots():
        removed += _remove_unnamed(log, epoch, before_ms)
    for parent in (
        "",
        "epochs",
        "terms",
        *(snapshot_path(epoch) for epoch in log.snapshots()),
    ):
        removed += _remove_drafts(log, parent, before_ms)
    return removed


def _remove_attempts(log: StoreLog, epoch: int, names: list[str], before_ms: int) -> int:
    old = [name for name in names if _is_old(log, f"data/{epoch}/{name}", before_ms)]
    # Read the commit after the listing: an attempt may have been committed meanwhile.
    commit = log.commit(epoch) if old else None
    paths = [] if commit is None else [file.path for file in commit.files]
    doomed = [n for n in old if not any(p.startswith(f"data/{epoch}/{n}/") for p in paths)]
    for name in doomed:
        log.directory.remove(f"data/{epoch}/{name}")
    return len(doomed)


def _remove_unnamed(log: StoreLog, epoch: int, before_ms: int) -> int:
    """Remove attempts to write a snapshot that its commit does not name."""
    parent = snapshot_path(epoch)
    commit = Path(snapshot_name(epoch)).name
    names = [n for n in log.directory.names(parent) if n != commit and not n.startswith(".")]
    old = [name for name in names if _is_old(log, f"{parent}/{name}", before_ms)]
    if not old:
        return 0
    raw = log.directory.read(snapshot_name(epoch)) or b""
    # Search the text: the files of a torn record must not be removed either.
    doomed = [name for name in old if name.encode() not in raw]
    for name in doomed:
        log.directory.remove(f"{parent}/{name}")
    return len(doomed)


def _remove_drafts(log: StoreLog, parent: str, before_ms: int) -> int:
    """Remove drafts of records whose writer died before it renamed them."""
    prefix = f"{parent}/" if parent else ""
    drafts = [
        f"{prefix}{name}"
        for name in log.directory.names(parent)
        if name.startswith(".") and ".json." in name
    ]
    old = [draft for draft in drafts if _is_old(log, draft, before_ms)]
    for draft in old:
        log.directory.remove_file(draft)
    return len(old)


def _is_old(log: StoreLog, relative: str, before_ms: int) -> bool:
    changed_ms = log.directory.changed_ms(relative)
    return changed_ms is not None and changed_ms < before_ms
