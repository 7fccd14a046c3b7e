"""Epochs that nodes keep for readers on this one: where they are kept, and where else they go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from stategate.stores.errors import StoreError
from stategate.stores.nodes.asking import Around
from stategate.stores.nodes.links import Inbox, Link, NodeError, Replied, Timing
from stategate.stores.nodes.messages import AskHold, HeldEpoch, HoldEpoch, Release
from stategate.stores.spec.store import Hold

STATUS_S = 5.0
"""How long a node may take to say what it holds, or to hold an epoch: both take microseconds."""


class EpochHolds:
    """Holds epochs of one store, wherever they are.

    Args:
        around: this node and the others.
    """

    def __init__(self, around: Around) -> None:
        self._around = around

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep an epoch of a partition at the first replica that has it; see `Store.hold`.

        Where none has it, one keeps it when it comes.
        """
        later: Hold | None = None
        for node in self._order(partition):
            if later is not None and not self._is_holder(node, partition):
                break
            found = self._hold_at(node, partition, epoch)
            if found is None:
                continue
            if found.committed_ms is not None:
                if later is not None:
                    later.release()
                return found
            if later is None:
                later = found
            else:
                found.release()
        return later

    def spare(self, partition: int, epoch: int | None, node: str) -> HoldHere | SpareHold | None:
        """Keep an epoch that is read at a node at the next copy, too."""
        around = self._around
        schema = around.local.schema
        homes = self._homes(partition)
        for name in around.holders(schema, partition):
            if name == node or (homes is not None and name not in homes):
                continue  # it keeps it already, or would not give the partition away
            if name == around.node:
                hold = self._hold_here(partition, epoch)
                if hold is not None:
                    return hold
            elif (link := around.links.get(name)) is not None:
                request = HoldEpoch(around.local.schema.address, partition, epoch)
                return SpareHold(link, request, partial(self._is_misplaced, name, partition))
        return None

    def _hold_at(self, node: str, partition: int, epoch: int | None) -> Hold | None:
        around = self._around
        if node == around.node:
            return self._hold_here(partition, epoch)
        link = around.links.get(node)
        if link is None:
            return None
        asked = _Asked(link, around.timing)
        try:
            link.begin(HoldEpoch(around.local.schema.address, partition, epoch), asked.on_reply)
        except StoreError:
            return None
        reply = asked.held(STATUS_S)
        if reply is None:
            return None
        return RemoteHold(
            link,
            reply,
            again=partial(self.hold, partition, reply.epoch),
            spare=self.spare(partition, reply.epoch, node),
            is_misplaced=partial(self._is_misplaced, node, partition),
            has_other=partial(self._has_other, node, partition),
        )

    def _hold_here(self, partition: int, epoch: int | None) -> HoldHere | None:
        hold = self._around.local.hold(partition, epoch)
        is_misplaced = partial(self._is_misplaced, self._around.node, partition)
        return None if hold is None else HoldHere(hold, is_misplaced)

    def _order(self, partition: int) -> Sequence[str]:
        """Return the nodes to ask; those that are to keep the partition come first."""
        order, homes = self._around.order(partition), self._homes(partition)
        return order if homes is None else sorted(order, key=lambda name: name not in homes)

    def _homes(self, partition: int) -> Sequence[str] | None:
        around = self._around
        schema = around.local.schema
        if around.homes is None or not 0 <= partition < schema.partitions:
            return None
        return around.homes(schema, partition)

    def _is_misplaced(self, node: str, partition: int) -> bool:
        homes = self._homes(partition)
        return homes is not None and node not in homes

    def _has_other(self, node: str, partition: int) -> bool:
        """Whether another node than one that keeps an epoch can be asked to keep it, too."""
        around = self._around
        names = around.holders(around.local.schema, partition)
        return any(name in around.links for name in names if name != node)

    def _is_holder(self, node: str, partition: int) -> bool:
        around = self._around
        return node == around.node or node in around.holders(around.local.schema, partition)


class _Asked:
    """The reply of a node that was asked to keep an epoch; one that comes too late is released.

    Args:
        link: the link to the node.
        timing: how to wait for the reply.
    """

    def __init__(self, link: Link, timing: Timing) -> None:
        self._link = link
        self._inbox: Inbox[Replied | NodeError] = timing.inbox()
        self._lock = threading.Lock()
        self._is_late = False

    def held(self, timeout_s: float) -> HeldEpoch | None:
        """Wait for what the node keeps; None if it keeps nothing, or has not replied in time."""
        replied = self._inbox.get(timeout_s)
        if replied is None:
            with self._lock:
                self._is_late = True
            replied = self._inbox.get(0)  # it may have come just now
        return None if replied is None else _held_in(replied)

    def on_reply(self, replied: Replied | NodeError) -> None:
        """Take the reply; in any thread."""
        with self._lock:
            is_late = self._is_late
            if not is_late:
                self._inbox.put(replied)
        held = _held_in(replied) if is_late else None
        if held is not None:
            self._link.tell(Release(holds=(held.hold,)))


def _held_in(replied: Replied | NodeError) -> HeldEpoch | None:
    reply = replied[0] if isinstance(replied, tuple) else None
    return reply if isinstance(reply, HeldEpoch) and reply.hold >= 0 else None


