"""Commands that contain or name a query: COPY, cursors, PREPARE and EXECUTE.

The engine has parsed them and planned their query; this module runs them with the statements and
portals of the session.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import pyarrow as pa

from stategate.gateway.pgwire.protocol.client_messages import CopyDone
from stategate.gateway.pgwire.protocol.errors import notice_response
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.protocol.server_messages import (
    CommandComplete,
    CopyOutResponse,
    CopyRows,
    DataRows,
    RowDescription,
)
from stategate.gateway.pgwire.statements.copy_out import CopyEncoder
from stategate.gateway.pgwire.statements.cursors import Cursor, Fetched, Piece
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.live_commands import LiveCommands, is_live
from stategate.gateway.pgwire.statements.portals import Names, Portal, Prepared, closing_on_error
from stategate.gateway.pgwire.statements.replies import Replies
from stategate.gateway.pgwire.statements.rows import RowEncoder, RowSource, chunked, encode_piece
from stategate.gateway.pgwire.statements.run import Run
from stategate.gateway.pgwire.types.timed_types import timed_columns
from stategate.planner.engine import (
    Cancellation,
    CloseCursor,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    ExecuteStatement,
    FetchCursor,
    PrepareStatement,
    QueryError,
    Result,
    RowCommand,
    StatementKind,
    Subscribe,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCommands:
    """Runs the commands of one session, one at a time.

    Args:
        names: the statements and portals of the session.
        runner: runs their queries.
        limits: the limits of the server.
        replies: sends the replies to the client.
        live: runs the SUBSCRIBE commands.
    """

    names: Names
    runner: Runner
    limits: PgLimits
    replies: Replies
    live: LiveCommands

    async def run(self, portal: Portal, run: Run) -> None:
        """Run the command of a portal and send its whole reply, without ReadyForQuery.

        Raises:
            QueryError: the command fails.
        """
        command = portal.prepared.statement.row_command
        assert command is not None, "the statement delivers rows"
        if await self._run_live(portal, command, run):
            return
        match command:
            case ExecuteStatement():
                await self._execute(portal, command, run)
                return
            case FetchCursor(move=False) if not run.simple:
                await self._begin_fetch(portal, command, run)
                return
            case CopyOut():
                tag = await self._copy(portal, command, run)
            case DeclareCursor():
                tag = await self._declare(portal, command, run)
            case FetchCursor():
                tag = await self._fetch(portal, command, run)
            case CloseCursor():
                tag = self._close(command, besides=portal)
            case PrepareStatement():
                tag = self._prepare(portal, command, run)
            case DeallocateStatement():
                tag = self.names.deallocate(command.name)
            case _:
                raise AssertionError("a SUBSCRIBE was run before")
        portal.close()
        self.replies.send(CommandComplete(tag=tag))

    async def _run_live(self, portal: Portal, command: RowCommand, run: Run) -> bool:
        """Run a command if its rows are those of a SUBSCRIBE; return whether they are."""
        if isinstance(command, Subscribe):
            await self.live.run(portal, run)
        elif isinstance(command, CopyOut) and is_live(portal.prepared.statement.query):
            await self.live.copy(portal, command, run)
        elif isinstance(command, FetchCursor):
            target = self._target(portal, command)
            if not is_live(target.prepared.statement):
                return False
            await self.live.fetch(portal, target, command, run)
        else:
            return False
        return True

    # --- COPY ------------------------------------------------------------------------------------

    async def _copy(self, portal: Portal, command: CopyOut, run: Run) -> str:
        query = portal.prepared.statement.query
        assert query is not None, "COPY has a query"
        encoder = CopyEncoder(command, timed_columns(query.columns, self.runner.times))
        with closing_on_error(portal):
            source = await self.runner.open(portal, encoder, run.cancellation)
            self.replies.send(CopyOutResponse(format=encoder.format, columns=len(query.columns)))
            self.replies.send_encoded(CopyRows, encoder.head())
            await self._copy_rows(source)
        self.replies.send_encoded(CopyRows, encoder.tail())
        self.replies.send(CopyDone())
        for notice in source.result.notices:
            self.replies.send(notice_response(notice))
        return f"COPY {source.taken}"

    async def _copy_rows(self, source: RowSource) -> None:
        if source.at_hand:
            self.replies.send_encoded(CopyRows, source.take_at_hand(0))
            return
        async with aclosing(self.runner.stream(source, 0)) as chunks:
            async for chunk in chunks:
                self.replies.send_encoded(CopyRows, chunk)
                await self.replies.drained()

    # --- cursors ---------------------------------------------------------------------------------

    async def _declare(self, portal: Portal, command: DeclareCursor, run: Run) -> str:
        if not command.hold and not run.in_block:
            raise QueryError(
                "DECLARE CURSOR can only be used in transaction blocks",
                hint="Begin a transaction, or declare it WITH HOLD.",
                sqlstate="25P01",
            )
        self.names.check_cursor(command)
        query = portal.prepared.statement.query
        assert query is not None, "a cursor has a query"
        prepared = Prepared(sql=run.text or portal.prepared.sql, statement=query, parameter_oids=())
        cursor = Portal(
            prepared=prepared,
            parameters=portal.parameters,
            shape=prepared.shape((1,) if command.binary else (), self.runner.times),
            declared=command,
        )
        window = self.limits.scroll_bytes_max if command.scroll else 0
        with closing_on_error(cursor):
            if is_live(query):
                await self.live.declare(cursor, run)
            else:
                button = run.cancellation
                await self.runner.open(cursor, cursor.shape, button, window_bytes_max=window)
            self.names.add_portal(command.name, cursor)
        return "DECLARE CURSOR"

    async def _fetch(self, portal: Portal, command: FetchCursor, run: Run) -> str:
        """Run a FETCH of the simple protocol, or a MOVE, and return its command tag."""
        target = self._target(portal, command)
        # As in PostgreSQL, a FETCH that fails at once sends no RowDescription before the error.
        shape = target.print_under(self.runner.times)
        head = b"" if command.move else shape.description
        button = target.cancellation or run.cancellation
        with self.runner.watch.statement(button), closing_on_error(target):
            source, fetched = await self._reach(target, command, button)
            await self._give_pieces(source, fetched, shape, head)
        return f"{'MOVE' if command.move else 'FETCH'} {fetched.count}"

    async def _begin_fetch(self, portal: Portal, command: FetchCursor, run: Run) -> None:
        """Run a FETCH of the extended protocol; its portal then has the rows.

        PostgreSQL moves the cursor at the first Execute and keeps all rows for the next ones. Here
        a limited number of bytes is read ahead, and the cursor moves on with each Execute. Only a
        client that moves the cursor by another statement in between can see the difference.
        """
        target = self._target(portal, command)
        button = target.cancellation or run.cancellation
        with self.runner.watch.statement(button), closing_on_error(portal):
            with closing_on_error(target):
                source, fetched = await self._reach(target, command, button)
                pieces = fetched.pieces()
                kept: Sequence[Piece] = ()
                if source.at_hand:
                    kept = [*pieces]
                elif run.rows_max:
                    bytes_max = self.limits.chunk_bytes_target
                    kept = await self.runner.read_ahead(source, pieces, bytes_max)
            result = Result(kind=StatementKind.FETCH, columns=target.prepared.statement.columns)
            if source.at_hand:
                result.rows = [row for piece in kept for row in piece]
            else:
                result.batches = _batches(itertools.chain(kept, pieces), target)
            portal.source, portal.cancellation = (
                RowSource(result, portal.shape, is_short=source.is_short),
                button,
            )
            portal.borrows = target.rows_of
            if source.at_hand:
                rows = portal.source.take_at_hand(run.rows_max)
                self.replies.finish_at_hand(portal, rows, run.rows_max)
            else:
                await self.replies.go_on(portal, run.rows_max)

    def _target(self, portal: Portal, command: FetchCursor) -> Portal:
        target = self.names.cursor(command.name)
        if target is portal or target.finished:
            raise QueryError(f'portal "{command.name}" cannot be run', sqlstate="55000")
        return target

    async def _reach(
        self, target: Portal, command: FetchCursor, button: Cancellation
    ) -> tuple[RowSource, Fetched]:
        """Return the rows of a cursor, and the FETCH through them, which has not begun."""
        source = target.source
        if source is None:
            source = await self.runner.open(target, target.shape, button)
        else:
            self.runner.require_rights(target)
        declared = target.declared
        # With neither SCROLL nor NO SCROLL a cursor goes back within the rows that are kept anyway.
        scroll = declared is not None and declared.scroll is not False
        cursor = Cursor(reader=source.reader, scroll=scroll)
        return source, Fetched(cursor=cursor, command=command, limits=self.limits)

    async def _give_pieces(
        self, source: RowSource, fetched: Fetched, encoder: RowEncoder, head: bytes
    ) -> None:
        """Send the rows of a FETCH, after their description if there is one."""

        def encode(pieces: Sequence[Piece]) -> bytes:
            return b"".join([encode_piece(piece, encoder) for piece in pieces])

        if source.at_hand:
            rows = encode(list(fetched.pieces()))
            self._give_rows(head, rows)
            return
        groups = chunked(fetched.pieces(), self.limits)
        async with aclosing(self.runner.stream_of(source, groups, encode)) as chunks:
            async for chunk in chunks:
                self._give_rows(head, chunk)
                head = b""
                await self.replies.drained()
        self._give_rows(head, b"")

    def _give_rows(self, head: bytes, rows: bytes) -> None:
        if head:
            self.replies.send_encoded(RowDescription, head)
        if rows:
            self.replies.send_encoded(DataRows, rows)

    def _close(self, command: CloseCursor, *, besides: Portal) -> str:
        if command.name is None:
            self.names.drop_portals(besides=besides)
            return "CLOSE CURSOR ALL"
        self.names.cursor(command.name)
        self.names.drop_portal(command.name)
        return "CLOSE CURSOR"

    # --- prepared statements ---------------------------------------------------------------------

    def _prepare(self, portal: Portal, command: PrepareStatement, run: Run) -> str:
        statement = portal.prepared.statement
        assert statement.query is not None, "PREPARE has a query"
        prepared = Prepared(
            sql=run.text or portal.prepared.sql,
            statement=statement.query,
            parameter_oids=(),
            from_sql=True,
        )
        self.names.add_statement(command.name, prepared)
        return "PREPARE"

    async def _execute(self, portal: Portal, command: ExecuteStatement, run: Run) -> None:
        prepared = self.names.statement(command.name)
        row_command = prepared.statement.row_command
        if isinstance(row_command, ExecuteStatement):
            # An EXECUTE could name itself.
            raise QueryError("EXECUTE of EXECUTE is not supported", sqlstate="0A000")
        if is_live(prepared.statement):
            raise QueryError("EXECUTE of SUBSCRIBE is not supported", sqlstate="0A000")
        values = await self.runner.evaluate(command, prepared, run.cancellation)
        if command.explain is not None:
            prepared = await self._explained(prepared, command.explain, run)
        shape = prepared.shape((), self.runner.times) if run.simple else portal.shape
        executed = Portal(prepared=prepared, parameters=values, shape=shape)
        if row_command is not None:
            await self._execute_command(portal, executed, run)
            return
        with closing_on_error(executed):
            begun = await self.runner.start(executed, run.rows_max, run.cancellation)
            if run.simple and prepared.statement.returns_rows:
                self.replies.send_encoded(RowDescription, shape.description)
            # The portal is now that of a query, which a row limit may suspend.
            portal.source, portal.cancellation = executed.source, executed.cancellation
            portal.borrows = executed.rows_of
            await self.replies.finish(portal, begun, run.rows_max)

    async def _explained(self, prepared: Prepared, explain: str, run: Run) -> Prepared:
        """Return the EXPLAIN of a prepared statement."""
        statement = prepared.statement
        if statement.kind is not StatementKind.SELECT:
            raise QueryError("EXPLAIN EXECUTE takes a prepared SELECT", sqlstate="0A000")
        oids = tuple(parameter.oid for parameter in prepared.parameters)
        return await self.runner.prepare(explain + statement.sql, oids, run.cancellation)

    async def _execute_command(self, portal: Portal, executed: Portal, run: Run) -> None:
        """Run an EXECUTE of another command, which Parse can prepare and PREPARE cannot."""
        with closing_on_error(portal):
            try:
                await self.run(executed, run)
            finally:
                portal.source, portal.cancellation = executed.source, executed.cancellation
                portal.finished, portal.borrows = executed.finished, executed.rows_of


def _batches(pieces: Iterator[Piece], target: Portal) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a FETCH; close the cursor if one fails."""
    try:
        for piece in pieces:
            assert isinstance(piece, pa.RecordBatch), "the rows of a stream come in batches"
            yield piece
    except Exception:
        target.close()
        raise
