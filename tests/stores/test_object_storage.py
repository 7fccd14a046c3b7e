"""A log in object stores that run here: written, raced for, followed, compacted, repaired."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stategate.stores.errors import EpochConflictError, FencedError, LogError
from stategate.stores.log.checking.repair import repair
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.hosts import counts, running
from tests.support.logs import CLICKS, contents, rows
from tests.support.object_storage.buckets import BucketServer
from tests.support.object_storage.gcs import gcs_service
from tests.support.waiting import until


@pytest.fixture
def root(buckets: BucketServer) -> str:
    return buckets.root(uuid.uuid4().hex)


ROUNDS = 12
"""Of a race: its writers begin each together."""


def at(offset: int) -> Position:
    return Position.of({"orders": {0: offset}})


def chain(root: str) -> list[Commit]:
    """Return all commits that a reader follows from the beginning."""
    log = StoreLog.open(root, "clicks")
    found: list[Commit] = []
    while commit := log.next_commit(found[-1].epoch if found else -1, list_now=True):
        found.append(commit)
    return found


def test_two_writers_at_once_write_each_epoch_once(root: str) -> None:
    """Both go for the same number in each round; whoever loses is told so."""
    told: list[Commit] = []
    refused: list[LogError] = []
    barrier = threading.Barrier(2)

    def race(name: str) -> None:
        writer = StoreWriter(root, CLICKS, writer=name)
        for number in range(ROUNDS):
            barrier.wait(60)
            try:
                told.append(writer.write(rows(2), position=at(0), epoch=number))
            except (FencedError, EpochConflictError) as error:
                refused.append(error)
                writer = StoreWriter(root, CLICKS, writer=name)

    threads = [threading.Thread(target=race, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    found = chain(root)
    assert len(told) + len(refused) == 2 * ROUNDS
    assert len({commit.epoch for commit in told}) == len(told) > 0
    assert all(commit in found for commit in told)
    assert [each.previous for each in found[1:]] == [each.epoch for each in found[:-1]]
    assert verify(root, "clicks").damages == ()


def test_a_replaced_writer_is_refused(root: str) -> None:
    old, new = (StoreWriter(root, CLICKS, writer=name) for name in ("old", "new"))
    told = [old.write(rows(), position=at(0)), new.write(rows(), position=at(1))]
    with pytest.raises(FencedError, match="new"):
        old.write(rows(), position=at(2))
    assert chain(root) == told


def test_a_host_follows_compacts_and_restores(root: str, tmp_path: Path, impatient: None) -> None:
    del impatient
    writer = StoreWriter(root, CLICKS)
    for turn in range(3):
        writer.write(rows(20, start=turn), position=at(turn))
    assert StateLog(root).stores() == ["clicks"]
    with running(root, tmp_path / "one") as host:
        until(lambda: counts(host) == {*range(22)})
        writer.write(rows(1, start=99), position=at(3))
        until(lambda: counts(host) == {*range(22), 99})
    done = compact(root, "clicks", retention=Retention(epochs=1))
    assert (done.written, done.epochs_removed) == (True, 3)
    assert verify(root, "clicks").damages == ()
    with running(root, tmp_path / "two") as host:
        until(lambda: counts(host) == {*range(22), 99})


def test_an_epoch_and_a_look_for_the_next_take_few_requests(
    buckets: BucketServer, root: str
) -> None:
    """These are the figures of stores/README.md."""
    writer = StoreWriter(root, CLICKS)
    writer.write(rows(20), position=at(0))
    with buckets.counted() as written:
        writer.write(rows(20), position=at(1))
    gets = CLICKS.partitions + 3
    assert written == {"put": CLICKS.partitions + 2, "head": 3, "list": 1, "get": gets}
    log = StoreLog.open(root, "clicks")
    first = log.next_commit(-1, list_now=True)
    assert first is not None
    list(log.read(first, 0))
    with buckets.counted() as followed:
        second = log.next_commit(0)
    assert second is not None
    assert followed == {"get": 2}
    with buckets.counted() as read:
        list(log.read(second, 0))
    assert read == {"get": 1}
    assert log.next_commit(1) is None  # at most once a second this also lists the epochs
    with buckets.counted() as idle:
        assert log.next_commit(1) is None
    assert idle == {"get": 1}


def test_the_files_of_an_epoch_are_sent_side_by_side() -> None:
    plain, together = gcs_service(), threading.Barrier(2)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer to a data file once another one is here, too."""
        if environ["PATH_INFO"].endswith(".parquet"):
            together.wait(30)
        return plain.app(environ, start)

    server = BucketServer(replace(plain, app=app))
    try:
        root = server.root("side-by-side")
        schema = replace(CLICKS, partitions=2)
        commit = StoreWriter(root, schema).write(rows(20), position=at(0))
    finally:
        server.stop()
    assert [file.partition for file in commit.files] == [0, 1]
    assert not together.broken


def test_an_idle_host_asks_less_than_once_a_second(
    buckets: BucketServer, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stategate.stores.hosting.schedule.SETTLED_S", 0.2)
    StoreWriter(root, CLICKS).write(rows(20), position=at(0))
    with running(root, tmp_path) as host:
        until(lambda: counts(host) == {*range(20)})
        seen: list[int] = []

        def is_quiet() -> bool:
            """Look ten times a second, at the requests of the last two seconds."""
            time.sleep(0.1)
            seen.append(len(buckets.requests))
            return len(seen) > 20 and seen[-1] - seen[-21] <= 2

        until(is_quiet)


def test_damage_is_found_and_repaired(root: str) -> None:
    writer = StoreWriter(root, CLICKS)
    for turn in range(4):
        writer.write(rows(20, start=turn), position=at(turn))
    compact(root, "clicks", retention=Retention(epochs=100))
    log = StoreLog.open(root, "clicks")
    snapshot = log.directory.names(f"snapshots/{3:020d}")
    (attempt,) = [name for name in snapshot if name != "commit.json"]
    place = f"snapshots/{3:020d}/{attempt}"
    (file,) = (
        each
        for each in log.directory.names(place)
        if each.startswith("p00001-") and each.endswith(".sst")
    )
    log.directory.remove_file(f"{place}/{file}")
    assert len(verify(root, "clicks").damages) == 1
    assert repair(root, "clicks").after.damages == ()
    assert [commit.epoch for commit in chain(root)] == [0, 1, 2, 3]
    assert all(len(contents(log, commit)) == commit.rows for commit in chain(root))
