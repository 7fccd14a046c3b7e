"""A store whose files hang stands still by itself: the others are opened, followed and closed."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.stores.errors import HostRestoringError, HostStoppedError, LogError
from stategate.stores.hosting import follower, log_reads, open_stores, relay
from stategate.stores.hosting.host import Host, HostState
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.store import ReplicaState, Store, in_store
from tests.support.hanging import HangingFiles, hanging
from tests.support.hosts import CLICKS, OTHERS, SCAN, counts, has_epoch, running, write
from tests.support.values import rows_of
from tests.support.waiting import WAIT_S, until

HUNG = "has not been followed since"
LATEST = PositionBound.at_latest()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notice soon that a thread stands still."""
    monkeypatch.setattr(follower, "LOCAL_STILL_S", 0.5)
    monkeypatch.setattr(relay, "END_S", 0.2)
    monkeypatch.setattr(open_stores, "_CHANGE_S", 0.05)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, n=0)
    write(tmp_path, n=0, schema=OTHERS)
    return tmp_path


def others_hang(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingFiles]:
    with hanging(monkeypatch, "/others/") as files:
        yield files


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingFiles]:
    """Let the files of a store hang from the beginning."""
    yield from others_hang(monkeypatch)


def follow(host: Host, root: Path, *epochs: int) -> None:
    """Write epochs of the store that does not hang, and read each of them as the latest."""
    until(lambda: "clicks" in host.stores)
    for n in epochs:
        write(root, n=n)
        assert host.wait(SCAN.with_position_bound(LATEST), timeout_s=WAIT_S)
        assert counts(host) == {n}


def error_of(host: Host, store: str) -> str:
    return next((s.error for s in host.statuses()[store].values() if s.error is not None), "")


def committed_epoch(host: Host, store: str) -> int | None:
    """Return the committed epoch; None while the log does not answer, as on a busy machine."""
    try:
        return host.stores[store].committed_epoch()
    except LogError:
        return None


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("follow-log")]


def test_a_store_that_hangs_at_the_start(root: Path, hung: HangingFiles) -> None:
    with running(root) as host:
        assert hung.hangs.is_set()
        follow(host, root, 1, 2, 3)
        assert 'store "others"' in str(host.error)
        assert HUNG in str(host.error)
        assert HUNG in str(host.missing("others"))
        with pytest.raises(HostRestoringError, match=HUNG):
            host.query(in_store("others").with_query(RangeQuery()))
        assert not host.is_ready
        assert set(host.stores) == {"clicks"}
        hung.let_go()
        until(lambda: "others" in host.stores and has_epoch(host, 0, "others"))
        until(lambda: host.is_ready)
        assert host.error is None


