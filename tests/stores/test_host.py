"""A host over a real state log: finds stores, follows them, survives what happens to the log."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from rocksdict import Options, Rdict

from stores import host as host_module
from stores.errors import (
    FailureReason,
    HostNotStartedError,
    HostRestoringError,
    HostStoppedError,
    InvalidPartitionError,
    LogError,
    SchemaError,
    StoreError,
    StoreMigratedError,
    StoreNotAvailableError,
    UnknownStoreError,
)
from stores.host import Host, HostState
from stores.local import LocalStore
from stores.log import StoreWriter
from stores.position import Position, PositionBound
from stores.query import KeyQuery, RangeQuery
from stores.registry import Opening, register_kind
from stores.result import Success
from stores.schema import StoreSchema
from stores.store import ReplicaState, Role, StorePartition, in_store
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
    try:
        result = host.query(SCAN)
    except HostRestoringError:
        return set()
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
    with pytest.raises(StoreError, match="it is r"):
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


def test_a_store_that_is_defined_anew_is_held_whole(tmp_path: Path) -> None:
    """Its partitions are others, so they are placed anew, whatever was dropped or turned before."""
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        host.demote("clicks", 0)
        host.drop("clicks", 1)
        shutil.rmtree(root / "clicks")
        write(root, n=7, schema=replace(CLICKS, partitions=3))
        until(lambda: counts(host) == {7})
        statuses = host.statuses()["clicks"]
        assert {n: status.role for n, status in statuses.items()} == dict.fromkeys(
            range(3), Role.ACTIVE
        )


def test_a_store_of_the_same_definition_is_held_as_it_was(tmp_path: Path) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        host.demote("clicks", 0)
        host.drop("clicks", 1)
        shutil.rmtree(root / "clicks")
        write(root, n=7)
        until(lambda: 0 in held_counts(host, 7))
        statuses = host.statuses()["clicks"]
        assert {n: status.role for n, status in statuses.items()} == {0: Role.STANDBY}
        host.promote("clicks", 0)
        host.add_replica("clicks", 1, Role.STANDBY)
        shutil.rmtree(root / "clicks")
        write(root, n=8)
        until(lambda: held_counts(host, 8) == {0, 1})
        roles = {n: status.role for n, status in host.statuses()["clicks"].items()}
        assert roles == {0: Role.ACTIVE, 1: Role.STANDBY}


def held_counts(host: Host, n: int) -> set[int]:
    """The partitions that answer, with rows of this count alone."""
    try:
        partitions = host.query(SCAN).partitions
    except HostRestoringError:
        return set()
    return {
        number
        for number, answer in partitions.items()
        if isinstance(answer, Success) and {row[1] for row in rows_of(answer.value)} == {n}
    }


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
        with pytest.raises(HostRestoringError, match="the log has not been read") as early:
            host.query(SCAN)
        assert early.value.retryable
        assert host.state is HostState.RESTORING
        write(tmp_path / "log", n=0)
        until(lambda: host.is_ready and has_epoch(host, 0))
        assert counts(host) == {0}


def test_a_root_that_no_file_system_holds_is_refused() -> None:
    host = Host("nothing://at/all")
    with pytest.raises(LogError, match="no file system"):
        host.start()
    assert host.state is HostState.ERROR
    with pytest.raises(HostStoppedError, match="the host has failed: no file system"):
        host.query(SCAN)
    host.close()
    assert host.state is HostState.ERROR


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
        assert not host.is_ready
        assert "others/store.json" in host.error
        with pytest.raises(HostRestoringError, match='"others" cannot be opened yet'):
            host.query(in_store("others").with_query(RangeQuery()))
        damaged.write_bytes(whole)
        until(lambda: host.is_ready and has_epoch(host, 0, "others"))
        # From here on it is open: what happens to its definition does not end its service.
        damaged.write_bytes(b"")
        until(lambda: host.error is not None)
        found = host.query(in_store("others").with_query(KeyQuery.with_key("u1")))
        assert found.failures == {}


def refuse(opening: Opening) -> StorePartition:
    raise SchemaError(f"no engine holds {opening.schema.name}")


ODD = register_kind("test_host_odd", refuse)


def test_a_store_that_no_engine_holds_does_not_keep_the_others(tmp_path: Path) -> None:
    StoreWriter(tmp_path / "log", replace(OTHERS, kind=ODD))
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        assert counts(host) == {0}
        assert host.error == "no engine holds others"


def test_data_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    (tmp_path / "data").write_text("a file")
    host = Host(str(tmp_path / "log"), tmp_path / "data")
    with pytest.raises(StoreError, match=r"cannot open .*clicks"):
        host.start()
    assert host.state is HostState.ERROR
    with pytest.raises(HostStoppedError, match="cannot open"):
        host.query(SCAN)


def test_two_hosts_cannot_share_their_data(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: host.is_ready)
        second = Host(str(tmp_path / "log"), tmp_path / "data")
        with pytest.raises(StoreError, match=r"cannot open .*lock"):
            second.start()
        assert second.state is HostState.ERROR
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


def test_each_state_answers_as_it_should(tmp_path: Path) -> None:
    host = Host(str(tmp_path / "log"), poll_ms=2)
    seen = [host.state]
    with pytest.raises(HostNotStartedError):
        host.wait(SCAN, timeout_s=0)
    host.start()
    seen.append(host.state)
    with pytest.raises(HostRestoringError):
        host.wait(SCAN, timeout_s=0)
    write(tmp_path / "log", n=0)
    until(lambda: host.state is HostState.RUNNING and "clicks" in host.stores)
    held = host.stores["clicks"]
    until(lambda: counts(host) == {0})
    assert seen == [HostState.CREATED, HostState.RESTORING]
    with pytest.raises(UnknownStoreError) as unknown:
        host.query(in_store("nope").with_query(RangeQuery()))
    assert not unknown.value.retryable
    with pytest.raises(UnknownStoreError):
        host.wait(in_store("nope").with_query(RangeQuery()), timeout_s=0)
    write(tmp_path / "log", n=1)
    assert host.wait(SCAN.with_position_bound(PositionBound.at_latest()), timeout_s=10)
    assert counts(host) == {1}
    host.close()
    assert host.state is HostState.STOPPED
    with pytest.raises(StoreNotAvailableError) as closed:
        held.query(SCAN)
    assert not closed.value.retryable
    with pytest.raises(HostStoppedError):
        host.promote("clicks", 0)


def test_a_host_holds_what_it_is_placed(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    host = Host(
        str(tmp_path / "log"), poll_ms=2, placement=lambda _: {1: Role.STANDBY, 9: Role.ACTIVE}
    )
    host.start()
    with contextlib.closing(host):
        until(lambda: has_epoch(host, 0))
        (status,) = host.statuses()["clicks"].values()
        assert (status.partition, status.role) == (1, Role.STANDBY)
        assert status.pipeline == "python"
        assert host.query(SCAN).partitions[1].is_success
        assert host.query(SCAN).failures[0].reason is FailureReason.NOT_PRESENT
        active = host.query(SCAN.require_active()).failures
        assert active[1].reason is FailureReason.NOT_ACTIVE
        host.promote("clicks", 1)
        assert set(host.query(SCAN.require_active()).failures) == {0}
        host.demote("clicks", 1)
        host.add_replica("clicks", 0)
        until(lambda: set(host.query(SCAN.require_active()).failures) == {1})
        with pytest.raises(StoreError, match="held already"):
            host.add_replica("clicks", 0)
        for call in (host.add_replica, host.promote, host.demote, host.drop):
            with pytest.raises(InvalidPartitionError, match="partitions 0 to 1, not 2"):
                call("clicks", 2)
            with pytest.raises(UnknownStoreError):
                call("nope", 0)
        host.drop("clicks", 0)
        for call in (host.promote, host.demote, host.drop):
            with pytest.raises(InvalidPartitionError, match="not on this node"):
                call("clicks", 0)


def test_a_dropped_replica_goes_on_from_its_files_or_begins_anew(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        write(tmp_path / "log", n=1)
        until(lambda: has_epoch(host, 1))
        for remove in (False, True):
            told: list[bool] = []
            host.stores["clicks"].when(0, PositionBound(epoch=99), told.append)
            host.drop("clicks", 0, remove=remove)
            assert told == [False]
            assert (tmp_path / "data" / "clicks" / "0").exists() != remove
            host.add_replica("clicks", 0, Role.STANDBY)
            assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=10)
            assert counts(host) == {1}


class Asker(threading.Thread):
    """Asks a host until it is stopped, and notes every answer that cannot be true."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self.host, self.wrong, self.done = host, list[object](), threading.Event()
        self.newest = {0: -1, 1: -1}

    def run(self) -> None:
        try:
            while not self.done.is_set():
                self.check()
        except BaseException as error:  # seen by the test, not by the thread's hook
            self.wrong.append(error)

    def check(self) -> None:
        for number, answer in self.host.query(SCAN.require_active()).partitions.items():
            if isinstance(answer, Success):
                found = {n for _, n in rows_of(answer.value)}
                if found != {answer.epoch} or answer.epoch < self.newest[number]:
                    self.wrong.append((number, answer.epoch, found))
                self.newest[number] = answer.epoch
            elif not answer.reason.retryable:
                self.wrong.append(answer)


