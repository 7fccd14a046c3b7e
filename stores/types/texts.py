"""text, bytea, and the type of a bare NULL."""

from __future__ import annotations

import pyarrow as pa

from stores.types.record import KeyForm, SqlType, decode_utf8

TEXT = SqlType(
    name="text",
    aliases=("string", "varchar"),
    parsed=("TEXT", "VARCHAR", "NVARCHAR", "CHAR", "NCHAR", "BPCHAR"),
    postgres="text",
    spelled="text",
    oid=25,
    array_oid=1009,
    duckdb="VARCHAR",
    arrow=pa.string(),
    read=(pa.string(), pa.large_string(), pa.string_view()),
    key=KeyForm.BYTES,
    text=str.encode,
    parse=str,
    encode=str.encode,
    decode=decode_utf8,
)
BYTEA = SqlType(
    name="bytea",
    aliases=("binary",),
    parsed=("VARBINARY", "BINARY"),
    postgres="bytea",
    spelled="bytea",
    oid=17,
    array_oid=1001,
    duckdb="BLOB",
    arrow=pa.binary(),
    read=(pa.binary(), pa.large_binary(), pa.binary_view()),
    key=KeyForm.BYTES,
    text=lambda value: b"\\x" + value.hex().encode(),
    encode=bytes,
    decode=bytes,
    cell=lambda value: "\\x" + value.hex(),
)
NULL = SqlType(
    name="null",
    postgres="text",  # what PostgreSQL calls a bare NULL once it leaves the server
    spelled="null",
    oid=25,
    array_oid=1009,
    duckdb="VARCHAR",
    spark=("void",),
    arrow=pa.null(),
    read=(pa.null(),),
    text=str.encode,
    parse=str,
    encode=str.encode,
    decode=decode_utf8,
)
