"""One store in the state log: its definition, and its epochs as one chain.

    <root>/<store>/store.json                             the definition
    <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet
    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit; a file it does not name
                                                          does not exist

The commit after epoch e is looked for at number e+1, and is created there only if nothing is. Where
an epoch leaves out numbers, a skip lies there that names it. So two writers never follow the same
epoch, and the newest is found by going from one number to the next: a reader or a writer sees all
that was committed, however late listings and however coarse time stamps are. A listing only tells
where to begin; and logs of format 1, which have no skips, need it to see past a gap.
"""

from __future__ import annotations

import logging
import time
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

import pyarrow as pa

from stores.errors import EpochConflictError, LogMissingError, SchemaError, TornRecordError
from stores.log.datafiles import read_part
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
    decode_definition,
    decode_record,
    encode_commit,
    encode_definition,
    encode_skip,
)
from stores.log.terms import terms
from stores.spec.schema import InputTopic, StoreSchema

_logger = logging.getLogger(__name__)

_LIST_INTERVAL_S = 1.0
"""How often a poll that finds nothing lists the directory, to see past a gap in the numbers."""
_LIST_SHARE_MAX = 0.01
"""The most of a follower's time that it lists, however many epochs the log keeps."""
_LEFT_MAX = 32
"""Records at the end of a listing that are looked at for one of a later term than the last."""

Following: TypeAlias = tuple[Commit | None, Commit | None]
"""The commit after an epoch, and that of the epoch itself if it was looked at and is there."""


