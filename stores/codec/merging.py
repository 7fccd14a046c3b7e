"""Merges the streams of partitions into one, in the order of the key.

Within a partition rows come in key order; across partitions they come in none. KIP-796 leaves the
composition of partitions to its callers; this is the one that ranges need.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from operator import itemgetter

from stategate.stores.codec.keys import KeyCodec
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.query import BatchStream, Order
from stategate.stores.spec.result import Failure, ResultError, StateQueryResult
from stategate.stores.spec.schema import Row, StoreSchema


def merged_rows(
    result: StateQueryResult[BatchStream],
    schema: StoreSchema,
    *,
    order: Order = Order.ASCENDING,
) -> Iterator[Row]:
    """Yield the rows of all partitions in the order of the key, as tuples of physical values.

    It holds one batch of each partition, and reads the next one when that is used up.

    Args:
        result: the answer to a query whose rows come in key order, such as a `RangeQuery`, with at
            least the key columns.
        schema: the definition of the store.
        order: the order of the query.

    Raises:
        ResultError: a partition failed: its rows would be missing. Raised before the first row.
        CodecError: the rows lack a key column.
    """
    streams = []
    for partition, answer in sorted(result.partitions.items()):
        if isinstance(answer, Failure):
            raise ResultError(
                f"partition {partition} failed: {answer.reason.value}: {answer.message}"
            )
        streams.append(_keyed(answer.value, schema))
    by_key = heapq.merge(*streams, key=itemgetter(0), reverse=order is Order.DESCENDING)
    return map(itemgetter(1), by_key)


def _keyed(stream: BatchStream, schema: StoreSchema) -> Iterator[tuple[bytes, Row]]:
    """Yield each row after its encoded key, whose bytes sort as SQL sorts."""
    codec, known = KeyCodec(schema.key), schema.column_by_name
    for batch in stream:
        keys = codec.encode_columns([batch.column(column.name) for column in schema.key])
        columns = [
            physical_list(batch.column(at), known[name].type)
            for at, name in enumerate(batch.schema.names)
        ]
        yield from zip(keys, zip(*columns, strict=True), strict=True)
