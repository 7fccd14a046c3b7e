"""A real gateway process that serves a store, and a client that watches its latency."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pyarrow as pa

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.lookups import looking_up
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S

ROOT = Path(__file__).parents[2]
PEOPLE = keyvalue("people", {"name": "text"}, {"age": "integer", "seen": "timestamptz"})


class RealGateway:
    """`stategate serve` over a directory with one store, `people`.

    Args:
        directory: an empty one.
        settings: each is `NAME=VALUE`.
        log: a file for its log; None for a pipe.
    """

    def __init__(self, directory: Path, *settings: str, log: Path | None = None) -> None:
        names = [f"n{number}" for number in range(1_000)]
        rows = pa.table(
            {
                "name": names,
                "age": pa.array(range(1_000), pa.int32()),
                "seen": pa.array(range(1_000), pa.timestamp("us", "UTC")),
            }
        )
        root = directory / "log"
        StoreWriter(str(root), PEOPLE).write(rows, position=Position.of({"events": {0: 1}}))
        options = [part for each in settings for part in ("--set", each)]
        addresses = ["--http", "127.0.0.1:0", "--pg", "127.0.0.1:0"]
        with ExitStack() as stack:
            err = subprocess.PIPE if log is None else stack.enter_context(log.open("w"))
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "stategate.gateway.main",
                    "serve",
                    "--root",
                    str(root),
                    *addresses,
                    *options,
                ],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=err,
                text=True,
            )
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(2)]
        ports = {line.split()[1]: int(line.rpartition(":")[2]) for line in lines if ":" in line}
        self.port, self.http_port = ports.get("Postgres", 0), ports.get("HTTP", 0)

    @property
    def dsn(self) -> str:
        """Return its connection string."""
        return f"host=127.0.0.1 port={self.port} user=u dbname=stategate"

    def connect(self, user: str = "u") -> psycopg.Connection:
        """Open a session; statements commit by themselves."""
        return psycopg.connect(self.dsn, autocommit=True, user=user)

    def wait_until_ready(self) -> None:
        """Wait until the store and the catalog answer."""
        with self.connect() as session:
            until = time.monotonic() + WAIT_S
            while session.execute(
                "SELECT count(*) FROM stategate.partitions WHERE epoch >= 0"
            ).fetchone() != (PEOPLE.partitions,):
                assert time.monotonic() < until
                time.sleep(0.01)  # nothing signals it
            session.execute("SELECT count(*) FROM pg_class")

    def family(self) -> Sequence[int]:
        """Return the ids of its process and of all descendants."""
        return family_of(self.process.pid)

    def __enter__(self) -> RealGateway:
        self.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.end()

    def end(self, number: signal.Signals = signal.SIGTERM) -> float:
        """Send a signal; return the seconds until the process has ended."""
        begun = time.monotonic()
        self.process.send_signal(number)
        try:
            self.process.communicate(timeout=3 * WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return time.monotonic() - begun


class Watcher:
    """Looks up keys as another client and records memory, until the block ends."""

    def __init__(self, gateway: RealGateway) -> None:
        self._gateway = gateway
        self._stop = threading.Event()
        self.memory_bytes_max = 0
        self._weighing = threading.Thread(target=self._weigh)
        self._stack = ExitStack()

    def __enter__(self) -> Watcher:
        sql = "SELECT age FROM people WHERE name = 'n7'"
        client = looking_up(self._gateway.dsn, self._gateway.process.pid, sql)
        self.lookups = self._stack.enter_context(client)
        self._weighing.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._weighing.join()
        self._stack.close()
        assert self.lookups.wrong is None

    def _weigh(self) -> None:
        while not self._stop.wait(0.02):
            sizes = map(resident_bytes, self._gateway.family())
            self.memory_bytes_max = max(self.memory_bytes_max, *sizes)


def resident_bytes(pid: int) -> int:
    """Return the anonymous memory of a process; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(
        int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("RssAnon:")
    )


def family_of(pid: int) -> Sequence[int]:
    """Return the ids of a process and of all descendants."""
    found, parents = {pid}, _parents()
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def parent_of(pid: int) -> int:
    """Return the process that started another."""
    return _parents()[pid]


def _parents() -> dict[int, int]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = int(path.read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue
    return found


def is_gone(pid: int) -> bool:
    """Wait until a process that is not ours has ended; False if it does not."""
    until = time.monotonic() + 3 * WAIT_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)  # nothing signals it
    return False
