"""Reads the bodies of answers, whatever parts they come in. No input or output happens here.

Rows come as NDJSON: a line with the columns, a line for each row, and a trailer with the position
or with an error. Arrow has both in the metadata of its last batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from stategate.errors import (
    DatabaseError,
    NotSupportedError,
    OperationalError,
    broken_off,
    error_of,
)
from stategate.position import Position
from stategate.values import Json, Value, row_decoder

if TYPE_CHECKING:
    import pyarrow as pa

LINE_BYTES_MAX: Final = 64 << 20
"""Longest line of an answer: one row."""

Row: TypeAlias = tuple[Value, ...]
Columns: TypeAlias = tuple[tuple[str, str], ...]
"""The name and the type of each column."""
BatchResult: TypeAlias = list[Row] | DatabaseError
"""The rows of one run of a batch, or its error."""


@dataclass(frozen=True, slots=True)
class Trailer:
    """What an answer says after its rows."""

    position: Position
    partitions: Sequence[Mapping[str, Json]]
    """How each partition has answered: store, partition, node, status, reason, epoch, rows."""
    notices: Sequence[str]
    elapsed_ms: float
    """How long the gateway took."""
    next_page: str | None


OTHER_FORM: Final = (TypeError, KeyError, IndexError, AttributeError)
"""What Python raises where JSON has another form than that of an answer."""
_KEPT_MAX: Final = 64
_positions: dict[bytes, Position] = {}
"""Positions by their JSON: most answers have that of the answer before."""


def trailer_of(document: Mapping[str, Json]) -> Trailer:
    """Return a trailer, or raise its error."""
    if "error" in document:
        raise error_of(document["error"])
    found = document.get("position")
    if not isinstance(found, dict):
        raise broken_off("its trailer has no position")
    text = orjson.dumps(found)
    position = _positions.get(text)
    if position is None:
        if len(_positions) >= _KEPT_MAX:
            _positions.clear()
        position = _positions[text] = Position.from_json(found)
    return Trailer(
        position,
        document.get("partitions", ()),
        document.get("notices", ()),
        document.get("elapsed_ms", 0.0),
        document.get("next"),
    )


class Lines:
    """Cuts a body into its lines.

    Args:
        bytes_max: the longest line.
        what: what a line is, for the error.
    """

    def __init__(self, bytes_max: int = LINE_BYTES_MAX, what: str = "a row") -> None:
        self._bytes_max, self._what = bytes_max, what
        self._held: list[bytes] = []
        self._bytes = 0

    def cut(self, data: bytes) -> list[bytes]:
        """Return the lines that have ended.

        Raises:
            OperationalError: a line is too long.
        """
        *lines, rest = data.split(b"\n")
        if lines and self._held:
            lines[0] = b"".join((*self._held, lines[0]))
        if lines:
            self._held, self._bytes = [], 0
        if rest:
            self._held.append(rest)
            self._bytes += len(rest)
        if self._bytes > self._bytes_max:
            raise OperationalError(f"{self._what} is longer than {self._bytes_max} bytes")
        return lines


@lru_cache(maxsize=256)  # the answers to a statement begin with the same line
def shape_of(header: bytes) -> tuple[Columns, Callable[[list[Json]], Row]]:
    """Return the columns in the first line of an answer, and what makes rows of their cells."""
    document = parsed(header)
    columns = document.get("columns") if isinstance(document, dict) else None
    if not isinstance(columns, list):
        raise broken_off("it does not begin with columns")
    found = tuple((str(each["name"]), str(each["type"])) for each in columns)
    return found, row_decoder(tuple(name for _, name in found))


class Rows:
    """The rows of an answer in NDJSON, as far as they have come."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._decode: Callable[[list[Json]], Row] = tuple
        self.columns: Columns | None = None
        """None before they have come."""
        self.waiting: deque[Row] = deque()
        """The rows that have come and have not been taken."""
        self.count = 0
        """How many rows have come."""
        self.trailer: Trailer | None = None
        self.error: DatabaseError | None = None
        """The error after the rows that have come."""

    @property
    def is_whole(self) -> bool:
        """Whether no more rows come."""
        return self.trailer is not None or self.error is not None

    def feed(self, data: bytes) -> None:
        """Read the next part of the body.

        Raises:
            Error: it is not that of such an answer.
        """
        lines = self._lines.cut(data)
        try:
            if lines and self.columns is None:
                self.columns, self._decode = shape_of(lines.pop(0))
            last = parsed(lines.pop()) if lines and lines[-1][:1] == b"{" else None
            self._add(lines)
            if last is not None:
                self._end(last)
        except OTHER_FORM as error:
            raise broken_off("it has another form") from error

    def _add(self, lines: list[bytes]) -> None:
        if lines:
            # A list of all rows is parsed in half of the time that each of them takes.
            rows = parsed(lines[0] if len(lines) == 1 else b"[" + b",".join(lines) + b"]")
            decode = self._decode
            self.waiting.extend(map(decode, [rows] if len(lines) == 1 else rows))
            self.count += len(lines)

    def _end(self, document: Json) -> None:
        try:
            self.trailer = trailer_of(document)
        except DatabaseError as error:
            self.error = error


class Batch:
    """The results of many runs of a statement, in NDJSON."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._decode: Callable[[list[Json]], Row] = tuple
        self.columns: Columns | None = None
        self.results: list[BatchResult] = []
        self.trailer: Trailer | None = None

    def feed(self, data: bytes) -> None:
        """Read the next part of the body.

        Raises:
            Error: it is not that of such an answer, or the batch has failed.
        """
        try:
            for line in self._lines.cut(data):
                self._add(line)
        except OTHER_FORM as error:
            raise broken_off("it has another form") from error

    def _add(self, line: bytes) -> None:
        if self.columns is None:
            self.columns, self._decode = shape_of(line)
            return
        document = parsed(line)
        if "rows" in document:
            self.results.append([self._decode(cells) for cells in document["rows"]])
        elif "error" in document:
            self.results.append(error_of(document["error"]))
        else:
            self.trailer = trailer_of(document)


def check_arrow() -> None:
    """Check that Arrow can be read.

    Raises:
        NotSupportedError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: F401, PLC0415 - programs that read rows do not need it
    except ImportError as error:
        raise NotSupportedError("pyarrow is not installed", hint="pip install pyarrow") from error


def read_arrow(body: bytes) -> tuple[pa.Table, Trailer]:
    """Return the table in a body of Arrow, without a copy of its columns, and its trailer.

    Raises:
        DatabaseError: the statement has failed after its first rows.
        OperationalError: the body is not whole.
    """
    import pyarrow as pa  # noqa: PLC0415 - see check_arrow

    try:
        reader = pa.ipc.open_stream(pa.py_buffer(body))
        batches: list[pa.RecordBatch] = []
        while True:
            found = reader.read_next_batch_with_custom_metadata()
            metadata: dict[Any, Any] = dict(found.custom_metadata or {})
            if (error := metadata.get(b"stategate.error")) is not None:
                raise error_of(orjson.loads(error))
            if (trailer := metadata.get(b"stategate.trailer")) is not None:
                return pa.Table.from_batches(batches, reader.schema), trailer_of(parsed(trailer))
            batches.append(found.batch)
    except (pa.ArrowInvalid, StopIteration, OSError) as error:
        raise broken_off(str(error) or "it has no trailer") from error


def parsed(text: bytes) -> Json:
    """Return a line of JSON as a value.

    Raises:
        OperationalError: it is not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise broken_off("a line is not JSON") from error
