"""Encoders of rows in memory: rows to DataRow messages.

They are generated for the columns of a statement. Many rows are encoded with the columns printed
beforehand that take less time that way. Batches have encoders of their own (`types.fields`).

Law: all of them encode as `looping_encoder` does.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

from stategate.gateway.pgwire.types.encoders import TEXT_FORMAT, wire_type
from stategate.gateway.pgwire.types.wire_type import Encode, WireType
from stategate.planner.engine import Column, Row, Value

EncodeRows: TypeAlias = Callable[[Sequence[Row]], bytes]

PRINTED_ROWS = 16
"""From this many rows on, columns are printed beforehand: to turn rows into columns, and back,
takes as long as that saves for ten."""
DATA_ROW = ord("D")
"""The type of the message."""
_NULL_FIELD = struct.pack(">i", -1)
_pack_length = struct.Struct(">i").pack
_pack_head = struct.Struct(">BiH").pack
_LENGTHS = [_pack_length(length) for length in range(1024)]
"""Packed length prefixes of short fields: finding one costs a third of packing it."""
_SHORT = len(_LENGTHS)
_WRITTEN_OUT_MAX = 32
"""Maximum columns for which an encoder is compiled, which takes 60 µs a column."""
_FACTORIES_MAX = 256
"""Compiled factories that are kept, of some kilobytes each."""


def rows_encoder(columns: Sequence[Column], formats: Sequence[int]) -> EncodeRows:
    """Return the function that encodes rows in memory as DataRows.

    Args:
        columns: the columns of the rows.
        formats: the format of each column.
    """
    wires = [wire_type(column.type) for column in columns]
    texts = [code == TEXT_FORMAT for code in formats]
    encoders = [
        wire.encode_text if is_text else wire.encode_binary
        for wire, is_text in zip(wires, texts, strict=True)
    ]
    looping = looping_encoder(encoders)
    if not 0 < len(encoders) <= _WRITTEN_OUT_MAX:
        return looping
    plain = _written_out((False,) * len(encoders))(*encoders, slowly=looping)
    printed = tuple(
        is_text and wire.encode_texts is not None
        for wire, is_text in zip(wires, texts, strict=True)
    )
    if not any(printed):
        return plain
    given = [
        bytes if is_printed else encode
        for encode, is_printed in zip(encoders, printed, strict=True)
    ]
    many = _printing_first(
        [wire if is_printed else None for wire, is_printed in zip(wires, printed, strict=True)],
        _written_out(printed)(*given, slowly=looping_encoder(given)),
    )
    return lambda rows: many(rows) if len(rows) >= PRINTED_ROWS else plain(rows)


def looping_encoder(encoders: Sequence[Encode]) -> EncodeRows:
    """Return an encoder of rows of any width, which loops over the columns."""
    count = len(encoders)

    def encode_row(row: Row) -> bytes:
        parts: list[bytes] = []
        add = parts.append
        # `zip` need not be strict: the engine returns a value for each column. This loop is hot.
        for value, encode_value in zip(row, encoders, strict=False):
            if value is None:
                add(_NULL_FIELD)
            else:
                field = encode_value(value)
                length = len(field)
                add(_LENGTHS[length] if length < _SHORT else _pack_length(length))
                add(field)
        body = b"".join(parts)
        return _pack_head(DATA_ROW, len(body) + 6, count) + body

    return lambda rows: b"".join(map(encode_row, rows))


_COLUMN = """
                if v{0} is None:
                    n{0}, f{0}, s{0} = NULL_FIELD, b"", 0
                else:
                    f{0} = {1}
                    s{0} = len(f{0})
                    n{0} = LENGTHS[s{0}]"""
_ROWS = """
def made({encoders}, NULL_FIELD, LENGTHS, HEADS, slowly):
    def encode_rows(rows):
        parts = []
        try:
            for {values}, in rows:{columns}
                parts += HEADS[{sizes}], {fields}
        except IndexError:  # a row is too long for the tables
            return slowly(rows)
        return b"".join(parts)
    return encode_rows
"""


@lru_cache(maxsize=_FACTORIES_MAX)
def _written_out(printed: tuple[bool, ...]) -> Callable[..., EncodeRows]:
    """Compile a factory of encoders for some columns without a loop over them.

    They take half of the time that `looping_encoder` takes.

    Args:
        printed: whether each column was printed beforehand.
    """
    count = len(printed)
    numbers = range(count)
    source = _ROWS.format(
        encoders=", ".join(f"e{at}" for at in numbers),
        values=", ".join(f"v{at}" for at in numbers),
        columns="".join(
            _COLUMN.format(at, f"v{at}" if is_printed else f"e{at}(v{at})")
            for at, is_printed in enumerate(printed)
        ),
        sizes=" + ".join(f"s{at}" for at in numbers),
        fields=", ".join(f"n{at}, f{at}" for at in numbers),
    )
    names: dict[str, Any] = {}
    exec(source, names)
    # Python finds these faster as arguments than as global names.
    return partial(names["made"], NULL_FIELD=_NULL_FIELD, LENGTHS=_LENGTHS, HEADS=_heads(count))


@lru_cache(maxsize=_WRITTEN_OUT_MAX)
def _heads(count: int) -> list[bytes]:
    """Return what comes before the fields of a row of `count` columns, by the size of its fields.

    The length of a message counts itself, the number of fields, and their lengths.
    """
    fixed = 6 + 4 * count
    return [_pack_head(DATA_ROW, size + fixed, count) for size in range(_SHORT)]


def _printing_first(wires: Sequence[WireType | None], encode_rows: EncodeRows) -> EncodeRows:
    """Return an encoder of many rows, which prints some columns at once.

    Args:
        wires: the types of these columns; None for the others.
        encode_rows: encodes the rows with these columns printed.
    """

    def encode(rows: Sequence[Row]) -> bytes:
        columns = [
            values if wire is None else _printed(wire, values)
            for wire, values in zip(wires, zip(*rows, strict=True), strict=True)
        ]
        return encode_rows(list(zip(*columns, strict=True)))

    return encode


def _printed(wire: WireType, values: Sequence[Value]) -> Sequence[bytes | None]:
    """Return the texts of values; None for a NULL."""
    assert wire.encode_texts is not None, "the column is printed at once"
    try:
        return wire.encode_texts(values)
    except TypeError:  # to look for NULLs beforehand would take as long as half of the texts
        encode = wire.encode_text
        return [None if value is None else encode(value) for value in values]
