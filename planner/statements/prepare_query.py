"""Plan queries: of stores by our own plans, of PostgreSQL's catalog by `pg_catalog`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs
from sqlglot import exp

from planner.binding.bind import bind
from planner.binding.column_origins import with_origins
from planner.binding.relations import identifier
from planner.binding.vocabulary import of_stores
from planner.errors import LimitExceededError
from planner.planning.plan import Lookup, QueryPlan
from planner.planning.plan_query import plan_query
from planner.statements.engine_parts import EngineParts
from planner.statements.explain_statement import Analyze, explain_columns
from planner.syntax.parse import Parsed
from planner.values.cancel import Cancellation
from planner.values.statement import Statement, StatementKind
from stores.spec.schema import DataType


class QueryPreparer:
    """Plans SELECT and EXPLAIN.

    Args:
        parts: of the engine.
    """

    def __init__(self, parts: EngineParts) -> None:
        self._catalog, self._composer = parts.catalog, parts.composer
        self._pg_catalog, self._executor = parts.pg_catalog, parts.executor
        self._vocabulary = of_stores(parts.catalog)

    def prepare(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        """Return the planned statement.

        Args:
            parsed: the statement.
            tree: its query.
            parameter_types: types that the client insists on.
            cancellation: ends the planning early.

        Raises:
            QueryError: the query cannot be run.
        """
        if not self._reads_store(tree) and self._pg_catalog.accepts(tree):
            return self._prepare_catalog(parsed, tree, parameter_types, cancellation)
        plan = self._plan(parsed, tree, parameter_types, cancellation)
        explained = parsed.kind is StatementKind.EXPLAIN
        is_lookup = parsed.kind is StatementKind.SELECT and isinstance(plan.node, Lookup)
        return Statement(
            sql=parsed.sql,
            kind=parsed.kind,
            columns=explain_columns(parsed) if explained else plan.columns,
            parameters=plan.taken,
            returns_rows=True,
            plan=Analyze(plan) if parsed.analyze else plan,
            look_up=self._executor.fast_lookup(plan) if is_lookup and plan.asked is None else None,
        )

    def _prepare_catalog(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        explained = parsed.kind is StatementKind.EXPLAIN
        found = self._pg_catalog.prepare(
            parsed.sql, tree, parameter_types, cancellation=cancellation
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
        """Whether the FROM begins with a store, so that the catalog need not be asked."""
        from_ = tree.args.get("from_")
        table = None if from_ is None else from_.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return False
        has_names = bool(tree.args.get("with_") or table.args.get("db"))
        return not has_names and identifier(table.this) in self._catalog.stores

    def _plan(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> QueryPlan:
        clause = parsed.clause
        version = self._catalog.version
        try:
            asked, types = self._pg_catalog.prepare_calls(
                parsed.sql, tree, clause, parameter_types, cancellation=cancellation
            )
            bound = bind(tree, clause, self._vocabulary, types)
            plan = plan_query(
                bound, clause, self._composer, version=version, cancellation=cancellation
            )
        except RecursionError as error:
            raise LimitExceededError("statement is nested too deep") from error
        columns = with_origins(plan.columns, plan.origins, self._pg_catalog.oid_of)
        return structs.replace(plan, columns=columns, asked=asked, costs=parsed.costs)
