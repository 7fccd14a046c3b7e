"""Stores that appear, are redefined, replaced or removed while a host follows their log."""

from __future__ import annotations

import shutil
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import (
    HostRestoringError,
    StoreMigratedError,
    UnknownStoreError,
)
from stategate.stores.hosting import open_stores
from stategate.stores.hosting.host import Host
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import Role, in_store
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.hosts import CLICKS, OTHERS, SCAN, counts, has_epoch, running, write
from tests.support.values import rows_of
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_a_replaced_log_starts_its_store_over(tmp_path: Path, epochs: int) -> None:
    """The new log is shorter, as long, or longer than the old one."""
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


def test_a_redefined_store_is_placed_anew(tmp_path: Path) -> None:
    """It gets new partitions, whichever were dropped, promoted or demoted before."""
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


def test_a_replaced_store_of_the_same_definition_keeps_its_placement(tmp_path: Path) -> None:
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
    """Return the partitions that answer, all of whose rows have this count."""
    try:
        partitions = host.query(SCAN).partitions
    except HostRestoringError:
        return set()
    return {
        number
        for number, answer in partitions.items()
        if isinstance(answer, Success) and {row[1] for row in rows_of(answer.value)} == {n}
    }


def test_a_log_that_was_replaced_while_no_host_ran(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0, users=20)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
    shutil.rmtree(tmp_path / "log")
    write(tmp_path / "log", n=7)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: counts(host) == {7})


def test_a_log_that_begins_just_after_the_applied_epoch_of_another(tmp_path: Path) -> None:
    """Its first epoch names its predecessor only by number; a snapshot shows which log it is."""
    write(tmp_path / "log", n=0, users=20)
    write(tmp_path / "log", n=1, users=20)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 1))
    shutil.rmtree(tmp_path / "log")
    for n in range(100, 105):
        write(tmp_path / "log", n=n)
    compact(tmp_path / "log", "clicks", retention=Retention(epochs=3))
    commits = (tmp_path / "log" / "clicks" / "epochs").glob("*.json")
    assert sorted(int(path.stem) for path in commits) == [2, 3, 4]
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 4))
        assert len(rows_of(b for r in host.query(SCAN).partitions.values() for b in r.value)) == 10


def test_a_reader_of_a_removed_store_reads_on_beside_the_one_made_anew(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log", tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        held = list(host.query(SCAN).partitions.values())
        (removed,) = (tmp_path / "data" / "clicks").iterdir()
        shutil.rmtree(tmp_path / "log")
        write(tmp_path / "log", n=7)
        until(lambda: counts(host) == {7})
        assert {n for r in held for _, n in rows_of(r.value)} == {0}
        until(lambda: not removed.exists())


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


def test_a_new_topic_keeps_the_databases_open(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        replicas = host._open.local["clicks"].replicas
        rows = pa.table({"usr": ["u0"], "n": [9]})
        position = Position.of({"events": {0: 1}, "more": {0: 0}})
        StoreWriter(tmp_path / "log", CLICKS).write(rows, position=position)
        until(lambda: len(host.stores["clicks"].schema.inputs) == 2 and has_epoch(host, 1))
        assert host.error is None
        assert host._open.local["clicks"].replicas == replicas


def test_a_new_comment_keeps_the_databases_open(tmp_path: Path) -> None:
    write(tmp_path / "log", n=0)
    with running(tmp_path / "log") as host:
        until(lambda: has_epoch(host, 0))
        version, replicas = host.version, host._open.local["clicks"].replicas
        value = tuple(replace(column, comment="how often") for column in CLICKS.value)
        StoreLog.open(tmp_path / "log", "clicks").define(replace(CLICKS, value=value))
        until(lambda: host.stores["clicks"].schema.value[0].comment == "how often")
        assert host.version == version + 1
        assert host._open.local["clicks"].replicas == replicas


def test_a_store_that_is_removed_from_the_log_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_stores, "_GONE_S", 0.05)
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
        # A missing root is not a log without stores.
        (tmp_path / "log").rename(tmp_path / "away")
        until(lambda: host.error is not None)
        time.sleep(0.1)
        assert counts(host) == {0}
        (tmp_path / "away").rename(tmp_path / "log")
        write(tmp_path / "log", n=2, schema=OTHERS)
        until(lambda: "others" in host.stores and has_epoch(host, 0, "others"))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are kept elsewhere there")
def test_other_users_cannot_read_the_data(tmp_path: Path) -> None:
    """This includes files that an older version left open to others."""
    write(tmp_path / "log", n=0)
    data = tmp_path / "above" / "data"
    for _ in range(2):
        with running(tmp_path / "log", data) as host:
            until(lambda: has_epoch(host, 0))
            assert counts(host) == {0}
        below = [data, *(each for each in data.rglob("*") if each.is_dir())]
        assert len(below) > 2
        assert {stat.S_IMODE(each.stat().st_mode) for each in below} == {0o700}
        for each in below[1:]:
            each.chmod(0o755)


def test_waiting_at_a_gap_does_not_list_the_log_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log may keep half a million epochs."""
    root, data = tmp_path / "log", tmp_path / "data"
    write(root, n=0)
    listed: list[str] = []
    names = Directory.names

    def counted(directory: Directory, relative: str = "") -> list[str]:
        listed.append(relative)
        return names(directory, relative)

    with running(root, data) as host:
        until(lambda: has_epoch(host, 0))
    for n in (1, 2):
        write(root, n=n)
    epochs = root / "clicks" / "epochs"
    (epochs / f"{1:020d}.json").write_text("torn")
    (epochs / f"{0:020d}.json").unlink()
    with running(root, data) as host:
        until(lambda: all(s.error for s in host.statuses()["clicks"].values()))
        monkeypatch.setattr(Directory, "names", counted)
        # Each search for new stores lists the root.
        until(lambda: listed.count("") > 20)
        assert listed.count("epochs") <= 2
        assert counts(host) == {0}
