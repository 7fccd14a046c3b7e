"""What one node knows of all nodes: who is to hold a partition, and whom to ask for it.

The nodes of a cluster come from its configuration, and not from who answers now: a node that fails
keeps its place, so nothing moves when it is restarted. What a node really holds it announces; that
decides whom to ask.
"""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from stategate.stores.nodes.messages import Announcement
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.spec.catalog import NodeStatus
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.store import Role

_Place = tuple[str, int]
"""The address of a store, and a partition of it."""
_PlaceOf = tuple[str, bool, int]
"""A store, whether it is global, and a partition of it."""
_Sized = tuple[str, bool, int]
"""A store, whether it is global, and the number of its partitions."""


@dataclass(slots=True)
class _Other:
    """What is known of another node."""

    is_connected: bool = False
    announced: Announcement | None = None
    running: frozenset[_Place] = frozenset()
    held: frozenset[_Place] = frozenset()
    sees: Mapping[str, int | None] = field(default_factory=dict)
    """The nodes that it can ask, and their runs; None from older versions, which do not say."""
    problem: str | None = None


@dataclass(slots=True)
class _Placed:
    """What follows from the members and from who is leaving; a change makes a new one.

    Announcements of what is held are far more frequent, and placing takes some microseconds for
    each node and partition.
    """

    leaving: frozenset[str] = frozenset()
    holders: dict[_PlaceOf, tuple[str, ...]] = field(default_factory=dict)
    own: dict[_Sized, tuple[int, ...]] = field(default_factory=dict)
    """The partitions that this node is to hold."""
    layout: str = ""


@dataclass(slots=True)
class _Known:
    """What follows from the present state; a change makes a new one."""

    placed: _Placed = field(default_factory=_Placed)
    orders: dict[_PlaceOf, tuple[str, ...]] = field(default_factory=dict)
    roles: dict[_Sized, Mapping[int, Role]] = field(default_factory=dict)


