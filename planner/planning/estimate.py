"""What a plan is thought to cost, as the lines of EXPLAIN tell it: postgres_fdw plans joins by it.

The rows of a store are an estimate of its own; what conditions leave of them is a guess by their
form, as in a Postgres that has no statistics. The unit of cost is one page read in sequence there;
here it is the reading of a hundred rows.
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
"""About how many rows the store of an access holds; None if it does not say."""
_ROWS_UNKNOWN = 1000
_ROW_COST, _PARTITION_COST = 0.01, 0.1
_EQUAL, _OTHER = 0.005, 1 / 3
"""What an equality and another condition leave of the rows; those of Postgres."""
_WIDTH_UNKNOWN = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Cost and size of a result."""

    cost: float
    rows: int
    width: int
    """Bytes of a row."""

    def __str__(self) -> str:
        """As Postgres has it behind the first line of a plan."""
        return f"(cost=0.00..{self.cost:.2f} rows={self.rows} width={self.width})"


def estimate(plan: QueryPlan | CatalogStatement, rows_of: RowsOf) -> Estimate:
    """The estimate for a plan."""
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
    """All that is known of the catalog is that its relations are small."""
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
    """What the conditions of one disjunct leave; a whole key is one row."""
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
