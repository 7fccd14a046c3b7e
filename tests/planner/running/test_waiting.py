"""A statement waits for all its partitions at once, until its deadline or a cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from stategate.planner.errors import LimitExceededError, QueryCancelledError
from stategate.planner.running.consistency import wait_for_all
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.errors import TooManyWaitersError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.partition_waits import Awaited
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.store import OnBound, Waiting
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, progress

SCHEMA = keyvalue("state", {"k": "text"}, {"v": "bigint"}, partitions=4)
AT_5 = PositionBound(epoch=5)
FOREVER_S = 600.0
HANGS_S = 60.0
"""A call that takes longer counts as hanging; a test that passes never waits so long."""


@pytest.fixture
def store() -> LocalStore:
    made = open_store(SCHEMA)
    fill(made, [("a", 1)])
    return made


def all_of(store: LocalStore, bound: PositionBound = AT_5) -> list[Awaited]:
    return [Awaited(store=store, partition=n, bound=bound) for n in range(SCHEMA.partitions)]


def waiters(store: LocalStore) -> int:
    return sum(len(replica._waiters) for replica in store.replicas.values())


def apply_all(store: LocalStore, epoch: int = 5) -> None:
    for replica in store.replicas.values():
        replica.apply(progress(epoch), [])


class RecordingStore(LocalStore):
    """A store that records when a wait for one of its partitions begins and ends."""

    def __init__(self, other: LocalStore) -> None:
        super().__init__(other.schema, other.replicas)
        self.events: list[str] = []
        self.all_wait = threading.Event()
        """Set once a wait for every partition has begun."""

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Record the wait, then begin it."""
        made = _Recorded(super().when(partition, bound, callback), self.events)
        self.events.append("begins")
        if self.events.count("begins") == SCHEMA.partitions:
            self.all_wait.set()
        return made


class _Recorded:
    def __init__(self, waiting: Waiting, events: list[str]) -> None:
        self._waiting, self._events = waiting, events

    def cancel(self) -> bool:
        self._events.append("ends")
        return self._waiting.cancel()


