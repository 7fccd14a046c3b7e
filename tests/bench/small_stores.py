"""Stores for small answers, with the sizes and shapes of the demo's, and tables for PostgreSQL.

Keys are digits as text, because pgbench can draw numbers but no text; see `tests.bench.data`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
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
    DataType,
    InputTopic,
    StoreKind,
    StoreSchema,
)

AIRCRAFT_ROWS = 4_043
FIRST_TAILNUM = 100_001
AIRPORTS = 100
FIRST_AIRPORT = 100
DESTINATIONS = 87
"""Number of destinations: the first of the airports."""
FIRST_DAY = np.datetime64("2013-01-01", "us")
DAYS, DAYS_OF_FEW = 365, 31
"""Days with windows, and their number in a small run."""
HOURS = np.array([*range(4), *range(9, 24)])
"""Hours of a day that have windows; no flight departs at night."""
NEWEST_AIRPORTS = 5
"""Airports that have the newest window, which has only begun to fill."""
_HOUR_US = 3_600_000_000
_DAY_US = 24 * _HOUR_US


def _columns(**types: DataType) -> tuple[Column, ...]:
    return tuple(Column(name=name, type=each) for name, each in types.items())


_FLIGHTS = (InputTopic(topic="flights"),)
AIRCRAFT = StoreSchema(
    name="aircraft",
    kind=StoreKind.KEYVALUE,
    key=_columns(tailnum=TEXT),
    value=_columns(
        last_seen=TIMESTAMPTZ,
        last_origin=TEXT,
        last_dest=TEXT,
        flights=BIGINT,
        air_time=DOUBLE,
        distance=DOUBLE,
    ),
    partitions=4,
    inputs=_FLIGHTS,
)
AIRPORT_HOURLY = StoreSchema(
    name="airport_hourly",
    kind=StoreKind.WINDOW,
    key=_columns(origin=TEXT),
    value=_columns(departures=BIGINT, mean_dep_delay=DOUBLE),
    partitions=4,
    inputs=_FLIGHTS,
    window_size_ms=3_600_000,
)
SCHEMAS = (AIRCRAFT, AIRPORT_HOURLY)

CREATE_TABLES: Mapping[str, str] = {
    AIRCRAFT.name: """
        CREATE TABLE aircraft (
            tailnum text PRIMARY KEY,
            last_seen timestamptz,
            last_origin text,
            last_dest text,
            flights bigint,
            air_time double precision,
            distance double precision
        )""",
    AIRPORT_HOURLY.name: """
        CREATE TABLE airport_hourly (
            origin text,
            window_start timestamptz,
            window_end timestamptz,
            departures bigint,
            mean_dep_delay double precision,
            PRIMARY KEY (origin, window_start)
        );
        CREATE INDEX ON airport_hourly (window_start)""",
}
"""A store finds rows by key and by window, so the tables have indexes for both. No value column has
one: a store has none for them either."""


def tables(days: int) -> Mapping[str, pa.Table]:
    """Return the rows of each store, the same in every run."""
    return {AIRCRAFT.name: aircraft(days), AIRPORT_HOURLY.name: airport_hourly(days)}


def aircraft(days: int) -> pa.Table:
    """Return the aircraft by tail number; no two have flown the same distance.

    Each was last seen in an hour that has a window at its last origin.
    """
    random = np.random.default_rng(20130102)
    count = AIRCRAFT_ROWS
    flights = 1 + random.integers(0, 24, count) ** 2
    minute_us = random.integers(0, 60, count) * 60_000_000
    seen_us = random.choice(_hours(days)[:-1], count) + minute_us
    return pa.table(
        {
            "tailnum": _digits(np.arange(FIRST_TAILNUM, FIRST_TAILNUM + count)),
            "last_seen": _times(seen_us),
            "last_origin": _digits(FIRST_AIRPORT + random.integers(0, AIRPORTS, count)),
            "last_dest": _digits(FIRST_AIRPORT + random.integers(0, DESTINATIONS, count)),
            "flights": pa.array(flights),
            "air_time": pa.array(flights * 90.0),
            "distance": pa.array(1000.0 + random.permutation(count) * 79),
        },
        schema=AIRCRAFT.arrow_schema(),
    )


def airport_hourly(days: int) -> pa.Table:
    """Return the windows of all airports: 19 a day, but in the newest hour some have none yet."""
    random = np.random.default_rng(20130103)
    hours = _hours(days)
    start = np.tile(hours, AIRPORTS)
    airport = np.repeat(np.arange(AIRPORTS), hours.size)
    known = (start < start.max()) | (airport < NEWEST_AIRPORTS)
    start, airport = start[known], airport[known]
    return pa.table(
        {
            "origin": _digits(FIRST_AIRPORT + airport),
            "window_start": _times(start),
            "window_end": _times(start + _HOUR_US),
            "departures": pa.array(1 + random.integers(0, 60, len(start))),
            # Quarters add up exactly, in any order.
            "mean_dep_delay": pa.array(random.integers(-40, 400, len(start)) / 4),
        },
        schema=AIRPORT_HOURLY.arrow_schema(),
    )


def _hours(days: int) -> npt.NDArray[np.int64]:
    """Return the starts of the hours that have windows, in order; the last is the newest."""
    hours = np.arange(days)[:, None] * _DAY_US + HOURS[None, :] * _HOUR_US
    starts: npt.NDArray[np.int64] = FIRST_DAY.astype(np.int64) + hours.ravel()
    return starts


def write_logs(root: Path, rows: Mapping[str, pa.Table]) -> None:
    """Write the rows of each store as the first epoch of its log."""
    for schema in SCHEMAS:
        table = rows[schema.name]
        StoreWriter(str(root), schema).write(table, position=Position.of({"flights": {0: 1}}))


def write_csvs(directory: Path, rows: Mapping[str, pa.Table]) -> Mapping[str, Path]:
    """Write the rows as PostgreSQL's COPY reads them; return the file of each table."""
    paths = {name: directory / f"{name}.csv" for name in rows}
    for name, table in rows.items():
        pyarrow.csv.write_csv(table, paths[name])
    return paths


def _digits(numbers: npt.NDArray[np.int64]) -> pa.Array:
    return pa.array(np.char.mod("%d", numbers), pa.string())


def _times(epoch_us: npt.NDArray[np.int64]) -> pa.Array:
    return pa.array(epoch_us, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
