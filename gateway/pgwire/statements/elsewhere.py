"""Statements whose few rows other nodes hold: answered on the event loop, without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gateway.pgwire.statements.portals import Portal
from gateway.pgwire.statements.rows import RowSource
from planner.engine import (
    Cancellation,
    Engine,
    LookedUp,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
)


async def rows_elsewhere(
    engine: Engine, statement: Statement, parameters: Row, session: Session
) -> Sequence[Row] | None:
    """Return the rows of a statement if other nodes have them, and they are few; else None.

    If a reply is overdue, the result is None: a thread asks again, and knows what to do about a
    node that is slow.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[LookedUp | None] = loop.create_future()

    def take(rows: LookedUp | None) -> None:
        if not found.done():
            found.set_result(rows)

    asked = engine.look_up_elsewhere(statement, parameters, session, take)
    if asked is None:
        return None
    timer = loop.call_later(asked.overdue_s, take, None)
    try:
        rows = await found
    finally:
        timer.cancel()
        asked.cancel()
    return None if rows is None else rows.rows


async def start_elsewhere(engine: Engine, portal: Portal, session: Session) -> bool:
    """Execute a portal if other nodes have its rows, and they are few; return whether they are."""
    statement = portal.prepared.statement
    rows = await rows_elsewhere(engine, statement, portal.parameters, session)
    if rows is None:
        return False
    result = Result(kind=StatementKind.SELECT, columns=statement.columns, rows=rows)
    portal.cancellation, portal.source = Cancellation(), RowSource(result, portal.shape)
    return True
