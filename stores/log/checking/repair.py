"""Repairs a state log where that is safe: no row is invented, and no row that counts is lost.

Files that are taken out of a log go to `aside/` in the store's directory, from where they can be
put back by hand.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from stategate.stores.errors import TornRecordError
from stategate.stores.log.checking.verification import (
    Damage,
    Verified,
    leads_to,
    read_records,
    read_snapshots,
    read_terms,
    stale_commits,
    verify_log,
)
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import (
    Commit,
    Record,
    commit_name,
    encode_commit,
    snapshot_name,
    term_name,
)
from stategate.stores.log.metadata.terms import take_term
from stategate.stores.log.state_log import StoreLog

_logger = logging.getLogger(__name__)

WRITER = "stategate log repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The repairs of one store's log, and the remaining damage."""

    actions: tuple[str, ...]
    """The repairs in order, a clause each; empty without damage that can be repaired."""
    after: Verified
    """The log after the repairs."""


def repair(root: Root, store: str) -> Repaired:
    """Repair the log of a store where that is safe.

    - Commits of replaced writers, which readers pass over, are set aside.
    - An epoch that names a wrong epoch before it, as two writers at once left it, is linked to the
      one before it in the log if its position covers that one's.
    - Missing skips are written.
    - Epochs up to an unreadable one are set aside if a snapshot holds their rows.
    - Damaged snapshots are set aside if all epochs are there.
    - Damaged records of terms are set aside, with those before them.

    To touch an epoch or the newest term, it takes the store's next term first: a running writer is
    refused from then on and has to be started again. Readers may go on.

    Raises:
        LogMissingError: the store is missing.
        LogError: the log cannot be read or written.
    """
    return repair_log(StoreLog.open(root, store))


def repair_log(log: StoreLog) -> Repaired:
    """Do the same as `repair` for an open log."""
    found = verify_log(log)
    actions: list[str] = []
    if found.damages:
        run = _Repair(log, actions)
        run.snapshots(found)
        run.epochs(found)
        run.terms()
        found = verify_log(log) if actions else found
    for action in actions:
        _logger.warning("log repaired store=%s action=%s", log.name, action)
    return Repaired(actions=tuple(actions), after=found)


