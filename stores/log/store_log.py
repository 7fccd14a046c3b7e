"""One store in the state log: its definition, and its epochs as one chain.

    <root>/<store>/store.json                             the definition
    <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet
    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit; a file it does not name
                                                          does not exist

The commit after epoch e is created at number e+1, only if nothing is there. If the epoch leaves out
numbers, a skip lies there and names it. So two writers never follow the same epoch, and readers and
writers go from one number to the next: they see every commit, even if listings are late and time
stamps coarse. A listing only shows where to begin. Logs of format 1 have no skips, so only a
listing shows what follows a gap.
"""

from __future__ import annotations

import logging
import time
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import pyarrow as pa

from stores.errors import EpochConflictError, LogMissingError, TornRecordError
from stores.log.datafiles import read_part
from stores.log.definitions import decode_definition, encode_definition, merged_definition
from stores.log.files import Directory, Root
from stores.log.names import (
    COMMITTED,
    DEFINITION,
    commit_name,
    numbers_in,
    skip_mark,
    snapshot_name,
)
from stores.log.records import (
    Commit,
    DataFile,
    Record,
    Skip,
    decode_record,
    encode_commit,
    encode_skip,
)
from stores.log.terms import terms
from stores.spec.schema import StoreSchema

_logger = logging.getLogger(__name__)

_LIST_INTERVAL_S = 1.0
"""Shortest pause between listings of polls that find nothing, to see past a gap."""
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
    """Whether the next record lies at the next number; not after a commit of format 1."""


