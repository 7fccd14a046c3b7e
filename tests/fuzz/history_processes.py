"""Processes of a history: a gateway that keeps its ports, and writers whose output is read."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.history_model import History
from tests.support.process import ROOT, answers, free_ports, plain_environment

READY_S = 60.0


def _start(arguments: Sequence[str], output: Path, *, piped: bool) -> subprocess.Popen[bytes]:
    with output.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.planted", str(os.getpid()), *arguments],
            cwd=ROOT,
            env=plain_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if piped else log,
            stderr=log,
        )


@dataclass(slots=True, kw_only=True)
class GatewayProcess:
    """A gateway that can be killed and started again, with the same ports and data."""

    root: Path
    directory: Path
    fault: str = "none"
    pg_port: int = field(init=False)
    http_port: int = field(init=False)
    _process: subprocess.Popen[bytes] | None = None
    _lives: int = 0

    def __post_init__(self) -> None:
        self.pg_port, self.http_port = free_ports(2)

    @property
    def dsn(self) -> str:
        """Connection string of its Postgres wire."""
        return f"postgresql://fuzz@127.0.0.1:{self.pg_port}/stategate?connect_timeout=5"

    @property
    def log(self) -> Path:
        """The file with the output of all its runs."""
        return self.directory / "gateway.log"

    def start(self, *, fresh: bool = False) -> None:
        """Start it; with `fresh`, over empty replicas."""
        self._lives += fresh
        data = self.directory / f"data{self._lives}"
        arguments = [self.fault, "stategate.gateway.main", "serve", "--root", str(self.root)]
        arguments += ["--http", f"127.0.0.1:{self.http_port}", "--data", str(data)]
        arguments += ["--pg", f"127.0.0.1:{self.pg_port}", "--set", "statement_timeout_ms=15000"]
        self._process = _start(arguments, self.log, piped=False)

    def wait_until_ready(self) -> bool:
        """Wait until all its replicas run; return False if it ended, or they do not run in time."""
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and self.alive:
            if answers(f"http://127.0.0.1:{self.http_port}/readyz"):
                return True
            time.sleep(0.05)
        return False

    def why_not_ready(self) -> str:
        """Its own status, and the end of its log, for messages."""
        url = f"http://127.0.0.1:{self.http_port}/readyz"
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                said = response.read()
        except urllib.error.HTTPError as error:
            said = error.read()
        except OSError as error:
            said = str(error).encode()
        return f"{said.decode()[:1000]}\n{self.log.read_text(errors='replace')[-1500:]}"

    @property
    def alive(self) -> bool:
        """Whether the process exists, running or paused."""
        return self._process is not None and self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Send it SIGKILL, SIGSTOP or SIGCONT."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it, and wait for its end."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(30)


@dataclass(slots=True, kw_only=True)
class WriterProcess:
    """A writer whose acknowledgements go to the history as they arrive."""

    root: Path
    directory: Path
    stores: Sequence[str]
    history: History
    pause_s: float
    fault: str = "none"
    refusals: list[str] = field(default_factory=list)
    written: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _reader: threading.Thread | None = None

    def start(self) -> None:
        """Start it."""
        arguments = [self.fault, "tests.fuzz.history_writer", str(self.root), str(self.pause_s)]
        log = self.directory / "writers.log"
        self._process = _start([*arguments, *self.stores], log, piped=True)
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        """Whether the process exists, running or paused."""
        return self._process is not None and self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Pause or continue it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it, and read the rest of its output."""
        self.signal(signal.SIGKILL)
        if self._process is not None and self._reader is not None:
            self._process.wait(30)
            self._reader.join(30)

    def wait_for(self, more: int, *, timeout_s: float) -> bool:
        """Wait for this many more acknowledged writes."""
        wanted = self.written + more
        return waited(lambda: self.written >= wanted or not self.alive, timeout_s)

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            told = json.loads(line)
        except ValueError:
            return  # half a line of a writer that was killed
        if "refused" in told:
            self.refusals.append(f"{told['store']}: {told['refused']}")
        else:
            self.history.acknowledge(
                told["store"], epoch=told["epoch"], stamp=told["stamp"], deleted=told["deleted"]
            )
            self.written += 1


def waited(is_so: Callable[[], bool], timeout_s: float) -> bool:
    """Whether a condition becomes true within a time."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def compacting(root: Path, directory: Path) -> subprocess.Popen[bytes]:
    """Start a compaction that keeps only a few epochs."""
    arguments = [
        "none",
        "stategate.gateway.main",
        "compact",
        "--root",
        str(root),
        "--keep-epochs",
        "5",
    ]
    return _start(arguments, directory / "compact.log", piped=False)


@contextlib.contextmanager
def small_disk(place: Path, *, size_bytes: int, coarse: bool = False) -> Iterator[bool]:
    """Mount a small disk if that is allowed; otherwise make a plain directory.

    Args:
        place: the mount point, which is created.
        size_bytes: size of the disk.
        coarse: whether its timestamps count whole seconds, as on ext4 with small inodes.

    Returns:
        Whether a disk was mounted.
    """
    place.mkdir()
    image = place.parent / "disk.ext4"
    commands = [["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", str(place)]]
    if coarse:
        with image.open("wb") as file:
            file.truncate(size_bytes)
        commands = [
            ["mkfs.ext4", "-q", "-F", "-I", "128", "-m", "0", str(image)],
            ["mount", "-o", "loop", str(image), str(place)],
        ]
    if os.geteuid() != 0:
        yield False
        return
    with _unmounted(place):
        yield all(map(_succeeds, commands))


@contextlib.contextmanager
def _unmounted(place: Path) -> Iterator[None]:
    """Unmount a place when the block or this process ends.

    Another process does it when its input ends, which happens even if this one is killed. It has a
    session of its own, so that no key of the terminal ends it.
    """
    keeper = subprocess.Popen(
        ["sh", "-c", 'cat; exec umount -l "$1"', "sh", str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        keeper.communicate(timeout=30)


def _succeeds(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
