"""Portals run: here if that is a matter of microseconds, else in a worker, watched by a timer.

What the client is told of it is for `dialog`; this module gives rows, encoded, and raises.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import pyarrow as pa

from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.statements.portals import Portal, Prepared
from gateway.pgwire.statements.row_window import Piece
from gateway.pgwire.statements.rows import RowEncoder, RowSource
from gateway.pgwire.statements.timeouts import SETTING, statement_timeout_s
from gateway.pgwire.types.arrow_values import physical_values
from gateway.pgwire.types.parameters import requested_types
from gateway.workers import Workers
from planner.engine import (
    Argument,
    Cancellation,
    DataType,
    Engine,
    ExecuteStatement,
    QueryError,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
    Value,
    parse_value,
)

_CANCELED = "57014"
_TIMED_OUT = "canceling statement due to statement timeout"


class Timer(Protocol):
    """What `ClientSocket.call_later` gives."""

    def cancel(self) -> None:
        """Do not call."""


class ClientSocket(Protocol):
    """What a dialog needs of whoever holds the socket."""

    @property
    def name(self) -> str:
        """The client, as logs have it."""

    def write(self, encoded: bytes) -> None:
        """Send bytes, soon."""

    async def drained(self) -> None:
        """Wait until the client has taken what was written, but for a bounded rest.

        Raises:
            ConnectionError: the client is gone.
        """

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        """Call back after a delay."""


class Runner:
    """Runs the statements of one session, one at a time."""

    def __init__(
        self,
        *,
        engine: Engine,
        workers: Workers,
        session: Session,
        limits: PgLimits,
        call_later: Callable[[float, Callable[[], object]], Timer],
    ) -> None:
        self._engine = engine
        self._workers = workers
        self._session = session
        self._limits = limits
        self._call_later = call_later
        self._running: Cancellation | None = None

    def timeout_s(self) -> float | None:
        """How long a statement may run now."""
        return statement_timeout_s(self._session.settings.get(SETTING), self._limits)

    def cancel(self) -> None:
        """Cancel what runs in a worker, if anything does."""
        if self._running is not None:
            self._running.cancel()

    @contextmanager
    def watched(self, cancellation: Cancellation | None = None) -> Iterator[Cancellation]:
        """Let a statement be cancelled, by the client or by its timeout, while it is worked on.

        The timer presses the same button as the client: a library that the engine waits for can
        be interrupted, but does not look at a clock. A portal that is read in several goes has its
        timeout for each, as in PostgreSQL, which a deadline set at the first would not allow.

        Args:
            cancellation: of the portal, where it has been executed before.

        Raises:
            QueryError: what the work raises; after the timeout, that it was that.
        """
        button = Cancellation() if cancellation is None else cancellation
        expired = False

        def expire() -> None:
            nonlocal expired
            expired = True
            button.cancel()

        timeout_s = self.timeout_s()
        timer = None if timeout_s is None else self._call_later(timeout_s, expire)
        self._running = button
        try:
            yield button
        except QueryError as error:
            if expired and error.sqlstate == _CANCELED:
                raise QueryError(_TIMED_OUT, sqlstate=_CANCELED) from error
            raise
        finally:
            self._running = None
            if timer is not None:
                timer.cancel()

    # --- planning --------------------------------------------------------------------------------

    def recall(self, sql: str, wanted: Sequence[DataType | None] = ()) -> Statement | None:
        """The one statement of a text, if it is planned already.

        Args:
            sql: the text.
            wanted: the types of its parameters that the client insists on.

        Raises:
            QueryError: it cannot be had.
        """
        # A semicolon at the end ends a statement; one anywhere else needs the tokenizer.
        text = sql.rstrip().removesuffix(";")
        if ";" in text:
            return None
        return self._engine.recall(text, self._session, parameter_types=wanted)

    def recall_prepared(self, sql: str, parameter_oids: tuple[int, ...]) -> Prepared | None:
        """The same, prepared; else take `prepare`.

        Raises:
            QueryError: it cannot be had.
        """
        statement = self.recall(sql, requested_types(parameter_oids) if parameter_oids else ())
        if statement is None:
            return None
        return Prepared(sql=sql, statement=statement, parameter_oids=parameter_oids)

    def inline_portal(self, sql: str, statement: Statement) -> Portal | None:
        """A portal for the statement of a Query, if it can be started right here.

        Raises:
            QueryError: its parameters are of types that cannot be had.
        """
        if (
            statement.kind is not StatementKind.SELECT
            or statement.parameters
            or not self._engine.is_inline(statement, self._session)
        ):
            return None
        prepared = Prepared(sql=sql, statement=statement, parameter_oids=())
        return Portal(prepared=prepared, parameters=(), shape=prepared.shape(()))

    async def prepare(
        self, sql: str, parameter_oids: tuple[int, ...], cancellation: Cancellation
    ) -> Prepared:
        """Plan the one statement of a text.

        Raises:
            QueryError: it cannot be planned, or there are several (42601).
        """
        wanted = requested_types(parameter_oids)

        def plan() -> Prepared:
            text = self._only_statement(sql)
            with _counted_from(sql.find(text)):
                statement = self._engine.prepare(
                    text, self._session, parameter_types=wanted, cancellation=cancellation
                )
            return Prepared(sql=sql, statement=statement, parameter_oids=parameter_oids)

        return await self._workers.run(plan)

    def _only_statement(self, sql: str) -> str:
        # Most texts have no semicolon, and need not be tokenised twice.
        if ";" not in sql:
            return sql
        texts = self._engine.split(sql)
        if len(texts) > 1:
            raise QueryError(
                "cannot insert multiple commands into a prepared statement", sqlstate="42601"
            )
        return texts[0] if texts else ""

    async def begin_script(
        self, sql: str, cancellation: Cancellation
    ) -> tuple[Sequence[tuple[str, int]], Portal | None, bytes]:
        """Split the text of a Query and begin its first statement, in one trip to a worker.

        Returns:
            The statements with their offsets in the text; the portal of the first and its rows as
            `begin` gives them, None if the text is empty.

        Raises:
            QueryError: the text does not tokenise, or its first statement fails.
        """

        def work() -> tuple[Sequence[tuple[str, int]], Portal | None, bytes]:
            texts = _located(sql, self._engine.split(sql))
            if not texts:
                return texts, None, b""
            self._session.in_script = len(texts) > 1
            return texts, *self._begin(*texts[0], cancellation)

        return await self._workers.run(work, on_abandon=lambda begun: _close(begun[1]))

    async def begin(
        self, text: str, offset: int, cancellation: Cancellation
    ) -> tuple[Portal, bytes]:
        """Plan and start one statement of a Query; its rows, if they are at hand.

        Raises:
            QueryError: it fails.
        """
        return await self._workers.run(
            self._begin, text, offset, cancellation, on_abandon=lambda begun: _close(begun[0])
        )

    def _begin(self, text: str, offset: int, cancellation: Cancellation) -> tuple[Portal, bytes]:
        with _counted_from(offset):
            statement = self._engine.prepare(text, self._session, cancellation=cancellation)
            if statement.parameters:
                raise QueryError("there is no parameter $1", sqlstate="42P02")
            prepared = Prepared(sql=text, statement=statement, parameter_oids=())
            portal = Portal(prepared=prepared, parameters=(), shape=prepared.shape(()))
            return portal, self._start(portal, 0, cancellation)

    # --- running ---------------------------------------------------------------------------------

    def start_here(self, portal: Portal) -> None:
        """Execute a portal whose statement is short enough for the event loop.

        Raises:
            QueryError: it fails.
        """
        self._execute(portal, Cancellation(self.timeout_s()))

    async def start(self, portal: Portal, rows_max: int, cancellation: Cancellation) -> bytes:
        """Execute a portal in a worker; its rows, at most `rows_max`, if they are at hand.

        Raises:
            QueryError: it fails.
        """
        return await self._workers.run(
            self._start, portal, rows_max, cancellation, on_abandon=lambda _: portal.close()
        )

    def _start(self, portal: Portal, rows_max: int, cancellation: Cancellation) -> bytes:
        cancellation.check()
        if portal.prepared.statement.handover is not None:
            return b""  # it is `row_commands` that runs it
        source = self._execute(portal, cancellation)
        return source.take_at_hand(rows_max) if source.at_hand else b""

    async def open(
        self,
        portal: Portal,
        encoder: RowEncoder,
        cancellation: Cancellation,
        *,
        window_bytes_max: int = 0,
    ) -> RowSource:
        """Execute a portal, or the query of one that hands over rows, and take no rows yet.

        Args:
            portal: whose source this gives.
            encoder: of the rows.
            cancellation: what stops them.
            window_bytes_max: rows to keep for going back.

        Raises:
            QueryError: it fails.
        """

        def work() -> RowSource:
            cancellation.check()
            return self._execute(portal, cancellation, encoder, window_bytes_max)

        return await self._workers.run(work, on_abandon=lambda _: portal.close())

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

    def stream(self, source: RowSource, rows_max: int) -> AsyncGenerator[bytes, None]:
        """The next rows of a stream in chunks, each made in a worker; close it, see `aclosing`.

        Raises:
            QueryError: the stream fails or is cancelled.
        """
        return self.stream_of(source.take(rows_max, self._limits), source.encode)

    def stream_of(
        self, chunks: Iterator[Sequence[Piece]], encode: Callable[[Sequence[Piece]], bytes]
    ) -> AsyncGenerator[bytes, None]:
        """The same of any chunks: some are encoded while the next is read."""
        return self._workers.stream_through(chunks, encode)

    async def read_ahead(self, pieces: Iterator[Piece], bytes_max: int) -> Sequence[Piece]:
        """The next pieces of a stream up to so many bytes, and the one that goes beyond.

        Raises:
            QueryError: the stream fails or is cancelled.
        """

        def work() -> Sequence[Piece]:
            read: list[Piece] = []
            size = 0
            for piece in pieces:
                read.append(piece)
                size += piece.nbytes if isinstance(piece, pa.RecordBatch) else 0
                if size > bytes_max:
                    break
            return read

        return await self._workers.run(work)

    async def evaluate(
        self, order: ExecuteStatement, prepared: Prepared, cancellation: Cancellation
    ) -> Row:
        """The arguments of an EXECUTE as values of the statement's parameters.

        Raises:
            QueryError: there are more or fewer (42601), or one is no value of its type.
        """
        types = prepared.statement.parameters
        arguments = order.arguments
        if len(arguments) != len(types):
            raise QueryError(
                f'wrong number of parameters for prepared statement "{order.name}"',
                detail=f"Expected {len(types)} parameters but got {len(arguments)}.",
                sqlstate="42601",
            )
        return await self._workers.run(self._evaluate_all, arguments, types, cancellation)

    def _evaluate_all(
        self,
        arguments: Sequence[Argument],
        types: Sequence[DataType],
        cancellation: Cancellation,
    ) -> Row:
        pairs = zip(arguments, types, strict=True)
        return tuple(self._evaluate(each, data_type, cancellation) for each, data_type in pairs)

    def _evaluate(
        self, argument: Argument, data_type: DataType, cancellation: Cancellation
    ) -> Value:
        if argument.is_literal:
            text = argument.literal
            return None if text is None else parse_value(text, data_type)
        # A bare numeric has no digits that could be counted, and none that could be spelled.
        spelled = str(data_type).replace("decimal(0,0)", "numeric")
        sql = f"SELECT CAST(({argument.sql}) AS {spelled})"
        try:
            statement = self._engine.prepare(sql, self._session, cancellation=cancellation)
        except QueryError as error:
            error.position = None  # it counts in a text that the client does not know
            raise
        result = self._engine.execute(statement, (), self._session, cancellation=cancellation)
        try:
            return _only_value(result)
        finally:
            result.close()


def _only_value(result: Result) -> Value:
    if result.rows is not None:
        return result.rows[0][0]
    assert result.batches is not None, "rows are at hand or stream"
    batch = next(result.batches)
    return physical_values(batch.column(0), result.columns[0].type)[0]


def _close(portal: Portal | None) -> None:
    if portal is not None:
        portal.close()


def _located(sql: str, texts: Sequence[str]) -> Sequence[tuple[str, int]]:
    """Statements with their offsets: the client shows where in its whole text an error lies."""
    located = []
    at = 0
    for text in texts:
        at = max(at, sql.find(text, at))
        located.append((text, at))
        at += len(text)
    return located


@contextmanager
def _counted_from(offset: int) -> Iterator[None]:
    """Positions in errors count in the client's text, of which a statement may be a part."""
    try:
        yield
    except QueryError as error:
        if error.position is not None:
            error.position += max(0, offset)
        raise
