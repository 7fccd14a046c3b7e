"""Records as files: every changed bit and every cut is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import TornRecordError
from stategate.stores.log.metadata.documents import decode_document, encode_document

VALUES = st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8)
FIELDS = st.dictionaries(
    st.text(max_size=6).filter(lambda name: name not in {"format", "checksum"}),
    VALUES | st.lists(VALUES, max_size=3),
    max_size=4,
)


def decoded(data: bytes) -> dict[str, Any]:
    def fields(document: Mapping[str, Any]) -> dict[str, Any]:
        return {n: v for n, v in document.items() if n not in {"format", "checksum"}}

    return decode_document(data, "x", fields)


@given(FIELDS)
def test_records_round_trip(fields: dict[str, Any]) -> None:
    assert decoded(encode_document(fields)) == fields


@given(FIELDS, st.integers(0, 16))
def test_every_flipped_bit_is_found(fields: dict[str, Any], first: int) -> None:
    data = encode_document(fields)
    for bit in range(first, 8 * len(data), 17):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(TornRecordError, match='record "x"'):
            decoded(bytes(flipped))


@given(FIELDS, st.integers(0, 2**16), st.binary(max_size=4))
def test_every_wrong_end_is_found(fields: dict[str, Any], cut: int, tail: bytes) -> None:
    data = encode_document(fields)
    other = data[: cut % len(data)] + tail
    if other != data:
        with pytest.raises(TornRecordError):
            decoded(other)


def test_a_damaged_format_number_is_found() -> None:
    damaged = encode_document({"n": 1}).replace(b'"format": 2', b'"format": 3')
    with pytest.raises(TornRecordError, match="this version reads 2"):
        decoded(damaged)


@pytest.mark.parametrize("found", [0, 1, 3, "2", None, True])
def test_other_formats_are_not_guessed(found: object) -> None:
    with pytest.raises(TornRecordError, match="this version reads 2"):
        decoded(orjson.dumps({"format": found}))
