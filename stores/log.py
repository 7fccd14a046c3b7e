"""The state log: all that the pipeline and the gateways share.

    <root>/<store>/store.json                             the definition
    <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet
    <root>/<store>/epochs/<epoch, 20 digits>.json         the commit; a file it does not name
                                                          does not exist

`StateLog` is the root, `StoreLog` one store of it for a reader and a writer alike, `StoreWriter`
writes epochs without Spark. What a record says is in `stores.records`, what a data file holds in
`stores.datafiles`, how a file becomes whole in `stores.logfiles`.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from stores.datafiles import latest_rows, read_part, shaped, write_part
from stores.digests import rows_digest
from stores.errors import EpochConflictError, LogMissingError, SchemaError, TornRecordError
from stores.logfiles import Directory, sync_directory
from stores.partitioner import partition_column
from stores.position import Position
from stores.records import (
    Commit,
    DataFile,
    Skip,
    decode_definition,
    decode_record,
    encode_commit,
    encode_definition,
)
from stores.schema import InputTopic, StoreSchema

__all__ = ["Commit", "DataFile", "StateLog", "StoreLog", "StoreWriter"]

Root = str | os.PathLike[str]

_DEFINITION = "store.json"
_LIST_INTERVAL_S = 1.0
"""How often a poll that finds nothing lists the directory, to see past a gap in the numbers."""
_RACY_NS = 50_000_000
"""A directory's time stamp counts in ticks: a listing so soon after it may have missed a file."""


@dataclass(frozen=True, slots=True)
class _Listing:
    epochs: tuple[int, ...] = ()
    stamp_ns: int | None = None
    """Time stamp of the local directory if the listing is sure to hold all that it had then."""
    at_s: float = float("-inf")


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
        self._listing = _Listing()
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
        data = self.directory.read(_DEFINITION)
        path = self.directory.join(_DEFINITION)
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
        return self.directory.has_file(_DEFINITION)

    def define(self, schema: StoreSchema) -> StoreSchema:
        """Create the definition, or make sure that the one that is there is the same.

        Input topics that are new are added to it; all else that differs is refused.

        Returns:
            The definition as it is now.

        Raises:
            SchemaError: the store is defined otherwise; the message names what differs.
        """
        if self.directory.create(_DEFINITION, encode_definition(schema)):
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
            self.directory.replace(_DEFINITION, encode_definition(merged))
        return merged

    def epochs(self, after: int = -1) -> list[int]:
        """The committed epochs behind `after`, ascending.

        Raises:
            LogMissingError: the store's directory is not there.
        """
        return [epoch for epoch in self._list().epochs if epoch > after]

    def latest_epoch(self) -> int:
        """The newest committed epoch; -1 if there is none.

        Raises:
            LogMissingError: the store's directory is not there.
        """
        epochs = self._list().epochs
        return epochs[-1] if epochs else -1

    def commit(self, epoch: int) -> Commit | None:
        """The commit of an epoch; None if there is none.

        Raises:
            TornRecordError: the record is incomplete, not ours, or of another epoch.
        """
        relative = _commit_name(epoch)
        data = self.directory.read(relative)
        if data is None:
            return None
        path = self.directory.join(relative)
        found = decode_record(data, path)
        if isinstance(found, Skip):
            return None
        if found.epoch != epoch:
            raise TornRecordError(f'record "{path}" is the commit of epoch {found.epoch}')
        return found

    def next_commit(self, after: int, *, list_now: bool = False) -> Commit | None:
        """The first commit behind `after`; None if there is none yet. Made to be polled.

        It looks for the next number first. As numbers may have gaps, it also lists the directory,
        but not more often than once in a second.

        Args:
            after: the last epoch that the caller has applied; -1 before the first.
            list_now: list the directory, whenever it was last listed.

        Raises:
            TornRecordError: the record is torn, or an epoch between the two is missing.
            LogMissingError: the store's directory is not there.
        """
        commit = self.commit(after + 1)
        if commit is None:
            listing = self._listing
            if list_now or self._clock() - listing.at_s >= _LIST_INTERVAL_S:
                listing = self._list()
            epoch = next((found for found in listing.epochs if found > after), None)
            commit = None if epoch is None else self.commit(epoch)
        if commit is not None and commit.previous != after:
            raise TornRecordError(
                f'record "{self.directory.join(_commit_name(commit.epoch))}" follows epoch '
                f"{commit.previous}, which is not in the log behind epoch {after}"
            )
        return commit

    def read(self, commit: Commit, partition: int) -> Iterator[pa.RecordBatch]:
        """The rows of one partition in an epoch, as batches.

        Columns: key, time columns, value columns, `_timestamp` (timestamptz, may be NULL) and
        `_deleted` (boolean), in the types of the definition. An epoch holds one row at most for
        each key (and window).

        Raises:
            TornRecordError: a file is missing, short or not ours; the message names it.
        """
        schema = self.schema()
        for file in commit.files_of(partition):
            yield from read_part(self.directory, file, schema)

    def write_commit(self, commit: Commit) -> None:
        """Publish an epoch: whole, and only if it is not there.

        Raises:
            EpochConflictError: the epoch is committed already.
        """
        if self.directory.local:
            self._sync_data(commit)
        if not self.directory.create(_commit_name(commit.epoch), encode_commit(commit)):
            raise EpochConflictError(
                f'epoch {commit.epoch} of store "{self.name}" is committed already'
            )

    def remove_commit(self, epoch: int) -> None:
        """Take an epoch out of the log; its data files, which no commit names now, stay.

        To be done from the oldest epoch on, and up to one that a snapshot holds: `stores.retention`
        decides that.

        Raises:
            LogError: it cannot be removed.
        """
        self.directory.remove_file(_commit_name(epoch))

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
            sync_directory(self.directory.join(relative))

    def _list(self) -> _Listing:
        stamp_ns = self._stamp_ns()
        if stamp_ns is not None and stamp_ns == self._listing.stamp_ns:
            return self._listing
        listed_ns = time.time_ns()
        names = self.directory.names("epochs")
        if not names:
            self.directory.require()
        epochs = sorted(
            int(stem)
            for stem, dot, suffix in (name.partition(".") for name in names)
            if suffix == "json" and len(stem) == 20 and stem.isascii() and stem.isdigit() and dot
        )
        sure = stamp_ns is not None and listed_ns - stamp_ns > _RACY_NS
        self._listing = _Listing(tuple(epochs), stamp_ns if sure else None, self._clock())
        return self._listing

    def _stamp_ns(self) -> int | None:
        if not self.directory.local:
            return None
        try:
            return os.stat(self.directory.join("epochs")).st_mtime_ns
        except FileNotFoundError:
            return None


