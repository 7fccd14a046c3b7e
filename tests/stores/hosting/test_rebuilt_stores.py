"""A host goes on answering from a store while it is rebuilt, and then from the rebuilt one."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import FailureReason, HostRestoringError, StoreError
from stategate.stores.hosting import successors
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.successors import Successor
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Role, in_store
from stategate.stores.upkeep.rebuild import rebuild
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.hosts import CLICKS, SCAN, counts, has_epoch, running, write
from tests.support.stores import keyvalue
from tests.support.values import rows_of
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("impatient")

WIDER = replace(keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "note": "text"}, partitions=3))
NEWEST = SCAN.with_position_bound(PositionBound(latest=True))


def add(root: Path, schema: StoreSchema, *, n: int) -> int:
    """Write an epoch of the same ten users; return its number."""
    values = {"usr": [f"u{i}" for i in range(10)], "n": [n] * 10, "note": ["new"] * 10}
    rows = pa.table({c.name: values[c.name] for c in schema.columns})
    return StoreWriter(root, schema).write(rows, position=Position.of({"events": {0: n}})).epoch


def shown(host: Host) -> list[tuple[object, ...]]:
    result = host.query(SCAN)
    assert not result.failures
    return sorted(row for each in result.partitions.values() for row in rows_of(each.value))


def has_columns(host: Host, schema: StoreSchema) -> bool:
    found = host.stores["clicks"].schema
    return (found.value, found.partitions) == (schema.value, schema.partitions)


def test_readers_see_all_rows_before_during_and_after(tmp_path: Path) -> None:
    root, data = tmp_path / "log", tmp_path / "data"
    for n in range(3):
        write(root, n=n)
    with running(root, data) as host:
        until(lambda: has_epoch(host, 2))
        seen: list[tuple[int, int]] = []
        wrong: list[object] = []
        stopping = threading.Event()

        def read() -> None:
            while not stopping.is_set():
                try:
                    result = host.query(SCAN)
                    found = [r for p in result.partitions.values() for r in rows_of(p.value)]
                except StoreError as error:
                    wrong.append(error)
                    continue
                seen.append((len(found), min(row[1] for row in found)))

        reader = threading.Thread(target=read)
        reader.start()
        version = host.version
        rebuild(root, "clicks", WIDER)
        add(root, WIDER, n=3)
        until(lambda: has_columns(host, WIDER) and has_epoch(host, 3))
        stopping.set()
        reader.join()
        assert not wrong
        assert {count for count, _ in seen} == {10}
        numbers = [n for _, n in seen]
        assert numbers == sorted(numbers)
        assert host.version > version
        assert shown(host) == [(f"u{i}", 3, "new") for i in range(10)]
        until(lambda: not (data / "clicks" / "0").exists())
    with running(root, data) as host:
        until(lambda: has_epoch(host, 3))
        assert len(shown(host)) == 10


def test_a_host_without_a_replica_of_a_store_takes_the_rebuilt_one(tmp_path: Path) -> None:
    """A node of a cluster asks others for all of its rows, by its definition."""
    root = tmp_path / "log"
    write(root, n=0)
    host = Host(str(root), poll_ms=2, placement=lambda schema: {})
    host.start()
    try:
        for schema in (WIDER, CLICKS):
            rebuild(root, "clicks", schema)
            until(partial(has_columns, host, schema))
            assert host.stores["clicks"].statuses() == {}
    finally:
        host.close()


def test_a_bound_on_the_latest_epoch_counts_that_of_the_rebuilt_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the host has caught up it is behind, and not at the end of the old log."""
    root = tmp_path / "log"
    write(root, n=0)
    with running(root) as host:
        until(lambda: has_epoch(host, 0))
        monkeypatch.setattr(Successor, "has_reached", lambda self, old: False)
        rebuild(root, "clicks", WIDER)
        assert host.stores["clicks"].committed_epoch() == 0
        add(root, WIDER, n=1)
        assert host.stores["clicks"].committed_epoch() == 1
        assert counts(host) == {0}
        for each in host.query(NEWEST).partitions.values():
            assert isinstance(each, Failure)
            assert each.reason is FailureReason.NOT_UP_TO_BOUND
        monkeypatch.undo()
        until(lambda: has_columns(host, WIDER) and has_epoch(host, 1))
        assert all(isinstance(r, Success) for r in host.query(NEWEST).partitions.values())
        assert shown(host)[0] == ("u0", 1, "new")


def test_replicas_that_change_meanwhile_stay_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    other = replace(CLICKS, value=WIDER.value)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        monkeypatch.setattr(Successor, "has_reached", lambda self, old: False)
        rebuild(root, "clicks", other)
        until(lambda: any("rebuilt" in t.name for t in threading.enumerate()))
        host.demote("clicks", 0)
        host.drop("clicks", 1)
        monkeypatch.undo()
        until(lambda: has_columns(host, other))
        statuses = host.statuses()["clicks"]
        assert {number: each.role for number, each in statuses.items()} == {0: Role.STANDBY}
        assert not any("rebuilt" in thread.name for thread in threading.enumerate())


def test_a_store_may_be_rebuilt_again_before_anyone_looked(tmp_path: Path) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        rebuild(root, "clicks", WIDER)
        last = replace(WIDER, partitions=5)
        rebuild(root, "clicks", last)
        add(root, last, n=1)
        until(lambda: has_columns(host, last) and has_epoch(host, 1))
        assert shown(host)[0] == ("u0", 1, "new")
        compact(root, "clicks", retention=Retention(epochs=1), orphan_age_ms=0)


