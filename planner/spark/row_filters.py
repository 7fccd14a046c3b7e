"""The conditions on the columns of a store that Spark tests where it reads the files.

They follow from the WHERE of the statement once the parameters are known: each row that the SQL
needs meets them all. Spark's SQL still has the whole WHERE, so a filter may let other rows pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from stategate.planner.binding.domains import Domain, domains, sortable
from stategate.planner.binding.predicates import Predicate
from stategate.stores.spec.query_engine import EngineFilter
from stategate.stores.spec.schema import DataType, Kind, Row, StoreSchema, Value

VALUES_MAX = 1_000
"""Values of an `in`; more become a range, since each task gets the filters."""
_KINDS = {
    *(Kind.BOOLEAN, Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.REAL),
    *(Kind.DOUBLE, Kind.DECIMAL, Kind.TEXT, Kind.BYTEA, Kind.DATE, Kind.TIMESTAMP),
    Kind.TIMESTAMPTZ,
}
"""Types whose values Arrow compares as PostgreSQL does."""


def row_filters(
    schema: StoreSchema, predicate: Predicate, parameters: Row
) -> tuple[EngineFilter, ...]:
    """Return the filters of one read of a store.

    Args:
        schema: the definition of the store.
        predicate: what the statement needs of its rows.
        parameters: the client's parameters.

    Raises:
        QueryError: a parameter is not of its type, or out of the range of a cast.
    """
    found = [domains(disjunct, parameters) for disjunct in predicate.disjuncts]
    kept = [each for each in found if each is not None]
    if not kept:
        return ()
    return tuple(
        condition
        for column in schema.columns
        if column.type.kind in _KINDS and all(column.name in each for each in kept)
        for condition in _conditions(column.name, column.type, _any_of(column.name, kept))
    )


def _any_of(column: str, found: Sequence[Mapping[str, Domain]]) -> Domain:
    """Return a domain with the values of a column in all of these."""
    of_column = [each[column] for each in found]
    null = any(each.null for each in of_column)
    lists = [each.values for each in of_column]
    values = dict.fromkeys(value for listed in lists for value in listed or ())
    if None not in lists and len(values) <= VALUES_MAX:
        return Domain(values=tuple(values), null=null)
    ranges = [_as_range(each) for each in of_column if each.values != ()]
    low = (
        None
        if any(each.low is None for each in ranges)
        else min(
            (each.low for each in ranges if each.low is not None),
            key=lambda end: (sortable(end[0]), not end[1]),
            default=None,
        )
    )
    high = (
        None
        if any(each.high is None for each in ranges)
        else max(
            (each.high for each in ranges if each.high is not None),
            key=lambda end: (sortable(end[0]), end[1]),
            default=None,
        )
    )
    return Domain(null=null, low=low, high=high)


def _as_range(domain: Domain) -> Domain:
    if domain.values is None:
        return domain
    ordered = sorted(domain.values, key=sortable)
    return Domain(low=(ordered[0], True), high=(ordered[-1], True))


def _conditions(name: str, data_type: DataType, domain: Domain) -> Iterator[EngineFilter]:
    def condition(operator: str, *values: Value) -> EngineFilter:
        return EngineFilter(column=name, operator=operator, values=values, type=data_type)

    if domain.null:
        # A filter cannot say "or NULL".
        if domain.values == ():
            yield condition("=", None)
        return
    if domain.values is not None:
        if all(map(_is_plain, domain.values)):
            single = len(domain.values) == 1
            yield condition("=" if single else "in", *domain.values)
        else:
            yield condition("!=", None)
        return
    ends = ((domain.low, ">"), (domain.high, "<"))
    known = [
        condition(sign + "=" * end[1], end[0])
        for end, sign in ends
        if end is not None and _is_plain(end[0])
    ]
    yield from known or [condition("!=", None)]


def _is_plain(value: Value) -> bool:
    """Whether a filter can be written with the value: JSON has no NaN, and no infinity."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))
