"""SUBSCRIBE on the wire: its rows as they come, by COPY, by a row limit, and by FETCH.

A subscription waits on the event loop, so an idle one takes no thread. The statement timeout holds
until its first rows are read, and for each FETCH.
"""

from __future__ import annotations

from dataclasses import dataclass

from stategate.gateway.live import open_live
from stategate.gateway.pgwire.protocol.server_messages import (
    CommandComplete,
    CopyOutResponse,
    CopyRows,
    DataRows,
    PortalSuspended,
    RowDescription,
)
from stategate.gateway.pgwire.statements.copy_out import CopyEncoder
from stategate.gateway.pgwire.statements.cursors import cannot_go_back
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.live_rows import ROWS_MAX, LiveRows
from stategate.gateway.pgwire.statements.portals import Portal, closing_on_error
from stategate.gateway.pgwire.statements.replies import Replies
from stategate.gateway.pgwire.statements.rows import RowSource
from stategate.gateway.pgwire.statements.run import Run
from stategate.gateway.pgwire.types.timed_types import timed_columns
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
    Cancellation,
    CopyFormat,
    CopyOut,
    Direction,
    Engine,
    FetchCursor,
    QueryError,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
    Subscribe,
)


def is_live(statement: Statement | None) -> bool:
    """Whether the rows of a statement are those of a SUBSCRIBE."""
    return statement is not None and isinstance(statement.row_command, Subscribe)


@dataclass(frozen=True, slots=True)
class LiveCommands:
    """Runs the SUBSCRIBE commands of one session, one at a time.

    Args:
        engine: has the live queries.
        threads: begin them.
        session: the session of the client.
        runner: the runner of its statements.
        replies: sends the replies to the client.
    """

    engine: Engine
    threads: StatementThreads
    session: Session
    runner: Runner
    replies: Replies

    async def run(self, portal: Portal, run: Run) -> None:
        """Send the rows of a SUBSCRIBE: until it ends, or as many as the row limit allows.

        Raises:
            QueryError: the subscription fails, ends or is cancelled.
        """
        shape = portal.shape
        with closing_on_error(portal):
            live = await self._opened(portal, portal.prepared.statement, run.cancellation)
            if run.simple:
                self.replies.send_encoded(RowDescription, shape.description)
            self.runner.watch.stop_timer()
            if run.rows_max:
                rows = await live.rows(run.rows_max, run.cancellation)
                self.replies.send_encoded(DataRows, shape.encode_rows(rows))
                self.replies.send(PortalSuspended())
                return
            while True:
                encoded = await live.encoded(shape, shape.encode_rows, run.cancellation)
                self.replies.send_encoded(DataRows, encoded)
                await self.replies.drained()

    async def copy(self, portal: Portal, command: CopyOut, run: Run) -> None:
        """Send the rows of a COPY of a SUBSCRIBE, until it ends.

        Raises:
            QueryError: as `run`.
        """
        query = portal.prepared.statement.query
        assert query is not None, "COPY has a query"
        times = self.session.times
        encoder = CopyEncoder(command, timed_columns(query.columns, times))
        # The binary format begins with a header, which is not the same for all events.
        form = None if command.format is CopyFormat.BINARY else (command, times)
        with closing_on_error(portal):
            live = await self._opened(portal, query, run.cancellation)
            self.replies.send(CopyOutResponse(format=encoder.format, columns=len(query.columns)))
            self.replies.send_encoded(CopyRows, encoder.head())
            self.runner.watch.stop_timer()
            while True:
                encoded = await live.encoded(form, encoder.encode_rows, run.cancellation)
                self.replies.send_encoded(CopyRows, encoded)
                await self.replies.drained()

    async def declare(self, cursor: Portal, run: Run) -> None:
        """Open the subscription of a cursor.

        Raises:
            QueryError: the statement cannot be subscribed to.
        """
        await self._opened(cursor, cursor.prepared.statement, run.cancellation)

    async def fetch(self, portal: Portal, target: Portal, command: FetchCursor, run: Run) -> None:
        """Send the rows of a FETCH: those that are there, and at least one, unless time is up.

        Args:
            portal: the portal of the FETCH.
            target: the cursor.
            command: the command.
            run: how it is run.

        Raises:
            QueryError: as `run`; the cursor is closed then.
        """
        _check_forward(command)
        timeout_s = None if command.timeout_ms is None else command.timeout_ms / 1000
        wanted = ROWS_MAX if command.count is None else command.count
        rows: list[Row] = []
        with closing_on_error(target):
            assert target.live is not None, "it was opened when it was declared"
            if wanted:
                rows = await target.live.rows(wanted, run.cancellation, timeout_s=timeout_s)
        if not run.simple:
            columns = target.prepared.statement.columns
            result = Result(kind=StatementKind.FETCH, columns=columns, rows=rows)
            portal.source = RowSource(result, portal.shape)
            encoded = portal.source.take_at_hand(run.rows_max)
            self.replies.finish_at_hand(portal, encoded, run.rows_max)
            return
        shape = target.print_under(self.session.times)
        self.replies.send_encoded(RowDescription, shape.description)
        if rows:
            self.replies.send_encoded(DataRows, shape.encode_rows(rows))
        portal.close()
        self.replies.send(CommandComplete(tag=f"FETCH {len(rows)}"))

    async def _opened(
        self, portal: Portal, statement: Statement, cancellation: Cancellation
    ) -> LiveRows:
        if portal.live is None:
            command, query = statement.row_command, statement.query
            assert isinstance(command, Subscribe) and query is not None, "see is_live"  # noqa: PT018
            reader = await open_live(
                self.engine,
                self.threads,
                query,
                portal.parameters,
                self.session,
                token=command.token,
                cancellation=cancellation,
                may_start_over=False,
            )
            try:
                await reader.begun(cancellation)
                reader.subscription.check()
            except BaseException:
                reader.close()
                raise
            portal.live = LiveRows(reader, self.session, self.threads, snapshot=command.snapshot)
        return portal.live


def _check_forward(command: FetchCursor) -> None:
    """Refuse a FETCH that does not read the next rows.

    Raises:
        QueryError: it goes elsewhere (55000), or skips rows (0A000).
    """
    if command.direction is not Direction.FORWARD or (command.count or 0) < 0:
        raise cannot_go_back()
    if command.move:
        raise QueryError("MOVE in a SUBSCRIBE is not supported", sqlstate="0A000")
