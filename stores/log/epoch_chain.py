"""The epochs of one store in the state log, as one chain: how they are found and followed.

    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit; a file it does not name
                                                          does not exist

The commit after epoch e is created at number e+1, only if nothing is there. If the epoch leaves out
numbers, a skip is there and names it. So two writers never follow the same epoch, and readers and
writers go from one number to the next: they see every commit, even if listings are outdated and
timestamps coarse. A listing only shows where to begin. A move ends the chain; see
`stategate.stores.log.metadata.moves`.
"""

from __future__ import annotations

import logging
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from stategate.stores.errors import TornRecordError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.definitions import DefinitionFile
from stategate.stores.log.metadata.moves import Move
from stategate.stores.log.metadata.records import (
    COMMITTED,
    Commit,
    Record,
    Skip,
    commit_name,
    decode_record,
    numbers_in,
    snapshot_name,
)
from stategate.stores.log.metadata.terms import terms

_logger = logging.getLogger(__name__)

_LIST_INTERVAL_S = 1.0
"""Minimum pause between the listings by which polls that find nothing look past a gap."""
_LIST_SHARE_MAX = 0.01
"""The largest share of a follower's time for listings, however many epochs the log keeps."""
_LEFT_MAX = 32
"""Records at the end of a listing in which the newest term is looked for."""

