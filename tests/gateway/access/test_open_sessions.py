"""Open sessions end with their user, and with no one else's."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.changing_users import (
    add_token,
    remove_user,
    revoke_tokens,
    set_password,
    set_stores,
)
from stategate.gateway.access.open_sessions import OpenSessions
from tests.gateway.credentials import OTHER, USER, access_of, make_users

pytestmark = pytest.mark.anyio


@given(st.lists(st.tuples(st.sampled_from(["enter", "leave", "remove"]), st.integers(0, 3))))
def test_each_session_ends_once_and_only_with_its_user(steps: list[tuple[str, int]]) -> None:
    async def work() -> None:
        users = {"0", "1", "2", "3"}
        sessions = OpenSessions(users.__contains__)
        ended: Counter[int] = Counter()
        owners: dict[int, str] = {}
        left: set[int] = set()
        leaves: list[Callable[[], None]] = []
        for what, number in steps:
            name = str(number)
            if what == "enter":
                session = len(leaves)
                owners[session] = name
                leaves.append(sessions.enter(name, partial(ended.update, [session])))
            elif what == "leave" and number < len(leaves):
                leaves[number]()
                left.add(number)
            elif what == "remove":
                users.discard(name)
                sessions.end_those_without_user()
            await asyncio.sleep(0)
        assert all(count == 1 for count in ended.values())
        for session, owner in owners.items():
            if owner in users:
                assert session not in ended
            elif session not in left:
                assert session in ended
        open_ = [each for each, owner in owners.items() if owner in users and each not in left]
        assert len(sessions) == len(open_)

    asyncio.run(work())


async def test_a_user_is_gone_without_its_last_secret(tmp_path: Path) -> None:
    path = make_users(tmp_path)
    add_token(path, name="robot")
    add_token(path, name=USER)
    ended: list[str] = []
    with access_of(path) as access:
        leaves = [
            access.sessions.enter(name, partial(ended.append, name))
            for name in (USER, OTHER, "robot")
        ]

        async def after() -> list[str]:
            access.look()
            await asyncio.sleep(0)
            return ended

        assert await after() == []
        revoke_tokens(path, name=USER)
        set_password(path, name=OTHER, password="new")
        set_stores(path, name=OTHER, stores=["clicks"])
        assert await after() == []
        revoke_tokens(path, name="robot")
        assert await after() == ["robot"]
        remove_user(path, name=USER)
        assert await after() == ["robot", USER]
        path.write_text("a mistake")
        assert await after() == ["robot", USER]
        for leave in leaves:
            leave()
        assert not len(access.sessions)


async def test_a_session_whose_user_has_gone_meanwhile_ends_at_once(tmp_path: Path) -> None:
    path = make_users(tmp_path)
    ended: list[str] = []
    with access_of(path) as access:
        remove_user(path, name=USER)
        access.look()
        leave = access.sessions.enter(USER, partial(ended.append, USER))
        await asyncio.sleep(0)
        leave()
    assert ended == [USER]
