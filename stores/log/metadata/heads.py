"""The heads of a state log: one small file for each store, which says where its epochs have got to.

    <root>/_heads/<store>     the newest epoch that was committed, or is about to be

A node that follows a thousand stores would have to look for the next epoch of each of them many
times a second. Instead it looks at this one directory, and then at the stores whose heads have
changed.

A head is a hint and nothing else: what is committed, and in which order, only the records in
`epochs/` say (see `stategate.stores.log.epoch_chain`). So a head needs no lock, no compare-and-swap
and no sync to the disk. A writer writes the head *before* the commit, so that a writer that is
killed between the two leaves readers looking for an epoch that may still come, not one that they
miss. A head that is lost or outdated, as after a loss of power, only delays readers: they look at
every store now and then.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.file_systems import Stamp
from stategate.stores.log.metadata.documents import decode_document, encode_document, whole_value

_logger = logging.getLogger(__name__)

_DIRECTORY = "_heads"
"""No store can have this name: names of stores begin with a letter or digit."""
_COARSE_S = 2.5
"""Within this time a file may be replaced without another stamp: file systems and object stores
keep times of up to two seconds."""
_LOOK_AGAIN_S = (0.05, 1.25, _COARSE_S)
"""When to read a local directory again after it changed: two changes may share one time."""
LIST_S = 1.25
"""Pause between two listings of an object store, where each is a request that costs money."""


class Heads:
    """The heads of all stores of a log. Safe to share between threads.

    Args:
        root: the root of the log.
    """

    def __init__(self, root: Directory) -> None:
        self.directory = root.within(_DIRECTORY)
        self._has_failed = False

    def announce(self, store: str, epoch: int) -> None:
        """Say that an epoch of a store is about to be committed; -1 for its definition.

        It never raises, because a commit must not fail for a hint. A failure is logged once.
        """
        try:
            self.directory.replace(store, encode_document({"epoch": epoch}), durable=False)
        except LogError as error:
            if not self._has_failed:
                _logger.warning("head not written store=%s error=%s", store, error)
            self._has_failed = True

    def epoch(self, store: str) -> int | None:
        """Return the epoch of a store's head; None without a readable head.

        Raises:
            LogError: the file system does not answer.
        """
        try:
            data = self.directory.read(store)
            if data is None:
                return None
            path = self.directory.join(store)
            return decode_document(data, path, lambda document: whole_value(document["epoch"]))
        except TornRecordError:
            return None


class HeadWatch:
    """Tells which heads have changed since it looked last. Used by one thread.

    Args:
        heads: the heads of the log.
        clock: monotonic seconds.
    """

    def __init__(self, heads: Heads, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = heads.directory
        self._clock = clock
        self._stamps: dict[str, Stamp] = {}
        self._changed_s: dict[str, float] = {}
        """When a head was last seen to change, of those that may have changed again unseen."""
        self._names_changed_ns: int | None = None
        self._look_again_s: list[float] = []

    def __contains__(self, store: str) -> bool:
        """Whether a store has a head, so that its next epoch will be announced."""
        return store in self._stamps

    def changed(self) -> set[str]:
        """Return the stores whose heads are new, or may have changed since the last call.

        Usually this is one system call on a local disk, and nothing at all on an object store,
        where the heads are listed every `LIST_S`.

        Raises:
            LogError: the file system does not answer.
        """
        now = self._clock()
        if not self._must_look(now):
            return set()
        stamps = self._directory.stamps()
        for name, stamp in stamps.items():
            if self._stamps.get(name) != stamp:
                self._changed_s[name] = now
        found = self._changed_s.keys() & stamps.keys()
        self._stamps = stamps
        self._changed_s = {n: at for n, at in self._changed_s.items() if now - at < _COARSE_S}
        return found

    def _must_look(self, now: float) -> bool:
        is_due = bool(self._look_again_s) and now >= self._look_again_s[0]
        if not self._directory.local:
            if self._look_again_s and not is_due:
                return False
            self._look_again_s = [now + LIST_S]
            return True
        changed_ns = self._directory.names_changed_ns()
        if changed_ns != self._names_changed_ns:
            self._names_changed_ns = changed_ns
            self._look_again_s = [now + pause_s for pause_s in _LOOK_AGAIN_S]
            return True
        if is_due:
            self._look_again_s = [at for at in self._look_again_s if at > now]
        return is_due
