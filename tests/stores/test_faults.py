"""A process is killed while it applies, at every byte that it writes, for each kind of store.

A killed process leaves its files as they are, cut off somewhere in its last write. So after each
epoch a copy of the database is cut somewhere in the bytes that were added to its files, and opened
again. It must have a whole epoch: the last one that was flushed, or the one before it. Then it goes
on, and must end with the same rows as a database that was never cut.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from rocksdict import Cache, Options

import stategate.stores.engines.rocksdb.database
import stategate.stores.engines.rocksdb.opening
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.unflushed import EPOCH_ROWS, Unflushed
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.upkeep.recipes import scan
from tests.support.stores import keyvalue, timed, window
from tests.support.values import rows_of

MINUTE_US = 60_000_000
RETENTION_MS = 3 * 60_000
EPOCHS = 8
FLUSHED_EPOCHS = 3
CUTS_MAX = 12
"""Number of places at which each file of a flush is cut."""
UTC = pa.timestamp("us", tz="UTC")
KEY, VALUE = {"k": "bigint"}, {"n": "bigint", "note": "text"}
SCHEMAS: dict[str, StoreSchema] = {
    "keyvalue": keyvalue("keyvalue", KEY, VALUE, partitions=1),
    "window": window("window", KEY, VALUE, partitions=1, size_ms=60_000, retention_ms=RETENTION_MS),
    **{
        kind.value: timed(kind, kind.value, KEY, VALUE, partitions=1, retention_ms=RETENTION_MS)
        for kind in (StoreKind.SESSION, StoreKind.VERSIONED)
    },
}


def rows_at(schema: StoreSchema, epoch: int) -> pa.Table:
    """Return the rows of an epoch; each adds, changes and removes keys, and moves time on."""
    keys = list(range(epoch, epoch + 6)) + list(range(100, 103))
    count = len(keys)
    starts = [(epoch + key % 2) * MINUTE_US for key in keys]
    times = {
        StoreKind.WINDOW: {"window_start": pa.array(starts, UTC)},
        StoreKind.SESSION: {
            "window_start": pa.array(starts, UTC),
            "window_end": pa.array([start + MINUTE_US for start in starts], UTC),
        },
        StoreKind.VERSIONED: {"valid_from": pa.array(starts, UTC)},
    }.get(schema.kind, {})
    return pa.table(
        {
            "k": keys,
            **times,
            "n": [epoch] * count,
            "note": [f"note {epoch} of {key}" * 3 for key in keys],
            "_deleted": [key < 100 and key % 5 == 0 for key in keys],
        }
    )


def write_log(root: Path, schema: StoreSchema, *, epochs: int = EPOCHS) -> StoreLog:
    writer = StoreWriter(root, schema)
    for epoch in range(epochs):
        writer.write(
            rows_at(schema, epoch),
            position=Position.of({"events": {0: epoch}}),
            watermark_ms=epoch * 60_000,
            replace=schema.kind is StoreKind.KEYVALUE and epoch == 4,
        )
    return writer.log


def open_at(log: StoreLog, path: Path) -> LocalStore:
    schema = log.schema()
    unflushed = Unflushed(FLUSHED_EPOCHS * EPOCH_ROWS, pause_s=0)
    engine = RocksPartition(path, schema=schema, partition=0, unflushed=unflushed)
    return LocalStore(schema, {0: Replica(engine, schema=schema, partition=0)}, log=log)


def held(store: LocalStore) -> tuple[Progress, list[Row]]:
    """Return the progress, and every row that can be read."""
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    rows = rows_of(scan(engine, store.schema))
    return store.replicas[0].progress, sorted(rows, key=repr)


@pytest.fixture(autouse=True)
def uncompacted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off compaction, which would remove files while they are copied."""
    options = stategate.stores.engines.rocksdb.opening.database_options

    def without_compaction(cache: Cache | None) -> Options:
        made = options(cache)
        made.set_disable_auto_compactions(True)
        return made

    monkeypatch.setattr(
        stategate.stores.engines.rocksdb.database, "database_options", without_compaction
    )


def sizes(path: Path) -> dict[Path, int]:
    return {
        each.relative_to(path): each.stat().st_size for each in path.rglob("*") if each.is_file()
    }


def flush(store: LocalStore) -> None:
    """Flush the database, as its engine does from time to time."""
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    engine._database._rdict.flush()


