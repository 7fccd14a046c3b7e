"""A host over a real state log: its states, and the faults it survives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rocksdict import Options, Rdict

from stategate.stores.errors import (
    ArgumentError,
    HostNotStartedError,
    HostRestoringError,
    HostStoppedError,
    LogError,
    SchemaError,
    StoreError,
    StoreNotAvailableError,
    UnknownStoreError,
)
from stategate.stores.hosting.follower import Follower
from stategate.stores.hosting.host import Host, HostState
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.registry import Opening, register_kind
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import ReplicaState, StorePartition, in_store
from tests.support.hosts import OTHERS, SCAN, counts, has_epoch, running, write
from tests.support.values import rows_of
from tests.support.waiting import WAIT_S, until

pytestmark = pytest.mark.usefixtures("impatient")


def test_a_host_follows_its_log(tmp_path: Path) -> None:
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


def test_calls_before_the_start_and_after_the_end_are_refused(tmp_path: Path) -> None:
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


def test_a_host_that_was_never_started_can_be_closed() -> None:
    host = Host("/nowhere")
    host.close()
    assert host.state is HostState.STOPPED


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    write(tmp_path / "log", n=1, users=3)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 1))
    # It does not need the epochs that it has applied: their data files are gone.
    shutil.rmtree(tmp_path / "log" / "clicks" / "data")
    with running(tmp_path / "log", tmp_path / "data") as host:
        assert has_epoch(host, 1)
        assert host.is_ready
        assert counts(host) == {0, 1}
        write(tmp_path / "log", n=2)
        until(lambda: counts(host) == {2})


def test_a_replica_does_not_answer_before_it_has_caught_up(tmp_path: Path) -> None:
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


def test_a_missing_root_is_waited_for(tmp_path: Path) -> None:
    with running(tmp_path / "log") as host:
        assert host.error is not None
        assert str(tmp_path / "log") in host.error
        assert not host.is_ready
        with pytest.raises(HostRestoringError, match="the log has not been read") as early:
            host.query(SCAN)
        assert early.value.retryable
        assert host.state is HostState.RESTORING
        assert not host.is_whole()
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


def test_a_damaged_definition_does_not_stop_other_stores(tmp_path: Path) -> None:
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
        # The store is open from here on, so damage to its definition does not end its service.
        damaged.write_bytes(b"")
        until(lambda: host.error is not None)
        found = host.query(in_store("others").with_query(KeyQuery.with_key("u1")))
        assert found.failures == {}


def refuse(opening: Opening) -> StorePartition:
    raise SchemaError(f"no engine holds {opening.schema.name}")


ODD = register_kind("test_host_odd", refuse)


def test_a_store_without_an_engine_does_not_stop_other_stores(tmp_path: Path) -> None:
    StoreWriter(tmp_path / "log", replace(OTHERS, kind=ODD))
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        assert counts(host) == {0}
        assert host.error == "no engine holds others"


def test_data_in_a_file_is_refused(tmp_path: Path) -> None:
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
        with pytest.raises(StoreError, match=r"cannot open .*another host .* close that one"):
            second.start()
        assert second.state is HostState.ERROR
        assert counts(host) == {0}
        start = (
            "import sys; from stategate.stores import Host; Host(sys.argv[1], sys.argv[2]).start()"
        )
        places = [str(tmp_path / "log"), str(tmp_path / "data")]
        ended = subprocess.run(
            [sys.executable, "-c", start, *places], capture_output=True, text=True, check=False
        )
        assert "another process has it open: end that one" in ended.stderr
    # The host that failed keeps no lock that the next one would need.
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})


def test_data_of_a_closed_host_is_free_once_its_streams_are_gone(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: host.is_ready)
        streams = [part.value for part in host.query(SCAN).partitions.values()]
    again = Host(str(tmp_path / "log"), tmp_path / "data")
    with pytest.raises(StoreError, match=r"answers are still held: drop them first"):
        again.start()
    assert len([row for stream in streams for row in rows_of(stream)]) == 10
    del streams
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})


@pytest.mark.parametrize(
    ("argument", "wrong", "said"),
    [
        ("root", 5, "root must be a path"),
        ("root", "", "root must be a path"),
        ("data", b"x", "data must be a path"),
        ("data", "a\0b", "data must be a path"),
        ("node", "", "node must be a name"),
        ("node", None, "node must be a name"),
        ("poll_ms", 0, "poll_ms must be an integer from 1 on, not 0"),
        ("poll_ms", 2.5, "poll_ms must be an integer"),
        ("cache_bytes", "1GB", 'cache_bytes must be an integer from 0 on, not "1GB"'),
        ("columns_bytes", -1, "columns_bytes must be an integer"),
        ("rows_bytes", True, "rows_bytes must be an integer"),
        ("placement", {0: "active"}, "placement must be a function"),
    ],
)
def test_wrong_arguments_are_refused(argument: str, wrong: Any, said: str) -> None:
    given: dict[str, Any] = {"root": "log", argument: wrong}
    with pytest.raises(ArgumentError, match=said):
        Host(**given)


def test_directories_may_be_text_or_paths(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    host = Host(tmp_path / "log", str(tmp_path / "data"), poll_ms=2)
    host.start()
    until(lambda: counts(host) == {0})
    host.close()
    assert host.root == str(tmp_path / "log")
    assert (tmp_path / "data" / "clicks").is_dir()


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


def test_each_state_has_its_answer(tmp_path: Path) -> None:
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


def test_a_damaged_progress_record_restarts_one_replica(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", ["*.sst", "MANIFEST-*"])
def test_a_damaged_database_restarts_one_replica(name: str, tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
    (file,) = (tmp_path / "data" / "clicks").glob(f"*/0/{name}")
    os.truncate(file, 10)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        assert host.is_ready
    assert not list((tmp_path / "data" / "clicks").glob(".removed-*"))


def test_a_database_without_one_of_its_files_starts_over(tmp_path: Path) -> None:
    """RocksDB reports a disk error; it must not keep the whole node from starting."""
    write(tmp_path / "log", n=0)
    for name in ("*.sst", "MANIFEST-*", "CURRENT"):
        with running(tmp_path / "log", tmp_path / "data") as host:
            until(lambda: counts(host) == {0})
        (file,) = (tmp_path / "data" / "clicks").glob(f"*/0/{name}")
        file.unlink()
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
        assert host.is_ready


def test_a_store_is_opened_once_its_own_epoch_can_be_read(tmp_path: Path) -> None:
    """Until then its rows may be from another log; its database must not stay locked."""
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {0})
    path = tmp_path / "log" / "clicks" / "epochs" / f"{0:020d}.json"
    whole = path.read_bytes()
    path.write_bytes(b"torn")
    with running(tmp_path / "log", tmp_path / "data") as host:
        with pytest.raises(HostRestoringError, match="cannot be opened yet"):
            host.query(SCAN)
        assert not host.is_whole()
        path.write_bytes(whole)
        until(lambda: counts(host) == {0})
        assert host.is_whole()


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
        # A thread that goes on writes nothing to the databases.
        states = {status.state for status in host.statuses()["clicks"].values()}
        assert states == {ReplicaState.CLOSED}
        threads = [each for each in threading.enumerate() if each.name.startswith("follow-log")]
        let_go.set()
        for thread in threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()


def test_a_follower_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "log", n=0)
    host = Host(str(tmp_path / "log"))

    def fail(*_: object) -> None:
        raise RuntimeError("it broke")

    monkeypatch.setattr(Follower, "_wake_changed", fail)
    host.start()
    until(lambda: host.state is HostState.ERROR)
    with pytest.raises(HostStoppedError, match="has failed: it broke"):
        host.query(SCAN)
    host.close()


def test_queries_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        for answer in host.query(SCAN).partitions.values():
            assert isinstance(answer, Success)
            list(answer.value)
        reading = host.metrics()["clicks"]
        assert (reading.queries, reading.rows) == ({"RangeQuery": 2}, 10)
        # The counts remain, though the store is opened anew.
        before = host.stores["clicks"]
        del answer  # its stream would keep the database open
        shutil.rmtree(tmp_path / "log" / "clicks")
        write(tmp_path / "log", n=7)
        until(lambda: host.stores["clicks"] is not before)
        assert host.metrics()["clicks"].queries["RangeQuery"] >= 2
