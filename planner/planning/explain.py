"""Plans as text: one line for each node, with its children indented below."""

from __future__ import annotations

from planner.pg_catalog import CatalogStatement
from planner.planning.plan import Compose, Count, QueryPlan, Stream
from planner.syntax.with_clause import NO_CLAUSE, Clause, ParameterRef
from stores.spec.position import Position


def explain(plan: QueryPlan | CatalogStatement) -> list[str]:
    """Return the lines of a plan."""
    if isinstance(plan, CatalogStatement):
        return [f"catalog {plan.rewritten.sql}"]
    lines = [plan.node.describe()]
    if isinstance(plan.node, Stream | Count):
        lines.append(f"  {plan.node.access.describe()}")
    elif isinstance(plan.node, Compose):
        for name, planned in plan.node.inputs:
            lines.append(f"  {name}: {planned.describe()}")
            lines += [f"    {link.describe()}" for link in plan.node.links if link.name == name]
    if plan.residual is not None:
        lines.append(f"residual {plan.residual}")
    if plan.clause != NO_CLAUSE:
        lines.append(f"with {describe_clause(plan.clause)}")
    return lines


def describe_clause(clause: Clause) -> str:
    """Return the clause as SQL, with durations in milliseconds."""
    bounds = [_shown(position) for position in clause.positions]
    bounds += [f"{t.topic}[{_shown(t.partition)}] >= {_shown(t.offset)}" for t in clause.topics]
    bounds += [word for word in ("latest", "snapshot") if getattr(clause, word)]
    bounds += ["unbounded"] if clause.unbounded else []
    if clause.lag_ms_max is not None:
        bounds.append(f"max lag {_shown(clause.lag_ms_max)} ms")
    options = [f"bound ({', '.join(bounds)})"] if bounds else []
    if clause.wait_ms is not None:
        options.append(f"wait {_shown(clause.wait_ms)} ms")
    if clause.partitions is not None:
        options.append(f"partitions ({', '.join(_shown(p) for p in clause.partitions)})")
    options += [word for word in ("active", "partial", "info") if getattr(clause, word)]
    return ", ".join(options)


def _shown(value: int | Position | ParameterRef) -> str:
    if isinstance(value, ParameterRef):
        return f"${value.number}"
    return f"'{value.token()}'" if isinstance(value, Position) else str(value)
