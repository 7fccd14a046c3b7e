"""Failed logins: which attempts are refused, how late others are answered, and what is kept."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.login_throttle import LoginThrottle, ThrottleLimits

LIMITS = ThrottleLimits(
    failures_max=3,
    refill_s=10.0,
    delay_s=0.1,
    delay_s_max=0.3,
    of_account_max=6,
    attacked_retry_s=40.0,
    addresses_max=5,
    accounts_of_address_max=4,
    pairs_max=12,
    accounts_max=8,
)
ADDRESS = "192.0.2.1"
OTHER_ADDRESS = "192.0.2.2"
USER = "joe"
OTHER = "zed"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Failing:
    """A throttle, and who fails."""

    def __init__(self, limits: ThrottleLimits = LIMITS) -> None:
        self.clock = Clock()
        self.throttle = LoginThrottle(limits, clock=self.clock)

    def fail(self, address: str = ADDRESS, user: str | None = USER) -> float:
        return self.throttle.fail(self.throttle.attempt(address, user))

    def refused_for_s(self, address: str = ADDRESS, user: str | None = USER) -> float:
        return self.throttle.refused_for_s(self.throttle.attempt(address, user))


@pytest.fixture
def failing() -> Failing:
    return Failing()


def test_failures_are_delayed_then_refused_then_forgotten(failing: Failing) -> None:
    delays = []
    while not failing.refused_for_s():
        delays.append(failing.fail())
    assert delays == pytest.approx([0.1, 0.2, 0.3])
    assert failing.refused_for_s() == pytest.approx(10.0)
    assert failing.refused_for_s(OTHER_ADDRESS) == 0
    failing.clock.now_s += 9.9
    assert failing.refused_for_s() == pytest.approx(0.1)
    failing.clock.now_s += 0.1
    assert failing.refused_for_s() == 0
    failing.fail()
    assert failing.refused_for_s() == pytest.approx(10.0)
    failing.clock.now_s += 1000
    assert failing.fail() == pytest.approx(0.1)


def test_the_accounts_of_an_address_are_refused_one_by_one(failing: Failing) -> None:
    for _ in range(3):
        failing.fail()
    assert failing.refused_for_s()
    assert not failing.refused_for_s(user=OTHER)
    # Others behind the address may still guess, so their failures are answered as late as these.
    assert failing.fail(user=OTHER) == pytest.approx(0.3)
    assert not failing.refused_for_s(user=OTHER)


def test_unknown_tokens_of_an_address_count_together(failing: Failing) -> None:
    for _ in range(3):
        failing.fail(user=None)
    assert failing.refused_for_s(user=None)
    assert not failing.refused_for_s(user="")
    assert not failing.refused_for_s(OTHER_ADDRESS, user=None)


def test_an_attacked_account_is_checked_at_once_from_an_address_that_did_not_fail(
    failing: Failing,
) -> None:
    for number in range(5):
        failing.fail(f"198.51.100.{number}")
    assert not failing.refused_for_s("198.51.100.4")
    failing.fail("198.51.100.4")
    assert failing.refused_for_s("198.51.100.4") == pytest.approx(40.0)
    assert failing.refused_for_s("198.51.100.3") == pytest.approx(40.0)
    assert not failing.refused_for_s("203.0.113.1")
    assert not failing.refused_for_s("198.51.100.3", OTHER)
    failing.clock.now_s += 30
    assert not failing.refused_for_s("198.51.100.3")


ATTEMPTS = st.tuples(
    st.floats(0, 30), st.sampled_from([ADDRESS, OTHER_ADDRESS]), st.sampled_from([USER, OTHER])
)


@given(st.lists(ATTEMPTS, max_size=60))
def test_never_more_answers_than_the_bucket_holds(attempts: list[tuple[float, str, str]]) -> None:
    failing = Failing()
    answered: Counter[tuple[str, str]] = Counter()
    for pause_s, address, user in attempts:
        failing.clock.now_s += pause_s
        if not failing.refused_for_s(address, user):
            failing.fail(address, user)
            answered[address, user] += 1
    total_s = sum(pause_s for pause_s, _, _ in attempts)
    most = LIMITS.failures_max + total_s / LIMITS.refill_s + 1e-6
    assert all(count <= most for count in answered.values())


PLACES = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(st.lists(st.tuples(st.floats(0, 5), PLACES), max_size=100), PLACES)
def test_failures_refuse_no_other_pair_and_take_limited_memory(
    failures: list[tuple[float, tuple[int, int]]], asked: tuple[int, int]
) -> None:
    failing = Failing()
    for pause_s, (address, user) in failures:
        failing.clock.now_s += pause_s
        delay_s = failing.fail(f"192.0.2.{address}", f"user{user}")
        assert 0 < delay_s <= LIMITS.delay_s_max
        assert len(failing.throttle) <= LIMITS.pairs_max
        kept = failing.throttle._addresses.values()
        assert len(failing.throttle) == sum(len(each.accounts) for each in kept)
        assert len(kept) <= LIMITS.addresses_max
        assert all(len(each.accounts) <= LIMITS.accounts_of_address_max for each in kept)
        assert len(failing.throttle._accounts) <= LIMITS.accounts_max
    address, user = asked
    if failing.refused_for_s(f"192.0.2.{address}", f"user{user}"):
        assert asked in {pair for _, pair in failures}


def test_an_address_cannot_make_its_own_failures_forgotten(failing: Failing) -> None:
    for _ in range(3):
        failing.fail()
    for number in range(50):
        failing.fail(user=f"user{number}")
    assert failing.refused_for_s()


def test_the_address_that_failed_longest_ago_is_forgotten(failing: Failing) -> None:
    for _ in range(3):
        failing.fail()
    for number in range(3):
        failing.fail(f"198.51.100.{number}")
    failing.fail()
    failing.fail(OTHER_ADDRESS)
    assert failing.refused_for_s()
    for number in range(10):
        failing.fail(f"203.0.113.{number}")
    assert not failing.refused_for_s()


def test_delays_end_however_many_accounts_fail() -> None:
    failing = Failing(ThrottleLimits())
    for number in range(5000):
        assert failing.fail(user=f"user{number}") <= ThrottleLimits().delay_s_max
    failing.clock.now_s += ThrottleLimits().of_account_max * ThrottleLimits().refill_s
    assert failing.fail() == pytest.approx(0.1)


def test_names_are_kept_as_digests(failing: Failing) -> None:
    failing.fail(user="x" * 50_000)
    failing.fail(user="\ud800")
    assert all(len(account) == 16 for account in failing.throttle._accounts)
    attempt = failing.throttle.attempt(ADDRESS, USER)
    assert attempt == failing.throttle.attempt(f"::ffff:{ADDRESS}", USER)
    assert USER not in repr(attempt)
