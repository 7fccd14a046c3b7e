"""One replica: when it runs, which waiters it wakes, and what it refuses when it is closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

import pyarrow as pa
import pytest

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import StoreError
from stategate.stores.hosting.replica import Replica, wall_clock_ms
from stategate.stores.spec.position import UNBOUNDED, Position, PositionBound, Progress
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Role
from tests.support.stores import keyvalue, progress

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=1)


def replica(*, restore_to: int = -1, role: Role = Role.ACTIVE) -> Replica:
    engine = MemoryPartition(CLICKS, 0)
    return Replica(engine, schema=CLICKS, partition=0, role=role, restore_to=restore_to)


def at(offset: int) -> PositionBound:
    return PositionBound.at(Position.of({"events": {0: offset}}))


def test_it_runs_once_it_has_the_epochs_of_the_log_at_its_start() -> None:
    assert replica().state is ReplicaState.RUNNING
    behind = replica(restore_to=2)
    for epoch, state in ((1, ReplicaState.RESTORING), (2, ReplicaState.RUNNING)):
        behind.apply(progress(epoch), [])
        assert behind.state is state
    behind.apply(progress(9), [])
    assert behind.state is ReplicaState.RUNNING


def test_its_status_is_current() -> None:
    standby = replica(role=Role.STANDBY)
    standby.error = "torn"
    standby.apply(progress(4), [])
    assert standby.status == PartitionStatus(
        partition=0, role=Role.STANDBY, state=ReplicaState.RUNNING, progress=progress(4)
    )
    standby.close()
    assert standby.status.state is ReplicaState.CLOSED
    assert standby.status.progress == Progress()


def test_a_wait_ends_at_once_or_in_time() -> None:
    running = replica()
    running.apply(progress(3), [])
    assert running.wait(UNBOUNDED, timeout_s=0)
    assert running.wait(at(3), timeout_s=10)
    began = time.monotonic()
    assert not running.wait(at(4), timeout_s=0.05)
    assert 0.04 < time.monotonic() - began < 5


def test_an_epoch_wakes_its_waiters() -> None:
    running = replica()
    met: list[bool] = []
    waiting = threading.Thread(target=lambda: met.append(running.wait(at(2), timeout_s=30)))
    waiting.start()
    for epoch in range(3):
        assert met == []
        running.apply(progress(epoch), [])
    waiting.join(timeout=10)
    assert met == [True]


def test_waiting_for_a_restoring_replica_ends_when_it_runs() -> None:
    restoring = replica(restore_to=2)
    restoring.apply(progress(1), [])
    assert not restoring.wait(at(0), timeout_s=0.01)
    restoring.apply(progress(2), [])
    assert restoring.wait(at(0), timeout_s=0)


def test_closing_wakes_all_waiters() -> None:
    running = replica()
    met: list[bool] = []
    waiting = threading.Thread(target=lambda: met.append(running.wait(at(9), timeout_s=30)))
    waiting.start()
    running.close()
    waiting.join(timeout=10)
    assert met == [False]
    assert not running.wait(UNBOUNDED, timeout_s=10)


def test_a_waiter_added_while_it_closes_is_called() -> None:
    """Closing may have woken the waiters just before this one was added."""

    def look() -> int:
        if looks:
            closing.state = ReplicaState.CLOSED
        looks.append(1)
        return 0

    looks: list[int] = []
    closing = Replica(MemoryPartition(CLICKS, 0), schema=CLICKS, partition=0, clock=look)
    told: list[bool] = []
    closing.when(PositionBound(epoch=9), told.append)
    assert told == [False]


def test_a_bound_on_lag_counts_by_the_wall_clock() -> None:
    running = replica()
    lag = PositionBound(lag_ms_max=60_000)
    assert not running.wait(lag, timeout_s=0)
    running.apply(progress(0, committed_ms=wall_clock_ms()), [])
    assert running.wait(lag, timeout_s=0)
    running.apply(progress(1, committed_ms=wall_clock_ms() - 61_000), [])
    assert not running.wait(lag, timeout_s=0)


def test_it_keeps_its_last_epochs() -> None:
    running = replica()
    for epoch in (1, 2, 4, 5, 6):
        running.apply(progress(epoch), [])
    assert running.status.epoch_oldest == 2

    def seen(epoch: int) -> int | None:
        view = running.view_at(epoch)
        return None if view is None else view.progress.epoch

    # At an epoch that changed nothing here, it has the rows of the epoch before.
    assert [seen(epoch) for epoch in range(8)] == [None, None, 2, 2, 4, 5, 6, None]
    running.close()
    assert seen(6) is None


def test_an_epoch_after_closing_is_refused() -> None:
    closed = replica()
    closed.close()
    with pytest.raises(StoreError, match="is closed"):
        closed.apply(progress(0), [])
    closed.close()


class SlowPartition(MemoryPartition):
    """An engine that applies an epoch when the test allows it, and notes when it is closed."""

    def __init__(self) -> None:
        super().__init__(CLICKS, 0)
        self.applying, self.let_go, self.closed = (threading.Event() for _ in range(3))

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        self.applying.set()
        assert self.let_go.wait(30)
        super().apply(progress, batches, replace=replace)

    def close(self) -> None:
        self.closed.set()
        super().close()


def test_closing_waits_for_a_limited_time() -> None:
    engine = SlowPartition()
    slow = Replica(engine, schema=CLICKS, partition=0)
    applying = threading.Thread(target=slow.apply, args=(progress(0), []))
    applying.start()
    assert engine.applying.wait(10)
    slow.close(timeout_s=0.01)
    assert not engine.closed.is_set()
    assert slow.state is ReplicaState.CLOSED
    engine.let_go.set()
    applying.join(timeout=10)
    assert engine.closed.is_set()
    assert slow.state is ReplicaState.CLOSED


@pytest.mark.parametrize("came_with_rows", [True, False])
def test_it_serves_as_is_only_if_it_is_as_new_as_its_answers(came_with_rows: bool) -> None:
    engine = MemoryPartition(CLICKS, 0)
    if came_with_rows:
        engine.apply(progress(3), [])
    restoring = Replica(engine, schema=CLICKS, partition=0, restore_to=9)
    told: list[bool] = []
    restoring.when(UNBOUNDED, told.append)
    restoring.serve_as_is()
    assert (restoring.state is ReplicaState.RUNNING) == came_with_rows
    assert told == ([True] if came_with_rows else [])
