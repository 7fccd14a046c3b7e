"""Entries to rows, one by one: a function that is generated for the wanted columns.

A loop over the columns of each row takes longer than reading the row. So the usual columns (texts
and integers of a key, values as they lie in a row) are decoded by one expression that is compiled
for them. The codecs decode keys with NULLs, or with texts that contain NUL.

Law: it returns what the codecs return.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from stategate.stores.codec.rows import row_getter
from stategate.stores.spec.schema import Row

if TYPE_CHECKING:
    from stategate.stores.codec.key_columns import KeyColumn
    from stategate.stores.codec.keys import KeyCodec
    from stategate.stores.codec.rows import RowCodec

DecodeRows: TypeAlias = Callable[[Sequence[bytes], Sequence[bytes]], list[Row]]
"""Takes the keys and the rows of entries."""
DECODERS_MAX = 256
"""Number of functions that are kept."""

_TEXTS = """
    head = keys[0][: {after}]
    joined = b"".join(keys)
    texts = joined[{after} : -1].decode().split(f"\\0{{head.decode()}}")
    # NUL follows each text; FF follows any other NUL, and does not occur in UTF-8.
    if not head[-1] or 0 in head or joined[-1] or len(texts) != len(keys):
        raise ValueError"""
"""Decodes all keys together, if their only column is a text."""


class _WrittenKey(NamedTuple):
    """Code for `key`, the bytes of a key."""

    conditions: list[str]
    """Whether the values can be used; these are evaluated first."""
    values: list[str]
    """An expression for each column."""
    names: dict[str, Any]
    """The objects that the code refers to."""


@lru_cache(DECODERS_MAX)
def entry_rows(
    keys: KeyCodec, rows: RowCodec, places: tuple[int, ...], *, at: int, times: int = 0
) -> DecodeRows:
    """Return the function that decodes columns of entries; the partitions of a store share it.

    Args:
        keys: decodes keys; its columns have the first places.
        rows: decodes rows.
        places: the wanted columns, at least one.
        at: where keys begin.
        times: how many of the last columns of a key are times, which are never NULL.
    """
    width = len(keys.columns)
    take = row_getter(places)

    def slowly(key: bytes, row: bytes) -> Row:
        return take(keys.values(key, at) + rows.decode(row))

    wanted_keys = [place for place in places if place < width]
    wanted = [place - width for place in places if place >= width]
    names: dict[str, Any] = {"slowly": slowly}
    prelude, conditions, expressions = "", list[str](), dict[int, str]()
    taken = [("key", "keys")]
    if wanted_keys and width == 1 and keys.parts[0].is_text:
        prelude = _TEXTS.format(after=at + 1)
        taken, expressions = [("text", "texts")], {0: "text"}
    elif wanted_keys:
        written_key = _written_key(keys.parts, wanted_keys, at, times)
        names |= written_key.names
        conditions, expressions = written_key.conditions, dict(enumerate(written_key.values))
    found = _tuple([expressions.get(place, "") for place in places])
    if wanted:
        written = rows.written_out(wanted)
        names |= written.names
        taken += [(f"({', '.join(written.slots)},)", "map(unpack, rows)"), ("row", "rows")]
        direct = {place + width: text for place, text in zip(wanted, written.values, strict=True)}
        checked = {place + width: text for place, text in zip(wanted, written.checked, strict=True)}
        found, other = (
            _tuple([(expressions | values)[place] for place in places])
            for values in (direct, checked)
        )
        found = f"{found} if {written.condition} else {other}"
    elif conditions:
        taken.append(("row", "rows"))
    if conditions:
        found = f"({found}) if {' and '.join(conditions)} else slowly(key, row)"
    variables, sources = zip(*taken, strict=True)
    each = f"zip({', '.join(sources)})" if len(taken) > 1 else sources[0]
    source = f"def decoded(keys, rows):{prelude}\n"
    exec(f"{source}    return [{found} for {', '.join(variables)} in {each}]\n", names)
    decoded: DecodeRows = names["decoded"]

    def decode(entry_keys: Sequence[bytes], entry_rows: Sequence[bytes]) -> list[Row]:
        try:
            return decoded(entry_keys, entry_rows)
        except (IndexError, ValueError, struct.error):
            # The codecs raise the error with the cause.
            return list(map(slowly, entry_keys, entry_rows))

    return decode


def _written_key(
    parts: Sequence[KeyColumn], places: Sequence[int], at: int, times: int
) -> _WrittenKey:
    """Return the code that decodes the columns of a key up to the last of these places."""
    first_time = len(parts) - times
    before = [place for place in places if place < first_time]
    conditions, values, names = list[str](), list[str](), dict[str, Any]()
    # Where a column begins: this many bytes after another place, or after the first byte.
    begin, offset = "", at
    for place, part in enumerate(parts[: max(before, default=-1) + 1]):
        marker, after = f"{begin}{offset}", f"{begin}{offset + 1}"
        conditions.append(f"key[{marker}]")
        ending = ".decode()" if part.is_text else ""
        if part.width is not None:
            if part.integer is None:
                names[f"decode{place}"] = part.decode
                values.append(f"decode{place}(key, {marker})[0]")
            else:
                values.append(_integer(part, after, names))
            offset += 1 + part.width
        elif place == len(parts) - 1:
            conditions.append(f"not key[-1] and 0 not in (text := key[{after} : -1])")
            values.append(f"text{ending}")
        else:
            # Another marker follows the NUL after a text; FF follows any other NUL.
            conditions.append(f"key[(end{place} := key.index(0, {after})) + 1] != 255")
            values.append(f"key[{after} : end{place}]{ending}")
            begin, offset = f"end{place} + ", 1
    values += [""] * (first_time - len(values))
    for place, part in enumerate(parts[first_time:], first_time):
        # The times lie at fixed distances from the end.
        values.append(_integer(part, f"{-8 - 9 * (len(parts) - place - 1)}", names))
    return _WrittenKey(conditions, values, names)


def _integer(part: KeyColumn, at: str, names: dict[str, Any]) -> str:
    """Return the expression for an integer whose bytes begin at a place."""
    assert part.width is not None
    name, bias = f"integer{part.width}", 1 << (8 * part.width - 1)
    names[name] = struct.Struct(f">{part.integer}").unpack_from
    return f"{name}(key, {at})[0] - {bias}"


def _tuple(values: Sequence[str]) -> str:
    return f"({' '.join(f'{value},' for value in values)})"