def in_thread(call: Callable[[], object]) -> Callable[[], None]:
    """Start a call; return a function that waits until it has ended by itself."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()

    def ended() -> None:
        thread.join(HANGS_S)
        assert not thread.is_alive()

    return ended


def test_bounds_that_are_met_need_no_wait(store: LocalStore) -> None:
    met = PositionBound(epoch=0)
    assert wait_for_all(all_of(store, met), timeout_s=0, cancellation=None)
    assert wait_for_all([], timeout_s=0, cancellation=None)


def test_the_wait_ends_with_the_last_partition(store: LocalStore) -> None:
    found: list[bool] = []
    waiting = threading.Thread(
        target=lambda: found.append(
            wait_for_all(all_of(store), timeout_s=60, cancellation=Cancellation())
        )
    )
    waiting.start()
    while waiters(store) < SCHEMA.partitions:
        time.sleep(0.001)
    for replica in store.replicas.values():
        assert found == []
        replica.apply(progress(5), [])
    waiting.join()
    assert (found, waiters(store)) == ([True], 0)


def test_the_timeout_is_shared_by_all_partitions(store: LocalStore) -> None:
    recording = RecordingStore(store)
    assert not wait_for_all(all_of(recording), timeout_s=0.01, cancellation=Cancellation())
    # If the waits came one after another, each would begin after the end of the one before.
    assert recording.events == ["begins"] * SCHEMA.partitions + ["ends"] * SCHEMA.partitions
    assert waiters(store) == 0


def test_a_statement_waits_once_for_all_stores_it_reads(store: LocalStore) -> None:
    recording = RecordingStore(store)
    engine = SqlEngine(FixedCatalog(recording))
    sql = "SELECT count(*) FROM state a JOIN state b USING (k) WITH BOUND (events[0] >= 9), WAIT "
    assert refusal(engine, f"{sql} '10 ms'").sqlstate == "55S01"
    count = len(recording.events) // 2
    assert count >= SCHEMA.partitions
    assert recording.events == ["begins"] * count + ["ends"] * count
    assert waiters(store) == 0


def test_the_statement_deadline_ends_the_wait(store: LocalStore) -> None:
    with pytest.raises(QueryCancelledError, match="statement timeout"):
        wait_for_all(all_of(store), timeout_s=60, cancellation=Cancellation(timeout_s=0.02))
    assert waiters(store) == 0


@pytest.mark.parametrize("before", [True, False])
def test_a_cancel_ends_the_wait_at_once(store: LocalStore, *, before: bool) -> None:
    recording, cancellation = RecordingStore(store), Cancellation()
    said: list[str] = []

    def wait() -> None:
        with pytest.raises(QueryCancelledError) as caught:
            wait_for_all(all_of(recording), timeout_s=FOREVER_S, cancellation=cancellation)
        said.append(caught.value.message)

    if before:
        cancellation.cancel()
    ended = in_thread(wait)
    if not before:
        assert recording.all_wait.wait(HANGS_S)
        cancellation.cancel()
    ended()
    assert said == ["canceling statement due to user request"]
    assert waiters(store) == 0
    assert cancellation._callbacks == []


@pytest.mark.parametrize("report_all", [True, False])
def test_a_missing_partition_ends_the_wait_unless_all_must_report(
    store: LocalStore, *, report_all: bool
) -> None:
    """If partial results are accepted, the other partitions are still wanted."""
    store.drop(2)
    recording, met = RecordingStore(store), list[bool]()

    def wait() -> None:
        awaited = all_of(recording)
        met.append(
            wait_for_all(awaited, timeout_s=FOREVER_S, cancellation=None, report_all=report_all)
        )

    ended = in_thread(wait)
    if report_all:
        assert recording.all_wait.wait(HANGS_S)
        assert met == []
        apply_all(store)
    ended()
    assert met == [False]
    assert len(recording.events) == 2 * SCHEMA.partitions
    assert all(replica.progress.epoch == 5 for replica in store.replicas.values()) is report_all
    assert waiters(store) == 0


def test_closing_a_store_ends_the_waits_for_it(store: LocalStore) -> None:
    recording = RecordingStore(store)
    engine = SqlEngine(FixedCatalog(recording))
    said: list[str | None] = []
    sql = "SELECT * FROM state WITH BOUND (events[0] >= 9), WAIT '600 s'"
    ended = in_thread(lambda: said.append(refusal(engine, sql).sqlstate))
    assert recording.all_wait.wait(HANGS_S)
    recording.close()
    ended()
    assert said == ["55S03"]


class FullStore(LocalStore):
    """A store whose last partition takes no more waiters."""

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Refuse a wait for the last partition."""
        if partition == SCHEMA.partitions - 1:
            raise TooManyWaitersError("100000 callers wait for this partition")
        return super().when(partition, bound, callback)


def test_too_many_waiters_are_refused(store: LocalStore) -> None:
    full = FullStore(store.schema, store.replicas)
    with pytest.raises(LimitExceededError) as caught:
        wait_for_all(all_of(full), timeout_s=60, cancellation=Cancellation())
    assert caught.value.sqlstate == "53300"
    assert waiters(store) == 0


def test_waiting_statements_block_neither_reads_nor_applies(store: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(store))
    text = "SELECT k FROM state WITH BOUND (events[0] >= 5), WAIT '60 s'"
    threads = [threading.Thread(target=run, args=(engine, text)) for _ in range(20)]
    for thread in threads:
        thread.start()
    while waiters(store) < 20 * SCHEMA.partitions:
        time.sleep(0.001)
    assert rows_of(run(engine, "SELECT v FROM state WHERE k = 'a'", session=Session())) == [(1,)]
    apply_all(store, 4)
    assert waiters(store) == 20 * SCHEMA.partitions
    apply_all(store)
    for thread in threads:
        thread.join()
    assert waiters(store) == 0
