"""A statement for Spark: its SQL, the relations that it reads, and the values passed beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from stategate.planner.binding.bound import Bound
from stategate.planner.planning.access import Access, plan_access
from stategate.planner.planning.run_values import RunValues
from stategate.planner.spark.refusal import refused
from stategate.planner.spark.selects import Queries
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import Column, DataType, Kind, Row, Value

_SQL_LENGTH_MAX = 1 << 20
"""A longer text takes Spark minutes to plan; a chain of divisions doubles its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkQuery:
    """A statement in Spark's SQL."""

    sql: str
    """With `{r0}` for a relation and `:a0` for a value."""
    accesses: tuple[tuple[str, Access], ...]
    """How each relation is read, by its name in the SQL: its partitions, and its columns."""
    constants: Mapping[str, tuple[Value, DataType]]
    parameters: Mapping[str, tuple[int, DataType]]
    computed: RunValues | None = None
    """The values that each run computes: parameters after those of the client."""
    without_values: SparkQuery | None = None
    """The statement without computed values, for parameters for which one of them fails."""

    def values(self, given: Row) -> dict[str, Value]:
        """Return the values to pass, by name.

        Args:
            given: the client's parameters, then the computed values.

        Raises:
            NotSupportedError: a parameter has more digits than Spark's decimals hold.
        """
        named = {name: _plain(value, of) for name, (value, of) in self.constants.items()}
        for name, (number, of) in self.parameters.items():
            named[name] = _plain(given[number - 1], of)
        return named


def spark_query(bound: Bound, columns: Sequence[Column]) -> SparkQuery:
    """Return a statement for Spark.

    Args:
        bound: the statement, before it is translated for DuckDB.
        columns: its result columns, which the client knows.

    Raises:
        NotSupportedError: Spark does not run it, or gives other rows.
    """
    queries = Queries(bound)
    try:
        written = queries.write(bound.tree)
    except RecursionError as error:
        raise refused("a statement that is nested so deep") from error
    if len(written.sql) > _SQL_LENGTH_MAX:
        raise refused("a statement that is so long")
    for column, data_type in zip(columns, written.types, strict=True):
        if not _is_same(column.type, data_type):
            raise refused(f'column "{column.name}" of type {format_type(column.type)}')
    accesses = tuple(
        (source.name, plan_access(source.relation.store, source.predicate, source.columns))
        for source in bound.sources
        if source.relation.store is not None
    )
    if not accesses:
        raise refused("a statement that reads no store")
    return SparkQuery(
        sql=written.sql,
        accesses=accesses,
        constants=queries.arguments.constants,
        parameters=queries.arguments.parameters,
    )


def _is_same(promised: DataType, found: DataType) -> bool:
    """Whether values of a type are those that the client was promised, whatever their digits."""
    if promised.kind is Kind.DECIMAL:
        return found.kind is Kind.DECIMAL and found.scale == promised.scale
    return promised.kind is found.kind


def _plain(value: Value, data_type: DataType) -> Value:
    """Return a physical value as Spark takes it: decimals are passed as texts."""
    if not isinstance(value, Decimal):
        return value
    exponent = value.as_tuple().exponent
    is_held = (
        isinstance(exponent, int)
        and -exponent <= data_type.scale
        and value.adjusted() < data_type.precision - data_type.scale
    )
    if not is_held:
        raise refused(f"the numeric {value} as a parameter")
    return f"{value:f}"
