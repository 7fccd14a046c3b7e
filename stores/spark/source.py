"""The data source `stategate`: reads a store as of an epoch, with filters and partitions pruned.

The filters are an option and not those that Spark pushes down: Spark 4.3 keeps the filters that one
query has pushed into a DataFrame, and applies them to its next query, or to the other side of a
union, if that pushes none. Then rows are missing.

Spark's planner and its tasks create the objects here in Python processes of their own, so all of
them can be pickled and keep no open file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from stategate.stores.errors import LogError, SchemaError
from stategate.stores.log.data.scanning import Condition, Wanted
from stategate.stores.log.metadata.named_files import DataFile, SnapshotFile
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark.definition import commented
from stategate.stores.spark.filters import chosen_partitions, conditions, decode_filters
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.upkeep.changes import EMPTY, Span, changes, changes_schema, span
from stategate.stores.upkeep.contents import read_contents, relation_schema
from stategate.stores.upkeep.recipes import Recipe, recipe

_Batches: TypeAlias = Iterator[pa.RecordBatch]
Source: TypeAlias = Recipe | Span
"""What a DataFrame is read from."""

_OF_CHANGES = ("changes_from", "epochs_per_batch")
FORMAT = "stategate"
"""The name of the data source."""
_OPTIONS = ("root", "path", "epoch", "columns", "filters", *_OF_CHANGES, "partitions")
_EMPTY_STORE, _NEWEST = "empty", "newest"
"""Values of `changes_from`: the store before its first epoch, and the newest epoch."""


class StateGateSource(DataSource):
    """A store as of an epoch, its changes between two epochs, or a stream of its changes."""

    _epoch: int | None = None
    """The newest epoch when the source was loaded: a DataFrame that is read twice is the same."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the columns, in the order of the option `columns`."""
        log = self._log()
        types = self._types(log.schema())
        self._epoch = self._end(log)
        decode_filters(self.options.get("filters", ""), types)
        names = self._columns() or types.names
        if unknown := set(names) - set(types.names):
            raise SchemaError(f'store "{log.name}" has no column "{min(unknown)}"')
        found = from_arrow_schema(pa.schema([types.field(name) for name in names]))
        return commented(found, log.schema())

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of these columns."""
        log = self._log()
        end = self._end(log) if self._epoch is None else self._epoch
        source: Source
        if "changes_from" in self.options:
            source = span(log, self._start(end), end)
        else:
            source = recipe(log, end if end >= 0 else None)
        return StoreReader(*self._filtered_reader(log, schema), source)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader of a stream of changes."""
        log = self._log()
        if "changes_from" not in self.options or "epoch" in self.options:
            raise SchemaError(
                f'a stream of format "{FORMAT}" needs the option "changes_from", where it begins: '
                f'"{_EMPTY_STORE}", "{_NEWEST}" or an epoch; it takes no option "epoch"'
            )
        if "filters" in self.options:
            raise SchemaError(
                f'a stream of format "{FORMAT}" takes no option "filters": use where()'
            )
        newest = log.latest_epoch()
        first = self._start(newest)
        if first > newest:
            raise LogError(f'epoch {first} of store "{log.name}" is not committed')
        return ChangesReader(
            self._part_reader(log, schema),
            first=first,
            epochs_per_batch=self._whole("epochs_per_batch"),
        )

    def _types(self, schema: StoreSchema) -> pa.Schema:
        return (changes_schema if "changes_from" in self.options else relation_schema)(schema)

    def _part_reader(self, log: StoreLog, columns: StructType) -> PartReader:
        schema = log.schema()
        return PartReader(self._root(), log.place, schema, self._types(schema), columns)

    def _filtered_reader(
        self, log: StoreLog, columns: StructType
    ) -> tuple[PartReader, Sequence[int]]:
        """Return the reader of the rows that the filters select, and the partitions they are in."""
        reader = self._part_reader(log, columns)
        schema = log.schema()
        types = self._types(schema)
        filters = decode_filters(self.options.get("filters", ""), types)
        for name, found in conditions(filters, types):
            reader.select(name, found)
        return reader, chosen_partitions(filters, schema, self.options)

    def _end(self, log: StoreLog) -> int:
        given = self._whole("epoch")
        return log.latest_epoch() if given is None else given

    def _start(self, newest: int) -> int:
        given = self.options["changes_from"]
        if given == _NEWEST:
            return newest
        start = EMPTY if given == _EMPTY_STORE else self._whole("changes_from")
        assert start is not None, "the option is given"
        return start

    def _root(self) -> str:
        return self._option("root", "the path or URI of the state log")

    def _log(self) -> StoreLog:
        if unknown := set(self.options) - set(_OPTIONS):
            raise SchemaError(
                f'format "{FORMAT}" has no option "{min(unknown)}", only {", ".join(_OPTIONS)}'
            )
        return StoreLog.open(self._root(), self._option("path", "the name of the store, in load()"))

    def _option(self, name: str, meaning: str) -> str:
        found = self.options.get(name)
        if not found:
            raise SchemaError(f'format "{FORMAT}" needs {meaning} (option "{name}")')
        return str(found)

    def _whole(self, name: str) -> int | None:
        found = self.options.get(name)
        if found is None:
            return None
        if not (found.isascii() and found.isdecimal()):
            raise SchemaError(f'option "{name}" of format "{FORMAT}" is not an epoch: {found!r}')
        return int(found)

    def _columns(self) -> list[str]:
        return [name.strip() for name in self.options.get("columns", "").split(",") if name.strip()]


