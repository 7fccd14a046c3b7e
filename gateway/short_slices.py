"""Turns of the event loop at a core: short ones, which the kernel grants sooner."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_SLICE_NS = 100_000
"""The least that the kernel grants: two lookups."""
_RESET_ON_FORK = 1
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""The number of the system call, for which Python has no function, by machine."""


def take_short_slices() -> None:
    """Ask the kernel for short turns at a core for this thread, which then come sooner.

    Threads and processes that it starts do not inherit them. Linux has this since 6.12; elsewhere
    nothing happens.
    """
    number = _SCHED_SETATTR.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None:
        return
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    # sched_attr: its size, policy, flags, niceness, real-time priority, slice, deadline, period
    asked = struct.pack(
        "IIQiIQQQ", 48, os.SCHED_OTHER, _RESET_ON_FORK, niceness, 0, _SLICE_NS, 0, 0
    )
    ctypes.CDLL(None).syscall(number, 0, ctypes.create_string_buffer(asked), 0)
