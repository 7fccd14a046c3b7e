"""Finds the damage in a state log before a reader meets it.

It reads every record and every byte of every file, and changes nothing: `checking.repair` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stategate.stores.errors import LogError, LogMissingError, SchemaError, TornRecordError
from stategate.stores.log.data.decoded_sizes import DecodedLimit
from stategate.stores.log.data.shaping import require_readable
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import (
    DEFINITION,
    Commit,
    Record,
    Skip,
    Snapshot,
    Term,
    commit_name,
    snapshot_name,
    term_name,
)
from stategate.stores.log.metadata.terms import read_term, terms
from stategate.stores.log.snapshots import fetch, read_snapshot
from stategate.stores.log.state_log import StoreLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One file that is damaged or missing."""

    path: str
    """Relative to the store's directory."""
    message: str
    """The problem, with the name of the file."""
    epoch: int | None = None
    """The epoch that cannot be read because of it; None if every epoch can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The damage in the log of one store, and how much of it was read."""

    store: str
    epochs: int
    """Number of epochs whose commit and files can be read."""
    rows: int
    """Rows in their data files."""
    damages: tuple[Damage, ...]


def verify(root: Root, store: str) -> Verified:
    """Read the whole log of a store and return its damage.

    It may run beside writers, readers and compaction: a file that they remove is not damage.

    Args:
        root: path or URI of the state log.
        store: the name of the store.

    Raises:
        LogMissingError: the store is missing.
        LogError: the file system does not answer.
    """
    return verify_log(StoreLog.open(root, store))


def verify_log(log: StoreLog) -> Verified:
    """Do the same as `verify` for an open log."""
    log.directory.require()
    taken, torn_terms = read_terms(log)
    damages = [*_definition(log), *torn_terms.values()]
    records, torn = read_records(log)
    damages += torn.values()
    snapshots, unusable = read_snapshots(log)
    damages += unusable
    chain = list(_chain(log, taken, records, snapshots, damages))
    damages += _end(log)
    lost = {damage.epoch for damage in damages}
    read = [commit for commit in chain if commit.epoch not in lost]
    for commit in read:
        damages += _data(log, commit)
    return Verified(
        store=log.name,
        epochs=len(read),
        rows=sum(commit.rows for commit in read),
        damages=tuple(damages),
    )


def read_terms(log: StoreLog) -> tuple[dict[int, Term], dict[int, Damage]]:
    """Return the records of terms by number, and the damage of unreadable ones."""
    taken: dict[int, Term] = {}
    torn: dict[int, Damage] = {}
    for number in terms(log.directory):
        try:
            found = read_term(log.directory, number)
        except TornRecordError as error:
            torn[number] = Damage(path=term_name(number), message=str(error))
        else:
            if found is not None:
                taken[number] = found
    return taken, torn


def read_records(log: StoreLog) -> tuple[dict[int, Record], dict[int, Damage]]:
    """Return the records of epochs by number, and the damage of unreadable ones."""
    records: dict[int, Record] = {}
    torn: dict[int, Damage] = {}
    # Begin with the newest: old epochs are removed from the other end, which leaves no hole here.
    for number in reversed(log.numbers()):
        try:
            found = log.record(number)
        except TornRecordError as error:
            torn[number] = Damage(path=commit_name(number), message=str(error), epoch=number)
        else:
            if found is not None:
                records[number] = found
    return records, torn


def read_snapshots(log: StoreLog) -> tuple[dict[int, Snapshot], list[Damage]]:
    """Return the whole snapshots by epoch, and the damage of the others."""
    whole: dict[int, Snapshot] = {}
    damages = []
    for epoch in log.snapshots():
        path = snapshot_name(epoch)
        try:
            found = read_snapshot(log, epoch)
            if found is None:
                continue
            for file in found.all_files:
                path = file.path
                fetch(log.directory, file, None)
        except TornRecordError as error:
            if log.directory.has(snapshot_name(epoch)):
                damages.append(Damage(path=path, message=str(error)))
        else:
            whole[epoch] = found
    return whole, damages


def stale_commits(records: Mapping[int, Record]) -> list[Commit]:
    """Return the commits of replaced writers, which readers pass over."""
    newest = 0
    found = []
    for number in sorted(records):
        record = records[number]
        if record.term < newest and isinstance(record, Commit):
            found.append(record)
        newest = max(newest, record.term)
    return found


