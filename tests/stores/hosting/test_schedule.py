"""The schedule of a follower: how often it looks at busy, quiet and many stores."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.hosting.schedule import Head, Pace, Schedule, local_pace, remote_pace

POLL_S = 0.025


def looks(
    pace: Pace, *, stores: int, seconds: float, head: Head = Head.REACHED, quiet_s: float = 0.0
) -> list[tuple[float, str]]:
    """Return the looks at quiet stores, after the first `quiet_s` seconds."""
    schedule, now, found = Schedule(pace), 0.0, []
    for number in range(stores):
        schedule.wake(f"s{number}", now)
    while now < quiet_s + seconds:
        for name in schedule.due(now):
            schedule.looked(name, now, has_news=False, head=head)
            if now >= quiet_s:
                found.append((now - quiet_s, name))
        now += pace.pause_min_s
    return found


def test_a_store_is_looked_at_less_often_the_longer_it_is_quiet() -> None:
    at = [now for now, _ in looks(local_pace(POLL_S), stores=1, seconds=60)]
    pauses = [b - a for a, b in pairwise(at)]
    assert pauses[0] == pytest.approx(POLL_S)
    # Steps are POLL_S apart, so that two pauses differ by it although neither was meant to.
    assert all(b > a - 1.01 * POLL_S for a, b in pairwise(pauses))
    assert 0.45 < max(pauses) <= 1.5 + POLL_S * 1.01


def test_a_thousand_quiet_stores_cost_fifty_looks_a_second() -> None:
    found = looks(local_pace(POLL_S), stores=1000, seconds=40, quiet_s=200)
    assert len(found) <= 50 * 40 * 1.1
    assert len({name for _, name in found}) == 1000


def test_stores_cost_little_once_they_have_settled() -> None:
    """Their heads announce the next epoch, so the pause does not grow to its length slowly."""
    assert len(looks(local_pace(POLL_S), stores=1000, seconds=5, quiet_s=12)) <= 5 * 60
    assert len(looks(remote_pace(POLL_S), stores=10, seconds=20, quiet_s=40)) <= 2


def test_quiet_stores_of_an_object_store_cost_few_requests() -> None:
    for stores in (1, 30, 300):
        found = looks(remote_pace(POLL_S), stores=stores, seconds=3_000, quiet_s=40_000)
        assert len(found) <= 3_000 / 60 * 2.1


def test_stores_that_became_quiet_together_are_looked_at_one_by_one() -> None:
    found = looks(local_pace(POLL_S), stores=1000, seconds=10, quiet_s=200)
    at_once = Counter(now for now, _ in found)
    assert max(at_once.values()) < 20


@pytest.mark.parametrize("pace", [local_pace(POLL_S), remote_pace(POLL_S)])
def test_stores_without_a_reached_head_are_looked_at_each_second_at_least(pace: Pace) -> None:
    for head in (Head.MISSING, Head.AHEAD):
        at = [now for now, _ in looks(pace, stores=1, seconds=20, head=head, quiet_s=300)]
        assert max(b - a for a, b in pairwise(at)) <= 1.0 + pace.pause_min_s


def test_a_store_without_a_head_on_a_local_disk_is_looked_at_in_each_step() -> None:
    found = looks(local_pace(POLL_S), stores=1, seconds=10, head=Head.MISSING, quiet_s=100)
    assert len(found) >= 10 / POLL_S * 0.95


NAMES = st.sampled_from(["a", "b", "c"])
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("wake"), NAMES),
        st.tuples(st.just("pass"), st.floats(0.0, 5.0)),
        st.tuples(st.just("keep"), st.frozensets(NAMES)),
    ),
    max_size=40,
)


@given(events=EVENTS)
def test_no_store_is_forgotten_and_none_is_due_twice(
    events: list[tuple[str, object]],
) -> None:
    schedule, now = Schedule(local_pace(POLL_S)), 0.0
    known: set[str] = set()
    for kind, value in events:
        if kind == "wake":
            assert isinstance(value, str)
            schedule.wake(value, now)
            known.add(value)
        elif kind == "keep":
            assert isinstance(value, frozenset)
            schedule.keep(value)
            known &= value
        else:
            assert isinstance(value, float)
            now += value
        due = schedule.due(now)
        assert len(due) == len(set(due))
        assert set(due) <= known == schedule.stores
        if kind == "wake":
            assert value in due
        for name in due:
            schedule.looked(name, now, has_news=False, head=Head.REACHED)
    now += 2.0
    assert set(schedule.due(now)) == known
