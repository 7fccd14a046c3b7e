"""Following a log: what many quiet stores cost a node, and how soon an epoch is visible."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa

from stategate.stores.hosting.host import Host
from stategate.stores.log.files.directory import Directory, Root
from stategate.stores.log.metadata.records import commit_name
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.support.object_storage.buckets import BucketServer
from tests.support.object_storage.s3 import KEYS, s3_server

BUCKET_STORES = 10
REQUESTS_AN_HOUR_MOST = 3_600.0
"""One a second for all stores of a root."""
STORES = 1000
PARTITIONS = 8
IDLE_PERCENT_MOST = 5.0
QUIET_S = 10.0
"""How long no store has changed before the measurement: then each is looked at seldom."""
POLL_S = 0.025
"""The pause of a host by default, and of the rival."""
EPOCHS = 30


def idle(setting: Setting) -> Line:
    """CPU time of a host whose stores do not change, as a share of one core."""
    stores = max(2, min(STORES, setting.keys // 300))
    root = setting.directory / "quiet"
    for number in range(stores):
        _write(StoreWriter(root, _schema(f"s{number:04}", PARTITIONS)), 0)
    seconds = max(setting.seconds, 1.0)

    def ours() -> float:
        with _running(root) as host:
            return _busy_percent(host, seconds)

    def rival() -> float:
        heads = root / "_heads"
        heads.rename(root / ".heads")
        try:
            with _running(root) as host:
                return _busy_percent(host, seconds)
        finally:
            (root / ".heads").rename(heads)

    # A start takes longer than a measurement, so there are no rounds.
    return Measured(
        work=f"idle, {stores:,} stores of {PARTITIONS} partitions",
        unit="% of a core",
        ours=ours(),
        rival=rival(),
        rival_name="a look at each store every 25 ms",
        better=Better.LOWER,
        ours_most=IDLE_PERCENT_MOST,
    )


def requests(setting: Setting) -> Line:
    """Requests to S3 of a host whose stores have not changed for a while."""
    seconds = max(2.0, 4 * setting.seconds)

    def an_hour(server: BucketServer, *, has_heads: bool) -> float:
        root = server.root(f"heads-{has_heads}".lower())
        for number in range(BUCKET_STORES):
            _write(StoreWriter(root, _schema(f"s{number}", PARTITIONS)), 0)
        if not has_heads:
            Directory.at(root).remove("_heads")
        with _running(root):
            time.sleep(4 * QUIET_S if setting.seconds > 1 else 0.1)
            before = len(server.requests)
            time.sleep(seconds)
            return (len(server.requests) - before) * 3_600 / seconds

    server, before = s3_server(), dict(os.environ)
    os.environ.update(KEYS)
    try:
        ours, rival = (an_hour(server, has_heads=each) for each in (True, False))
    finally:
        server.stop()
        os.environ.clear()
        os.environ.update(before)
    return Measured(
        work=f"requests to S3 while idle, {BUCKET_STORES} stores",
        unit="an hour",
        ours=ours,
        rival=rival,
        rival_name="a look at each store every second",
        better=Better.LOWER,
        ours_most=REQUESTS_AN_HOUR_MOST,
    )


def visible(setting: Setting) -> Line:
    """Median time from a committed epoch to the answers that have it, on a local disk.

    The rival only waits for the file of the next commit, and sees nothing of its rows.
    """
    root = setting.directory / "changing"
    writer = StoreWriter(root, _schema("changing", 2))
    _write(writer, 0)
    with _running(root) as host:
        epochs = iter(range(1, 1_000_000))
        ours_ms, rival_ms = by_turns(
            lambda: _visible_ms(writer, host, epochs),
            lambda: _seen_ms(writer, epochs),
            rounds=setting.rounds,
        )
    return Measured(
        work="an epoch committed → answered, median",
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name="a look for the file every 25 ms",
        better=Better.LOWER,
        ratio_least=0.5,
    )


def _schema(name: str, partitions: int) -> StoreSchema:
    return StoreSchema(
        name=name,
        kind=StoreKind.KEYVALUE,
        key=(Column(name="usr", type=DataType.parse("text")),),
        value=(Column(name="n", type=DataType.parse("bigint")),),
        partitions=partitions,
        inputs=(InputTopic(topic="events"),),
    )


def _write(writer: StoreWriter, offset: int) -> None:
    rows = pa.table({"usr": [f"u{number}" for number in range(32)], "n": [offset] * 32})
    writer.write(rows, position=Position.of({"events": {0: offset}}))


@contextmanager
def _running(root: Root) -> Iterator[Host]:
    host = Host(root)
    host.start()
    try:
        deadline = time.monotonic() + 300
        while not host.is_ready:
            if time.monotonic() > deadline:
                raise BenchError(f"the host is not ready: {host.error}")
            time.sleep(0.05)
        yield host
    finally:
        host.close()


def _busy_percent(host: Host, seconds: float) -> float:
    del host
    time.sleep(QUIET_S if seconds > 1 else 0.1)
    cpu_s, began_s = time.process_time(), time.monotonic()
    time.sleep(seconds)
    return 100 * (time.process_time() - cpu_s) / (time.monotonic() - began_s)


def _visible_ms(writer: StoreWriter, host: Host, epochs: Iterator[int]) -> float:
    store, took = host.stores["changing"], []
    for epoch, _ in zip(epochs, range(EPOCHS), strict=False):
        _write(writer, epoch)
        committed_s = time.perf_counter()
        for partition in range(2):
            if not store.wait(partition, PositionBound.at_latest(), timeout_s=10):
                raise BenchError("the epoch was not applied")
        took.append(time.perf_counter() - committed_s)
    return statistics.median(took) * 1000


def _seen_ms(writer: StoreWriter, epochs: Iterator[int]) -> float:
    took = []
    for epoch, _ in zip(epochs, range(EPOCHS), strict=False):
        path = writer.log.directory.join(commit_name(writer.log.latest_epoch() + 1))
        seen_s: list[float] = []
        looking = threading.Thread(target=_look, args=[path, seen_s])
        looking.start()
        _write(writer, epoch)
        committed_s = time.perf_counter()
        looking.join()
        took.append(max(0.0, seen_s[0] - committed_s))
    return statistics.median(took) * 1000


def _look(path: str, seen_s: list[float]) -> None:
    while True:
        with suppress(FileNotFoundError):
            os.stat(path)
            seen_s.append(time.perf_counter())
            return
        time.sleep(POLL_S)
