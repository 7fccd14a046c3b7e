"""Writes snapshots and rebuilt stores by Spark's tasks, one partition in each, if they are large.

The driver would write one partition after the other, on one core and on its own disk. Small stores
stay with the driver, which needs no job for them.
"""

from __future__ import annotations

import functools
import logging
import uuid
from concurrent.futures import Future, ThreadPoolExecutor, wait

from pyspark import SparkContext

from stategate.stores.errors import LogError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark.reports import sentence_of
from stategate.stores.upkeep.compaction import (
    IsStopped,
    Part,
    PartitionWork,
    bytes_to_read,
    check_stopped,
    in_turn,
)

BYTES_MIN = 64 << 20
"""Size of a snapshot and the epochs since from which tasks write the next: some seconds of work."""
_SHARE_OF_CORES = 0.25
_POLL_S = 0.2

logger = logging.getLogger(__name__)


class PartitionTasks:
    """A `Runner` whose partitions are written by Spark's tasks, if the store is large.

    Beside a query only a quarter of the cores is used at once, so that its batches always find the
    others free: a task of Spark cannot be interrupted for a more urgent one.

    Args:
        context: the Spark context of the query.
        root: path or URI of the state log, as the executors see it.
        bytes_min: size of the last snapshot and the epochs since from which tasks are used.
        share: the part of the cores that is used at once.
    """

    def __init__(
        self,
        context: SparkContext,
        root: str,
        *,
        bytes_min: int = BYTES_MIN,
        share: float = _SHARE_OF_CORES,
    ) -> None:
        self._context = context
        self._root = root
        self._bytes_min, self._share = bytes_min, share

    def __call__(
        self, log: StoreLog, work: PartitionWork[Part], is_stopped: IsStopped
    ) -> list[Part]:
        """Write the files of all partitions.

        Raises:
            CompactionStoppedError: `is_stopped` returned True.
            LogError: a task failed, or the log cannot be read or written.
        """
        cores = self._context.defaultParallelism
        if cores == 1 or bytes_to_read(log, work.epoch) < self._bytes_min:
            return in_turn(log, work, is_stopped)
        at_once = max(1, int(cores * self._share))
        logger.info(
            "spark writes a store store=%s epoch=%d partitions=%d tasks=%d",
            log.name,
            work.epoch,
            work.schema.partitions,
            at_once,
        )
        written: list[Part] = []
        for first in range(0, work.schema.partitions, at_once):
            wave = range(first, min(first + at_once, work.schema.partitions))
            written += self._run(log, work, wave, is_stopped)
        return written

    def _run(
        self, log: StoreLog, work: PartitionWork[Part], wave: range, is_stopped: IsStopped
    ) -> list[Part]:
        """Run one job, and cancel it if the run is stopped."""
        check_stopped(log.name, is_stopped)
        group = f"stategate-{uuid.uuid4().hex}"
        with ThreadPoolExecutor(1, thread_name_prefix=f"{log.name}-tasks") as threads:
            job = threads.submit(self._job, group, log, work, wave)
            try:
                while not wait([job], _POLL_S).done:
                    check_stopped(log.name, is_stopped)
            except BaseException:
                self._cancel(group, job)
                raise
        try:
            return job.result()
        except Exception as error:
            check_stopped(log.name, is_stopped)
            raise LogError(
                f'spark cannot write epoch {work.epoch} of store "{log.name}": {sentence_of(error)}'
            ) from error

    def _job(self, group: str, log: StoreLog, work: PartitionWork[Part], wave: range) -> list[Part]:
        # The group belongs to this thread alone, as do the jobs that are cancelled with it.
        self._context.setJobGroup(group, f"partitions of {log.name}", interruptOnCancel=True)
        numbers = self._context.parallelize(wave, len(wave))
        write = functools.partial(_write, self._root, log.place, work)
        found: list[Part] = numbers.map(write).collect()
        return found

    def _cancel(self, group: str, job: Future[list[Part]]) -> None:
        """Cancel a job that may not have begun: until it has ended, or its thread is refused."""
        while not job.done():
            try:
                self._context.cancelJobGroup(group)
            except Exception:  # an error of py4j: the JVM has gone, and the job with it
                logger.info("job not cancelled because spark has ended group=%s", group)
                return
            wait([job], _POLL_S)


def _write(root: str, place: str, work: PartitionWork[Part], partition: int) -> Part:
    """Write the files of one partition, in a task."""
    log = StoreLog.open(root, work.schema.name).at_place(place)
    return work.write(log, partition)