_PART_BYTES = 16 << 20
"""Bytes of files that one task reads: starting a task for less takes longer than reading it."""


def of_partitions(source: Source, numbers: Sequence[int]) -> Source:
    """Return the same without the files of other partitions, which a task would only carry."""
    if isinstance(source, Recipe):
        return replace(source, commits=_of_partitions(source.commits, numbers))
    before, after = (
        None
        if made_of is None
        else replace(made_of, commits=_of_partitions(made_of.commits, numbers))
        for made_of in (source.before, source.after)
    )
    commits = _of_partitions(source.commits, numbers)
    return replace(source, commits=commits, before=before, after=after)


def _of_partitions(commits: Sequence[Commit], numbers: Sequence[int]) -> tuple[Commit, ...]:
    return tuple(
        replace(each, files=tuple(file for file in each.files if file.partition in numbers))
        for each in commits
    )


def _files(source: Source) -> Iterator[DataFile | SnapshotFile]:
    if isinstance(source, Recipe):
        if source.base is not None:
            yield from source.base.tables or source.base.files
    else:
        for made_of in filter(None, (source.before, source.after)):
            yield from _files(made_of)
    for commit in source.commits:
        yield from commit.files


def parts_of(source: Source, partitions: Sequence[int]) -> list[StorePart]:
    """Return the parts that tasks read: neighbouring partitions together, while they are small."""
    sizes = dict.fromkeys(partitions, 0)
    for file in _files(source):
        if file.partition in sizes:
            sizes[file.partition] += file.size_bytes
    bundles: list[list[int]] = []
    room = 0
    for number, size in sizes.items():
        if not bundles or size > room:
            bundles.append([])
            room = _PART_BYTES
        bundles[-1].append(number)
        room -= size
    return [StorePart(tuple(numbers), of_partitions(source, numbers)) for numbers in bundles]


class StorePart(InputPartition):
    """Partitions of a store, which one task reads."""

    def __init__(self, numbers: Sequence[int], source: Source) -> None:
        super().__init__(tuple(numbers))
        self.numbers = tuple(numbers)
        self.source = source


class PartReader:
    """Reads columns and rows of partitions. Can be pickled.

    Args:
        root: path or URI of the state log, which every task must reach.
        place: `StoreLog.place`: tasks read this log, even if the store is rebuilt meanwhile.
        schema: the definition of the store.
        types: the columns that can be read.
        columns: the columns that Spark wants.

    Raises:
        SchemaError: the store lacks one of the columns, or has another type for it.
    """

    def __init__(
        self, root: str, place: str, schema: StoreSchema, types: pa.Schema, columns: StructType
    ) -> None:
        self.root, self.place = root, place
        self.schema = schema
        self._types = types
        self._columns = columns
        self._wanted = Wanted(columns=tuple(columns.names))
        known = {field.name: field.dataType for field in from_arrow_schema(types)}
        for field in columns:
            if known.get(field.name) != field.dataType:
                raise SchemaError(
                    f'store "{schema.name}" has no column "{field.name}" of type '
                    f"{field.dataType.simpleString()}"
                )

    def log(self) -> StoreLog:
        """Return the store's log."""
        return StoreLog.open(self.root, self.schema.name).at_place(self.place)

    def select(self, name: str, found: Condition) -> None:
        """Read only the rows that meet a condition on a column, besides those before."""
        self._wanted = self._wanted.also(found, name)

    def read(self, partition: InputPartition) -> _Batches:
        """Yield the rows of one part; Spark asks for none if there is none to read."""
        if not isinstance(partition, StorePart):
            return
        log, source = self.log(), partition.source
        types = to_arrow_schema(self._columns, timezone="UTC")
        for number in partition.numbers:
            if isinstance(source, Span):
                found = changes(log, source, number, self._wanted)
            else:
                found = read_contents(log, source, number, self._wanted)
            for batch in found:
                yield batch.cast(types)


