"""The store layer alone, against the barest use of the same database, without SQL or servers."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from rocksdict import Rdict

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import StateQueryRequest, in_store
from stategate.stores.upkeep.compaction import write_snapshot
from tests.bench import data
from tests.bench.epochs import bare_database, log_batches, progress
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting

ROWS = 200_000
READS = 20_000
READY_TIMEOUT_S = 60.0
SCHEMA = StoreSchema(
    name=data.STORE,
    kind=data.SCHEMA.kind,
    key=data.SCHEMA.key,
    value=data.SCHEMA.value,
    partitions=1,
    inputs=data.SCHEMA.inputs,
)
"""One partition, because the rival has one database."""


def point_reads(setting: Setting) -> Line:
    """Keys per second through `host.query`, read repeatedly, against a bare get."""
    return _point_reads(setting, "point reads through host.query", skip_cache=False, least=0.5)


def first_point_reads(setting: Setting) -> Line:
    """The same without kept rows: the first read of each key in an epoch."""
    return _point_reads(setting, "first point reads through host.query", skip_cache=True)


def _point_reads(
    setting: Setting, work: str, *, skip_cache: bool, least: float | None = None
) -> Line:
    """The host is restarted first, so that both sides read from files with warm caches."""
    rows = min(ROWS, setting.keys)
    keys = [str(data.FIRST_KEY + number * 7919 % rows) for number in range(READS)]
    directory = setting.directory / f"points-{skip_cache}"
    root, replicas, bare = directory / "log", directory / "replicas", directory / "bare"
    write_log(setting, root, rows)
    _started(root, replicas).close()
    shutil.copytree(replicas / SCHEMA.name / "0", bare)
    with_host = _started(root, replicas)
    try:
        database = bare_database(bare)
        queries = [KeyQuery(key=(key,), skip_cache=skip_cache) for key in keys]
        requests = [in_store(SCHEMA.name).with_query(query) for query in queries]
        encoded = [b"\x01\x01" + key.encode() + b"\0" for key in keys]
        ours, rival = by_turns(
            lambda: READS / _queries_s(with_host, requests),
            lambda: READS / _gets_s(database, encoded),
            rounds=max(7, setting.rounds),
        )
        database.close()
    finally:
        with_host.close()
    return Measured(
        work=work,
        unit="reads/s",
        ours=ours,
        rival=rival,
        rival_name="bare get",
        ratio_least=least,
    )


def _started(root: Path, replicas: Path) -> Host:
    host = Host(str(root), replicas)
    host.start()
    wait_for(lambda: host.is_ready)
    return host


def _queries_s(host: Host, requests: list[StateQueryRequest[tuple[object, ...] | None]]) -> float:
    query = host.query
    start = time.perf_counter()
    for request in requests:
        found = query(request).only_partition_result()
        if found is None or found.value is None:
            raise BenchError("a key that was written is missing")
    return time.perf_counter() - start


def _gets_s(database: Rdict, keys: list[bytes]) -> float:
    get = database.get
    start = time.perf_counter()
    for key in keys:
        if get(key) is None:
            raise BenchError("a key that was written is missing")
    return time.perf_counter() - start


def scan_to_arrow(setting: Setting) -> Line:
    """Rows per second of a whole partition as Arrow, against bare iteration over bytes."""
    rows = min(ROWS, setting.keys)
    path = setting.directory / "scanned"
    partition = RocksPartition(path, schema=SCHEMA, partition=0)
    partition.apply(progress(), log_batches(setting.table.slice(0, rows)))
    partition.close()
    # Two copies, since a process opens a database once; both sides read from files.
    bare = setting.directory / "scanned-bare"
    shutil.copytree(path, bare)
    database = bare_database(bare)
    partition = RocksPartition(path, schema=SCHEMA, partition=0)
    replica = Replica(partition, schema=SCHEMA, partition=0)
    store = LocalStore(SCHEMA, {0: replica})
    try:
        ours, rival = by_turns(
            lambda: rows / _scan_s(store, rows),
            lambda: rows / _iterate_s(database, rows),
            rounds=max(7, setting.rounds),
        )
    finally:
        store.close()
        database.close()
    return Measured(
        work=f"scan of {rows:,} rows to Arrow",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="bare iteration",
        ratio_least=0.5,
    )


def _scan_s(store: LocalStore, rows: int) -> float:
    start = time.perf_counter()
    result = store.query_partition(0, RangeQuery())
    if not isinstance(result, Success):
        raise BenchError(result.message)
    found = sum(batch.num_rows for batch in result.value)
    elapsed_s = time.perf_counter() - start
    if found != rows:
        raise BenchError(f"{found} rows of {rows} were read")
    return elapsed_s


def _iterate_s(database: Rdict, rows: int) -> float:
    start = time.perf_counter()
    found = sum(1 for _ in database.items())
    elapsed_s = time.perf_counter() - start
    if found != rows + 2:
        raise BenchError(f"{found} entries for {rows} rows and two records")
    return elapsed_s


def restore(setting: Setting) -> Line:
    """Rows per second into an empty replica: from a snapshot's file, against the epoch."""
    rows = min(ROWS, setting.keys)
    epochs, snapshots = setting.directory / "restore-epochs", setting.directory / "restore"
    write_log(setting, epochs, rows)
    shutil.copytree(epochs, snapshots)
    write_snapshot(snapshots, SCHEMA.name, scratch=setting.directory)
    counter = itertools.count()

    def run(root: Path) -> float:
        return rows / _restore_s(root, setting.directory / f"restored-{next(counter)}", rows)

    ours, rival = by_turns(
        lambda: run(snapshots), lambda: run(epochs), rounds=max(5, setting.rounds)
    )
    return Measured(
        work=f"restore {rows:,} rows from a snapshot",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="applying the epoch",
    )


def _restore_s(root: Path, path: Path, rows: int) -> float:
    engine = RocksPartition(path, schema=SCHEMA, partition=0)
    replica = Replica(engine, schema=SCHEMA, partition=0)
    store = LocalStore(SCHEMA, {0: replica}, log=StoreLog.open(root, SCHEMA.name))
    start = time.perf_counter()
    if not store.follow():
        raise BenchError(str(replica.error))
    elapsed_s = time.perf_counter() - start
    _scan_s(store, rows)
    store.close()
    shutil.rmtree(path)
    return elapsed_s


def write_log(setting: Setting, root: Path, rows: int) -> None:
    """Write the first rows as one epoch of a store with one partition."""
    position = Position.of({"visits": {0: rows}})
    StoreWriter(root, SCHEMA).write(setting.table.slice(0, rows), position=position)


def wait_for(ready: Callable[[], bool]) -> None:
    """Wait until a host is ready.

    Raises:
        BenchError: it is not ready in time.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not ready():
        if time.monotonic() > deadline:
            raise BenchError("the replicas were not ready in time")
        time.sleep(0.01)
