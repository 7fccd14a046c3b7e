"""Asking several nodes at once: one request for each, and the next copy for one that is slow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from stategate.stores.errors import FailureReason
from stategate.stores.nodes import asking
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.links import OnReply
from stategate.stores.nodes.messages import Ask, Release, Request
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.store import DEFAULT_CONFIG, Waiting
from stategate.stores.spec.traces import Trace
from tests.stores.nodes.counting import COUNT
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.nodes.test_cluster_store import Cluster
from tests.support.values import rows_of
from tests.support.waiting import until

KEY = KeyQuery.with_key("key 00007")


class SlowLink(MemoryLink):
    """A link whose replies come when they are let go."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.is_slow = True
        self.held: list[Callable[[], Waiting]] = []

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Keep the request for later."""
        if self.is_slow:
            self.held.append(lambda: super(SlowLink, self).begin(request, on_reply))
            return _Nothing()
        return super().begin(request, on_reply)

    def let_go(self) -> None:
        """Let the requests through."""
        self.is_slow = False
        for each in self.held:
            each()

    def hold_on(self) -> None:
        """Keep all further requests."""
        self.is_slow, self.held = True, []


class _Nothing:
    def cancel(self) -> bool:
        return True


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.apply([(f"key {number:05}", number) for number in range(100)])
    for name in ("b", "c"):
        found.links[name] = SlowLink(found.links[name].answering)
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def slow(cluster: Cluster, name: str) -> SlowLink:
    link = cluster.links[name]
    assert isinstance(link, SlowLink)
    return link


def test_each_node_gets_one_request(cluster: Cluster) -> None:
    for name in ("b", "c"):
        slow(cluster, name).let_go()
    answers = list(cluster.store.query_each([(n, KEY, DEFAULT_CONFIG) for n in range(6)]))
    assert [each.value for each in answers if isinstance(each, Success)] == [(7,)] * 6
    asked = [r for link in cluster.links.values() for r in link.asked if isinstance(r, Ask)]
    assert len(asked) <= 2
    away = [n for n in range(6) if n not in cluster.stores["a"].replicas]
    assert sorted(number for each in asked for number, _, _ in each.targets) == away


def test_nodes_are_asked_at_the_same_time(cluster: Cluster) -> None:
    """The second node gets its request before the first one has replied."""
    with ThreadPoolExecutor(1) as threads:
        targets = [(n, KEY, DEFAULT_CONFIG) for n in range(6)]
        found = threads.submit(lambda: list(cluster.store.query_each(targets)))
        first = {cluster.holders(n)[0] for n in range(6) if n not in cluster.stores["a"].replicas}
        until(lambda: all(slow(cluster, name).held for name in first))
        for name in ("b", "c"):
            slow(cluster, name).let_go()
        assert all(isinstance(each, Success) for each in found.result(10))


def test_the_next_copy_is_asked_if_a_node_is_slow(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    slow(cluster, second).let_go()
    overdue: list[str] = []
    cluster.store.around = replace(cluster.store.around, on_overdue=overdue.append)
    answer = cluster.store.query_partition(partition, KEY)
    assert isinstance(answer, Success)
    assert (answer.value, answer.node) == ((7,), second)
    assert overdue == [first]
    assert len(slow(cluster, first).held) == 1


def test_a_stream_that_is_opened_too_late_is_released(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    slow(cluster, second).let_go()
    answer = cluster.store.query_partition(partition, RangeQuery())
    assert isinstance(answer, Success)
    assert answer.node == second
    slow(cluster, first).let_go()
    asked = slow(cluster, first).asked
    assert any(isinstance(each, Release) and each.streams for each in asked)
    assert not slow(cluster, first).answering._streams
    assert len(rows_of(answer.value)) == 100


class Stopping:
    """A reader that waits no more after a time, or when it is told."""

    trace: Trace | None = None

    def __init__(self, remaining_s: float | None = None) -> None:
        self.remaining_s = remaining_s
        self.callbacks: list[Callable[[], None]] = []
        self.is_stopped = False

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        self.callbacks.append(callback)
        return lambda: self.callbacks.remove(callback)

    def check(self) -> None:
        if self.is_stopped or self.remaining_s is not None:
            raise InterruptedError

    def stop(self) -> None:
        until(lambda: bool(self.callbacks))
        self.is_stopped = True
        for callback in tuple(self.callbacks):
            callback()


def test_a_reader_that_waits_no_more_gets_its_error_at_once(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    targets = [(partition, RangeQuery(), DEFAULT_CONFIG)]
    stop = Stopping()
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(lambda: list(cluster.store.query_each(targets, stop=stop)))
        stop.stop()
        with pytest.raises(InterruptedError):
            found.result(10)
    assert stop.callbacks == []
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        list(cluster.store.query_each([(partition, KEY, DEFAULT_CONFIG)], stop=Stopping(0.0)))
    assert time.monotonic() - began < 5
    for name in ("b", "c"):  # streams that are opened now have no reader
        slow(cluster, name).let_go()
        assert not slow(cluster, name).answering._streams


@pytest.mark.parametrize("is_reduced", [False, True])
def test_a_reader_of_rows_waits_no_more_either(cluster: Cluster, *, is_reduced: bool) -> None:
    partition = cluster.elsewhere()
    for name in ("b", "c"):
        slow(cluster, name).let_go()
    stop = Stopping()
    (answer,) = cluster.store.query_each([(partition, RangeQuery(), DEFAULT_CONFIG)], stop=stop)
    assert isinstance(answer, Success)
    for name in ("b", "c"):
        slow(cluster, name).hold_on()
    place = answer.value.elsewhere
    assert place is not None
    with ThreadPoolExecutor(1) as threads:
        if is_reduced:
            found = threads.submit(lambda: place.begin_reducing([place], COUNT).wait())
        else:
            found = threads.submit(lambda: rows_of(answer.value))
        stop.stop()
        with pytest.raises(InterruptedError):
            found.result(10)


def test_the_slow_answer_is_taken_if_it_comes_first(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(cluster.store.query_partition, partition, KEY)
        until(lambda: slow(cluster, second).held)
        slow(cluster, first).let_go()
        answer = found.result(10)
    assert isinstance(answer, Success)
    assert (answer.value, answer.node) == ((7,), first)


def test_nodes_that_never_reply_are_given_up(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ASK_S", 0.05)
    answer = cluster.store.query_partition(cluster.elsewhere(), KEY)
    assert isinstance(answer, Failure)
    assert answer.reason is FailureReason.NOT_PRESENT


def test_a_node_that_is_lost_meanwhile_is_passed_over(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    slow(cluster, second).let_go()
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(cluster.store.query_partition, partition, CountQuery())
        until(lambda: slow(cluster, first).held)
        slow(cluster, first).is_up = False
        slow(cluster, first).let_go()
        answer = found.result(10)
    assert isinstance(answer, Success)
    assert (answer.value, answer.node) == (100, second)


def test_a_node_that_is_slow_is_asked_after_a_faster_one(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    for name in ("b", "c"):
        slow(cluster, name).let_go()
    around = cluster.store.around
    for _ in range(20):
        around.times.note(first, 0.5)
        around.times.note(second, 0.001)
    for answer in (
        cluster.store.query_partition(partition, KEY),
        cluster.store.query_partition(partition, RangeQuery()),
    ):
        assert isinstance(answer, Success)
        assert answer.node == second
    assert around.first_other(partition) == second


def test_a_refusal_tells_nothing_about_the_time_of_a_reply(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    for name in ("b", "c"):
        slow(cluster, name).let_go()
    cluster.stores[first].drop(partition)
    answer = cluster.store.query_partition(partition, KEY)
    assert isinstance(answer, Success)
    assert answer.node == second
    times = cluster.store.around.times
    assert times.usual_s(first) is None
    assert times.usual_s(second) is not None
