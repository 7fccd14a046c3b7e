"""Statement threads: limits, and closing streams when a reader stops."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Iterator
from contextlib import aclosing, suppress

import pytest

from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.errors import LimitExceededError, QueryError, UnavailableError
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio


class Numbers:
    """An iterator that counts its items and records the threads that make and close it."""

    def __init__(self, count: int, *, gate: threading.Event | None = None) -> None:
        self.count, self.made, self.gate = count, 0, gate
        self.threads: set[str] = set()
        self.closed = threading.Event()

    def __iter__(self) -> Numbers:
        return self

    def __next__(self) -> int:
        self.threads.add(threading.current_thread().name)
        if self.gate is not None:
            assert self.gate.wait(WAIT_S)
        if self.made == self.count:
            raise StopIteration
        self.made += 1
        return self.made

    def close(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.closed.set()


async def test_a_call_runs_in_a_thread_and_returns_its_value(threads: StatementThreads) -> None:
    assert await threads.run(lambda a, b: a + b, 2, 3) == 5
    assert (await threads.run(threading.current_thread)).name.startswith("statement")


async def test_an_exception_of_a_call_reaches_its_caller(threads: StatementThreads) -> None:
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)


async def test_a_call_beyond_the_queue_is_refused_and_later_ones_are_not() -> None:
    threads = StatementThreads(count=1, queue_max=1)
    gate = threading.Event()
    running = asyncio.create_task(threads.run(gate.wait, WAIT_S))
    waiting = asyncio.create_task(threads.run(int))
    await asyncio.sleep(0)
    assert threads.waiting == 1
    with pytest.raises(LimitExceededError) as refused:
        await threads.run(int)
    assert refused.value.sqlstate == "53300"
    gate.set()
    assert await running is True
    assert await waiting == 0
    assert await threads.run(int) == 0
    threads.close()


async def test_patient_calls_take_half_of_the_threads_and_no_place_in_the_queue() -> None:
    threads = StatementThreads(count=4, queue_max=0)
    gate = threading.Event()
    calls = [asyncio.create_task(threads.run_patiently(gate.wait, WAIT_S)) for _ in range(20)]
    await asyncio.sleep(0)
    assert (threads.running, threads.waiting) == (2, 0)
    assert await threads.run(int) == 0, "others get the other half"
    gate.set()
    assert await asyncio.gather(*calls) == [True] * 20
    threads.close()


async def test_without_a_queue_calls_still_run() -> None:
    threads = StatementThreads(count=1, queue_max=0)
    assert await threads.run(int) == 0
    threads.close()


async def test_a_cancelled_call_that_waits_never_begins() -> None:
    threads = StatementThreads(count=1, queue_max=4)
    gate, begun = threading.Event(), threading.Event()
    running = asyncio.create_task(threads.run(gate.wait, WAIT_S))
    waiting = asyncio.create_task(threads.run(begun.set))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.set()
    await running
    await threads.run(int)
    assert not begun.is_set()
    threads.close()


async def test_the_value_of_an_abandoned_call_is_released(threads: StatementThreads) -> None:
    gate, begun, released = threading.Event(), threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        gate.wait(WAIT_S)
        return "held"

    given: list[str] = []

    def release(value: str) -> None:
        given.append(value)
        released.set()

    running = asyncio.create_task(threads.run(work, on_abandon=release))
    assert await asyncio.to_thread(begun.wait, WAIT_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.set()
    assert await asyncio.to_thread(released.wait, WAIT_S)
    assert given == ["held"]


@pytest.mark.parametrize(("error", "logged"), [(QueryError("x"), 0), (ValueError("x"), 1)])
async def test_only_an_unexpected_error_of_an_abandoned_call_is_logged(
    caplog: pytest.LogCaptureFixture, error: Exception, logged: int
) -> None:
    threads = StatementThreads(count=1, queue_max=4)
    gate, begun = threading.Event(), threading.Event()

    def fail() -> None:
        begun.set()
        gate.wait(WAIT_S)
        raise error

    running = asyncio.create_task(threads.run(fail))
    assert await asyncio.to_thread(begun.wait, WAIT_S)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.set()
    threads.close()
    assert len([r for r in caplog.records if r.levelno == logging.ERROR]) == logged


async def test_a_stream_gives_all_items_in_order_from_threads(threads: StatementThreads) -> None:
    numbers = Numbers(50)
    assert [each async for each in threads.stream(numbers)] == list(range(1, 51))
    assert all(name.startswith("statement") for name in numbers.threads)


async def test_two_items_are_finished_at_once_but_the_first_alone(
    threads: StatementThreads,
) -> None:
    numbers = Numbers(6)
    together = threading.Barrier(2)
    at_once: set[int] = set()
    most: list[set[int]] = []

    def finish(item: int) -> str:
        at_once.add(item)
        if item > 1 and item < 6:
            # Only another thread can finish the other one while this one is held up.
            together.wait(WAIT_S)
        most.append(set(at_once))
        if item > 1 and item < 6:
            together.wait(WAIT_S)
        at_once.discard(item)
        return f"item {item}"

    stream = threads.stream_through(numbers, finish)
    assert [each async for each in stream] == [f"item {n}" for n in range(1, 7)]
    assert most[0] == {1}
    assert max(map(len, most)) == 2


async def test_items_keep_their_order_when_finished_out_of_order(threads: StatementThreads) -> None:
    """The order holds whichever of the two is done first."""
    gate = threading.Event()

    def finish(item: int) -> int:
        if item == 2:
            assert gate.wait(WAIT_S)
        if item == 3:
            gate.set()
        return item

    stream = threads.stream_through(Numbers(5), finish)
    assert [each async for each in stream] == [1, 2, 3, 4, 5]


async def test_a_finished_item_does_not_wait_for_the_next(threads: StatementThreads) -> None:
    gate = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        yield 2
        assert gate.wait(WAIT_S)
        yield 3

    given = []
    async for each in threads.stream_through(items(), lambda item: item):
        given.append(each)
        if each == 2:
            gate.set()
    assert given == [1, 2, 3]


async def test_items_before_an_error_are_yielded_first(threads: StatementThreads) -> None:
    def items() -> Iterator[int]:
        yield from (1, 2, 3)
        raise QueryError("out of range", sqlstate="22008")

    given: list[int] = []

    async def read() -> None:
        async for each in threads.stream_through(items(), lambda item: item):
            given.append(each)

    with pytest.raises(QueryError, match="out of range"):
        await read()
    assert given == [1, 2, 3]


async def test_few_items_are_made_ahead_of_a_reader_that_stops(threads: StatementThreads) -> None:
    numbers = Numbers(50)
    async with aclosing(threads.stream_through(numbers, lambda item: item)) as stream:
        async for each in stream:
            for _ in range(4):
                await threads.run(int)
            assert numbers.made <= each + 3, "two are finished, and one is made"
            if each == 5:
                break
    assert numbers.closed.is_set()


async def test_an_item_that_cannot_be_finished_closes_the_stream(threads: StatementThreads) -> None:
    numbers = Numbers(50)

    def finish(item: int) -> str:
        raise QueryError("out of range", sqlstate="22008")

    with pytest.raises(QueryError, match="out of range"):
        async for _ in threads.stream_through(numbers, finish):
            pass
    assert numbers.closed.is_set()


async def test_a_stream_is_at_most_one_item_ahead(threads: StatementThreads) -> None:
    numbers = Numbers(50)
    async with aclosing(threads.stream(numbers)) as stream:
        async for each in stream:
            await threads.run(int)
            await threads.run(int)
            assert numbers.made <= each + 1
            if each == 5:
                break
    assert numbers.made <= 6


async def test_an_abandoned_stream_is_closed_in_a_thread(threads: StatementThreads) -> None:
    numbers = Numbers(50)
    async with aclosing(threads.stream(numbers)) as stream:
        async for _ in stream:
            break
    assert numbers.closed.is_set()
    assert all(name.startswith("statement") for name in numbers.threads)


async def test_a_generator_is_closed_only_after_its_current_item(threads: StatementThreads) -> None:
    gate, making, closed = threading.Event(), threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        try:
            yield 1
            making.set()
            gate.wait(WAIT_S)
            yield 2
        finally:
            closed.set()

    stream = threads.stream(items())
    assert await anext(stream) == 1
    assert await asyncio.to_thread(making.wait, WAIT_S)
    closing = asyncio.create_task(stream.aclose())
    await threads.run(int)
    assert not closed.is_set()
    gate.set()
    await closing
    assert closed.is_set()


async def test_a_cancelled_reader_closes_its_stream(threads: StatementThreads) -> None:
    gate = threading.Event()
    numbers = Numbers(5, gate=gate)

    async def read() -> None:
        async with aclosing(threads.stream(numbers)) as stream:
            async for _ in stream:
                pass

    reading = asyncio.create_task(read())
    await threads.run(int)
    reading.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await asyncio.to_thread(numbers.closed.wait, WAIT_S)


async def test_an_error_of_the_iterator_reaches_the_reader_after_its_items(
    threads: StatementThreads,
) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise QueryError("broken")

    taken: list[int] = []

    async def read() -> None:
        async for each in threads.stream(items()):
            taken.append(each)

    with pytest.raises(QueryError, match="broken"):
        await read()
    assert taken == [1]


async def test_one_thread_serves_many_streams_in_turn() -> None:
    threads = StatementThreads(count=1, queue_max=0)
    order: list[int] = []

    async def read(which: int) -> None:
        async for _ in threads.stream(Numbers(20)):
            order.append(which)

    await asyncio.gather(*(read(which) for which in range(10)))
    # Each has had a first item before any has had its last.
    assert len(order) == 200
    last_of_first = min(max(i for i, w in enumerate(order) if w == which) for which in range(10))
    assert set(order[:last_of_first]) == set(range(10))
    threads.close()


async def test_closed_threads_refuse_calls_but_still_release() -> None:
    threads = StatementThreads(count=1, queue_max=1)
    threads.close()
    with pytest.raises(UnavailableError) as refused:
        await threads.run(int)
    assert refused.value.sqlstate == "57P01"
    released: list[bool] = []
    await threads.release(lambda: released.append(True))
    assert released == [True]


async def test_a_call_that_waits_when_threads_close_is_refused() -> None:
    threads = StatementThreads(count=1, queue_max=4)
    gate = threading.Event()
    running = asyncio.create_task(threads.run(gate.wait, WAIT_S))
    waiting = asyncio.create_task(threads.run(int))
    await asyncio.sleep(0)
    closing = asyncio.create_task(asyncio.to_thread(threads.close))
    while not threads.closed:  # noqa: ASYNC110 - a thread sets it
        await asyncio.sleep(0)
    gate.set()
    await closing
    assert await running is True
    with pytest.raises(UnavailableError):
        await waiting


async def test_an_exception_of_a_release_reaches_its_caller(threads: StatementThreads) -> None:
    def fail() -> None:
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        await threads.release(fail)


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="thread"):
        StatementThreads(count=0, queue_max=1)


class Big:
    """Something that a call holds."""


async def freed(held: list[weakref.ref[Big]]) -> bool:
    """Whether all of them are gone once the threads have let go of their calls."""
    for _ in range(100):
        if not any(each() for each in held):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_an_error_frees_what_its_call_held(threads: StatementThreads) -> None:
    """The garbage collector, which would free a ring of the two, runs seldom in a gateway."""
    held: list[weakref.ref[Big]] = []

    def fail() -> None:
        big = Big()
        held.append(weakref.ref(big))
        raise ZeroDivisionError

    def fail_later() -> Iterator[int]:
        yield 1
        fail()

    gc.collect()
    gc.disable()
    try:
        with suppress(ZeroDivisionError):
            await threads.run(fail)
        for streamed in (
            threads.stream(fail_later()),
            threads.stream_through(fail_later(), str),
        ):
            with suppress(ZeroDivisionError):
                async with aclosing(streamed) as items:
                    async for _ in items:
                        pass
        del streamed, items
        assert len(held) == 3
        assert await freed(held)
    finally:
        gc.enable()
