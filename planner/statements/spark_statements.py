"""Which statements run on Spark, and their SQL there."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TypeAlias

from stategate.planner.binding.bind import bind
from stategate.planner.binding.bound import Bound
from stategate.planner.binding.relations import Vocabulary
from stategate.planner.composing.compose import Composer
from stategate.planner.errors import NotSupportedError
from stategate.planner.planning.access import Access
from stategate.planner.planning.explain import RowsOf, rows_read
from stategate.planner.planning.plan import Lookup, QueryPlan, accesses_of
from stategate.planner.planning.plan_values import plan_values
from stategate.planner.postgres.expressions.zone_forms import names_zone
from stategate.planner.running.on_spark import SparkRunner
from stategate.planner.spark.query import SparkQuery, spark_query
from stategate.planner.syntax.parse import parse
from stategate.planner.values.statement import Statement
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import DataType

_Key: TypeAlias = tuple[str, tuple[DataType, ...], TimeSettings, int]
QUERIES_MAX = 200
"""Statements for Spark that are kept; each takes Spark longer to run than us to write again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The engine that runs a statement, and why."""

    reason: str
    query: SparkQuery | None = None
    """The statement for Spark; None if it runs here."""

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        return f"engine {'local' if self.query is None else 'spark'}: {self.reason}"


class SparkStatements:
    """Chooses the engine of each statement.

    Args:
        catalog: the stores.
        vocabulary: the names that statements can use.
        composer: computes the values that a run needs before it reads.
        runner: runs statements on Spark; None if no engine is configured.
        rows_max: a statement that reads about more rows runs on Spark by itself; 0 for none.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        vocabulary: Vocabulary,
        composer: Composer,
        runner: SparkRunner | None,
        *,
        rows_max: int,
    ) -> None:
        self._catalog, self._vocabulary, self._composer = catalog, vocabulary, composer
        self.runner, self._rows_max = runner, rows_max
        self._kept: OrderedDict[_Key, SparkQuery | NotSupportedError] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def is_automatic(self) -> bool:
        """Whether a statement can run on Spark although its session does not ask for it."""
        return self.runner is not None and self._rows_max > 0

    def choose(self, statement: Statement, plan: QueryPlan, engine: str, rows_of: RowsOf) -> Choice:
        """Return the engine of a statement.

        Args:
            statement: the statement.
            plan: its plan.
            engine: the session's `stategate.engine`.
            rows_of: returns about how many rows a store holds.

        Raises:
            NotSupportedError: the session wants Spark, which cannot run the statement.
        """
        accesses = _reads(plan)
        if engine == "local":
            return Choice(reason="stategate.engine is local")
        if not accesses:
            return Choice(reason="the statement reads no store")
        if engine == "spark":
            return self._asked(statement, plan)
        if self.runner is None or not self._rows_max:
            return Choice(reason="scans have no limit")
        rows = round(sum(rows_read(access, rows_of) for access in accesses))
        if rows <= self._rows_max:
            return Choice(reason=f"it reads about {rows} rows, at most {self._rows_max}")
        return self._large(statement, plan, f"it reads about {rows} rows")

    def _asked(self, statement: Statement, plan: QueryPlan) -> Choice:
        if self.runner is None:
            raise NotSupportedError(
                "no Spark engine is configured",
                hint='Give the gateway the setting "spark_remote", or set the engine to local.',
            )
        return Choice(reason="stategate.engine is spark", query=self._query(statement, plan))

    def _large(self, statement: Statement, plan: QueryPlan, why: str) -> Choice:
        try:
            query = self._query(statement, plan)
        except NotSupportedError as error:
            return Choice(reason=f"{why}, but {error.message}")
        return Choice(reason=f"{why}, more than {self._rows_max}", query=query)

    def _query(self, statement: Statement, plan: QueryPlan) -> SparkQuery:
        times = plan.times or PLAIN_TIMES
        key = (statement.sql, statement.parameters, times, self._catalog.version)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        if found is None:
            try:
                found = self._write(statement, plan)
            except NotSupportedError as error:
                found = error
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > QUERIES_MAX:
                    self._kept.popitem(last=False)
        if isinstance(found, NotSupportedError):
            raise NotSupportedError(
                found.message, detail=found.detail, hint=found.hint, position=found.position
            )
        return found

    def _write(self, statement: Statement, plan: QueryPlan) -> SparkQuery:
        plain = self._bound(statement, plan, computes=False)
        found = spark_query(plain, plan.columns)
        bound = self._bound(statement, plan, computes=True)
        computed = plan_values(bound, self._vocabulary, self._composer)
        if computed is None:
            return found
        return replace(spark_query(bound, plan.columns), computed=computed, without_values=found)

    def _bound(self, statement: Statement, plan: QueryPlan, *, computes: bool) -> Bound:
        parsed = parse(statement.sql, statement.parameters)
        assert parsed.tree is not None, "only queries have a plan"
        times = plan.times or PLAIN_TIMES
        bound = bind(
            parsed.tree,
            parsed.clause,
            self._vocabulary,
            statement.parameters,
            times,
            computes=computes,
        )
        if names_zone(bound.tree):
            raise NotSupportedError(
                f"Spark does not compute times in the time zone {times.now.zone.name}",
                hint="SET TIME ZONE 'UTC', or set stategate.engine to local.",
            )
        return bound


def _reads(plan: QueryPlan) -> list[Access]:
    return [plan.node.access] if isinstance(plan.node, Lookup) else accesses_of(plan.node)
