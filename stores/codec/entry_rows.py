"""Entries to rows, one by one: a function that is generated for the wanted columns.

A loop over the columns of each row takes longer than reading the row. So the usual columns (texts
and integers of a key, values as they lie in a row) are decoded by a function that is compiled for
them. The codecs decode NULLs, and texts of a key that contain NUL.

Law: it returns what the codecs return.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from stores.codec.rows import row_getter
from stores.spec.schema import Row

if TYPE_CHECKING:
    from stores.codec.keys import KeyCodec
    from stores.codec.rows import RowCodec

DecodeRows: TypeAlias = Callable[[Sequence[bytes], Sequence[bytes]], list[Row]]
"""Takes the keys and the rows of entries."""

_TEXT = """
        if key[{at}]:
            end = key.index(0, {after})
            if key[end + 1 : end + 2] == ESCAPE:
                k{number}, at = decode{number}(key, {at})
            else:
                k{number}, at = key[{after} : end]{ending}, end + 1
        else:
            k{number}, at = None, {after}"""
_LAST_TEXT = """
        text = key[{after} : -1]
        if key[{at}] and not key[-1] and 0 not in text:
            k{number} = text{ending}
        else:
            k{number}, at = decode{number}(key, {at})"""
_FIXED = """
        k{number}, at = decode{number}(key, {at})"""


def entry_rows(keys: KeyCodec, rows: RowCodec, places: Sequence[int], *, at: int) -> DecodeRows:
    """Return the function that decodes columns of entries.

    Args:
        keys: decodes keys; its columns have the first places.
        rows: decodes rows.
        places: the wanted columns, at least one.
        at: where keys begin.
    """
    width = len(keys.columns)
    wanted = [place - width for place in places if place >= width]
    key_parts = max((place for place in places if place < width), default=-1) + 1
    names: dict[str, Any] = {"ESCAPE": b"\xff"}
    source = "def decoded(keys, rows):\n    found = []\n    add = found.append\n"
    source += "    for key, row in zip(keys, rows):"
    for place, part in enumerate(keys.parts[:key_parts]):
        names[f"decode{place}"] = part.decode
        ending = ".decode()" if part.is_text else ""
        # Only where the first column begins is known.
        begin, after = ("at", "at + 1") if place else (str(at), str(at + 1))
        is_last = place == width - 1
        form = _FIXED if part.width is not None else _LAST_TEXT if is_last else _TEXT
        source += form.format(number=place, at=begin, after=after, ending=ending)
    expressions = {place: f"k{place}" for place in range(key_parts)}
    if wanted:
        written = rows.written_out(wanted)
        names |= written.names
        source += f"\n        {written.slots}\n        if {written.condition}:"
        direct = {place + width: text for place, text in zip(wanted, written.values, strict=True)}
        source += f"\n            add({_tuple([(expressions | direct)[p] for p in places])})"
        slow = {place + width: f"values[{n}]" for n, place in enumerate(wanted)}
        source += "\n        else:\n            values = decode_row(row)"
        source += f"\n            add({_tuple([(expressions | slow)[p] for p in places])})"
    else:
        source += f"\n        add({_tuple([expressions[p] for p in places])})"
    exec(source + "\n    return found\n", names)
    decoded: DecodeRows = names["decoded"]
    take = row_getter(places)

    def decode(entry_keys: Sequence[bytes], entry_rows: Sequence[bytes]) -> list[Row]:
        try:
            return decoded(entry_keys, entry_rows)
        except (IndexError, ValueError, struct.error):
            # The codecs raise the error with the cause.
            pairs = zip(entry_keys, entry_rows, strict=True)
            return [take(keys.values(key, at) + rows.decode(row)) for key, row in pairs]

    return decode


def _tuple(values: Sequence[str]) -> str:
    return f"({' '.join(f'{value},' for value in values)})"
