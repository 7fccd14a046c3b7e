"""Measure how long a call holds the interpreter, whatever else the machine does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path


def longest_hold_s(call: Callable[[], object]) -> float:
    """Return the longest time that a call computes while another thread waits for the interpreter.

    It is processor time of this thread, so time given to other processes does not count. Time in
    which the waiting thread itself was delayed is subtracted.
    """
    clock = time.pthread_getcpuclockid(threading.get_ident())
    done = threading.Event()
    held_s = [0.0]

    def look() -> None:
        delays = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        computed, late_s = time.clock_gettime(clock), _late_s(delays)
        while not done.is_set():
            time.sleep(0.0002)
            now, later_s = time.clock_gettime(clock), _late_s(delays)
            held_s.append(now - computed - (later_s - late_s))
            computed, late_s = now, later_s

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        call()
    finally:
        done.set()
        watcher.join()
    return max(held_s)


def _late_s(delays: Path) -> float:
    """Return the seconds that a thread was ready to run and had no processor."""
    return int(delays.read_text().split()[1]) / 1e9
