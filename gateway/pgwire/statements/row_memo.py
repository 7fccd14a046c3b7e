"""The DataRow messages of rows that were encoded before, so that they are not encoded again.

Encoding moments and floating-point numbers takes 0.3 to 1 µs a value; finding the message of a row
takes 0.2. Rows that are asked for again, in whichever combination, are a large part of what a
gateway sends: keys in a list, pages, ranges. Where they are not, keeping them costs more than
encoding them, so the memo notices, and stays out of the way.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from stategate.gateway.pgwire.statements.row_encoders import EncodeRows
from stategate.gateway.pgwire.types.encoders import TEXT_FORMAT
from stategate.planner.engine import Column, Kind, Row

BYTES_MAX = 4 << 20
"""Memory of one memo, some 10,000 rows of five columns."""
MEMOS_MAX = 8
"""Memos that have rows: those that began last."""
ROWS_MIN = 4
"""Fewer rows at once are just encoded: the search costs a microsecond, whatever it finds."""
MESSAGE_BYTES_MAX = 2048
"""Longer messages are not kept."""
TRIED_ROWS = 32_768
"""Rows after which it is decided whether keeping them pays."""
_QUARTER = TRIED_ROWS // 4
"""Rows of the first decision, which ends a trial that finds hardly anything; and of the last one,
which counts only the rows that came when most were known."""
_FIRST_SHARE, _LAST_SHARE = 0.15, 0.85
"""The shares of rows that have to be found. To miss a row and keep it takes one to two times as
long as to encode it."""
PAUSE_ROWS = 16 * TRIED_ROWS
"""Rows that pass without the memo if it does not pay."""
_LONG_ROWS = 64
"""A long message counts as so many rows that were not found, as searching for it takes time."""
_ROW_BYTES = 220
"""Overhead of a kept row: its tuple, its message, and its entry in a dictionary."""
_VALUE_BYTES, _INTERVAL_BYTES = 50, 160
"""Memory of a value, beside its text."""

_FLOATS = frozenset({Kind.REAL, Kind.DOUBLE})
_COSTLY = _FLOATS | {Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL}
"""Kinds whose text takes longer to make than a row to find."""


class RowMemo:
    """Encodes rows, or gives their messages again.

    Law: its messages are those of `encode_rows`.

    It has two generations of rows: what has not been asked for while a new one has grown to half of
    the memory is dropped. Any number of threads may use it, since each step is one of a dictionary;
    at worst a row is encoded twice.

    Args:
        encode_rows: encodes rows.
        row_bytes: about how much memory a row takes, beside its text.
        zeros: the places of floating-point columns. 0.0 and -0.0 are equal, and look different, so
            a row with one of them is not kept.
    """

    __slots__ = (
        "_due",
        "_encode_rows",
        "_found",
        "_older",
        "_pause",
        "_recent",
        "_row_bytes",
        "_tried",
        "_used",
        "_zeros",
    )

    def __init__(
        self, encode_rows: EncodeRows, *, row_bytes: int = _ROW_BYTES, zeros: Sequence[int] = ()
    ) -> None:
        self._encode_rows = encode_rows
        self._row_bytes, self._zeros = row_bytes, zeros
        self._recent: dict[Row, bytes] = {}
        self._older: dict[Row, bytes] = {}
        self._used = 0
        """About how much memory the recent rows take."""
        self._tried = self._pause = 0
        self._due = _QUARTER
        """After how many tried rows it is next decided whether it pays."""
        self._found = 0
        """How many rows of the present quarter were found."""

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """Return the DataRow messages of rows."""
        count = len(rows)
        if count < ROWS_MIN:
            return self._encode_rows(rows)
        if self._pause > 0:
            self._pause -= count
            return self._encode_rows(rows)
        # Hashing and finding all rows runs in C.
        messages = list(map(self._recent.get, rows))
        missing = messages.count(None)
        self._found += count - missing
        self._tried += count
        if self._tried >= self._due and not self._pays():
            self._pause = PAUSE_ROWS
            self.clear()
            return self._encode_rows(rows)
        if not missing:
            return b"".join(messages)  # type: ignore[arg-type] # none is None
        return b"".join(
            [
                self._message(row) if message is None else message
                for row, message in zip(rows, messages, strict=True)
            ]
        )

    def _message(self, row: Row) -> bytes:
        message = self._older.get(row)
        if message is None:
            message = self._encode_rows((row,))
        else:
            self._found += 1
        if len(message) > MESSAGE_BYTES_MAX:
            self._tried += _LONG_ROWS
            return message
        for place in self._zeros:
            if row[place] == 0:
                return message
        if not self._recent or self._used > BYTES_MAX // 2:
            _begin(self)
            self._older, self._recent, self._used = self._recent, {}, 0
        self._used += self._row_bytes + 2 * len(message)
        self._recent[row] = message
        return message

    def _pays(self) -> bool:
        """Whether to go on after a quarter of a trial; count anew."""
        found, self._found = self._found, 0
        self._due += _QUARTER
        if self._tried >= TRIED_ROWS:
            self._tried, self._due = 0, _QUARTER
            return found >= _LAST_SHARE * _QUARTER
        return found >= _FIRST_SHARE * _QUARTER

    def clear(self) -> None:
        """Keep no rows."""
        self._older, self._recent, self._used = {}, {}, 0
        self._tried, self._due = 0, _QUARTER


_with_rows: dict[RowMemo, None] = {}
"""The memos that have rows, in the order in which they began their recent generation."""
_beginning = threading.Lock()


def _begin(memo: RowMemo) -> None:
    """Note that a memo begins a generation, and drop the rows of the one that began first."""
    with _beginning:
        _with_rows.pop(memo, None)
        if len(_with_rows) >= MEMOS_MAX:
            oldest = next(iter(_with_rows))
            del _with_rows[oldest]
            oldest.clear()
        _with_rows[memo] = None


def with_memo(
    columns: Sequence[Column], formats: Sequence[int], encode_rows: EncodeRows
) -> EncodeRows:
    """Return the encoder with a memo if it may pay: if a column is costly.

    Equal rows of these columns must always look the same.
    """
    kinds = [column.type.kind for column in columns]
    texts = [kind for kind, code in zip(kinds, formats, strict=True) if code == TEXT_FORMAT]
    if _COSTLY.isdisjoint(texts) or not all(map(_looks_equal, kinds)):
        return encode_rows
    sizes = [_INTERVAL_BYTES if kind is Kind.INTERVAL else _VALUE_BYTES for kind in kinds]
    zeros = [place for place, kind in enumerate(kinds) if kind in _FLOATS]
    return RowMemo(encode_rows, row_bytes=_ROW_BYTES + sum(sizes), zeros=zeros).encode_rows


def _looks_equal(kind: Kind) -> bool:
    """Whether equal values look the same, but for the zeros of floating-point numbers."""
    return kind.record.has_one_form or kind in _FLOATS
