"""Asking other nodes without waiting: the times of lookups are not those of other requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from stategate.stores.nodes.asking import Around
from stategate.stores.nodes.asking_once import begin_once
from stategate.stores.nodes.links import Replied, Timing
from stategate.stores.nodes.messages import Ask, Request
from stategate.stores.nodes.reply_times import STALE_S, ReplyTimes
from stategate.stores.spec.query import FewKeysQuery, FirstRowsQuery, KeyQuery, Query, RangeQuery
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.store import DEFAULT_CONFIG
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.nodes.test_cluster_store import Cluster

KEY = KeyQuery.with_key("key 00007")
KEYS = FewKeysQuery.with_keys([("key 00007",), ("key 00008",)])
RANGE = FirstRowsQuery(RangeQuery(), 10)
FAST_S, LONG_S = 0.001, 0.1


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


class TimedLink(MemoryLink):
    """A link on which a lookup of one key takes a moment, and anything else takes long."""

    def __init__(self, link: MemoryLink, clock: Clock) -> None:
        super().__init__(link.answering)
        self._clock = clock

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Ask the other node."""
        assert isinstance(request, Ask)
        is_key = all(isinstance(query, KeyQuery) for _, query, _ in request.targets)
        self._clock.now_s += FAST_S if is_key else LONG_S
        return super().ask(request, timeout_s=timeout_s)


class Once:
    """Asks for one partition, which two other nodes have."""

    def __init__(self, cluster: Cluster) -> None:
        self.clock = Clock()
        for name, link in cluster.links.items():
            cluster.links[name] = TimedLink(link, self.clock)
        self.times = ReplyTimes(self.clock)
        self.around: Around = replace(
            cluster.store.around, times=self.times, timing=Timing(clock=self.clock)
        )
        self.partition = cluster.elsewhere()
        self.first, self.second = cluster.holders(self.partition)

    def ask(self, *queries: Query[Any]) -> tuple[float, Sequence[QueryResult[Any]]]:
        """Return when the answers were overdue, and the answers."""
        found: list[Sequence[QueryResult[Any]] | None] = []
        targets = [(self.partition, query, DEFAULT_CONFIG) for query in queries]
        overdue_s = begin_once(self.around, targets, found.append)
        (answers,) = found
        assert answers is not None
        return overdue_s, answers

    def asked(self, query: Query[Any]) -> str | None:
        """Return the node that was asked."""
        _, (answer,) = self.ask(query)
        assert isinstance(answer, Success)
        return answer.node


@pytest.fixture
def once() -> Iterator[Once]:
    cluster = Cluster()
    cluster.apply([(f"key {number:05}", number) for number in range(100)])
    yield Once(cluster)
    for store in [*cluster.stores.values(), cluster.whole]:
        store.close()


@pytest.mark.parametrize("others", [[RANGE], [KEYS], [KEY, RANGE]])
def test_what_takes_long_by_itself_does_not_delay_lookups(
    once: Once, others: list[Query[Any]]
) -> None:
    """A lookup that hangs would be asked of the other copy sixteen times later."""
    for _ in range(10):
        once.ask(KEY)
    overdue_s, _ = once.ask(KEY)
    for _ in range(10):
        once.ask(*others)
    assert once.ask(KEY)[0] == overdue_s
    assert not once.times.slow


def test_what_takes_long_by_itself_is_overdue_by_its_own_times(once: Once) -> None:
    for _ in range(100):
        once.ask(KEY)
        once.ask(RANGE)
    assert once.ask(RANGE)[0] > LONG_S
    assert once.ask(KEY)[0] < LONG_S


def test_only_a_lookup_tries_a_slow_node_again(once: Once) -> None:
    for _ in range(20):
        once.times.note(once.first, LONG_S)
        once.times.note(once.second, FAST_S)
    assert once.asked(KEY) == once.second
    once.clock.now_s += 2 * STALE_S
    once.times.note(once.second, FAST_S)
    assert once.asked(RANGE) == once.second
    assert once.asked(KEY) == once.first
