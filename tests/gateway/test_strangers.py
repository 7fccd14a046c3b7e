"""Connections that are not let in yet, counted."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.strangers import Strangers

ADDRESSES = ("192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::2", None)


def test_one_address_has_its_share_and_no_more() -> None:
    strangers = Strangers(of_one_max=2)
    assert [strangers.enter(n, "192.0.2.1") for n in range(4)] == [True, True, False, False]
    assert strangers.enter(10, "192.0.2.2")
    assert strangers.enter(11, "2001:db8::1")
    assert strangers.enter(12, "2001:db8::ffff")
    assert not strangers.enter(13, "2001:db8::2")
    strangers.leave(0)
    strangers.leave(0)
    strangers.leave(3)
    assert strangers.enter(4, "192.0.2.1")
    assert not strangers.enter(5, "192.0.2.1")


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8), st.sampled_from(ADDRESSES))))
def test_the_count_is_that_of_a_list(steps: list[tuple[bool, int, str | None]]) -> None:
    strangers, inside = Strangers(of_one_max=100), set()
    for enters, number, address in steps:
        if not enters:
            strangers.leave(number)
            inside.discard(number)
        elif number not in inside:
            assert strangers.enter(number, address)
            inside.add(number)
        assert len(strangers) == len(inside)
    for number in inside:
        strangers.leave(number)
    assert not strangers._counts


def test_a_flood_is_one_line_in_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 0.0
    strangers = Strangers(of_one_max=1, clock=lambda: now_s)
    strangers.enter("first", "192.0.2.1")
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            assert not strangers.enter("next", "192.0.2.1")
            now_s += 0.02
    assert len(caplog.records) == 2
    assert "cut off=501" in caplog.text
    assert "192.0.2.1" in caplog.text
