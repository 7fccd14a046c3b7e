"""Run planned statements of every kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from stategate.planner.commands.row_commands import run_unserved
from stategate.planner.commands.session_reading import SessionCommand
from stategate.planner.commands.transaction import (
    TransactionCommand,
    aborted,
    run_transaction,
)
from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.pg_catalog import Calls, CatalogStatement
from stategate.planner.planning.plan import (
    Compose,
    Lookup,
    QueryPlan,
    SystemScan,
    accesses_of,
)
from stategate.planner.running.snapshot import takes_snapshot, transaction_snapshot
from stategate.planner.statements.engine_parts import EngineParts
from stategate.planner.statements.explain_statement import Analyze, explain_plan, explain_run
from stategate.planner.statements.prepare import Described
from stategate.planner.statements.result_limits import limit_result
from stategate.planner.statements.spark_statements import Choice
from stategate.planner.syntax.options import PLAIN_SESSION, read_options, session_options
from stategate.planner.syntax.with_clause import NO_CLAUSE, Clause
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import Result, Statement, StatementKind
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import Row

_OF_ONE_RELATION = re.compile(r'FROM "\w+" AS "[^"]*"(?:$| (?:WHERE|GROUP BY|ORDER BY|LIMIT)\b)')
"""The FROM clause of a composed statement that joins nothing."""
Replan = Callable[[Statement, Session, Cancellation], Statement]
"""Plans a statement again, after a definition of a store has changed."""
ENDS_TRANSACTION = frozenset({StatementKind.COMMIT, StatementKind.ROLLBACK})
WITHOUT_SNAPSHOT = ENDS_TRANSACTION | {
    *(StatementKind.BEGIN, StatementKind.SAVEPOINT, StatementKind.RELEASE, StatementKind.LOCK),
    *(StatementKind.SET, StatementKind.RESET, StatementKind.SHOW, StatementKind.FETCH),
    *(StatementKind.MOVE, StatementKind.LISTEN, StatementKind.UNLISTEN, StatementKind.EMPTY),
}
"""Statements after which PostgreSQL still lets the modes of the transaction change."""
"""The kinds of statement that a failed transaction still accepts."""


class Runner:
    """Runs statements.

    Args:
        parts: the parts of the engine.
        replan: plans a statement again.
    """

    def __init__(self, parts: EngineParts, replan: Replan) -> None:
        self._catalog, self._commands = parts.catalog, parts.commands
        self._executor, self._pg_catalog = parts.executor, parts.pg_catalog
        self._queries, self._replan = parts.queries, replan
        self._spark, self._rights = parts.spark, parts.rights

    def run(
        self, statement: Statement, parameters: Row, session: Session, cancellation: Cancellation
    ) -> Result:
        """Run a statement.

        Args:
            statement: the prepared statement.
            parameters: physical values, one for each parameter of the statement.
            session: the session that runs it.
            cancellation: ends it early.

        Raises:
            QueryError: before the first row; later ones are raised by the result's stream.
        """
        kind, plan = statement.kind, statement.plan
        if session.transaction is TransactionStatus.FAILED and kind not in ENDS_TRANSACTION:
            raise aborted()
        if kind not in WITHOUT_SNAPSHOT:
            session.has_queried = True
        self.require_rights(statement, session)
        explains = kind is StatementKind.EXPLAIN
        if len(parameters) != len(statement.parameters) and (parameters or not explains):
            raise InvalidValueError(
                f"statement takes {len(statement.parameters)} parameters, "
                f"{len(parameters)} were given",
                sqlstate="08P01",
            )
        is_outdated = type(plan) is QueryPlan and plan.catalog_version != self._catalog.version
        if is_outdated or not is_made_for(statement, session):
            statement = self._replan(statement, session, cancellation)
            plan = statement.plan
        if type(plan) is QueryPlan and statement.literals:
            parameters = statement.literals
        if isinstance(plan, QueryPlan | CatalogStatement):
            if explains:
                engine = self._shown_engine(plan, statement, session)
                return explain_plan(plan, statement, self._executor.reads.rows_of, engine=engine)
            result = self._run_plan(plan, statement, parameters, session, cancellation)
            result.kind = kind
            if self._rights.limits_results:
                limit_result(result, self._rights.limits_of(session.user), session)
            return result
        if isinstance(plan, Analyze):
            return explain_run(
                plan,
                statement,
                lambda: self._run_plan(plan.plan, statement, parameters, session, cancellation),
                self._executor.reads.rows_of,
                engine=self._shown_engine(plan.plan, statement, session),
            )
        return self._run_command(statement, session)

    def require_rights(self, statement: Statement, session: Session) -> None:
        """Check that the user of a session may read the stores of a statement.

        Raises:
            PermissionDeniedError: it may not (42501).
        """
        self._rights.require(session.user, _reads(statement.plan))

    def _run_command(self, statement: Statement, session: Session) -> Result:
        """Run a statement that reads nothing."""
        kind, plan = statement.kind, statement.plan
        if statement.row_command is not None:
            return run_unserved(statement)
        if isinstance(plan, Described):
            return Result(kind=kind, columns=statement.columns, rows=plan.rows)
        if isinstance(plan, SessionCommand):
            return self._commands.run(plan, session)
        if isinstance(plan, TransactionCommand):
            return run_transaction(plan, session)
        return Result(kind=StatementKind.EMPTY)

    def _run_plan(
        self,
        plan: QueryPlan | CatalogStatement,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        if isinstance(plan, CatalogStatement):
            return self._run_catalog(plan, statement, parameters, session, cancellation)
        return self._run_query(plan, statement, parameters, session, cancellation)

    def _run_catalog(
        self,
        plan: CatalogStatement,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        def run() -> Result:
            found = self._pg_catalog.execute(
                plan, parameters, session=session, cancellation=cancellation
            )
            result = Result(kind=statement.kind, columns=statement.columns)
            if isinstance(found, Calls):
                result.batches, result.notices = found.rows(), found.notices
                result.waits = None if found.now is None else found
                result.on_close = found.close
            else:
                result.batches = iter(found.to_batches())
            return result

        return self._queries.watch(statement.sql, session, run, cancellation)

    def _run_query(
        self,
        plan: QueryPlan,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        given = () if statement.literals else parameters
        if plan.catalog_values is not None:
            asked = self._pg_catalog.values(
                plan.catalog_values, session=session, cancellation=cancellation
            )
            parameters = (*parameters, *asked)
        options = read_options(plan.clause, session, parameters)
        snapshot = transaction_snapshot(session)

        choice = self._choice(plan, statement, options.engine)

        def run() -> Result:
            if choice is not None and choice.query is not None and self._spark.runner is not None:
                return self._spark.runner.run(
                    plan, choice.query, given, options, cancellation, snapshot=snapshot
                )
            return self._executor.run(
                plan, parameters, options, cancellation, session=session, snapshot=snapshot
            )

        # To list a lookup would take as long as to run it, unless it is one that may wait.
        is_inline = isinstance(plan.node, Lookup) and choice is None and cancellation.holds_loop
        result = (
            run() if is_inline else self._queries.watch(statement.sql, session, run, cancellation)
        )
        session.note(result.position)
        return result

    def _choice(self, plan: QueryPlan, statement: Statement, engine: str) -> Choice | None:
        """Return the engine of a statement; None if only the gateway comes into question."""
        if engine == "local" or (engine == "auto" and not self._spark.is_automatic):
            return None
        return self._spark.choose(statement, plan, engine, self._executor.reads.rows_of)

    def _shown_engine(
        self, plan: QueryPlan | CatalogStatement, statement: Statement, session: Session
    ) -> Choice | None:
        """Return the engine that EXPLAIN shows; None where there is only one."""
        engine = session_options(session).engine
        if isinstance(plan, CatalogStatement) or (self._spark.runner is None and engine == "auto"):
            return None
        return self._spark.choose(statement, plan, engine, self._executor.reads.rows_of)


def _reads(plan: object) -> Collection[str]:
    """Return the stores that a user must be allowed to read for a plan to run."""
    if isinstance(plan, Analyze):
        plan = plan.plan
    if isinstance(plan, QueryPlan):
        return plan.reads
    return (plan.store,) if isinstance(plan, Described) else ()


def made_for(statement: Statement) -> TimeSettings | None:
    """Return the settings of times that a statement was planned for; None if it is for all."""
    plan = statement.plan
    if isinstance(plan, Analyze):
        plan = plan.plan
    return plan.times if isinstance(plan, QueryPlan | CatalogStatement) else None


def is_made_for(statement: Statement, session: Session) -> bool:
    """Whether a statement was planned for the session's settings of times, or for all."""
    times = made_for(statement)
    return times is None or times.now is session.times