class HoldHere:
    """An epoch that this node keeps.

    Args:
        hold: keeps it.
        is_misplaced: whether it should be kept elsewhere.
    """

    __slots__ = ("_hold", "_is_misplaced", "epoch", "release")

    def __init__(self, hold: Hold, is_misplaced: Callable[[], bool]) -> None:
        self._hold, self._is_misplaced = hold, is_misplaced
        self.epoch, self.release = hold.epoch, hold.release

    @property
    def is_held(self) -> bool:
        """Whether it is still kept."""
        return self._hold.is_held

    @property
    def is_lost(self) -> bool:
        """Whether it is kept no more, though no one has released it."""
        return not self._hold.is_held

    @property
    def is_missed(self) -> bool:
        """Whether the replica skipped the epoch."""
        return self._hold.is_missed

    @property
    def is_misplaced(self) -> bool:
        """Whether it should be kept elsewhere."""
        return self._is_misplaced()

    @property
    def committed_ms(self) -> int | None:
        """When the epoch was committed."""
        return self._hold.committed_ms


class SpareHold:
    """An epoch that a node keeps in case another one is lost; it is asked for without waiting.

    Args:
        link: the link to the node.
        request: what to keep.
        is_misplaced: whether it should be kept elsewhere.
    """

    def __init__(self, link: Link, request: HoldEpoch, is_misplaced: Callable[[], bool]) -> None:
        self._link, self._is_misplaced = link, is_misplaced
        self._hold: int | None = None
        self._is_released = False
        self._connections = link.connections
        with suppress(StoreError):
            link.begin(request, self._on_reply)

    @property
    def is_lost(self) -> bool:
        """Whether the connection was lost, and with it all that the node kept for this one.

        A node that has refused would refuse again.
        """
        link = self._link
        return link.connections != self._connections or not link.is_open

    @property
    def is_misplaced(self) -> bool:
        """Whether it should be kept elsewhere."""
        return self._is_misplaced()

    def release(self) -> None:
        """Let the node forget it, also if it has not replied yet."""
        self._is_released = True
        self._tell()

    def _on_reply(self, replied: Replied | NodeError) -> None:
        if isinstance(replied, tuple) and isinstance(replied[0], HeldEpoch):
            self._hold = replied[0].hold
            if self._is_released:
                self._tell()

    def _tell(self) -> None:
        if self._hold is not None and self._hold >= 0:
            self._link.tell(Release(holds=(self._hold,)))


class RemoteHold:
    """An epoch that another node keeps, and a third one if that is lost.

    Args:
        link: the link to the other node.
        held: its reply.
        again: keeps the same epoch at another node; None if no node has it.
        spare: keeps it at another node from the beginning, so that it is not forgotten until then.
        is_misplaced: whether it should be kept elsewhere.
        has_other: whether a spare that was lost can be replaced.
    """

    def __init__(
        self,
        link: Link,
        held: HeldEpoch,
        *,
        again: Callable[[], Hold | None],
        spare: HoldHere | SpareHold | None = None,
        is_misplaced: Callable[[], bool] = bool,
        has_other: Callable[[], bool] = bool,
    ) -> None:
        self._link, self._held, self._again, self._spare = link, held, again, spare
        self._is_misplaced, self._has_other = is_misplaced, has_other
        self._is_released = False
        self._other: Hold | None = None

    @property
    def epoch(self) -> int:
        """The epoch to ask at."""
        return self._held.epoch

    @property
    def is_held(self) -> bool:
        """Whether a node still keeps it."""
        if self._is_released:
            return False
        held = self._now()
        return held is not None and held.is_held

    @property
    def is_missed(self) -> bool:
        """Whether the replica skipped the epoch."""
        held = self._now()
        return held is not None and held.is_missed

    @property
    def is_misplaced(self) -> bool:
        """Whether it, or its spare, should be kept elsewhere, or has no spare any more."""
        if self._spare is not None and self._spare.is_lost and self._has_other():
            return True
        places: list[Hold | SpareHold] = [] if self._spare is None else [self._spare]
        if self._other is not None:
            places.append(self._other)
        elif self._is_misplaced():
            return True
        return any(each.is_misplaced for each in places)

    @property
    def committed_ms(self) -> int | None:
        """When the epoch was committed; None if it was yet to come."""
        return self._held.committed_ms

    def release(self) -> None:
        """Let all nodes forget it."""
        if not self._is_released:
            self._is_released = True
            if self._spare is not None:
                self._spare.release()
            # Also if it is kept elsewhere by now: the node may only have been slow.
            self._link.tell(Release(holds=(self._held.hold,)))
            if self._other is not None:
                self._other.release()

    def _now(self) -> HeldEpoch | Hold | None:
        """Return how it is kept now; None if it is not."""
        if self._other is not None:
            return self._other
        with suppress(StoreError):
            reply, _ = self._link.ask(AskHold(self._held.hold), timeout_s=STATUS_S)
            if isinstance(reply, HeldEpoch) and reply.hold >= 0:
                return reply
        # The connection was lost, and with it all epochs that the node kept for this one; or the
        # node is slow.
        other = None if self._is_released else self._again()
        if other is not None and self._is_other_epoch(other):
            other.release()
            other = None
        self._other = other
        if other is not None and self._is_released:  # meanwhile
            other.release()
        return other

    def _is_other_epoch(self, other: Hold) -> bool:
        """Whether an epoch of this number is one of a store that was made anew."""
        times = {self._held.committed_ms, other.committed_ms} - {None}
        return len(times) > 1
