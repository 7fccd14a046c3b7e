"""Writes the batches of a streaming query as epochs of a store, exactly once.

A batch that runs again finds its commit and changes nothing. A batch that died before its commit
left only files that no commit names. The driver collects small batches, which saves a Spark job and
the Python workers; tasks write large ones. Both write the same files, by
`stategate.stores.log.data.datafiles`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from pyspark.sql import DataFrame

from stategate.stores.errors import EpochConflictError
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.laps import Laps
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark.apart import ROWS_MAX, ROWS_PER_FILE_MIN, SharedKeysError, write_apart
from stategate.stores.spark.checkpoint import Checkpoint
from stategate.stores.spark.compacting import PipelineCompactor
from stategate.stores.spark.continuity import (
    readable_commit,
    require_forward,
    require_own,
    require_same_input,
    writer_name,
)
from stategate.stores.spark.definition import StoreFrame
from stategate.stores.spark.ending import BATCHES
from stategate.stores.spark.offsets import BatchOffsets
from stategate.stores.spark.reports import OnEpoch, fail_batch, report_epoch
from stategate.stores.spark.tasks import Picking, Target, TooLargeToHoldError, write_by_tasks
from stategate.stores.spark.topics import NO_IDS, Answer, TopicIds
from stategate.stores.spec.position import Position

COLLECT_ROWS_MAX = 100_000
"""After an epoch of at most this many rows the driver collects the next: usually some 10 MB."""
_RESULT_LIMIT = "spark.driver.maxResultSize"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Batch:
    batch: int
    read: Position
    """The position at which its sources ended."""
    applied: Position
    """The position of its epoch, with topics that are no longer read."""


class EpochSink:
    """The function for foreachBatch, with its state between calls."""

    def __init__(
        self,
        frame: StoreFrame,
        *,
        root: str,
        checkpoint: Checkpoint,
        replaces: bool,
        collect_rows_max: int = COLLECT_ROWS_MAX,
        compactor: PipelineCompactor | None = None,
        notify: Sequence[str] = (),
        topic_ids: TopicIds = NO_IDS,
        on_epoch: OnEpoch | None = None,
    ) -> None:
        self._on_epoch = on_epoch
        self._notify = notify
        self._topic_ids = topic_ids
        self._frame = frame
        self._root = root
        self._checkpoint = checkpoint
        self._replaces = replaces
        self._collect_rows_max = collect_rows_max
        self._compactor = compactor
        self._writer: StoreWriter | None = None
        self._name = ""
        self._rows_before: int | None = None
        self._last: _Batch | None = None
        """The batch before, if this query has run it."""
        self._picking = Picking.DISTINCT if frame.unique else Picking.HELD
        # Rows of distinct keys come from an aggregation, and are in their partitions already.
        self._may_be_apart = not frame.unique

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write one batch.

        Raises:
            EpochConflictError: the store's epochs are not those of this query, or of its input.
            PositionBackError: a topic of the input was deleted and made again.
            LogError: the log or the checkpoint cannot be read or written.
            SchemaError: the rows are not rows of the store.
            BatchFailedError: Spark cannot compute the rows, or its tasks cannot write them.
        """
        with BATCHES.running():
            try:
                self._run(rows, batch)
            except Exception as error:
                fail_batch(self._frame.schema.name, batch, error)

    def _run(self, rows: DataFrame, batch: int) -> None:
        writer = self._writer_for()
        offsets = self._checkpoint.running(batch)
        ids = self._topic_ids.ask(offsets.topics)
        if (found := writer.log.commit(batch)) is not None:
            require_own(writer.log, found, self._name)
            if found.input_digest not in (None, offsets.digest):
                require_same_input(writer.log, self._checkpoint, but=batch)
            # Spark waits long for old records of a topic that was created again.
            writer.declare(offsets.topics, ids())
            # Stateful operators require that every partition of every batch is consumed.
            rows.write.format("noop").mode("append").save()
            return
        applied = self._require_continuity(writer.log, batch, offsets)
        # The topics are declared before the rows, which may take minutes: from now on bounds on
        # the topics are not ignored.
        writer.declare(offsets.topics)
        # A topic that is no longer read stays in the position.
        position = applied.merge(offsets.position)
        laps = Laps()
        commit = self._write(
            writer, rows, batch, replace(offsets, position=position), ids, laps=laps
        )
        self._rows_before = commit.rows
        self._last = _Batch(batch, read=offsets.position, applied=position)
        report_epoch(writer.log.name, commit, laps.seconds, self._on_epoch)
        if self._compactor is not None:
            self._compactor.committed(batch)

    def _writer_for(self) -> StoreWriter:
        if self._writer is None:
            name = writer_name(self._checkpoint)
            assert name is not None, "a query that runs has an id"
            self._writer = StoreWriter(
                self._root,
                self._frame.schema,
                writer=name,
                notify=self._notify,
                invalid_utf8=self._frame.invalid_utf8,
            )
            self._name = name
            # The store is taken before the first batch, so that an older driver that still runs
            # can write no more.
            self._writer.take_ownership()
        return self._writer

    def _require_continuity(self, log: StoreLog, batch: int, offsets: BatchOffsets) -> Position:
        """Refuse to go on after epochs that the store lacks, since their rows would be missing.

        Numbers may be skipped, as after a repartitioning of the query's state. But then the batch
        before this one must not have read more than the newest epoch of the store.

        Returns:
            The position of the newest epoch.
        """
        latest = log.latest_epoch()
        if self._last is not None and self._last.batch == latest == batch - 1:
            read, applied = self._last.read, self._last.applied
        else:
            before, known = self._checkpoint.offsets(batch - 1), readable_commit(log, latest)
            read = Position() if before is None else before.position
            # If the commit is torn, only the checkpoint knows its position.
            torn = read if latest >= 0 else Position()
            applied = torn if known is None else known.position
            is_next = latest == batch - 1
            is_behind_a_gap = latest < batch and before is not None and applied.covers(read)
            if not (is_next or is_behind_a_gap or self._replaces):
                raise EpochConflictError(
                    f'store "{log.name}" is at epoch {latest} and the query at {batch}: remove '
                    "both the store and the checkpoint to build it anew"
                )
        require_forward(log, read, offsets.position)
        return applied

    def _write(
        self,
        writer: StoreWriter,
        rows: DataFrame,
        batch: int,
        offsets: BatchOffsets,
        ids: Answer,
        *,
        laps: Laps,
    ) -> Commit:
        selected = self._frame.select(rows)
        table = self._collect(selected)
        # Kafka has answered meanwhile. A topic that was created again is refused.
        writer.declare(offsets.topics, ids())
        if table is not None:
            laps.lap("collect")
            commit = writer.write(
                table,
                epoch=batch,
                position=offsets.position,
                watermark_ms=offsets.watermark_ms,
                replace=self._replaces,
                keys_are_distinct=self._frame.checked,
                input_digest=offsets.digest,
            )
            laps.seconds.update(writer.laps.seconds)
            return commit
        while True:
            is_apart = self._is_apart(rows)
            try:
                return self._publish_tasks(
                    writer, selected, batch, offsets, laps, is_apart=is_apart
                )
            except Exception as error:
                if not self._can_write_otherwise(error, is_apart=is_apart):
                    raise

    def _is_apart(self, rows: DataFrame) -> bool:
        """Return whether each task may write all partitions, by the rows of the epoch before."""
        if not self._may_be_apart or self._rows_before is None or self._rows_before > ROWS_MAX:
            return False
        tasks = rows.sparkSession.sparkContext.defaultParallelism
        files = tasks * self._frame.schema.partitions
        return self._rows_before >= files * ROWS_PER_FILE_MIN

    def _can_write_otherwise(self, error: Exception, *, is_apart: bool) -> bool:
        """Choose another way to write from now on; False if the error is not of the way."""
        # The error of a task arrives as text in one of Spark's exceptions.
        is_too_large = TooLargeToHoldError.__name__ in str(error)
        store = self._frame.schema.name
        if is_apart and (is_too_large or isinstance(error, SharedKeysError)):
            self._may_be_apart = False
            logger.info("spark shuffles the rows from now on store=%s why=%s", store, type(error))
            return True
        if self._picking is Picking.HELD and is_too_large:
            self._picking = Picking.SORTED
            logger.warning("epoch too large to hold, sorting from now on store=%s", store)
            return True
        return False

    def _publish_tasks(
        self,
        writer: StoreWriter,
        selected: DataFrame,
        batch: int,
        offsets: BatchOffsets,
        laps: Laps,
        *,
        is_apart: bool,
    ) -> Commit:
        """Let the tasks write the files of an epoch, and commit it."""
        schema, place = self._frame.schema, writer.log.place
        with writer.log.attempt(batch) as attempt:
            target = Target(
                root=self._root,
                schema=schema,
                place=place,
                attempt=attempt,
                invalid_utf8=self._frame.invalid_utf8,
                keys_are_distinct=self._frame.checked,
            )
            with writer.told_if_replaced():
                if is_apart:
                    files = write_apart(selected, target)
                    rows = sum(file.rows for file in files)
                    # The query has more tasks than there are cores.
                    self._may_be_apart = 2 * rows >= len(files) * ROWS_PER_FILE_MIN
                else:
                    files = write_by_tasks(selected, target, self._picking)
            laps.lap("write")
            commit = writer.publish(
                epoch=batch,
                attempt=attempt,
                files=files,
                position=offsets.position,
                watermark_ms=offsets.watermark_ms,
                replace=self._replaces,
                input_digest=offsets.digest,
            )
            laps.lap("commit")
            return commit

    def _collect(self, selected: DataFrame) -> pa.Table | None:
        """Return the batch as one table if the one before was small; None if tasks must write it.

        The rows are in the order of Spark's partitions, each of which keeps its input order.
        """
        if self._rows_before is None or self._rows_before > self._collect_rows_max:
            return None
        try:
            return selected.toArrow()
        except pa.ArrowInvalid as error:
            # Spark cannot collect a field that is never NULL in a struct that may be NULL, but its
            # tasks can read it. Every batch will have that field.
            logger.warning(
                "epoch cannot be collected, the tasks write all from now on store=%s error=%s",
                self._frame.schema.name,
                error,
            )
            self._collect_rows_max = -1
            return None
        except Exception as error:
            # The batch is much larger than the last and exceeds a limit of Spark. Its state was not
            # committed, so the batch can run a second time within its trigger.
            if _RESULT_LIMIT not in str(error):
                raise
            logger.warning(
                "epoch too large to collect, the tasks write it store=%s", self._frame.schema.name
            )
            return None
