"""Limits of one address: unauthenticated connections."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.address_limits import UnauthenticatedConnections, network_of
from stategate.gateway.access.peers import is_loopback

ADDRESSES = ("192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::2", None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (None, "", True),
        # A proxy forwards any text; it must not become new clients or long names.
        ("x" * 50_000, "y", True),
    ],
)
def test_addresses_that_count_as_one(one: str | None, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) == same


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:192.0.2.1", False),
        ("10.0.0.1", False),
        ("fe80::1%lo", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_loopback_addresses(address: str, expected: bool) -> None:
    assert is_loopback(address) == expected


def counted(of_one_max: int, total_max: int = 1000, **others: Any) -> UnauthenticatedConnections:
    return UnauthenticatedConnections(
        of_one_max=of_one_max, total_max=total_max, **{"evict": lambda _: None, **others}
    )


def test_one_address_has_its_share_and_no_more() -> None:
    connections = counted(2)
    assert [connections.enter(n, "192.0.2.1") for n in range(4)] == [True, True, False, False]
    assert connections.enter(10, "192.0.2.2")
    assert connections.enter(11, "2001:db8::1")
    assert connections.enter(12, "2001:db8::ffff")
    assert not connections.enter(13, "2001:db8::2")
    connections.leave(0)
    connections.leave(0)
    connections.leave(3)
    assert connections.enter(4, "192.0.2.1")
    assert not connections.enter(5, "192.0.2.1")


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8), st.sampled_from(ADDRESSES))))
def test_the_count_agrees_with_a_model(steps: list[tuple[bool, int, str | None]]) -> None:
    connections, inside = counted(100), set()
    for enters, number, address in steps:
        if not enters:
            connections.leave(number)
            inside.discard(number)
        elif number not in inside:
            assert connections.enter(number, address)
            inside.add(number)
        assert len(connections) == len(inside)
    for number in inside:
        connections.leave(number)
    assert not connections._members


def test_a_flood_is_one_log_line_in_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 0.0
    connections = counted(1, clock=lambda: now_s)
    connections.enter("first", "192.0.2.1")
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            assert not connections.enter("next", "192.0.2.1")
            now_s += 0.02
    assert len(caplog.records) == 2
    assert "cut off=501" in caplog.text
    assert "192.0.2.1" in caplog.text


def test_a_few_addresses_cannot_lock_others_out() -> None:
    gone: list[object] = []
    connections = counted(4, 12, evict=gone.append)
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
        for number in range(4):
            assert connections.enter((address, number), address)
    assert connections.enter("friend", "198.51.100.1")
    assert gone == [("192.0.2.1", 0)]
    assert connections.enter("other friend", "198.51.100.2")
    assert gone[1] == ("192.0.2.2", 0)
    assert not connections.enter(("192.0.2.3", 4), "192.0.2.3")
    assert len(connections) == 12


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 30), st.sampled_from(ADDRESSES))),
    st.integers(1, 4),
    st.integers(1, 8),
)
def test_eviction_hits_the_address_with_the_most_connections(
    steps: list[tuple[bool, int, str | None]], of_one_max: int, total_max: int
) -> None:
    inside: dict[int, str] = {}
    connections = counted(of_one_max, total_max, evict=inside.pop)
    for enters, number, address in steps:
        if not enters:
            connections.leave(number)
            inside.pop(number, None)
            continue
        if number in inside:
            continue
        network, before = network_of(address), Counter(inside.values())
        if connections.enter(number, address):
            inside[number] = network
        else:
            is_full = sum(before.values()) == total_max
            most = max(before.values(), default=0)
            assert before[network] == of_one_max or (is_full and before[network] >= most)
        counts = Counter(inside.values())
        assert max(counts.values(), default=0) <= of_one_max
        assert len(connections) == len(inside) <= total_max
