"""Arrays as PostgreSQL's arrays: single values, and whole columns of them."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.gateway.pgwire.types.fields import (
    Array,
    Fields,
    fixed,
    join,
    join_or_null,
    lengths_of,
    ragged,
)
from stategate.gateway.pgwire.types.wire_type import (
    Encode,
    EncodeTyped,
    FindWireType,
    WireType,
    bad_binary,
    sized,
    text_decoder,
)
from stategate.planner.engine import DataType, Kind, QueryError, Value, leaf_of

_unpack_head = struct.Struct(">iiI").unpack_from
_unpack_dimension = struct.Struct(">ii").unpack_from
_unpack_length = struct.Struct(">i").unpack_from
_DIMENSIONS_MAX = 6
"""PostgreSQL's MAXDIM."""
_NEEDS_QUOTES = re.compile(rb'[{},"\\\s]|\A\Z|\Anull\Z', re.IGNORECASE)
_ESCAPED = re.compile(rb'(["\\])')
_QUOTED = r'[{},"\\\t\n\x0b\x0c\r ]|^$|^(?i:null)$'
_TEXT_FORMAT, _BINARY_FORMAT = 0, 1
_EMPTY_HEAD_BYTES, _HEAD_BYTES = 12, 20


def _array_text(encode: Encode, lower: int) -> Encode:
    def field(value: Value) -> bytes:
        if value is None:
            return b"NULL"
        if isinstance(value, list):
            return array(value)
        text = encode(value)
        return b'"%s"' % _ESCAPED.sub(rb"\\\1", text) if _NEEDS_QUOTES.search(text) else text

    def array(values: Value) -> bytes:
        return b"{%s}" % b",".join([field(value) for value in values])

    def with_bounds(values: Value) -> bytes:
        bounds = b"[%d:%d]=" % (lower, lower + len(values) - 1) if values else b""
        return bounds + array(values)

    return array if lower == 1 else with_bounds


def _dimensions(values: Value) -> list[int]:
    """Return the lengths along each dimension.

    Raises:
        QueryError: rows of different lengths, which PostgreSQL's arrays cannot have (0A000).
    """
    lengths: list[int] = []
    level = [values]
    while level and isinstance(level[0], list):
        lengths.append(len(level[0]))
        if any(not isinstance(inner, list) or len(inner) != lengths[-1] for inner in level):
            raise QueryError(
                "an array whose rows have different lengths has no binary form",
                hint="Read it as text, or unnest it.",
                sqlstate="0A000",
            )
        level = [item for inner in level for item in inner]
    return [] if 0 in lengths else lengths


def _leaves(values: Value) -> Iterator[Value]:
    for value in values:
        if isinstance(value, list):
            yield from _leaves(value)
        else:
            yield value


def _array_binary(oid: int, encode: Encode, lower: int) -> Encode:
    def array(values: Value) -> bytes:
        lengths = _dimensions(values)
        leaves = list(_leaves(values)) if lengths else []
        parts = [struct.pack(">iiI", len(lengths), int(None in leaves), oid)]
        parts.extend(struct.pack(">ii", length, lower) for length in lengths)
        parts += [sized(None if leaf is None else encode(leaf)) for leaf in leaves]
        return b"".join(parts)

    return array


def _decode_array(wire: WireType, name: str, raw: bytes) -> list[Value]:
    try:
        count, _, oid = _unpack_head(raw)
        if not 0 <= count <= _DIMENSIONS_MAX or oid != wire.oid:
            raise bad_binary(name)
        lengths = [_unpack_dimension(raw, 12 + 8 * at)[0] for at in range(count)]
        leaves = list(_read_leaves(raw, 12 + 8 * count, wire))
    except struct.error as error:
        raise bad_binary(name) from error
    if math.prod(lengths) * bool(lengths) != len(leaves) or any(size < 0 for size in lengths):
        raise bad_binary(name)
    for size in reversed(lengths[1:]):
        leaves = [leaves[at : at + size] for at in range(0, len(leaves), size)] if size else []
    return leaves


def _read_leaves(raw: bytes, at: int, wire: WireType) -> Iterator[Value]:
    while at < len(raw):
        (length,) = _unpack_length(raw, at)
        at += 4
        if length < 0:
            yield None
            continue
        if at + length > len(raw):
            raise struct.error("an element is cut")
        yield wire.decode_binary(raw[at : at + length])
        at += length


def array_wire_type(
    data_type: DataType, wire_type: FindWireType, encode_column: EncodeTyped
) -> WireType:
    """Return the wire form of an array, whose elements may be arrays."""
    leaf, element = wire_type(leaf_of(data_type)), data_type.element
    assert element is not None, "an array has an element type"
    flat = element.kind is not Kind.ARRAY
    return replace(
        array_type(data_type, leaf),
        encode_column_text=array_text(element, encode_column),
        encode_column_binary=array_binary(element, leaf.oid, encode_column) if flat else None,
    )


def array_type(data_type: DataType, wire: WireType, *, lower: int = 1) -> WireType:
    """Return the wire form of an array from the wire form of its leaves.

    Args:
        data_type: the type of the arrays.
        wire: the wire forms of their leaves.
        lower: their first subscript.
    """
    return WireType(
        oid=wire.array_oid,
        array_oid=wire.array_oid,
        length=-1,
        modifier=wire.modifier,
        encode_text=_array_text(wire.encode_text, lower),
        encode_binary=_array_binary(wire.oid, wire.encode_binary, lower),
        decode_text=text_decoder(data_type),
        decode_binary=lambda raw: _decode_array(wire, f"{leaf_of(data_type)}[]", raw),
    )


# Columns


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
        element: the type of the elements, which is not an array.
        oid: the oid of its type.
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
