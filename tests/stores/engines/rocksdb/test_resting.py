"""A database at rest: closed until someone reads or writes it, which no one can notice."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.contract import StoreContract
from stategate.stores.engines.rocksdb.metadata import decode_progress
from stategate.stores.engines.rocksdb.open_files import FILES_MIN, OpenFiles
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.rest_note import Note, read_note, write_note
from stategate.stores.errors import StoreError
from stategate.stores.hosting.dispatch import query_partition
from stategate.stores.hosting.replica import Replica, wall_clock_ms
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import KeyQuery, Query, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.scans import ApproximateCountQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import DEFAULT_CONFIG, Handler, ReplicaState, StorePartition, View
from tests.support.database_files import copy_as_killed
from tests.support.stores import batch, keyvalue, progress
from tests.support.values import rows_of

SCHEMA = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=1)
KEYS = 20


class Restless(RocksPartition):
    """An engine that comes to rest before every call, if it can."""

    def __init__(self, path: Path, *, schema: Any) -> None:
        self._calling = threading.Lock()
        super().__init__(path, schema=schema, partition=0, files=OpenFiles(0))
        self.handlers = {
            asked: partial(self._answer, handler) for asked, handler in self.handlers.items()
        }

    def rest(self) -> bool:
        if not self._calling.acquire(blocking=False):
            return False
        try:
            return super().rest()
        finally:
            self._calling.release()

    @property
    def view(self) -> View:
        self.rest()
        return super().view

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        self.rest()
        with self._calling:
            super().apply(progress, batches, replace=replace)

    def _answer(self, handler: Handler, view: View, query: Query[Any]) -> Any:
        self.rest()
        return handler(view, query)


class TestResting(StoreContract):
    def open_partition(self, directory: Path) -> StorePartition:
        return Restless(directory, schema=self.schema)


def opened(path: Path, files: OpenFiles | None = None) -> RocksPartition:
    return RocksPartition(path, schema=SCHEMA, partition=0, files=files)


def at_rest(engine: RocksPartition) -> bool:
    return engine.is_at_rest


def rows(n: int) -> pa.RecordBatch:
    """Return every key with the same number."""
    return batch(SCHEMA, [(f"k{key}", n) for key in range(KEYS)])


def read(engine: RocksPartition) -> list[Row]:
    return rows_of(engine.handlers[RangeQuery](engine.view, RangeQuery()))


def everything(n: int) -> list[Row]:
    return sorted((f"k{key}", n) for key in range(KEYS))


def test_a_partition_at_rest_is_opened_by_what_it_cannot_answer(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    engine.apply(progress(0), [rows(0)])
    view = engine.view
    assert engine.rest()
    assert at_rest(engine)
    assert engine.view is view, "its progress is known"
    assert at_rest(engine)
    assert read(engine) == everything(0)
    assert not at_rest(engine)
    assert engine.rest()
    engine.apply(progress(1), [rows(1)])
    assert rows_of(engine.handlers[RangeQuery](view, RangeQuery())) == everything(0)
    assert read(engine) == everything(1)
    assert engine.rest() is False, "the view of epoch 0 is still referenced"
    del view
    assert engine.rest()
    count = engine.handlers[ApproximateCountQuery](engine.view, ApproximateCountQuery())
    assert count >= KEYS
    engine.close()


def test_a_stream_that_is_being_read_keeps_the_database_open(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    engine.apply(progress(0), [batch(SCHEMA, [(f"{n:06}", n) for n in range(100_000)])])
    stream = iter(engine.handlers[RangeQuery](engine.view, RangeQuery()))
    begun = next(stream)
    assert not engine.rest()
    assert begun.num_rows + sum(each.num_rows for each in stream) == 100_000
    del stream
    assert engine.rest()
    engine.close()


def test_a_start_opens_no_database_that_was_closed_cleanly(tmp_path: Path) -> None:
    engine = opened(tmp_path / "data")
    engine.apply(progress(4), [rows(4)])
    engine.answered.begin(4)
    engine.close()
    files = OpenFiles(0)
    again = opened(tmp_path / "data", files)
    assert again.view.progress == progress(4)
    assert again.answered.epoch == 4
    assert (files.databases, files.used) == (0, 0)
    assert read(again) == everything(4)
    assert files.databases == 1
    assert FILES_MIN <= files.used <= FILES_MIN + 1
    again.close()
    assert (files.databases, files.used) == (0, 0)
    new = opened(tmp_path / "new", files)
    assert (new.view.progress, files.databases) == (Progress(), 0)
    assert not (tmp_path / "new").exists(), "a database without rows does not exist yet"
    new.close()


def test_a_view_of_a_partition_that_was_closed_at_rest_can_be_read(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    engine.apply(progress(0), [rows(0)])
    view = engine.view
    assert engine.rest()
    engine.close()
    assert rows_of(engine.handlers[RangeQuery](view, RangeQuery())) == everything(0)
    del view
    opened(tmp_path).close()


def test_a_database_that_someone_else_has_opened_is_not_read(tmp_path: Path) -> None:
    """Its rows may be of another epoch by now."""
    engine = opened(tmp_path)
    engine.apply(progress(0), [rows(0)])
    assert engine.rest()
    other = opened(tmp_path)
    other.apply(progress(1), [rows(1)])
    with pytest.raises(StoreError):
        read(engine)
    other.close()
    with pytest.raises(StoreError, match="someone else"):
        read(engine)
    with pytest.raises(StoreError, match="someone else"):
        engine.apply(progress(1), [rows(1)])
    engine.close()


STEPS: list[Callable[[RocksPartition, int], object]] = [
    lambda engine, epoch: engine.apply(progress(epoch), [rows(epoch)]),
    lambda engine, epoch: engine.rest(),
    lambda engine, epoch: read(engine),
    lambda engine, epoch: engine.rest(),
    lambda engine, epoch: engine._database._rdict and engine._database._rdict.flush(),
    lambda engine, epoch: engine.reset(),
    lambda engine, epoch: engine.close(),
]


@pytest.mark.parametrize("seed", range(4))
def test_a_kill_leaves_no_wrong_note(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the note says, the database holds exactly that; checked after each step."""
    chance = random.Random(seed)
    data, noted = tmp_path / "data", 0
    engine = opened(data)

    def check() -> None:
        nonlocal noted
        by_note = opened(copy_as_killed(data, tmp_path / "killed"), OpenFiles(0))
        noted += by_note.is_at_rest
        claimed, found = by_note.view.progress, read(by_note)
        by_note.close()
        held = opened(tmp_path / "killed")
        assert (held.view.progress, read(held)) == (claimed, found)
        assert found == (everything(claimed.epoch) if claimed.epoch >= 0 else [])
        held.close()

    def check_then_write(directory: Path, manifest: str | None, note: Note) -> None:
        if directory == data:
            check()  # as if it were killed between the two
        write_note(directory, manifest, note)

    weights = [4, 3, 2, 2, 1, 1, 1]
    for epoch in range(25):
        (step,) = chance.choices(STEPS, weights)
        with monkeypatch.context() as patch:
            patch.setattr("stategate.stores.engines.rocksdb.database.write_note", check_then_write)
            step(engine, epoch)
            if not engine._database.is_open:
                engine = opened(data, OpenFiles(0))
            check()
    assert noted, "notes were used"
    engine.close()


