"""One statement on Spark: a thread that reads batches, and the iterator that takes them."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

from stategate.stores.errors import EngineInterruptedError, StoreError
from stategate.stores.spark.connect_errors import is_lost, said, translated, unavailable
from stategate.stores.spec.query_engine import EngineRelation, EngineStatement

_INTERRUPT_S, _INTERRUPT_S_MAX = 0.5, 5.0
"""Pause between two orders to interrupt, which grows: the first may arrive before the statement."""
_INTERRUPTS_MAX = 200
_TASKS_S = 10.0
"""How long an interrupt waits for the first task of a statement. Spark cancels the jobs of a
statement that it knows; one that is about to be submitted then would run to its end, unseen."""
_BATCHES_MAX = 2
"""Batches of some megabytes that wait for a slow client."""


class StatementRun:
    """One statement: a thread that reads batches from Spark, and the iterator that takes them."""

    def __init__(
        self,
        session: SparkSession,
        statement: EngineStatement,
        *,
        read: Callable[[SparkSession, EngineRelation], Any],
        on_end: Callable[[StatementRun, BaseException | None], None],
    ) -> None:
        self.session = session
        self._statement, self._relation, self._on_end = statement, read, on_end
        self._tag = f"stategate-{uuid.uuid4()}"
        self._changed = threading.Condition()
        self._batches: deque[pa.RecordBatch] = deque()
        self._error: StoreError | None = None
        self._is_read = self._is_interrupted = self._is_closed = False
        self._has_tasks = False

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read_all, name=self._tag, daemon=True).start()

    # The thread of the client

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._changed:
            self._changed.wait_for(
                lambda: self._batches or self._is_read or self._is_interrupted or self._is_closed
            )
            if self._is_interrupted:
                raise EngineInterruptedError("the statement was interrupted")
            if self._batches:
                batch = self._batches.popleft()
                self._changed.notify_all()
                return batch
            if self._error is not None:
                raise self._taken(self._error)
            raise StopIteration

    def _taken(self, error: StoreError) -> StoreError:
        """Return the error to raise, and forget it: its traceback will hold this."""
        self._error = None
        return error

    def __enter__(self) -> StatementRun:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def interrupt(self) -> None:
        """End the statement soon, from any thread and without a wait."""
        self._end(interrupted=True)

    def close(self) -> None:
        """End the statement, if it runs."""
        self._end(interrupted=False)

    def _end(self, *, interrupted: bool) -> None:
        with self._changed:
            is_first = not (self._is_interrupted or self._is_closed)
            self._is_interrupted = self._is_interrupted or interrupted
            self._is_closed = self._is_closed or not interrupted
            self._batches.clear()
            self._changed.notify_all()
            runs = not self._is_read
        if is_first and runs:
            threading.Thread(target=self._tell_spark, name="spark-interrupt", daemon=True).start()

    def _tell_spark(self) -> None:
        pause_s = _INTERRUPT_S
        with self._changed:
            self._changed.wait_for(lambda: self._is_read or self._has_tasks, _TASKS_S)
        for _ in range(_INTERRUPTS_MAX):
            if self._is_read:
                return
            with contextlib.suppress(Exception):  # the thread that reads reports what is wrong
                self.session.client.interrupt_tag(self._tag)
            time.sleep(pause_s)
            pause_s = min(_INTERRUPT_S_MAX, pause_s * 1.2)

    # The thread that reads

    def _read_all(self) -> None:
        failure: BaseException | None = None
        try:
            for batch in self._read():
                with self._changed:
                    self._changed.wait_for(
                        lambda: len(self._batches) < _BATCHES_MAX or self._is_over
                    )
                    if self._is_over:
                        break
                    self._batches.append(batch)
                    self._changed.notify_all()
        except Exception as error:  # the client's thread raises it
            failure = error
        with self._changed:
            self._is_read = True
            if failure is not None:
                self._error = _ours(failure)
            self._changed.notify_all()
        is_failure = failure is not None and not self._is_over
        self._on_end(self, failure if is_failure else None)

    @property
    def _is_over(self) -> bool:
        return self._is_interrupted or self._is_closed

    def _read(self) -> Iterator[pa.RecordBatch]:
        session, statement = self.session, self._statement
        session.client.add_tag(self._tag)  # tags are those of a thread
        frames = {
            name: self._relation(session, relation)
            for name, relation in statement.relations.items()
        }
        found: Any = session.sql(statement.sql, args=dict(statement.values), **frames)
        if self._is_over:
            return
        plan = found._plan.to_proto(session.client)
        watch = _TaskWatch(self._on_tasks)
        session.registerProgressHandler(watch)
        answers = session.client.to_table_as_iterator(plan, {})
        try:
            for answer in answers:
                if isinstance(answer, pa.Table):
                    yield from answer.to_batches()
        finally:
            session.removeProgressHandler(watch)
            if hasattr(answers, "close"):
                answers.close()

    def _on_tasks(self) -> None:
        if not self._has_tasks:
            with self._changed:
                self._has_tasks = True
                self._changed.notify_all()


class _TaskWatch(ProgressHandler):
    """Notices the tasks of the statement that this thread reads, among those of a session."""

    def __init__(self, on_tasks: Callable[[], None]) -> None:
        self._reader, self._on_tasks = threading.get_ident(), on_tasks

    def __call__(
        self,
        stages: Iterable[StageInfo] | None,
        inflight_tasks: int,
        operation_id: str | None,
        done: bool,
    ) -> None:
        if inflight_tasks and threading.get_ident() == self._reader:
            self._on_tasks()


def _ours(error: BaseException) -> StoreError:
    if isinstance(error, StoreError):
        return error
    if is_lost(error):
        return unavailable(said(error))
    assert isinstance(error, PySparkException), "all others are lost connections"
    return translated(error)