class StoreReader(DataSourceReader):
    """Reads the rows of a store as of an epoch, or its changes between two."""

    def __init__(self, parts: PartReader, partitions: Sequence[int], source: Source) -> None:
        self._parts = parts
        self._partitions = partitions
        self._source = source

    def partitions(self) -> Sequence[InputPartition]:
        """Return the parts of the partitions that the filters leave."""
        return parts_of(self._source, self._partitions)

    def read(self, partition: InputPartition) -> _Batches:
        """Yield the rows of one part."""
        return self._parts.read(partition)


class ChangesReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the changes of a store as a stream; an offset is an epoch and the digest of its commit.

    Spark writes the offsets of a batch down before it reads it, so a batch that is repeated has the
    same rows. Rows that only expire are not in the stream.
    """

    def __init__(self, parts: PartReader, *, first: int, epochs_per_batch: int | None) -> None:
        self._parts = parts
        self._first = first
        self._epochs_per_batch = epochs_per_batch
        self._last: int | None = None
        self._opened: StoreLog | None = None

    @property
    def _log(self) -> StoreLog:
        # Opened on first use, so that the reader can be sent to tasks.
        if self._opened is None:
            self._opened = self._parts.log()
        return self._opened

    def initialOffset(self) -> dict[str, Any]:
        """Return the epoch before the first changes."""
        return self._offset(self._first)

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the most epochs of a batch; Spark calls them files."""
        most = self._epochs_per_batch
        return ReadAllAvailable() if not most else ReadMaxFiles(most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Read no further than the epoch that is the newest now."""
        self._last = self._log.latest_epoch()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the last epoch of the next batch."""
        newest = self._log.latest_epoch() if self._last is None else self._last
        begin = start["epoch"]
        if newest <= begin:
            self._require_same(start)
            if self._log.move is not None and self._last is None:
                raise SchemaError(
                    f'store "{self._log.name}" was rebuilt under another definition: start the '
                    "query again, which goes on with the next epoch"
                )
            return start
        # The first batch of a whole store has no limit: compaction may have removed its epochs.
        if isinstance(limit, ReadMaxFiles) and begin != EMPTY:
            numbers = [each for each in self._log.epochs(after=begin) if each <= newest]
            newest = numbers[: limit.max_files][-1]
        return self._offset(newest)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the parts of a batch.

        Raises:
            LogError: the log lacks an epoch of the batch, or was built anew.
            SchemaError: the store was defined anew.
        """
        schema = self._log.schema()
        known = self._parts.schema
        if (schema.columns, schema.partitions) != (known.columns, known.partitions):
            raise SchemaError(
                f'store "{schema.name}" was defined anew while its changes were read: start the '
                "query again, with a new checkpoint if its columns or partitions differ"
            )
        self._require_same(start)
        self._require_same(end)
        asked = span(self._log, start["epoch"], end["epoch"], with_expired=False)
        return parts_of(asked, range(schema.partitions))

    def read(self, partition: InputPartition) -> _Batches:
        """Yield the changes of one part."""
        return self._parts.read(partition)

    def _offset(self, epoch: int) -> dict[str, Any]:
        commit = self._log.commit(epoch) if epoch >= 0 else None
        return {"epoch": epoch, "digest": None if commit is None else commit.digest}

    def _require_same(self, offset: dict[str, Any]) -> None:
        epoch, digest = offset["epoch"], offset["digest"]
        commit = self._log.commit(epoch) if epoch >= 0 else None
        is_other = commit is not None and commit.digest != digest
        if is_other or epoch > self._log.latest_epoch():
            raise LogError(
                f'epoch {epoch} of store "{self._log.name}" is not the one that this query has '
                "read: the store was removed and built anew. Start with a new checkpoint"
            )
