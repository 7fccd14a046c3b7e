"""The state log, which pipelines and gateways share: its root, and one store in it.

    <root>/<store>/store.json                             the definition
    <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet
    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit, see `epoch_chain`
    <root>/<store>/rebuilt/<id>/                          the same anew, see `metadata.moves`
    <root>/_heads/<store>                                 a hint, see `metadata.heads`

`writing.store_writer` writes whole epochs. See `metadata.records` for the records,
`data.datafiles` for the data files and `files.directory` for how a file becomes whole.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator

import pyarrow as pa

from stategate.stores.errors import EpochConflictError, LogError, TornRecordError
from stategate.stores.log.attempts import Attempts
from stategate.stores.log.data.datafiles import read_part
from stategate.stores.log.data.decoded_sizes import DecodedLimit
from stategate.stores.log.files.directory import Directory, Root
from stategate.stores.log.metadata.heads import Heads
from stategate.stores.log.metadata.moves import (
    REBUILT,
    Move,
    current_log,
    encode_move,
    write_current,
)
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import (
    COMMITTED,
    DEFINITION,
    Commit,
    Skip,
    commit_name,
    encode_commit,
    encode_skip,
    numbers_in,
    skip_mark,
)
from stategate.stores.spec.schema import StoreSchema


class StateLog:
    """The root of a state log."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._directory = Directory.at(root)
        self.heads = Heads(self._directory)
        """The heads of its stores."""

    def names(self) -> frozenset[str]:
        """Return the names in the log that may be stores, by one listing.

        Raises:
            LogMissingError: the root is missing.
        """
        names = self._directory.names()
        if not names:
            self._directory.require()
        return frozenset(name for name in names if not name.startswith((".", "_")))

    def stores(self) -> list[str]:
        """Return the names of all defined stores, sorted.

        Raises:
            LogMissingError: the root is missing.
        """
        return sorted(name for name in self.names() if self._directory.has(f"{name}/{DEFINITION}"))

    def lost(self) -> list[str]:
        """Return the names of stores that have epochs but no definition to read them by, sorted.

        Raises:
            LogMissingError: the root is missing.
        """
        defined = set(self.stores())
        return sorted(
            name
            for name in self.names() - defined
            if self._directory.within(f"{name}/epochs").exists()
        )

    def store(self, name: str) -> StoreLog:
        """Return the log of one store, which need not exist yet.

        Raises:
            TornRecordError: the hint to the log of a rebuilt store is damaged.
            LogError: the file system does not answer.
        """
        top = self._directory.within(name)
        return StoreLog(current_log(top), name, heads=self.heads, top=top)


