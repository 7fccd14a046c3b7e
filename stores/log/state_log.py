"""The state log, which pipelines and gateways share: its root, and one store in it.

    <root>/<store>/store.json                             the definition
    <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet
    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit, see `stores.log.epoch_chain`
    <root>/_heads/<store>                                 a hint, see `stores.log.heads`

`stores.log.store_writer` writes whole epochs. See `stores.log.records` for the records,
`stores.log.datafiles` for the data files and `stores.log.files` for how a file becomes whole.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from stores.codec.partitioner import partition_column
from stores.errors import EpochConflictError, LogError, LogMissingError, TornRecordError
from stores.log.datafiles import read_part
from stores.log.definitions import decode_definition, encode_definition, merged_definition
from stores.log.digests import rows_digest
from stores.log.epoch_chain import EpochChain
from stores.log.files import Directory, Root
from stores.log.heads import Heads
from stores.log.records import (
    COMMITTED,
    DEFINITION,
    Commit,
    DataFile,
    Skip,
    commit_name,
    encode_commit,
    encode_skip,
    numbers_in,
    skip_mark,
)
from stores.spec.schema import StoreSchema

_logger = logging.getLogger(__name__)


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
        """Return the log of one store, which need not exist yet."""
        return StoreLog(self._directory.within(name), name, heads=self.heads)


class StoreLog(EpochChain):
    """One store in the state log. Safe to share between threads.

    Readers call `schema`, `next_commit` and `read`; writers `define` and `write_commit`.

    Args:
        directory: the directory of the store.
        store: its name.
        clock: monotonic seconds.
        heads: the heads of the log, where its epochs are announced.
    """

    def __init__(
        self,
        directory: Directory,
        store: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        heads: Heads | None = None,
    ) -> None:
        super().__init__(directory, store, clock=clock)
        self._heads = heads
        self._schema: tuple[bytes, StoreSchema] | None = None

    @staticmethod
    def open(root: Root, store: str) -> StoreLog:
        """Return the log of one store, which need not exist yet.

        Raises:
            LogError: the kind of file system is unknown.
        """
        return StateLog(root).store(store)

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
            self._announce(-1)
            return schema
        defined = self.schema()
        merged = merged_definition(defined, schema)
        if merged.inputs != defined.inputs:
            self.directory.replace(DEFINITION, encode_definition(merged))
        return merged

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
        # Its columns are those of the file as long as the store is the same one. Reading it again
        # would cost a request for every file on an object store.
        schema = self.schema() if self._schema is None else self._schema[1]
        yield from read_part(self.directory, file, schema)

    def has_rows(self, commit: Commit, rows: pa.Table) -> bool:
        """Whether a commit of format 1, which has no digest, has exactly these rows.

        Raises:
            TornRecordError: a file is missing, short or foreign; the message names it.
        """
        if commit.format > 1:
            return False
        schema = self.schema()
        partitions = partition_column(rows, schema.key, schema.partitions)
        placed = rows.take(np.argsort(partitions, kind="stable"))
        kept = (b for p in range(schema.partitions) for b in self.read(commit, p))
        return rows_digest(pa.Table.from_batches(kept, placed.schema)) == rows_digest(placed)

    def write_commit(self, commit: Commit) -> None:
        """Publish an epoch, whole, and only if nothing follows the epoch before it.

        Raises:
            EpochConflictError: the epoch, or another one in its place, is committed already.
            LogError: it cannot be written.
        """
        self._sync_data(commit)
        self._announce(commit.epoch)
        if commit.format > 1:
            self.write_skips(commit)
        if not self.directory.create(commit_name(commit.epoch), encode_commit(commit)):
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
        """Create a directory for one attempt to write an epoch; return its relative path."""
        attempt = f"data/{epoch}/{uuid.uuid4().hex[:12]}"
        self.directory.make(attempt)
        return attempt

    @contextmanager
    def attempt(self, epoch: int) -> Iterator[str]:
        """Create a directory for the data files of an epoch, to be published in the block.

        If the block fails, the directory is removed with its files, unless a commit names them. On
        a full disk each failed attempt would otherwise take more of the remaining space.
        """
        attempt = self.begin(epoch)
        try:
            yield attempt
        except BaseException:
            self._abandon(epoch, attempt)
            raise

    def _abandon(self, epoch: int, attempt: str) -> None:
        """Remove the files of a failed attempt, if no commit names them."""
        try:
            found = self.record(epoch)
            if not isinstance(found, Commit) or all(
                not file.path.startswith(f"{attempt}/") for file in found.files
            ):
                self.directory.remove(attempt)
        except LogError as error:
            _logger.warning("attempt not removed store=%s error=%s", self.name, error)

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
