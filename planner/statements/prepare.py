"""Prepare one statement: parse it, and plan it as its kind requires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from msgspec import structs
from sqlglot import exp

from stategate.planner.binding.bind import bind
from stategate.planner.binding.column_origins import with_origins
from stategate.planner.binding.relations import identifier, require_missing, vocabulary_of_stores
from stategate.planner.commands.row_commands import ROW_COMMANDS, plan_row_command
from stategate.planner.commands.session_reading import SessionCommand, read_session_command
from stategate.planner.commands.transaction import read_transaction
from stategate.planner.errors import (
    InvalidSyntaxError,
    LimitExceededError,
    QueryCancelledError,
    QueryError,
    UnknownNameError,
)
from stategate.planner.pg_catalog.relations import is_of_catalog
from stategate.planner.planning.plain_lookups import PlainLookups
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.planning.plan_query import plan_query
from stategate.planner.planning.plan_values import plan_values
from stategate.planner.statements.engine_parts import EngineParts
from stategate.planner.statements.explain_statement import Analyze, explain_columns
from stategate.planner.syntax.parse import Parsed, parse
from stategate.planner.syntax.token_reader import Words
from stategate.planner.trees.checkpoints import checked_by, is_planning
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookUp, Statement, StatementKind
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import TEXT, Column, DataType, Row

_SHOW_STORES = (
    "SELECT name, kind, key, columns, partitions, inputs FROM stategate.stores ORDER BY name"
)

PlanInner = Callable[[str, "Sequence[DataType | None]"], Statement]
"""Prepares the query inside a statement, such as that of COPY."""
_DESCRIBE_COLUMNS = tuple(
    Column(name=name, type=TEXT) for name in ("column", "type", "part", "store_kind")
)


@dataclass(frozen=True, slots=True)
class Described:
    """The plan of DESCRIBE: its rows."""

    store: str
    rows: tuple[Row, ...]


class Preparer:
    """Prepares statements of every kind; caches none.

    Args:
        parts: the parts of the engine.
    """

    def __init__(self, parts: EngineParts) -> None:
        self._catalog, self._commands = parts.catalog, parts.commands
        self._running = parts.queries
        self._queries = QueryPreparer(parts)

    def prepare(
        self,
        sql: str,
        session: Session,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        plan_inner: PlanInner,
        *,
        times: TimeSettings = PLAIN_TIMES,
    ) -> Statement:
        """Return the planned statement; it is listed as running while it is planned.

        Args:
            sql: one statement.
            session: the session that prepares it.
            parameter_types: types that the client gives.
            cancellation: ends the planning early.
            plan_inner: prepares the query inside the statement.
            times: the session's settings of times.

        Raises:
            QueryError: the statement is malformed or cannot be run.
        """
        lookup = self._queries.prepare_lookup(sql, parameter_types)
        if lookup is not None:
            return lookup
        if is_planning():  # the query inside a statement, which is listed
            return self._prepare(
                sql, session, parameter_types, cancellation, plan_inner, times=times
            )
        with self._running.planning(sql, session, cancellation), checked_by(cancellation.check):
            return self._prepare(
                sql, session, parameter_types, cancellation, plan_inner, times=times
            )

    def _prepare(
        self,
        sql: str,
        session: Session,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        plan_inner: PlanInner,
        *,
        times: TimeSettings,
    ) -> Statement:
        parsed = parse(sql, parameter_types)
        kind = parsed.kind
        if kind is StatementKind.EMPTY:
            return Statement(sql=sql, kind=kind)
        if parsed.tree is not None:
            return self._queries.prepare(parsed, parsed.tree, parameter_types, cancellation, times)
        if kind is StatementKind.SHOW:
            return self._prepare_show(parsed, session, plan_inner)
        if kind in ROW_COMMANDS or kind is StatementKind.EXPLAIN:
            planned = plan_row_command(parsed, plan_inner, parameter_types)
            if kind is StatementKind.EXPLAIN:  # of an EXECUTE
                columns = explain_columns(parsed)
                planned = structs.replace(planned, columns=columns, returns_rows=True)
            return planned
        if (command := read_transaction(parsed)) is not None:
            return Statement(sql=sql, kind=kind, plan=command)
        words = Words(parsed.sql, parsed.tokens)
        return Statement(sql=sql, kind=kind, plan=read_session_command(kind, words))

    def _prepare_show(self, parsed: Parsed, session: Session, plan_inner: PlanInner) -> Statement:
        words = [token.text.upper() for token in parsed.tokens]
        if words[0] == "SHOW" and words[1:] in (["STORES"], ["TABLES"]):
            planned = plan_inner(_SHOW_STORES, ())
            return structs.replace(planned, sql=parsed.sql, kind=StatementKind.SHOW)
        if words[0] in {"DESCRIBE", "DESC"}:
            described = _described(parsed, self._catalog)
            return Statement(
                sql=parsed.sql,
                kind=StatementKind.SHOW,
                columns=_DESCRIBE_COLUMNS,
                returns_rows=True,
                plan=described,
            )
        command = read_session_command(StatementKind.SHOW, Words(parsed.sql, parsed.tokens))
        return Statement(
            sql=parsed.sql,
            kind=StatementKind.SHOW,
            columns=self._commands.show_columns(command, session),
            returns_rows=True,
            plan=command,
        )


class QueryPreparer:
    """Plans SELECT and EXPLAIN.

    Args:
        parts: the parts of the engine.
    """

    def __init__(self, parts: EngineParts) -> None:
        self._catalog, self._composer = parts.catalog, parts.composer
        self._pg_catalog, self._executor = parts.pg_catalog, parts.executor
        self._watch = parts.watch_look_up
        self._vocabulary = vocabulary_of_stores(parts.catalog, is_of_catalog)
        self._lookups = PlainLookups(parts.catalog, parts.pg_catalog.oid_of)

    def prepare_lookup(
        self, sql: str, parameter_types: Sequence[DataType | None]
    ) -> Statement | None:
        """Return a planned lookup of one key; None for any other text.

        Args:
            sql: one statement.
            parameter_types: types that the client gives.
        """
        plan = self._lookups.plan(sql, parameter_types)
        if plan is None:
            return None
        return Statement(
            sql=sql,
            kind=StatementKind.SELECT,
            columns=plan.columns,
            parameters=plan.parameters,
            returns_rows=True,
            plan=plan,
            look_up=self._look_up(plan, sql),
        )

    def prepare(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        times: TimeSettings = PLAIN_TIMES,
    ) -> Statement:
        """Return the planned statement.

        Args:
            parsed: the statement.
            tree: its query.
            parameter_types: types that the client gives.
            cancellation: ends the planning early.
            times: the session's settings of times.

        Raises:
            QueryError: the query cannot be run.
        """
        try:
            if not self._reads_store(tree) and self._pg_catalog.accepts(tree):
                return self._prepare_catalog(parsed, tree, parameter_types, cancellation, times)
            plan = self._plan(parsed, tree, parameter_types, cancellation, times)
        except RecursionError as error:
            raise LimitExceededError("statement is nested too deep") from error
        explained = parsed.kind is StatementKind.EXPLAIN
        is_select = parsed.kind is StatementKind.SELECT
        return Statement(
            sql=parsed.sql,
            kind=parsed.kind,
            columns=explain_columns(parsed) if explained else plan.columns,
            parameters=plan.taken,
            returns_rows=True,
            plan=Analyze(plan) if parsed.analyze else plan,
            look_up=self._look_up(plan, parsed.sql) if is_select else None,
        )

    def _look_up(self, plan: QueryPlan, sql: str) -> LookUp | None:
        found = self._executor.look_up(plan)
        return found if found is None or self._watch is None else self._watch(found, sql)

    def _prepare_catalog(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        times: TimeSettings,
    ) -> Statement:
        explained = parsed.kind is StatementKind.EXPLAIN
        found = self._pg_catalog.prepare(
            parsed.sql, tree, parameter_types, times=times, cancellation=cancellation
        )
        shown = replace(found, costs=parsed.costs) if explained else found
        return Statement(
            sql=parsed.sql,
            kind=parsed.kind,
            columns=explain_columns(parsed) if explained else found.columns,
            parameters=found.parameters,
            returns_rows=True,
            plan=Analyze(shown) if parsed.analyze else shown,
        )

    def _reads_store(self, tree: exp.Query) -> bool:
        """Whether the FROM begins with a store, so that the catalog need not be consulted."""
        from_ = tree.args.get("from_")
        table = None if from_ is None else from_.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return False
        has_names = bool(tree.args.get("with_") or table.args.get("db"))
        name = identifier(table.this)
        return not has_names and name in self._catalog.stores and not is_of_catalog("", name)

    def _plan(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
        times: TimeSettings,
        *,
        computes: bool = True,
    ) -> QueryPlan:
        clause = parsed.clause
        version = self._catalog.version
        catalog_values, types = self._pg_catalog.prepare_calls(
            parsed.sql, tree, clause, parameter_types, times=times, cancellation=cancellation
        )
        bound = bind(tree, clause, self._vocabulary, types, times, computes=computes)

        def plain(cancellation: Cancellation) -> QueryPlan:
            again = parse(parsed.sql, parameter_types)
            assert again.tree is not None, "it is a query"
            return self._plan(
                again, again.tree, parameter_types, cancellation, times, computes=False
            )

        values = plan_values(bound, self._vocabulary, self._composer)
        try:
            if values is not None and not values.is_quick:
                values.query(cancellation)
            plan = plan_query(
                bound,
                clause,
                self._composer,
                version=version,
                is_explained=parsed.kind is StatementKind.EXPLAIN,
                has_nodes=self._catalog.nodes is not None,
                cancellation=cancellation,
            )
        except QueryCancelledError:
            raise
        except QueryError:
            if values is None:
                raise
            return plain(cancellation)
        columns = with_origins(plan.columns, plan.origins, self._pg_catalog.oid_of)
        return structs.replace(
            plan,
            columns=columns,
            catalog_values=catalog_values,
            values=values,
            without_values=None if values is None else plain,
            costs=parsed.costs,
            times=times,
        )


def is_shared(statement: Statement) -> bool:
    """Whether a planned statement is the same for all sessions; some spell a setting otherwise."""
    plan = statement.plan
    if not isinstance(plan, SessionCommand) or plan.kind is not StatementKind.SHOW:
        return True
    return "." not in plan.name


def _described(parsed: Parsed, catalog: StoreCatalog) -> Described:
    """Return the store that `DESCRIBE store` names, with its columns.

    Raises:
        InvalidSyntaxError: DESCRIBE is not followed by one name.
        UnknownNameError: the store does not exist (42P01).
    """
    if len(parsed.tokens) != 2:
        raise InvalidSyntaxError("syntax error", hint="DESCRIBE takes the name of a store.")
    token = parsed.tokens[1]
    quoted = parsed.sql[token.start] == '"'
    name = identifier(exp.to_identifier(token.text, quoted=quoted))
    store = catalog.stores.get(name)
    if store is None:
        require_missing(name, catalog, position=token.start + 1)
        raise UnknownNameError(
            f'relation "{name}" does not exist',
            hint="SHOW STORES lists the stores.",
            position=token.start + 1,
        )
    schema = store.schema
    parts = (("key", schema.key), ("time", schema.time_columns), ("value", schema.value))
    rows = [
        (column.name, str(column.type), part, schema.kind.value)
        for part, columns in parts
        for column in columns
    ]
    return Described(name, tuple(rows))