def current(
    statement: Statement, session: Session, replan: Replan, cancellation: Cancellation
) -> Statement:
    """Return a statement as it is for the session's settings of times."""
    is_made = is_made_for(statement, session)
    return statement if is_made else replan(statement, session, cancellation)


def is_inline(statement: Statement, session: Session, parameters: Row | None) -> bool:
    """Whether a statement reads few rows without a wait, or is a command of the session.

    If it turns out to read many rows, they are a stream that a thread reads.

    Args:
        statement: the statement to run.
        session: the session that runs it.
        parameters: its parameters; None if they are not known yet: the answer must hold for all.
    """
    plan = statement.plan
    if not isinstance(plan, QueryPlan):
        return not isinstance(plan, CatalogStatement | Analyze)
    if statement.kind is StatementKind.EXPLAIN:
        return True
    node, rows = plan.node, plan.rows
    if (
        plan.catalog_values is not None
        or plan.values is not None
        or not is_made_for(statement, session)  # it is planned again
        or not (
            isinstance(node, Lookup)
            # A join that is not small would read its first relation here.
            or (rows is not None and plan.join is None and not rows.is_scan and rows.late is None)
        )
    ):
        return False
    clause, mine = plan.clause, session_options(session)
    if clause.latest or clause.wait_ms is not None or takes_snapshot(session):
        return False
    if mine.wait_ms != 0 or mine.consistency == "latest" or mine.engine == "spark":
        return False
    is_plain = clause is NO_CLAUSE and mine is PLAIN_SESSION
    return is_plain or _knows_topics(plan, clause, session, statement.literals or parameters)


