"""Portals whose few rows other nodes hold: executed on the event loop, without a thread."""

from __future__ import annotations

from stategate.gateway.elsewhere import rows_elsewhere
from stategate.gateway.pgwire.statements.portals import Portal
from stategate.gateway.pgwire.statements.rows import RowSource
from stategate.planner.engine import Cancellation, Engine, Result, Session, StatementKind


async def start_elsewhere(
    engine: Engine, portal: Portal, session: Session, cancellation: Cancellation
) -> bool:
    """Execute a portal if other nodes have its rows, and they are few; return whether they are.

    Raises:
        QueryError: it fails, or is cancelled (57014).
    """
    statement = portal.prepared.statement
    look_up = statement.look_up
    if look_up is None or not engine.asks_nodes:
        return False
    parameters = statement.literals or portal.parameters
    found = await rows_elsewhere(engine, look_up, parameters, session, cancellation=cancellation)
    if found is None:
        return False
    result = Result(kind=StatementKind.SELECT, columns=statement.columns, rows=found.rows)
    portal.cancellation, portal.source = cancellation, RowSource(result, portal.shape)
    return True