def test_a_damaged_note_is_not_believed(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    engine.apply(progress(3), [rows(3)])
    engine.close()
    note = tmp_path / "RESTING"
    whole = note.read_bytes()
    found = read_note(tmp_path)
    assert found is not None
    assert decode_progress(found.progress) == progress(3)
    for damaged in (b"", whole[:-5], b"[]", b"{}", whole.replace(b"MANIFEST-", b"MANIFEST-9")):
        note.write_bytes(damaged)
        assert read_note(tmp_path) is None
        again = opened(tmp_path, OpenFiles(0))
        assert not again.is_at_rest
        assert again.view.progress == progress(3)
        again.close()


def test_the_database_that_was_used_longest_ago_rests_first(tmp_path: Path) -> None:
    files = OpenFiles(3 * (FILES_MIN + 1))
    engines = [opened(tmp_path / str(n)) for n in range(4)]
    for engine in engines:
        engine.apply(progress(0), [rows(0)])
        engine.close()
    engines = [opened(tmp_path / str(n), files) for n in range(4)]
    assert [engine.is_at_rest for engine in engines] == [False, False, True, True]
    read(engines[2])
    read(engines[3])
    assert [engine.is_at_rest for engine in engines] == [True, False, False, False]
    read(engines[0])
    assert [engine.is_at_rest for engine in engines] == [False, True, False, False]
    read(engines[1])
    assert [engine.is_at_rest for engine in engines] == [False, False, True, False]
    for engine in engines:
        engine.close()
    assert (files.databases, files.used) == (0, 0)


def test_a_database_that_cannot_be_opened_takes_no_room(tmp_path: Path) -> None:
    files = OpenFiles(0)
    engine = opened(tmp_path / "data", files)
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StoreError, match="cannot open"):
        read(engine)
    assert (files.databases, files.used) == (0, 0)
    engine.close()


class Asking:
    """Threads that ask replicas without a pause, and note every wrong answer."""

    def __init__(self, replicas: Mapping[int, Replica]) -> None:
        self.wrong: list[object] = []
        self.answers = 0
        self._replicas = replicas
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(3)]

    def __enter__(self) -> Asking:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, seed: int) -> None:
        chance = random.Random(seed)
        while not self._done.is_set():
            replica = self._replicas[chance.randrange(len(self._replicas))]
            query: Query[Any] = chance.choice([RangeQuery(), KeyQuery.with_key("k3")])
            answer = query_partition(replica, query, DEFAULT_CONFIG, wall_clock_ms)
            if not isinstance(answer, Success):
                self.wrong.append(answer)
                continue
            found = answer.value
            expected: object = (answer.epoch,)
            if isinstance(query, RangeQuery):
                found, expected = rows_of(found), everything(answer.epoch)
            if found != expected:
                self.wrong.append((query, found, answer.epoch))
            self.answers += 1


def test_queries_never_fail_while_databases_come_and_go(tmp_path: Path) -> None:
    """Three readers, one writer, and room for two databases of six."""
    files = OpenFiles(2 * (FILES_MIN + 3))
    replicas = {}
    for n in range(6):
        engine = opened(tmp_path / str(n), files)
        engine.apply(progress(0), [rows(0)])
        replicas[n] = Replica(engine, schema=SCHEMA, partition=0)
        assert replicas[n].state is ReplicaState.RUNNING
        del engine
    with Asking(replicas) as asking:
        for epoch in range(1, 30):
            for replica in replicas.values():
                replica.apply(progress(epoch), [rows(epoch)])
                replica.rest()
    assert asking.wrong == []
    assert asking.answers > 20
    files.make_room()
    assert files.used <= files.capacity
    for replica in replicas.values():
        replica.close()
    assert files.used == 0
