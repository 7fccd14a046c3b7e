"""The statements that run now, as `stategate.queries` shows them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from planner.values.session import Session
from planner.values.statement import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningQuery:
    """A statement, from its start until its last row is read or its result is closed."""

    number: int
    """A number that increases in the order in which statements start."""
    sql: str
    user: str
    started_ms: int
    pid: int = 0
    """The `pid` of the session."""


class RunningQueries:
    """The running statements of an engine. Safe to share between threads.

    Lookups are not listed, as listing one would take as long as running it.

    Args:
        clock: wall clock in epoch milliseconds.
        numbers: yields the number of each statement; by default 1, 2, ….
        elsewhere: returns the running statements of other engines that are shown with these.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        *,
        numbers: Iterator[int] | None = None,
        elsewhere: Callable[[], Sequence[RunningQuery]] = tuple,
    ) -> None:
        self._clock = clock
        self._numbers = itertools.count(1) if numbers is None else numbers
        self._elsewhere = elsewhere
        self._lock = threading.Lock()
        self._running: dict[int, RunningQuery] = {}

    def running(self) -> list[RunningQuery]:
        """Return the statements that run now, engine by engine, the oldest first.

        Raises:
            Exception: the error of `elsewhere`.
        """
        return [*self.own(), *self._elsewhere()]

    def own(self) -> list[RunningQuery]:
        """Return the statements that this engine runs now, the oldest first."""
        with self._lock:
            return list(self._running.values())

    def watch(self, sql: str, session: Session, run: Callable[[], Result]) -> Result:
        """Run a statement and list it until its result has been read or closed.

        Raises:
            Exception: the error of `run`; the statement is no longer listed.
        """
        with self._lock:
            query = RunningQuery(
                number=next(self._numbers),
                sql=sql,
                user=session.user,
                started_ms=self._clock(),
                pid=session.pid,
            )
            self._running[query.number] = query

        def end() -> None:
            with self._lock:
                self._running.pop(query.number, None)

        try:
            result = run()
        except BaseException:
            end()
            raise
        if result.batches is None:
            end()
            return result
        close = result.on_close

        def on_close() -> None:
            end()
            if close is not None:
                close()

        result.batches, result.on_close = _until_end(result.batches, end), on_close
        return result


def _until_end(
    batches: Iterator[pa.RecordBatch], end: Callable[[], None]
) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    finally:
        end()
