"""Few rows of several reads, and the result that a row path makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from stategate.planner.planning.row_path import ROWS_MAX, RowPath
from stategate.planner.planning.scatter import Scatter
from stategate.planner.running.few_reads import FirstRows, first_rows_of
from stategate.planner.running.ordered_reads import first_few_rows
from stategate.stores.spec.query import BatchStream
from stategate.stores.spec.schema import Row


def read_few(
    path: RowPath,
    scatter: Scatter,
    streams: Sequence[BatchStream],
    parameters: Row,
    *,
    until_s: float,
) -> tuple[list[Row], list[int]] | None:
    """Return the result of few rows, or of columns in memory, and how many rows each read had.

    None if there are too many rows, or if only DuckDB can compute the result.

    Raises:
        LateError: few rows take longer than until this time of `time.perf_counter()`.
        StoreError: a partition cannot be read.
    """
    in_memory = rows_in_memory(streams) if path.is_scan else None
    is_few = in_memory is not None and _are_at_hand(scatter, streams, in_memory)
    if in_memory is not None and not is_few and path.takes_columns(in_memory):
        return _reduced(path, scatter, streams, parameters)
    if path.is_skipped and not is_few:
        return None
    return finish_few(path, scatter, first_rows_in(streams, until_s), parameters)


def finish_few(
    path: RowPath, scatter: Scatter, read: FirstRows, parameters: Row
) -> tuple[list[Row], list[int]] | None:
    """Return the result of few rows, and how many each read had; None as for `read_few`.

    Raises:
        LateError: the reads take too long.
        StoreError: a partition cannot be read.
    """
    found = few_rows_of(scatter, read, ROWS_MAX)
    path.note(missed=found is None)
    if found is None:
        return None
    result = path.finish(found[0], parameters)
    return None if result is None else (result, found[1])


def first_rows_in(streams: Sequence[BatchStream], until_s: float) -> FirstRows:
    """Return the function that returns the first rows of each stream; see `first_rows_of`."""
    return first_rows_of(streams, _first_rows, until_s)


def _first_rows(stream: BatchStream, count: int, until_s: float) -> list[Row] | None:
    return stream.first_rows(count, until_s=until_s)


def rows_in_memory(streams: Sequence[BatchStream]) -> int | None:
    """Return how many rows are in memory; None if there are others."""
    rows = 0
    for stream in streams:
        if stream.rows_in_memory is None:
            return None
        rows += stream.rows_in_memory
    return rows


def _are_at_hand(scatter: Scatter, streams: Sequence[BatchStream], rows: int) -> bool:
    """Whether rows in memory are few and kept as tuples, as the first ones by time are."""
    if scatter.access.by_time is None or rows > ROWS_MAX:
        return False
    return all(stream.has_rows for stream in streams)


def few_rows_of(
    scatter: Scatter, read: FirstRows, rows_max: int
) -> tuple[list[Row], list[int]] | None:
    """Return the rows that meet the predicate, and how many each read had; None if too many.

    If the first ones in an order are wanted, the others may be left out. The columns of the access
    come first; others of the predicate may follow.

    Raises:
        LateError: the reads take too long.
        StoreError: a partition cannot be read.
    """
    found = _page(scatter, read) or read(rows_max + 1, rows_max)
    if found is None:
        return None
    rows = [row for each in found for row in each]
    test = scatter.row_test()
    return (rows if test is None else list(filter(test, rows))), list(map(len, found))


def _page(scatter: Scatter, read: FirstRows) -> list[list[Row]] | None:
    """Return rows that include the first ones in the order of several ordered reads.

    None if the reads cannot be merged, or take too long.
    """
    top, access, wanted = scatter.access.top, scatter.access, scatter.enough
    if top is None or top.held is not None or scatter.allowed is not None or not wanted:
        return None
    targets = scatter.targets
    if len({number for number, _ in targets}) < len(targets):
        return None
    return first_few_rows(
        lambda count: read(count, ROWS_MAX),
        [access.columns.index(name) for name, _ in top.columns],
        top.order,
        wanted=wanted,
        reads=len(targets),
        rows_max=ROWS_MAX,
    )


def _reduced(
    path: RowPath, scatter: Scatter, streams: Sequence[BatchStream], parameters: Row
) -> tuple[list[Row], list[int]] | None:
    access, mask_of = scatter.access, scatter.rows_mask()
    read = [list(stream) for stream in streams]
    counts = [sum(batch.num_rows for batch in batches) for batches in read]
    batches = [batch for each in read for batch in each]
    if batches:
        table = pa.Table.from_batches(batches)
    else:
        names = access.decoded(is_exact=mask_of is None)
        table = access.schema.arrow_schema(names).empty_table()
    mask = None if mask_of is None else mask_of(table)
    result = path.finish_columns(table, parameters, mask)
    return None if result is None else (result, counts)
