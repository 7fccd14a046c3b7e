"""Follows the log of a host: finds new stores and epochs, and applies them. Used by one thread."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from stores.errors import StoreError
from stores.hosting.local_store import LocalStore
from stores.hosting.open_stores import OpenStores
from stores.hosting.schedule import Head, Schedule, local_pace, remote_pace
from stores.log.metadata.heads import HeadWatch
from stores.spec.store import ReplicaState

T = TypeVar("T")
_logger = logging.getLogger(__name__)

_REFRESH_S = 1.0
"""The least time between two readings of a store's definition, and between two searches."""
_HINTS_MAX = 10_000
"""Hints that wait for the next step; more than that push out the oldest."""
_BACKOFF_S = 0.5
"""Pause while the log cannot be read."""


class Follower:
    """Follows all stores of a log.

    Args:
        stores: the open stores.
        poll_s: pause between two looks at a store that changes, in seconds.
    """

    def __init__(self, stores: OpenStores, *, poll_s: float) -> None:
        self._open = stores
        self._failed: str | None = None
        """The last error of a step since the last search of the log."""
        self._is_local = stores.log.heads.directory.local
        self._watch = HeadWatch(stores.log.heads)
        self._schedule = Schedule((local_pace if self._is_local else remote_pace)(poll_s))
        self._announced: dict[str, int | None] = {}
        """The epochs of heads, as they were last read."""
        self._refreshed_s: dict[str, float] = {}
        self._searched_s = self._search_s = float("-inf")
        self._hints: deque[str] = deque(maxlen=_HINTS_MAX)
        self._hinted = threading.Event()

    @property
    def error(self) -> str | None:
        """The reason why it does not follow the whole log; None if it does."""
        return self._failed or self._open.error

    def discover(self) -> list[StoreError]:
        """Open all stores of the log.

        Returns:
            The errors that kept a store, or all of them, from being opened.
        """
        now = time.monotonic()
        errors = self._open.discover()
        self._searched_s, self._search_s = now, now + self._schedule.pace.search_s
        for name in self._open.local:
            self._refreshed_s[name] = now
            self._schedule.wake(name, now)
        return errors

    def wake(self, store: str) -> None:
        """Look at a store in the next step, and often from then on. Safe from any thread."""
        self._hints.append(store)
        self._hinted.set()

    def wait(self, pause_s: float) -> None:
        """Wait this long, or until it is woken."""
        if self._hinted.wait(pause_s):
            self._hinted.clear()

    def interrupt(self) -> None:
        """End `wait`. Safe from any thread."""
        self._hinted.set()

    def step(self, is_stopping: Callable[[], bool]) -> float:
        """Look at all stores that it is time for, and apply at most one epoch of each.

        Returns:
            How long to wait until the next step, in seconds.
        """
        now = time.monotonic()
        self._wake_changed(now)
        if now >= self._search_s:
            self._searched_s, self._search_s = now, now + self._schedule.pace.search_s
            self._search(now)
        has_news = False
        for name in self._schedule.due(now):
            has_news = self._look(name) or has_news
            if is_stopping():
                break
        if self._failed is not None:
            return _BACKOFF_S
        return 0.0 if has_news else self._schedule.pace.pause_min_s

    def _search(self, now: float) -> None:
        self._failed = None
        if (error := self._guarded(self._open.search)) is not None:
            self._failed = str(error)  # the stores have logged it
        names = {*self._open.local, *self._open.unopened}
        self._schedule.keep(names)
        for name in names - self._schedule.stores:
            self._schedule.wake(name, now)

    def _wake_changed(self, now: float) -> None:
        for name in self._guarded(self._watch.changed) or ():
            self._announced.pop(name, None)
            self._schedule.wake(name, now)
            if not self._open.are_known:
                self._search_s = now
        while self._hints:
            name = self._hints.popleft()
            if name in self._schedule.stores:
                self._schedule.wake(name, now)
            else:
                # It may be a new store. Only a listing shows whether there is one of that name.
                self._search_s = min(self._search_s, self._searched_s + _REFRESH_S)

    def _look(self, name: str) -> bool:
        """Look at one store; return whether an epoch was applied."""
        now = time.monotonic()
        store = self._open.local.get(name)
        if store is None or now - self._refreshed_s.get(name, float("-inf")) >= _REFRESH_S:
            self._refreshed_s[name] = now
            self._guarded(lambda: self._open.refresh(name))
            store = self._open.local.get(name)
        if store is not None and not self._is_local:
            # On a local disk, heads are looked at as often as waiting readers need.
            store.note_waiting = partial(self.wake, name)
        has_news = self._guarded(lambda: self._open.follow(name)) is True
        store = self._open.local.get(name)
        head = Head.AHEAD if store is None or has_news else self._head(name, store)
        self._schedule.looked(name, time.monotonic(), has_news=has_news, head=head)
        return has_news

    def _head(self, name: str, store: LocalStore) -> Head:
        """Compare a store's head with the replica that is furthest behind."""
        if name not in self._watch:
            return Head.MISSING
        if self._open.is_moving(name):
            return Head.AHEAD
        if name not in self._announced:
            assert store.log is not None
            self._announced[name] = self._guarded(store.log.announced)
        announced = self._announced[name]
        if announced is None:
            return Head.MISSING
        behind = min(
            (
                status.progress.epoch if status.error is None else -2
                for status in store.statuses().values()
                if status.state is not ReplicaState.CLOSED
            ),
            default=announced,
        )
        return Head.REACHED if behind >= announced else Head.AHEAD

    def _guarded(self, step: Callable[[], T]) -> T | None:
        """Run a step, which must not keep the others from being run."""
        try:
            return step()
        except Exception as error:
            if self._failed != str(error):
                is_planned = isinstance(error, StoreError)
                _logger.warning(
                    "following the log failed error=%s",
                    error,
                    exc_info=None if is_planned else error,
                )
            self._failed = str(error)
            return None
