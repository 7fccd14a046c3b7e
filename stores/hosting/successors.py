"""Stores that were rebuilt, until they answer in the place of the old ones."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from stategate.stores.errors import StoreError, StoreMigratedError
from stategate.stores.hosting.editions import Editions
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import CLOSE_S
from stategate.stores.hosting.replica_opener import ReplicaOpener
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import ReplicaState

_GRACE_S = 2.0
"""How long a store stays open after a rebuilt one has taken its place: for running statements."""
_TOGETHER_S = 30.0
"""How long a rebuilt store that has caught up waits for the same at the other nodes."""
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
        self._reached_s: float | None = None
        """Since when it has caught up with the old store."""
        name = f"{store.schema.name}-rebuilt"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def is_moved(self) -> bool:
        """Whether the store was rebuilt once more."""
        return self._store.log is not None and self._store.log.move is not None

    def has_reached(self, old: LocalStore) -> bool:
        """Whether all its replicas answer, at no older epoch than any of the old store."""
        before = [status.progress.epoch for status in old.statuses().values()]
        now = self._store.statuses().values()
        return all(
            status.state is ReplicaState.RUNNING
            and status.progress.epoch >= max(before, default=-1)
            for status in now
        )

    def may_answer(self, editions: Editions) -> bool:
        """Whether the other nodes can answer from it, too, or have had the time for it."""
        now = time.monotonic()
        if self._reached_s is None:
            self._reached_s = now
        if editions.may_answer(self._store):
            return True
        is_late = now - self._reached_s > _TOGETHER_S
        if is_late:
            _logger.warning(
                "rebuilt store answers before other nodes have it store=%s", self._store.schema.name
            )
        return is_late

    def end(self) -> LocalStore:
        """Stop following it and return it, for another thread to follow or close."""
        self._stopping.set()
        self._thread.join()
        return self._store

    def close(self) -> LocalStore:
        """Close it, and return it. A thread that hangs closes its databases if it returns."""
        self._stopping.set()
        self._thread.join(CLOSE_S)
        self._store.close(timeout_s=0 if self._thread.is_alive() else CLOSE_S)
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


class Successors:
    """The rebuilt stores of a host that do not answer yet, each used under the lock of its store.

    Args:
        opener: opens the replicas.
        editions: has them from when they are opened until they are closed, and those they replace.
    """

    def __init__(self, opener: ReplicaOpener, editions: Editions) -> None:
        self._opener, self._editions = opener, editions
        self._found: dict[str, Successor] = {}
        self._replaced: dict[str, list[tuple[float, LocalStore, StoreSchema]]] = {}
        """By name, the stores in whose place rebuilt ones answer: until when they stay open, and
        the definitions of the rebuilt ones."""

    def __contains__(self, name: str) -> bool:
        """Whether a store of this name has yet to catch up."""
        return name in self._found

    def of(
        self, old: LocalStore, open_rebuilt: Callable[[LocalStore, StoreLog], LocalStore]
    ) -> LocalStore | None:
        """Return the rebuilt store once it can answer; until then open and follow it.

        Args:
            old: the store, whose log was moved.
            open_rebuilt: takes the old store and the log to which it was moved.

        Raises:
            StoreError: the rebuilt store cannot be opened.
        """
        name = old.schema.name
        found = self._found.get(name)
        assert old.log is not None, "its log was moved"
        if found is not None and found.is_moved:
            # Others may have opened the newest log, and would wait for this node to have it.
            self.drop(name)
            found = None
        if found is None:
            _logger.info("store was rebuilt, opening it store=%s", name)
            opened = open_rebuilt(old, old.log.last())
            self._found[name] = Successor(opened)
            self._editions.put(opened)
            return None
        if not found.has_reached(old) or not found.may_answer(self._editions):
            return None
        del self._found[name]
        rebuilt = found.end()
        self.replaced(old, rebuilt.schema)
        _logger.info("rebuilt store answers store=%s", name)
        return rebuilt

    def replaced(self, old: LocalStore, schema: StoreSchema) -> None:
        """Remove the databases of a closed store after a moment, since another has its place.

        Args:
            old: the closed store.
            schema: the definition of the other one.
        """
        kept = self._replaced.setdefault(schema.name, [])
        kept.append((time.monotonic() + _GRACE_S, old, schema))

    def drop(self, name: str) -> None:
        """Close a rebuilt store that does not answer yet; `of` opens it again."""
        found = self._found.pop(name, None)
        if found is not None:
            self._editions.remove(found.close())

    def close_replaced(self, name: str, now: float | None = None) -> None:
        """Close the stores of a name in whose place others answer, and remove their databases."""
        replaced = self._replaced.get(name)
        if not replaced:
            return
        now = time.monotonic() if now is None else now
        ended = [each for each in replaced if each[0] <= now]
        left = self._replaced[name] = [each for each in replaced if each[0] > now]
        for _, store, _ in ended:
            self._editions.remove(store)
            store.close(StoreMigratedError)
        # A store that was rebuilt again has databases that are open: the last change removes all.
        if ended and not left and name not in self._found:
            self._opener.remove_others(ended[-1][2])

    def close(self) -> None:
        """Close all of them, and the stores that they have replaced."""
        for name in list(self._found):
            self.drop(name)
        for name in list(self._replaced):
            self.close_replaced(name, float("inf"))
