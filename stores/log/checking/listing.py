"""What a state log holds for one store, without its data files: epochs, snapshots, terms, head.

The work does not grow with the log, but for one listing of the names of its records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from stategate.stores.errors import LogError, LogMissingError, TornRecordError
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import (
    Commit,
    Record,
    Skip,
    Snapshot,
    Term,
    commit_name,
    snapshot_name,
)
from stategate.stores.log.metadata.terms import read_term, terms
from stategate.stores.log.snapshots import read_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.arguments import require_integer
from stategate.stores.spec.schema import StoreSchema

SNAPSHOTS_MAX = 5
"""Newest snapshots whose records are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record of the log's epochs."""

    number: int
    record: Record | None
    """The commit or the skip; None if it cannot be read."""
    damage: str | None = None
    """The problem; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The newest records of one store's log."""

    store: str
    schema: StoreSchema | None
    """None if the definition is damaged or missing."""
    entries: tuple[Entry, ...]
    """The newest first."""
    records: int
    """Number of records of epochs and skips, those in `entries` included."""
    oldest: int | None
    """The lowest number with a record; None without any."""
    head: int | None
    """The epoch of the head, which is a hint; None without one."""
    term: Term | None
    """The newest term; None without one."""
    snapshots: tuple[Snapshot, ...]
    """The newest first, SNAPSHOTS_MAX at most."""
    snapshots_older: int
    """Number of older snapshots, whose records were not read."""
    damages: tuple[str, ...]
    """Problems that are not those of an entry."""

    @property
    def is_damaged(self) -> bool:
        """Whether any of it is damaged."""
        return bool(self.damages) or any(entry.damage for entry in self.entries)


def list_log(root: Root, store: str, *, newest: int = 20) -> Listing:
    """Return what the log of a store holds. Changes nothing, and reads no data file.

    It finds the damage of what it reads; `verify` reads the whole log.

    Args:
        root: path or URI of the state log.
        store: the name of the store.
        newest: the number of newest records to read.

    Raises:
        ArgumentError: `newest` is not a number.
        LogMissingError: the store is missing.
        LogError: the file system does not answer.
    """
    require_integer("newest", newest, least=1)
    log = StoreLog.open(root, store)
    log.directory.require()
    damages: list[str] = []
    schema = _schema(log, damages)
    term = _term(log, damages)
    numbers = log.numbers()
    # One more is read than is shown, since a record is checked against the one before it.
    entries = _linked(log, _entries(log, numbers[-newest - 1 :]))
    epochs = log.snapshots()
    snapshots = _snapshots(log, epochs[:SNAPSHOTS_MAX], damages)
    try:
        log.latest_epoch()
    except TornRecordError as error:
        damages.append(str(error))
    return Listing(
        store=store,
        schema=schema,
        entries=tuple(entries[:newest]),
        records=len(numbers),
        oldest=numbers[0] if numbers else None,
        head=_head(log),
        term=term,
        snapshots=tuple(snapshots),
        snapshots_older=len(epochs[SNAPSHOTS_MAX:]),
        damages=tuple(damages),
    )


def _schema(log: StoreLog, damages: list[str]) -> StoreSchema | None:
    try:
        return log.schema()
    except (LogMissingError, TornRecordError) as error:
        damages.append(str(error))
        return None


def _term(log: StoreLog, damages: list[str]) -> Term | None:
    taken = terms(log.directory)
    try:
        return read_term(log.directory, taken[-1]) if taken else None
    except TornRecordError as error:
        damages.append(str(error))
        return None


def _head(log: StoreLog) -> int | None:
    try:
        return log.announced()
    except LogError:
        return None  # it is a hint, and the next commit writes another


def _snapshots(log: StoreLog, epochs: list[int], damages: list[str]) -> list[Snapshot]:
    found = []
    for epoch in epochs:
        try:
            snapshot = read_snapshot(log, epoch)
        except TornRecordError as error:
            if log.directory.has(snapshot_name(epoch)):  # compaction may have removed it
                damages.append(str(error))
        else:
            found += [] if snapshot is None else [snapshot]
    return found


def _entries(log: StoreLog, numbers: list[int]) -> list[Entry]:
    """Return the records of these numbers, the newest first."""
    entries = []
    for number in reversed(numbers):
        try:
            record = log.record(number)
        except TornRecordError as error:
            entries.append(Entry(number=number, record=None, damage=str(error)))
        else:
            # Compaction removes the oldest ones, which may have been listed just before.
            entries += [] if record is None else [Entry(number=number, record=record)]
    return entries


def _linked(log: StoreLog, entries: list[Entry]) -> list[Entry]:
    """Return the entries, with the damage between each and the older ones."""
    checked: list[Entry] = []
    term, before = 0, None
    for entry in reversed(entries):
        record, damage = entry.record, entry.damage
        if isinstance(record, Commit):
            if record.term < term:
                damage = f"{_named(log, entry.number)} is of a writer that had been replaced"
            else:
                if before is not None and record.previous != before:
                    damage = f"{_named(log, entry.number)} follows epoch {record.previous}, "
                    damage += f"and not epoch {before}"
                before = record.epoch
        elif not isinstance(record, Skip):
            before = entry.number
        term = max(term, 0 if record is None else record.term)
        checked.append(replace(entry, damage=damage))
    return checked[::-1]


def _named(log: StoreLog, number: int) -> str:
    return f'record "{log.directory.join(commit_name(number))}"'
