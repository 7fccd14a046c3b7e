"""Live queries as their readers see them: the first rows of a statement, then its changes.

Law: the first rows, with the changes of all events up to one applied to them, are the rows of the
statement at the epochs of that event.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Column, Row

FIRST_ROWS: Final = "first-rows"
"""The token of a client that has yet to get all of its first rows: it gets them anew, and is told
to forget those that it has."""


class RowChange(Struct, frozen=True):
    """One changed row: an insert has no old row, and a delete no new one."""

    old: Row | None
    new: Row | None


class Moment(Struct, frozen=True, kw_only=True):
    """The epochs at which a live query has some rows."""

    token: str
    """A text by which a later subscription goes on after it."""
    epoch: int
    """The newest epoch of the stores that are read."""
    epochs: Mapping[str, int]
    """The epoch of each store."""
    position: Position


class LiveEvent(Struct, kw_only=True):
    """The changes up to a moment since the event before; none if only the position has changed.

    All subscribers share it, and what it looks like to them.
    """

    number: int
    moment: Moment
    changes: tuple[RowChange, ...]
    held_bytes: int
    """About how much memory it takes, encoded forms included."""
    _encoded: dict[object, bytes]
    _lock: threading.Lock

    @classmethod
    def of(
        cls, number: int, moment: Moment, changes: tuple[RowChange, ...], held_bytes: int
    ) -> LiveEvent:
        """Return a new event that is not encoded yet."""
        return cls(
            number=number,
            moment=moment,
            changes=changes,
            held_bytes=held_bytes,
            _encoded={},
            _lock=threading.Lock(),
        )

    def is_encoded(self, form: object) -> bool:
        """Whether `encoded` returns at once."""
        return form in self._encoded

    def encoded(self, form: object, encode: Callable[[LiveEvent], bytes]) -> bytes:
        """Return the event in a form, which is made once for all subscribers."""
        found = self._encoded.get(form)
        if found is None:
            with self._lock:
                found = self._encoded.get(form)
                if found is None:
                    found = self._encoded[form] = encode(self)
        return found


class FirstRows(Struct, kw_only=True, weakref=True):
    """The rows with which subscriptions of one moment begin."""

    rows: Sequence[Row]
    """In the order of the statement."""
    moment: Moment
    is_late: bool = False
    """Whether a subscriber that still reads them is too slow."""


class LiveCounts(Struct, frozen=True, kw_only=True):
    """What the live queries of an engine do, and have done."""

    subscribers: int
    queries: int
    """Statements that are kept up to date; subscribers to the same one share it."""
    held_rows: int
    held_bytes: int
    events_given: int
    slow_ended: int
    """Subscribers that were ended because they read too slowly."""
    caught_up: int = 0
    """Clients that came back after their events were gone, and went on by the log."""
    started_over: int = 0
    """Those for which that was impossible."""
    whole_reads: int = 0
    """Results that were read whole, because the changed keys of an epoch were not known."""


class Subscription(Protocol):
    """One subscriber of a live query. Used by one thread at a time, and closed at its end."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows."""

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read, in order."""

    @property
    def has_begun(self) -> bool:
        """Whether the two below are settled.

        If not, the changes since its token are being looked for in the log; it is ready once they
        are, or once it is known that it has to start over.
        """

    @property
    def first(self) -> FirstRows | None:
        """The rows to begin with; None if it goes on after the token that it was given."""

    @property
    def start_over(self) -> str | None:
        """Why it cannot go on after that token, so that it begins with first rows; None otherwise.

        It may be known before it has begun: then `begin` is to be called.
        """

    def begin(self) -> None:
        """Read the first rows if it has to start over, which may take as long as a statement.

        Otherwise, and if it has begun, it does nothing.

        Raises:
            QueryError: it cannot begin.
        """

    def check(self) -> None:
        """Return normally if it goes on, as while its first rows are read.

        Raises:
            QueryError: as `take`.
        """

    def take(self) -> LiveEvent | None:
        """Return the next event; None if there is none yet. It never waits.

        Raises:
            LimitExceededError: the subscriber is too slow: events are gone that it has not taken
                (53400).
            QueryError: the live query has ended.
        """

    def close(self, *, slow: bool = False) -> None:
        """End it; repeated calls do nothing.

        Args:
            slow: whether it ends because its client reads too slowly.
        """
