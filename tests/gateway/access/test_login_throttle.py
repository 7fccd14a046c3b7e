from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.access.addresses import is_loopback, network_of
from gateway.access.login_throttle import LoginThrottle, ThrottleLimits

LIMITS = ThrottleLimits(
    failures_max=3, refill_s=10.0, delay_s=0.1, delay_s_max=0.3, addresses_max=5
)
ADDRESS = "192.0.2.1"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock) -> LoginThrottle:
    return LoginThrottle(LIMITS, clock=clock)


def test_failures_are_delayed_then_refused_then_forgotten(
    throttle: LoginThrottle, clock: Clock
) -> None:
    delays = []
    while not throttle.refused_for_s(ADDRESS):
        delays.append(throttle.fail(ADDRESS))
    assert delays == pytest.approx([0.1, 0.2, 0.3])
    assert throttle.refused_for_s(ADDRESS) == pytest.approx(10.0)
    assert throttle.refused_for_s("192.0.2.2") == 0
    clock.now_s += 9.9
    assert throttle.refused_for_s(ADDRESS) == pytest.approx(0.1)
    clock.now_s += 0.1
    assert throttle.refused_for_s(ADDRESS) == 0
    throttle.fail(ADDRESS)
    assert throttle.refused_for_s(ADDRESS) == pytest.approx(10.0)
    clock.now_s += 1000
    assert throttle.fail(ADDRESS) == pytest.approx(0.1)


def test_the_table_is_bounded_and_forgets_the_oldest_failure(throttle: LoginThrottle) -> None:
    first = "192.0.2.1"
    for _ in range(3):
        throttle.fail(first)
    for number in range(4):
        throttle.fail(f"198.51.100.{number}")
    throttle.fail(first)
    throttle.fail("192.0.2.2")
    assert len(throttle) == 5
    assert throttle.refused_for_s(first)
    for number in range(10):
        throttle.fail(f"203.0.113.{number}")
    assert len(throttle) == 5
    assert not throttle.refused_for_s(first)


@given(st.lists(st.floats(0, 30), max_size=60))
def test_never_more_answers_than_the_bucket_holds(pauses: list[float]) -> None:
    clock = Clock()
    throttle = LoginThrottle(LIMITS, clock=clock)
    answered = 0
    for pause_s in pauses:
        clock.now_s += pause_s
        if not throttle.refused_for_s(ADDRESS):
            throttle.fail(ADDRESS)
            answered += 1
    assert answered <= LIMITS.failures_max + sum(pauses) / LIMITS.refill_s + 1e-6


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
def test_what_counts_as_one_address(one: str | None, other: str, same: bool) -> None:
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