def test_a_store_that_begins_to_hang(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(root) as host:
        until(lambda: host.is_ready)
        with hanging(monkeypatch, "/others/") as files:
            assert files.hangs.wait(WAIT_S)
            follow(host, root, 1, 2, 3)
            until(lambda: HUNG in error_of(host, "others"))
            # It answers at its last epoch, but not what has to be read from its log.
            (found,) = host.query(in_store("others").with_query(RangeQuery())).partitions.values()
            assert len(rows_of(found.value)) == 10
            with pytest.raises(LogError, match=HUNG):
                host.stores["others"].committed_epoch()
            asked = in_store("others").with_query(RangeQuery()).with_position_bound(LATEST)
            (failure,) = host.query(asked).failures.values()
            assert HUNG in failure.message
            host.demote("clicks", 0)
            # New stores are found.
            write(root, n=7, schema=replace(OTHERS, name="third"))
            until(lambda: "third" in host.stores and has_epoch(host, 0, "third"))
            assert not host.is_ready
        write(root, n=1, schema=OTHERS)
        until(lambda: has_epoch(host, 1, "others"))
        until(lambda: host.is_ready)
        until(lambda: committed_epoch(host, "others") == 1)


def test_a_store_that_hangs_is_not_changed(root: Path, hung: HangingFiles) -> None:
    """Others that want to change it do not wait for long."""
    with running(root) as host:
        assert hung.hangs.is_set()
        with (
            pytest.raises(HostRestoringError, match="is being changed"),
            host._open.changing("others"),
        ):
            pass
        host.demote("clicks", 0)
        hung.let_go()


def test_a_data_file_that_hangs(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The epoch is being applied meanwhile."""
    later = tmp_path.with_name(f"{tmp_path.name}-later")
    shutil.copytree(root, later)
    write(later, n=1, schema=OTHERS)
    with running(root) as host:
        until(lambda: host.is_ready)
        with hanging(monkeypatch, "/others/data/1/") as files:
            shutil.copytree(later, root, dirs_exist_ok=True)
            assert files.hangs.wait(WAIT_S)
            follow(host, root, 1, 2)
            until(lambda: HUNG in error_of(host, "others"))
            host.close()
            assert host.state is HostState.STOPPED
            (status,) = host.statuses()["others"].values()
            assert status.state is ReplicaState.CLOSED
            assert len(threads()) == 1
        until(lambda: not threads())
    shutil.rmtree(later)


@pytest.mark.parametrize("part", ["/_heads", "/others/", "/store.json", ""])
def test_a_host_that_hangs_is_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    host = Host(root, poll_ms=2)
    host.start()
    until(lambda: host.is_ready)
    with hanging(monkeypatch, part) as files:
        assert files.hangs.wait(WAIT_S)
        host.close()
        assert host.state is HostState.STOPPED
        with pytest.raises(HostStoppedError):
            host.query(SCAN)
    until(lambda: not threads())


@pytest.mark.parametrize("part", ["/_heads", ""])
def test_a_host_of_a_log_that_hangs_is_started_and_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    with hanging(monkeypatch, part) as files, running(root) as host:
        until(lambda: HUNG in str(host.error))
        assert files.hangs.is_set()
        assert not host.is_ready
        files.let_go()
        until(lambda: host.is_ready)
        follow(host, root, 1, 2)


def test_stores_are_followed_without_heads(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(root) as host:
        until(lambda: host.is_ready)
        with hanging(monkeypatch, "/_heads") as files:
            assert files.hangs.wait(WAIT_S)
            until(lambda: HUNG in str(host.error))
            host.wake("clicks")
            assert host.state is HostState.RUNNING
        follow(host, root, 1, 2)


def test_statements_that_read_a_log_that_hangs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some hang with it, and the others fail, before and after it is known."""
    monkeypatch.setattr(follower, "LOCAL_STILL_S", 3600.0)
    monkeypatch.setattr(log_reads, "WAIT_S", 0.05)
    with running(root) as host:
        until(lambda: host.is_ready)
        store = host.stores["others"]
        with hanging(monkeypatch, "/others/") as files:
            assert files.hangs.wait(WAIT_S)
            count = log_reads.LOCAL_READS_MAX
            readers = [threading.Thread(target=store.committed_epoch) for _ in range(count)]
            for reader in readers:
                reader.start()
            until(lambda: len(files.calls) > count)  # the follower hangs, too
            assert "do not answer other statements" in str(refusal(store))
            follow(host, root, 1)
        for reader in readers:
            reader.join(WAIT_S)
        until(lambda: refusal(store) is None)


def refusal(store: Store) -> str | None:
    try:
        store.committed_epoch()
    except LogError as error:
        return str(error)
    return None


def test_many_stores_that_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a thread of its own."""
    write(tmp_path, n=0)
    for number in range(6):
        write(tmp_path, n=0, schema=replace(OTHERS, name=f"hung{number}"))
    with hanging(monkeypatch, "/hung") as files, running(tmp_path) as host:
        follow(host, tmp_path, 1, 2, 3)
        assert all(f"hung{number}" in str(host.error) for number in range(6))
        files.let_go()
        until(lambda: len(host.stores) == 7)
        until(lambda: host.is_ready)
    assert CLICKS.name in host.statuses()


def test_a_store_that_is_busy_delays_no_other(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may apply a large epoch, and is not said to hang."""
    is_busy, let_go = threading.Event(), threading.Event()
    follow_it = LocalStore.follow

    def busy(self: LocalStore) -> bool:
        if self.schema.name == "others":
            is_busy.set()
            while not let_go.is_set():
                sum(range(10_000))
        return follow_it(self)

    with running(root) as host:
        until(lambda: host.is_ready)
        monkeypatch.setattr(LocalStore, "follow", busy)
        assert is_busy.wait(WAIT_S)
        follow(host, root, 1, 2, 3)
        assert error_of(host, "others") == ""
        assert host.is_ready
        let_go.set()


def test_a_store_with_a_bug_stops_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(root) as host:
        until(lambda: host.is_ready)
        refresh = open_stores.OpenStores.refresh

        def broken(self: open_stores.OpenStores, name: str) -> object:
            if name == "others":
                raise RuntimeError("it broke")
            return refresh(self, name)

        monkeypatch.setattr(open_stores.OpenStores, "refresh", broken)
        until(lambda: "it broke" in str(host.error))
        follow(host, root, 1, 2)
        monkeypatch.setattr(open_stores.OpenStores, "refresh", refresh)
        until(lambda: host.error is None)
