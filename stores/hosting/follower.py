"""Follows the log of a host: finds new stores and epochs, and applies them.

Each look at a store is a piece of work of a relay (see `stategate.stores.hosting.relay`), as are
those at the heads and at the names in the log. So a thread of its own looks at a store whose files
hang, and no other one until that returns. The other stores go on.
"""

from __future__ import annotations

import datetime
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from stategate.stores.errors import LogError, SchemaError, StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.open_stores import OpenStores
from stategate.stores.hosting.relay import ASIDE_S, Relay, Turn
from stategate.stores.hosting.schedule import Head, Schedule, local_pace, remote_pace
from stategate.stores.log.metadata.heads import HeadWatch
from stategate.stores.spec.store import ReplicaState

_logger = logging.getLogger(__name__)

LOCAL_STILL_S, REMOTE_STILL_S = 10.0, 60.0
"""How long a thread may stand still until its store counts as one that cannot be followed. A busy
disk takes seconds to sync, and a slow object store is asked again for a while."""
_REFRESH_S = 1.0
"""The least time between two readings of a store's definition, and between two searches."""
_HINTS_MAX = 10_000
"""Hints that wait for the next step; more than that push out the oldest."""
_END_S = 10.0
"""How long a start that has failed waits for its threads."""
_BACKOFF_S = 0.5
"""Pause while the heads cannot be read."""
_HEADS, _SEARCH = "/heads", "/search"
"""Work that is of no store: no name of one begins like these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What came of a piece of work."""

    value: Any = None
    """What the work returned, if it did not fail."""
    error: str | None = None
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at a store has found."""

    has_news: bool
    head: Head


class _TakenOverError(Exception):
    """Another thread has gone on with the loop meanwhile."""


class Follower:
    """Follows all stores of a log.

    The schedule belongs to the thread whose turn it is. A thread that has stepped aside touches
    only its store, and leaves what came of it for the others.

    Args:
        stores: the open stores.
        poll_s: pause between two looks at a store that changes, in seconds.
        failed: called with an error that ends it.
    """

    def __init__(
        self, stores: OpenStores, *, poll_s: float, failed: Callable[[Exception], None]
    ) -> None:
        self._open, self._failed = stores, failed
        self._is_local = stores.log.heads.directory.local
        self._watch = HeadWatch(stores.log.heads)
        self._schedule = Schedule((local_pace if self._is_local else remote_pace)(poll_s))
        self._relay = Relay(
            self._loop,
            failed=self._fail,
            stands_still=self._stands_still,
            still_s=LOCAL_STILL_S if self._is_local else REMOTE_STILL_S,
        )
        self._due: deque[str] = deque()
        self._returned: deque[tuple[str, _Done]] = deque()
        """What came of work that was done aside."""
        self._long: set[str] = set()
        """Work that took long the last time."""
        self._hung: set[str] = set()
        """Stores whose threads stand still, or did when they were last looked at."""
        self._errors: dict[str, str] = {}
        """The errors of the last looks, by store or other work."""
        self._announced: dict[str, int | None] = {}
        """The epochs of heads, as they were last read."""
        self._refreshed_s: dict[str, float] = {}
        self._searched_s = self._search_s = self._heads_s = float("-inf")
        self._hints: deque[str] = deque(maxlen=_HINTS_MAX)
        self._hinted = threading.Event()
        self._unopened: set[str] = {_SEARCH}
        """The work of the start that is not done, and does not stand still."""
        self._opened = threading.Event()
        self._is_following = False
        """Whether looks apply epochs; until then they only open stores."""
        self._fatal: str | None = None
        """Why the start has failed."""

    @property
    def error(self) -> str | None:
        """The reason why it does not follow the whole log; None if it does."""
        errors = [text for _, text in sorted(self._errors.items())]
        if self._open.error is not None:
            errors.append(self._open.error)
        return "; ".join(dict.fromkeys(errors)) or None

    def start(self) -> None:
        """Open all stores of the log, in threads that `follow` lets follow them.

        A store whose files hang is not waited for longer than it takes to notice that.

        Raises:
            StoreError: a database cannot be opened.
        """
        self._relay.start()
        self._opened.wait()
        if self._fatal is not None:
            self._relay.stop(timeout_s=_END_S)
            raise StoreError(self._fatal)

    def follow(self) -> None:
        """Begin to apply epochs."""
        self._is_following = True
        for name in self._open.candidates:
            self.wake(name)

    def stop(self, *, timeout_s: float) -> frozenset[str]:
        """End following; return the stores whose threads stand still, or have not ended in time."""
        self._relay.begin_to_stop()
        self._hinted.set()
        left = self._relay.stop(timeout_s=timeout_s)
        return left - {_HEADS, _SEARCH}

    def wake(self, store: str) -> None:
        """Look at a store in the next step, and often from then on. Safe from any thread."""
        self._hints.append(store)
        self._hinted.set()

    def _fail(self, error: Exception) -> None:
        self._fatal = str(error)
        self._opened.set()
        self._failed(error)

    def _loop(self, turn: Turn) -> None:
        try:
            while turn.is_active and not self._relay.is_stopping:
                pause_s = self._step(turn)
                if pause_s > 0 and self._hinted.wait(pause_s):
                    self._hinted.clear()
        except _TakenOverError:
            return

    def _step(self, turn: Turn) -> float:
        """Look at all stores that it is time for, and apply at most one epoch of each.

        Returns:
            How long to wait until the next step, in seconds.
        """
        now = time.monotonic()
        self._take_returned(now)
        if self._is_following:
            self._wake_changed(turn, now)
        if now >= self._search_s:
            self._search(turn, now)
        if not self._due:
            self._due.extend(self._schedule.due(now))
        has_news = False
        while self._due and not self._relay.is_stopping:
            name = self._due.popleft()
            done = self._do(turn, name, partial(self._look, name))
            if done is not None:
                has_news = self._looked(name, done) or has_news
        return 0.0 if has_news else self._schedule.pace.pause_min_s

    def _do(self, turn: Turn, work: str, step: Callable[[], Any]) -> _Done | None:
        """Do a piece of work, and return what came of it; None if a thread is aside with it.

        Raises:
            _TakenOverError: it took so long that another thread goes on.
        """
        if self._relay.has_aside(work):
            return None
        self._relay.begin(turn, work, aside=work in self._long)
        done = self._done(turn, work, step)
        if not self._relay.end(turn):
            self._returned.append((work, done))
            self._hinted.set()
            raise _TakenOverError
        self._note(work, done)
        return done

    def _done(self, turn: Turn, work: str, step: Callable[[], Any]) -> _Done:
        try:
            value = step()
        except Exception as error:  # it must not keep the others from being done
            if self._errors.get(work) != str(error):
                is_planned = isinstance(error, StoreError)
                _logger.warning(
                    "following the log failed error=%s",
                    error,
                    exc_info=None if is_planned else error,
                )
            text = str(error) or type(error).__name__
            return _Done(error=text, took_s=self._relay.took_s(turn))
        return _Done(value=value, took_s=self._relay.took_s(turn))

    def _note(self, work: str, done: _Done) -> None:
        if done.error is None:
            self._errors.pop(work, None)
        else:
            self._errors[work] = done.error
        if done.took_s < ASIDE_S:
            self._long.discard(work)
        else:
            self._long.add(work)
        if work in self._hung:
            self._hung.discard(work)
            self._open.note_hung(work, None)
        self._note_opened(work)

    def _note_opened(self, work: str) -> None:
        self._unopened.discard(work)
        if not self._unopened:
            self._opened.set()

    def _take_returned(self, now: float) -> None:
        while self._returned:
            work, done = self._returned.popleft()
            self._note(work, done)
            if work == _SEARCH:
                self._searched(now)
            elif work == _HEADS:
                self._take_changed(done, now)
            else:
                self._announced.pop(work, None)
                self._schedule.wake(work, now)

    # The heads, and the list of stores

    def _wake_changed(self, turn: Turn, now: float) -> None:
        if now >= self._heads_s:
            done = self._do(turn, _HEADS, self._watch.changed)
            if done is not None:
                self._take_changed(done, now)
        while self._hints:
            name = self._hints.popleft()
            if name in self._schedule.stores:
                self._schedule.wake(name, now)
            else:
                # It may be a new store. Only a listing shows whether there is one of that name.
                self._search_s = min(self._search_s, self._searched_s + _REFRESH_S)

    def _take_changed(self, done: _Done, now: float) -> None:
        if done.error is not None:
            self._heads_s = now + _BACKOFF_S
        for name in done.value or ():
            self._announced.pop(name, None)
            self._schedule.wake(name, now)
            if not self._open.are_known:
                self._search_s = now

    def _search(self, turn: Turn, now: float) -> None:
        self._searched_s, self._search_s = now, now + self._schedule.pace.search_s
        if self._do(turn, _SEARCH, self._list) is not None:
            self._searched(now)

    def _list(self) -> None:
        self._open.search()
        if _SEARCH in self._unopened:
            self._unopened |= self._open.candidates

    def _searched(self, now: float) -> None:
        names = self._open.candidates
        self._schedule.keep(names)
        for name in self._errors.keys() - names - {_HEADS, _SEARCH}:
            del self._errors[name]
        for name in sorted(names - self._schedule.stores):
            self._schedule.wake(name, now)

    # A store

    def _look(self, name: str) -> _Look:
        """Look at one store, and apply its next epoch if there is one."""
        if not self._is_following:
            return self._open_first(name)
        now = time.monotonic()
        store = self._open.local.get(name)
        if store is None or now - self._refreshed_s.get(name, float("-inf")) >= _REFRESH_S:
            self._refreshed_s[name] = now
            self._open.refresh(name)
            store = self._open.local.get(name)
        if store is not None and not self._is_local:
            # On a local disk, heads are looked at as often as waiting readers need.
            store.note_waiting = partial(self.wake, name)
        has_news = self._open.follow(name)
        store = self._open.local.get(name)
        return _Look(has_news, Head.AHEAD if store is None or has_news else self._head(name, store))

    def _open_first(self, name: str) -> _Look:
        if name in self._unopened:
            self._refreshed_s[name] = time.monotonic()
            error = self._open.refresh(name)
            if error is not None and not isinstance(error, LogError | SchemaError):
                self._fatal = str(error)
        return _Look(has_news=False, head=Head.AHEAD)

    def _looked(self, name: str, done: _Done) -> bool:
        """Note a look at a store, and return whether an epoch was applied."""
        if name not in self._open.local and not self._open.may_be_store(name):
            # The next search looks whether it has become one.
            self._schedule.keep(self._schedule.stores - {name})
            return False
        look = done.value or _Look(has_news=False, head=Head.AHEAD)
        now = time.monotonic()
        self._schedule.looked(name, now, has_news=look.has_news, head=look.head)
        return bool(look.has_news)

    def _head(self, name: str, store: LocalStore) -> Head:
        """Compare a store's head with the replica that is furthest behind."""
        if name not in self._watch:
            return Head.MISSING
        if self._open.is_moving(name):
            return Head.AHEAD
        if name not in self._announced:
            assert store.log is not None
            self._announced[name] = store.log.announced()
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

    def _stands_still(self, work: str, for_s: float) -> None:
        """Note that the thread of a piece of work stands still, until it returns."""
        since = datetime.datetime.fromtimestamp(time.time() - for_s, datetime.UTC)
        what = "the log" if work in {_HEADS, _SEARCH} else f'store "{work}"'
        why = (
            f"{what} has not been followed since {since:%Y-%m-%d %H:%M:%S} UTC: its files do not "
            "answer"
        )
        _logger.warning("%s", why)
        if work in {_HEADS, _SEARCH}:
            self._errors[work] = why
        else:
            self._hung.add(work)
            self._open.note_hung(work, why)
        self._note_opened(work)
