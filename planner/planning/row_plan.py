"""Row plans: how a query is answered row by row, if it reads few rows.

DuckDB and Arrow take milliseconds before their first row. A row plan sorts, groups and cuts a few
hundred rows in less time than that. It knows columns, `count`, `sum`, `min`, `max` and `avg` of
columns, DISTINCT, ORDER BY and LIMIT. It knows no other function and no operator: DuckDB computes
those with PostgreSQL's meaning, and runs every statement that reads many rows.

Law: it gives the rows that DuckDB gives, or declines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlglot import exp

from stategate.planner.binding.bound import Bound
from stategate.planner.planning.limits import NO_LIMITS, Limits, limits_of
from stategate.planner.planning.row_columns import RowColumns
from stategate.planner.postgres.types.output_columns import is_star
from stategate.planner.postgres.types.result_types import NUMERIC, sum_type
from stategate.planner.trees.known_arguments import known_node
from stategate.stores.spec.schema import BIGINT, Column, DataType, Kind

ORDERED = frozenset(
    {
        Kind.BOOLEAN,
        Kind.TINYINT,
        Kind.SMALLINT,
        Kind.INTEGER,
        Kind.BIGINT,
        Kind.TEXT,
        Kind.BYTEA,
        Kind.DECIMAL,
        Kind.DATE,
        Kind.TIME,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
    }
)
"""Types whose physical values Python orders and compares as PostgreSQL does."""
_FLOATS = frozenset({Kind.DOUBLE})
"""Types that are ordered too, except for NaN: a row plan declines when it meets one."""
_EXTREMES = (ORDERED - {Kind.BOOLEAN, Kind.BYTEA}) | _FLOATS
"""Types that `min` and `max` take."""
WHOLE = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT})
EXACT = WHOLE | {Kind.DECIMAL}
"""Types whose `avg` is a numeric: the exact sum divided by the count."""


class Taken(Struct, frozen=True):
    """An output that is a column."""

    at: int
    """The index of the column among those that the access reads."""


class Aggregate(Struct, frozen=True):
    """An output that is an aggregate of a column, or of rows."""

    name: str
    """count, sum, min, max or avg."""
    at: int | None
    """The index of the column; None for `count(*)`."""
    of: DataType | None
    """The column's type."""


class Term(Struct, frozen=True):
    """One item of ORDER BY."""

    at: int
    """The index of the output."""
    descending: bool
    nulls_first: bool
    is_float: bool
    """Whether its values can be NaN, which is greater than all others."""


class RowPlan(Struct, frozen=True, kw_only=True):
    """How the rows of an access become the result."""

    outputs: tuple[Taken | Aggregate, ...]
    """The result columns, then those that only ORDER BY needs."""
    types: tuple[DataType | None, ...]
    """The type of each result column as it is computed here; None if any will do."""
    groups: tuple[int, ...] | None = None
    """The columns of GROUP BY; None if rows are not aggregated."""
    distinct: bool = False
    order: tuple[Term, ...] = ()
    limits: Limits = NO_LIMITS

    def gives(self, columns: Sequence[Column]) -> bool:
        """Whether the computed values have the types of the result."""
        return len(columns) == len(self.types) and all(
            type_ is None or type_ == column.type
            for type_, column in zip(self.types, columns, strict=True)
        )


_PARTS = frozenset(
    {
        *("expressions", "from_", "joins", "where", "limit", "offset", "order", "group"),
        *("distinct", "hint"),
    }
)
_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Min: "min",
    exp.Max: "max",
    exp.Avg: "avg",
}


class _UnknownError(Exception):
    """The query has a part that a row plan does not know."""


def row_plan(bound: Bound, columns: RowColumns) -> RowPlan | None:
    """Return the row plan of a query; None if it needs DuckDB.

    Args:
        bound: a query of stores; reading the stores applies all of its WHERE and its joins.
        columns: the columns of the rows that these reads return.
    """
    tree = bound.tree
    assert isinstance(tree, exp.Select)
    if {name for name, value in tree.args.items() if value} - _PARTS:
        return None
    limits = limits_of(tree, bound.parameters)
    if limits is None:
        return None
    try:
        return _Reader(tree, columns).plan(limits)
    except _UnknownError:
        return None


