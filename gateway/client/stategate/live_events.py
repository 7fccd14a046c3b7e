"""The events of a subscription, and the reader that finds them in the body of an answer.

No input or output happens here. The body is a stream of server-sent events, each with one line of
JSON. Only this line is read: it has the name and the token of the event, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from stategate.answers import OTHER_FORM, Columns, Lines, Row, parsed, shape_of
from stategate.errors import InterfaceError, OperationalError, broken_off, error_of
from stategate.position import Position
from stategate.values import Json

K = TypeVar("K")

EVENT_BYTES_MAX: Final = 256 << 20
"""Longest event, and longest first rows: what a gateway holds for all live queries by default."""
_DATA: Final = b"data:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What all events have: the rows of the subscriber are now those of these epochs."""

    epoch: int
    """The newest epoch of the stores that are read."""
    epochs: Mapping[str, int]
    """The epoch of each store."""
    position: Position
    token: str
    """A text by which a later subscription goes on after this event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRows(Moment):
    """All rows of the statement; they take the place of those that the subscriber has."""

    rows: Sequence[Row]
    """In the order of the statement."""
    start_over: str | None = None
    """Why they come again; None the first time."""

    def apply_to(self, rows: dict[K, Row], key: Callable[[Row], K]) -> None:
        """Make a mapping hold these rows.

        Args:
            rows: the rows of the subscriber by their keys.
            key: returns the key of a row, which no other row has.

        Raises:
            InterfaceError: two rows have the same key.
        """
        rows.clear()
        for row in self.rows:
            _add(rows, key(row), row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(Moment):
    """The changes since the event before, mostly those of one epoch."""

    deleted: Sequence[Row]
    updated: Sequence[tuple[Row, Row]]
    """The old and the new row of each."""
    inserted: Sequence[Row]

    def apply_to(self, rows: dict[K, Row], key: Callable[[Row], K]) -> None:
        """Apply the changes to a mapping; see `FirstRows.apply_to`.

        Raises:
            InterfaceError: a row that changes is not there, or one that is new is: the mapping
                lacks earlier events, or two rows have the same key.
        """
        for row in self.deleted:
            _remove(rows, key(row))
        for old, _ in self.updated:
            _remove(rows, key(old))
        for _, new in self.updated:
            _add(rows, key(new), new)
        for row in self.inserted:
            _add(rows, key(row), row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Moment):
    """An epoch has changed no row."""

    def apply_to(self, rows: dict[K, Row], key: Callable[[Row], K]) -> None:
        """Do nothing; see `FirstRows.apply_to`."""


Event: TypeAlias = FirstRows | Changes | Progress


def _add(rows: dict[K, Row], key: K, row: Row) -> None:
    if key in rows:
        raise InterfaceError(
            f"two rows have the key {key!r}",
            hint="Give a key that tells all rows of the statement apart.",
        )
    rows[key] = row


def _remove(rows: dict[K, Row], key: K) -> None:
    if rows.pop(key, None) is None:
        raise InterfaceError(
            f"there is no row with the key {key!r} to change",
            hint="Apply all events, from the first rows or the token's rows on.",
        )


class EventReader:
    """Reads one answer, whatever parts it comes in.

    Args:
        goes_on: whether a token was sent, so that there may be no first rows.
    """

    def __init__(self, *, goes_on: bool) -> None:
        self._lines = Lines(EVENT_BYTES_MAX, "an event")
        self._waiting: deque[bytes] = deque()
        self._decode: Callable[[list[Json]], Row] = tuple
        self._first: list[Row] | None = None if goes_on else []
        """The first rows as far as they have come; None if they are complete, or do not come."""
        self._first_bytes = 0
        self._start_over: str | None = None
        self.columns: Columns | None = None
        """None before they have come."""
        self.is_alive = False
        """Whether an event was taken, or a comment has come: the gateway sends one in silence."""

    def feed(self, data: bytes) -> None:
        """Take the next part of the body.

        Raises:
            OperationalError: an event is too long.
        """
        self._waiting.extend(self._lines.cut(data))

    def find_columns(self) -> None:
        """Read the columns if they have come, and nothing after them.

        Raises:
            DatabaseError: as `take`.
        """
        while self._waiting and self.columns is None:
            if self._read(self._waiting.popleft()) is not None:
                raise broken_off("it does not begin with columns")

    def take(self) -> Event | None:
        """Return the next event that has come whole; None without one.

        Raises:
            DatabaseError: the subscription has ended by an error, or the answer has another form.
        """
        while self._waiting:
            if (event := self._read(self._waiting.popleft())) is not None:
                return event
        return None

    def _read(self, line: bytes) -> Event | None:
        event = None
        if line.startswith(_DATA):
            try:
                event = self._event(line[len(_DATA) :])
            except (*OTHER_FORM, ValueError) as error:
                raise broken_off("it has another form") from error
        self.is_alive = self.is_alive or event is not None or line.startswith(b":")
        return event

    def _event(self, data: bytes) -> Event | None:
        """Return the event of a message, if it is one for the subscriber."""
        document = parsed(data)
        match document["event"]:
            case "columns":
                self.columns, self._decode = shape_of(data)
            case "start_over":
                self._first, self._start_over = [], str(document["reason"])
            case "rows":
                self._add_first(document["rows"], len(data))
            case "progress":
                return self._progress(document)
            case "changes":
                return self._changes(document)
            case "error":
                raise error_of(document["error"])
        return None

    def _add_first(self, rows: list[Json], size: int) -> None:
        if self._first is None:
            raise broken_off("there are first rows that were not asked for")
        self._first_bytes += size
        if self._first_bytes > EVENT_BYTES_MAX:
            raise OperationalError(
                f"the first rows are longer than {EVENT_BYTES_MAX} bytes",
                sqlstate="54000",
                hint="Subscribe to fewer rows or columns.",
            )
        self._first.extend(map(self._decode, rows))

    def _progress(self, document: dict[str, Json]) -> Event:
        moment = _moment(document)
        if self._first is None:
            return Progress(**moment)
        rows, self._first = self._first, None
        return FirstRows(rows=rows, start_over=self._start_over, **moment)

    def _changes(self, document: dict[str, Json]) -> Event:
        if self._first is not None:
            raise broken_off("there are changes before the first rows")
        decode = self._decode
        return Changes(
            deleted=[decode(row) for row in document["deleted"]],
            updated=[(decode(old), decode(new)) for old, new in document["updated"]],
            inserted=[decode(row) for row in document["inserted"]],
            **_moment(document),
        )


def _moment(document: dict[str, Json]) -> dict[str, Json]:
    return {
        "epoch": int(document["epoch"]),
        "epochs": dict(document["epochs"]),
        "position": Position.from_json(document["position"]),
        "token": str(document["token"]),
    }