def test_replicas_come_and_go_while_queries_run(tmp_path: Path) -> None:
    """Each answer is a whole epoch, or a failure that is true; and nothing ever goes back."""
    write(tmp_path / "log", n=0, users=50)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        askers = [Asker(host), Asker(host)]
        for asker in askers:
            asker.start()
        for n in range(1, 13):
            write(tmp_path / "log", n=n, users=50)
            host.demote("clicks", 0)
            host.drop("clicks", 1)
            host.promote("clicks", 0)
            until(lambda: opened(host, 1))
        until(lambda: counts(host) == {12})
        for asker in askers:
            asker.done.set()
            asker.join(timeout=10)
    assert [asker.wrong for asker in askers] == [[], []]


def opened(host: Host, partition: int) -> bool:
    """Add a replica, as soon as nobody reads what the dropped one held."""
    try:
        host.add_replica("clicks", partition)
    except StoreError as error:
        if "cannot open" not in str(error):
            raise
        return False
    return True


def test_a_store_that_is_removed_from_the_log_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_module, "_GONE_S", 0.05)
    write(tmp_path / "log", n=0)
    write(tmp_path / "log", n=1, schema=OTHERS)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0, "others") and has_epoch(host, 0))
        held, version = host.stores["others"], host.version
        shutil.rmtree(tmp_path / "log" / "others")
        until(lambda: "others" not in host.stores)
        assert host.version > version
        with pytest.raises(StoreMigratedError) as migrated:
            held.query(in_store("others").with_query(RangeQuery()))
        assert migrated.value.retryable
        with pytest.raises(UnknownStoreError):
            host.query(in_store("others").with_query(RangeQuery()))
        assert counts(host) == {0}
        # A root that is away is no log without stores.
        (tmp_path / "log").rename(tmp_path / "away")
        until(lambda: host.error is not None)
        time.sleep(0.1)
        assert counts(host) == {0}
        (tmp_path / "away").rename(tmp_path / "log")
        write(tmp_path / "log", n=2, schema=OTHERS)
        until(lambda: "others" in host.stores and has_epoch(host, 0, "others"))


