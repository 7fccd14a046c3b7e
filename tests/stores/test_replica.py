"""One replica: when it runs, whom it wakes, what it says when it is closed."""

from __future__ import annotations

import threading
import time

from stores.memory import MemoryPartition
from stores.position import UNBOUNDED, Position, PositionBound, Progress
from stores.replica import Replica, wall_clock_ms
from stores.store import PartitionStatus, ReplicaState, Role
from tests.support.stores import keyvalue, progress

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=1)


def replica(*, restore_to: int = -1, role: Role = Role.ACTIVE) -> Replica:
    engine = MemoryPartition(CLICKS, 0)
    return Replica(engine, schema=CLICKS, partition=0, role=role, restore_to=restore_to)


def at(offset: int) -> PositionBound:
    return PositionBound.at(Position.of({"events": {0: offset}}))


def test_it_runs_once_it_has_what_the_log_held_at_its_start() -> None:
    assert replica().state is ReplicaState.RUNNING
    behind = replica(restore_to=2)
    for epoch, state in ((1, ReplicaState.RESTORING), (2, ReplicaState.RUNNING)):
        behind.apply(progress(epoch), [])
        assert behind.state is state
    behind.apply(progress(9), [])
    assert behind.state is ReplicaState.RUNNING


def test_its_status_is_what_it_is_now() -> None:
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


def test_an_epoch_wakes_who_waits_for_it() -> None:
    running = replica()
    met: list[bool] = []
    waiting = threading.Thread(target=lambda: met.append(running.wait(at(2), timeout_s=30)))
    waiting.start()
    for epoch in range(3):
        assert met == []
        running.apply(progress(epoch), [])
    waiting.join(timeout=10)
    assert met == [True]


def test_who_waits_for_a_restoring_replica_waits_for_the_end_of_it() -> None:
    restoring = replica(restore_to=2)
    restoring.apply(progress(1), [])
    assert not restoring.wait(at(0), timeout_s=0.01)
    restoring.apply(progress(2), [])
    assert restoring.wait(at(0), timeout_s=0)


def test_closing_wakes_who_waits() -> None:
    running = replica()
    met: list[bool] = []
    waiting = threading.Thread(target=lambda: met.append(running.wait(at(9), timeout_s=30)))
    waiting.start()
    running.close()
    waiting.join(timeout=10)
    assert met == [False]
    assert not running.wait(UNBOUNDED, timeout_s=10)


def test_a_bound_on_lag_is_held_against_the_wall_clock() -> None:
    running = replica()
    lag = PositionBound(lag_ms_max=60_000)
    assert not running.wait(lag, timeout_s=0)
    running.apply(progress(0, committed_ms=wall_clock_ms()), [])
    assert running.wait(lag, timeout_s=0)
    running.apply(progress(1, committed_ms=wall_clock_ms() - 61_000), [])
    assert not running.wait(lag, timeout_s=0)
