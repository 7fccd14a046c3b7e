"""EXPLAIN: plans as text and as JSON, with estimates of their cost, which postgres_fdw uses.

The text has one line for each node, with its children indented below. The JSON is in the format of
Postgres: an array of one object with the key `Plan`.

For an estimate, stores estimate their number of rows. The share of rows that meet a condition is
guessed from its form, as in Postgres without statistics. In Postgres the unit of cost is a
sequential read of one page; here it is a read of a hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from stategate.planner.binding.predicates import Disjunct, Equals, OneOf
from stategate.planner.pg_catalog import CatalogStatement
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Compose, Count, Lookup, QueryPlan, Stream, SystemScan
from stategate.planner.planning.run_values import RunValues
from stategate.planner.syntax.with_clause import NO_CLAUSE, Clause, ParameterRef
from stategate.planner.values.quoting import quote_text
from stategate.planner.values.statement import Result
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import DataType, Row, Value


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
    if plan.values is not None:
        lines += [f"value ${each.number}: {each.text}" for each in plan.values.values]
    if plan.residual is not None:
        lines.append(f"residual {plan.residual}")
    if plan.clause != NO_CLAUSE:
        lines.append(f"with {describe_clause(plan.clause)}")
    return lines


def shown_values(values: RunValues, computed: Row) -> list[str]:
    """Return the values of a run as text, in quotes; NULL without."""
    types = [each.type for each in values.values]
    return [
        "NULL" if value is None else quote_text(_text(value, of))
        for value, of in zip(computed, types, strict=True)
    ]


def _text(value: Value, of: DataType) -> str:
    if of.element is not None:
        return str(list(value))
    return of.kind.record.text(value).decode()


def _values(values: RunValues, result: Result | None) -> list[dict[str, str]]:
    found = [{"Parameter": f"${each.number}", "Expression": each.text} for each in values.values]
    if result is not None and result.computed:
        for each, text in zip(found, shown_values(values, result.computed), strict=True):
            each["Value"] = text
    return found


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


def explain_json(
    plan: QueryPlan | CatalogStatement,
    result: Result | None = None,
    *,
    engine: Mapping[str, str] | None = None,
    **measured: float,
) -> str:
    """Return a plan as JSON.

    Args:
        plan: the plan.
        result: the result, if the plan was run.
        engine: the engine and why it was chosen, where there are several.
        measured: numbers of the run; the names become keys.
    """
    shown: dict[str, Any] = {"Plan": _node(plan)}
    if isinstance(plan, QueryPlan):
        if plan.rows is not None and not isinstance(plan.node, Lookup):
            shown["Few Rows"] = plan.rows.describe()
        if plan.values is not None:
            shown["Values"] = _values(plan.values, result)
        if plan.residual is not None:
            shown["Residual"] = plan.residual
        if plan.clause != NO_CLAUSE:
            shown["With"] = describe_clause(plan.clause)
    if engine is not None:
        shown["Engine"] = engine
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


RowsOf = Callable[[Access], int | None]
"""Returns about how many rows the store of an access holds; None if not known."""
_ROWS_UNKNOWN = 1000
_ROW_COST, _PARTITION_COST = 0.01, 0.1
_EQUAL, _OTHER = 0.005, 1 / 3
"""The share of rows that meet an equality, and that of any other condition, as in Postgres."""
_WIDTH_UNKNOWN = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Cost and size of a result."""

    cost: float
    rows: int
    width: int
    """Bytes of a row."""

    def __str__(self) -> str:
        """Return the text that Postgres appends to the first line of a plan."""
        return f"(cost=0.00..{self.cost:.2f} rows={self.rows} width={self.width})"


def estimate(plan: QueryPlan | CatalogStatement, rows_of: RowsOf) -> Estimate:
    """Return the estimate for a plan."""
    if isinstance(plan, CatalogStatement):
        return _of_catalog(plan)
    node, read, partitions = plan.node, 0.0, 0
    rows = 1.0
    if isinstance(node, Compose):
        accesses = [planned for _, planned in node.inputs if isinstance(planned, Access)]
        sizes = [rows_read(access, rows_of) for access in accesses]
        read, rows = sum(sizes), node.outline.rows(max(sizes, default=1.0))
        partitions = sum(access.schema.partitions for access in accesses)
    elif isinstance(node, Lookup):
        read = 1.0
    elif isinstance(node, Stream | Count):
        read, partitions = rows_read(node.access, rows_of), node.access.schema.partitions
        rows = read if isinstance(node, Stream) else 1.0
        limit = node.limits.rows if isinstance(node, Stream) else None
        if limit is not None and limit.parameter is None:
            rows = min(rows, limit.constant)
    width = sum(_width(column.type) for column in plan.columns)
    cost = (read + rows) * _ROW_COST + partitions * _PARTITION_COST
    return Estimate(cost=cost, rows=max(1, round(rows)), width=width)


def _of_catalog(statement: CatalogStatement) -> Estimate:
    """Return the estimate for a catalog statement; its relations are small."""
    outline = statement.rewritten.outline
    read = float(_ROWS_UNKNOWN if outline.reads else 1)
    rows = outline.rows(read)
    width = sum(_width(column.type) for column in statement.columns)
    return Estimate(cost=(read + rows) * _ROW_COST, rows=round(rows), width=width)


def rows_read(access: Access, rows_of: RowsOf) -> float:
    """Return about how many rows an access reads."""
    held = rows_of(access)
    total = float(_ROWS_UNKNOWN if held is None else held)
    key = {column.name for column in access.schema.key}
    share = sum(_share(disjunct, key, total) for disjunct in access.predicate.disjuncts)
    rows = max(1.0, total * min(1.0, share))
    enough = None if access.limit is None else access.limit.constant
    return rows if enough is None else min(rows, enough)


def _share(disjunct: Disjunct, key: set[str], total: float) -> float:
    """Return the share of rows that meet one disjunct; a whole key has one row."""
    fixed: set[str] = set()
    share = 1.0
    for each in disjunct:
        if isinstance(each, Equals):
            fixed.add(each.column)
        elif isinstance(each, OneOf):
            fixed.update(each.columns)
        share *= _EQUAL if isinstance(each, Equals | OneOf) else _OTHER
    return 1 / max(total, 1.0) if key <= fixed else share


def _width(data_type: DataType) -> int:
    length = data_type.kind.record.length
    return _WIDTH_UNKNOWN if length < 0 else length
