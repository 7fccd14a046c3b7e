"""A host follows its log by heads: it finds epochs of quiet stores, and of stores without heads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.stores.hosting.host import Host
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.heads import Heads
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import PositionBound
from tests.stores.hosting.followed import CLICKS, write
from tests.support.waiting import until


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pause of quiet stores so long that only their heads show the next epoch in time."""
    monkeypatch.setattr("stategate.stores.hosting.schedule._LOCAL_MAX_S", 600.0)


@pytest.fixture
def host(tmp_path: Path, seldom: None) -> Iterator[Host]:
    write(tmp_path, 0)
    host = Host(tmp_path)
    host.start()
    until(lambda: host.is_ready)
    # A quiet store: its next look is minutes away.
    follower = host._follower
    assert follower is not None
    follower._watch._changed_s.clear()
    follower._watch._look_again_s.clear()
    follower._schedule._news_s["clicks"] = time.monotonic() - 4_000.0
    time.sleep(0.2)
    yield host
    host.close()


def applied(host: Host) -> int:
    return min(status.progress.epoch for status in host.statuses()["clicks"].values())


def test_an_announced_epoch_of_a_quiet_store_is_applied_at_once(host: Host, tmp_path: Path) -> None:
    for epoch in range(1, 4):
        write(tmp_path, epoch)
        assert host.stores["clicks"].wait(0, PositionBound(epoch=epoch), timeout_s=5)


def test_a_hint_makes_up_for_a_head_that_was_lost(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Heads, "announce", lambda *_: None)
    write(tmp_path, 1)
    assert not host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=0.3)
    host.wake("clicks")
    assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=5)


def test_hints_for_names_that_are_no_stores_do_no_harm(host: Host, tmp_path: Path) -> None:
    for name in ("", "..", "../clicks", "_heads", "nothing", "a" * 10_000, "\0"):
        host.wake(name)
    time.sleep(0.2)
    assert host.error is None
    write(tmp_path, 1)
    assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=5)
    assert host.error is None
    assert set(host.stores) == {"clicks"}


def test_a_store_without_a_head_is_looked_at_often(tmp_path: Path, seldom: None) -> None:
    """As in a log that an older version writes."""
    write(tmp_path, 0)
    (tmp_path / "_heads" / "clicks").unlink()
    host = Host(tmp_path)
    host.start()
    try:
        until(lambda: host.is_ready)
        (tmp_path / "_heads").rmdir()
        log = StoreLog(Directory.at(tmp_path / "clicks"), "clicks")
        write(tmp_path, 1)
        assert log.announced() is None
        (tmp_path / "_heads" / "clicks").unlink()
        assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=5)
    finally:
        host.close()


def test_a_new_store_is_found_by_its_head(host: Host, tmp_path: Path) -> None:
    StoreLog.open(tmp_path, "others").define(replace(CLICKS, name="others"))
    until(lambda: "others" in host.stores)


def test_an_epoch_that_was_announced_and_comes_late_is_applied(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer was paused between its two steps."""
    monkeypatch.setattr("stategate.stores.hosting.follower._REFRESH_S", 600.0)
    Heads(Directory.at(tmp_path)).announce("clicks", 1)
    assert not host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=1.0)
    monkeypatch.setattr(Heads, "announce", lambda *_: None)
    write(tmp_path, 1)
    assert host.stores["clicks"].wait(0, PositionBound(epoch=1), timeout_s=5)
    until(lambda: applied(host) == 1)
