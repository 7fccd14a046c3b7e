"""Statements whose few rows other nodes hold: answered on the event loop, without a thread."""

from __future__ import annotations

import asyncio

from gateway.pgwire.statements.portals import Portal
from gateway.pgwire.statements.rows import RowSource
from planner.engine import Cancellation, Engine, LookedUp, Result, Session, StatementKind


async def start_elsewhere(engine: Engine, portal: Portal, session: Session) -> bool:
    """Execute a portal if other nodes have its rows, and they are few; return whether they are.

    If a reply is overdue, a thread asks again: it knows what to do about a node that is slow.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[LookedUp | None] = loop.create_future()

    def take(rows: LookedUp | None) -> None:
        if not found.done():
            found.set_result(rows)

    statement = portal.prepared.statement
    asked = engine.look_up_elsewhere(statement, portal.parameters, session, take)
    if asked is None:
        return False
    timer = loop.call_later(asked.overdue_s, take, None)
    try:
        rows = await found
    finally:
        timer.cancel()
        asked.cancel()
    if rows is None:
        return False
    result = Result(kind=StatementKind.SELECT, columns=statement.columns, rows=rows.rows)
    portal.cancellation, portal.source = Cancellation(), RowSource(result, portal.shape)
    return True
