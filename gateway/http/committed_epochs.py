"""The newest epoch in the log of each store, for who cannot wait for a file system that hangs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

logger = logging.getLogger(__name__)

LOG_WAIT_S: Final = 2.0
"""How long an answer waits for epochs that are being read: Prometheus gives up after 10 s."""
LOG_FRESH_S: Final = 60.0
"""A committed epoch that was read longer ago is not told; scrapes are seldom a minute apart."""


class FollowedStore(Protocol):
    """A store with a log that it follows."""

    def committed_epoch(self) -> int:
        """The newest epoch in the log; raises if that cannot be read, and may block."""


class CommittedEpochs:
    """The newest epoch in the log of each store, read in a thread that may hang without harm.

    A log may be on a file system that is slow or gone. Whoever asks gets what is known after a
    while, and it is never read twice at once.

    Args:
        wait_s: how long who asks waits.
        clock: seconds, monotonic.
    """

    def __init__(
        self, *, wait_s: float = LOG_WAIT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, float]] = {}
        self._failing: set[str] = set()
        self._done: threading.Event | None = None

    def read(self, stores: Mapping[str, FollowedStore]) -> dict[str, int]:
        """By name; without the stores whose log could not be read, or not in time."""
        with self._lock:
            done = self._done
            if done is None or done.is_set():
                done = threading.Event()
                threading.Thread(
                    target=self._read_all, args=(stores, done), name="read-epochs", daemon=True
                ).start()
                self._done = done
        done.wait(self._wait_s)
        oldest_s = self._clock() - LOG_FRESH_S
        known = ((name, self._known.get(name)) for name in stores)
        return {name: each[0] for name, each in known if each is not None and each[1] >= oldest_s}

    def _read_all(self, stores: Mapping[str, FollowedStore], done: threading.Event) -> None:
        try:
            for name, store in stores.items():
                self._read_one(name, store)
            for name in self._known.keys() - stores.keys():
                del self._known[name]
            self._failing &= stores.keys()
        finally:
            done.set()

    def _read_one(self, name: str, store: FollowedStore) -> None:
        try:
            self._known[name] = (store.committed_epoch(), self._clock())
        except Exception as error:  # the outermost loop of this thread; file systems raise anything
            self._known.pop(name, None)
            if name not in self._failing:
                self._failing.add(name)
                logger.warning("log cannot be read for metrics, store=%s, error=%s", name, error)
        else:
            self._failing.discard(name)
