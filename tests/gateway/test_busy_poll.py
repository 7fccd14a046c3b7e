from __future__ import annotations

import asyncio
import itertools
import selectors
from collections.abc import Callable, Sequence

import pytest

from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.thread_settings import usable_cores


class Recording(selectors.DefaultSelector):
    """A selector that records its timeouts."""

    def __init__(self) -> None:
        super().__init__()
        self.timeouts: list[float | None] = []

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.timeouts.append(timeout)
        return super().select(timeout)


@pytest.fixture(autouse=True)
def look(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Let each look at the clock take a tenth of a millisecond, however busy the machine is."""
    clock_ns = itertools.count(0, 100_000).__next__
    monkeypatch.setattr("stategate.gateway.busy_poll._clock_ns", clock_ns)
    return clock_ns


def looks(busy_poll: BusyPoll, clients: Sequence[object]) -> int:
    """Answer these clients; return how often the loop then checked its sockets without waiting."""
    selector = Recording()

    async def answer() -> int:
        for client in clients:
            busy_poll.answered(client)
            # The loop wakes up for each of them, as it does for requests that arrive one by one.
            await asyncio.sleep(0)
        before = len(selector.timeouts)
        await asyncio.sleep(0.05)
        return selector.timeouts[before:].count(0)

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        return runner.run(answer())


def test_the_loop_polls_after_an_answer_and_then_sleeps() -> None:
    busy_poll = BusyPoll(5_000, cores=2)
    assert looks(busy_poll, ["a"]) > 5
    assert looks(busy_poll, ["a"]) > 5
    assert looks(busy_poll, ["a", "a"]) > 5
    assert looks(busy_poll, ["b"]) > 5


def test_the_loop_polls_for_a_client_whose_keys_are_on_another_node() -> None:
    busy_poll = BusyPoll(5_000, cores=2)
    assert looks(busy_poll, ["a", None, "a", None, "a"]) > 5
    assert looks(busy_poll, ["a", None, "b", None]) <= 2


def test_the_loop_does_not_poll_with_several_clients() -> None:
    busy_poll = BusyPoll(5_000, cores=2)
    assert looks(busy_poll, ["a", "b"]) <= 2
    assert looks(busy_poll, ["a", "b", "a"] * 33) <= 2
    assert looks(busy_poll, ["a"]) <= 2
    assert looks(busy_poll, ["a"]) > 5


def test_the_loop_polls_for_twice_a_wait_that_was_somewhat_too_long(
    look: Callable[[], int],
) -> None:
    def wait(ms: int) -> None:
        for _ in range(ms * 10):
            look()

    busy_poll = BusyPoll(1_000, cores=2)
    wait(10)
    assert 8 < looks(busy_poll, ["a"]) < 15
    wait(1)
    assert 35 < looks(busy_poll, ["a"]) < 50
    wait(1)
    assert 55 < looks(busy_poll, ["a"]) < 65, "at most six times the shortest"
    wait(10)
    assert 8 < looks(busy_poll, ["a"]) < 15, "ten milliseconds are too long to poll"


@pytest.mark.parametrize(
    ("linger_us", "cores", "clients"), [(0, 2, ["a"]), (5_000, 1, ["a"]), (5_000, 2, [])]
)
def test_without_polling_the_loop_sleeps_at_once(
    linger_us: int, cores: int, clients: list[str]
) -> None:
    # The start and the end of the loop check the sockets once or twice.
    assert looks(BusyPoll(linger_us, cores=cores), clients) <= 2


def test_at_least_one_core_is_usable() -> None:
    assert usable_cores() >= 1