class _Repair:
    """One run of repairs over one log."""

    def __init__(self, log: StoreLog, actions: list[str]) -> None:
        self._log, self._actions = log, actions
        self._is_owner = False

    def snapshots(self, found: Verified) -> None:
        """Set damaged snapshots aside if readers can do without them."""
        lost = [damage.epoch for damage in found.damages if damage.epoch is not None]
        whole, _ = read_snapshots(self._log)
        epochs = self._log.epochs()
        for epoch in self._log.snapshots():
            name = snapshot_name(epoch)
            if epoch in whole or not self._log.directory.has(name):
                continue
            if not lost and self._is_whole_from(max(whole, default=-1), epochs):
                self._set_aside(name)
                self._actions.append(f"set aside the damaged snapshot of epoch {epoch}")

    def _is_whole_from(self, base: int, epochs: list[int]) -> bool:
        first = next((epoch for epoch in epochs if epoch > base), None)
        if first is None:
            return base >= 0
        commit = self._log.commit(first)
        return commit is not None and commit.previous <= base

    def epochs(self, found: Verified) -> None:
        """Make the records of epochs one chain again."""
        records, torn = read_records(self._log)
        for commit in stale_commits(records):
            self._own()
            self._set_aside(commit_name(commit.epoch))
            self._actions.append(f"set aside epoch {commit.epoch}, of a writer that was replaced")
            del records[commit.epoch]
        self._cut(found, records, set(torn))
        self._link(records)

    def terms(self) -> None:
        """Set damaged records of terms aside, with those before them.

        Their writers stay refused, because their own records are gone, too.
        """
        taken, torn = read_terms(self._log)
        if not torn:
            return
        last = max(torn)
        if last > max(taken, default=0):
            self._own()
        # The oldest first, so that no old term ever looks like the newest.
        for number in sorted(n for n in (*taken, *torn) if n <= last):
            self._set_aside(term_name(number))
        self._actions.append(f"set aside the records of terms up to {last}")

    def _cut(self, found: Verified, records: dict[int, Record], torn: set[int]) -> None:
        """Set aside all epochs up to the last unreadable one that a snapshot holds."""
        whole, _ = read_snapshots(self._log)
        lost = {_lost_epoch(damage, records) for damage in found.damages} - {None}
        base = max(whole, default=-1)
        doomed = [epoch for epoch in lost if epoch is not None and epoch <= base]
        last = max(doomed, default=-1)
        # A log that ends before its snapshot would count as another log.
        ends = [n for n, r in records.items() if isinstance(r, Commit) and last < n >= base]
        if not doomed or not ends:
            return
        self._own()
        for number in sorted(records.keys() | torn):
            if number <= last:
                self._set_aside(commit_name(number))
                records.pop(number, None)
        self._actions.append(
            f"set aside the epochs up to {last}: the snapshot of epoch {base} holds them"
        )

    def _link(self, records: dict[int, Record]) -> None:
        for before, commit in _pairs(records):
            linked = commit
            if commit.previous != before.epoch:
                if not _may_follow(before, commit, records):
                    return
                linked = replace(commit, previous=before.epoch)
                self._own()
                self._log.directory.replace(commit_name(commit.epoch), encode_commit(linked))
                records[commit.epoch] = linked
                self._actions.append(f"linked epoch {commit.epoch} to epoch {before.epoch}")
            if not leads_to(records, before.epoch + 1, commit.epoch):
                self._own()
                self._log.write_skips(linked)
                self._actions.append(f"wrote the skip from epoch {before.epoch} to {commit.epoch}")

    def _own(self) -> None:
        """Take the next term before the first change, so that a running writer is refused."""
        if self._is_owner:
            return
        records, _ = read_records(self._log)
        take_term(
            self._log.directory,
            writer=WRITER,
            after=max((record.term for record in records.values()), default=0),
            now_ms=time.time_ns() // 1_000_000,
        )
        self._is_owner = True

    def _set_aside(self, relative: str) -> None:
        """Move a record out of the log; a crash leaves it in one of the two places, or both."""
        directory = self._log.directory
        aside = f"aside/{uuid.uuid4().hex[:12]}/{relative}"
        try:
            data = directory.read(relative)
        except TornRecordError:
            directory.move(relative, aside)  # a directory, with all that is in it
            return
        if data is None:
            return
        directory.create(aside, data)
        directory.remove_file(relative)


def _lost_epoch(damage: Damage, records: Mapping[int, Record]) -> int | None:
    """Return the epoch that is unreadable by this damage; None if it is only linked wrongly."""
    epoch = damage.epoch
    commit = None if epoch is None else records.get(epoch)
    if not isinstance(commit, Commit) or damage.path != commit_name(commit.epoch):
        return epoch
    before = [n for n, r in records.items() if isinstance(r, Commit) and n < commit.epoch]
    # If an epoch is missing between the two, it is lost; otherwise they are only linked wrongly.
    return commit.previous if commit.previous > max(before, default=-1) else None


def _pairs(records: dict[int, Record]) -> Iterator[tuple[Commit, Commit]]:
    """Yield each commit with the one before it, which may just have been relinked."""
    numbers = sorted(n for n, record in records.items() if isinstance(record, Commit))
    for number, following in pairwise(numbers):
        before, commit = records[number], records[following]
        assert isinstance(before, Commit)
        assert isinstance(commit, Commit)
        yield before, commit


def _may_follow(before: Commit, commit: Commit, records: Mapping[int, Record]) -> bool:
    """Whether a commit that names another epoch before it may follow this one.

    The epoch that it names must not be missing between them, and the position must not go back.
    """
    return commit.previous < before.epoch and commit.position.covers(before.position)
