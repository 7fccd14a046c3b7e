"""A store that was rebuilt, until it can answer in the place of the old one."""

from __future__ import annotations

import logging
import threading

from stores.errors import StoreError
from stores.hosting.local_store import LocalStore
from stores.spec.store import ReplicaState

_PAUSE_S = 0.1
"""Pause between two looks at its log if there was no epoch."""
_logger = logging.getLogger(__name__)


class Successor:
    """Follows the log of a rebuilt store in a thread of its own.

    Its first epoch has all rows, which may take minutes. Meanwhile the host's follower goes on with
    the other stores.

    Args:
        store: the rebuilt store; no other thread follows it until `end`.
    """

    def __init__(self, store: LocalStore) -> None:
        self._store = store
        self._stopping = threading.Event()
        name = f"{store.schema.name}-rebuilt"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def has_reached(self, old: LocalStore) -> bool:
        """Whether all its replicas answer, at no older epoch than any of the old store."""
        before = [status.progress.epoch for status in old.statuses().values()]
        now = self._store.statuses().values()
        return all(
            status.state is ReplicaState.RUNNING
            and status.progress.epoch >= max(before, default=-1)
            for status in now
        )

    def end(self) -> LocalStore:
        """Stop following it and return it, for another thread to follow or close."""
        self._stopping.set()
        self._thread.join()
        return self._store

    def _run(self) -> None:
        failed: str | None = None
        while not self._stopping.is_set():
            try:
                has_news = self._store.follow()
            except StoreError as error:
                has_news = False
                if str(error) != failed:
                    failed = str(error)
                    _logger.warning(
                        "rebuilt store cannot be followed store=%s error=%s",
                        self._store.schema.name,
                        error,
                    )
            if not has_news:
                self._stopping.wait(_PAUSE_S)
