"""A user gets no more rows or bytes than its limit, and no more subscriptions, whatever the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from stategate.planner.engine import Subscription
from stategate.planner.errors import LimitExceededError, QueryError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import Rights, UserLimits
from stategate.planner.values.session import Session
from tests.planner.sides import ordered
from tests.planner.test_law import EXAMPLES, Query, joined, nested, single_store
from tests.planner.test_rights import ALL, JOE, World, opened_world


@pytest.fixture(scope="module")
def opened() -> Iterator[World]:
    with opened_world() as found:
        yield found


@pytest.fixture
def world(opened: World) -> World:
    opened.rights.set_limits({})
    return opened


def test_limits_of_a_user_come_before_those_of_all() -> None:
    rights = Rights(UserLimits(statements=6, rows=100))
    rights.set_limits({"joe": UserLimits(rows=5, connections=2)})
    assert rights.limits_of("joe") == UserLimits(statements=6, connections=2, rows=5)
    assert rights.limits_of("ann") == UserLimits(statements=6, rows=100)
    rights.set_limits({})
    assert rights.limits_of("joe").rows == 100
    assert not Rights().limits_results


@given(
    query=st.one_of(single_store(), joined(), nested()),
    most=st.integers(1, 6),
)
@settings(
    max_examples=EXAMPLES // 4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_no_result_is_larger_than_its_limit(world: World, query: Query, most: int) -> None:
    world.rights.set_limits({JOE: UserLimits(rows=most)})
    try:
        wanted = world.run(query.sql, ALL)
    except QueryError:
        return
    event("more" if len(wanted) > most else "fits")
    if len(wanted) <= most:
        found = world.run(query.sql)
        assert found == wanted if query.ordered else ordered(found) == ordered(wanted)
        return
    with pytest.raises(LimitExceededError, match=f"more than {most} rows") as caught:
        world.run(query.sql)
    assert caught.value.sqlstate == "54000"
    for name in ("look up", "look up each"):
        assert world.ways(query.sql)[name]() is None, name


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM people", "SELECT upper(name) FROM people", "SELECT * FROM orders o, people"],
)
def test_bytes_of_a_result_are_limited(world: World, sql: str) -> None:
    world.rights.set_limits({JOE: UserLimits(bytes=20)})
    assert world.run(sql, ALL)
    with pytest.raises(LimitExceededError, match="more than 20 bytes"):
        world.run(sql)
    world.rights.set_limits({JOE: UserLimits(bytes=1 << 20)})
    assert ordered(world.run(sql)) == ordered(world.run(sql, ALL))


def test_one_user_does_not_take_the_subscriptions_of_others(world: World) -> None:
    world.rights.set_limits({JOE: UserLimits(subscribers=2)})

    def subscribe(user: str) -> None:
        session = Session(user=user)
        statement = world.engine.prepare("SELECT * FROM people", session)
        stack.append(
            world.engine.subscribe(
                statement,
                (),
                session,
                token=None,
                on_ready=lambda: None,
                cancellation=Cancellation(timeout_s=60),
            )
        )

    stack: list[Subscription] = []
    try:
        for _ in range(2):
            subscribe(JOE)
        with pytest.raises(
            LimitExceededError, match='too many subscribers of user "joe"'
        ) as caught:
            subscribe(JOE)
        assert caught.value.sqlstate == "53300"
        for _ in range(3):
            subscribe(ALL)
        stack.pop(0).close()
        subscribe(JOE)
    finally:
        for each in stack:
            each.close()