def _end(log: StoreLog) -> Iterator[Damage]:
    """Yield the damage of a log that ends before a snapshot, or has lost all its epochs."""
    try:
        log.latest_epoch()
    except TornRecordError as error:
        held = [e for e in log.snapshots() if log.directory.has(snapshot_name(e))]
        lost = max(held, default=0)
        yield Damage(path=commit_name(lost), message=str(error), epoch=lost)


def _definition(log: StoreLog) -> Iterator[Damage]:
    try:
        log.schema()
    except (LogMissingError, TornRecordError) as error:
        yield Damage(path=DEFINITION, message=str(error))


def _chain(
    log: StoreLog,
    taken: Mapping[int, Term],
    records: Mapping[int, Record],
    snapshots: Mapping[int, Snapshot],
    damages: list[Damage],
) -> Iterator[Commit]:
    """Yield the commits that readers follow, in order; add damaged links to `damages`."""
    stale = stale_commits(records)
    for commit in stale:
        damages.append(_wrong(log, commit, "is of a writer that had been replaced"))
    before: Commit | None = None
    for number in sorted(records):
        found = records[number]
        if not isinstance(found, Commit) or found in stale:
            continue
        commit = found
        damages += _links(log, before, commit, records, snapshots)
        term = taken.get(commit.term)
        if term is not None and term.owner != commit.owner:
            damages.append(_wrong(log, commit, f"is not of the owner of term {commit.term}"))
        before = commit
        yield commit


def _links(
    log: StoreLog,
    before: Commit | None,
    commit: Commit,
    records: Mapping[int, Record],
    snapshots: Mapping[int, Snapshot],
) -> Iterator[Damage]:
    """Yield the damage between a commit and the one before it in the log."""
    if before is None:
        held = max(snapshots, default=-1)
        if commit.previous > held and not commit.replace:
            what = f"follows epoch {commit.previous}, which neither the log nor a snapshot holds"
            yield _wrong(log, commit, what)
        return
    if commit.previous != before.epoch:
        what = f"follows epoch {commit.previous}, and not epoch {before.epoch}"
        yield _wrong(log, commit, what)
        return
    if not leads_to(records, before.epoch + 1, commit.epoch):
        what = f"is not named by a skip at number {before.epoch + 1}"
        yield _wrong(log, commit, what)
    if not commit.position.covers(before.position):
        damage = _wrong(log, commit, "moves the position back")
        yield Damage(path=damage.path, message=damage.message)


def leads_to(records: Mapping[int, Record], number: int, epoch: int) -> bool:
    """Whether skips lead from a number to the commit of an epoch."""
    while isinstance(skip := records.get(number), Skip) and number < epoch:
        number = skip.next_epoch
    return number == epoch


def _wrong(log: StoreLog, commit: Commit, what: str) -> Damage:
    path = commit_name(commit.epoch)
    message = f'record "{log.directory.join(path)}" {what}'
    return Damage(path=path, message=message, epoch=commit.epoch)


def _data(log: StoreLog, commit: Commit) -> Iterator[Damage]:
    """Yield the damage of an epoch's data files."""
    try:
        schema = log.schema()
    except LogError:
        return  # it is named already, and without the definition no row can be read
    limits: defaultdict[int, DecodedLimit] = defaultdict(DecodedLimit)
    for file in commit.files:
        message: str | None = None
        epoch: int | None = commit.epoch
        path = log.directory.join(file.path)
        if not 0 <= file.partition < schema.partitions:
            message = f'data file "{path}" is of partition {file.partition}, which does not exist'
        else:
            try:
                for batch in log.read_file(file, limits[file.partition]):
                    require_readable(batch, schema)
            except TornRecordError as error:
                message = str(error)
            except SchemaError as error:
                # The epoch is whole, so it is not named as one to repair.
                message, epoch = f'data file "{path}" has a value that none can read: {error}', None
        # Compaction may have removed the epoch meanwhile, its commit first.
        if message is not None and log.directory.has(commit_name(commit.epoch)):
            yield Damage(path=file.path, message=message, epoch=epoch)
