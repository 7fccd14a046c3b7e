"""json, jsonb, array, struct and map: everything that does not depend on their inner types.

PostgreSQL has no type for structs and maps without declared fields; clients see jsonb.
"""

from __future__ import annotations

import json

import orjson
import pyarrow as pa

from stategate.stores.types.record import SqlType, bad_binary, decode_utf8, invalid_text


def _checked_json(texts: pa.Array) -> pa.Array:
    for text in texts.to_pylist():
        if text is not None and not _is_json(text):
            raise invalid_text(text, "json")
    return texts


def _is_json(text: str) -> bool:
    """Whether a text is a json as PostgreSQL has it: a number or an escape may mean nothing."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        # It refuses numbers beyond a double, and escapes that are half a character.
        try:
            json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no json")


JSON = SqlType(
    name="json",
    parsed=("JSON",),
    postgres="json",
    spelled="json",
    oid=114,
    array_oid=199,
    has_extremes=False,
    duckdb="VARCHAR",
    arrow=pa.string(),
    extension="arrow.json",
    canonical=_checked_json,
    text=str.encode,
    encode=str.encode,
    decode=decode_utf8,
)
_JSONB_VERSION = b"\x01"


def _decode_jsonb(raw: bytes) -> str:
    if not raw.startswith(_JSONB_VERSION):
        raise bad_binary("jsonb")
    return decode_utf8(raw[1:])


JSONB = SqlType(
    name="jsonb",
    parsed=("JSONB",),
    postgres="jsonb",
    spelled="jsonb",
    oid=3802,
    array_oid=3807,
    has_extremes=False,
    has_one_form=False,
    duckdb="VARCHAR",
    arrow=pa.string(),
    text=str.encode,
    encode=lambda value: _JSONB_VERSION + value.encode(),
    decode=_decode_jsonb,
)
"""Values are canonical texts, which the planner makes; a column of a store is a json."""
ARRAY = SqlType(
    name="array",
    postgres="",
    spelled="array",
    oid=0,  # that of its elements' record, `array_oid`
    array_oid=0,
    duckdb="",
    has_one_form=False,
)
STRUCT = SqlType(
    name="struct",
    postgres="jsonb",
    spelled="struct",
    oid=3802,
    array_oid=3807,
    duckdb="STRUCT",
    has_one_form=False,
)
MAP = SqlType(
    has_one_form=False,
    name="map",
    postgres="jsonb",
    spelled="map",
    oid=3802,
    array_oid=3807,
    duckdb="MAP",
)
