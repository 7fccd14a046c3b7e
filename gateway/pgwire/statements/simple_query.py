"""The simple query protocol: each statement of a Query is answered in turn."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from stategate.gateway.elsewhere import rows_elsewhere
from stategate.gateway.pgwire.protocol.client_messages import Query
from stategate.gateway.pgwire.protocol.server_messages import EmptyQueryResponse, RowDescription
from stategate.gateway.pgwire.statements.execution import Runner
from stategate.gateway.pgwire.statements.lookup_answers import Lookups
from stategate.gateway.pgwire.statements.portals import Names, Portal, closing_on_error
from stategate.gateway.pgwire.statements.replies import Replies, started
from stategate.gateway.pgwire.statements.row_commands import RowCommands
from stategate.gateway.pgwire.statements.rows import Begun, shape_of
from stategate.gateway.pgwire.statements.run import Run
from stategate.planner.engine import (
    Cancellation,
    Engine,
    LookedUp,
    LookUp,
    Session,
    Statement,
    TransactionStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleQuery:
    """Answers the Query messages of one session, one at a time.

    Args:
        engine: runs the SQL.
        session: the session of the client.
        names: its statements and portals.
        runner: the runner of its statements.
        lookups: learns the statements that read few rows.
        replies: sends the replies to the client.
        row_commands: runs COPY, cursors, PREPARE and EXECUTE.
    """

    engine: Engine
    session: Session
    names: Names
    runner: Runner
    lookups: Lookups
    replies: Replies
    row_commands: RowCommands

    def handle(self, message: Query) -> Coroutine[Any, Any, None] | None:
        """Answer a Query, or return a coroutine that does.

        Raises:
            QueryError: a statement fails; the rest of the Query is not run.
        """
        self.session.in_pipeline = self.replies.has_executed
        self.names.drop_statement("")
        self.names.drop_portal("")
        statement = self.runner.recall(message.sql)
        if statement is None:
            return self._run(message.sql)
        # The answer of a lookup reports no settings, and messages before it may have changed some.
        look_up = None if self.replies.settings_changed else statement.look_up
        if look_up is not None and self.engine.asks_nodes and not self.runner.watch.is_resumed:
            return self._look_up_anywhere(message.sql, statement, look_up)
        found = None if look_up is None else look_up(statement.literals, self.session)
        if found is None:
            return self._run_planned(message.sql, statement)
        self._answer_found(message.sql, statement, found)
        return None

    def _run_planned(self, sql: str, statement: Statement) -> Coroutine[Any, Any, None] | None:
        portal = self.runner.planned_portal(sql, statement)
        if portal is None:
            return self._run(sql)
        if not self.runner.is_inline(portal):
            return self._start(portal)
        with closing_on_error(portal):
            self.runner.start_here(portal)
            source = started(portal)
            if not source.at_hand:
                return self._stream(portal)
            self.replies.send_encoded(RowDescription, portal.shape.description)
            self.replies.finish_at_hand(portal, source.take_at_hand(0), 0)
        self.replies.ready()
        return None

    def _answer_found(self, sql: str, statement: Statement, found: LookedUp) -> None:
        shape = shape_of(statement.columns, (), self.session.times)
        self.replies.ready_with(self.lookups.query_answer(shape, found))
        self.lookups.learn_query(sql, statement)

    async def _look_up_anywhere(self, sql: str, statement: Statement, look_up: LookUp) -> None:
        """Answer from this node and others without a thread, or as `_run` does."""
        found = None
        if not statement.parameters:
            with self.runner.watch.statement() as cancellation:
                found = await rows_elsewhere(
                    self.engine,
                    look_up,
                    statement.literals,
                    self.session,
                    cancellation=cancellation,
                )
        if found is None:
            await self._run(sql)
        else:
            self._answer_found(sql, statement, found)

    async def _start(self, portal: Portal) -> None:
        with self.runner.watch.statement() as cancellation:
            begun = await self.runner.start(portal, 0, cancellation)
            await self._finish(portal, begun)
        self.replies.ready()

    async def _stream(self, portal: Portal) -> None:
        begun = Begun(rest=self.runner.take(started(portal), 0))
        with self.runner.watch.statement(portal.cancellation):
            await self._finish(portal, begun)
        self.replies.ready()

    async def _run(self, sql: str) -> None:
        try:
            await self._run_all(sql)
        finally:
            self.session.in_script = False
        self.replies.ready()

    async def _run_all(self, sql: str) -> None:
        with self.runner.watch.statement() as cancellation:
            texts, portal, begun = await self.runner.begin_script(sql, cancellation)
            if portal is None:
                self.replies.send(EmptyQueryResponse())
            else:
                await self._answer(portal, begun, cancellation, sql, in_block=len(texts) > 1)
        for text, offset in texts[1:]:
            with self.runner.watch.statement() as cancellation:
                portal, begun = await self.runner.begin(text, offset, cancellation)
                await self._answer(portal, begun, cancellation, sql, in_block=True)

    async def _answer(
        self, portal: Portal, begun: Begun, cancellation: Cancellation, text: str, *, in_block: bool
    ) -> None:
        if portal.prepared.statement.row_command is None:
            await self._finish(portal, begun)
            return
        block = in_block or self.session.transaction is not TransactionStatus.IDLE
        run = Run(cancellation=cancellation, simple=True, in_block=block, text=text)
        await self.row_commands.run(portal, run)

    async def _finish(self, portal: Portal, begun: Begun) -> None:
        try:
            if portal.prepared.statement.returns_rows:
                self.replies.send_encoded(RowDescription, portal.shape.description)
            await self.replies.finish(portal, begun, 0)
        finally:
            portal.close()
