"""Planning and execution of statements: on the event loop if short, otherwise in a thread.

`Runner` returns encoded rows or raises; `replies` tells the client.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.client_socket import Timer
from stategate.gateway.pgwire.statements.cursors import Piece
from stategate.gateway.pgwire.statements.execute_arguments import (
    argument_values,
    check_argument_count,
)
from stategate.gateway.pgwire.statements.offsets import counted_from, located, only_statement
from stategate.gateway.pgwire.statements.portals import Portal, Prepared, portal_of
from stategate.gateway.pgwire.statements.rows import Begun, RowEncoder, RowSource, read_ahead
from stategate.gateway.pgwire.statements.statement_watch import StatementWatch
from stategate.gateway.pgwire.types.parameters import requested_types
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
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
)

T = TypeVar("T")


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
        self.watch = StatementWatch(session, limits, call_later)
        """Cancels the statement that runs, for its client or when its time is up."""

    @property
    def times(self) -> TimeSettings:
        """What the session's TimeZone and DateStyle mean now."""
        return self._session.times

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

    def planned_portal(self, sql: str, statement: Statement) -> Portal | None:
        """Return a portal for a Query that is planned already; None if it is no SELECT.

        Raises:
            QueryError: a column has a type that the wire does not know.
        """
        if statement.kind is not StatementKind.SELECT or statement.parameters:
            return None
        return portal_of(sql, statement, self._session.times)

    def is_inline(self, portal: Portal) -> bool:
        """Whether a portal may be executed on the event loop."""
        return self._engine.is_inline(portal.prepared.statement, self._session)

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

        return await self._run(self._short, sql, cancellation, plan)

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

        texts, portal, begun = await self._run(
            self._short, sql, cancellation, work, on_abandon=lambda begun: _close(begun[1])
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
        work = partial(self._begin, text, offset, cancellation)
        portal, begun = await self._run(
            self._short, text, cancellation, work, on_abandon=lambda begun: _close(begun[0])
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
        if not self._engine.is_short(statement):
            return portal, None
        return portal, self._start(portal, 0, cancellation, True)

    async def _run(
        self,
        threads: StatementThreads,
        sql: str,
        cancellation: Cancellation,
        work: Callable[[], T],
        *,
        on_abandon: Callable[[T], None] | None = None,
    ) -> T:
        """Call a function in a thread; its statement is listed while it waits for one."""
        return await threads.run(
            work,
            cancellation=cancellation,
            on_abandon=on_abandon,
            statement=(sql, self._session),
        )

    # --- running ---------------------------------------------------------------------------------

    def start_here(self, portal: Portal) -> None:
        """Execute a portal on the event loop: its statement is short.

        Raises:
            QueryError: it fails.
        """
        cancellation = Cancellation(self.watch.timeout_s(), holds_loop=True)
        self._execute(portal, cancellation, is_short=True)

    async def start(self, portal: Portal, rows_max: int, cancellation: Cancellation) -> Begun:
        """Execute a portal and begin its rows, at most `rows_max`, in one call in a thread.

        Raises:
            QueryError: it fails.
        """
        is_short = self._engine.is_short(portal.prepared.statement)
        threads = self._short if is_short else self._threads
        return await threads.run(
            *(self._start, portal, rows_max, cancellation, is_short),
            cancellation=cancellation,
            on_abandon=lambda _: portal.close(),
            statement=(portal.prepared.sql, self._session),
        )

    def _start(
        self, portal: Portal, rows_max: int, cancellation: Cancellation, is_short: bool
    ) -> Begun:
        cancellation.check()
        if portal.prepared.statement.row_command is not None:
            return Begun()  # `row_commands` runs it
        source = self._execute(portal, cancellation, is_short=is_short)
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
        sql, statement = portal.prepared.sql, portal.prepared.statement
        is_short = self._engine.is_short(statement.query or statement)

        def work() -> RowSource:
            cancellation.check()
            return self._execute(portal, cancellation, encoder, window_bytes_max, is_short=is_short)

        threads = self._short if is_short else self._threads
        source = await self._run(
            threads, sql, cancellation, work, on_abandon=lambda _: portal.close()
        )
        await self.wait(source)
        return source

    def _execute(
        self,
        portal: Portal,
        cancellation: Cancellation,
        encoder: RowEncoder | None = None,
        window_bytes_max: int = 0,
        *,
        is_short: bool,
    ) -> RowSource:
        statement = portal.prepared.statement.query or portal.prepared.statement
        result = self._engine.execute(
            statement,
            portal.parameters,
            self._session,
            cancellation=cancellation,
        )
        source = RowSource(
            result,
            encoder or portal.shape,
            window_bytes_max=window_bytes_max,
            is_short=is_short,
        )
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
        return self.stream_of(source, self.take(source, rows_max), source.encode)

    def stream_of(
        self,
        source: RowSource,
        chunks: Iterator[Sequence[Piece]],
        encode: Callable[[Sequence[Piece]], bytes],
    ) -> AsyncGenerator[bytes, None]:
        """Yield chunks encoded in statement threads; one is encoded while the next is read."""
        threads = self._short if source.is_short else self._threads
        return threads.stream_through(chunks, encode, self.watch.running)

    async def wait(self, source: RowSource) -> None:
        """Wait for what a result waits for."""
        threads = self._short if source.is_short else self._threads
        await threads.wait(source.result.waits, self.watch.running)

    async def read_ahead(
        self, source: RowSource, pieces: Iterator[Piece], bytes_max: int
    ) -> Sequence[Piece]:
        """Return the next pieces of a stream, until they have more than `bytes_max` bytes.

        Raises:
            QueryError: the stream fails or is cancelled.
        """
        given = read_ahead, pieces, bytes_max
        threads = self._short if source.is_short else self._threads
        return await threads.run(*given, cancellation=self.watch.running)

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
