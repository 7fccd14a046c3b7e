"""boolean, the integers, real, double and decimal."""

from __future__ import annotations

import pyarrow as pa

from stores.types.record import SqlType

BOOLEAN = SqlType(
    name="boolean",
    aliases=("bool",),
    parsed=("BOOLEAN",),
    postgres="bool",
    spelled="boolean",
    oid=16,
    array_oid=1000,
    length=1,
    duckdb="BOOLEAN",
    arrow=pa.bool_(),
    read=(pa.bool_(),),
    is_key=True,
)
TINYINT = SqlType(
    name="tinyint",
    parsed=("TINYINT",),
    postgres="int2",  # which has nothing smaller
    spelled="smallint",
    oid=21,
    array_oid=1005,
    length=2,
    duckdb="TINYINT",
    arrow=pa.int8(),
    read=(pa.int8(),),
    is_key=True,
)
SMALLINT = SqlType(
    name="smallint",
    aliases=("int2",),
    parsed=("SMALLINT",),
    postgres="int2",
    spelled="smallint",
    oid=21,
    array_oid=1005,
    length=2,
    duckdb="SMALLINT",
    arrow=pa.int16(),
    read=(pa.int16(), pa.uint8()),
    is_key=True,
)
INTEGER = SqlType(
    name="integer",
    aliases=("int", "int4"),
    parsed=("INT",),
    postgres="int4",
    spelled="integer",
    oid=23,
    array_oid=1007,
    length=4,
    duckdb="INTEGER",
    arrow=pa.int32(),
    read=(pa.int32(), pa.uint16()),
    is_key=True,
)
BIGINT = SqlType(
    name="bigint",
    aliases=("int8", "long"),
    parsed=("BIGINT",),
    postgres="int8",
    spelled="bigint",
    oid=20,
    array_oid=1016,
    length=8,
    duckdb="BIGINT",
    arrow=pa.int64(),
    read=(pa.int64(), pa.uint32()),
    is_key=True,
)
REAL = SqlType(
    name="real",
    aliases=("float", "float4"),
    parsed=("FLOAT",),
    postgres="float4",
    spelled="real",
    oid=700,
    array_oid=1021,
    length=4,
    duckdb="FLOAT",
    arrow=pa.float32(),
    read=(pa.float32(),),
    is_key=True,
)
DOUBLE = SqlType(
    name="double",
    aliases=("float8", "doubleprecision"),
    parsed=("DOUBLE",),
    postgres="float8",
    spelled="double precision",
    oid=701,
    array_oid=1022,
    length=8,
    duckdb="DOUBLE",
    arrow=pa.float64(),
    read=(pa.float64(),),
    is_key=True,
)
DECIMAL = SqlType(
    name="decimal",
    parsed=("DECIMAL", "BIGDECIMAL"),
    postgres="numeric",
    spelled="numeric",
    oid=1700,
    array_oid=1231,
    duckdb="DECIMAL",
    is_key=True,
)
