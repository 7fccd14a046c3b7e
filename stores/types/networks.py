"""macaddr: addresses of network devices.

Source: PostgreSQL's `src/backend/utils/adt/mac.c`.
"""

from __future__ import annotations

import pyarrow as pa

from stategate.stores.types.record import KeyForm, Spelling, SqlType, bad_binary

_SPACE = "[ \\t\\n\\x0b\\f\\r]+"
_OCTET = "([0-9a-f]{2})"
_HALF = _OCTET * 3
_COLONS = r"\1:\2:\3:\4:\5:\6"
_MACADDR = Spelling(
    steps=(
        (f"^{_SPACE}|{_SPACE}$", ""),
        (r"\b([0-9a-f])\b", r"0\1"),
        (f"^{'-'.join([_OCTET] * 6)}$", _COLONS),
        (f"^{_HALF}[:-]?{_HALF}$", _COLONS),
        (f"^{_OCTET * 2}[.]{_OCTET * 2}[.]{_OCTET * 2}$", _COLONS),
        (f"^{_OCTET * 2}-{_OCTET * 2}-{_OCTET * 2}$", _COLONS),
    ),
    held="[0-9a-f]{2}(:[0-9a-f]{2}){5}",
)
"""`08:00:2b:01:02:03`, whose order is that of the bytes. The manual's seven forms are read, and
octets of one digit between colons or hyphens."""


def _decode_macaddr(raw: bytes) -> str:
    if len(raw) != 6:
        raise bad_binary("macaddr")
    return raw.hex(":")


MACADDR = SqlType(
    name="macaddr",
    postgres="macaddr",
    spelled="macaddr",
    oid=829,
    array_oid=1040,
    length=6,
    has_extremes=False,
    duckdb="VARCHAR",
    arrow=pa.string(),
    key=KeyForm.BYTES,
    text=str.encode,
    parse=_MACADDR.parser("macaddr"),
    canonical=_MACADDR.canonical(_MACADDR.parser("macaddr")),
    spelling=_MACADDR,
    encode=lambda value: bytes.fromhex(value.replace(":", "")),
    decode=_decode_macaddr,
)
