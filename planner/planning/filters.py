"""Filter rows by a predicate that the read alone does not apply: by column, or one by one.

Arrow compares all types in predicates as SQL does, except NaN: in SQL, NaN is equal to itself and
greater than all other numbers. A comparison with NULL is not true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, structs

from stategate.planner.binding.domains import Domain, End, is_nan, sortable
from stategate.planner.binding.predicates import OneOf
from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.schema import DataType, Kind, Row, StoreSchema, Value

Keep: TypeAlias = Callable[[pa.RecordBatch], pa.RecordBatch]
"""Returns the rows of a batch that meet the predicate, with the columns to return."""
Test: TypeAlias = Callable[[Row], bool]
"""Whether a row meets the predicate."""
Mask: TypeAlias = Any
"""A boolean Arrow array, or chunks of one, without NULLs; None for all rows."""
MaskOf: TypeAlias = "Callable[[pa.RecordBatch | pa.Table], Mask]"
"""Returns which rows meet the predicate."""

_FLOATS = {Kind.REAL, Kind.DOUBLE}
_WHOLE = {
    Kind.TINYINT,
    Kind.SMALLINT,
    Kind.INTEGER,
    Kind.BIGINT,
    Kind.DATE,
    Kind.TIMESTAMP,
    Kind.TIMESTAMPTZ,
}
"""Types whose physical values are integers."""


class Allowed(Struct, frozen=True, kw_only=True):
    """The values that one disjunct allows for each column, and for rows of several columns."""

    domains: Mapping[str, Domain]
    rows: tuple[tuple[OneOf, frozenset[Row]], ...] = ()

    def without(self, columns: Set[str]) -> Allowed:
        """Return these values without the domains of some columns."""
        left = {name: domain for name, domain in self.domains.items() if name not in columns}
        return Allowed(domains=left, rows=self.rows)


def batch_filter(schema: StoreSchema, allowed: Sequence[Allowed], columns: tuple[str, ...]) -> Keep:
    """Return a function that keeps the rows that at least one disjunct allows."""
    mask_of = rows_mask(column_types(schema), allowed)

    def keep(batch: pa.RecordBatch) -> pa.RecordBatch:
        mask = mask_of(batch)
        kept = batch if mask is None else batch.filter(mask)
        return kept if kept.schema.names == list(columns) else kept.select(list(columns))

    return keep


def column_types(schema: StoreSchema) -> Mapping[str, DataType]:
    """Return the type of each column."""
    return {name: column.type for name, column in schema.column_by_name.items()}


def rows_mask(types: Mapping[str, DataType], allowed: Sequence[Allowed]) -> MaskOf:
    """Return a function that tells which rows of columns at least one disjunct allows."""
    tests = [_disjunct_test(types, each) for each in allowed]

    def mask_of(rows: pa.RecordBatch | pa.Table) -> Mask:
        mask: Mask = None
        for test in tests:
            found = test(rows)
            if found is None:
                return None
            mask = found if mask is None else pc.or_(mask, found)
        return mask

    return mask_of


def row_test(schema: StoreSchema, allowed: Sequence[Allowed], columns: tuple[str, ...]) -> Test:
    """Return a function that tells whether at least one disjunct allows a row."""
    tests = [_row_test_of(schema, each, columns) for each in allowed]
    if len(tests) == 1:
        return tests[0]
    return lambda row: any(test(row) for test in tests)


def _row_test_of(schema: StoreSchema, allowed: Allowed, columns: tuple[str, ...]) -> Test:
    column_of = schema.column_by_name
    tests = [
        (columns.index(name), _value_test(domain, column_of[name].type))
        for name, domain in allowed.domains.items()
    ]
    listed = [
        ([columns.index(name) for name in condition.columns], rows)
        for condition, rows in allowed.rows
    ]

    if len(tests) == 1 and not listed:
        ((only_at, allows_only),) = tests
        return lambda row: allows_only(row[only_at])

    def test(row: Row) -> bool:
        for at, allows in tests:
            if not allows(row[at]):
                return False
        return all(tuple([sortable(row[at]) for at in places]) in rows for places, rows in listed)

    return test


def _value_test(domain: Domain, data_type: DataType) -> Callable[[Value], bool]:
    null = domain.null
    if data_type.kind is Kind.REAL:
        domain = _as_reals(domain)
    if domain.values is not None:
        # Values of nested types have no hash, so they are in no domain.
        values = frozenset(map(sortable, domain.values)) if domain.values else frozenset()
        if not values:
            return lambda value: null and value is None
        return lambda value: null if value is None else sortable(value) in values
    if data_type.kind in _FLOATS:
        holds = domain.holds
        return lambda value: null if value is None else holds(value)
    if data_type.kind in _WHOLE:
        low, high = _half_open(domain)
        return lambda value: null if value is None else low <= value < high
    low_end, high_end = domain.low, domain.high

    def between(value: Any) -> bool:
        if value is None:
            return null
        if low_end is not None and not (value >= low_end[0] if low_end[1] else value > low_end[0]):
            return False
        return high_end is None or bool(
            value <= high_end[0] if high_end[1] else value < high_end[0]
        )

    return between


def _half_open(domain: Domain) -> tuple[Any, Any]:
    """Return the ends of a range of whole numbers; the first is included, the last is not."""
    low, high = -math.inf, math.inf
    if domain.low is not None:
        low = domain.low[0] + (0 if domain.low[1] else 1)
    if domain.high is not None:
        high = domain.high[0] + (1 if domain.high[1] else 0)
    return low, high


def _as_reals(domain: Domain) -> Domain:
    """Return a domain whose values are rounded to reals."""

    def rounded(value: Value) -> Value:
        return float(np.float32(value))

    return structs.replace(
        domain,
        values=None if domain.values is None else tuple(map(rounded, domain.values)),
        low=None if domain.low is None else (rounded(domain.low[0]), domain.low[1]),
        high=None if domain.high is None else (rounded(domain.high[0]), domain.high[1]),
    )


def _disjunct_test(types: Mapping[str, DataType], allowed: Allowed) -> MaskOf:
    tests = [(name, _domain_test(domain, types[name])) for name, domain in allowed.domains.items()]

    def test(batch: pa.RecordBatch | pa.Table) -> Mask:
        mask: Mask = None
        for name, column_test in tests:
            found = column_test(batch.column(name))
            mask = _and(mask, found)
        for condition, rows in allowed.rows:
            mask = _and(mask, _rows_mask(batch, condition, rows, types))
        return mask

    return test


def _and(one: Mask, other: Mask) -> Mask:
    if one is None or other is None:
        return other if one is None else one
    return pc.and_(one, other)


def _domain_test(domain: Domain, data_type: DataType) -> Callable[[Any], Mask]:
    """Return a test of one column; everything that does not depend on the rows is made once."""
    if domain.values is not None:
        return _list_test(domain.values, data_type, null=domain.null)
    low = None if domain.low is None else _end_test(domain.low, data_type, is_lower=True)
    high = None if domain.high is None else _end_test(domain.high, data_type, is_lower=False)

    def test(array: Any) -> Mask:
        mask: Mask = None
        if low is not None:
            mask = low(array)
        if high is not None:
            mask = _and(mask, high(array))
        if mask is None:
            return None if domain.null or not array.null_count else pc.is_valid(array)
        return mask

    return test


def _list_test(
    values: Sequence[Value], data_type: DataType, *, null: bool
) -> Callable[[Any], Mask]:
    is_float = data_type.kind in _FLOATS
    if not values:  # Arrow cannot compare arrays and other nested types
        return pc.is_null if null else (lambda array: pa.array([False] * len(array), pa.bool_()))
    plain = [value for value in values if not is_nan(value)]
    has_nan = len(plain) < len(values)
    if is_float and any(value == 0 for value in plain):
        plain += [0.0, -0.0]  # equal, but with different hashes
    wanted = physical_array(plain, data_type)

    def test(array: Any) -> Mask:
        if len(wanted) == 1:
            mask = pc.equal(array, wanted[0])
            mask = pc.fill_null(mask, False) if array.null_count else mask
        else:
            mask = pc.is_in(array, value_set=wanted)
        if has_nan:
            mask = pc.or_(mask, pc.fill_null(pc.is_nan(array), False))
        return pc.or_(mask, pc.is_null(array)) if null else mask

    return test


def _end_test(end: End, data_type: DataType, *, is_lower: bool) -> Callable[[Any], Mask]:
    value, inclusive = end
    if is_nan(value):
        return _nan_test(inclusive=inclusive, is_lower=is_lower)
    is_float, is_boolean = data_type.kind in _FLOATS, data_type.kind is Kind.BOOLEAN
    scalar = physical_array([value], data_type)[0]
    if is_boolean:
        scalar = pa.scalar(int(value), pa.int8())  # Arrow does not order booleans
    if is_lower:
        compare = pc.greater_equal if inclusive else pc.greater
    else:
        compare = pc.less_equal if inclusive else pc.less

    def test(array: Any) -> Mask:
        compared = array.cast(pa.int8()) if is_boolean else array
        mask = compare(compared, scalar)
        if is_float and is_lower:
            mask = pc.or_(mask, pc.is_nan(array))
        return pc.fill_null(mask, False)

    return test


def _nan_test(*, inclusive: bool, is_lower: bool) -> Callable[[Any], Mask]:
    """Return a test of an end at NaN, which is greater than all other numbers."""

    def test(array: Any) -> Mask:
        is_nan = pc.fill_null(pc.is_nan(array), False)
        if is_lower:
            return is_nan if inclusive else pc.and_(is_nan, pc.invert(is_nan))
        valid = pc.is_valid(array)
        return valid if inclusive else pc.and_(valid, pc.invert(is_nan))

    return test


def _rows_mask(
    batch: pa.RecordBatch | pa.Table,
    condition: OneOf,
    rows: frozenset[Row],
    types: Mapping[str, DataType],
) -> Mask:
    """Return which rows are in a set of tuples; Arrow has no such test."""
    listed = [physical_list(batch.column(name), types[name]) for name in condition.columns]
    found = [tuple(map(sortable, row)) in rows for row in zip(*listed, strict=True)]
    return pa.array(found, pa.bool_())
