"""Killed while it applies, at every byte that it writes, for each kind of store.

A process that is killed leaves its files as they are, cut off somewhere in what it was writing. So
after each epoch a copy of the database is cut at places in all that the epoch added to its files,
opened again, and has to hold a whole epoch: this one or the one before. Then it follows on, and has
to end as one that was never killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from stores.local import LocalStore
from stores.log import StoreLog, StoreWriter
from stores.position import Position, Progress
from stores.rebuild import scan
from stores.replica import Replica
from stores.rocksdb import RocksPartition
from stores.schema import Row, StoreKind, StoreSchema
from tests.stores.values import rows_of
from tests.support.stores import keyvalue, timed, window

MINUTE_US = 60_000_000
RETENTION_MS = 3 * 60_000
EPOCHS = 8
CUTS_MAX = 12
"""Places at which what an epoch has written is cut."""
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
    """Some keys are new, some change, some go; times move on, so that segments expire."""
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
    engine = RocksPartition(path, schema=schema, partition=0)
    return LocalStore(schema, {0: Replica(engine, schema=schema, partition=0)}, log=log)


def held(store: LocalStore) -> tuple[Progress, list[Row]]:
    """What has been applied, and every row that can be read."""
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    rows = rows_of(scan(engine, store.schema))
    return store.replicas[0].progress, sorted(rows, key=repr)


def sizes(path: Path) -> dict[Path, int]:
    return {
        each.relative_to(path): each.stat().st_size for each in path.rglob("*") if each.is_file()
    }


def cut_copies(before: dict[Path, int], path: Path, copy: Path) -> Iterator[int]:
    """Copies of a database whose files end somewhere in what was added to them since."""
    grown = [
        (name, before.get(name, 0), size)
        for name, size in sizes(path).items()
        if size > before.get(name, 0) and name.suffix == ".log"
    ]
    assert len(grown) == 1, "an epoch goes into one write-ahead log"
    ((name, start, end),) = grown
    step = max(1, (end - start) // CUTS_MAX)
    for at in sorted({*range(start, end, step), end - 1, end}):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy, ignore=shutil.ignore_patterns("LOCK"))
        os.truncate(copy / name, at)
        yield at


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_cut_at_every_write_it_holds_a_whole_epoch(schema: StoreSchema, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", schema)
    store = open_at(log, tmp_path / "whole")
    states = [held(store)]
    seen: set[int] = set()
    for epoch in range(EPOCHS):
        before = sizes(tmp_path / "whole")
        assert store.follow()
        states.append(held(store))
        for at in cut_copies(before, tmp_path / "whole", tmp_path / "copy"):
            cut = open_at(log, tmp_path / "copy")
            found = held(cut)
            assert found in states[-2:], f"epoch {epoch} cut at byte {at}"
            seen.add(epoch - found[0].epoch)
            if found == states[-2]:
                assert cut.follow()
            assert held(cut) == states[-1]
            cut.close()
    assert seen == {0, 1}
    assert len({repr(rows) for _, rows in states}) == EPOCHS + 1
    store.close()


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_cut_again_and_again_it_ends_as_if_it_never_had_been(
    schema: StoreSchema, tmp_path: Path
) -> None:
    """Each start finds what the last one left, in the middle of the next epoch."""
    log = write_log(tmp_path / "log", schema)
    whole = open_at(log, tmp_path / "whole")
    path, copy = tmp_path / "data", tmp_path / "copy"
    open_at(log, path).close()
    for epoch in range(EPOCHS):
        whole.follow()
        store = open_at(log, path)
        before = sizes(path)
        assert store.follow()
        *_, last = cut_copies(before, path, copy)
        store.close()
        name = next(each for each in copy.glob("*.log") if each.stat().st_size == last)
        # Every other epoch is lost, all but its last byte written.
        os.truncate(name, last - 1 if epoch % 2 else last)
        shutil.rmtree(path)
        copy.rename(path)
        again = open_at(log, path)
        assert held(again)[0].epoch == epoch - epoch % 2
        while held(again)[0].epoch < epoch:
            assert again.follow()
        assert held(again) == held(whole)
        again.close()
    whole.close()


FOLLOW = """
import sys
from pathlib import Path
from stores.log import StoreLog
from tests.stores.test_faults import SCHEMAS, open_at

stores = [
    open_at(StoreLog.open(sys.argv[1], name), Path(sys.argv[2]) / name) for name in SCHEMAS
]
print("open", flush=True)
for epoch in range(int(sys.argv[3])):
    for store in stores:
        store.follow()
    print(epoch, flush=True)
"""


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """A process that applies as fast as it can, killed some epochs after it began."""
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
        assert 0 < reached < epochs, "it is of no use if it was killed too late"
        while held(whole)[0].epoch < reached:
            assert whole.follow()
        assert held(store) == held(whole)
        while store.follow() and whole.follow():
            assert store.schema == schema
        assert held(store) == held(whole)
        assert held(store)[0].epoch == epochs - 1
        store.close()
        whole.close()
