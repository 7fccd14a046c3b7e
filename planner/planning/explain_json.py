"""Plans as JSON in the format of Postgres: an array of one object with the key `Plan`."""

from __future__ import annotations

from typing import Any

import orjson

from planner.pg_catalog import CatalogStatement
from planner.planning.explain import describe_clause
from planner.planning.plan import Compose, Count, Lookup, QueryPlan, Stream, SystemScan
from planner.syntax.with_clause import NO_CLAUSE
from planner.values.statement import Result


def explain_json(
    plan: QueryPlan | CatalogStatement, result: Result | None = None, **measured: float
) -> str:
    """Return a plan as JSON.

    Args:
        plan: the plan.
        result: the result, if the plan was run.
        measured: numbers of the run; the names become keys.
    """
    shown: dict[str, Any] = {"Plan": _node(plan)}
    if isinstance(plan, QueryPlan):
        if plan.residual is not None:
            shown["Residual"] = plan.residual
        if plan.clause != NO_CLAUSE:
            shown["With"] = describe_clause(plan.clause)
    if result is not None:
        shown["Partitions"] = [_partition(answer) for answer in result.partitions]
        shown["Position"] = orjson.loads(result.position.token())
    shown |= {name.replace("_", " ").title(): value for name, value in measured.items()}
    return orjson.dumps([shown], option=orjson.OPT_INDENT_2).decode()


def _node(plan: QueryPlan | CatalogStatement) -> dict[str, Any]:
    if isinstance(plan, CatalogStatement):
        return {"Node Type": "Catalog", "SQL": plan.rewritten.sql}
    node = plan.node
    shown: dict[str, Any] = {"Node Type": type(node).__name__}
    if isinstance(node, Compose):
        shown["SQL"] = node.sql
        shown["Plans"] = [
            {"Relation": name, "Node Type": "System Scan" if _is_system(p) else "Access"}
            | {"Description": p.describe()}
            for name, p in node.inputs
        ]
        return shown
    shown["Description"] = node.describe()
    if isinstance(node, Stream | Count | Lookup):
        shown["Plans"] = [{"Node Type": "Access", "Description": node.access.describe()}]
    return shown


def _is_system(planned: object) -> bool:
    return isinstance(planned, SystemScan)


def _partition(answer: Any) -> dict[str, Any]:
    fields = ("store", "partition", "node", "status", "reason", "message", "epoch", "rows")
    return {field: getattr(answer, field) for field in fields}
