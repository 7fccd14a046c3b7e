"""Reads the newest epoch in each store's log, with a time limit: a file system may hang."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

logger = logging.getLogger(__name__)

LOG_WAIT_S: Final = 2.0
"""How long a scrape waits for the epochs: Prometheus gives up after 10 s."""
LOG_FRESH_S: Final = 60.0
"""Maximum age of a reported epoch; scrapes are rarely a minute apart."""


class FollowedStore(Protocol):
    """A store that follows a log."""

    def committed_epoch(self) -> int:
        """Return the newest epoch in the log. May block; raises if the log cannot be read."""


class CommittedEpochs:
    """The newest epoch in each store's log, read in a separate thread, which may hang.

    A log may be on a file system that is slow or gone. A caller gets the known epochs after a time
    limit, and only one thread reads at a time.

    Args:
        wait_s: time limit of a caller.
        clock: monotonic, in seconds.
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
        """Return the epochs by store; omit stores whose log could not be read in time."""
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
        except Exception as error:  # the outermost call of this thread; file systems raise anything
            self._known.pop(name, None)
            if name not in self._failing:
                self._failing.add(name)
                logger.warning("log cannot be read for metrics, store=%s, error=%s", name, error)
        else:
            self._failing.discard(name)
