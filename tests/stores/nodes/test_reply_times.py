"""What is known of the times of replies: when one is overdue, and which node is asked first."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.nodes.reply_times import DELAY_LEAST_S, DELAY_MAX_S, STALE_S, ReplyTimes

FAST_S, SLOW_S = 0.001, 0.3


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def times(clock: Clock) -> ReplyTimes:
    return ReplyTimes(clock)


def note(times: ReplyTimes, node: str, seconds: Iterable[float]) -> None:
    for each in seconds:
        times.note(node, each)


def first_of(times: ReplyTimes, *nodes: str) -> str:
    """Return the node that a lookup asks first."""
    return times.in_order(nodes, is_lookup=True)[0]


def test_overdue_follows_the_usual_reply_time(times: ReplyTimes) -> None:
    assert times.overdue_s("a") == DELAY_MAX_S
    note(times, "a", [0.001] * 50)
    assert times.overdue_s("a") == DELAY_LEAST_S
    note(times, "a", [0.02, 0.03] * 25)
    assert 0.03 < times.overdue_s("a") < 0.07
    note(times, "a", [5.0] * 50)
    assert times.overdue_s("a") == DELAY_MAX_S
    assert times.overdue_s("b") == DELAY_MAX_S


def test_a_lookup_is_overdue_when_a_fast_node_would_have_answered(times: ReplyTimes) -> None:
    note(times, "a", [FAST_S] * 10)
    note(times, "b", [SLOW_S] * 10)
    assert times.overdue_s("b") == pytest.approx(4 * DELAY_LEAST_S)
    assert times.overdue_s("unknown") == pytest.approx(4 * DELAY_LEAST_S)


def test_what_takes_long_by_itself_is_not_compared_with_lookups(times: ReplyTimes) -> None:
    note(times, "a", [FAST_S] * 10)
    for _ in range(10):
        times.note("b", SLOW_S, is_lookup=False)
    assert times.overdue_s("b", is_lookup=False) > SLOW_S
    assert first_of(times, "b", "a") == "b"


def test_the_fastest_node_counts_no_more_once_it_is_gone(times: ReplyTimes, clock: Clock) -> None:
    note(times, "a", [FAST_S] * 10)
    clock.now = 100.0
    note(times, "b", [SLOW_S] * 10)
    assert times.overdue_s("b") > SLOW_S


def test_the_faster_node_is_asked_first_if_the_usual_one_is_slow(times: ReplyTimes) -> None:
    note(times, "a", [SLOW_S] * 10)
    note(times, "b", [FAST_S] * 10)
    assert times.in_order(["a", "b", "c"], is_lookup=True) == ["b", "a", "c"]
    assert times.in_order(["a", "b", "c"], is_lookup=False) == ["b", "a", "c"]
    assert times.in_order(["b", "a"], is_lookup=True) == ["b", "a"]
    assert times.in_order(["a"], is_lookup=True) == ["a"]
    assert times.in_order([], is_lookup=True) == []


def test_a_node_that_never_replies_becomes_slow(times: ReplyTimes) -> None:
    note(times, "a", [FAST_S] * 10)
    note(times, "b", [FAST_S] * 10)
    waits = 0
    while first_of(times, "a", "b") == "a":
        times.note("a", times.overdue_s("a"))
        waits += 1
        assert waits < 10


def test_a_slow_node_is_tried_by_one_lookup_a_second(times: ReplyTimes, clock: Clock) -> None:
    note(times, "a", [SLOW_S] * 10)
    note(times, "b", [FAST_S] * 10)
    asked = []
    for _ in range(400):
        clock.now += STALE_S / 100
        asked.append(first_of(times, "a", "b"))
        times.note(asked[-1], SLOW_S if asked[-1] == "a" else FAST_S)
    assert 3 <= asked.count("a") <= 4


def test_a_slow_node_that_is_fast_again_is_asked_again(times: ReplyTimes, clock: Clock) -> None:
    note(times, "a", [SLOW_S] * 10)
    note(times, "b", [FAST_S] * 10)
    clock.now += 2 * STALE_S
    assert first_of(times, "a", "b") == "a"
    times.note("a", FAST_S)
    assert not times.slow
    assert first_of(times, "a", "b") == "a"


def test_a_node_that_was_never_asked_is_tried_once(times: ReplyTimes, clock: Clock) -> None:
    """It may refuse, which says nothing of its time: the slow node is better than no answer."""
    note(times, "a", [SLOW_S] * 10)
    assert [first_of(times, "a", "b") for _ in range(3)] == ["b", "a", "a"]
    clock.now += STALE_S / 2
    assert first_of(times, "a", "b") == "a"


def test_one_slow_reply_of_a_fast_node_is_forgotten_by_a_fast_one(times: ReplyTimes) -> None:
    note(times, "a", [FAST_S] * 10)
    note(times, "b", [FAST_S] * 10)
    times.note("a", 0.1)
    assert times.slow == {"a"}
    note(times, "a", [FAST_S])
    assert not times.slow


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0, 100), st.booleans(), st.floats(0, 200)),
        max_size=50,
    )
)
def test_whatever_was_noted_a_reply_is_overdue_within_limits_and_all_nodes_are_asked(
    noted: list[tuple[str, float, bool, float]],
) -> None:
    clock = Clock()
    times = ReplyTimes(clock)
    for node, seconds, is_lookup, later_s in noted:
        clock.now += later_s
        times.note(node, seconds, is_lookup=is_lookup)
        for each in "abcd":
            for kind in (True, False):
                assert DELAY_LEAST_S <= times.overdue_s(each, is_lookup=kind) <= DELAY_MAX_S
        order = times.in_order("abcd", is_lookup=is_lookup)
        assert sorted(order) == [*"abcd"]
        assert list(order[2:]) == [*"cd"]
