"""The rows of each store, computed by DuckDB over all committed records that Kafka has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from confluent_kafka import Consumer, TopicPartition

from tests.chaos.ledger import GAP_MS, STORES, TOPIC, WINDOW_MS
from tests.spark.kafka.broker import CLIENT_TIMEOUT_S

Rows: TypeAlias = list[tuple[Any, ...]]

RECOMPUTED = {
    "latest": """
        SELECT key, arg_max(n, place), arg_max(amount, place) FROM records GROUP BY key
        HAVING NOT arg_max(gone, place)""",
    "totals": "SELECT key, count(*), sum(amount)::BIGINT FROM records WHERE NOT gone GROUP BY key",
    "windows": f"""
        SELECT key, moment - moment % {WINDOW_MS} AS begun, begun + {WINDOW_MS},
            count(*), sum(amount)::BIGINT
        FROM records WHERE NOT gone GROUP BY key, begun""",
    "sessions": f"""
        WITH gaps AS (
            SELECT key, moment, amount,
                coalesce(moment - lag(moment) OVER by_time > {GAP_MS}, true)::BIGINT AS begins
            FROM records WHERE NOT gone WINDOW by_time AS (PARTITION BY key ORDER BY moment)),
        numbered AS (
            SELECT key, moment, amount,
                sum(begins) OVER (PARTITION BY key ORDER BY moment) AS session FROM gaps)
        SELECT key, min(moment), max(moment) + {GAP_MS}, count(*), sum(amount)::BIGINT FROM numbered
        WHERE key NOT LIKE '%end' GROUP BY key, session""",
}
"""Store → SQL over the relation `records`: key, window if it has one, count and sum.

A session is in the store once it has ended, so those of the last records are not.
"""


def records(kafka: str, partitions: int) -> pa.Table:
    """Read all committed records: key, n, amount, moment (ms), gone, partition, place (offset)."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka,
            "group.id": "recomputing",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    found: Rows = []
    for partition in range(partitions):
        consumer.assign([TopicPartition(TOPIC, partition, 0)])
        while True:
            message = consumer.poll(CLIENT_TIMEOUT_S)
            assert message is not None, "the broker does not answer"
            if message.error() is not None:
                break  # the end of the partition
            key, value = message.key(), message.value()
            assert isinstance(key, bytes)
            parts = [None] * 3 if value is None else [int(part) for part in value.split(b":")]
            found.append((key.decode(), *parts, value is None, partition, message.offset()))
    consumer.close()
    names = ["key", "n", "amount", "moment", "gone", "partition", "place"]
    columns = list(zip(*found, strict=True)) if found else [()] * len(names)
    return pa.table(dict(zip(names, map(list, columns), strict=True)))


def recomputed(records: pa.Table) -> dict[str, Rows]:
    """Return the rows of each store, in order."""
    with duckdb.connect() as connection:
        connection.register("records", records)
        return {store: sorted(connection.execute(RECOMPUTED[store]).fetchall()) for store in STORES}


def difference(ours: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return the rows that only one of two lists has, in words."""
    left, right = set(ours), set(theirs)
    found = [f"{row} should not be there" for row in sorted(left - right)]
    found += [f"{row} is missing" for row in sorted(right - left)]
    if len(ours) != len(left):
        found.append(f"{len(ours) - len(left)} rows are there twice")
    return found
