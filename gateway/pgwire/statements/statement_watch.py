"""Cancels the statement of a session that runs: for its client, or when its time is up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stategate.gateway.elsewhere import Resumed
from stategate.gateway.pgwire.protocol.limits import SETTING, PgLimits, statement_timeout_s
from stategate.gateway.pgwire.statements.client_socket import Timer
from stategate.planner.engine import Cancellation, QueryError, Session

_CANCELED = "57014"
_TIMER_S = 0.001
"""The precision of a timer."""
_TIMED_OUT = "canceling statement due to statement timeout"


class StatementWatch:
    """Watches the statements of one session, of which one runs at a time.

    Args:
        session: has the timeout.
        limits: the limits of the server.
        call_later: calls a function after some seconds.
    """

    def __init__(
        self,
        session: Session,
        limits: PgLimits,
        call_later: Callable[[float, Callable[[], object]], Timer],
    ) -> None:
        self._session, self._limits = session, limits
        self._call_later = call_later
        self.running: Cancellation | None = None
        """Cancels the statement that runs; None while none does."""
        self._resumed: Resumed | None = None
        self._timer: Timer | None = None

    def timeout_s(self) -> float | None:
        """Return how long a statement may run under the session's settings; None for no limit."""
        return statement_timeout_s(self._session.settings.get(SETTING), self._limits)

    def cancel(self) -> None:
        """Cancel the statement that runs, if any."""
        if self.running is not None:
            self.running.cancel()

    def resume(self, resumed: Resumed | None) -> None:
        """Run the next statement as one that has been tried before, or as a new one."""
        self._resumed = resumed

    @property
    def is_resumed(self) -> bool:
        """Whether the next statement has been tried before."""
        return self._resumed is not None

    @contextmanager
    def statement(self, cancellation: Cancellation | None = None) -> Iterator[Cancellation]:
        """Let the client, or the statement timeout, cancel a statement inside the block.

        A timer cancels, not a deadline in the engine: DuckDB can be interrupted, but does not look
        at a clock. Also, a portal that is read by several Executes has the timeout for each, as in
        PostgreSQL.

        Args:
            cancellation: the cancellation of a portal that was executed before; None makes one.

        Raises:
            QueryError: from the block; after the timeout it is 57014.
        """
        current = Cancellation() if cancellation is None else cancellation
        expired = False

        def expire() -> None:
            nonlocal expired
            expired = True
            current.cancel()

        timeout_s = self.timeout_s()
        resumed, self._resumed = self._resumed, None
        if resumed is not None:
            timeout_s = None if timeout_s is None else timeout_s - resumed.waited_s
            if resumed.is_cancelled:
                current.cancel()
        outer, self._timer = self._timer, None
        if timeout_s is not None and timeout_s < _TIMER_S:
            expire()
        elif timeout_s is not None:
            self._timer = self._call_later(timeout_s, expire)
        self.running = current
        try:
            yield current
        except QueryError as error:
            if expired and error.sqlstate == _CANCELED:
                raise QueryError(_TIMED_OUT, sqlstate=_CANCELED) from error
            raise
        finally:
            self.running = None
            self.stop_timer()
            self._timer = outer

    def stop_timer(self) -> None:
        """Let the statement that runs go on without a timeout."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