class StoreLog:
    """One store in the state log. Safe to share between threads.

    Readers call `schema`, `next_commit` and `read`; writers `define` and `write_commit`.
    """

    def __init__(
        self, directory: Directory, store: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = store
        self.directory = directory
        self._clock = clock
        self._listed: tuple[int, ...] = ()
        self._list_again_s = float("-inf")
        self._end = _End()
        self._passed_over: set[int] = set()
        self._schema: tuple[bytes, StoreSchema] | None = None

    @staticmethod
    def open(root: Root, store: str) -> StoreLog:
        """Return the log of one store, which need not exist yet.

        Raises:
            LogError: the kind of file system is unknown.
        """
        return StoreLog(Directory.at(root).within(store), store)

    def schema(self) -> StoreSchema:
        """Read the store's definition.

        Raises:
            LogMissingError: it is missing.
            TornRecordError: it is incomplete, foreign, or of another store.
        """
        data = self.directory.read(DEFINITION)
        path = self.directory.join(DEFINITION)
        if data is None:
            raise LogMissingError(f'there is no store definition "{path}"')
        if self._schema is None or self._schema[0] != data:
            schema = decode_definition(data, path)
            if schema.name != self.name:
                raise TornRecordError(f'record "{path}" defines store "{schema.name}"')
            self._schema = (data, schema)
        return self._schema[1]

    def defined(self) -> bool:
        """Whether the store has a definition."""
        return self.directory.has(DEFINITION)

    def define(self, schema: StoreSchema) -> StoreSchema:
        """Create the definition, or check it against the existing one.

        New input topics are added to the definition; any other difference is refused.

        Returns:
            The definition in the log.

        Raises:
            SchemaError: the store is defined differently; the message names the difference.
        """
        # Look for it first: if it exists, a full disk does not matter.
        if not self.defined() and self.directory.create(DEFINITION, encode_definition(schema)):
            return schema
        defined = self.schema()
        merged = merged_definition(defined, schema)
        if merged.inputs != defined.inputs:
            self.directory.replace(DEFINITION, encode_definition(merged))
        return merged

    def epochs(self, after: int = -1) -> list[int]:
        """List the committed epochs after a number, ascending.

        Raises:
            LogMissingError: the store's directory is missing.
        """
        return [epoch for epoch in self._list() if epoch > after]

    def latest_epoch(self) -> int:
        """Return the newest committed epoch; -1 without any. Sees all commits before this call.

        Goes on from the newest epoch of the last call, which looks for two files. The first call
        lists the directory, and so does every call while the newest epoch is of format 1.

        Raises:
            LogMissingError: the store's directory is missing.
            TornRecordError: the newest epochs are missing, as a snapshot of a later one shows; or
                all are, though the store has had epochs.
        """
        if self._end.is_followed:
            end = self._walk(self._end)
            # Epochs are removed from the oldest on: while this one is there, so are later ones.
            if end.is_followed and self.directory.has(commit_name(end.epoch)):
                self._end = end
                return end.epoch
        # Before the epochs, since a writer may add an epoch and then the others meanwhile.
        snapshots, had_epochs = self.snapshots(), self.directory.has(COMMITTED)
        end = self._walk(self._listed_end())
        self._require_reached(snapshots, end.epoch)
        if had_epochs and end.epoch < 0:
            raise TornRecordError(
                f'the records in "{self.directory.join("epochs")}" are missing: store '
                f'"{self.name}" has had epochs. Put them back, or remove the directory of the '
                "store and build it anew"
            )
        self._end = end
        return end.epoch

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
        """Return the commit of an epoch, or the skip in its place; None if both are missing.

        Raises:
            TornRecordError: the record is incomplete, damaged, foreign, or of another number.
        """
        relative = commit_name(number)
        data = self.directory.read(relative)
        if data is None:
            return None
        path = self.directory.join(relative)
        found = decode_record(data, path)
        if found.epoch != number:
            raise TornRecordError(f'record "{path}" is the commit of epoch {found.epoch}')
        return found

    def numbers(self) -> list[int]:
        """List the numbers with a record, of an epoch or a skip, ascending.

        Raises:
            LogError: the file system does not answer.
        """
        return sorted(numbers_in(self.directory.names("epochs"), ".json"))

    def next_commit(self, after: int, *, list_now: bool = False) -> Commit | None:
        """Return the first commit after an epoch; None before it comes. Made for polling.

        It looks for the next number first. Numbers may have gaps in format 1, and epochs may be
        missing, so it also lists the directory: at most once a second, and less often if a listing
        takes long.

        Args:
            after: the last epoch that the caller has applied; -1 before the first.
            list_now: list the directory in any case.

        Raises:
            TornRecordError: the record is torn, or an epoch before it is missing.
            LogMissingError: the store's directory is missing.
        """
        return self.following(after, list_now=list_now)[0]

    def following(self, after: int, *, list_now: bool = False) -> Following:
        """Return the first commit after an epoch, and then also the epoch's own commit.

        A commit of an older term than the epoch's is passed over: its writer had been replaced.

        Raises:
            TornRecordError, LogMissingError: as `next_commit`.
        """
        first = self._at(after + 1)
        if first is not None:
            own = self._own(after)
            return (None if self._is_stale(first, own) else self._linked(first, after)), own
        if list_now or self._clock() >= self._list_again_s:
            self._list()
        listed = self._listed
        at = bisect_right(listed, after)
        if at == len(listed):
            return None, None
        own = self._own(after)
        for number in islice(listed, at, None):
            found = self.commit(number)
            if found is not None and not self._is_stale(found, own):
                return self._linked(found, after), own
        return None, own

    def _own(self, epoch: int) -> Commit | None:
        return self.commit(epoch) if epoch >= 0 else None

    def _at(self, number: int) -> Commit | None:
        """Return the commit at a number, or the one that the skip in its place names."""
        found = self.record(number)
        while isinstance(found, Skip):
            found = self.record(found.next_epoch)
        return found

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
            if found is None or found.term < end.term:
                return end
            end = _End(found.epoch, found.term, found.format > 1)

    def _listed_end(self) -> _End:
        """Return the newest epoch of a listing, without the commits of replaced writers."""
        end: _End | None = None
        newest_term = max(terms(self.directory), default=0)
        for number in self._list()[: -_LEFT_MAX - 1 : -1]:
            try:
                found = self.commit(number)
            except TornRecordError:
                return end or _End(number)
            if found is None:
                continue  # compaction has removed it meanwhile
            if end is None or found.term > end.term:
                end = _End(found.epoch, found.term, found.format > 1)
            if end.term >= newest_term or found.term < end.term:
                break
        return end or _End()

    def read(self, commit: Commit, partition: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one partition in an epoch, as batches.

        Columns: key, time columns, value columns, `_timestamp` (timestamptz, may be NULL) and
        `_deleted` (boolean), in the types of the definition. An epoch has at most one row for each
        key (and window).

        Raises:
            TornRecordError: a file is missing, short or foreign; the message names it.
        """
        for file in commit.files_of(partition):
            yield from self.read_file(file)

    def read_file(self, file: DataFile) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one data file of an epoch, as `read` does.

        Raises:
            TornRecordError: the file is missing, short or foreign; the message names it.
        """
        yield from read_part(self.directory, file, self.schema())

    def write_commit(self, commit: Commit) -> None:
        """Publish an epoch, whole, and only if nothing follows the epoch before it.

        Raises:
            EpochConflictError: the epoch, or another one in its place, is committed already.
            LogError: it cannot be written.
        """
        self._sync_data(commit)
        if commit.format > 1:
            self.write_skips(commit)
        if not self.directory.create(commit_name(commit.epoch), encode_commit(commit)):
            raise self._conflict(commit.epoch, commit)

    def mark_committed(self) -> None:
        """Record that the store has had an epoch, so that the loss of all epochs is noticed.

        Raises:
            LogError: it cannot be written.
        """
        if not self.directory.has(COMMITTED):
            self.directory.create(COMMITTED, b"")

    def write_skips(self, commit: Commit) -> None:
        """Write the skip for the numbers that an epoch leaves out, if there are any.

        An epoch that an older skip names and that was never committed is skipped, too.

        Raises:
            EpochConflictError: another epoch lies there, or the number itself was skipped.
            LogError: it cannot be written.
        """
        number = commit.previous + 1
        while number < commit.epoch:
            skip = Skip(epoch=number, next_epoch=commit.epoch, term=commit.term, owner=commit.owner)
            # The mark comes first, so that no listing takes the skip for an epoch.
            self.directory.create(skip_mark(number), b"")
            if self.directory.create(commit_name(number), encode_skip(skip)):
                return
            found = self.record(number)
            if not isinstance(found, Skip):
                raise self._conflict(number, commit)
            number = found.next_epoch
        if number > commit.epoch:
            raise self._skipped(commit.epoch, number)

    def _conflict(self, epoch: int, commit: Commit) -> EpochConflictError:
        """Return the error for a commit, of this epoch or a later one, whose number is taken."""
        name = f'epoch {epoch} of store "{self.name}"'
        try:
            found = self.record(epoch)
            before = self._own(commit.previous)
            number = self.next_number(epoch - 1)
        except TornRecordError as error:
            return EpochConflictError(f"{name} is committed already: {error}")
        if number > epoch:
            return self._skipped(epoch, number)
        if not isinstance(found, Commit):
            return EpochConflictError(f"{name} is committed already")
        if self._is_stale(found, before):
            return EpochConflictError(
                f"{name} was written by {found.writer} after it had been replaced: run stategate "
                "log repair, which sets it aside"
            )
        return EpochConflictError(f"{name} is committed already, by {found.writer}")

    def _skipped(self, epoch: int, number: int) -> EpochConflictError:
        return EpochConflictError(
            f'epoch {epoch} of store "{self.name}" was skipped: the next epoch is {number}'
        )

    def next_number(self, after: int) -> int:
        """Return the first number after an epoch that is not skipped.

        Raises:
            TornRecordError: a skip there cannot be read.
        """
        number = after + 1
        while isinstance(found := self.record(number), Skip):
            number = found.next_epoch
        return number

    def remove_commit(self, epoch: int) -> None:
        """Remove the commit of an epoch; its data files, which no commit names now, stay.

        Remove epochs from the oldest on, up to one that a snapshot holds: `stores.upkeep.retention`
        does so.

        Raises:
            LogError: it cannot be removed.
        """
        self.directory.remove_file(commit_name(epoch))

    def remove_skips(self, before: int) -> None:
        """Remove the skips before a number, which is the log's oldest epoch.

        Raises:
            LogError: they cannot be removed.
        """
        for number in sorted(numbers_in(self.directory.names("epochs"), ".skip")):
            if number < before:
                if self._is_skip(number):
                    self.directory.remove_file(commit_name(number))
                self.directory.remove_file(skip_mark(number))

    def begin(self, epoch: int) -> str:
        """Create a directory for one attempt to write an epoch; return its path in the store's."""
        attempt = f"data/{epoch}/{uuid.uuid4().hex[:12]}"
        self.directory.make(attempt)
        return attempt

    def remove_other_attempts(self, attempt: str) -> None:
        """Remove the files of other attempts to write a committed epoch."""
        parent, _, name = attempt.rpartition("/")
        for other in self.directory.names(parent):
            if other != name:
                self.directory.remove(f"{parent}/{other}")

    def _sync_data(self, commit: Commit) -> None:
        """Sync the directory of the data files; their bytes are synced already."""
        parents = {file.path.rpartition("/")[0] for file in commit.files}
        above = {parent.rpartition("/")[0] for parent in parents}
        for relative in sorted(parents | above | ({"data"} if parents else set())):
            self.directory.sync(relative)

    def _list(self) -> tuple[int, ...]:
        """List the epochs, ascending, without skipped numbers."""
        began_s = self._clock()
        names = self.directory.names("epochs")
        if not names:
            self.directory.require()
        numbers = numbers_in(names, ".json")
        marked = numbers & numbers_in(names, ".skip")
        self._listed = tuple(sorted(numbers - {each for each in marked if self._is_skip(each)}))
        ended_s = self._clock()
        pause_s = max(_LIST_INTERVAL_S, (ended_s - began_s) / _LIST_SHARE_MAX)
        self._list_again_s = ended_s + pause_s
        return self._listed

    def _is_skip(self, number: int) -> bool:
        try:
            return isinstance(self.record(number), Skip)
        except TornRecordError:
            return False
