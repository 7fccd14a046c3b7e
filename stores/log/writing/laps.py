"""The time of each phase of an epoch."""

from __future__ import annotations

import time


class Laps:
    """Measures phases that follow each other: each ends where the next begins."""

    def __init__(self) -> None:
        self._began_s = time.perf_counter()
        self.seconds: dict[str, float] = {}
        """Phase → its time so far, in the order in which the phases first ended."""

    def lap(self, phase: str) -> None:
        """End a phase; the next one begins."""
        now_s = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now_s - self._began_s
        self._began_s = now_s
