"""text, bytea, uuid, and the type of a bare NULL."""

from __future__ import annotations

import pyarrow as pa

from stategate.stores.types.record import KeyForm, Spelling, SqlType, bad_binary, decode_utf8

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
    postgres="text",  # PostgreSQL's name for the type of a bare NULL in a result
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


_FOUR = "([0-9a-f]{4})"
_UUID = Spelling(
    steps=(
        (r"^\{(.*)\}$", r"\1"),
        (f"^{'-?'.join([_FOUR] * 8)}$", r"\1\2-\3-\4-\5-\6\7\8"),
    ),
    held="[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
)
"""A uuid has hyphens in their places; input may have braces, and a hyphen after any four digits."""


def _hyphenated(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _decode_uuid(raw: bytes) -> str:
    if len(raw) != 16:
        raise bad_binary("uuid")
    return _hyphenated(raw.hex())


UUID = SqlType(
    name="uuid",
    parsed=("UUID",),
    postgres="uuid",
    spelled="uuid",
    oid=2950,
    array_oid=2951,
    length=16,
    has_extremes=False,
    duckdb="VARCHAR",
    arrow=pa.string(),
    extension="arrow.uuid",
    text=str.encode,
    parse=_UUID.parser("uuid"),
    canonical=_UUID.canonical(_UUID.parser("uuid")),
    spelling=_UUID,
    encode=lambda value: bytes.fromhex(value.replace("-", "")),
    decode=_decode_uuid,
)