def is_short(statement: Statement) -> bool:
    """Whether a statement reads no rows, or a few rows that it names."""
    plan = statement.plan
    if isinstance(plan, Analyze):
        plan = plan.plan
    elif statement.kind in {StatementKind.EXPLAIN, StatementKind.SHOW}:
        return True
    if not isinstance(plan, QueryPlan):
        return statement.row_command is None
    if isinstance(plan.node, Compose):
        return _reads_little(plan.node)
    return isinstance(plan.node, Lookup) and plan.values is None


def _reads_little(node: Compose) -> bool:
    """Whether a statement reads nothing, or one relation of the gateway, as far as is known."""
    if node.inputs and not isinstance(node.inputs[0][1], SystemScan):
        return False
    sql = node.sql
    # `generate_series` makes many rows of nothing, wherever it stands.
    if sql.count("SELECT") > 1 or "UNNEST" in sql:
        return False
    if not node.inputs:
        return "FROM" not in sql
    return (
        all(isinstance(read, SystemScan) for _, read in node.inputs)
        and sql.count("FROM") == 1
        and _OF_ONE_RELATION.search(sql) is not None
    )


def _knows_topics(
    plan: QueryPlan, clause: Clause, session: Session, parameters: Row | None
) -> bool:
    """Whether a bound names only inputs of the store; for others the log would have to be read."""
    if parameters is None and clause.parameters:
        return False
    try:
        position = read_options(clause, session, parameters or ()).bound.position
    except QueryError:
        return True
    node = plan.node
    (access,) = [node.access] if isinstance(node, Lookup) else accesses_of(node)
    known = {each.topic for each in access.schema.inputs}
    return all(topic in known for topic, _ in position.components)
