"""A gateway that was killed: seconds from the start of its process to a lookup."""

from __future__ import annotations

import json
import shutil
import signal
import statistics
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stategate.stores.engines.rocksdb.unflushed import PAUSE_S
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured
from tests.bench.setting import RESTORE_TIMEOUT_S, Setting
from tests.support.gateway import Gateway, running_gateway

EPOCHS = 200
LOOKUP_S_MOST = 3.0


def killed(setting: Setting) -> Line:
    """Seconds from the start of a killed gateway to a lookup, with and without its own data."""
    return _line(setting, "killed", epochs=EPOCHS)


def killed_after_snapshot(setting: Setting) -> Line:
    """The same with a snapshot of the store in the log."""
    return _line(setting, "killed-after-snapshot", epochs=EPOCHS // 10, snapshot=True)


def _line(setting: Setting, name: str, *, epochs: int, snapshot: bool = False) -> Line:
    root, keys = setting.directory / name / "log", setting.keys
    replicas = setting.directory / name / "replicas"
    _write(root, keys, epochs)
    if snapshot:
        write_snapshot(root, data.STORE)
    with _started(root, replicas) as (gateway, _):
        # Its databases are flushed in turns.
        time.sleep(2 * PAUSE_S)
        gateway.process.signal(signal.SIGKILL)

    def restarted() -> float:
        with _started(root, replicas) as (gateway, took_s):
            gateway.process.signal(signal.SIGKILL)
        return took_s

    # Ours comes first, since the rival needs no databases.
    ours_s = statistics.median(restarted() for _ in range(setting.rounds))
    shutil.rmtree(replicas)
    return Measured(
        work=f"killed, then a lookup, {keys:,} keys" + (" with a snapshot" if snapshot else ""),
        unit="s",
        ours=ours_s,
        rival=restarted(),
        rival_name="replicas are gone",
        better=Better.LOWER,
        ours_most=LOOKUP_S_MOST,
    )


def _write(root: Path, keys: int, epochs: int) -> None:
    """Write the rows in epochs, each with keys of all the range."""
    table, writer = data.rows(keys), StoreWriter(str(root), data.SCHEMA)
    for epoch in range(epochs):
        rows = table.take(list(range(epoch, keys, epochs)))
        writer.write(rows, position=Position.of({"visits": {0: epoch}}))


@contextmanager
def _started(root: Path, replicas: Path) -> Iterator[tuple[Gateway, float]]:
    """Yield a gateway, and the seconds until its first lookup."""
    began_s = time.monotonic()
    with running_gateway(
        root,
        root.parent,
        arguments=["--data", str(replicas)],
        ready_timeout_s=RESTORE_TIMEOUT_S,
    ) as gateway:
        sql = f"SELECT id FROM {data.STORE} WHERE id = '{data.FIRST_KEY}'"
        request = urllib.request.Request(
            f"{gateway.http_url}/v1/query",
            data=json.dumps({"sql": sql}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found = json.load(answer)["rows"]
        if found != [[str(data.FIRST_KEY)]]:
            raise BenchError(f"the lookup found {found}")
        yield gateway, time.monotonic() - began_s
