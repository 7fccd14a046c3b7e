"""Places of connections: whoever comes, there is one left for others, and for administrators."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.places import PlaceLimits, Places
from stategate.planner.engine import QueryError, Rights, UserLimits

ADMIN = "root"


def rights(**of_user: int) -> Rights:
    found = Rights()
    found.admins = frozenset({ADMIN})
    found.set_limits({name: UserLimits(connections=most) for name, most in of_user.items()})
    return found


def refused(places: Places, name: str, user: str, address: str | None = "127.0.0.1") -> str:
    with pytest.raises(QueryError) as caught:
        places.enter(name, user=user, address=address)
    assert caught.value.sqlstate == "53300"
    return caught.value.message


def test_one_user_leaves_places_to_others() -> None:
    places = Places(PlaceLimits(8, has_users=True), rights())
    for n in range(6):
        places.enter(n, user="ann", address=None)
    assert refused(places, "more", "ann") == 'too many connections for role "ann"'
    for n in range(6, 8):
        places.enter(n, user="bob", address=None)
    assert refused(places, "more", "bob") == "sorry, too many clients already"
    places.leave(0)
    places.leave(0)
    places.enter("more", user="ann", address=None)
    assert len(places) == 8


def test_a_user_may_have_a_limit_of_its_own() -> None:
    places = Places(PlaceLimits(100, has_users=True), rights(ann=1, bob=90))
    places.enter(0, user="ann", address=None)
    places.enter(0, user="ann", address=None)  # is counted already
    refused(places, "more", "ann")
    for n in range(1, 91):
        places.enter(n, user="bob", address=None)
    refused(places, "more", "bob")


def test_names_limit_nothing_where_anyone_may_choose_one() -> None:
    places = Places(PlaceLimits(4), rights())
    for n in range(4):
        places.enter(n, user="ann", address="127.0.0.1")
    assert refused(places, "more", "bob") == "sorry, too many clients already"


@pytest.mark.parametrize("address", ["10.0.0.1", "2001:db8::1"])
def test_one_address_leaves_places_to_others(address: str) -> None:
    places = Places(PlaceLimits(8, of_address_max=2), rights())
    for n in range(2):
        places.enter(n, user=f"u{n}", address=address)
    assert refused(places, "more", "u3", address).startswith("too many connections from")
    places.enter("other", user="u3", address="10.0.0.2")
    places.enter("here", user="u3", address="127.0.0.1")
    places.enter("proxy", user="u3", address=address, of_proxy=True)
    places.enter("admin", user=ADMIN, address=address)


def test_the_last_places_are_for_administrators() -> None:
    places = Places(PlaceLimits(6, of_admins=2, has_users=True), rights())
    for n, user in enumerate("aabb"):
        places.enter(n, user=user, address=None)
    reserved = "remaining connection slots are reserved for administrators"
    assert refused(places, "more", "c") == reserved
    places.enter("one", user=ADMIN, address=None)
    places.enter("two", user=ADMIN, address=None)
    assert refused(places, "more", ADMIN) == "sorry, too many clients already"
    few = Places(PlaceLimits(1, of_admins=3), rights())
    few.enter("only", user="a", address=None)


STEPS = st.lists(
    st.tuples(
        st.booleans(),
        st.integers(0, 30),
        st.sampled_from(["ann", "bob", "cy", ADMIN]),
        st.sampled_from([None, "127.0.0.1", "10.0.0.1", "10.0.0.2", "::ffff:10.0.0.1"]),
    ),
    max_size=120,
)


@given(STEPS)
def test_counts_are_right_after_any_steps(steps: list[tuple[bool, int, str, str | None]]) -> None:
    limits = PlaceLimits(10, of_admins=2, of_address_max=4, has_users=True)
    places, there = Places(limits, rights(bob=3)), dict[int, tuple[str, str | None]]()
    for enters, number, user, address in steps:
        if not enters:
            places.leave(number)
            there.pop(number, None)
            continue
        had = number in there
        users = Counter(user for user, _ in there.values())
        remote = Counter(
            address.removeprefix("::ffff:")
            for _, address in there.values()
            if address not in {None, "127.0.0.1"} and address is not None
        )
        network = None if address in {None, "127.0.0.1"} else str(address).removeprefix("::ffff:")
        fits = len(there) < 10 and (
            user == ADMIN
            or (
                len(there) < 8
                and users[user] < (3 if user == "bob" else 7)
                and (network is None or remote[network] < 4)
            )
        )
        try:
            places.enter(number, user=user, address=address)
        except QueryError:
            assert not fits
            assert not had
        else:
            assert fits or had
            there.setdefault(number, (user, address))
        assert len(places) == len(there)
