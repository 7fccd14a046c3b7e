"""One statement in one composing process: it is sent, interrupted and, if need be, killed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

import pyarrow as pa

from stategate.planner.composing.database import OUT_OF_MEMORY, DatabaseClosedError, DatabaseError
from stategate.planner.composing.messages import RETIRED, Failed, Kind, Reply
from stategate.planner.composing.process import ComposingProcess, ProcessEndedError
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.errors import QueryCancelledError
from stategate.planner.values.cancel import ALARMS, Alarm, Cancellation

logger = logging.getLogger(__name__)

KILL_S = 0.5
"""Time that an interrupted statement has to end before its process is killed. DuckDB looks at its
interrupt every few milliseconds, except inside a function; the rest is for busy machines."""
INTERRUPT_AGAIN_S = 0.1
"""Seconds until the next interrupt: DuckDB forgets one that arrives just before a statement begins.
"""
_NEEDS_MORE = "Out of Memory Error: the statement needs more memory than it may have"


class StatementLostError(Exception):
    """The process of a statement ended before the statement did.

    Args:
        process: the process.
        is_culprit: whether the process was killed to end this very statement.
        is_retired: whether the process has not begun it, because the process is spent.
    """

    def __init__(
        self, process: ComposingProcess, *, is_culprit: bool, is_retired: bool = False
    ) -> None:
        super().__init__()
        self.process, self.is_culprit, self.is_retired = process, is_culprit, is_retired

    @property
    def is_suspect(self) -> bool:
        """Whether the statement may be to blame for the end of its process."""
        return not (self.is_retired or self.process.was_killed)

    def check(self, processes: ProcessPool, cancellation: Cancellation) -> None:
        """Return normally if the statement may begin again in another process.

        Raises:
            QueryCancelledError: the statement was cancelled.
            DatabaseClosedError: all databases are closed.
            DatabaseError: the process ended by itself while it ran this statement alone.
        """
        if self.is_culprit:
            cancellation.check()
            raise QueryCancelledError("canceling statement due to statement timeout")
        if processes.is_closed:
            raise DatabaseClosedError
        if self.is_suspect and self.process.was_alone:
            raise DatabaseError(OUT_OF_MEMORY, _NEEDS_MORE)


class RemoteStatement:
    """One statement in one process, from its beginning to its end.

    Args:
        process: where it runs; returned to the pool at the end.
        processes: the pool of the process.
        cancellation: ends it early.
    """

    def __init__(
        self, process: ComposingProcess, processes: ProcessPool, cancellation: Cancellation
    ) -> None:
        self.process, self.cancellation = process, cancellation
        self._on_interrupt: Callable[[], None] | None = None
        """Holds the rows of the statement, which hold this; so it goes with the end."""
        self.is_ended = False
        self._processes = processes
        self._lane = process.take_lane()
        self.number = self._lane.statement()
        self.was_interrupted = False
        self._is_culprit = False
        self._alarms: list[Alarm] = []
        self._ending = threading.Lock()
        self._interrupting = cancellation.interrupting(self._interrupt)
        self._interrupting.__enter__()

    def when_interrupted(self, callback: Callable[[], None]) -> None:
        """Call back when the statement is cancelled before its end, in a thread of its own.

        If it has been cancelled already, the call is made at once in the caller's thread.
        """
        with self._ending:
            if self.is_ended:
                return
            self._on_interrupt = callback
        if self.was_interrupted:
            callback()

    def call(
        self,
        kind: Kind,
        head: bytes = b"",
        body: Sequence[pa.Buffer] = (),
        *,
        fds: Sequence[int] = (),
    ) -> tuple[Reply, pa.Buffer | None]:
        """Send a request to the process and wait for the reply.

        Raises:
            DatabaseError: DuckDB failed.
            StatementLostError: the process has ended.
        """
        try:
            reply, answer = self._lane.call(kind, head, body, fds=fds)
        except ProcessEndedError as error:
            self.process.end()
            self.end()
            raise StatementLostError(self.process, is_culprit=self._is_culprit) from error
        if isinstance(reply, Failed):
            is_retired = reply.kind == RETIRED
            self.process.is_spent = self.process.is_spent or reply.is_spent or is_retired
            self.end()
            if is_retired:
                raise StatementLostError(self.process, is_culprit=False, is_retired=True)
            self.cancellation.check()
            raise DatabaseError(reply.kind, reply.text)
        return reply, answer

    def close(self) -> None:
        """End the statement early; kill its process if that takes too long."""
        if self.is_ended:
            return
        self._alarms.append(ALARMS.after(KILL_S, self._kill))
        with suppress(StatementLostError, DatabaseError, QueryCancelledError):
            self.call(Kind.CLOSE)
        self.end()

    def end(self) -> None:
        """Return lane and process to the pool, because the statement has ended there."""
        with self._ending:
            if self.is_ended:
                return
            self.is_ended = True
            self._on_interrupt = None
        self._interrupting.__exit__(None, None, None)
        for alarm in self._alarms:
            alarm.cancel()
        self.process.give_lane(self._lane)
        self._processes.give(self.process)

    def _interrupt(self) -> None:
        if self.was_interrupted or self.is_ended:
            return
        self.was_interrupted = True
        self._interrupt_again()
        self._alarms += [
            ALARMS.after(INTERRUPT_AGAIN_S, self._interrupt_again),
            ALARMS.after(KILL_S, self._kill),
        ]
        on_interrupt = self._on_interrupt
        if on_interrupt is not None:
            threading.Thread(target=on_interrupt, name="ending", daemon=True).start()

    def _interrupt_again(self) -> None:
        if not self.is_ended:
            self.process.interrupt(self._lane, self.number)

    def _kill(self) -> None:
        with self._ending:
            if self.is_ended:
                return
            self._is_culprit = True
            self.process.kill()
        self._processes.replace(self.process)
        logger.warning("a composing process was killed to end a statement pid=%d", self.process.pid)