Following: TypeAlias = tuple[Commit | None, Commit | None]
"""The commit after an epoch, and the epoch's own commit if it was read."""


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a log: its newest epoch."""

    epoch: int = -1
    term: int = 0
    is_followed: bool = False
    """Whether its commit was read."""
    data: bytes = b""
    """Its record, which no other epoch has, of this store or of one that was made anew."""


def _end_at(commit: Commit, data: bytes) -> _End:
    return _End(commit.epoch, commit.term, True, data)


class EpochChain:
    """The epochs of one store, for reading. Safe to share between threads."""

    def __init__(
        self, directory: Directory, store: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = store
        self.directory = directory
        self._definition = DefinitionFile(directory, store)
        self._clock = clock
        self._listed: tuple[int, ...] = ()
        self._list_again_s = float("-inf")
        self._end = _End()
        self._passed_over: set[int] = set()
        self.move: Move | None = None
        """The move that ends the log, once a reader or writer has met it."""

    def epochs(self, after: int = -1) -> list[int]:
        """List the committed epochs after a number, ascending.

        Raises:
            LogMissingError: the store's directory is missing.
        """
        return [epoch for epoch in self._list() if epoch > after]

    def latest_epoch(self) -> int:
        """Return the newest committed epoch; -1 without any. Sees all commits before this call.

        It goes on from the newest epoch of the last call and looks for two files. The first call
        lists the directory, and so does every call while the newest epoch cannot be read.

        Raises:
            LogMissingError: the store's directory is missing.
            LogReplacedError: the store was removed and created again, since it was first read.
            TornRecordError: the newest epochs are missing, as a snapshot of a later one shows; or
                all are, though the store has had epochs.
        """
        before = self._end
        if before.is_followed:
            end = self._walk(before)
            # Epochs are removed from the oldest on: while this one is there, so are later ones, and
            # they are of this store.
            if end.is_followed and self.directory.read(commit_name(before.epoch)) == before.data:
                self._end = end
                return end.epoch
        # These are read before the epochs, because a writer adds an epoch before it adds them.
        snapshots, had_epochs = self.snapshots(), self.had_epochs()
        end = self._walk(self._listed_end())
        self._require_reached(snapshots, end.epoch)
        if had_epochs and end.epoch < 0:
            raise self._all_missing()
        self.require_same()
        self._end = end
        return end.epoch

    def require_same(self) -> None:
        """Make sure that the store is the one whose definition was read first.

        Raises:
            LogReplacedError: it was removed and created again.
            LogError: the definition cannot be read now.
        """
        self._definition.require_same()

    def had_epochs(self) -> bool:
        """Whether the store has had an epoch, even if all are missing.

        Raises:
            LogError: the file system does not answer.
        """
        return self.directory.has(COMMITTED)

    def snapshots(self) -> list[int]:
        """Return the epochs that may have a snapshot, the newest first.

        Raises:
            LogError: the file system does not answer.
        """
        return sorted(numbers_in(self.directory.names("snapshots")), reverse=True)

    def _require_reached(self, snapshots: list[int], newest: int) -> None:
        """Make sure that the log does not end before one of its snapshots.

        Otherwise readers would answer at an older epoch, and a writer would write the missing
        epochs again with other rows.
        """
        for epoch in snapshots:
            if epoch <= newest:
                return
            if self.directory.has(snapshot_name(epoch)):
                raise TornRecordError(
                    f'record "{self.directory.join(commit_name(epoch))}" is missing: store '
                    f'"{self.name}" has a snapshot of epoch {epoch}, and its log ends at epoch '
                    f"{newest}. Put back the records of epochs/, or remove the store's directory "
                    "and build the store anew"
                )

    def _require_kept(self, applied: int) -> None:
        """Make sure that the log still has an epoch that a reader has applied, if it ends there.

        The newest epoch is never removed as old. A store that was removed and is made anew may have
        no epoch yet.
        """
        if applied < 0 or self._listed[-1:] == (applied,):
            return
        if self.directory.has(commit_name(applied)):
            return  # it is newer than the last listing
        if self._listed:
            raise TornRecordError(
                f'record "{self.directory.join(commit_name(applied))}" is missing: the log of '
                f'store "{self.name}" ends at epoch {self._listed[-1]}. Put back the records of '
                "epochs/, or remove the store's directory and build the store anew"
            )
        if self.had_epochs():
            raise self._all_missing()

    def _all_missing(self) -> TornRecordError:
        return TornRecordError(
            f'the records in "{self.directory.join("epochs")}" are missing: store '
            f'"{self.name}" has had epochs. Put them back, or remove the directory of the '
            "store and build it anew"
        )

    def newest_term(self) -> int:
        """Return the newest term of any readable record, in case the records of terms/ are lost."""
        newest = seen = 0
        for number in reversed(self.numbers()):
            try:
                found = self.record(number)
            except TornRecordError:
                continue
            if found is not None:
                newest, seen = max(newest, found.term), seen + 1
            if seen == _LEFT_MAX:
                break
        return newest

    def commit(self, epoch: int) -> Commit | None:
        """Return the commit of an epoch; None if it is missing.

        Raises:
            TornRecordError: the record is incomplete, damaged, foreign, or of another epoch.
        """
        found = self.record(epoch)
        return found if isinstance(found, Commit) else None

    def record(self, number: int) -> Record | None:
        """Return the commit of an epoch, or the record in its place; None without one.

        Raises:
            TornRecordError: the record is incomplete, damaged, foreign, or of another number.
        """
        read = self._read(number)
        return None if read is None else read[0]

    def _read(self, number: int) -> tuple[Record, bytes] | None:
        """Return a record, and its bytes; see `record`."""
        relative = commit_name(number)
        data = self.directory.read(relative)
        if data is None:
            return None
        path = self.directory.join(relative)
        found = decode_record(data, path)
        if found.epoch != number:
            raise TornRecordError(f'record "{path}" is the commit of epoch {found.epoch}')
        return found, data

    def numbers(self) -> list[int]:
        """List the numbers with a record, of an epoch or in its place, ascending.

        Raises:
            LogError: the file system does not answer.
        """
        return sorted(numbers_in(self.directory.names("epochs"), ".json"))

    def next_commit(self, after: int, *, list_now: bool = False) -> Commit | None:
        """Return the first commit after an epoch; None before it comes. Made for polling.

        It looks for the next number first. Epochs may be missing, so it also lists the directory:
        at most once a second, and less often if a listing takes long.

        Args:
            after: the last epoch that the caller has applied; -1 before the first.
            list_now: list the directory in any case.

        Raises:
            TornRecordError: the record is torn, or an epoch before it is missing.
            LogMissingError: the store's directory is missing.
        """
        return self.following(after, list_now=list_now)[0]

    def following(self, after: int, *, list_now: bool = False) -> Following:
        """Return the first commit after an epoch and, if it was read, the epoch's own commit.

        A commit of an older term than the epoch's is passed over: its writer had been replaced.

        Raises:
            TornRecordError, LogMissingError: as `next_commit`.
        """
        at_once = self._at(after + 1)
        if at_once is not None:
            first, own = at_once[0], self._own(after)
            return (None if self._is_stale(first, own) else self._linked(first, after)), own
        # Without its first epoch a reader has no rows at all, so it cannot wait for a listing.
        is_removed = after < 0 and self.had_epochs()
        if list_now or is_removed or self._clock() >= self._list_again_s:
            self._list()
        listed = self._listed
        at = bisect_right(listed, after)
        if at == len(listed):
            if is_removed:
                raise self._all_missing()
            self._require_kept(after)
            return None, None
        own = self._own(after)
        for number in islice(listed, at, None):
            found = self.commit(number)
            if found is not None and not self._is_stale(found, own):
                return self._linked(found, after), own
        return None, own

    def next_number(self, after: int) -> int:
        """Return the first number after an epoch that is not skipped.

        Raises:
            TornRecordError: a skip there cannot be read.
        """
        number = after + 1
        while isinstance(found := self.record(number), Skip):
            number = found.next_epoch
        return number

    def _own(self, epoch: int) -> Commit | None:
        return self.commit(epoch) if epoch >= 0 else None

    def _at(self, number: int) -> tuple[Commit, bytes] | None:
        """Return the commit at a number, or the one that the skip in its place names; its bytes."""
        while (read := self._read(number)) is not None and isinstance(read[0], Skip):
            number = read[0].next_epoch
        if read is None:
            return None
        found, data = read
        if isinstance(found, Move):
            self.move = found
        return (found, data) if isinstance(found, Commit) else None

    def _is_stale(self, commit: Commit, before: Commit | None) -> bool:
        """Whether a commit's writer had been replaced; logged once for each commit."""
        if before is None or commit.term >= before.term:
            return False
        if commit.epoch not in self._passed_over:
            self._passed_over.add(commit.epoch)
            _logger.warning(
                "commit of a writer that had been replaced is passed over store=%s epoch=%d "
                "term=%d newest_term=%d",
                self.name,
                commit.epoch,
                commit.term,
                before.term,
            )
        return True

    def _linked(self, commit: Commit, after: int) -> Commit:
        if commit.previous != after:
            raise TornRecordError(
                f'record "{self.directory.join(commit_name(commit.epoch))}" follows epoch '
                f"{commit.previous}, which is not in the log after epoch {after}"
            )
        return commit

    def _walk(self, end: _End) -> _End:
        """Return the newest epoch that can be reached from an existing one."""
        while True:
            number = end.epoch + 1
            if not self.directory.has(commit_name(number)):
                return end
            try:
                found = self._at(number)
            except TornRecordError:
                # An epoch was committed there, though it cannot be read now.
                end = _End(number, end.term)
                continue
            if found is None or found[0].term < end.term:
                return end
            end = _end_at(*found)

    def _listed_end(self) -> _End:
        """Return the newest epoch of a listing, without the commits of replaced writers."""
        end: _End | None = None
        newest_term = max(terms(self.directory), default=0)
        for number in self._list()[: -_LEFT_MAX - 1 : -1]:
            try:
                read = self._read(number)
            except TornRecordError:
                return end or _End(number)
            if read is None or not isinstance(found := read[0], Commit):
                continue  # compaction has removed it meanwhile
            if end is None or found.term > end.term:
                end = _end_at(found, read[1])
            if end.term >= newest_term or found.term < end.term:
                break
        return end or _End()

    def _list(self) -> tuple[int, ...]:
        """List the epochs, ascending, without the numbers of skips and moves."""
        began_s = self._clock()
        names = self.directory.names("epochs")
        if not names:
            self.directory.require()
        numbers = numbers_in(names, ".json")
        marked = numbers & numbers_in(names, ".skip")
        others = {each for each in marked if self._is_no_epoch(each)}
        self._listed = tuple(sorted(numbers - others))
        ended_s = self._clock()
        pause_s = max(_LIST_INTERVAL_S, (ended_s - began_s) / _LIST_SHARE_MAX)
        self._list_again_s = ended_s + pause_s
        return self._listed

    def _is_no_epoch(self, number: int) -> bool:
        try:
            return isinstance(self.record(number), Skip | Move)
        except TornRecordError:
            return False
