"""Columns of arrays to fields, by way of the column of all their elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gateway.pgwire.types.fields import Array, Fields, fixed, join, join_or_null, lengths_of, ragged
from gateway.pgwire.types.wire_type import EncodeTyped
from planner.engine import DataType, Kind

_TEXT_FORMAT, _BINARY_FORMAT = 0, 1

_QUOTED = r'[{},"\\\t\n\x0b\x0c\r ]|^$|^(?i:null)$'
_EMPTY_HEAD_BYTES, _HEAD_BYTES = 12, 20


def array_text(element: DataType, encode_column: EncodeTyped) -> Callable[[Array], Fields]:
    """Return the encoder of the text form, `{…}`; elements may be arrays themselves."""

    def encode(array: Array) -> Fields:
        texts = encode_column(_elements(array), element, _TEXT_FORMAT)
        if element.kind is not Kind.ARRAY:
            texts = _quoted(texts)
        joined = pc.binary_join(_listed(array, texts.fill_null(b"NULL")), b",")
        return join_or_null(b"{", joined, b"}")

    return encode


def array_binary(
    element: DataType, oid: int, encode_column: EncodeTyped
) -> Callable[[Array], Fields]:
    """Return the encoder of the binary form of arrays of one dimension.

    Args:
        element: no array.
        oid: of its type.
        encode_column: encodes the elements.
    """

    def encode(array: Array) -> Fields:
        fields = encode_column(_elements(array), element, _BINARY_FORMAT)
        sizes = lengths_of(fields).astype(">i4")
        heads = fixed(sizes.view(np.uint8).reshape(len(fields), sizes.itemsize))
        body = pc.binary_join(_listed(array, join(heads, fields)), b"")
        return join_or_null(_heads(array, fields), body)

    def _heads(array: Array, fields: Fields) -> Fields:
        """Encode the dimensions, a flag for NULLs, the type and, unless it is empty, the bounds."""
        offsets = _offsets(array)
        nulls = np.zeros(len(fields) + 1, np.int64)
        np.cumsum(pc.is_null(fields).to_numpy(zero_copy_only=False), out=nulls[1:])
        lengths = np.diff(offsets)
        made = np.empty((len(array), 5), ">u4")
        made[:, 0] = lengths > 0
        made[:, 1] = nulls[offsets[1:]] > nulls[offsets[:-1]]
        made[:, 2], made[:, 3], made[:, 4] = oid, lengths, 1
        places = np.arange(_HEAD_BYTES)
        kept = places < np.where(lengths > 0, _HEAD_BYTES, _EMPTY_HEAD_BYTES)[:, None]
        return ragged(made.view(np.uint8).reshape(len(array), _HEAD_BYTES), kept)

    return encode


def _offsets(array: Array) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return where each array begins among all elements, and where the last one ends."""
    stored: np.ndarray[Any, np.dtype[np.int32]] = array.offsets.to_numpy()
    return stored - stored[:1]


def _elements(array: Array) -> Array:
    """Return the elements of all arrays, NULL arrays included: they keep their places."""
    offsets = array.offsets
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    return array.values.slice(first, last - first)


def _listed(array: Array, fields: Fields) -> Array:
    """Return the fields in lists as long as the arrays; NULL where an array is NULL."""
    mask = pc.is_null(array) if array.null_count else None
    return pa.ListArray.from_arrays(pa.array(_offsets(array)), fields, mask=mask)


def _quoted(texts: Fields) -> Fields:
    needed = pc.match_substring_regex(texts, _QUOTED)
    if not pc.any(needed, min_count=0).as_py():
        return texts
    escaped = pc.replace_substring_regex(texts, r'(["\\])', r"\\\1")
    return pc.if_else(needed, join_or_null(b'"', escaped, b'"'), texts)
