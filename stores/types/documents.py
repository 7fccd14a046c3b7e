"""json."""

from __future__ import annotations

import pyarrow as pa

from stores.types.record import SqlType, decode_utf8

JSON = SqlType(
    name="json",
    parsed=("JSON", "JSONB"),
    postgres="json",
    spelled="json",
    oid=114,
    array_oid=199,
    duckdb="VARCHAR",
    arrow=pa.string(),
    extension="arrow.json",
    text=str.encode,
    encode=str.encode,
    decode=decode_utf8,
)
