"""What was done to the stores and gateways of a run, and when: it explains errors of readers."""

from __future__ import annotations

import math
import threading
from collections import Counter
from time import monotonic as now_s

LAG_S = 45.0
"""How long after a change of a store nodes may go on to change over to it."""


class Changes:
    """Remembers changes of definitions, stores that were made anew, and lost gateways.

    Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended_s: dict[str, float] = {}
        self._lost_s = -math.inf
        self._anew: Counter[str] = Counter()
        self._made_s: dict[str, float] = {}

    def begin(self, store: str) -> None:
        """Note that a store is about to be changed."""
        with self._lock:
            self._ended_s[store] = math.inf

    def end(self, store: str) -> None:
        """Note that the change has ended."""
        with self._lock:
            self._ended_s[store] = ended_s = now_s()
            if self._made_s.get(store) == math.inf:
                self._made_s[store] = ended_s

    def make_anew(self, store: str) -> None:
        """Note that a store is about to be removed: its positions begin again."""
        with self._lock:
            self._anew[store] += 1
            self._made_s[store] = math.inf

    def lose(self) -> None:
        """Note that a gateway is disturbed, or has come back."""
        with self._lock:
            self._lost_s = now_s()

    def made_anew(self, store: str) -> int:
        """Return how often a store was made anew."""
        with self._lock:
            return self._anew[store]

    def concern(self, store: str, since_s: float) -> bool:
        """Whether a store may have changed since then at a gateway."""
        with self._lock:
            return self._ended_s.get(store, -math.inf) + LAG_S >= since_s

    def is_being_made(self, store: str, at_s: float) -> bool:
        """Whether a store that was removed may still be missing at a gateway."""
        with self._lock:
            return self._made_s.get(store, -math.inf) + LAG_S >= at_s

    def lost_since(self, since_s: float) -> bool:
        """Whether a gateway was disturbed since then."""
        with self._lock:
            return self._lost_s + LAG_S >= since_s
