"""Starting a host with many stores: how long it takes, and how many files it opens."""

from __future__ import annotations

import os
import resource
import shutil
import time
from pathlib import Path

import pyarrow as pa

from stategate.stores.engines.rocksdb.open_files import UNLIMITED
from stategate.stores.hosting.host import Host
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from stategate.stores.spec.store import in_store
from tests.bench.harness import BenchError, Better, Line, Measured
from tests.bench.setting import Setting

STORES = 200
PARTITIONS = 8
FILES = 1600
"""Files for an eighth of the databases."""
SPARE_FILES = 50
"""Files of the process besides those of databases."""
START_S_MOST = 12.0
"""A fifth of the minute in which 1,000 stores are to be ready."""


def start(setting: Setting) -> Line:
    """Seconds until a host that was closed cleanly answers for all of its stores again."""
    root, data, stores, files = _made(setting, "start")
    ours, rival = (_restart(root, data, stores, most)[0] for most in (files, UNLIMITED))
    return Measured(
        work=f"start, {stores:,} stores of {PARTITIONS} partitions",
        unit="s",
        ours=ours,
        rival=rival,
        rival_name="every database is opened",
        better=Better.LOWER,
        ours_most=START_S_MOST,
    )


def open_files(setting: Setting) -> Line:
    """Open files of the process after a start, and after each store was asked."""
    root, data, stores, files = _made(setting, "files")
    ours, rival = (_restart(root, data, stores, most)[1] for most in (files, UNLIMITED))
    return Measured(
        work=f"open files, {stores:,} stores of {PARTITIONS} partitions",
        unit="files",
        ours=ours,
        rival=rival,
        rival_name="every database is opened",
        better=Better.LOWER,
        ours_most=files + SPARE_FILES,
    )


def _made(setting: Setting, name: str) -> tuple[Path, Path, int, int]:
    """Return a root, the data of a host that has followed it, and how many stores and files."""
    stores = max(2, min(STORES, setting.keys // 1000))
    files = max(16, FILES * stores // STORES)
    root, data = setting.directory / name / "log", setting.directory / name / "data"
    shutil.rmtree(root.parent, ignore_errors=True)
    for number in range(stores):
        schema = StoreSchema(
            name=f"s{number:04}",
            kind=StoreKind.KEYVALUE,
            key=(Column(name="usr", type=DataType.parse("text")),),
            value=(Column(name="n", type=DataType.parse("bigint")),),
            partitions=PARTITIONS,
            inputs=(InputTopic(topic="events"),),
        )
        rows = pa.table({"usr": [f"u{key}" for key in range(32)], "n": list(range(32))})
        StoreWriter(root, schema).write(rows, position=Position.of({"events": {0: 41}}))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    _restart(root, data, stores, files)
    return root, data, stores, files


def _restart(root: Path, data: Path, stores: int, files: int) -> tuple[float, float]:
    """Start a host, ask each store; return the seconds until it was ready, and the open files."""
    began_s = time.monotonic()
    host = Host(root, data, open_files=files)
    host.start()
    try:
        while not host.is_ready:
            if time.monotonic() - began_s > 600:
                raise BenchError(f"the host is not ready: {host.error}")
            time.sleep(0.01)
        took_s = time.monotonic() - began_s
        used = _open()
        for number in range(stores):
            asked = in_store(f"s{number:04}").with_query(KeyQuery.with_key("u7"))
            answers = host.query(asked).partitions.values()
            found = [answer.value for answer in answers if isinstance(answer, Success)]
            if len(found) != PARTITIONS or [row for row in found if row] != [(7,)]:
                raise BenchError(f"store {number} answers {found}")
            used = max(used, _open())
        return took_s, used
    finally:
        host.close()


def _open() -> int:
    return len(os.listdir("/proc/self/fd"))
