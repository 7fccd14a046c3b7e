"""The messages of a client that has a session: simple and extended queries. No socket, no clock.

`Dialog.handle` answers a message at once if that takes microseconds; otherwise it returns a
coroutine, to be awaited before the next message. An error ends in `Dialog.fail`: it sends the
ErrorResponse, and the state table of `connection` skips the messages up to the Sync.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from stategate.gateway.failures import RequestContext, to_query_error
from stategate.gateway.pgwire.protocol.client_messages import (
    Bind,
    Close,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    Parse,
    Query,
    Sync,
)
from stategate.gateway.pgwire.protocol.connection import Connection, State
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError, respond
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.protocol.server_messages import (
    BindComplete,
    CloseComplete,
    EmptyQueryResponse,
    NoData,
    ParameterDescription,
    ParseComplete,
    RowDescription,
)
from stategate.gateway.pgwire.statements.client_socket import ClientSocket
from stategate.gateway.pgwire.statements.elsewhere import start_elsewhere
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.live_commands import LiveCommands
from stategate.gateway.pgwire.statements.lookup_answers import Lookups
from stategate.gateway.pgwire.statements.portals import Names, Portal, Prepared, closing_on_error
from stategate.gateway.pgwire.statements.replies import (
    ENDS_TRANSACTION,
    Replies,
    ReportedSettings,
    started,
)
from stategate.gateway.pgwire.statements.row_commands import RowCommands
from stategate.gateway.pgwire.statements.run import Run
from stategate.gateway.pgwire.statements.simple_query import SimpleQuery
from stategate.gateway.pgwire.types.parameters import check_count, decode_parameters
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
    Engine,
    ListedCursor,
    ListedSession,
    QueryError,
    Session,
    Statement,
    StatementKind,
    TransactionStatus,
)

Work: TypeAlias = Coroutine[Any, Any, None]

_STATES = {
    TransactionStatus.IDLE: "idle",
    TransactionStatus.ACTIVE: "idle in transaction",
    TransactionStatus.FAILED: "idle in transaction (aborted)",
}
_COMMITS = ENDS_TRANSACTION | {StatementKind.DISCARD}
"""After these, the next Execute of a group begins a new transaction."""


class Dialog:
    """Answers the messages of one session.

    Args:
        connection: the state of the protocol.
        engine: runs the SQL.
        threads: run statements that may take long.
        session: the session of this client.
        reports: the settings that have been reported to the client.
        limits: the limits of the server.
        socket: the socket of the client.
    """

    def __init__(
        self,
        *,
        connection: Connection,
        engine: Engine,
        threads: StatementThreads,
        session: Session,
        reports: ReportedSettings,
        limits: PgLimits,
        socket: ClientSocket,
    ) -> None:
        self.session = session
        session.is_grouped = True
        self._handled: FrontendMessage | None = None
        """The message that is being answered, or the last one."""
        self._started_us = time.time_ns() // 1000
        self._connection = connection
        self._engine = engine
        self._socket = socket
        self._names = session.listing = Names(limits=limits)
        self._runner = Runner(
            engine=engine,
            threads=threads,
            session=session,
            limits=limits,
            call_later=socket.call_later,
        )
        self.lookups = Lookups(engine, self._names, session, self._runner, socket.answer_later)
        """The fast path of statements that read few rows."""
        self._replies = Replies(
            connection=connection,
            socket=socket,
            session=session,
            names=self._names,
            runner=self._runner,
            reports=reports,
        )
        self._send, self._send_encoded = self._replies.send, self._replies.send_encoded
        live = LiveCommands(engine, threads, session, self._runner, self._replies)
        self._row_commands = RowCommands(
            names=self._names,
            runner=self._runner,
            limits=limits,
            replies=self._replies,
            live=live,
        )
        self._simple_query = SimpleQuery(
            engine=engine,
            session=session,
            names=self._names,
            runner=self._runner,
            lookups=self.lookups,
            replies=self._replies,
            row_commands=self._row_commands,
        )
        self._handlers: dict[type[FrontendMessage], Callable[[Any], Work | None]] = {
            Bind: self._bind,
            Close: self._close,
            CopyData: _ignore,
            CopyDone: _ignore,
            CopyFail: _ignore,
            Describe: self._describe,
            Execute: self._execute,
            Flush: _ignore,
            FunctionCall: self._call_function,
            Parse: self._parse,
            Query: self._simple_query.handle,
            Sync: self._sync,
        }

    # --- called by the client --------------------------------------------------------------------

    def handle(self, message: FrontendMessage) -> Work | None:
        """Answer a message, or return a coroutine that does."""
        self._handled = message
        try:
            work = self._handlers[type(message)](message)
        except Exception as error:  # the outermost loop: `fail` logs unplanned errors
            self.fail(error)
            return None
        return None if work is None else self._finish(work)

    async def _finish(self, work: Work) -> None:
        try:
            await work
        except ConnectionError:
            raise  # the client is gone, and cannot get the error
        except Exception as error:  # the outermost loop: `fail` logs unplanned errors
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Report an error to the client, and continue where the protocol requires it.

        In a group of extended messages the ErrorResponse leads to the state SKIPPING, in which
        `Connection.next_event` drops all messages but the Sync. After a Query or a Sync
        ReadyForQuery follows at once.

        Args:
            error: raised by a statement or by the protocol. An unplanned one is logged.
        """
        self.session.fail()
        if not isinstance(error, RemoteProtocolError):
            error = to_query_error(error, self._asked())
        self._send(respond(error))
        if self.session.transaction is TransactionStatus.IDLE:
            self._names.end_transaction(committed=False)
        if self._connection.state in (State.QUERYING, State.SYNCING):
            self._replies.ready()

    def _asked(self) -> RequestContext:
        """Return the client and the statement that the log names with an error."""
        sql: str | None = None
        # The statement or portal may be gone by now.
        with suppress(QueryError):
            match self._handled:
                case Query(sql=sql) | Parse(sql=sql):
                    pass
                case Bind(statement=name) | Describe(kind="S", name=name):
                    sql = self._names.statement(name).sql
                case Execute(portal=name) | Describe(kind="P", name=name):
                    sql = self._names.portal(name).prepared.sql
        return RequestContext(client=self._socket.name, user=self.session.user, sql=sql)

    def cancel(self) -> None:
        """Cancel the statement that runs, if any."""
        self._runner.watch.cancel()
        self.lookups.cancel()

    def close(self) -> None:
        """Release everything that the session holds; no statement may be running."""
        self._names.drop_portals()
        self.session.close()

    def listed(
        self, where: tuple[str | None, int | None], pid: int, *, is_active: bool
    ) -> ListedSession:
        """Return the session as pg_stat_activity shows it.

        Args:
            where: the address and the port of the client, if known.
            pid: the number that a CancelRequest names.
            is_active: whether a statement runs.
        """
        session, (address, port) = self.session, where
        return ListedSession(
            pid=pid,
            user=session.user,
            application_name=session.settings.get("application_name", ""),
            address=address,
            port=port,
            started_us=self._started_us,
            state="active" if is_active else _STATES[session.transaction],
        )

    def cursors(self) -> Sequence[ListedCursor]:
        """Return the open cursors and named portals."""
        return [cursor for cursor in self._names.cursors() if cursor.name]

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, or a group of extended messages without its Sync.

        A cursor WITH HOLD does not count, as in PostgreSQL.
        """
        return (
            self.session.transaction is not TransactionStatus.IDLE
            or self._connection.state is not State.IDLE
        )

    # --- extended --------------------------------------------------------------------------------

    def _parse(self, message: Parse) -> Work | None:
        if not message.statement:
            self._names.drop_statement("")  # also if this one cannot be parsed
        prepared = self._runner.recall_prepared(message.sql, message.parameter_oids)
        if prepared is None:
            return self._run_parse(message)
        self._names.add_statement(message.statement, prepared)
        self._send(ParseComplete())
        return None

    async def _run_parse(self, message: Parse) -> None:
        with self._runner.watch.statement() as cancellation:
            prepared = await self._runner.prepare(message.sql, message.parameter_oids, cancellation)
        self._names.add_statement(message.statement, prepared)
        self._send(ParseComplete())

    def _bind(self, message: Bind) -> None:
        prepared = self._names.statement(message.statement)
        times = self.session.times
        decoders = prepared.decoders(message.parameter_formats, times)
        check_count(decoders, message.parameters)
        self._refuse_failed(prepared.statement)
        portal = Portal(
            prepared=prepared,
            parameters=decode_parameters(decoders, message.parameters),
            shape=self._names.target(prepared).shape(message.result_formats, times),
        )
        self._names.add_portal(message.portal, portal)
        self._send(BindComplete())

    def _refuse_failed(self, statement: Statement) -> None:
        """Refuse a statement in a failed transaction, as the engine does when it runs one.

        Raises:
            QueryError: the transaction has failed, and the statement does not end it (25P02).
        """
        if (
            self.session.transaction is TransactionStatus.FAILED
            and statement.kind not in ENDS_TRANSACTION
        ):
            raise QueryError(
                "current transaction is aborted, commands ignored until end of transaction block",
                sqlstate="25P02",
            )

    def _describe(self, message: Describe) -> None:
        if message.kind == "S":
            prepared = self._names.statement(message.name)
            target = self._names.target(prepared)
            description = target.shape((), self.session.times).description
        else:
            portal = self._names.portal(message.name)
            prepared, target = portal.prepared, self._names.target(portal.prepared)
            description = portal.shape.description
        if target.statement.returns_rows:
            self._refuse_failed(target.statement)
        if message.kind == "S":
            oids = tuple(parameter.oid for parameter in prepared.parameters)
            self._send(ParameterDescription(oids=oids))
        self._describe_rows(target, description)

    def _describe_rows(self, prepared: Prepared, description: bytes) -> None:
        if prepared.statement.returns_rows:
            self._send_encoded(RowDescription, description)
        else:
            self._send(NoData())

    def _execute(self, message: Execute) -> Work | None:
        portal = self._names.portal(message.portal)
        statement = portal.prepared.statement
        if statement.kind is StatementKind.EMPTY:
            self._send(EmptyQueryResponse())
            return None
        self.session.in_pipeline = self._replies.has_executed
        self._replies.has_executed = statement.kind not in _COMMITS
        if portal.finished:
            self._refuse_failed(statement)
            self._replies.finish_again(message.portal, portal)
            return None
        portal.print_under(self.session.times)
        if portal.source is None and statement.row_command is not None:
            return self._hand_over(portal, message.rows_max)
        if portal.source is None:
            if not self._engine.is_inline(statement, self.session, portal.parameters):
                return self._start(portal, message.rows_max)
            self._runner.start_here(portal)
        else:
            self._refuse_failed(statement)
            self._runner.require_rights(portal)
        source = started(portal)
        if source.at_hand:
            rows = source.take_at_hand(message.rows_max)
            self._replies.finish_at_hand(portal, rows, message.rows_max)
            return None
        return self._go_on(portal, message.rows_max)

    async def _hand_over(self, portal: Portal, rows_max: int) -> None:
        self._refuse_failed(portal.prepared.statement)
        block = self.session.transaction is not TransactionStatus.IDLE
        with self._runner.watch.statement() as cancellation, closing_on_error(portal):
            run = Run(cancellation=cancellation, simple=False, in_block=block, rows_max=rows_max)
            await self._row_commands.run(portal, run)

    async def _start(self, portal: Portal, rows_max: int) -> None:
        is_resumed = self._runner.watch.is_resumed
        with self._runner.watch.statement() as cancellation, closing_on_error(portal):
            if not is_resumed and await start_elsewhere(
                self._engine, portal, self.session, cancellation
            ):
                rows = started(portal).take_at_hand(rows_max)
                self._replies.finish_at_hand(portal, rows, rows_max)
                return
            begun = await self._runner.start(portal, rows_max, cancellation)
            await self._replies.finish(portal, begun, rows_max)

    async def _go_on(self, portal: Portal, rows_max: int) -> None:
        with self._runner.watch.statement(portal.cancellation), closing_on_error(portal):
            await self._replies.go_on(portal, rows_max)

    def _close(self, message: Close) -> None:
        if message.kind == "S":
            self._names.drop_statement(message.name)
        else:
            self._names.drop_portal(message.name)
        self._send(CloseComplete())

    def _sync(self, message: Sync) -> None:
        del message
        self._replies.ready()

    def _call_function(self, message: FunctionCall) -> None:
        del message
        raise QueryError("function calls by oid are not supported", sqlstate="0A000")


def _ignore(message: FrontendMessage) -> None:
    """Do nothing: all output is sent with the input that asks for it, so a Flush has no effect.

    The data of a failed COPY is dropped, as the protocol requires.
    """
