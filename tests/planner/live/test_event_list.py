"""The latest events of a live query, and those by which clients come back."""

from __future__ import annotations

import pytest

from stategate.planner.errors import LimitExceededError
from stategate.planner.live.event_list import CATCH_UPS_MAX, EVENTS_MAX, EventList
from stategate.planner.values.live import Moment, RowChange
from stategate.stores.spec.position import EMPTY

CHANGES = (RowChange((1,), (2,)),)


def moment(epoch: int) -> Moment:
    return Moment(token=f"t{epoch}", epoch=epoch, epochs={"s": epoch}, position=EMPTY)


def listed(events: int) -> EventList:
    made = EventList(moment(0))
    for epoch in range(1, events + 1):
        made.add(CHANGES, moment(epoch))
    return made


def test_each_subscriber_has_a_place() -> None:
    events = listed(3)
    assert [events.number_after(f"t{epoch}") for epoch in range(5)] == [0, 1, 2, 3, None]
    found = events.event(1)
    assert found is not None
    assert found.moment.epoch == 2
    assert events.event(3) is None


def test_the_oldest_go_first() -> None:
    events = listed(EVENTS_MAX + 1)
    assert events.number_after("t0") is None
    assert events.number_after("t1") == 1
    with pytest.raises(LimitExceededError, match="too slow"):
        events.event(0)
    size = events.held_bytes
    assert events.trim()
    assert events.held_bytes == size // 2
    assert events.number_after("t1") is None
    while events.trim():
        pass
    assert events.number_after(f"t{EVENTS_MAX + 1}") == EVENTS_MAX + 1


def test_an_event_leads_into_the_list() -> None:
    events = listed(3)
    assert events.add_catch_up("old", CHANGES, moment(2))
    found = events.catch_up("old")
    assert found is not None
    assert (found.moment.epoch, found.number + 1) == (2, events.number_after("t2"))
    assert events.catch_up("t2") is None
    assert not events.add_catch_up("older", CHANGES, moment(9)), "no such moment"


def test_events_into_the_list_are_few_and_go_first() -> None:
    events = listed(4)
    before = events.held_bytes
    for number in range(CATCH_UPS_MAX + 2):
        assert events.add_catch_up(f"old{number}", CHANGES, moment(0))
    found = [events.catch_up(f"old{number}") is not None for number in range(CATCH_UPS_MAX + 2)]
    assert found == [False, False, *[True] * CATCH_UPS_MAX]
    assert events.trim()
    assert events.held_bytes == before
    assert events.number_after("t0") == 0, "all events are still there"


def test_an_event_into_the_list_goes_with_what_follows_it() -> None:
    events = listed(4)
    assert events.add_catch_up("old", CHANGES, moment(0))
    for epoch in range(5, EVENTS_MAX + 2):
        events.add((), moment(epoch))
    assert events.number_after("t0") is None
    assert events.catch_up("old") is None
    events.clear()
    assert (events.held_bytes, events.catch_up("old")) == (0, None)