def test_compaction_removes_the_old_log(tmp_path: Path) -> None:
    root = tmp_path / "log"
    now_ms = 1_000_000_000_000_000
    for n in range(3):
        write(root, n=n)
    rebuild(root, "clicks", WIDER)
    rebuild(root, "clicks", replace(WIDER, partitions=5))
    store = root / "clicks"
    assert len(list((store / "rebuilt").iterdir())) == 2
    compact(root, "clicks", retention=Retention(age_ms=60_000))
    assert (store / "data").exists()
    assert len(list((store / "rebuilt").iterdir())) == 2
    compact(root, "clicks", retention=Retention(age_ms=60_000), clock=lambda: now_ms)
    assert len(list((store / "rebuilt").iterdir())) == 1
    for name in ("data", "epochs", "terms"):
        assert not (store / name).exists()
    with running(root) as host:
        until(lambda: has_epoch(host, 2))
        assert shown(host)[0] == ("u0", 2, None)
        request = in_store("clicks").with_query(RangeQuery())
        assert len(host.query(request).partitions) == 5


def test_a_rebuilt_store_waits_for_the_other_nodes(tmp_path: Path) -> None:
    """Meanwhile both are here by their addresses, and the old one for a moment afterwards."""
    root = tmp_path / "log"
    write(root, n=0)
    with running(root) as host:
        until(lambda: has_epoch(host, 0))
        others_have_it = threading.Event()
        host.editions.may_answer = lambda store: others_have_it.is_set()
        rebuild(root, "clicks", WIDER)
        add(root, WIDER, n=1)
        until(lambda: len(host.editions.stores) == 2)
        old = host.stores["clicks"].schema.address
        (address,) = host.editions.held().keys() - {old}
        until(lambda: _epochs(host, address) == {1})
        assert _epochs(host, old) == {0}
        others_have_it.set()
        until(lambda: has_columns(host, WIDER))
        assert host.stores["clicks"] is host.editions.stores[address]
        assert _epochs(host, old) == {0}
        until(lambda: set(host.editions.stores) == {address})


def test_a_rebuilt_store_does_not_wait_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(successors, "_TOGETHER_S", 0.2)
    root = tmp_path / "log"
    write(root, n=0)
    with running(root) as host:
        until(lambda: has_epoch(host, 0))
        host.editions.may_answer = lambda store: False
        rebuild(root, "clicks", WIDER)
        until(lambda: has_columns(host, WIDER))


def test_a_store_that_is_rebuilt_again_waits_under_its_newest_definition(tmp_path: Path) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    with running(root) as host:
        until(lambda: has_epoch(host, 0))
        others_have_it = threading.Event()
        host.editions.may_answer = lambda store: others_have_it.is_set()
        rebuild(root, "clicks", WIDER)
        old = host.stores["clicks"].schema.address
        until(lambda: len(host.editions.held()) == 2)
        (first,) = host.editions.held().keys() - {old}
        rebuild(root, "clicks", replace(WIDER, partitions=2))
        until(lambda: first not in host.editions.held() and len(host.editions.held()) == 2)
        assert host.stores["clicks"].schema.address == old
        others_have_it.set()
        until(lambda: host.stores["clicks"].schema.partitions == 2)


@pytest.mark.parametrize(
    ("schema", "epochs", "again"),
    [
        (CLICKS, 1, False),
        (CLICKS, 3, True),
        (WIDER, 1, False),
        (WIDER, 2, True),
        (WIDER, 3, False),
        (replace(WIDER, partitions=5), 2, False),
    ],
)
def test_a_rebuilt_store_that_is_dropped_and_made_anew(
    tmp_path: Path, schema: StoreSchema, epochs: int, again: bool
) -> None:
    """Its log was in a directory of its own, which the new store does not have.

    The new store has the old definition, that of the rebuilt one or another one, is shorter, as
    long or longer, and may have been rebuilt, too.
    """
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        rebuild(root, "clicks", WIDER)
        add(root, WIDER, n=1)
        until(lambda: has_columns(host, WIDER) and has_epoch(host, 1))
        shutil.rmtree(root / "clicks")
        for n in range(7, 7 + epochs):
            add(root, schema, n=n)
        if again:
            last = replace(schema, partitions=4)
            rebuild(root, "clicks", last)
        else:
            last = schema
        until(lambda: numbers(host) == {6 + epochs} and has_columns(host, last))
        assert len(shown(host)) == 10
        add(root, last, n=50)
        until(lambda: numbers(host) == {50})


def test_a_store_that_is_made_anew_while_a_rebuilt_one_catches_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "log"
    write(root, n=0)
    with running(root, tmp_path / "data") as host:
        until(lambda: has_epoch(host, 0))
        monkeypatch.setattr(Successor, "has_reached", lambda self, old: False)
        rebuild(root, "clicks", WIDER)
        until(lambda: any("rebuilt" in t.name for t in threading.enumerate()))
        shutil.rmtree(root / "clicks")
        write(root, n=7)
        until(lambda: numbers(host) == {7})
        assert not any("rebuilt" in thread.name for thread in threading.enumerate())


def numbers(host: Host) -> set[object]:
    """Return the distinct counts of all rows; empty while a partition does not answer."""
    try:
        result = host.query(SCAN)
    except HostRestoringError:
        return set()
    if result.failures:
        return set()
    return {row[1] for each in result.partitions.values() for row in rows_of(each.value)}


def _epochs(host: Host, address: str) -> set[int]:
    statuses = host.editions.stores[address].statuses().values()
    return {status.progress.epoch for status in statuses}
