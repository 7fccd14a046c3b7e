"""Servers as child processes: started on free ports, awaited, and always stopped."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parent.parent.parent
OUTPUT_SHOWN_MAX = 4000
"""Characters shown from the end of a dead server's output."""


class ServerError(RuntimeError):
    """A server did not start, did not answer in time, or died."""


_INHERITED = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGCHLD", "SIGALRM", "SIGUSR1")


def start_children_with_plain_signals() -> None:
    """Let no process that we start from now on inherit an ignored or blocked signal.

    Under `nohup`, or below a careless starter, we have some, and our children would have them, too:
    one that is asked to end would not. Such a signal still does nothing here: its handler is empty.
    But a program that is started gets the default for each signal that has a handler.
    """
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    for name in _INHERITED:
        number = signal.Signals[name]
        if number in blocked or signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@contextlib.contextmanager
def blocked_signals(*numbers: signal.Signals) -> Iterator[None]:
    """Block signals in this thread; a process that it starts inherits that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process that is killed if the test fails; `Popen` itself would wait for its end."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


_PORTS = range(10_000, 32_000)
"""Below those that a system gives to connections, which could take a port until it is used."""


def free_ports(count: int) -> list[int]:
    """Find free ports, all different because all are held until the last is found."""
    held: dict[int, socket.socket] = {}
    while len(held) < count:
        with contextlib.suppress(OSError):
            port = secrets.choice(_PORTS)
            held[port] = socket.create_server(("127.0.0.1", port))
    for each in held.values():
        each.close()
    return [*held]


def plain_environment(**more: str) -> dict[str, str]:
    """Return our environment without settings of a gateway, which would affect tests."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("STATEGATE_")}
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


def answers(url: str, *, timeout_s: float = 2.0) -> bool:
    """Whether a GET of the URL gives a 2xx status."""
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as response:
            status: int = response.status
            return 200 <= status < 300
    except (urllib.error.URLError, OSError):
        return False


class ServerProcess:
    """Run a server during the `with` block.

    Args:
        command: its argument vector.
        output: file for its output; its end is shown when it fails.
        ready: returns whether it can be used; called repeatedly.
        ready_timeout_s: timeout of becoming ready.
        stop_timeout_s: time to stop before it is killed.
        stop_signal: signal that asks it to stop.
        environment: the whole environment; by default ours without settings of a gateway.
        cwd: working directory; the root of the clone by default.
        user: user to run as, for servers that refuse root; ours by default.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        output: Path,
        ready: Callable[[], bool],
        ready_timeout_s: float = 60.0,
        stop_timeout_s: float = 20.0,
        stop_signal: signal.Signals = signal.SIGTERM,
        environment: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        user: str | None = None,
    ) -> None:
        self._command = list(command)
        self._output = output
        self._ready = ready
        self._ready_timeout_s = ready_timeout_s
        self._stop_timeout_s = stop_timeout_s
        self._stop_signal = stop_signal
        self._environment = plain_environment() if environment is None else dict(environment)
        self._cwd = cwd
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Return the process id of the child."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> ServerProcess:
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._cwd,
                env=self._environment,
                user=self._user,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            self._wait_until_ready(self._process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; return whether it ended in time."""
        assert self._process is not None
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> int:
        """Ask it to stop, and kill it if it does not; return its exit status."""
        process = self._process
        assert process is not None
        if process.poll() is None:
            process.send_signal(self._stop_signal)
        try:
            return process.wait(self._stop_timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait(self._stop_timeout_s)

    def printed(self) -> str:
        """Return the end of its output."""
        return self._output.read_text(errors="replace")[-OUTPUT_SHOWN_MAX:]

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._ready_timeout_s
        while not self._ready():
            if (status := process.poll()) is not None:
                raise ServerError(
                    f"{self._shown()} ended with status {status} before it was ready:\n"
                    f"{self.printed()}"
                )
            if time.monotonic() > deadline:
                raise ServerError(
                    f"{self._shown()} was not ready after {self._ready_timeout_s:.0f} s:\n"
                    f"{self.printed()}"
                )
            time.sleep(0.05)

    def _shown(self) -> str:
        return " ".join(self._command[:6])