class StateLog:
    """The root of the state log: the stores in it."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._directory = Directory.at(root)

    def stores(self) -> list[str]:
        """The names of all stores that are defined, sorted.

        Raises:
            LogMissingError: the root is not there.
        """
        self._directory.require()
        return sorted(
            name
            for name in self._directory.names()
            if not name.startswith((".", "_")) and self._directory.has_file(f"{name}/{_DEFINITION}")
        )

    def store(self, name: str) -> StoreLog:
        """The log of one store, whether it is there yet or not."""
        return StoreLog(self._directory.within(name), name)


class StoreWriter:
    """Writes epochs of one store without Spark: from Python, in tests, in tools.

    One writer at a time: two that write the same epoch at once leave one commit, and the other
    gets an EpochConflictError.
    """

    def __init__(self, root: Root, schema: StoreSchema, *, writer: str = "python") -> None:
        self.log = StoreLog.open(root, schema.name)
        self.schema = self.log.define(schema)
        self._writer = writer
        self._newest: Commit | None = None
        """The commit before, if this writer made it."""

    def write(
        self,
        rows: pa.Table | pa.RecordBatch,
        *,
        position: Position,
        epoch: int | None = None,
        watermark_ms: int | None = None,
        committed_ms: int | None = None,
        replace: bool = False,
        input_digest: str | None = None,
    ) -> Commit:
        """Write and commit one epoch.

        Args:
            rows: the rows that changed, by column name; `_timestamp` and `_deleted` may be
                missing, and `window_end` in a window store. Of several rows with one key (and
                window) the latest by `_timestamp`, then by input order, wins.
            position: what of the input the store reflects after this epoch.
            epoch: its number; None takes the next.
            watermark_ms: the event-time watermark; one that is behind that of the epoch before,
                or missing, leaves it where it was.
            committed_ms: wall clock of the commit; None takes the time of the call.
            replace: the rows are the whole store.
            input_digest: of the input that the rows were made from; kept in the commit.

        Returns:
            The commit. If this very attempt is committed already (the same writer's name, epoch,
            rows, position and `replace`), that commit, and nothing is changed.

        Raises:
            SchemaError: the rows are not rows of this store.
            EpochConflictError: the epoch is behind the newest, or is committed otherwise.
        """
        table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
        latest = latest_rows(shaped(table, self.schema), self.schema)
        digest = rows_digest(latest)
        number = self.log.latest_epoch() + 1 if epoch is None else epoch
        if (found := self.log.commit(number)) is not None:
            same = (found.writer, found.digest, found.position, found.replace)
            if same == (self._writer, digest, position, replace):
                return found
            raise EpochConflictError(
                f'epoch {number} of store "{self.log.name}" is committed with other content, '
                f"by {found.writer}"
            )
        attempt = self.log.begin(number)
        return self.publish(
            epoch=number,
            attempt=attempt,
            files=self._write_parts(latest, attempt),
            position=position,
            watermark_ms=watermark_ms,
            committed_ms=committed_ms,
            replace=replace,
            digest=digest,
            input_digest=input_digest,
        )

    def publish(
        self,
        *,
        epoch: int,
        attempt: str,
        files: Iterable[DataFile],
        position: Position,
        watermark_ms: int | None = None,
        committed_ms: int | None = None,
        replace: bool = False,
        digest: str | None = None,
        input_digest: str | None = None,
    ) -> Commit:
        """Commit an epoch whose data files lie in `attempt`, a directory that `begin` gave.

        Raises:
            EpochConflictError: the epoch is behind the newest, or another writer was first.
        """
        self.declare(topic for topic, _ in position.components)
        latest = self.log.latest_epoch()
        if epoch < latest:
            raise EpochConflictError(
                f'epoch {epoch} of store "{self.log.name}" is behind epoch {latest}'
            )
        commit = Commit(
            epoch=epoch,
            previous=latest,
            position=position,
            watermark_ms=self._watermark_ms(latest, watermark_ms),
            committed_ms=time.time_ns() // 1_000_000 if committed_ms is None else committed_ms,
            writer=self._writer,
            files=tuple(sorted(files, key=lambda file: (file.partition, file.path))),
            replace=replace,
            digest=digest,
            input_digest=input_digest,
        )
        self.log.write_commit(commit)
        self._newest = commit
        self.log.remove_other_attempts(attempt)
        return commit

    def _watermark_ms(self, latest: int, given_ms: int | None) -> int | None:
        """The watermark as of the new epoch, which is never behind that of the one before.

        Who follows the log sees to that himself. But nothing before an epoch that is the whole
        store has to be read, so its commit must say how far the watermark had come.
        """
        before = self._newest
        if before is None or before.epoch != latest:
            try:
                before = self.log.commit(latest) if latest >= 0 else None
            except TornRecordError:
                # Those who follow are stuck at it; it does not keep a pipeline from writing on.
                before = None
        before_ms = None if before is None else before.watermark_ms
        return max((mark for mark in (given_ms, before_ms) if mark is not None), default=None)

    def _write_parts(self, rows: pa.Table, attempt: str) -> list[DataFile]:
        partitions = partition_column(rows, self.schema.key, self.schema.partitions)
        order = np.argsort(partitions, kind="stable")
        counts = np.bincount(partitions, minlength=self.schema.partitions)
        ends = np.cumsum(counts)
        files = []
        for partition in np.flatnonzero(counts).tolist():
            picked = order[ends[partition] - counts[partition] : ends[partition]]
            batches = rows.take(picked).to_batches()
            path = f"{attempt}/p{partition:05d}.parquet"
            file = write_part(self.log.directory, path, batches, partition=partition)
            assert file is not None, "a partition that has rows has a file"
            files.append(file)
        return files

    def declare(self, topics: Iterable[str]) -> None:
        """Name topics as inputs of the store: from then on bounds on them are not ignored.

        An epoch names those that its position counts. A writer that knows sooner what it reads
        says so before the first data comes, which may take long.

        Raises:
            SchemaError: the store is defined otherwise by now.
        """
        known = {topic.topic for topic in self.schema.inputs}
        new = tuple(InputTopic(topic=topic) for topic in sorted({*topics} - known))
        if new:
            self.schema = self.log.define(replace(self.schema, inputs=(*self.schema.inputs, *new)))


def _commit_name(epoch: int) -> str:
    return f"epochs/{epoch:020d}.json"


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
