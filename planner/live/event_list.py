"""The latest events of a live query, in one list that all its subscribers read.

Each subscriber has a place of its own in it, so a slow one takes no memory: once events are dropped
that it has not taken, it is told so and ends. There are no locks here: its query has one.
"""

from __future__ import annotations

from stategate.planner.live.differences import about_bytes
from stategate.planner.live.limits import too_slow
from stategate.planner.values.live import LiveEvent, Moment, RowChange

EVENTS_MAX = 1_000
"""Latest events of a query that are kept, however small they are."""
CATCH_UPS_MAX = 8
"""Events for clients that came back that are kept for further ones; the oldest goes first."""
_EVENT_BYTES = 1_000
"""Memory of an event without changes, encoded for clients of two kinds."""


def new_event(number: int, changes: tuple[RowChange, ...], moment: Moment) -> LiveEvent:
    """Return an event with about how much memory it takes."""
    old = about_bytes([each.old for each in changes if each.old is not None])
    new = about_bytes([each.new for each in changes if each.new is not None])
    # Rows as text take about as much memory as the objects of their values.
    return LiveEvent.of(number, moment, changes, _EVENT_BYTES + 2 * (old + new))


class EventList:
    """The latest events.

    Args:
        base: the moment before the first event.
    """

    def __init__(self, base: Moment) -> None:
        self._base = base
        """The moment before the first event that is kept."""
        self._events: list[LiveEvent] = []
        self.next_number = 0
        """The number of the event that is yet to come."""
        self._catch_ups: dict[str, LiveEvent] = {}
        """Events that lead from moments before the list to moments in it, by their tokens."""
        self.held_bytes = 0
        """About how much memory they take."""

    def add(self, changes: tuple[RowChange, ...], moment: Moment) -> None:
        """Add the changes that lead to a moment; the oldest event goes if there are too many."""
        event = new_event(self.next_number, changes, moment)
        self._events.append(event)
        self.held_bytes += event.held_bytes
        self.next_number += 1
        self._drop(len(self._events) - EVENTS_MAX)

    def number_after(self, token: str) -> int | None:
        """Return the number of the first event after a moment; None if it is gone."""
        if self._base.token == token:
            return self.next_number - len(self._events)
        for event in reversed(self._events):
            if event.moment.token == token:
                return event.number + 1
        return None

    def event(self, number: int) -> LiveEvent | None:
        """Return an event; None if it is yet to come.

        Raises:
            LimitExceededError: it is gone (53400).
        """
        at = number - (self.next_number - len(self._events))
        if at < 0:
            raise too_slow()
        return self._events[at] if at < len(self._events) else None

    def add_catch_up(self, token: str, changes: tuple[RowChange, ...], moment: Moment) -> bool:
        """Add an event that leads from an older moment to one in the list; False if that is gone.

        Args:
            token: the token of the older moment.
            changes: all changes from there.
            moment: the moment in the list.
        """
        number = self.number_after(moment.token)
        if number is None:
            return False
        while len(self._catch_ups) >= CATCH_UPS_MAX:
            self._forget(next(iter(self._catch_ups)))
        event = self._catch_ups[token] = new_event(number - 1, changes, moment)
        self.held_bytes += event.held_bytes
        return True

    def catch_up(self, token: str) -> LiveEvent | None:
        """Return the event that leads from an older moment into the list, or None."""
        event = self._catch_ups.get(token)
        if event is not None and self.number_after(event.moment.token) is None:
            self._forget(token)
            return None
        return event

    def trim(self) -> bool:
        """Drop what clients came back by, or else the older half; return whether that is any."""
        if self._catch_ups:
            for token in list(self._catch_ups):
                self._forget(token)
            return True
        count = len(self._events) // 2
        self._drop(count)
        return count > 0

    def clear(self) -> None:
        """Drop all events: the query has ended."""
        self._events, self._catch_ups, self.held_bytes = [], {}, 0

    def _forget(self, token: str) -> None:
        self.held_bytes -= self._catch_ups.pop(token).held_bytes

    def _drop(self, count: int) -> None:
        if count > 0:
            self._base = self._events[count - 1].moment
            self.held_bytes -= sum(each.held_bytes for each in self._events[:count])
            del self._events[:count]
