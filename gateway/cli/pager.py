"""Shows long output in the user's pager, as psql does."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO

DEFAULT_PAGER = "less"
_LESS = "FRSX"
"""`less` ends by itself if all fits, shows colours, cuts long lines, and leaves the text there."""


def pager_command(environment: Mapping[str, str]) -> str:
    """Return the command of the pager: STATEGATE_PAGER, or else PAGER; empty for none."""
    for name in ("STATEGATE_PAGER", "PAGER"):
        if name in environment:
            return environment[name].strip()
    return DEFAULT_PAGER


@contextmanager
def open_pager(command: str) -> Iterator[IO[str]]:
    """Start a pager; at the end of the block, wait until the user leaves it.

    If the user leaves it early, the next write ends the block. Ctrl-C in the block is raised in the
    end; the pager keeps what it has, and Ctrl-C is its own from then on.
    """
    process = subprocess.Popen(
        command,
        shell=True,  # as everywhere: $PAGER has arguments
        stdin=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={"LESS": _LESS, **os.environ},
    )
    assert process.stdin is not None, "it is a pipe"
    try:
        with suppress(BrokenPipeError):
            yield process.stdin
    finally:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        signal.signal(signal.SIGINT, before)