class View:
    """All nodes, as one of them knows them. Safe to use from many threads.

    Args:
        node: this node.
        copies: how many nodes hold a partition.
        run: a number that this node had in no run before; drawn if it is None.
    """

    def __init__(self, node: Node, *, copies: int, run: int | None = None) -> None:
        self.copies = copies
        self.run = secrets.randbelow(1 << 31) + 1 if run is None else run
        self.name = node.name
        self._lock = threading.Lock()
        self._members: Mapping[str, Node] = {node.name: node}
        self._others: dict[str, _Other] = {}
        self._is_leaving = False
        self._known = _Known()

    # What happens

    def set_members(self, nodes: Iterable[Node]) -> None:
        """Replace the members; this node stays one, as it was if it is not among them."""
        with self._lock:
            members = {node.name: node for node in nodes}
            members.setdefault(self.name, self._members[self.name])
            if members != self._members:
                self._members = members
                self._renew(is_placed_anew=True)

    def leave(self) -> None:
        """Note that this node is about to stop."""
        with self._lock:
            self._is_leaving = True
            self._renew()

    def connected(self, name: str) -> None:
        """Note that a node can be asked.

        What it said before is void: it may have been started again without its data.
        """
        with self._lock:
            self._others[name] = _Other(is_connected=True)
            self._renew()

    def lost(self, name: str, why: str) -> None:
        """Note that a node cannot be asked. Whether it was about to stop is still known."""
        with self._lock:
            other = self._other(name)
            other.is_connected, other.problem = False, why
            self._renew()

    def heard(self, announcement: Announcement) -> bool:
        """Note what a node says of itself; return whether it is new."""
        with self._lock:
            other = self._other(announcement.node)
            if other.announced == announcement:
                return False
            other.announced = announcement
            other.running = frozenset(
                (each.store, number) for each in announcement.holdings for number in each.running
            )
            other.held = other.running | {
                (each.store, number) for each in announcement.holdings for number in each.restoring
            }
            runs = announcement.sees_runs or itertools.repeat(None)
            other.sees = dict(zip(announcement.sees, runs, strict=False))
            self._renew()
            return True

    def _other(self, name: str) -> _Other:
        """Return what is known of a node, to be changed; the lock is held."""
        found = self._others.get(name)
        if found is None:
            found = self._others[name] = _Other()
        return found

    def _renew(self, *, is_placed_anew: bool = False) -> None:
        """Forget what followed from the state before; the lock is held."""
        placed, leaving = self._known.placed, frozenset(filter(self.is_leaving, self._members))
        if is_placed_anew or leaving != placed.leaving:
            placed = _Placed(leaving)
        self._known = _Known(placed)

    # What follows

    @property
    def layout(self) -> str:
        """A hash of what placement follows from; nodes with the same one place alike."""
        placed = self._known.placed
        if not placed.layout:
            nodes = sorted((n.name, n.zone, n.weight) for n in self._members.values())
            text = repr((self.copies, nodes)).encode()
            placed.layout = blake2b(text, digest_size=8).hexdigest()
        return placed.layout

    @property
    def members(self) -> Mapping[str, Node]:
        """All nodes by name, this one among them."""
        return self._members

    def holders(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        """Return the nodes that are to hold a partition, the best one first.

        Nodes that are about to stop count, since they come back after an upgrade. Only if all of
        them stop, others take over.
        """
        placed, place = self._known.placed, (schema.name, _is_global(schema), partition)
        found = placed.holders.get(place)
        if found is None:
            found = placed.holders[place] = tuple(self._placed(schema, partition, placed.leaving))
        return found

    def roles(self, schema: StoreSchema) -> Mapping[int, Role]:
        """Return the partitions that this node is to hold, in order, each with its role.

        The first holder that can be asked has the active one.
        """
        known, store = self._known, (schema.name, _is_global(schema), schema.partitions)
        found = known.roles.get(store)
        if found is None:
            # All partitions are looked at only when they are placed anew.
            own = known.placed.own.get(store)
            if own is None:
                numbers = range(schema.partitions)
                own = tuple(n for n in numbers if self.name in self.holders(schema, n))
                known.placed.own[store] = own
            found = known.roles[store] = {n: self._role(schema, n) for n in own}
        return found

    def order(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        """Return the nodes to ask for a partition, in this order.

        This node answers soonest. Then come those that say that they have it, by their rank; then
        those that should, since why they do not answer is worth knowing; last those that are not
        connected. A node that is about to stop comes after others that have the partition.
        """
        known, place = self._known, (schema.address, _is_global(schema), partition)
        found = known.orders.get(place)
        if found is None:
            found = known.orders[place] = tuple(self._ordered(schema, partition))
        return found

    def homes(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        """Return the nodes that are to hold a partition, can be asked and stay.

        If there is none, those that are to hold it.
        """
        placed = self.holders(schema, partition)
        found = [n for n in placed if self.is_connected(n) and not self.is_leaving(n)]
        return found or placed

    def running(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        """Return the other nodes that can be asked, and say that they have a partition.

        Of this incarnation: one of another incarnation has other rows.
        """
        place = (schema.address, partition)
        return [
            name
            for name, other in tuple(self._others.items())
            if other.is_connected and place in other.running
        ]

    def agrees(self, name: str) -> bool:
        """Whether another node places partitions as this one does."""
        other = self._others.get(name)
        return (
            other is not None
            and other.announced is not None
            and other.announced.layout == self.layout
        )

    def sees(self, name: str, nodes: Iterable[str]) -> bool:
        """Whether another node can ask these nodes, as they run now.

        One that has yet to notice that a node was started again cannot, though it says that it can.
        """
        other = self._others.get(name)
        if other is None:
            return False
        seen = other.sees
        return all(
            node == name or (node in seen and seen[node] in (None, self.run_of(node)))
            for node in nodes
        )

    def run_of(self, name: str) -> int:
        """Return the run of a node; 0 if it is not known."""
        if name == self.name:
            return self.run
        other = self._others.get(name)
        return 0 if other is None or other.announced is None else other.announced.run

    def is_leaving(self, name: str) -> bool:
        """Whether a node is about to stop."""
        if name == self.name:
            return self._is_leaving
        other = self._others.get(name)
        return other is not None and other.announced is not None and other.announced.is_leaving

    def is_connected(self, name: str) -> bool:
        """Whether a node can be asked; this one can."""
        other = self._others.get(name)
        return name == self.name or (other is not None and other.is_connected)

    def statuses(self, own: Announcement) -> list[NodeStatus]:
        """Return all nodes by name, also those that are no members but connected.

        Args:
            own: what this node says of itself.
        """
        names = {*self._members, *(n for n, o in tuple(self._others.items()) if o.is_connected)}
        return [self._status(name, own) for name in sorted(names)]

    def _status(self, name: str, own: Announcement) -> NodeStatus:
        other = self._others.get(name, _Other())
        said = own if name == self.name else other.announced
        said_of = () if said is None else said.holdings
        problem = other.problem
        if name != self.name and not other.is_connected and problem is None:
            problem = "it has not been connected yet"
        elif name != self.name and said is not None and not self.agrees(name):
            problem = "it has another list of nodes, or another number of copies"
        if name not in self._members:
            problem = "it is not among the peers"
        node = self._members.get(name, Node(name=name))
        return NodeStatus(
            name=name,
            zone=node.zone,
            weight=node.weight,
            is_connected=self.is_connected(name),
            is_leaving=self.is_leaving(name),
            version="" if said is None else said.product,
            running=sum(len(each.running) for each in said_of),
            restoring=sum(len(each.restoring) for each in said_of),
            problem=None if name == self.name else problem,
        )

    def _placed(
        self, schema: StoreSchema, partition: int, leaving: frozenset[str]
    ) -> Sequence[str]:
        members = self._members.values()
        if _is_global(schema):
            return sorted(self._members)
        chosen = holders(schema.name, partition, members, copies=self.copies)
        if leaving.issuperset(chosen):
            staying = [node for node in members if node.name not in leaving]
            chosen += holders(schema.name, partition, staying, copies=self.copies)
        return chosen

    def _role(self, schema: StoreSchema, partition: int) -> Role:
        for name in self.holders(schema, partition):
            if name == self.name:
                return Role.ACTIVE
            if self.is_connected(name) and not self.is_leaving(name):
                return Role.STANDBY
        return Role.STANDBY

    def _ordered(self, schema: StoreSchema, partition: int) -> list[str]:
        placed = self.holders(schema, partition)
        running = set(self.running(schema, partition))
        ranked = [name for name in placed if name in running]
        moving = sorted(running.difference(placed))
        # A node that is about to stop gets what no other one can answer.
        able = sorted((*ranked, *moving), key=self.is_leaving)
        there = [name for name in placed if self.is_connected(name)]
        return list(dict.fromkeys((self.name, *able, *there, *placed)))


def _is_global(schema: StoreSchema) -> bool:
    return schema.kind is StoreKind.GLOBAL


def with_zone(node: Node, announcement: Announcement) -> Node:
    """Return a node with the zone and weight that it says it has."""
    return replace(node, zone=announcement.zone, weight=announcement.weight)
