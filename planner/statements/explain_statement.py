"""EXPLAIN and EXPLAIN ANALYZE: the result columns and the rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from stategate.planner.pg_catalog import CatalogStatement
from stategate.planner.planning.explain import RowsOf, estimate, explain, explain_json, shown_values
from stategate.planner.planning.plan import Compose, Lookup, QueryPlan
from stategate.planner.statements.spark_statements import Choice
from stategate.planner.syntax.parse import Parsed
from stategate.planner.values.statement import Result, Statement
from stategate.stores.spec.schema import TEXT, Column, DataType, Kind

_TEXT_COLUMNS = (Column(name="QUERY PLAN", type=TEXT),)
_JSON_COLUMNS = (Column(name="QUERY PLAN", type=DataType(kind=Kind.JSON)),)


@dataclass(frozen=True, slots=True)
class Analyze:
    """The plan of EXPLAIN ANALYZE: the query is run, and its rows are counted."""

    plan: QueryPlan | CatalogStatement


def explain_columns(parsed: Parsed) -> tuple[Column, ...]:
    """Return the result columns of an EXPLAIN."""
    return _JSON_COLUMNS if parsed.as_json else _TEXT_COLUMNS


def explain_plan(
    plan: QueryPlan | CatalogStatement,
    statement: Statement,
    rows_of: RowsOf,
    *,
    engine: Choice | None = None,
) -> Result:
    """Return the result of EXPLAIN.

    Args:
        plan: the plan of the query.
        statement: the EXPLAIN.
        rows_of: returns the number of rows of a store.
        engine: the engine that would run it; None where there is only one.
    """
    if statement.columns == _JSON_COLUMNS:
        lines = [explain_json(plan, engine=_shown(engine))]
    else:
        lines = _lines(plan, rows_of, engine)
    return Result(kind=statement.kind, columns=statement.columns, rows=[(line,) for line in lines])


def explain_run(
    analyze: Analyze,
    statement: Statement,
    run: Callable[[], Result],
    rows_of: RowsOf,
    *,
    engine: Choice | None = None,
) -> Result:
    """Return the result of EXPLAIN ANALYZE.

    Args:
        analyze: the plan of the statement.
        statement: the EXPLAIN ANALYZE.
        run: runs the query.
        rows_of: returns the number of rows of a store.
        engine: the engine that runs it; None where there is only one.
    """
    began, plan = time.perf_counter(), analyze.plan
    result = run()
    returned = len(result.rows or ())
    for batch in result.batches or ():
        returned += batch.num_rows
    elapsed_ms = (time.perf_counter() - began) * 1000
    if statement.columns == _JSON_COLUMNS:
        measured = {"rows_returned": returned, "execution_time": round(elapsed_ms, 3)}
        lines = [explain_json(plan, result, engine=_shown(engine), **measured)]
    else:
        lines = _lines(plan, rows_of, engine)
        if isinstance(plan, QueryPlan) and plan.values is not None and result.computed:
            shown = shown_values(plan.values, result.computed)
            lines += [f"computed {each}" for each in shown]
        lines += [
            f"partition {a.store}[{a.partition}] on {a.node}: {a.status}, epoch {a.epoch}, "
            f"{a.rows} rows read" + (f", {a.reason}: {a.message}" if a.reason else "")
            for a in result.partitions
        ]
        how = ", without DuckDB" if _did_without_duckdb(plan, result) else ""
        lines.append(f"returned {returned} rows in {elapsed_ms:.2f} ms{how}")
        lines.append(f"position {result.position.token()}")
    return Result(
        kind=statement.kind,
        columns=statement.columns,
        rows=[(line,) for line in lines],
        position=result.position,
        partitions=result.partitions,
    )


def _did_without_duckdb(plan: QueryPlan | CatalogStatement, result: Result) -> bool:
    """Whether DuckDB was not needed, though the plan's node uses it."""
    is_composed = isinstance(plan, QueryPlan) and isinstance(plan.node, Compose)
    return is_composed and result.batches is None


def _shown(engine: Choice | None) -> dict[str, str] | None:
    if engine is None:
        return None
    if engine.query is None:
        return {"Name": "local", "Reason": engine.reason}
    return {"Name": "spark", "Reason": engine.reason, "SQL": engine.query.sql}


def _lines(plan: QueryPlan | CatalogStatement, rows_of: RowsOf, engine: Choice | None) -> list[str]:
    """Return the lines of a plan; the first has the costs, where postgres_fdw looks for them."""
    first, *rest = explain(plan)
    if engine is not None:
        rest.append(engine.describe())
        if engine.query is not None:
            rest.append(f"spark sql {engine.query.sql}")
    if plan.costs:
        first = f"{first}  {estimate(plan, rows_of)}"
    if isinstance(plan, QueryPlan) and plan.rows is not None and not isinstance(plan.node, Lookup):
        rest.append(plan.rows.describe())
    return [first, *rest]
