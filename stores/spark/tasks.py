"""The work of Spark's tasks: each writes the rows of its partition as one data file.

A file has one row for each key. If the plan shows that keys are distinct, nothing needs to be done.
Otherwise a task holds its rows in memory and picks the latest. If they are too many, Spark sorts
them, which can spill to disk, and the task picks them one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from stategate.stores.codec.partitioner import partition_column
from stategate.stores.errors import LogError
from stategate.stores.log.data.canonical import InvalidUtf8
from stategate.stores.log.data.datafiles import TIMESTAMP_NAME, file_schema, write_part
from stategate.stores.log.data.deduplication import identity, last_of_runs, latest_rows
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.spark.definition import ORDINAL_NAME, quoted
from stategate.stores.spec.schema import StoreSchema

_Batches: TypeAlias = Iterator[pa.RecordBatch]

HELD_BYTES_MAX = 256 << 20
"""Maximum bytes of rows that a task holds to pick the latest of each key; briefly twice as many."""
_CHECKED_ROWS = 256
PART_SPARK = (
    "path string, partition int, rows long, size_bytes long, sha256 string, decoded_bytes long"
)
PART_TYPES: dict[str, pa.DataType] = {
    "path": pa.string(),
    "partition": pa.int32(),
    "rows": pa.int64(),
    "size_bytes": pa.int64(),
    "sha256": pa.string(),
    "decoded_bytes": pa.int64(),
}


class Picking(Enum):
    """How a task gets one row for each key."""

    DISTINCT = "distinct"
    """The keys of the rows are distinct already."""
    HELD = "held"
    """The task holds its rows; TooLargeToHoldError if they exceed HELD_BYTES_MAX."""
    SORTED = "sorted"
    """Spark sorts the rows, which takes twice the time and little memory."""


class TooLargeToHoldError(LogError):
    """A task has more rows than it may hold: Spark has to sort them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where tasks write the files of an epoch. It can be sent to them."""

    root: str
    """Path or URI of the state log."""
    schema: StoreSchema
    place: str
    """The directory of the store's log in that of the store: `StoreLog.place`."""
    attempt: str
    """The directory of the files in that of the log, from `StoreLog.begin`."""
    invalid_utf8: InvalidUtf8 = "refuse"
    keys_are_distinct: bool = False
    """Whether two rows of one key are an error; else the latest stays."""

    def shaped(self, rows: pa.Table) -> pa.Table:
        """Return the rows of a task as rows of a data file."""
        return shaped(rows, self.schema, invalid_utf8=self.invalid_utf8)

    def latest(self, rows: pa.Table) -> pa.Table:
        """Return one row for each key."""
        return latest_rows(rows, self.schema, keys_are_distinct=self.keys_are_distinct)

    @property
    def directory(self) -> Directory:
        """The directory of the store's log."""
        store = Directory.at(self.root).within(self.schema.name)
        return store.within(self.place) if self.place else store


def write_by_tasks(selected: DataFrame, target: Target, picking: Picking) -> list[DataFile]:
    """Run one job that writes a batch into the directory of an attempt; return its files.

    Args:
        selected: the rows of the batch, with the columns of the data files.
        target: the definition of the store, and the directory.
        picking: how the tasks get one row for each key.

    Raises:
        Exception: Spark's error, with the text of the task's error.
    """
    schema = target.schema
    keys = [F.col(quoted(column.name)) for column in schema.key]
    if picking is Picking.DISTINCT:
        # Spark leaves this shuffle out if the rows are partitioned by these keys already.
        placed = selected.repartition(schema.partitions, *keys)
    else:
        # The shuffle loses the order of rows; this number restores that of each input partition.
        numbered = selected.withColumn(ORDINAL_NAME, F.monotonically_increasing_id())
        placed = numbered.repartition(schema.partitions, *keys)
    if picking is Picking.SORTED:
        names = [*identity(schema), *([TIMESTAMP_NAME] if schema.by_event_time else [])]
        order = [F.col(quoted(name)) for name in (*names, ORDINAL_NAME)]
        placed = placed.sortWithinPartitions(*order).drop(ORDINAL_NAME)
    write = part_writer(target, picking)
    # Columns get numbers as names, since mapInArrow cannot pass a column with a dot in its name.
    placed = placed.toDF(*map(str, range(len(placed.columns))))
    parts: list[dict[str, Any]] = placed.mapInArrow(write, PART_SPARK).toArrow().to_pylist()
    return [DataFile(**part) for part in parts]


def part_writer(target: Target, picking: Picking) -> Callable[[_Batches], _Batches]:
    """Return the function that a task runs over the rows of its partition.

    It writes them as one file, and yields one row that describes it; none without rows to write.
    """

    def write(batches: _Batches) -> _Batches:
        context = TaskContext.get()
        assert context is not None, "runs in a task"
        partition, schema = context.partitionId(), target.schema
        file = write_part(
            target.directory,
            target.attempt,
            _placed(picked(_named(batches, schema), target, picking), schema, partition),
            partition=partition,
        )
        if file is not None:
            yield pa.RecordBatch.from_pylist([asdict(file)], schema=pa.schema(PART_TYPES))

    return write


def _named(batches: _Batches, schema: StoreSchema) -> _Batches:
    names = [*file_schema(schema).names, ORDINAL_NAME]
    for batch in batches:
        yield batch.rename_columns(names[: batch.num_columns])


def picked(batches: _Batches, target: Target, picking: Picking) -> _Batches:
    """Yield the rows of one partition as its data file has them.

    Raises:
        TooLargeToHoldError: the task must hold its rows, and they are too many.
        RepeatedKeyError: a key has several rows, and must not.
    """
    match picking:
        case Picking.DISTINCT:
            return _shaped(batches, target)
        case Picking.SORTED:
            return last_of_runs(
                _shaped(batches, target),
                target.schema,
                keys_are_distinct=target.keys_are_distinct,
            )
        case Picking.HELD:
            return _latest_of_held(batches, target)


def _shaped(batches: Iterable[pa.RecordBatch], target: Target) -> _Batches:
    for batch in batches:
        yield from target.shaped(pa.Table.from_batches([batch])).to_batches()


def _latest_of_held(batches: _Batches, target: Target) -> _Batches:
    if held := hold(batches):
        rows = pa.Table.from_batches(held)
        ordinals = rows.column(ORDINAL_NAME).to_numpy()
        if not bool(np.all(ordinals[1:] > ordinals[:-1])):
            rows = rows.take(np.argsort(ordinals))
        rows = target.shaped(rows.drop_columns(ORDINAL_NAME))
        yield from target.latest(rows).to_batches()


def hold(batches: _Batches) -> list[pa.RecordBatch]:
    """Return the batches of a task, which holds all of them.

    Raises:
        TooLargeToHoldError: they are too many.
    """
    held = []
    size_bytes = 0
    for batch in batches:
        held.append(batch)
        size_bytes += batch.nbytes
        if size_bytes > HELD_BYTES_MAX:
            raise TooLargeToHoldError(f"a task has more than {HELD_BYTES_MAX} bytes of rows")
    return held


def _placed(batches: _Batches, schema: StoreSchema, partition: int) -> _Batches:
    """Yield the batches; check by a sample that readers look for the rows in this partition."""
    for batch in batches:
        sample = batch.slice(0, _CHECKED_ROWS)
        found = partition_column(sample, schema.key, schema.partitions)
        if (found != partition).any():
            raise LogError(
                f'rows of partition {found[found != partition][0]} of store "{schema.name}" came '
                f"to task {partition}: Spark hashes this key differently from the readers"
            )
        yield batch
