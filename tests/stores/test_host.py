"""A host over a real state log: finds stores, follows them, survives what happens to the log."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from stores import host as host_module
from stores.errors import (
    HostNotStartedError,
    HostStoppedError,
    LogError,
    StoreError,
    UnknownStoreError,
)
from stores.host import Host, HostState
from stores.log import StoreWriter
from stores.position import Position, PositionBound
from stores.query import KeyQuery, RangeQuery
from stores.result import Success
from stores.schema import Column, DataType, Kind, StoreSchema
from stores.store import ReplicaState, in_store
from tests.stores.values import rows_of
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
OTHERS = keyvalue("others", {"usr": "text"}, {"n": "bigint"}, partitions=1)
SCAN = in_store("clicks").with_query(RangeQuery())


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the log so often that no test has to wait for it."""
    monkeypatch.setattr(host_module, "_DISCOVER_S", 0.02)
    monkeypatch.setattr(host_module, "_BACKOFF_S", 0.01)


@contextmanager
def running(root: Path, data: Path | None = None) -> Iterator[Host]:
    host = Host(str(root), data, poll_ms=2)
    host.start()
    try:
        yield host
    finally:
        host.close()


def write(root: Path, *, n: int, schema: StoreSchema = CLICKS, users: int = 10) -> int:
    rows = pa.table({"usr": [f"u{i}" for i in range(users)], "n": [n] * users})
    position = Position.of({"events": {0: n}})
    return StoreWriter(root, schema).write(rows, position=position).epoch


