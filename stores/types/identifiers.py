"""uuid."""

from __future__ import annotations

import re

import pyarrow as pa

from stores.types.record import SqlType, bad_binary, invalid_text

_UUID = re.compile(r"(\{)?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}(?(1)\})")


def _parse_uuid(text: str) -> str:
    """In lower case with its hyphens; others, behind any four digits, and braces may be there."""
    if not _UUID.fullmatch(text):
        raise invalid_text(text, "uuid")
    return _hyphenated(text.replace("-", "").lower().strip("{}"))


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
    duckdb="UUID",
    arrow=pa.string(),
    extension="arrow.uuid",
    text=str.encode,
    parse=_parse_uuid,
    encode=lambda value: bytes.fromhex(value.replace("-", "")),
    decode=_decode_uuid,
)
