"""The column path: rows in memory as columns become few rows, without DuckDB.

A scan of some thousand rows reads columns that the engine keeps. Arrow groups them, or finds the
first ones, in less time than DuckDB takes to begin. The remaining rows then take the row path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from stategate.planner.planning.filters import Mask
from stategate.planner.planning.row_plan import EXACT, WHOLE, Aggregate, RowPlan, Taken, Term
from stategate.planner.postgres.types.result_types import DIGITS_MAX
from stategate.planner.values.numerics import quotient
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Column, Kind, Row, Value

COLUMN_ROWS_MAX = 1 << 16
"""With more rows this takes longer than a millisecond; a thread and DuckDB take those."""
TOP_ROWS_MAX = 1024
"""Maximum number of first rows that are found here; DuckDB finds more."""
GROUPS_MAX = 4096
"""Maximum number of groups that become rows here, in about a millisecond."""
_SAMPLED_ROWS = 2 * GROUPS_MAX
"""If these first rows have too many groups, the others are not grouped, which might take long."""

Reduce: TypeAlias = Callable[[pa.Table, Mask, "int | None"], "list[Row] | None"]
"""Takes rows, which of them to keep, and how many of the first ones to find.

Returns rows, or None to decline.
"""

GROUPED = frozenset(
    {
        Kind.BOOLEAN,
        Kind.TINYINT,
        Kind.SMALLINT,
        Kind.INTEGER,
        Kind.BIGINT,
        Kind.TEXT,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
    }
)
"""Types that Arrow groups and orders as PostgreSQL does, apart from NULLs and NaN."""
_SORTED = (GROUPED - {Kind.BOOLEAN}) | {Kind.DOUBLE}
AGGREGATED = _SORTED - {Kind.TEXT}
BIGINT_MAX = (1 << 63) - 1


def reducer(plan: RowPlan, columns: Sequence[Column]) -> Reduce | None:
    """Return the function that groups rows, or finds the first ones; None if Arrow cannot.

    Args:
        plan: the plan of the rows.
        columns: the columns of the rows.
    """
    kinds = [column.type.kind for column in columns]
    if plan.groups is not None:
        return _grouper(plan.outputs, plan.groups, columns)
    if plan.distinct or not plan.order or plan.limits.rows is None:
        return None
    places = [output.at for output in plan.outputs if isinstance(output, Taken)]
    terms = [(places[term.at], term) for term in plan.order]
    if any(kinds[at] not in _SORTED for at, _ in terms):
        return None
    return _first(terms, columns)


def renamed(columns: Sequence[Column]) -> list[str]:
    """Return column names that Arrow neither reads as paths nor derives from other columns."""
    return [f"c{at}" for at in range(len(columns))]


def kept(table: pa.Table, mask: Mask, names: Sequence[str]) -> pa.Table:
    """Return the first columns under new names, with only the rows to keep."""
    if table.num_columns > len(names):
        table = table.select(range(len(names)))
    if mask is not None:
        table = table.filter(mask)
    return table.rename_columns(names)


def _count(table: pa.Table, mask: Mask) -> int:
    """Return how many rows are kept."""
    if mask is None:
        return int(table.num_rows)
    chunks = mask.chunks if isinstance(mask, pa.ChunkedArray) else [mask]
    return sum(chunk.true_count for chunk in chunks)


# The first rows


def _first(terms: Sequence[tuple[int, Term]], columns: Sequence[Column]) -> Reduce:
    names = renamed(columns)
    keys = [(names[at], "descending" if term.descending else "ascending") for at, term in terms]

    def first(whole: pa.Table, mask: Mask, wanted: int | None) -> list[Row] | None:
        if wanted is None or wanted > TOP_ROWS_MAX:
            return None
        table = kept(whole, mask, names)
        sorted_by = [table.column(at) for at, _ in terms]
        if any(term.is_float and has_nan(table.column(at)) for at, term in terms):
            return None
        nulls = [by.null_count > 0 for by in sorted_by]
        if any(nulls) and len(terms) > 1:
            return None
        found = pc.select_k_unstable(table, wanted, keys)
        if not any(nulls) or not terms[0][1].nulls_first:
            return rows_of(table.take(found), columns)
        # Arrow puts NULLs last.
        is_null = pc.is_null(sorted_by[0])
        with_value = table.take(found)
        with_value = with_value.filter(pc.is_valid(with_value.column(terms[0][0])))
        rows = rows_of(table.filter(is_null).slice(0, wanted), columns)
        return rows + rows_of(with_value, columns)

    return first


def has_nan(column: pa.ChunkedArray) -> bool:
    """Whether one of some numbers is NaN."""
    # The sum is NaN if one of the numbers is, or if infinities cancel out.
    total = pc.sum(column).as_py()
    return total is not None and math.isnan(total) and bool(pc.any(pc.is_nan(column)).as_py())


def rows_of(table: pa.Table, columns: Sequence[Column]) -> list[Row]:
    """Return a few rows as tuples of physical values."""
    listed = [
        physical_list(array.combine_chunks(), column.type)
        for array, column in zip(table.columns, columns, strict=True)
    ]
    return list(zip(*listed, strict=True))


# Groups


def _grouper(
    outputs: Sequence[Taken | Aggregate], groups: Sequence[int], columns: Sequence[Column]
) -> Reduce | None:
    aggregates = [each for each in outputs if isinstance(each, Aggregate)]
    if not groups and all(each.at is None for each in aggregates):
        width = len(outputs)
        return lambda table, mask, wanted: [(_count(table, mask),) * width]
    if any(columns[at].type.kind not in GROUPED for at in groups):
        return None
    if any(each.of is not None and not _is_known(each, each.of.kind) for each in aggregates):
        return None
    names = renamed(columns)
    keys = list(dict.fromkeys(names[at] for at in groups))
    asked = list(dict.fromkeys(each for output in aggregates for each in _asked(output)))
    checked = [(each.at, each) for each in aggregates if each.at is not None]
    rows_in = group_rows(outputs, columns)

    def group(whole: pa.Table, mask: Mask, wanted: int | None) -> list[Row] | None:
        del wanted
        table = kept(whole, mask, names)
        if not all(_is_safe(each, table.column(at)) for at, each in checked):
            return None
        arguments = [([] if of is None else of, function) for of, function in asked]
        if keys and table.num_rows > 2 * _SAMPLED_ROWS:
            sample = table.slice(0, _SAMPLED_ROWS).group_by(keys, use_threads=False)
            if sample.aggregate([]).num_rows > GROUPS_MAX:
                return None
        found = table.group_by(keys, use_threads=False).aggregate(arguments)
        if found.num_rows > GROUPS_MAX:
            return None
        return rows_in(found)

    return group


def group_rows(
    outputs: Sequence[Taken | Aggregate], columns: Sequence[Column]
) -> Callable[[pa.Table], list[Row] | None]:
    """Return the function that makes rows of groups, as Arrow returns them; None to decline.

    Args:
        outputs: the columns of the rows.
        columns: the columns of which the groups were made.
    """
    readers = [_reader(output, columns) for output in outputs]

    def rows_in(groups: pa.Table) -> list[Row] | None:
        listed = [read(groups) for read in readers]
        if any(values is None for values in listed):
            return None
        return list(zip(*listed, strict=True))

    return rows_in


def _is_known(aggregate: Aggregate, kind: Kind) -> bool:
    return aggregate.name == "count" or kind in AGGREGATED


def _asked(aggregate: Aggregate) -> list[tuple[str | None, str]]:
    """Return the column and the functions for an aggregate, by the names that Arrow has for them.

    The mean of integers must be exact, so it is computed from their sum and number.
    """
    if aggregate.at is None:
        return [(None, "count_all")]
    return [(f"c{aggregate.at}", name) for name in functions_of(aggregate)]


def functions_of(aggregate: Aggregate) -> list[str]:
    """Return the functions of Arrow that an aggregate of a column is computed from."""
    if aggregate.name == "avg":
        return ["sum", "count"] if _is_of(aggregate, EXACT) else ["mean"]
    return [aggregate.name]


def _is_of(aggregate: Aggregate, kinds: Set[Kind]) -> bool:
    return aggregate.of is not None and aggregate.of.kind in kinds


def _reader(
    output: Taken | Aggregate, columns: Sequence[Column]
) -> Callable[[pa.Table], Sequence[Value] | None]:
    """Return the function that takes the values of an output out of grouped rows."""
    if isinstance(output, Taken):
        key, key_type = f"c{output.at}", columns[output.at].type
        return lambda table: physical_list(table.column(key).combine_chunks(), key_type)
    names = [function if of is None else f"{of}_{function}" for of, function in _asked(output)]
    type_ = output.of if output.name in {"min", "max"} else None
    finish: Callable[..., Sequence[Value] | None] = _finite
    if output.name == "sum" and _is_of(output, {Kind.BIGINT}):
        finish = _decimals
    elif output.name == "sum" and _is_of(output, WHOLE):
        finish = _bigints
    elif len(names) > 1:
        finish = _exact_means

    def read(table: pa.Table) -> Sequence[Value] | None:
        arrays = [table.column(name).combine_chunks() for name in names]
        listed = [a.to_pylist() if type_ is None else physical_list(a, type_) for a in arrays]
        return finish(*listed)

    return read


def _finite(values: list[Any]) -> list[Any] | None:
    is_odd = any(type(value) is float and not math.isfinite(value) for value in values)
    return None if is_odd else values


def _decimals(values: list[Any]) -> list[Any]:
    return [None if value is None else Decimal(value) for value in values]


def _bigints(values: list[Any]) -> list[Any] | None:
    found = [None if value is None else int(value) for value in values]
    return None if any(v is not None and abs(v) > BIGINT_MAX for v in found) else found


def _exact_means(sums: list[Any], counts: list[Any]) -> list[Any] | None:
    pairs = zip(sums, counts, strict=True)
    found = [None if not n else quotient(Decimal(total), Decimal(n)) for total, n in pairs]
    is_held = all(v is None or len(v.as_tuple().digits) <= DIGITS_MAX for v in found)
    return found if is_held else None


def _is_safe(aggregate: Aggregate, column: pa.ChunkedArray) -> bool:
    """Whether Arrow computes an aggregate without NaN, which it orders otherwise, or overflow."""
    kind = None if aggregate.of is None else aggregate.of.kind
    if kind is Kind.DOUBLE and aggregate.name != "count":
        return not has_nan(column)
    if kind is not Kind.BIGINT or aggregate.name not in {"sum", "avg"}:
        return True
    ends = pc.min_max(column)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is None or max(-low, high) * len(column) <= BIGINT_MAX
