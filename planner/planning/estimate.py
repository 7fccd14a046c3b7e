"""Estimate the cost of a plan for EXPLAIN; postgres_fdw plans joins by it.

Stores estimate their number of rows. The share of rows that meet a condition is guessed from its
form, as in Postgres without statistics. In Postgres the unit of cost is a sequential read of one
page; here it is the read of a hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.binding.predicates import Disjunct, Equals, OneOf
from planner.pg_catalog import CatalogStatement
from planner.planning.access import Access
from planner.planning.plan import Compose, Count, Lookup, QueryPlan, Stream
from stores.spec.schema import DataType

RowsOf = Callable[[Access], int | None]
"""Returns about how many rows the store of an access holds; None if not known."""
_ROWS_UNKNOWN = 1000
_ROW_COST, _PARTITION_COST = 0.01, 0.1
_EQUAL, _OTHER = 0.005, 1 / 3
"""The share of rows that meet an equality or another condition, as in Postgres."""
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
        sizes = [_rows(access, rows_of) for access in accesses]
        read, rows = sum(sizes), node.outline.rows(max(sizes, default=1.0))
        partitions = sum(access.schema.partitions for access in accesses)
    elif isinstance(node, Lookup):
        read = 1.0
    elif isinstance(node, Stream | Count):
        read, partitions = _rows(node.access, rows_of), node.access.schema.partitions
        rows = read if isinstance(node, Stream) else 1.0
        if isinstance(node, Stream) and node.limit is not None:
            rows = min(rows, node.limit)
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


def _rows(access: Access, rows_of: RowsOf) -> float:
    held = rows_of(access)
    total = float(_ROWS_UNKNOWN if held is None else held)
    key = {column.name for column in access.schema.key}
    share = sum(_share(disjunct, key, total) for disjunct in access.predicate.disjuncts)
    rows = max(1.0, total * min(1.0, share))
    return rows if access.limit is None else min(rows, access.limit)


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
