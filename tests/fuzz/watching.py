"""Checks of a gateway process that must hold whatever is sent to it."""

from __future__ import annotations

import contextlib
import os
import re
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.rows import TupleRow

from tests.fuzz.world import write_world
from tests.support.gateway import Gateway, running_gateway

PROBE = "SELECT note FROM notes WHERE sample = %s AND number = %s"
MEMORY_GROWN_MAX = 400 << 20
"""Accepted growth in bytes: caches fill, and glibc keeps freed memory."""
_WRONG_IN_LOG = re.compile(r"Traceback|internal error|never awaited|Exception ignored")
_CONNECTIONS = re.compile(rb'^stategate_connections\{protocol="postgres"\} (\d+)', re.MULTILINE)
SETTLE_S = 10.0


@dataclass(slots=True)
class Watched:
    """A gateway process, and a client that looks up a key again and again."""

    gateway: Gateway
    log: Path
    probe: psycopg.Connection[TupleRow]
    _read: int = 0
    _files: int = field(init=False)
    _bytes: int = field(init=False)

    def __post_init__(self) -> None:
        self.lookup()
        self._files, self._bytes = self.files(), self.memory_bytes()

    @property
    def pid(self) -> int:
        """Return the process id of the gateway."""
        return self.gateway.process.pid

    def lookup(self) -> float:
        """Look up a key; return the seconds it took.

        Raises:
            AssertionError: the answer is wrong.
            psycopg.Error: there was no answer.
        """
        began = time.perf_counter()
        row = self.probe.execute(PROBE, (1, -1)).fetchone()
        took = time.perf_counter() - began
        assert row == ("note -1",), f"the probe got  {row}"
        return took

    def files(self) -> int:
        """Return the number of open files and sockets."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def memory_bytes(self) -> int:
        """Return the resident memory of the process and its children, in bytes."""
        return sum(_resident_bytes(pid) for pid in family(self.pid))

    def logged(self) -> str:
        """Return new text of its log."""
        with self.log.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        self._read += len(data)
        return data.decode(errors="replace")

    def wrong(self) -> str | None:
        """Return a present fault: an ended process, an unanswered probe, a traceback."""
        try:
            self.lookup()
        except (AssertionError, psycopg.Error) as error:
            return f"a lookup on another connection failed: {error}\n{self.logged()[-3000:]}"
        logged = self.logged()
        found = _WRONG_IN_LOG.search(logged)
        return None if found is None else f"the log: {logged[max(0, found.start() - 300) :][:4000]}"

    def left_behind(self) -> str | None:
        """Return a fault that shows after all clients left: kept connections, files or memory."""
        deadline = time.monotonic() + SETTLE_S
        while (kept := self._kept()) is not None and time.monotonic() < deadline:
            time.sleep(0.1)
        return kept

    def _kept(self) -> str | None:
        url = f"{self.gateway.http_url}/metrics"
        with urllib.request.urlopen(url, timeout=5) as response:
            count = _CONNECTIONS.search(response.read())
        if count is not None and int(count[1]) > 1:
            return f"{count[1].decode()} connections are open, and one is the probe's"
        if (files := self.files()) > self._files + 16:
            return f"{files} files are open, and at first there were {self._files}"
        if (grown := self.memory_bytes() - self._bytes) > MEMORY_GROWN_MAX:
            return f"its memory has grown by {grown >> 20} MiB"
        return None


@contextlib.contextmanager
def watched_gateway(directory: Path, *arguments: str) -> Iterator[Watched]:
    """Run a gateway over the world, watched."""
    root = directory / "root"
    write_world(root)
    with (
        running_gateway(root, directory, arguments=arguments) as gateway,
        psycopg.connect(gateway.pg_dsn, autocommit=True) as probe,
    ):
        # A prepared lookup runs on the event loop; nothing else should delay it.
        probe.prepare_threshold = 0
        yield Watched(gateway, directory / "gateway.log", probe)


def kind_of(wrong: str) -> str:
    """Return the first exception of a traceback, or the beginning of the text, without numbers."""
    raised = [line for line in wrong.splitlines() if re.match(r"[\w.]*(Error|Exception)\b", line)]
    shown = raised[0] if raised else wrong.splitlines()[0]
    return re.sub(r"0x[0-9a-f]+|\d+|b'.*", "0", shown)[:80]


def family(pid: int) -> list[int]:
    """Return the ids of a process and all its descendants."""
    found = [pid]
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text().split()
            for child in children:
                found += family(int(child))
    return found


def _resident_bytes(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/statm").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")
