"""Background work of a host: which engines it maintains, and when it stops."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.maintenance import EngineMaintenance
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import ReplicaState
from tests.support.hosts import CLICKS, counts, running, write
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")


@dataclass(kw_only=True)
class Part:
    """A partition with the test's own engine."""

    engine: object
    schema: StoreSchema = CLICKS
    partition: int = 0


class Engine:
    """An engine that counts how often it is maintained, and may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.maintained = 0
        self._fails = fails

    def maintain(self, is_stopping: Callable[[], bool]) -> None:
        self.maintained += 1
        assert not is_stopping()
        if self._fails:
            raise RuntimeError("it broke")


def test_every_engine_gets_its_turn(caplog: pytest.LogCaptureFixture) -> None:
    """This holds even after an engine that fails, and one without work in the background."""
    broken, whole = Engine(fails=True), Engine()
    maintenance = EngineMaintenance(
        lambda: [Part(engine=broken), Part(engine=object()), Part(engine=whole)]
    )
    maintenance.start()
    until(lambda: whole.maintained > 2)
    maintenance.stop(timeout_s=10)
    assert broken.maintained >= whole.maintained
    assert "engine maintenance failed store=clicks partition=0 error=it broke" in caplog.text
    maintained = whole.maintained
    maintenance.stop(timeout_s=10)
    assert whole.maintained == maintained


def test_engines_of_many_partitions_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a round costs the same, however many there are."""
    monkeypatch.setattr("stategate.stores.hosting.maintenance._ROUND_MAX", 2)
    engines = [Engine() for _ in range(5)]
    maintenance = EngineMaintenance(lambda: [Part(engine=each) for each in engines])
    rounds = [[each.engine for each in maintenance._round()] for _ in range(4)]
    assert rounds == [engines[0:2], engines[2:4], engines[4:], engines[0:2]]


def test_long_work_is_told_to_stop() -> None:
    begun = threading.Event()

    class Long:
        def maintain(self, is_stopping: Callable[[], bool]) -> None:
            begun.set()
            until(is_stopping)

    last = Engine()
    maintenance = EngineMaintenance(lambda: [Part(engine=Long()), Part(engine=last)])
    maintenance.start()
    assert begun.wait(10)
    maintenance.stop(timeout_s=10)
    assert last.maintained == 0


def test_a_host_keeps_the_columns_of_its_stores(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: host.columns_bytes > 0)
        assert counts(host) == {0}
        write(tmp_path / "log", n=1)
        until(lambda: counts(host) == {1})
    assert host.columns_bytes == 0


def test_a_host_without_memory_for_columns_keeps_none(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    host = Host(str(tmp_path / "log"), columns_bytes=0)
    host.start()
    until(lambda: counts(host) == {0})
    engine = next(iter(host._open.local["clicks"].replicas.values())).engine
    assert isinstance(engine, RocksPartition)
    engine.maintain(lambda: False)
    assert host.columns_bytes == 0
    host.close()


def test_no_engine_is_maintained_before_all_replicas_have_caught_up(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: host.is_ready)
        replica = next(iter(host._open.local["clicks"].replicas.values()))
        assert isinstance(replica, Replica)
        assert replica in host._maintained()
        replica.state = ReplicaState.RESTORING
        assert list(host._maintained()) == []
        replica.state = ReplicaState.RUNNING


def test_a_partition_is_dropped_and_added_while_its_columns_are_read(tmp_path: Path) -> None:
    """A database that is being read cannot be opened again, so the background must release it."""
    write(tmp_path / "log", n=0, users=20_000)
    with running(tmp_path / "log") as host:
        until(lambda: host.is_ready)
        for _ in range(20):
            host.drop("clicks", 0)
            host.add_replica("clicks", 0)
            until(lambda: counts(host) == {0})
        until(lambda: host.columns_bytes > 0)