class _Reader:
    """Reads the parts of a SELECT."""

    def __init__(self, tree: exp.Select, columns: RowColumns) -> None:
        self._tree, self._columns = tree, columns
        self._types = [column.type for column in columns.columns]
        self._outputs: list[Taken | Aggregate] = []
        self._names: list[str] = []

    def plan(self, limits: Limits) -> RowPlan:
        tree = self._tree
        for node in tree.expressions:
            self._add_item(node)
        visible = len(self._outputs)
        groups = self._groups()
        distinct: exp.Expr | None = tree.args.get("distinct")
        if distinct is not None:
            if (
                groups is not None
                or known_node(distinct) is not distinct
                or any(distinct.args.values())
            ):
                raise _UnknownError
            self._check_equal([each.at for each in self._outputs if isinstance(each, Taken)])
        order = self._order(may_hide=distinct is None)
        if groups is not None:
            self._check_grouped(groups)
        return RowPlan(
            outputs=tuple(self._outputs),
            types=tuple(map(_type_of, self._outputs[:visible])),
            groups=groups,
            distinct=distinct is not None,
            order=order,
            limits=limits,
        )

    def _add_item(self, node: exp.Expr) -> None:
        inner = known_node(node.unalias())
        star = inner.this if isinstance(inner, exp.Column) else inner
        if is_star(inner):
            if any(star.args.values()):
                raise _UnknownError  # EXCLUDE, REPLACE
            self._add_star("" if star is inner else inner.text("table"))
        else:
            self._outputs.append(self._output(inner))
            self._names.append(node.alias_or_name)

    def _add_star(self, table: str) -> None:
        for name, at in self._columns.star(table) or [("", None)]:
            if at is None:
                raise _UnknownError
            self._outputs.append(Taken(at))
            self._names.append(name)

    def _output(self, node: exp.Expr) -> Taken | Aggregate:
        if isinstance(node, exp.Column):
            return Taken(self._column(node))
        name = _AGGREGATES.get(type(node))
        if name is None or node.expressions:
            raise _UnknownError
        inner = known_node(node.this)
        if isinstance(inner, exp.Star) and name == "count" and not any(inner.args.values()):
            return Aggregate(name, None, None)
        if not isinstance(inner, exp.Column) or is_star(inner):
            raise _UnknownError
        at = self._column(inner)
        found = Aggregate(name, at, self._types[at])
        if name != "count" and _type_of(found) is None:
            raise _UnknownError
        return found

    def _column(self, node: exp.Column) -> int:
        at = self._columns.place(node.text("table"), node.name)
        if at is None:
            raise _UnknownError
        return at

    def _groups(self) -> tuple[int, ...] | None:
        group = self._tree.args.get("group")
        if group is None:
            has_aggregate = any(isinstance(each, Aggregate) for each in self._outputs)
            return () if has_aggregate else None
        found: list[int] = []
        for node in known_node(group).expressions:
            inner = known_node(node)
            if isinstance(inner, exp.Literal):
                output = self._outputs[self._ordinal(inner)]
                if not isinstance(output, Taken):
                    raise _UnknownError
                found.append(output.at)
            elif isinstance(inner, exp.Column) and self._columns.is_column(inner.name):
                found.append(self._column(inner))
            elif isinstance(inner, exp.Column):
                output = self._outputs[self._named(inner)]
                if not isinstance(output, Taken):
                    raise _UnknownError
                found.append(output.at)
            else:
                raise _UnknownError
        if not found:
            raise _UnknownError  # ALL, or sets
        self._check_equal(found)
        return tuple(found)

    def _check_equal(self, places: Sequence[int]) -> None:
        """Refuse columns whose equal values Python may tell apart."""
        if any(self._types[at].kind not in ORDERED for at in places):
            raise _UnknownError

    def _check_grouped(self, groups: tuple[int, ...]) -> None:
        if any(isinstance(each, Taken) and each.at not in groups for each in self._outputs):
            raise _UnknownError

    def _ordinal(self, node: exp.Literal) -> int:
        if node.is_string or not node.name.isdigit() or not 0 < int(node.name) <= len(self._names):
            raise _UnknownError
        return int(node.name) - 1

    def _named(self, node: exp.Column) -> int:
        if node.args.get("table") is not None or self._names.count(node.name) != 1:
            raise _UnknownError
        return self._names.index(node.name)

    def _order(self, *, may_hide: bool) -> tuple[Term, ...]:
        order = self._tree.args.get("order")
        if order is None:
            return ()
        found: list[Term] = []
        for node in known_node(order).expressions:
            ordered = known_node(node)
            if not isinstance(ordered, exp.Ordered):
                raise _UnknownError
            at = self._sorted_by(known_node(ordered.this), may_hide=may_hide)
            output = self._outputs[at]
            kind = self._kind(output)
            if kind not in ORDERED | _FLOATS:
                raise _UnknownError
            given = ordered.args
            found.append(
                Term(at, bool(given.get("desc")), bool(given.get("nulls_first")), kind in _FLOATS)
            )
        return tuple(found)

    def _kind(self, output: Taken | Aggregate) -> Kind | None:
        if isinstance(output, Taken):
            return self._types[output.at].kind
        found = _type_of(output)
        return None if found is None else found.kind

    def _sorted_by(self, node: exp.Expr, *, may_hide: bool) -> int:
        if isinstance(node, exp.Literal):
            return self._ordinal(node)
        if isinstance(node, exp.Column) and not node.args.get("table") and node.name in self._names:
            return self._named(node)  # a bare name is first looked up in the result
        output = self._output(node)
        if output in self._outputs:
            return self._outputs.index(output)
        if not may_hide:
            raise _UnknownError
        self._outputs.append(output)
        return len(self._outputs) - 1


def _type_of(output: Taken | Aggregate) -> DataType | None:
    """Return the type of an output; None if any will do, or it cannot be computed here."""
    if isinstance(output, Taken):
        return None
    of = output.of
    if output.name == "count" or of is None:
        return BIGINT
    kind, found = of.kind, None
    if output.name in {"min", "max"}:
        found = of if kind in _EXTREMES else None
    elif kind in _FLOATS:
        found = of
    elif kind in EXACT:
        found = NUMERIC if output.name == "avg" else sum_type(of)
    return found
