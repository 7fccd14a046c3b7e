"""date, time, timestamp, timestamptz and interval."""

from __future__ import annotations

import pyarrow as pa

from stores.types.record import SqlType

DATE = SqlType(
    name="date",
    parsed=("DATE",),
    postgres="date",
    spelled="date",
    oid=1082,
    array_oid=1182,
    length=4,
    duckdb="DATE",
    arrow=pa.date32(),
    read=(pa.date32(),),
    count=pa.int32(),
    is_key=True,
)
TIME = SqlType(
    name="time",
    parsed=("TIME",),
    postgres="time",
    spelled="time without time zone",
    oid=1083,
    array_oid=1183,
    length=8,
    duckdb="TIME",
    arrow=pa.time64("us"),
    read=(pa.time64("us"),),
    count=pa.int64(),
)
TIMESTAMP = SqlType(
    name="timestamp",
    aliases=("timestampwithouttimezone", "timestamp_ntz"),
    parsed=("TIMESTAMP",),
    postgres="timestamp",
    spelled="timestamp without time zone",
    oid=1114,
    array_oid=1115,
    length=8,
    duckdb="TIMESTAMP",
    arrow=pa.timestamp("us"),
    read=(pa.timestamp("us"),),
    count=pa.int64(),
    is_key=True,
)
TIMESTAMPTZ = SqlType(
    name="timestamptz",
    aliases=("timestampwithtimezone",),
    parsed=("TIMESTAMPTZ", "TIMESTAMPLTZ"),
    postgres="timestamptz",
    spelled="timestamp with time zone",
    oid=1184,
    array_oid=1185,
    length=8,
    duckdb="TIMESTAMPTZ",
    arrow=pa.timestamp("us", tz="UTC"),
    read=(pa.timestamp("us", tz="UTC"),),
    count=pa.int64(),
    is_key=True,
)
INTERVAL = SqlType(
    name="interval",
    parsed=("INTERVAL",),
    postgres="interval",
    spelled="interval",
    oid=1186,
    array_oid=1187,
    length=16,
    duckdb="INTERVAL",
    spark=("interval year", "interval month", "interval year to month"),
    arrow=pa.month_day_nano_interval(),
    read=(pa.month_day_nano_interval(),),
)
