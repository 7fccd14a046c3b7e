"""Planning and execution of statements: on the event loop if short, otherwise in a thread.

A timer limits calls in threads. `Runner` returns encoded rows or raises; `replies` tells the
client.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager

from gateway.elsewhere import Resumed
from gateway.pgwire.protocol.limits import SETTING, PgLimits, statement_timeout_s
from gateway.pgwire.statements.client_socket import Timer
from gateway.pgwire.statements.cursors import Piece
from gateway.pgwire.statements.execute_arguments import argument_values, check_argument_count
from gateway.pgwire.statements.offsets import counted_from, located, only_statement
from gateway.pgwire.statements.portals import Portal, Prepared, portal_of
from gateway.pgwire.statements.rows import Begun, RowEncoder, RowSource, read_ahead
from gateway.pgwire.types.parameters import requested_types
from gateway.statement_threads import StatementThreads
from planner.engine import (
    Cancellation,
    DataType,
    Engine,
    ExecuteStatement,
    QueryError,
    Row,
    Session,
    Statement,
    StatementKind,
    TimeSettings,
    Waits,
)

_CANCELED = "57014"
_TIMER_S = 0.001
"""The precision of a timer."""
_TIMED_OUT = "canceling statement due to statement timeout"


class Runner:
    """Runs the statements of one session, one at a time."""

    def __init__(
        self,
        *,
        engine: Engine,
        threads: StatementThreads,
        session: Session,
        limits: PgLimits,
        call_later: Callable[[float, Callable[[], object]], Timer],
    ) -> None:
        self._engine = engine
        self._threads, self._short = threads, threads.short
        self._session = session
        self._limits = limits
        self._call_later = call_later
        self._running: Cancellation | None = None
        self._resumed: Resumed | None = None
        self._timer: Timer | None = None

    def timeout_s(self) -> float | None:
        """Return how long a statement may run under the session's settings; None for no limit."""
        return statement_timeout_s(self._session.settings.get(SETTING), self._limits)

    @property
    def times(self) -> TimeSettings:
        """What the session's TimeZone and DateStyle mean now."""
        return self._session.times

    def cancel(self) -> None:
        """Cancel the statement that runs, if any."""
        if self._running is not None:
            self._running.cancel()

    def resume(self, resumed: Resumed | None) -> None:
        """Run the next statement as one that has been tried before, or as a new one."""
        self._resumed = resumed

    @property
    def is_resumed(self) -> bool:
        """Whether the next statement has been tried before."""
        return self._resumed is not None

    @contextmanager
    def watched(self, cancellation: Cancellation | None = None) -> Iterator[Cancellation]:
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
        self._running = current
        try:
            yield current
        except QueryError as error:
            if expired and error.sqlstate == _CANCELED:
                raise QueryError(_TIMED_OUT, sqlstate=_CANCELED) from error
            raise
        finally:
            self._running = None
            self.stop_timer()
            self._timer = outer

    def stop_timer(self) -> None:
        """Let the statement that runs go on without a timeout."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    # --- planning --------------------------------------------------------------------------------

    def recall(self, sql: str, wanted: Sequence[DataType | None] = ()) -> Statement | None:
        """Return the only statement of a text, if it is planned already.

        Args:
            sql: the text.
            wanted: the parameter types that the client has declared.

        Raises:
            QueryError: the session may not run it.
        """
        # A semicolon at the end ends a statement; one anywhere else needs the tokenizer.
        text = sql.rstrip().removesuffix(";")
        if ";" in text:
            return None
        return self._engine.recall(text, self._session, parameter_types=wanted)

    def recall_prepared(self, sql: str, parameter_oids: tuple[int, ...]) -> Prepared | None:
        """Return the only statement of a text for Parse, if it is planned already.

        Raises:
            QueryError: the session may not run it, or a parameter type is unknown.
        """
        statement = self.recall(sql, requested_types(parameter_oids) if parameter_oids else ())
        if statement is None:
            return None
        return Prepared(sql=sql, statement=statement, parameter_oids=parameter_oids)

    def inline_portal(self, sql: str, statement: Statement) -> Portal | None:
        """Return a portal for the statement of a Query; None if it is too long for the event loop.

        Raises:
            QueryError: a column has a type that the wire does not know.
        """
        if (
            statement.kind is not StatementKind.SELECT
            or statement.parameters
            or not self._engine.is_inline(statement, self._session)
        ):
            return None
        return portal_of(sql, statement, self._session.times)

    async def prepare(
        self, sql: str, parameter_oids: tuple[int, ...], cancellation: Cancellation
    ) -> Prepared:
        """Plan the only statement of a text in a thread.

        Raises:
            QueryError: it cannot be planned, or there are several (42601).
        """
        wanted = requested_types(parameter_oids)

        def plan() -> Prepared:
            text = only_statement(sql, self._engine.split)
            with counted_from(sql.find(text)):
                statement = self._engine.prepare(
                    text, self._session, parameter_types=wanted, cancellation=cancellation
                )
            return Prepared(sql=sql, statement=statement, parameter_oids=parameter_oids)

        return await self._short.run(plan, cancellation=cancellation)

    async def begin_script(
        self, sql: str, cancellation: Cancellation
    ) -> tuple[Sequence[tuple[str, int]], Portal | None, Begun]:
        """Split the text of a Query and begin its first statement.

        Returns:
            The statements with their offsets in the text; then the first one's portal and rows as
            from `begin`, or None and no rows if the text is empty.

        Raises:
            QueryError: the text has a syntax error, or its first statement fails.
        """

        def work() -> tuple[Sequence[tuple[str, int]], Portal | None, Begun | None]:
            texts = located(sql, self._engine.split(sql))
            if not texts:
                return texts, None, Begun()
            self._session.in_script = len(texts) > 1
            return texts, *self._begin(*texts[0], cancellation)

        texts, portal, begun = await self._short.run(
            work, cancellation=cancellation, on_abandon=lambda begun: _close(begun[1])
        )
        if portal is not None and begun is None:
            begun = await self.start(portal, 0, cancellation)
        return texts, portal, begun or Begun()

    async def begin(
        self, text: str, offset: int, cancellation: Cancellation
    ) -> tuple[Portal, Begun]:
        """Plan and start one statement of a Query; return its portal and first rows.

        Raises:
            QueryError: it fails.
        """
        portal, begun = await self._short.run(
            *(self._begin, text, offset, cancellation),
            cancellation=cancellation,
            on_abandon=lambda begun: _close(begun[0]),
        )
        return portal, await self.start(portal, 0, cancellation) if begun is None else begun

    def _begin(
        self, text: str, offset: int, cancellation: Cancellation
    ) -> tuple[Portal, Begun | None]:
        """Plan one statement, and start it if it is short; None if it needs another thread."""
        with counted_from(offset):
            statement = self._engine.prepare(text, self._session, cancellation=cancellation)
            if statement.parameters:
                raise QueryError("there is no parameter $1", sqlstate="42P02")
            prepared = Prepared(sql=text, statement=statement, parameter_oids=())
            shape = prepared.shape((), self._session.times)
            portal = Portal(prepared=prepared, parameters=(), shape=shape)
        return portal, self._start(portal, 0, cancellation) if self._engine.is_short(
            statement
        ) else None

    # --- running ---------------------------------------------------------------------------------

    def start_here(self, portal: Portal) -> None:
        """Execute a portal on the event loop: its statement is short.

        Raises:
            QueryError: it fails.
        """
        self._execute(portal, Cancellation(self.timeout_s(), holds_loop=True))

    async def start(self, portal: Portal, rows_max: int, cancellation: Cancellation) -> Begun:
        """Execute a portal and begin its rows, at most `rows_max`, in one call in a thread.

        Raises:
            QueryError: it fails.
        """
        is_short = self._engine.is_short(portal.prepared.statement)
        threads = self._short if is_short else self._threads
        return await threads.run(
            *(self._start, portal, rows_max, cancellation),
            cancellation=cancellation,
            on_abandon=lambda _: portal.close(),
        )

    def _start(self, portal: Portal, rows_max: int, cancellation: Cancellation) -> Begun:
        cancellation.check()
        if portal.prepared.statement.row_command is not None:
            return Begun()  # `row_commands` runs it
        source = self._execute(portal, cancellation)
        if source.result.waits is None:
            return source.begin(rows_max, self._limits)
        return Begun(rest=self.take(source, rows_max))  # `Replies` waits

    async def open(
        self,
        portal: Portal,
        encoder: RowEncoder,
        cancellation: Cancellation,
        *,
        window_bytes_max: int = 0,
    ) -> RowSource:
        """Execute a portal, or the query inside its command, in a thread; read no rows yet.

        Args:
            portal: gets the source that is returned.
            encoder: the encoder of the rows.
            cancellation: stops the rows.
            window_bytes_max: bytes of rows to keep for reading backwards.

        Raises:
            QueryError: it fails.
        """

        def work() -> RowSource:
            cancellation.check()
            return self._execute(portal, cancellation, encoder, window_bytes_max)

        source = await self._threads.run(
            work, cancellation=cancellation, on_abandon=lambda _: portal.close()
        )
        await self.wait(source.result.waits)
        return source

    def _execute(
        self,
        portal: Portal,
        cancellation: Cancellation,
        encoder: RowEncoder | None = None,
        window_bytes_max: int = 0,
    ) -> RowSource:
        statement = portal.prepared.statement
        result = self._engine.execute(
            statement.query or statement,
            portal.parameters,
            self._session,
            cancellation=cancellation,
        )
        source = RowSource(result, encoder or portal.shape, window_bytes_max=window_bytes_max)
        portal.cancellation = cancellation
        portal.source = source
        return source

    def require_rights(self, portal: Portal) -> None:
        """Check that the user may still read the stores of a portal that goes on.

        Raises:
            QueryError: the right was withdrawn (42501).
        """
        self._engine.require_rights(portal.rows_of, self._session)

    def take(self, source: RowSource, rows_max: int) -> Iterator[Sequence[Piece]]:
        """Return the next rows of a source in chunks, to be read in statement threads."""
        return source.take(rows_max, self._limits)

    def stream(self, source: RowSource, rows_max: int) -> AsyncGenerator[bytes, None]:
        """Yield the next rows of a stream in chunks, each made in a thread; use with `aclosing`.

        Raises:
            QueryError: the stream fails or is cancelled.
        """
        return self.stream_of(self.take(source, rows_max), source.encode)

    def stream_of(
        self, chunks: Iterator[Sequence[Piece]], encode: Callable[[Sequence[Piece]], bytes]
    ) -> AsyncGenerator[bytes, None]:
        """Yield chunks encoded in statement threads; one is encoded while the next is read."""
        return self._threads.stream_through(chunks, encode, self._running)

    async def wait(self, waits: Waits | None) -> None:
        """Wait for what a result waits for."""
        await self._threads.wait(waits, self._running)

    async def read_ahead(self, pieces: Iterator[Piece], bytes_max: int) -> Sequence[Piece]:
        """Return the next pieces of a stream, until they have more than `bytes_max` bytes.

        Raises:
            QueryError: the stream fails or is cancelled.
        """
        given = read_ahead, pieces, bytes_max
        return await self._threads.run(*given, cancellation=self._running)

    async def evaluate(
        self, command: ExecuteStatement, prepared: Prepared, cancellation: Cancellation
    ) -> Row:
        """Return the arguments of an EXECUTE as values of the statement's parameters.

        Raises:
            QueryError: there are more or fewer (42601), or one is not a value of its type.
        """
        types = prepared.statement.parameters
        check_argument_count(command, types)

        def work() -> Row:
            return argument_values(
                self._engine, self._session, command.arguments, types, cancellation
            )

        return await self._short.run(work, cancellation=cancellation)


def _close(portal: Portal | None) -> None:
    if portal is not None:
        portal.close()
