"""Rows that every measurement reads, the same for the gateway and its rival.

Keys are ten digits as text. pgbench can make random numbers but not turn them into text. Both
servers read a number that it sends as an untyped parameter as text, so one script serves both.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import (
    BIGINT,
    DOUBLE,
    TEXT,
    TIMESTAMPTZ,
    Column,
    InputTopic,
    StoreKind,
    StoreSchema,
)

STORE = "users"
FIRST_KEY = 1_000_000_001
CITIES = 100

SCHEMA = StoreSchema(
    name=STORE,
    kind=StoreKind.KEYVALUE,
    key=(Column(name="id", type=TEXT),),
    value=(
        Column(name="visits", type=BIGINT),
        Column(name="score", type=DOUBLE),
        Column(name="seen", type=TIMESTAMPTZ),
        Column(name="city", type=TEXT),
    ),
    partitions=8,
    inputs=(InputTopic(topic="visits"),),
)

CREATE_TABLE = """
CREATE TABLE users (
    id text PRIMARY KEY,
    visits bigint,
    score double precision,
    seen timestamptz,
    city text
)
"""


def rows(keys: int) -> pa.Table:
    """Return the rows by key, the same in every run."""
    random = np.random.default_rng(20130101)
    ids = np.char.mod("%d", np.arange(FIRST_KEY, FIRST_KEY + keys))
    seen = 1_700_000_000_000_000 + random.integers(0, 10**12, keys)
    cities = np.array([f"city number {number}" for number in range(CITIES)])
    return pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "visits": pa.array(random.integers(0, 10**6, keys)),
            # Quarters add up exactly, in any order.
            "score": pa.array(random.integers(0, 4000, keys) / 4),
            "seen": pa.array(seen, pa.int64()).cast(pa.timestamp("us", tz="UTC")),
            "city": pa.array(cities[random.integers(0, CITIES, keys)], pa.string()),
        },
        schema=SCHEMA.arrow_schema(),
    )


def write_log(root: Path, table: pa.Table) -> None:
    """Write the rows as the first epoch of a state log."""
    StoreWriter(str(root), SCHEMA).write(table, position=Position.of({"visits": {0: len(table)}}))


def write_csv(path: Path, table: pa.Table) -> None:
    """Write the rows as PostgreSQL's COPY reads them."""
    pyarrow.csv.write_csv(table, path)
