"""The share of the cores that composing processes take: what is left by lookups.

A statement that computes for seconds and a lookup that needs 50 µs meet on the same cores. The
kernel lets a process of equal priority finish its slice of some milliseconds first.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NICENESS: Final = 10
"""A tenth of the share of the gateway's threads while they want all cores."""


def step_back() -> None:
    """Let other processes of this machine go first, the gateway's event loop above all."""
    os.nice(NICENESS)
    # Where Linux groups processes by session, niceness counts within the session only, and that of
    # the fork server is its own.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))
