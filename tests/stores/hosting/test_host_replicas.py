"""Replicas that are placed, added, promoted, demoted and dropped while a host runs."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from stategate.stores.errors import (
    FailureReason,
    InvalidPartitionError,
    StoreError,
    UnknownStoreError,
)
from stategate.stores.hosting.host import Host
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import PartitionStatus, Role
from tests.support.hosts import SCAN, counts, has_epoch, running, write
from tests.support.values import rows_of
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")


def test_a_host_holds_the_partitions_it_was_given(tmp_path: Path) -> None:
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


def test_a_host_reports_that_the_epochs_are_lost_and_serves_the_last(tmp_path: Path) -> None:
    write(tmp_path / "log", n=7)
    epochs, lost = tmp_path / "log" / "clicks" / "epochs", tmp_path / "lost"
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: host.is_ready and has_epoch(host, 0))
        before = counts(host)
        epochs.rename(lost)
        until(lambda: all("are missing" in (s.error or "") for s in clicks(host)))
        assert not host.is_ready
        assert counts(host) == before
        lost.rename(epochs)
        until(lambda: host.is_ready)


def clicks(host: Host) -> list[PartitionStatus]:
    return list(host.statuses()["clicks"].values())


def test_a_dropped_replica_goes_on_from_its_files_or_starts_over(tmp_path: Path) -> None:
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
            assert bool(list((tmp_path / "data" / "clicks").glob("*/0"))) != remove
            host.add_replica("clicks", 0, Role.STANDBY)
            assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=10)
            assert counts(host) == {1}


class Asker(threading.Thread):
    """A thread that queries a host until it is stopped, and records every wrong answer."""

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
    """Each answer is a whole epoch or a true failure, and epochs never go back."""
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
    """Add a replica once no one reads the rows of the dropped one."""
    try:
        host.add_replica("clicks", partition)
    except StoreError as error:
        if "cannot open" not in str(error):
            raise
        return False
    return True