class StoreLog(Attempts):
    """One store in the state log. Safe to share between threads.

    Readers call `schema`, `next_commit` and `read`; writers `define` and `write_commit`.

    Args:
        directory: the directory of the log.
        store: the name of the store.
        clock: monotonic seconds.
        heads: the heads of the log, where its epochs are announced.
        top: the directory of the store, if the log is that of a rebuilt store.
    """

    def __init__(
        self,
        directory: Directory,
        store: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        heads: Heads | None = None,
        top: Directory | None = None,
    ) -> None:
        super().__init__(directory, store, clock=clock)
        self._top = directory if top is None else top
        self._heads = heads
        self._successor: StoreLog | None = None

    @staticmethod
    def open(root: Root, store: str) -> StoreLog:
        """Return the log of one store, which need not exist yet.

        Raises:
            LogError: the kind of file system is unknown, or it does not answer.
        """
        return StateLog(root).store(store)

    @property
    def place(self) -> str:
        """The directory of the log in that of the store; empty if it is the same."""
        return self.directory.path[len(self._top.path) :].strip("/")

    def successor(self) -> StoreLog:
        """Return the log in which the store goes on.

        Raises:
            LogError: the log has not been moved, as far as it has been read.
        """
        if self.move is None:
            raise LogError(f'the log of store "{self.name}" has not been moved')
        return self.at_place(self.move.path)

    def last(self) -> StoreLog:
        """Return the log in which the store goes on now: this one, unless it has been moved."""
        log = self
        while log.move is not None:
            if log._successor is None:
                log._successor = log.successor()
            log = log._successor
        return log

    def new_log(self) -> StoreLog:
        """Return a new log, to which the store may be moved."""
        return self.at_place(f"{REBUILT}/{uuid.uuid4().hex}")

    def at_place(self, path: str) -> StoreLog:
        """Return the log in a directory in that of the store."""
        directory = self._top.within(path) if path else self._top
        return StoreLog(directory, self.name, heads=self._heads, top=self._top)

    def abandon(self) -> None:
        """Remove a log from `new_log` to which the store was not moved.

        Raises:
            LogError: it cannot be removed.
        """
        self._top.remove(self.place)

    def move_to(self, to: StoreLog, *, after: int, term: int, owner: str, moved_ms: int) -> None:
        """End the log after its newest epoch; the store goes on in another log.

        Raises:
            EpochConflictError: an epoch was committed meanwhile.
            LogError: the move cannot be written.
        """
        number = after + 1
        move = Move(epoch=number, path=to.place, term=term, owner=owner, moved_ms=moved_ms)
        # The mark comes first, so that no listing takes the move for an epoch.
        self.directory.create(skip_mark(number), b"")
        if not self.directory.create(commit_name(number), encode_move(move)):
            raise EpochConflictError(
                f'epoch {number} of store "{self.name}" was committed meanwhile: end its writer, '
                "and try again"
            )
        self.move = move
        self.note_move()

    def note_move(self) -> None:
        """Write the hint to the log in which the store goes on, and tell those who follow it.

        Raises:
            LogError: the hint cannot be written.
        """
        move = self.move
        if move is not None:
            write_current(self._top, move.path)
            # The number stays, but the head is newer than before, so it is looked at.
            self._announce(move.epoch - 1)

    def schema(self) -> StoreSchema:
        """Read the store's definition.

        Raises:
            LogMissingError: it is missing.
            LogReplacedError: the store was made anew since it was first read here.
            TornRecordError: it is incomplete, foreign, or of another store.
        """
        return self._definition.read()

    def defined(self) -> bool:
        """Whether the store has a definition."""
        return self.directory.has(DEFINITION)

    def define(self, schema: StoreSchema) -> StoreSchema:
        """Create the definition, or check it against the existing one.

        New input topics are added to the definition, and comments are changed: None keeps one, an
        empty text removes it. Any other difference is refused.

        Returns:
            The definition in the log.

        Raises:
            SchemaError: the store is defined differently; the message names the difference.
            LogError: others change it all the time.
        """
        # Look for it first: if it exists, a full disk does not matter.
        if not self.defined() and (created := self._definition.create(schema)) is not None:
            self._announce(-1)
            return created
        merged, is_changed = self._definition.merge(schema)
        if is_changed and (head := self.announced()) is not None:
            self._announce(head)  # it is newer than before, so the store is looked at
        return merged

    def read(self, commit: Commit, partition: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one partition in an epoch, as batches.

        Columns: key, time columns, value columns, `_timestamp` (timestamptz, may be NULL) and
        `_deleted` (boolean), in the types of the definition. An epoch has at most one row for each
        key (and window).

        Raises:
            TornRecordError: a file is missing, short or foreign; the message names it.
        """
        limit = DecodedLimit()
        for file in commit.files_of(partition):
            yield from self.read_file(file, limit)

    def read_file(
        self, file: DataFile, limit: DecodedLimit | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one data file of an epoch, as `read` does.

        Args:
            file: the data file.
            limit: of its partition in the epoch; None if the file is alone.

        Raises:
            TornRecordError: the file is missing, short or foreign; the message names it.
        """
        # Its columns are those of the file as long as the store is the same one. Reading it again
        # would cost a request for every file on an object store.
        schema = self._definition.last_read()
        yield from read_part(self.directory, file, schema, limit)

    def write_commit(self, commit: Commit) -> None:
        """Publish an epoch, whole, and only if nothing follows the epoch before it.

        Raises:
            EpochConflictError: the epoch, or another one in its place, is committed already.
            LogError: it exceeds a limit, or cannot be written.
        """
        data = encode_commit(commit)
        self.sync_data(commit)
        self._announce(commit.epoch)
        self.write_skips(commit)
        if not self.directory.create(commit_name(commit.epoch), data):
            raise self._conflict(commit.epoch, commit)

    def announced(self) -> int | None:
        """Return the epoch of the store's head; None without a readable one.

        Raises:
            LogError: the file system does not answer.
        """
        return None if self._heads is None else self._heads.epoch(self.name)

    def _announce(self, epoch: int) -> None:
        if self._heads is not None:
            self._heads.announce(self.name, epoch)

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
        if isinstance(found, Move):
            self.move = found
            return EpochConflictError(f"{name} cannot be committed: the store was rebuilt")
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

    def remove_commit(self, epoch: int) -> None:
        """Remove the commit of an epoch; its data files, which no commit names now, stay.

        Remove epochs from the oldest on, up to one that a snapshot holds:
        `stategate.stores.upkeep.retention` does so.

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
                if self._is_no_epoch(number):
                    self.directory.remove_file(commit_name(number))
                self.directory.remove_file(skip_mark(number))
