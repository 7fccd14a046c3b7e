"""Encodes keys as bytes that sort as SQL sorts, and decodes them, one by one or by column.

The bytes of a key are those of its columns in order, each as `key_columns` encodes it.

Laws: decode(encode(k)) == k except for negative zero and NaN's payload; a < b if and only if
encode(a) < encode(b); no key's bytes begin another key's, except where a text in the last column
goes on with NUL: only there FF follows.
Source: FoundationDB's tuple layer. Kafka's serializers do not keep the order of SQL.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.key_columns import Piece, key_column
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import binary_parts, joined_bytes, physical_array, physical_list
from stategate.stores.spec.query import Interval
from stategate.stores.spec.schema import Column, Key, Kind, Value

_MISFITS = (TypeError, ValueError, ArithmeticError, struct.error, AttributeError)
"""The errors of an encoder for a value that does not fit its column."""

CODECS_MAX = 256
"""Number of combinations of columns whose codecs are kept."""


@lru_cache(CODECS_MAX)
def key_codec(columns: tuple[Column, ...]) -> KeyCodec:
    """Return the codec for keys of these columns; the partitions of a store share it."""
    return KeyCodec(columns)


class KeyCodec:
    """Encodes and decodes keys of these columns; built once per store."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self.parts = tuple(key_column(column) for column in columns)
        self._encoders = tuple(part.encode for part in self.parts)
        self._only = self._encoders[0] if len(self._encoders) == 1 else None
        self._values_from = _decoder([part.decode for part in self.parts])
        self._last_range: tuple[Interval | None, tuple[bytes | None, bytes | None]]
        self._last_range = None, (None, None)
        self._text_at = [i for i, part in enumerate(self.parts) if part.width is None]

    def encode(self, key: Key) -> bytes:
        """Encode a whole key, or a prefix of its columns.

        Raises:
            CodecError: a value does not fit its column, or there are more values than columns.
        """
        if not 0 < len(key) <= len(self.parts):
            raise self._misfit(key)
        try:
            if self._only is not None:
                return self._only(key[0])
            return b"".join([encode(v) for encode, v in zip(self._encoders, key, strict=False)])
        except _MISFITS as error:
            raise self._misfit(key) from error

    def encode_whole(self, key: Key) -> bytes:
        """Encode a whole key.

        Raises:
            CodecError: a value does not fit its column, or the key has too few or too many values.
        """
        if len(key) != len(self.parts):
            raise self._misfit(key)
        if self._only is None:
            return self.encode(key)
        try:
            return self._only(key[0])
        except _MISFITS as error:
            raise self._misfit(key) from error

    def encode_all(self, keys: Sequence[Key], *, prefix: bytes = b"") -> list[bytes]:
        """Encode many whole keys, each after a prefix.

        Raises:
            CodecError: as `encode_whole`.
        """
        if self._only is not None:
            encode_keys = self.parts[0].encode_keys
            try:
                if encode_keys is not None:
                    return encode_keys(keys, prefix)
                only = self._only
                return [prefix + only(value) for (value,) in keys]
            except _MISFITS:
                pass  # encode_whole names the key that does not fit
        return [prefix + self.encode_whole(key) for key in keys]

    def _misfit(self, key: Key) -> CodecError:
        for column, part, value in zip(self.columns, self.parts, key, strict=False):
            try:
                part.encode(value)
            except _MISFITS:
                return CodecError(
                    f'{type(value).__name__} does not fit key column "{column.name}" '
                    f"of type {column.type}"
                )
        return CodecError(f"the number of key columns is {len(self.columns)}, not {len(key)}")

    def decode(self, encoded: bytes, at: int = 0) -> tuple[Key, int]:
        """Decode the key that begins at `at`; return it and where it ends.

        Raises:
            CodecError: the bytes are not a key of these columns.
        """
        values = []
        try:
            for part in self.parts:
                value, at = part.decode(encoded, at)
                values.append(value)
        except (IndexError, ValueError, struct.error) as error:
            raise CodecError(f"no key in {encoded[:64]!r}") from error
        return tuple(values), at

    def values(self, encoded: bytes, at: int) -> Key:
        """Return the values of the key that begins at `at`.

        Raises:
            CodecError: the bytes are not a key of these columns.
        """
        try:
            return self._values_from(encoded, at)
        except (IndexError, ValueError, struct.error) as error:
            raise CodecError(f"no key in {encoded[:64]!r}") from error

    def range_of(self, interval: Interval) -> tuple[bytes | None, bytes | None]:
        """Return the interval in bytes, the start inclusive, the end exclusive; None is open.

        The partitions of a store share this codec, and are asked with one interval in turn.
        """
        last, found = self._last_range
        if last is interval:
            return found
        lower, upper = interval.lower, interval.upper
        start = None if lower is None else self.encode(lower)
        if start is not None and not interval.lower_inclusive:
            start = after_prefix(start)
        end = None if upper is None else self.encode(upper)
        if end is not None and interval.upper_inclusive:
            end = after_prefix(end)
        self._last_range = interval, (start, end)
        return start, end

    def range_of_prefix(self, prefix: Key, text: str | bytes | None) -> tuple[bytes, bytes]:
        """Return the bytes of keys with this prefix whose next column begins with `text`.

        Returns:
            The start, inclusive, and the end, exclusive.

        Raises:
            CodecError: a value does not fit its column, or no column of text follows them.
        """
        start = self.encode(prefix) if prefix else b""
        if text is None:
            return start, after_prefix(start)
        column = self.columns[len(prefix)] if len(prefix) < len(self.columns) else None
        wanted = Kind.TEXT if isinstance(text, str) else Kind.BYTEA
        if column is None or column.type.kind is not wanted:
            raise CodecError(f"the key has no {wanted.value} column after {len(prefix)} others")
        # Without its terminator, a text is a prefix of all texts that begin with it.
        try:
            start += self.parts[len(prefix)].encode(text)[:-1]
        except UnicodeEncodeError as error:
            raise self._misfit((*prefix, text)) from error
        return start, _after_bytes(start)

    def encode_columns(self, arrays: Sequence[pa.Array], *, prefix: bytes = b"") -> list[bytes]:
        """Encode the keys of all rows from one array per key column, each after a prefix."""
        if any(array.null_count for array in arrays):
            rows = zip(*[physical_list(a, c.type) for a, c in self._with(arrays)], strict=True)
            return [prefix + self.encode(row) for row in rows]
        pieces: list[Piece] = [prefix]
        for part, array in zip(self.parts, arrays, strict=True):
            for piece in part.encode_array(array):
                if isinstance(piece, bytes) and isinstance(pieces[-1], bytes):
                    pieces[-1] += piece
                else:
                    pieces.append(piece)
        return joined_bytes(pieces)

    def _with(self, arrays: Sequence[pa.Array]) -> list[tuple[pa.Array, Column]]:
        return list(zip(arrays, self.columns, strict=True))

    def decode_columns(
        self, keys: Sequence[bytes], wanted: Sequence[bool], *, skipped: int = 0
    ) -> list[pa.Array | None]:
        """Decode many keys to one array per wanted key column, None for the others.

        Without NULLs and with at most one column of text, every column lies at a fixed distance
        from one end of the key and is cut out of all keys at once. Other keys are decoded one by
        one.

        Args:
            keys: the encoded keys.
            wanted: for each column whether to decode it.
            skipped: bytes before each key.
        """
        if not any(wanted):
            return [None] * len(self.parts)
        column = pa.array(keys, pa.binary())
        if len(self._text_at) <= 1 and self._is_regular(column, skipped):
            return self._decode_regular(column, wanted, skipped)
        decoded = [self.decode(key, skipped)[0] for key in keys]
        columns = list(zip(*decoded, strict=True)) or [()] * len(self.parts)
        return [
            physical_array(values, column.type) if want else None
            for values, column, want in zip(columns, self.columns, wanted, strict=True)
        ]

    def _is_regular(self, keys: pa.Array, skipped: int) -> bool:
        widths = [1 + (part.width or 0) for part in self.parts]
        offsets, data = binary_parts(keys)
        starts, ends = offsets[:-1] + skipped, offsets[1:]
        if not self._text_at:
            return bool((ends - starts == sum(widths)).all())
        text = self._text_at[0]
        head, tail = sum(widths[:text]), sum(widths[text + 1 :])
        if not bool((ends - starts >= head + 2 + tail).all()):
            return False
        raw = np.frombuffer(data, dtype=np.uint8)
        terminators = ends - tail - 1
        if raw.size - np.count_nonzero(raw) == len(starts):
            # There is one NUL for each key, its terminator, so no marker is NULL's.
            return bool((raw[terminators] == 0).all())
        marks = [starts + sum(widths[:i]) for i in range(text + 1)]
        if tail:
            # An escaped NUL and a NULL together may put the first NUL where a terminator would be.
            # But a marker follows a terminator, and FF follows an escaped NUL.
            marks.append(ends - tail)
        if not all((raw[places] == 1).all() for places in marks):
            return False
        # The first NUL after the text's marker must be its terminator, before the whole tail: an
        # escaped NUL, or a NULL in any column, puts it elsewhere.
        nuls = np.cumsum(raw == 0)
        before = nuls[starts + head]
        return bool((raw[terminators] == 0).all() and (nuls[terminators] - before == 1).all())

    def _decode_regular(
        self, keys: pa.Array, wanted: Sequence[bool], skipped: int
    ) -> list[pa.Array | None]:
        widths = [1 + (part.width or 0) for part in self.parts]
        text = self._text_at[0] if self._text_at else len(widths)
        head, tail = skipped + sum(widths[:text]), sum(widths[text + 1 :])
        found: list[pa.Array | None] = []
        for i, (part, want) in enumerate(zip(self.parts, wanted, strict=True)):
            if not want:
                found.append(None)
                continue
            if i == text:
                start, stop = head + 1, -(tail + 1)
            elif i < text:
                start = skipped + sum(widths[:i]) + 1
                stop = start + widths[i] - 1
            else:
                start = sum(widths[text + 1 : i]) + 1 - tail
                stop = start + widths[i] - 1
            found.append(part.decode_array(pc.binary_slice(keys, start, stop or None)))
        return found


def _decoder(
    decoders: Sequence[Callable[[bytes, int], tuple[Value, int]]],
) -> Callable[[bytes, int], Key]:
    """Return the function that decodes a key; the usual ones without a loop."""
    if len(decoders) == 1:
        (only,) = decoders
        return lambda encoded, at: (only(encoded, at)[0],)
    if len(decoders) == 2:
        first, second = decoders

        def decode_two(encoded: bytes, at: int) -> Key:
            value, at = first(encoded, at)
            return value, second(encoded, at)[0]

        return decode_two

    def decode_all(encoded: bytes, at: int) -> Key:
        values = []
        for decode in decoders:
            value, at = decode(encoded, at)
            values.append(value)
        return tuple(values)

    return decode_all


def after_prefix(prefix: bytes) -> bytes:
    """Return the bytes after all keys that begin with these columns, before all greater keys.

    A marker (00 or 01) follows a column, never FF. FF follows only the NUL of a text that goes on,
    and that text is greater.
    """
    return prefix + b"\xff"


def _after_bytes(prefix: bytes) -> bytes:
    """Return the least bytes after all that begin with `prefix`, which is not all FF."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])