@dataclass(frozen=True, slots=True)
class _End:
    """Where a log was found to end: its newest epoch."""

    epoch: int = -1
    term: int = 0
    is_followed: bool = False
    """Whether what comes next lies at the next number: not so after a commit of format 1."""


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
        """The log of one store, whether it is there yet or not.

        Raises:
            LogError: no file system of that kind is known.
        """
        return StoreLog(Directory.at(root).within(store), store)

    def schema(self) -> StoreSchema:
        """The store's definition as it stands now.

        Raises:
            LogMissingError: there is none.
            TornRecordError: it is incomplete, not ours, or of another store.
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
        """Whether there is a definition."""
        return self.directory.has(DEFINITION)

    def define(self, schema: StoreSchema) -> StoreSchema:
        """Create the definition, or make sure that the one that is there is the same.

        Input topics that are new are added to it; all else that differs is refused.

        Returns:
            The definition as it is now.

        Raises:
            SchemaError: the store is defined otherwise; the message names what differs.
        """
        # Looked for first: where it is there, a disk that is full does not matter.
        if not self.defined() and self.directory.create(DEFINITION, encode_definition(schema)):
            return schema
        defined = self.schema()
        merged = replace(schema, inputs=_merged_inputs(defined, schema))
        for name in (
            "name",
            "kind",
            "key",
            "value",
            "partitions",
            "window_size_ms",
            "retention_ms",
        ):
            if getattr(defined, name) != getattr(merged, name):
                raise SchemaError(
                    f'store "{schema.name}" is defined with another {name.replace("_", " ")}: '
                    f"{_shown(getattr(defined, name))}, not {_shown(getattr(merged, name))}"
                )
        if merged.inputs != defined.inputs:
            self.directory.replace(DEFINITION, encode_definition(merged))
        return merged

    def epochs(self, after: int = -1) -> list[int]:
        """The committed epochs after a number, ascending, from a listing.

        Raises:
            LogMissingError: the store's directory is not there.
        """
        return [epoch for epoch in self._list() if epoch > after]

    def latest_epoch(self) -> int:
        """The newest committed epoch; -1 without any. An epoch that was committed before counts.

        Goes on from the epoch that was the newest at the last call, which takes two looks for a
        file. The first call lists, and so does every call while the newest is of format 1.

        Raises:
            LogMissingError: the store's directory is not there.
            TornRecordError: its newest epochs are missing, as a snapshot of a later one shows; or
                all are, though the store has had some.
        """
        if self._end.is_followed:
            end = self._walk(self._end)
            # Epochs are removed from the oldest on: while this one is there, so is what follows.
            if end.is_followed and self.directory.has(commit_name(end.epoch)):
                self._end = end
                return end.epoch
        # Before the epochs: a writer may add all of them meanwhile.
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
        """The epochs of which there may be a snapshot, the newest first.

        Raises:
            LogError: the file system does not answer.
        """
        return sorted(numbers_in(self.directory.names("snapshots")), reverse=True)

    def _require_reached(self, snapshots: list[int], newest: int) -> None:
        """Make sure that the newest epoch is not known to be missing.

        Readers would answer as of an older one, or as of none, and a writer would write the epochs
        that are missing a second time, with other rows.
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
        """The newest term of any record that can be read, for when those of terms/ are lost."""
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
        """The commit of an epoch; None if there is none.

        Raises:
            TornRecordError: the record is incomplete, damaged, not ours, or of another epoch.
        """
        found = self.record(epoch)
        return found if isinstance(found, Commit) else None

    def record(self, number: int) -> Record | None:
        """The commit of an epoch, or the skip of a number that no epoch has; None without either.

        Raises:
            TornRecordError: the record is incomplete, damaged, not ours, or of another number.
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
        """The numbers at which a record lies, of an epoch or a skip, ascending.

        Raises:
            LogError: the file system does not answer.
        """
        return sorted(numbers_in(self.directory.names("epochs"), ".json"))

    def next_commit(self, after: int, *, list_now: bool = False) -> Commit | None:
        """The first commit after an epoch; None if there is none yet. Made to be polled.

        It looks for the next number first. As numbers may have gaps in format 1, and as epochs may
        be missing, it also lists the directory, but not more often than once in a second, and less
        often where the listing is long.

        Args:
            after: the last epoch that the caller has applied; -1 before the first.
            list_now: list the directory, whenever it was last listed.

        Raises:
            TornRecordError: the record is torn, or an epoch between the two is missing.
            LogMissingError: the store's directory is not there.
        """
        return self.following(after, list_now=list_now)[0]

    def following(self, after: int, *, list_now: bool = False) -> Following:
        """As `next_commit`, and the commit of `after` if there is a next one.

        A commit of an older term than that of `after` is passed over: its writer had been replaced.

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
        """The commit at a number, or that which the skip in its place names."""
        found = self.record(number)
        while isinstance(found, Skip):
            found = self.record(found.next_epoch)
        return found

    def _is_stale(self, commit: Commit, before: Commit | None) -> bool:
        """Whether the writer of a commit had been replaced; logged once for each commit."""
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
                f"{commit.previous}, which is not in the log behind epoch {after}"
            )
        return commit

    def _walk(self, end: _End) -> _End:
        """The newest epoch that can be reached from one that is there."""
        while True:
            number = end.epoch + 1
            if not self.directory.has(commit_name(number)):
                return end
            try:
                found = self._at(number)
            except TornRecordError:
                # An epoch was committed there, though nobody can read it now.
                end = _End(number, end.term)
                continue
            if found is None or found.term < end.term:
                return end
            end = _End(found.epoch, found.term, found.format > 1)

    def _listed_end(self) -> _End:
        """The newest epoch of a listing, without the commits of replaced writers."""
        end: _End | None = None
        newest_term = max(terms(self.directory), default=0)
        for number in self._list()[: -_LEFT_MAX - 1 : -1]:
            try:
                found = self.commit(number)
            except TornRecordError:
                return end or _End(number)
            if found is None:
                continue  # removed since, as old
            if end is None or found.term > end.term:
                end = _End(found.epoch, found.term, found.format > 1)
            if end.term >= newest_term or found.term < end.term:
                break
        return end or _End()

    def read(self, commit: Commit, partition: int) -> Iterator[pa.RecordBatch]:
        """The rows of one partition in an epoch, as batches.

        Columns: key, time columns, value columns, `_timestamp` (timestamptz, may be NULL) and
        `_deleted` (boolean), in the types of the definition. An epoch holds one row at most for
        each key (and window).

        Raises:
            TornRecordError: a file is missing, short or not ours; the message names it.
        """
        for file in commit.files_of(partition):
            yield from self.read_file(file)

    def read_file(self, file: DataFile) -> Iterator[pa.RecordBatch]:
        """The rows of one data file of an epoch, as `read` gives them.

        Raises:
            TornRecordError: the file is missing, short or not ours; the message names it.
        """
        yield from read_part(self.directory, file, self.schema())

    def write_commit(self, commit: Commit) -> None:
        """Publish an epoch: whole, and only if nothing follows the epoch before it.

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
        """Note that the store has had an epoch, so that nothing begins at 0 if all are lost.

        Raises:
            LogError: it cannot be written.
        """
        if not self.directory.has(COMMITTED):
            self.directory.create(COMMITTED, b"")

    def write_skips(self, commit: Commit) -> None:
        """Name an epoch at the first number that it skips, if it does.

        An epoch that an older skip names, and that was never committed, is skipped, too.

        Raises:
            EpochConflictError: there is another epoch, or the number itself was skipped.
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
        """Why there is no room at this number for a commit, which may be of a later one."""
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
                f"{name} is one that {found.writer} wrote after it had been replaced: "
                "stategate log repair sets it aside"
            )
        return EpochConflictError(f"{name} is committed already, by {found.writer}")

    def _skipped(self, epoch: int, number: int) -> EpochConflictError:
        return EpochConflictError(
            f'epoch {epoch} of store "{self.name}" is one that was skipped: the next is {number}'
        )

    def next_number(self, after: int) -> int:
        """The number of the epoch after the newest one, unless its writer gives it another.

        Raises:
            TornRecordError: a skip that lies there cannot be read.
        """
        number = after + 1
        while isinstance(found := self.record(number), Skip):
            number = found.next_epoch
        return number

    def remove_commit(self, epoch: int) -> None:
        """Take an epoch out of the log; its data files, which no commit names now, stay.

        To be done from the oldest epoch on, and up to one that a snapshot holds:
        `stores.upkeep.retention` decides that.

        Raises:
            LogError: it cannot be removed.
        """
        self.directory.remove_file(commit_name(epoch))

    def remove_skips(self, before: int) -> None:
        """Take skipped numbers out of the log, all of them before its oldest epoch.

        Raises:
            LogError: they cannot be removed.
        """
        for number in sorted(numbers_in(self.directory.names("epochs"), ".skip")):
            if number < before:
                if self._is_skip(number):
                    self.directory.remove_file(commit_name(number))
                self.directory.remove_file(skip_mark(number))

    def begin(self, epoch: int) -> str:
        """A fresh directory for one attempt to write an epoch; relative to the store's."""
        attempt = f"data/{epoch}/{uuid.uuid4().hex[:12]}"
        self.directory.make(attempt)
        return attempt

    def remove_other_attempts(self, attempt: str) -> None:
        """Remove what earlier attempts to write a committed epoch have left."""
        parent, _, name = attempt.rpartition("/")
        for other in self.directory.names(parent):
            if other != name:
                self.directory.remove(f"{parent}/{other}")

    def _sync_data(self, commit: Commit) -> None:
        """Bring the names of the data files to the disk; their contents are there already."""
        parents = {file.path.rpartition("/")[0] for file in commit.files}
        above = {parent.rpartition("/")[0] for parent in parents}
        for relative in sorted(parents | above | ({"data"} if parents else set())):
            self.directory.sync(relative)

    def _list(self) -> tuple[int, ...]:
        """The epochs of a fresh listing, ascending, without numbers that are skipped."""
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


def _merged_inputs(defined: StoreSchema, schema: StoreSchema) -> tuple[InputTopic, ...]:
    known = {topic.topic: topic for topic in defined.inputs}
    for topic in schema.inputs:
        if known.setdefault(topic.topic, topic) != topic:
            raise SchemaError(
                f'store "{schema.name}" is defined with another alignment of input "{topic.topic}"'
            )
    return tuple(known.values())


def _shown(part: object) -> str:
    if isinstance(part, tuple):
        return ", ".join(f"{column.name} {column.type}" for column in part) or "none"
    return str(getattr(part, "value", part))