def cut_copies(before: dict[Path, int], path: Path, copy: Path) -> Iterator[str]:
    """Yield copies of a database as they would be if the process had been killed at some point.

    An epoch writes a table, if the memtable is flushed before, and then an entry about it. So
    copies end somewhere in the table, without the entry, or somewhere in the entry.
    """

    def grown(is_of_it: Callable[[Path], bool]) -> dict[Path, range]:
        return {
            name: range(before.get(name, 0), size)
            for name, size in sizes(path).items()
            if size > before.get(name, 0) and is_of_it(name)
        }

    tables = grown(lambda name: name.suffix == ".sst")
    manifest = grown(lambda name: name.name.startswith("MANIFEST"))
    unsaid = {name: added.start for name, added in manifest.items()}
    for step in (tables, manifest):
        for name, added in step.items():
            unwritten = {other: added.start for other, added in tables.items() if other > name}
            for at in [*added[:: max(1, len(added) // CUTS_MAX)], added.stop - 1, added.stop]:
                cuts = {name: at} if step is manifest else {**unsaid, **unwritten, name: at}
                copy_of(path, copy, cuts)
                yield f"{name} ends at {at}"
    copy_of(path, copy, {})
    yield "as it is"


def copy_of(path: Path, copy: Path, cuts: dict[Path, int]) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns("LOCK"))
    for name, at in cuts.items():
        os.truncate(copy / name, at)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_database_cut_at_any_write_has_a_whole_epoch(schema: StoreSchema, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", schema)
    store = open_at(log, tmp_path / "whole")
    states = [held(store)]
    last = 0
    reached = set()
    for epoch in range(EPOCHS):
        before = sizes(tmp_path / "whole")
        # Flush beforehand as the engine does, but wait for the end of the flush.
        if epoch % FLUSHED_EPOCHS == 0:
            flush(store)
        assert store.follow()
        states.append(held(store))
        for cut_at in cut_copies(before, tmp_path / "whole", tmp_path / "copy"):
            cut = open_at(log, tmp_path / "copy")
            found = held(cut)
            assert found in states[last:], f"epoch {epoch} of which {cut_at}"
            if states.index(found) > last:
                assert found != states[-1], "rows that were not flushed are there"
            reached.add(states.index(found))
            while held(cut)[0].epoch < epoch:
                assert cut.follow()
            assert held(cut) == states[-1]
            cut.close()
        # The last copy is complete: none that comes later may have less.
        last = states.index(found)
    assert reached == {0, *range(FLUSHED_EPOCHS, EPOCHS, FLUSHED_EPOCHS)}
    assert len({repr(rows) for _, rows in states}) == EPOCHS + 1
    store.close()


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_database_that_is_cut_again_and_again_ends_with_the_same_rows(
    schema: StoreSchema, tmp_path: Path
) -> None:
    """Each start finds the files of the last one, some of them not yet in the manifest."""
    log = write_log(tmp_path / "log", schema)
    path, copy = tmp_path / "data", tmp_path / "copy"
    open_at(log, path).close()
    for start, is_said in enumerate(itertools.cycle([False, True])):
        store = open_at(log, path)
        assert held(store)[0].epoch == start // 2 - 1
        if start // 2 + 1 >= EPOCHS:
            break
        assert store.follow()
        before = sizes(path)
        flush(store)
        assert store.follow()
        manifest = next(path.glob("MANIFEST*")).relative_to(path)
        end = sizes(path)[manifest]
        assert end > before[manifest]
        copy_of(path, copy, {manifest: end if is_said else end - 20})
        store.close()
        shutil.rmtree(path)
        copy.rename(path)
    assert store.follow()
    whole = open_at(log, tmp_path / "whole")
    while whole.follow():
        pass
    assert held(store) == held(whole)
    whole.close()
    store.close()


FOLLOW = """
import sys
from pathlib import Path
from stategate.stores.log.state_log import StoreLog
from tests.stores.test_faults import SCHEMAS, open_at

opened = [
    open_at(StoreLog.open(sys.argv[1], name), Path(sys.argv[2]) / name) for name in SCHEMAS
]
print("open", flush=True)
for epoch in range(int(sys.argv[3])):
    for store in opened:
        store.follow()
        store.replicas[0].engine.maintain(lambda: False)
    print(epoch, flush=True)
"""


def test_a_process_killed_at_any_moment_goes_on(tmp_path: Path) -> None:
    """It applies as fast as it can, and is killed some epochs after it began."""
    epochs, kills = 60, 3
    for schema in SCHEMAS.values():
        write_log(tmp_path / "log", schema, epochs=epochs)
    paths = [str(tmp_path / "log"), str(tmp_path / "data")]
    command = [sys.executable, "-c", FOLLOW, *paths, str(epochs)]
    for kill in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(6 + kill):
            assert process.stdout.readline()
        time.sleep(0.001 * kill)  # somewhere in the epoch that comes next
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGKILL
    for name, schema in SCHEMAS.items():
        log = StoreLog.open(tmp_path / "log", name)
        store, whole = open_at(log, tmp_path / "data" / name), open_at(log, tmp_path / name)
        reached = held(store)[0].epoch
        assert 0 < reached < epochs, "the process was killed too late to show anything"
        while held(whole)[0].epoch < reached:
            assert whole.follow()
        assert held(store) == held(whole)
        while store.follow() and whole.follow():
            assert store.schema == schema
        assert held(store) == held(whole)
        assert held(store)[0].epoch == epochs - 1
        store.close()
        whole.close()
