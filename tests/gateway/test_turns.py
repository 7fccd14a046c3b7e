"""Answers of one turn of the event loop: sent together if they are many, and always in order."""

from __future__ import annotations

import asyncio
import math
from typing import Any, cast

import pytest

from stategate.gateway.pgwire.input_output import Output
from stategate.gateway.turns import HELD_MAX, MANY, SKIPPED, Turns

pytestmark = pytest.mark.anyio


class Sent:
    """A transport that records what is written, with the client that it is for."""

    def __init__(self, log: list[tuple[int, bytes]], client: int) -> None:
        self._log, self._client = log, client

    def set_write_buffer_limits(self, high: int) -> None:
        assert high > 0

    def write(self, data: bytes) -> None:
        self._log.append((self._client, data))


def outputs(turns: Turns, log: list[tuple[int, bytes]], count: int) -> list[Output]:
    made = [Output(asyncio.get_running_loop(), turns, bytes_high=1_000) for _ in range(count)]
    for client, output in enumerate(made):
        output.attach(cast(Any, Sent(log, client)))
    return made


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stategate.gateway.turns.perf_counter", lambda: 0.0)


async def test_many_answers_are_sent_at_the_end_of_the_turn() -> None:
    log: list[tuple[int, bytes]] = []
    turns = Turns()
    clients = outputs(turns, log, MANY)
    for _ in range(3):
        for output in clients:
            output.answer(b"a")
        assert log == []
        await asyncio.sleep(0)
        assert log == [(client, b"a") for client in range(MANY)]
        log.clear()


async def test_few_answers_are_sent_at_once_for_a_while() -> None:
    log: list[tuple[int, bytes]] = []
    turns = Turns()
    (output,) = outputs(turns, log, 1)
    output.answer(b"held")
    assert log == []
    await asyncio.sleep(0)
    for _ in range(SKIPPED):
        log.clear()
        output.answer(b"now")
        assert log == [(0, b"now")]
    output.answer(b"tried")
    assert log == [(0, b"now")]
    await asyncio.sleep(0)
    assert log == [(0, b"now"), (0, b"tried")]


async def test_no_more_answers_are_held_than_a_client_may_wait_for() -> None:
    log: list[tuple[int, bytes]] = []
    clients = outputs(Turns(), log, HELD_MAX + 1)
    for output in clients:
        output.answer(b"a")
    assert len(log) == HELD_MAX
    await asyncio.sleep(0)
    assert len(log) == HELD_MAX + 1
    clients[0].answer(b"b")  # held again: it was a turn with many
    assert len(log) == HELD_MAX + 1


async def test_an_answer_does_not_wait_for_slow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[tuple[int, bytes]] = []
    clients = outputs(Turns(), log, 3)
    clients[0].answer(b"a")
    monkeypatch.setattr("stategate.gateway.turns.perf_counter", lambda: math.inf)
    clients[1].answer(b"b")  # has taken long
    assert log == [(0, b"a"), (1, b"b")]


async def test_a_client_that_cannot_be_answered_harms_no_other() -> None:
    log: list[tuple[int, bytes]] = []
    turns = Turns()

    def fail() -> None:
        raise RuntimeError("closed")

    turns.hold(fail)
    (output,) = outputs(turns, log, 1)
    output.answer(b"a")
    await asyncio.sleep(0)
    assert log == [(0, b"a")]


async def test_what_follows_a_held_answer_stays_behind_it() -> None:
    log: list[tuple[int, bytes]] = []
    turns = Turns()
    one, other = outputs(turns, log, 2)
    one.answer(b"1")
    other.answer(b"2")
    turns.to_skip = 1  # as after another turn
    one.answer(b"3")
    one.write(b"4")
    one.flush()
    assert log == [(0, b"134")]
    await asyncio.sleep(0)
    assert log == [(0, b"134"), (1, b"2")]


async def test_a_client_that_has_gone_gets_nothing() -> None:
    log: list[tuple[int, bytes]] = []
    one, other = outputs(Turns(), log, 2)
    one.answer(b"1")
    other.answer(b"2")
    one.closed = True
    await asyncio.sleep(0)
    assert log == [(1, b"2")]
