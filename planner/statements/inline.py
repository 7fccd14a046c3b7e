"""Whether a statement may run on the event loop: it neither waits nor works for long."""

from __future__ import annotations

from planner.errors import QueryError
from planner.pg_catalog import CatalogStatement
from planner.planning.plan import Lookup, QueryPlan
from planner.running.snapshot import takes_snapshot
from planner.statements.explain_statement import Analyze
from planner.syntax.options import PLAIN_SESSION, read_options, session_options
from planner.syntax.with_clause import NO_CLAUSE, Clause
from planner.values.session import Session
from planner.values.statement import Statement, StatementKind
from stores.spec.schema import Row


def is_inline(statement: Statement, session: Session, parameters: Row | None) -> bool:
    """Whether it is one key's lookup without a wait, or a command of the session.

    Args:
        statement: the statement to run.
        session: the session that runs it.
        parameters: its parameters; None if they are not at hand, so that any must do.
    """
    plan = statement.plan
    if not isinstance(plan, QueryPlan):
        return not isinstance(plan, CatalogStatement | Analyze)
    if statement.kind is StatementKind.EXPLAIN:
        return True
    if not isinstance(plan.node, Lookup) or plan.asked is not None:
        return False
    clause, mine = plan.clause, session_options(session)
    if clause.latest or clause.wait_ms is not None or takes_snapshot(session):
        return False
    if mine.wait_ms != 0 or mine.consistency == "latest":
        return False
    is_plain = clause is NO_CLAUSE and mine is PLAIN_SESSION
    return is_plain or _knows_topics(plan.node, clause, session, statement.literals or parameters)


def _knows_topics(node: Lookup, clause: Clause, session: Session, parameters: Row | None) -> bool:
    """Whether a bound is on the store's own inputs: for others the log would have to be read."""
    if parameters is None and clause.parameters:
        return False
    try:
        position = read_options(clause, session, parameters or ()).bound.position
    except QueryError:
        return True
    known = {each.topic for each in node.access.schema.inputs}
    return all(topic in known for topic, _ in position.components)
