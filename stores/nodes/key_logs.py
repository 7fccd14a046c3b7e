"""The keys that epochs have changed, as the nodes that hold a partition have recorded them."""

from __future__ import annotations

import threading
from contextlib import suppress

from stategate.stores.errors import StoreError
from stategate.stores.nodes.asking import Around
from stategate.stores.nodes.holds import STATUS_S
from stategate.stores.nodes.links import Link, NodeError, Replied
from stategate.stores.nodes.messages import (
    AskKeys,
    Followed,
    FollowKeys,
    Keys,
    Release,
    Reply,
)
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.schema import Key

_KEPT_MAX = 1_000
"""Keys that are kept for other statements; more of them are asked for again."""
COPIES_MAX = 3
"""Other nodes at which a partition is followed: `global` stores are on every node."""


class ClusterKeyLog:
    """The changed keys of one partition, for all its readers on this node; see `KeyLog`.

    All copies record them, so that another one answers when a node is lost. What a node has missed,
    as before it got the partition, it says that it does not know.

    Args:
        around: this node and the others.
        partition: its number.
    """

    def __init__(self, around: Around, partition: int) -> None:
        self._around, self._partition = around, partition
        self._asking = threading.Lock()
        self._here: KeyLog | None = None
        self._followed: dict[str, _FollowedKeys] = {}
        self._last: tuple[int, int, list[Key]] | None = None
        """The last answer: the statements of a store ask for the same epochs."""
        self._follow()

    def changed(self, after: int, up_to: int) -> list[Key] | None:
        """Return the changed keys between two epochs, if a node knows them."""
        with self._asking:
            last = self._last
            if last is not None and last[:2] == (after, up_to):
                return last[2]
            found = None if self._here is None else self._here.changed(after, up_to)
            for each in tuple(self._followed.values()):
                if found is not None:
                    break
                found = each.changed(after, up_to)
            self._follow()
            is_short = found is not None and len(found) <= _KEPT_MAX
            self._last = (after, up_to, found) if found is not None and is_short else None
            return found

    def _follow(self) -> None:
        """Have the keys recorded where the partition is now."""
        around, number = self._around, self._partition
        self._here = around.local.follow_keys(number)
        names = [n for n in around.holders(around.local.schema, number) if n != around.node]
        for name in names[:COPIES_MAX]:
            link, followed = around.links.get(name), self._followed.get(name)
            if link is None or not link.is_open:
                continue
            if followed is None or followed.link is not link or followed.is_lost:
                request = FollowKeys(around.local.schema.address, number)
                self._followed[name] = _FollowedKeys(link, request)
        for name in self._followed.keys() - set(names[:COPIES_MAX]):
            del self._followed[name]


class _FollowedKeys:
    """The keys that one other node records, until it is not referenced any more.

    Args:
        link: the link to the node.
        request: what to record.
    """

    def __init__(self, link: Link, request: FollowKeys) -> None:
        self.link = link
        self.is_lost = False
        """Whether the node records no more, so that it has to be asked to again."""
        self._number = _Number(link)
        try:
            link.begin(request, self._number.on_reply)
        except StoreError:
            self.is_lost = True

    def changed(self, after: int, up_to: int) -> list[Key] | None:
        """Return the changed keys; None if the node does not know them, or cannot be asked."""
        number = self._number.log
        if self.is_lost or number is None:
            return None
        reply: Reply | None = None
        if number >= 0:
            with suppress(StoreError):
                reply, _ = self.link.ask(AskKeys(number, after, up_to), timeout_s=STATUS_S)
        if not isinstance(reply, Keys) or not reply.is_followed:
            self.is_lost = True
            return None
        return None if reply.columns is None else list(zip(*reply.columns, strict=True))

    def __del__(self) -> None:
        self._number.release()


class _Number:
    """The number of a log, once its node has said it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.log: int | None = None
        """-1 without one."""
        self._is_released = False

    def on_reply(self, replied: Replied | NodeError) -> None:
        """Take the number; in any thread."""
        reply = replied[0] if isinstance(replied, tuple) else None
        self.log = reply.log if isinstance(reply, Followed) else -1
        if self._is_released:
            self.release()

    def release(self) -> None:
        """Let the node record no more, also if it has not replied yet."""
        self._is_released = True
        if self.log is not None and self.log >= 0:
            self._link.tell(Release(logs=(self.log,)))