def test_a_damaged_progress_record_starts_one_replica_over(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
    database = Rdict(str(tmp_path / "data" / "clicks" / "0"), Options(raw_mode=True))
    database[b"\0progress"] = b'{"epoch": 0, "posi'
    database.close()
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        assert host.is_ready
    assert not list((tmp_path / "data" / "clicks").glob(".removed-*"))


def test_closing_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "log", n=0)
    hanging, let_go = threading.Event(), threading.Event()
    with running(tmp_path / "log") as host:
        until(lambda: counts(host) == {0})

        def hang(self: LocalStore) -> bool:
            hanging.set()
            return let_go.wait(30)

        monkeypatch.setattr(LocalStore, "follow", hang)
        assert hanging.wait(10)
        host.close(timeout_s=0.05)
        assert host.state is HostState.STOPPED
        with pytest.raises(HostStoppedError):
            host.query(SCAN)
        # Its databases are the follower's, which may be writing to them.
        states = {status.state for status in host.statuses()["clicks"].values()}
        assert states == {ReplicaState.RUNNING}
        let_go.set()
        until(
            lambda: {s.state for s in host.statuses()["clicks"].values()} == {ReplicaState.CLOSED}
        )


def test_a_follower_that_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "log", n=0)
    host = Host(str(tmp_path / "log"))

    def fail() -> None:
        raise RuntimeError("it broke")

    monkeypatch.setattr(host, "_follow", fail)
    host.start()
    until(lambda: host.state is HostState.ERROR)
    with pytest.raises(HostStoppedError, match="has failed: it broke"):
        host.query(SCAN)
    host.close()


def test_what_is_asked_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        for answer in host.query(SCAN).partitions.values():
            assert isinstance(answer, Success)
            list(answer.value)
        reading = host.metrics()["clicks"]
        assert (reading.queries, reading.rows) == ({"RangeQuery": 2}, 10)
        # What was counted stays, though the store is opened anew.
        before = host.stores["clicks"]
        del answer  # whose stream would keep the database open
        shutil.rmtree(tmp_path / "log" / "clicks")
        write(tmp_path / "log", n=7)
        until(lambda: host.stores["clicks"] is not before)
        assert host.metrics()["clicks"].queries["RangeQuery"] >= 2
