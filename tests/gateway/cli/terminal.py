"""A program in a terminal of its own, for tests that type and read."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.process import ROOT, plain_environment
from tests.support.waiting import WAIT_S

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")
_LAUNCH = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
fcntl.ioctl(0, termios.TIOCSWINSZ, b"\\x18\\0\\x64\\0\\0\\0\\0\\0")
os.execv(sys.executable, [sys.executable, "-m", "stategate.gateway.main", *sys.argv[1:]])
"""
"""Makes the terminal the process's own, so that it gets Ctrl-C; 24 lines of 100 columns."""


class Terminal:
    """What a user sees and types."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self._descriptor, self.process = descriptor, process
        self._seen = ""

    def type(self, text: str) -> None:
        """Type a text; `\x03` is Ctrl-C, and `\r` Enter."""
        os.write(self._descriptor, text.encode())

    def expect(self, pattern: str) -> str:
        """Wait until a pattern appears; return what came up to its end, and forget it."""
        deadline_s = time.monotonic() + 2 * WAIT_S
        while (found := re.search(pattern, self._seen)) is None:
            ready, _, _ = select.select([self._descriptor], [], [], 0.2)
            assert time.monotonic() < deadline_s, f"{pattern!r} is not in {self._seen!r}"
            if ready:
                read = os.read(self._descriptor, 65_536).decode(errors="replace")
                self._seen = _ESCAPE.sub("", self._seen + read)
        came, self._seen = self._seen[: found.end()], self._seen[found.end() :]
        return came

    def enter(self, line: str) -> None:
        """Wait for the prompt, and enter a line."""
        self.expect("stategate=>")
        self.type(line + "\r")


@contextmanager
def terminal(*arguments: str, **environment: str) -> Iterator[Terminal]:
    """Run `stategate` in a new terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, *arguments],
        cwd=ROOT,
        env=plain_environment(TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1", **environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait(WAIT_S)
        os.close(ours)
