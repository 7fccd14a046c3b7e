"""Waits for bounds at other nodes, which many callers share."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from stategate.stores.errors import StoreError, TooManyWaitersError
from stategate.stores.nodes.links import Link, NodeError, Replied
from stategate.stores.nodes.messages import Met, WaitForBound
from stategate.stores.spec.store import OnBound, Waiting

logger = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)

MEMBERS_MAX = 100_000
"""Maximum number of callers that share a wait: as many as may wait for one replica."""
AGAIN_S = 0.5
"""Pause before it is waited again for a node that was lost, or for the one in its place."""
_CHANCES = 4
"""How often a wait begins again that has lost its last node: one that restarts is soon back."""

BeginWait: TypeAlias = Callable[[OnBound], Waiting]
"""Begins to wait at one node."""


def wait_at(link: Link, request: WaitForBound, callback: OnBound) -> Waiting:
    """Wait for a bound at another node; call back with whether it was met there."""

    def on_reply(replied: Replied | NodeError) -> None:
        callback(isinstance(replied, tuple) and replied[0] == Met(is_met=True))

    return link.begin(request, on_reply)


class Soon:
    """Calls functions after a pause: all that are given meanwhile, one after the other.

    Args:
        after: calls a function after some seconds.
    """

    def __init__(self, after: Callable[[float, Callable[[], None]], object]) -> None:
        self._after = after
        self._lock = threading.Lock()
        self._functions: list[Callable[[], None]] = []

    def call(self, function: Callable[[], None]) -> None:
        """Call a function soon, in another thread."""
        with self._lock:
            self._functions.append(function)
            is_first = len(self._functions) == 1
        if is_first:
            self._after(AGAIN_S, self._call_all)

    def _call_all(self) -> None:
        with self._lock:
            functions, self._functions = self._functions, []
        for each in functions:
            try:
                each()
            except Exception:  # the outermost call of its thread: the others are called, too
                logger.exception("a wait did not begin again")


class WaitEverywhere:
    """Waits at several nodes at once, until a bound is met at one of them.

    Those that are left may be unable to follow the log. So after one has ended, it is soon waited
    for again, or for those that have the partition by then. The last one may be restarted, too, as
    all are in an upgrade.

    Args:
        places: returns how to begin to wait at each node, by name, as of now; None is this node.
            None if there is nothing to wait for any more.
        callback: gets whether the bound was met; False once no node is left.
        soon: calls a function after a pause.
    """

    def __init__(
        self,
        places: Callable[[], Mapping[str | None, BeginWait] | None],
        callback: OnBound,
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        self._places, self._callback, self._soon = places, callback, soon
        self._lock = threading.Lock()
        self._going: dict[str | None, _Place] = {}
        self._is_beginning = self._is_over = self._is_again = False
        self._chances = _CHANCES

    def begin(self) -> None:
        """Wait at all nodes; if one fails, wait at none.

        Raises:
            TooManyWaitersError: it could begin at none, since one has too many waiters.
        """
        try:
            begun = self._begin()
        except BaseException:
            self.cancel()
            raise
        if not begun.is_none:
            return
        if begun.refused is None:
            self._go_on(is_first=True)
        elif self.cancel():
            raise TooManyWaitersError(begun.refused)

    def _begin(self) -> _Begun:
        """Wait at all nodes where it does not."""
        refused: str | None = None
        found = self._places()
        with self._lock:
            if self._is_over:
                return _Begun()
            if found is None:
                found, self._chances = {}, 0
            new = {name: _Place() for name in found if name not in self._going}
            self._going.update(new)
            self._is_beginning = True
        for name, place in new.items():
            on_end = partial(self._on_end, name, place)
            try:
                waiting = found[name](on_end)
            except StoreError as error:
                refused = str(error) if isinstance(error, TooManyWaitersError) else refused
                on_end(False)
                continue
            with self._lock:
                place.waiting = waiting
                is_over = self._has_ended
            if is_over:
                waiting.cancel()
                return _Begun()
        with self._lock:
            self._is_beginning = False
            return _Begun(is_none=not self._going, refused=refused)

    def cancel(self) -> bool:
        """Stop waiting; False if the callback was called or is about to be."""
        with self._lock:
            was_over, self._is_over = self._is_over, True
            places, self._going = self._going, {}
        for each in places.values():
            if each.waiting is not None:
                each.waiting.cancel()
        return not was_over

    def _on_end(self, name: str | None, place: _Place, is_met: bool) -> None:
        with self._lock:
            if self._going.get(name) is place:
                del self._going[name]
            is_last = not (self._going or self._is_beginning)
            # This node ends at once what it does not hold.
            is_lost = place.waiting is not None or (name is not None and not is_last)
            goes_on = not is_last or (is_lost and self._has_chance())
            is_again = is_lost and goes_on and not (is_met or self._is_over or self._is_again)
            self._is_again = self._is_again or is_again
        if is_met or not goes_on:
            self._end(is_met=is_met)
        elif is_again:
            self._soon(self._begin_again)

    def _has_chance(self) -> bool:
        """Whether a wait without a node may begin again; the lock is held."""
        self._chances -= 1
        return self._chances >= 0

    def _begin_again(self) -> None:
        with self._lock:
            self._is_again = False
        try:
            begun = self._begin()
        except BaseException:
            self._end(is_met=False)
            raise
        if not begun.is_none:
            return
        if begun.refused is None:
            self._go_on(is_first=False)
        else:
            self._end(is_met=False)

    def _go_on(self, *, is_first: bool) -> None:
        """Begin again soon after it could begin nowhere, or end.

        The first time it ends, unless a node was lost at once: then it is to begin again already.
        """
        with self._lock:
            if self._going or self._is_over:
                return  # in another thread
            goes_on = (self._is_again or not is_first) and self._has_chance()
            is_again = goes_on and not self._is_again
            self._is_again = self._is_again or is_again
        if not goes_on:
            self._end(is_met=False)
        elif is_again:
            self._soon(self._begin_again)

    def _end(self, *, is_met: bool) -> None:
        if self.cancel():
            self._callback(is_met)

    @property
    def _has_ended(self) -> bool:
        """Whether another thread, or a callback, has ended it by now."""
        return self._is_over


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """What has come of beginning to wait."""

    is_none: bool = False
    """Whether it waits nowhere."""
    refused: str | None = None
    """Why a node did not let it wait."""


class _Place:
    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: Waiting | None = None
        """None until it has begun."""


class SharedWaits(Generic[K]):
    """Waits by keys; those with the same key are one, whose end all of them get.

    Args:
        begin: begins to wait for a key; what it raises, the caller that began it gets.
        members_max: how many may wait for one key.
    """

    def __init__(
        self, begin: Callable[[K, OnBound], Waiting], *, members_max: int = MEMBERS_MAX
    ) -> None:
        self._begin, self._members_max = begin, members_max
        self._lock = threading.Lock()
        self._shared: dict[K, _Shared[K]] = {}

    def add(self, key: K, callback: OnBound) -> Waiting:
        """Wait with all others of this key, or begin to.

        Raises:
            TooManyWaitersError: there are too many of them, or they could begin at no place.
        """
        with self._lock:
            shared = self._shared.get(key)
            is_new = shared is None
            if shared is None:
                shared = self._shared[key] = _Shared(key)
            elif len(shared.members) >= self._members_max:
                raise TooManyWaitersError(f"{self._members_max} callers wait for the same")
            joined = _Joined(self, shared, callback)
            shared.members[joined] = None
        if is_new:
            try:
                self._begin_shared(shared)
            except BaseException:
                self.leave(joined, shared)
                self._end(shared, is_met=False)  # for those that have joined meanwhile
                raise
        return joined

    def leave(self, joined: _Joined[K], shared: _Shared[K]) -> bool:
        """Let one wait no more; False if it has got the end, or is about to."""
        with self._lock:
            if joined not in shared.members:
                return False
            del shared.members[joined]
            is_empty = not shared.members and self._shared.get(shared.key) is shared
            if is_empty:
                del self._shared[shared.key]
            waiting = shared.waiting if is_empty else None
        if waiting is not None:
            waiting.cancel()
        return True

    def _begin_shared(self, shared: _Shared[K]) -> None:
        waiting = self._begin(shared.key, lambda is_met: self._end(shared, is_met=is_met))
        with self._lock:
            shared.waiting = waiting
            is_left = not shared.members
        if is_left:
            waiting.cancel()

    def _end(self, shared: _Shared[K], *, is_met: bool) -> None:
        with self._lock:
            if self._shared.get(shared.key) is shared:
                del self._shared[shared.key]
            members, shared.members = list(shared.members), {}
        for each in members:
            each.call(is_met)


class _Shared(Generic[K]):
    __slots__ = ("key", "members", "waiting")

    def __init__(self, key: K) -> None:
        self.key = key
        self.members: dict[_Joined[K], None] = {}
        self.waiting: Waiting | None = None


class _Joined(Generic[K]):
    """One of those that wait; see `stategate.stores.spec.store.Waiting`."""

    __slots__ = ("_callback", "_shared", "_waits")

    def __init__(self, waits: SharedWaits[K], shared: _Shared[K], callback: OnBound) -> None:
        self._waits, self._shared, self._callback = waits, shared, callback

    def call(self, is_met: bool) -> None:
        """Call back, and log its exceptions: others wait for the same."""
        try:
            self._callback(is_met)
        except Exception:
            logger.exception("a callback that waited for a bound failed")

    def cancel(self) -> bool:
        """Stop waiting; False if the callback was called or is about to be."""
        return self._waits.leave(self, self._shared)