def until(condition: Callable[[], object], timeout_s: float = 10) -> None:
    """Wait for another thread to have done its part."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.002)


def counts(host: Host) -> set[int]:
    """The distinct counts of all rows; empty while a partition does not answer."""
    result = host.query(SCAN)
    if result.failures:
        return set()
    return {n for r in result.partitions.values() for _, n in rows_of(r.value)}


def has_epoch(host: Host, epoch: int, store: str = "clicks") -> bool:
    statuses = host.statuses().get(store, {}).values()
    return bool(statuses) and all(status.progress.epoch >= epoch for status in statuses)


def test_it_follows_what_is_written(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: host.is_ready)
        assert counts(host) == {0}
        for n in range(1, 5):
            epoch = write(tmp_path / "log", n=n)
            store = host.stores["clicks"]
            bound = PositionBound(epoch=epoch)
            assert all(store.wait(p, bound, timeout_s=10) for p in range(2))
            assert counts(host) == {n}
            assert store.committed_epoch() == epoch
        bounded = SCAN.with_position_bound(PositionBound.at(host.query(SCAN).position))
        assert host.query(bounded).failures == {}


def test_a_call_before_and_after_its_life_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    host = Host(str(tmp_path / "log"))
    assert host.state is HostState.CREATED
    with pytest.raises(HostNotStartedError) as not_started:
        host.query(SCAN)
    assert not_started.value.retryable
    host.start()
    with pytest.raises(StoreError, match="it is running"):
        host.start()
    with pytest.raises(UnknownStoreError, match='store "nope" does not exist'):
        host.query(in_store("nope").with_query(RangeQuery()))
    host.close()
    host.close()
    with pytest.raises(HostStoppedError):
        host.query(SCAN)
    with pytest.raises(StoreError, match="it is stopped"):
        host.start()
    assert {s.state for s in host.statuses()["clicks"].values()} == {ReplicaState.CLOSED}


def test_closing_what_was_never_started() -> None:
    host = Host("/nowhere")
    host.close()
    assert host.state is HostState.STOPPED


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    write(tmp_path / "log", n=1, users=3)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 1))
    # It does not need what it has applied: without the data files it could not apply it again.
    shutil.rmtree(tmp_path / "log" / "clicks" / "data")
    with running(tmp_path / "log", tmp_path / "data") as host:
        assert has_epoch(host, 1)
        assert host.is_ready
        assert counts(host) == {0, 1}
        write(tmp_path / "log", n=2)
        until(lambda: counts(host) == {2})


def test_a_replica_does_not_answer_before_it_has_what_there_was(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    write(tmp_path / "log", n=1)
    second = next((tmp_path / "log" / "clicks" / "data" / "1").rglob("p00000*"))
    hidden = second.read_bytes()
    second.unlink()
    with running(tmp_path / "log") as host:
        until(lambda: host.statuses()["clicks"][0].error is not None)
        until(lambda: host.statuses()["clicks"][1].state is ReplicaState.RUNNING)
        (failure,) = host.query(SCAN).failures.values()
        assert failure.restoring
        assert not host.is_ready
        second.write_bytes(hidden)
        until(lambda: host.is_ready)
        assert counts(host) == {1}


@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_a_log_that_was_replaced_is_started_over(tmp_path: Path, epochs: int) -> None:
    """Whether the new one is shorter, as long, or longer than what was applied."""
    write(tmp_path / "log", n=0, users=20)
    write(tmp_path / "log", n=1, users=20)
    for n in range(100, 100 + epochs):
        write(tmp_path / "other", n=n)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 1))
        shutil.rmtree(tmp_path / "log")
        (tmp_path / "other").rename(tmp_path / "log")
        until(lambda: counts(host) == {99 + epochs})
        assert len(rows_of(b for r in host.query(SCAN).partitions.values() for b in r.value)) == 10


def test_a_log_that_was_replaced_while_the_host_was_away(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0, users=20)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
    shutil.rmtree(tmp_path / "log")
    write(tmp_path / "log", n=7)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {7})


def test_a_reader_of_the_old_log_delays_the_new_one_but_does_not_stop_it(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        held = list(host.query(SCAN).partitions.values())
        shutil.rmtree(tmp_path / "log")
        write(tmp_path / "log", n=7)
        until(lambda: host.error is not None and "cannot open" in host.error)
        assert {n for r in held for _, n in rows_of(r.value)} == {0}
        held.clear()
        until(lambda: counts(host) == {7})
        assert host.error is None


def test_new_stores_appear(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        version = host.version
        write(tmp_path / "log", n=5, schema=OTHERS)
        until(lambda: has_epoch(host, 0, "others"))
        assert host.version > version
        assert set(host.stores) == {"clicks", "others"}
        found = host.query(in_store("others").with_query(KeyQuery.with_key("u1")))
        only = found.only_partition_result()
        assert only is not None
        assert only.value == (5,)


def test_a_missing_root_is_waited_for(tmp_path: Path) -> None:
    with running(tmp_path / "log") as host:
        assert host.error is not None
        assert str(tmp_path / "log") in host.error
        assert not host.is_ready
        with pytest.raises(UnknownStoreError):
            host.query(SCAN)
        write(tmp_path / "log", n=0)
        until(lambda: host.is_ready and has_epoch(host, 0))
        assert counts(host) == {0}


def test_a_root_that_no_file_system_holds_is_refused() -> None:
    host = Host("nothing://at/all")
    with pytest.raises(LogError, match="no file system"):
        host.start()
    assert host.state is HostState.STOPPED


def test_a_damaged_definition_does_not_keep_the_others(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    write(tmp_path / "log", n=1, schema=OTHERS)
    damaged = tmp_path / "log" / "others" / "store.json"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:20])
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        assert counts(host) == {0}
        assert host.error is not None
        assert "others/store.json" in host.error
        damaged.write_bytes(whole)
        until(lambda: host.is_ready and has_epoch(host, 0, "others"))
        # From here on it is open: what happens to its definition does not end its service.
        damaged.write_bytes(b"")
        until(lambda: host.error is not None)
        found = host.query(in_store("others").with_query(KeyQuery.with_key("u1")))
        assert found.failures == {}


def test_a_store_that_rows_cannot_hold_does_not_keep_the_others(tmp_path: Path) -> None:
    lists = Column(name="n", type=DataType(kind=Kind.ARRAY, element=DataType(kind=Kind.TEXT)))
    odd = StoreSchema(name="odd", kind=OTHERS.kind, key=OTHERS.key, value=(lists,), partitions=1)
    StoreWriter(tmp_path / "log", odd)
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        assert counts(host) == {0}
        assert host.error is not None
        assert "text[]" in host.error


def test_two_hosts_cannot_share_their_data(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: host.is_ready)
        second = Host(str(tmp_path / "log"), tmp_path / "data")
        with pytest.raises(StoreError, match=r"cannot open .*lock"):
            second.start()
        assert second.state is HostState.STOPPED
        assert counts(host) == {0}
    # The one that failed holds nothing that the next would need.
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})


def test_a_topic_that_is_counted_anew_keeps_the_databases_open(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        replicas = host._stores["clicks"].replicas
        rows = pa.table({"usr": ["u0"], "n": [9]})
        position = Position.of({"events": {0: 1}, "more": {0: 0}})
        StoreWriter(tmp_path / "log", CLICKS).write(rows, position=position)
        until(lambda: len(host.stores["clicks"].schema.inputs) == 2 and has_epoch(host, 1))
        assert host.error is None
        assert host._stores["clicks"].replicas == replicas


def test_closing_while_queries_run(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0, users=2000)
    failures: list[BaseException] = []
    begun = threading.Barrier(4)

    def ask(host: Host) -> None:
        begun.wait(timeout=10)
        try:
            while True:
                for result in host.query(SCAN).partitions.values():
                    if isinstance(result, Success):
                        assert {n for _, n in rows_of(result.value)} == {0}
        except HostStoppedError:
            return
        except BaseException as error:  # seen by the test, not by the thread's hook
            failures.append(error)

    with running(tmp_path / "log") as host:
        until(lambda: host.is_ready)
        threads = [threading.Thread(target=ask, args=(host,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        begun.wait(timeout=10)
        time.sleep(0.02)
    for thread in threads:
        thread.join(timeout=10)
    assert failures == []


def test_temporary_data_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: host.is_ready)
        assert list(tmp_path.glob("stategate-*"))
    assert not list(tmp_path.glob("stategate-*"))
