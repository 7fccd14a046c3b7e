"""A simulated node: real view, handover and cluster store; the rest as in `gateway.nodes`."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from stategate.stores.hosting.replica import Replica
from stategate.stores.nodes import handover
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.links import Link, Timing
from stategate.stores.nodes.messages import Announcement
from stategate.stores.nodes.placement import Node
from stategate.stores.nodes.view import View
from stategate.stores.spec.store import ReplicaState, Role
from tests.stores.nodes.simulation.links import Connection, SimulatedLink
from tests.stores.nodes.simulation.log import (
    SCHEMA,
    Disk,
    SimulatedStore,
    open_replica,
    progress_of,
)
from tests.stores.nodes.simulation.virtual_time import VirtualInbox

if TYPE_CHECKING:
    from tests.stores.nodes.simulation.world import World

T = TypeVar("T")

STEP_S = 0.1
HEARTBEAT_S = 0.5
SILENCE_S = 2.0
CONNECT_S = 0.3
LEAVE_S = 10.0
"""As in `stategate.gateway.nodes`."""
_NOTHING = handover.Changes()


class NodeDiedError(BaseException):
    """The node of a statement was killed, and the statement with it."""


class SimulatedNode:
    """One node, through all its restarts.

    Args:
        world: where it is.
        node: its name, zone and weight.
    """

    def __init__(self, world: World, node: Node) -> None:
        self.world, self.node, self.name = world, node, node.name
        self.run = 0
        """Counts its starts and ends; what was begun in another run is void."""
        self.is_up = self.is_paused = self.is_leaving = False
        self.disk = Disk()
        self.members: tuple[Node, ...] = ()
        """Its configuration."""
        self.connections: dict[Connection, None] = {}
        """Those of other nodes that ask it."""
        self.timing = Timing(
            clock=lambda: world.time.now_s,
            inbox=lambda: NodeInbox(self, self.run),
            after=lambda delay_s, action: world.later(self, delay_s, action),
        )
        self._version = 0
        self.adds = 0
        """Replicas that it has added because of the placement."""
        self._backlog: deque[Callable[[], object]] = deque()

    # Life

    def start(self) -> None:
        """Start, with what is on its disk."""
        self.run += 1
        self.is_up, self.is_paused, self.is_leaving = True, False, False
        self.view = View(self.node, copies=self.world.copies, run=self.run)
        self.view.set_members(self.members)
        self.connections.clear()
        self.asked: dict[str, Connection] = {}
        self.links: dict[str, Link] = {}
        self.own = Announcement(self.name)
        self._is_stepping = self._is_following = False
        self._running: set[int] = set()
        placed = self.view.roles(SCHEMA)
        replicas = {number: self._opened(number, role) for number, role in placed.items()}
        self.store = SimulatedStore(replicas, self.world.log)
        self.cluster_store = ClusterStore(
            self.store,
            node=self.name,
            links=self.links,
            holders=self.view.order,
            timing=self.timing,
        )
        for replica in replicas.values():
            self._restore(replica)
        self._beat()
        for other in self.world.nodes.values():
            if other is not self:
                self._connect(other)
        self.step()

    def kill(self, *, is_noticed: bool = True) -> None:
        """End at once; other nodes notice at once, or only that it is silent."""
        # What it has taken over from nodes that leave it adds again, if they still do.
        taken_over = (n for n in self.store.replicas if self.name not in self.world.placed(n))
        self.world.moves_max += sum(1 for _ in taken_over)
        self.run += 1
        self.is_up = False
        connections, self.connections = self.connections, {}
        for connection in (*connections, *self.asked.values()):
            other = connection.server if connection.asker is self else connection.asker
            self.world.later(other, 0.002, partial(self._reset, connection, is_noticed))

    @staticmethod
    def _reset(connection: Connection, is_noticed: bool) -> None:
        if connection.asker.run == connection.runs[False]:
            if is_noticed:
                connection.asker.lose(connection, "connection reset")
        else:
            connection.close()

    def pause(self) -> None:
        """Do nothing until `resume`."""
        self.is_paused = True

    def resume(self) -> None:
        """Go on; what has arrived meanwhile is read after a first step, or before it."""
        if self.is_paused:
            self.is_paused = False
            if self.world.random.random() < 0.5:
                self.step()
            while self._backlog and not self.is_paused:
                self._backlog.popleft()()

    def do(self, action: Callable[[], object]) -> None:
        """Run an action now, or once the node goes on; it ends with the node."""
        if self.is_paused:
            run = self.run
            self._backlog.append(lambda: self._act(action) if run == self.run else None)
        elif self.is_up:
            self._act(action)

    def _act(self, action: Callable[[], object]) -> None:
        # A late reply is handled in a callback, where no statement would catch the exception.
        with contextlib.suppress(NodeDiedError):
            action()

    def leave(self, then: Callable[[], object]) -> None:
        """Let others take over, then stop."""
        self.is_leaving = True
        self.view.leave()
        self.step()
        until_s = self.world.time.now_s + LEAVE_S

        def check() -> None:
            stores = {SCHEMA.name: (SCHEMA, self.store.statuses())}
            is_late = self.world.time.now_s >= until_s
            is_idle = all(connection.is_idle for connection in self.connections)
            if is_late or (is_idle and handover.may_leave(self.view, stores)):
                self.kill()
                then()
            else:
                self.after(STEP_S, check)

        self.after(STEP_S, check)

    def after(self, delay_s: float, action: Callable[[], object]) -> None:
        """Run an action later, in this run."""
        self.world.later(self, delay_s, action)

    # Other nodes

    def configure(self, members: Iterable[Node], *, version: int) -> None:
        """Take another list of nodes, in any order, unless it is older than the one it has."""
        if version < self._version:
            return
        self._version, self.members = version, tuple(members)
        if not self.is_up:
            return
        self.view.set_members(self.members)
        names = {node.name for node in self.members}
        for name, connection in tuple(self.asked.items()):
            if name not in names:
                self.lose(connection, "it is not among the peers")
        self.step_soon()

    def heard(self, announcement: Announcement) -> None:
        """Take note of what another node holds."""
        if self.view.heard(announcement):
            self.step_soon()

    def lose(self, connection: Connection, why: str) -> None:
        """Give up a connection, and try to make another."""
        if self.asked.get(connection.server.name) is not connection:
            return
        del self.asked[connection.server.name]
        del self.links[connection.server.name]
        self.view.lost(connection.server.name, why)
        connection.end(why)
        self.step_soon()
        self.after(self.world.delay_s(), lambda: self._connect(connection.server))

    def _connect(self, other: SimulatedNode) -> None:
        """Try to connect until it succeeds."""
        if other.name in self.asked:
            return
        listed = any(node.name == other.name for node in self.members)
        if not listed or not other.is_up or other.is_paused or self.world.is_cut(self, other):
            self.after(CONNECT_S, lambda: self._connect(other))
            return
        connection = self.asked[other.name] = Connection(self, other)
        self.links[other.name] = SimulatedLink(connection)
        other.connections[connection] = None
        self.view.connected(other.name)
        self.step_soon()
        connection.announce(other.own)

    def _beat(self) -> None:
        """Announce this node, and give up silent ones."""
        for connection in tuple(self.connections):
            connection.announce(self.own)
        if self._backlog:
            # What has arrived while the node was paused is read first.
            self.after(0.0, self._check_silence)
        else:
            self._check_silence()
        self.after(HEARTBEAT_S, self._beat)

    def _check_silence(self) -> None:
        now_s = self.world.time.now_s
        for connection in tuple(self.asked.values()):
            if now_s - connection.heard_s > SILENCE_S:
                self.lose(connection, "it was silent")

    # Replicas

    def step_soon(self) -> None:
        """Compare what it holds with what it should, some time in the next step."""
        if not self._is_stepping:
            self._is_stepping = True
            self.after(self.world.random.random() * STEP_S, self.step)

    def step(self) -> None:
        """As `NodeService._step`, which also looks again now and then."""
        self._is_stepping = False
        held = self.store.statuses()
        wanted = handover.changes(self.view, {SCHEMA.name: (SCHEMA, held)})
        for _, number, role in wanted.add:
            self.adds += 1
            replica = self._opened(number, role)
            self.store.add(replica)
            self._restore(replica)
        for _, number in wanted.drop:
            self.world.check_drop(self, number)
            self.store.drop(number)
            self._running.discard(number)
            self.disk.epochs.pop(number, None)
        for _, number, role in wanted.turn:
            self.store.replicas[number].role = role
        if wanted != _NOTHING:
            held = self.store.statuses()
        own = handover.announcement(self.view, self.node, {SCHEMA.name: (SCHEMA, held)}, product="")
        if own != self.own:
            self.own = own
            for connection in tuple(self.connections):
                connection.announce(own)
        if not held.keys() <= self.view.roles(SCHEMA).keys():
            # It can be dropped once no epoch of it is held, which nothing else tells.
            self.step_soon()

    def _opened(self, number: int, role: Role) -> Replica:
        epoch = self.disk.epochs.get(number, -1)
        return open_replica(number, epoch, role, self.world.log, self.world.time)

    def _restore(self, replica: Replica) -> None:
        """Fill a replica without files from a snapshot; others go on from theirs."""
        if replica.progress.epoch >= 0:
            self.follow_soon()
            return
        random = self.world.random

        def restored() -> None:
            if self.store.replicas.get(replica.partition) is replica:
                replica.restore(lambda path: None, progress_of(self.world.log.newest))
                self._applied(replica)

        self.after(random.uniform(0.02, 0.3), restored)

    def follow_soon(self) -> None:
        """Apply what is new in the log, in some time."""
        if self.is_up and not self._is_following:
            self._is_following = True
            self.after(self.world.follow_s(self), self._follow)

    def _follow(self) -> None:
        """Apply the next epoch to some of the replicas."""
        self._is_following = False
        newest, random = self.world.log.newest, self.world.random
        for replica in tuple(self.store.replicas.values()):
            epoch = replica.progress.epoch
            if 0 <= epoch < newest:
                if random.random() < 0.8:
                    self._apply(replica, epoch + 1)
                self.follow_soon()

    def _apply(self, replica: Replica, epoch: int) -> None:
        replica.apply(progress_of(epoch), ())
        self._applied(replica)

    def _applied(self, replica: Replica) -> None:
        epoch = self.disk.epochs[replica.partition] = replica.progress.epoch
        if replica.partition not in self._running and replica.state is ReplicaState.RUNNING:
            self._running.add(replica.partition)
            self.step_soon()
        if epoch < self.world.log.newest:
            self.follow_soon()


class NodeInbox(VirtualInbox[T]):
    """An inbox of a node, which gives nothing while the node is paused, or after it was killed."""

    def __init__(self, node: SimulatedNode, run: int) -> None:
        super().__init__(node.world.time)
        self._node, self._run = node, run

    def get(self, timeout_s: float) -> T | None:
        node, run, time, arrived = self._node, self._run, self._node.world.time, self._arrived
        if not arrived:
            if timeout_s <= 0:
                return None
            # A statement ends with its node, not after its wait.
            time.pass_until(time.now_s + timeout_s, lambda: arrived or node.run != run)
        while node.is_paused and node.run == run:
            time.pass_until(time.now_s + 60, lambda: not node.is_paused or node.run != run)
        if node.run != run:
            raise NodeDiedError
        return arrived.popleft() if arrived else None
