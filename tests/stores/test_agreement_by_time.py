"""Memory and RocksDB agree on stores by event time: see `test_agreement`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.stores.test_agreement import (
    EVENTS,
    SETTINGS,
    WINDOWS,
    EventsAgreement,
    ExpiringWindows,
)


def few_times(data: st.DataObject, count: int) -> list[int | None]:
    """Return event times of which many are equal, or in the same millisecond."""
    micros = st.none() | st.integers(0, 5).map(lambda half_ms: half_ms * 500)
    return data.draw(st.lists(micros, min_size=count, max_size=count))


class EventsByTime(EventsAgreement):
    """A keyvalue store."""

    schema = replace(EVENTS, by_event_time=True)

    def times(self, data: st.DataObject, identities: list[Any]) -> list[int | None]:
        return few_times(data, len(identities))


class WindowsByTime(ExpiringWindows):
    """A window store whose windows expire, and with them the times of deletions."""

    schema = replace(WINDOWS, by_event_time=True)

    def times(self, data: st.DataObject, identities: list[Any]) -> list[int | None]:
        return few_times(data, len(identities))


TestEventsByTime = EventsByTime.TestCase
TestWindowsByTime = WindowsByTime.TestCase
TestEventsByTime.settings = TestWindowsByTime.settings = SETTINGS
