"""Turns of the clients of one address at having their passwords checked."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from stategate.gateway.access.address_turns import AddressTurns, TurnLimits
from stategate.gateway.access.login_throttle import Attempt
from stategate.gateway.access.peers import Peer
from stategate.gateway.access.rules import Access, AccessRules, Method
from stategate.gateway.access.users import Users
from stategate.planner.engine import QueryError
from tests.gateway.credentials import USER, make_users

pytestmark = pytest.mark.anyio
PATIENT = TurnLimits(failing_max=2, wait_s_max=3600.0, waiting_max=3)


def attempt(account: int, network: str = "192.0.2.1") -> Attempt:
    return Attempt(network=network, account=b"%d" % account)


async def settled() -> None:
    """Let every task go on as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_attempts_wait_while_too_many_accounts_fail() -> None:
    turns = AddressTurns(PATIENT)
    with turns.failing(attempt(1)):
        with turns.failing(attempt(2)), turns.failing(attempt(2)):
            await turns.wait(attempt(1, "192.0.2.2"))
            waiting = asyncio.create_task(turns.wait(attempt(3)))
            await settled()
            assert not waiting.done()
        await waiting
    assert not len(turns)


async def test_all_failures_of_an_account_take_one_place() -> None:
    turns = AddressTurns(PATIENT)
    with ExitStack() as failures:
        for _ in range(5):
            failures.enter_context(turns.failing(attempt(1)))
        await turns.wait(attempt(2))
    assert not len(turns)


async def test_the_longest_waiting_goes_first_and_one_for_each_place() -> None:
    turns = AddressTurns(PATIENT)
    gone: list[int] = []

    async def go(number: int) -> None:
        await turns.wait(attempt(number))
        gone.append(number)

    with ExitStack() as outer:
        outer.enter_context(turns.failing(attempt(1)))
        with turns.failing(attempt(2)):
            tasks = [asyncio.create_task(go(number)) for number in (3, 4, 5)]
            await settled()
        await settled()
        assert gone == [3]
        tasks[1].cancel()
        await settled()
        with turns.failing(attempt(2)):
            pass
        await settled()
        assert gone == [3, 5]
    assert not len(turns)


async def test_an_attempt_is_checked_after_a_while_all_the_same() -> None:
    turns = AddressTurns(TurnLimits(failing_max=1, wait_s_max=0.0))
    with turns.failing(attempt(1)):
        await turns.wait(attempt(2))
    assert not len(turns)


async def test_a_limited_number_waits() -> None:
    turns = AddressTurns(PATIENT)
    with turns.failing(attempt(1)), turns.failing(attempt(2)):
        tasks = [asyncio.create_task(turns.wait(attempt(number))) for number in range(4)]
        await settled()
        assert [task.done() for task in tasks] == [True, False, False, False]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert not len(turns)


async def test_each_address_has_one_attempt_inside() -> None:
    turns = AddressTurns()
    inside: list[str] = []
    leave = asyncio.Event()

    async def check(network: str) -> None:
        async with turns.alone(attempt(1, network)):
            inside.append(network)
            await leave.wait()

    tasks = [asyncio.create_task(check(network)) for network in ("a", "a", "b")]
    await settled()
    assert inside == ["a", "b"]
    leave.set()
    await asyncio.gather(*tasks)
    assert inside == ["a", "b", "a"]
    assert not len(turns)


async def test_guesses_over_many_accounts_are_as_slow_as_their_answers(tmp_path: Path) -> None:
    checked: list[str] = []
    answer = asyncio.Semaphore(0)

    async def sleep(seconds: float) -> None:
        del seconds
        await answer.acquire()

    access = Access(
        rules=AccessRules(method=Method.SCRAM),
        users=Users(make_users(tmp_path)),
        turns=AddressTurns(PATIENT),
        sleep=sleep,
    )

    async def guess(user: str) -> None:
        """Guess, and do not read the answer: it comes late if it is wrong."""
        peer = Peer(address="192.0.2.1", secured=False)
        await access.require_turn(peer, user)
        checked.append(user)
        await access.fail(peer, user=user)

    tasks = [asyncio.create_task(guess(user)) for user in ("a", "b", "c", USER)]
    await settled()
    assert checked == ["a", "b"]
    for count in (3, 4):
        answer.release()
        await settled()
        assert len(checked) == count
    answer.release()
    answer.release()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in results} == {QueryError}
    access.close()
