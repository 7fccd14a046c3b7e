"""What each message of a client means: statements, portals and the engine. No socket, no clock.

`handle` takes one message. What is a matter of microseconds it does at once; for the rest it gives
a coroutine, which must be awaited before the next message is handled. Errors leave through
`fail`, which says what the client is told and puts the connection where it can go on.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import Any, TypeAlias

from gateway.failures import RequestContext, to_query_error
from gateway.pgwire.protocol.connection import Connection, State
from gateway.pgwire.protocol.encode import encode
from gateway.pgwire.protocol.errors import RemoteProtocolError, notice_response, respond
from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.protocol.messages import (
    BackendMessage,
    Bind,
    BindComplete,
    Close,
    CloseComplete,
    CommandComplete,
    CopyData,
    CopyDone,
    CopyFail,
    DataRows,
    Describe,
    EmptyQueryResponse,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    NoData,
    ParameterDescription,
    Parse,
    ParseComplete,
    PortalSuspended,
    Query,
    ReadyForQuery,
    RowDescription,
    Sync,
)
from gateway.pgwire.protocol.reported_settings import ReportedSettings
from gateway.pgwire.statements.execution import ClientSocket, Runner
from gateway.pgwire.statements.lookup_answers import Lookups
from gateway.pgwire.statements.portals import Names, Portal, Prepared, closing_on_error
from gateway.pgwire.statements.row_commands import RowCommands, Run
from gateway.pgwire.statements.rows import RowSource, shape_of
from gateway.pgwire.types.parameters import decode_parameters
from gateway.workers import Workers
from planner.engine import (
    Cancellation,
    Engine,
    QueryError,
    Row,
    Session,
    Statement,
    StatementKind,
    TransactionStatus,
)

Work: TypeAlias = Coroutine[Any, Any, None]

_ENDS_TRANSACTION = frozenset({StatementKind.COMMIT, StatementKind.ROLLBACK})
_COMMITS = _ENDS_TRANSACTION | {StatementKind.DISCARD}
"""After them a group of Executes is as if nothing had been executed yet."""
_COUNTED = frozenset({StatementKind.SELECT, StatementKind.FETCH})
"""Their tags say how many rows there were."""
_READY_IDLE = encode(ReadyForQuery(status=TransactionStatus.IDLE.value))


class Dialog:
    """The conversation with one client that has been let in.

    Args:
        connection: the protocol's state, which every message sent goes through.
        engine: runs the SQL.
        workers: where what may take long is run.
        session: of this client.
        reports: the settings that it has been told.
        limits: of the server.
        socket: whoever holds the socket.
    """

    def __init__(
        self,
        *,
        connection: Connection,
        engine: Engine,
        workers: Workers,
        session: Session,
        reports: ReportedSettings,
        limits: PgLimits,
        socket: ClientSocket,
    ) -> None:
        self.session = session
        session.is_grouped = True
        self._handled: FrontendMessage | None = None
        """The message that is being answered, or was last."""
        self._connection = connection
        self._engine = engine
        self._reports = reports
        self._changes_told = session.changes
        self._has_executed = False
        """Whether what is executed next would be one transaction with what was before it."""
        self._socket = socket
        self._names = session.listing = Names(limits=limits)
        self.lookups = Lookups(self._names, session)
        """The short way of what looks up one key, while nothing else is under way."""
        self._runner = Runner(
            engine=engine,
            workers=workers,
            session=session,
            limits=limits,
            call_later=socket.call_later,
        )
        self._row_commands = RowCommands(
            names=self._names,
            runner=self._runner,
            limits=limits,
            send=self._send,
            send_encoded=self._send_encoded,
            drained=socket.drained,
            give=self._give,
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
            Query: self._query,
            Sync: self._sync,
        }

    # --- from the socket --------------------------------------------------------------------------

    def handle(self, message: FrontendMessage) -> Work | None:
        """Do what a message asks; a coroutine is what remains to be awaited.

        Raises:
            Exception: give it to `fail`, as those of the coroutine.
        """
        self._handled = message
        return self._handlers[type(message)](message)

    def fail(self, error: Exception) -> None:
        """Tell the client of an error, and go where the protocol goes on from.

        Args:
            error: what `handle`, or its coroutine, raised. One that nobody planned is logged.
        """
        self.session.fail()
        if not isinstance(error, RemoteProtocolError):
            error = to_query_error(error, self._asked())
        self._send(respond(error))
        if self.session.transaction is TransactionStatus.IDLE:
            self._names.end_transaction(committed=False)
        if self._connection.state in (State.QUERYING, State.SYNCING):
            self._ready()

    def _asked(self) -> RequestContext:
        sql: str | None = None
        # What it names may be gone by now.
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
        """Cancel what runs in a worker, if anything does."""
        self._runner.cancel()

    def close(self) -> None:
        """Release all that the client held; nothing may run any more."""
        self._names.drop_portals()
        self.session.close()

    @property
    def in_transaction(self) -> bool:
        """Whether the client holds something open: a transaction, or a group without its Sync.

        A cursor that has outlived its transaction does not count, as in PostgreSQL.
        """
        return (
            self.session.transaction is not TransactionStatus.IDLE
            or self._connection.state is not State.IDLE
        )

    # --- simple ----------------------------------------------------------------------------------

    def _query(self, message: Query) -> Work | None:
        self.session.in_pipeline = self._has_executed
        self._names.drop_statement("")
        self._names.drop_portal("")
        statement = self._runner.recall(message.sql)
        if statement is None:
            return self._run_query(message.sql)
        # The short way tells of no settings, as a group without its Sync may have changed them.
        look_up = statement.look_up if self.session.changes == self._changes_told else None
        rows = None if look_up is None else look_up(statement.literals, self.session)
        if rows is not None:
            self._give_looked_up(statement, rows)
            self.lookups.learn_query(message.sql, statement)
            return None
        portal = self._runner.inline_portal(message.sql, statement)
        if portal is None:
            return self._run_query(message.sql)
        with closing_on_error(portal):
            self._runner.start_here(portal)
            source = portal.source
            assert source is not None, "a portal that was started has a source"
            if not source.at_hand:
                return self._finish_query(portal)
            self._send_encoded(RowDescription, portal.shape.description)
            self._give_at_hand(portal, source.take_at_hand(0), 0)
        self._ready()
        return None

    def _give_looked_up(self, statement: Statement, rows: Sequence[Row]) -> None:
        shape = shape_of(statement.columns, ())
        self._has_executed = False
        self._connection.sending(ReadyForQuery)
        self._socket.write(self.lookups.query_answer(shape, rows))

    async def _finish_query(self, portal: Portal) -> None:
        with self._runner.watched(portal.cancellation):
            await self._answer(portal, b"")
        self._ready()

    async def _run_query(self, sql: str) -> None:
        try:
            await self._run_script(sql)
        finally:
            self.session.in_script = False
        self._ready()

    async def _run_script(self, sql: str) -> None:
        with self._runner.watched() as cancellation:
            texts, portal, rows = await self._runner.begin_script(sql, cancellation)
            if portal is None:
                self._send(EmptyQueryResponse())
            else:
                await self._answer_any(portal, rows, cancellation, in_block=len(texts) > 1)
        for text, offset in texts[1:]:
            with self._runner.watched() as cancellation:
                portal, rows = await self._runner.begin(text, offset, cancellation)
                await self._answer_any(portal, rows, cancellation, in_block=True)

    async def _answer_any(
        self, portal: Portal, rows: bytes, cancellation: Cancellation, *, in_block: bool
    ) -> None:
        """All that one statement gives, or hands over of another."""
        if portal.prepared.statement.handover is None:
            await self._answer(portal, rows)
            return
        block = in_block or self.session.transaction is not TransactionStatus.IDLE
        run = Run(cancellation=cancellation, simple=True, in_block=block)
        await self._row_commands.run(portal, run)

    async def _answer(self, portal: Portal, rows: bytes) -> None:
        """All that one statement of a Query gives."""
        try:
            if portal.prepared.statement.returns_rows:
                self._send_encoded(RowDescription, portal.shape.description)
            await self._give(portal, rows, 0)
        finally:
            portal.close()

    # --- extended --------------------------------------------------------------------------------

    def _parse(self, message: Parse) -> Work | None:
        self._names.check_statement_name(message.statement)
        prepared = self._runner.recall_prepared(message.sql, message.parameter_oids)
        if prepared is None:
            return self._run_parse(message)
        self._names.add_statement(message.statement, prepared)
        self._send(ParseComplete())
        return None

    async def _run_parse(self, message: Parse) -> None:
        with self._runner.watched() as cancellation:
            prepared = await self._runner.prepare(message.sql, message.parameter_oids, cancellation)
        self._names.add_statement(message.statement, prepared)
        self._send(ParseComplete())

    def _bind(self, message: Bind) -> None:
        prepared = self._names.statement(message.statement)
        self._refuse_failed(prepared.statement)
        decoders = prepared.decoders(message.parameter_formats)
        portal = Portal(
            prepared=prepared,
            parameters=decode_parameters(decoders, message.parameters),
            shape=self._names.target(prepared).shape(message.result_formats),
        )
        self._names.add_portal(message.portal, portal)
        self._send(BindComplete())

    def _refuse_failed(self, statement: Statement) -> None:
        """The engine refuses to run a statement in a failed transaction; so must what leads to it.

        Raises:
            QueryError: the transaction has failed, and the statement does not end it (25P02).
        """
        if (
            self.session.transaction is TransactionStatus.FAILED
            and statement.kind not in _ENDS_TRANSACTION
        ):
            raise QueryError(
                "current transaction is aborted, commands ignored until end of transaction block",
                sqlstate="25P02",
            )

    def _describe(self, message: Describe) -> None:
        if message.kind == "S":
            prepared = self._names.statement(message.name)
            oids = tuple(parameter.oid for parameter in prepared.parameters)
            self._send(ParameterDescription(oids=oids))
            target = self._names.target(prepared)
            self._describe_rows(target, target.shape(()).description)
        else:
            portal = self._names.portal(message.name)
            self._describe_rows(self._names.target(portal.prepared), portal.shape.description)

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
        self.session.in_pipeline = self._has_executed
        self._has_executed = statement.kind not in _COMMITS
        if portal.finished:
            self._refuse_failed(statement)
            self._give_nothing(message.portal, portal)
            return None
        if portal.source is None and statement.handover is not None:
            return self._hand_over(portal, message.rows_max)
        if portal.source is None:
            if not self._engine.is_inline(statement, self.session, portal.parameters):
                return self._start(portal, message.rows_max)
            self._runner.start_here(portal)
        else:
            self._refuse_failed(statement)
        source = portal.source
        assert source is not None, "a portal that was started has a source"
        if source.at_hand:
            self._give_at_hand(portal, source.take_at_hand(message.rows_max), message.rows_max)
            return None
        return self._go_on(portal, message.rows_max)

    def _give_nothing(self, name: str, portal: Portal) -> None:
        """A portal that has run to its end: no more rows, and no second run of anything else."""
        kind, source = portal.prepared.statement.kind, portal.source
        if kind is StatementKind.EXECUTE and source is not None:
            kind = source.result.kind
        if kind in _COUNTED:
            self._send(CommandComplete(tag=f"{kind.value} 0"))
        elif portal.prepared.statement.returns_rows:
            self._send(CommandComplete(tag=kind.value))
        else:
            raise QueryError(f'portal "{name}" cannot be run', sqlstate="55000")

    async def _hand_over(self, portal: Portal, rows_max: int) -> None:
        self._refuse_failed(portal.prepared.statement)
        block = self.session.transaction is not TransactionStatus.IDLE
        with self._runner.watched() as cancellation, closing_on_error(portal):
            run = Run(cancellation=cancellation, simple=False, in_block=block, rows_max=rows_max)
            await self._row_commands.run(portal, run)

    async def _start(self, portal: Portal, rows_max: int) -> None:
        with self._runner.watched() as cancellation, closing_on_error(portal):
            rows = await self._runner.start(portal, rows_max, cancellation)
            await self._give(portal, rows, rows_max)

    async def _go_on(self, portal: Portal, rows_max: int) -> None:
        with self._runner.watched(portal.cancellation), closing_on_error(portal):
            await self._give(portal, b"", rows_max)

    async def _give(self, portal: Portal, rows: bytes, rows_max: int) -> None:
        """The rows that are at hand, or those of the stream; then how it ended."""
        source = portal.source
        assert source is not None, "a portal that was started has a source"
        if not source.at_hand:
            async with aclosing(self._runner.stream(source, rows_max)) as chunks:
                async for chunk in chunks:
                    self._send_encoded(DataRows, chunk)
                    await self._socket.drained()
        self._give_at_hand(portal, rows, rows_max)

    def _give_at_hand(self, portal: Portal, rows: bytes, rows_max: int) -> None:
        source = portal.source
        assert source is not None, "a portal that was started has a source"
        if rows:
            self._send_encoded(DataRows, rows)
        # PostgreSQL, too, does not look ahead: a limit that was just met suspends the portal.
        if rows_max and source.taken == rows_max:
            self._send(PortalSuspended())
        else:
            self._complete(portal, source)

    def _complete(self, portal: Portal, source: RowSource) -> None:
        kind = source.result.kind
        for notice in source.result.notices:
            self._send(notice_response(notice))
        taken = source.taken
        if portal.declared is None:
            portal.close()
        if kind in _COUNTED:
            self._send(CommandComplete(tag=f"{kind.value} {taken}"))
        else:
            self._complete_command(kind)

    def _complete_command(self, kind: StatementKind) -> None:
        """What has run may have changed more than it has answered."""
        if kind is StatementKind.DISCARD:
            self._names.discard()
        if kind is StatementKind.SAVEPOINT:
            self._names.savepoints_made = self.session.savepoints_made
        if kind in _ENDS_TRANSACTION:
            if self.session.in_subtransaction:  # it went back to a savepoint
                self._names.rollback_to(self.session.savepoint_number)
            else:
                self._names.end_transaction(committed=kind is StatementKind.COMMIT)
        self._send(CommandComplete(tag=kind.value))

    def _close(self, message: Close) -> None:
        if message.kind == "S":
            self._names.drop_statement(message.name)
        else:
            self._names.drop_portal(message.name)
        self._send(CloseComplete())

    def _sync(self, message: Sync) -> None:
        del message
        self._ready()

    def _call_function(self, message: FunctionCall) -> None:
        del message
        raise QueryError("function calls by oid are not supported", sqlstate="0A000")

    # --- out -------------------------------------------------------------------------------------

    def _ready(self) -> None:
        """The end of a statement or group, and of the transaction if none was begun explicitly."""
        self._has_executed = False
        self._report()
        status = self.session.transaction
        if status is TransactionStatus.IDLE:
            self.session.end_group()
            self._names.end_transaction(committed=True)
            self._send_encoded(ReadyForQuery, _READY_IDLE)
        else:
            self._send(ReadyForQuery(status=status.value))

    def _report(self) -> None:
        """Tell what settings have become: once for all that has run, as PostgreSQL does."""
        if self.session.changes != self._changes_told:
            self._changes_told = self.session.changes
            for status in self._reports.changed(self.session):
                self._send(status)

    def _send(self, message: BackendMessage) -> None:
        self._socket.write(self._connection.send(message))

    def _send_encoded(self, kind: type[BackendMessage], encoded: bytes) -> None:
        self._connection.sending(kind)
        self._socket.write(encoded)


def _ignore(message: FrontendMessage) -> None:
    """All output is sent when the input is handled, so a Flush has nothing to do.

    Data of a COPY that has failed is dropped, as the protocol wants it.
    """
