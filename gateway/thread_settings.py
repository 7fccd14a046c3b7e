"""The settings of statement threads."""

from __future__ import annotations

import os

from stategate.gateway.setting_records import setting

COUNT = setting(
    0,
    "Statements that run at once, besides those on the event loop; 0 is two for each core, but "
    "four at least. More than cores, because some wait for the disk; with many more, they take "
    "the cores from lookups, and none ends sooner.",
    unit="threads",
    most=1024,
)
OF_USER_MAX = setting(
    0,
    "Statements of one user that run at once, on one node; 0 is three quarters of `threads`, "
    "and one quarter while other users read. More of one user wait, so that others "
    "find a thread and a core.",
    unit="threads",
    most=1024,
)
QUEUE_MAX = setting(
    1_000,
    "Statements that may wait for a thread; more are refused (53300). As many as connections: "
    "users take turns, so that a long queue delays only its own, while clients that are refused "
    "come back together, which delays everyone.",
    unit="statements",
)
_OF_CORE, _LEAST = 2, 4


def thread_count(threads: int) -> int:
    """Return how many statements run at once by this value of `threads`."""
    return threads or max(_LEAST, _OF_CORE * usable_cores())


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
