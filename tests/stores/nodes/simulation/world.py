"""A whole simulation: nodes, cables, a log, faults and readers, and what must hold for them.

Half of the worlds are gentle: one node at a time is disturbed, and the next one only after all is
whole again. There no read may fail. In the others anything happens at any time; reads may fail, but
are never wrong, and once everything is mended all is whole again soon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from random import Random

from stategate.stores.nodes.placement import Node, holders
from stategate.stores.spec.store import ReplicaState
from tests.stores.nodes.simulation.log import PARTITIONS, SCHEMA, Log
from tests.stores.nodes.simulation.nodes import SimulatedNode
from tests.stores.nodes.simulation.virtual_time import VirtualTime

WHOLE_S = 8.0
"""How soon all must be whole after the last node is back: a connection, a view, a few replicas."""
NAMES = "abcdef"


class ViolationError(Exception):
    """Something that must never happen has happened."""


class World:
    """Where simulated nodes are.

    Args:
        seed: decides everything.
    """

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.time, self.log = VirtualTime(), Log(random.randrange(3))
        self.is_gentle = random.random() < 0.5
        self.copies = random.choice((1, 2, 2, 2, 3))
        count = random.choice((3, 3, 4, 5))
        zones = random.choice((("",), ("", ""), ("x", "y"), ("x", "y", "z")))
        self.nodes: dict[str, SimulatedNode] = {}
        for name in NAMES[: count + 1]:
            node = Node(name=name, zone=random.choice(zones), weight=random.choice((1.0, 1.0, 2.0)))
            self.nodes[name] = SimulatedNode(self, node)
        self.members = tuple(each.node for each in list(self.nodes.values())[:count])
        """The configuration that all nodes get to know in the end."""
        self.moves_max = 0
        """How many replicas had to be added elsewhere."""
        self.exempt: set[str] = set()
        """Nodes that are disturbed, or not whole again: what is asked of them may fail."""
        self.faults = self.faults_over = 0
        """How many faults have begun, and how many are over if several happen at a time."""
        self.damages = 0
        """How many replicas cannot be read; their nodes are not exempt."""
        self.longest_s = 0.0
        """The longest time from the end of a fault until all was whole again."""
        self.is_over = False
        self.version = 0
        """Counts the configurations."""
        self._cuts: set[frozenset[str]] = set()
        # A replica that is more epochs behind than others keep has rows that only it can send.
        paces_s = (0.01, 0.03) if self.is_gentle else (0.01, 0.03, 0.2)
        self._slow = {name: random.choice(paces_s) for name in self.nodes}
        self._delay_max_s = random.choice((0.001, 0.005, 0.05))
        for node in self.members:
            self.nodes[node.name].members = self.shuffled(self.members)
            self.nodes[node.name].start()
        self._commit()

    # What nodes need

    def later(self, node: SimulatedNode, delay_s: float, action: Callable[[], object]) -> None:
        """Run an action at a node, if it has not been started again or killed by then."""
        run = node.run
        self.time.after(delay_s, lambda: node.do(action) if node.run == run else None)

    def delay_s(self) -> float:
        """Return how long a message takes; few take long."""
        slow = 20.0 if not self.is_gentle and self.random.random() < 0.02 else 1.0
        return self.random.random() * self._delay_max_s * slow

    def follow_s(self, node: SimulatedNode) -> float:
        """Return how long a node takes to apply an epoch."""
        return self.random.random() * self._slow[node.name]

    def is_cut(self, one: SimulatedNode, other: SimulatedNode) -> bool:
        """Whether no message passes between two nodes."""
        return bool(self._cuts) and frozenset((one.name, other.name)) in self._cuts

    def shuffled(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        """Return nodes in any order, as configurations list them."""
        listed = list(nodes)
        self.random.shuffle(listed)
        return tuple(listed)

    def check_drop(self, node: SimulatedNode, partition: int) -> None:
        """Check that others have a partition that a node is about to drop."""
        others = [each for each in self.nodes.values() if each is not node]
        kept = [
            each
            for each in others
            if (each.is_up and self._runs(each, partition))
            or (not each.is_up and partition in each.disk.epochs)
            or self._seems_to_run(node, each, partition)
        ]
        least = min(self.copies, len(self.members)) - 1 if self.is_gentle else 1
        if len(kept) < max(1, least):
            raise ViolationError(
                f"{node.name} drops partition {partition}, which only "
                f"{[each.name for each in kept]} have"
            )

    def running(self) -> frozenset[tuple[str, int]]:
        """Return the replicas that answer, each as its node and partition."""
        return frozenset(
            (node.name, number)
            for node in self.nodes.values()
            if node.is_up
            for number in node.store.replicas
            if self._runs(node, number)
        )

    def is_kept(
        self,
        partition: int,
        epoch: int,
        *,
        at: str,
        by: SimulatedNode,
        before: frozenset[tuple[str, int]],
    ) -> bool:
        """Whether a reader at a node can let a third one keep an epoch that it reads at another.

        One that has answered only since the reader asked may have come too late.
        """
        return any(
            node.is_up
            and (node.name, partition) in before
            and not node.is_paused
            and node.name not in (at, *self.exempt)
            and (node is by or (node.name in by.asked and not self.is_cut(node, by)))
            and self._runs(node, partition)
            and (replica := node.store.replicas[partition]).progress.epoch <= epoch + 1
            and (replica.progress.epoch < epoch or replica.view_at(epoch) is not None)
            for node in self.nodes.values()
        )

    # What happens

    def end_fault(self) -> None:
        """Count a fault that is over."""
        self.faults_over += 1

    def cut(self, *names: str) -> None:
        """Let no message pass between two nodes."""
        self._cuts.add(frozenset(names))

    def mend(self) -> None:
        """Let all messages pass."""
        self._cuts.clear()
        for node in self.nodes.values():
            for connection in tuple(node.connections):
                connection.mend()

    def configure(self, members: Iterable[Node], *, within_s: float) -> None:
        """Change the configuration; each node learns of it at another time."""
        before, self.members = self.members, tuple(members)
        leaving = {node.name for node in self.nodes.values() if node.is_leaving}
        for number in range(PARTITIONS):
            old, new = set(self.placed(number, before)), set(self.placed(number))
            self.moves_max += len(new - old)
            if leaving.issuperset(old) or leaving.issuperset(new):
                # Others have taken it over, and now others than those are to.
                self.moves_max += self.copies
        self.version += 1
        for node in self.nodes.values():
            # A node that is down reads it when it is started.
            learn = partial(node.configure, self.shuffled(self.members), version=self.version)
            self.time.after(self.random.random() * within_s, learn)

    def placed(self, partition: int, members: Iterable[Node] | None = None) -> list[str]:
        """Return the nodes that are to hold a partition."""
        nodes = self.members if members is None else tuple(members)
        return _placed(partition, nodes, self.copies)

    def _commit(self) -> None:
        """Commit an epoch now and then."""
        if self.is_over:
            return
        self.log.newest += 1
        for node in self.nodes.values():
            node.follow_soon()
        pauses_s = (0.1, 0.3, 1.0) if self.is_gentle else (0.03, 0.2, 1.0)
        self.time.after(self.random.choice(pauses_s), self._commit)

    # Whether all is whole

    def not_whole(self) -> str | None:
        """Return what keeps the cluster from being as it should; None if it is."""
        names = [node.name for node in self.members]
        for node in self.nodes.values():
            if node.is_up != (node.name in names):
                return f"{node.name} is {'up' if node.is_up else 'down'}"
        for number in range(PARTITIONS):
            placed = set(self.placed(number))
            held = {name for name in names if number in self.nodes[name].store.replicas}
            if held != placed:
                return f"partition {number} is on {sorted(held)}, not on {sorted(placed)}"
            if not all(self._runs(self.nodes[name], number) for name in placed):
                return f"partition {number} restores"
            epochs = [self.nodes[n].store.replicas[number].progress.epoch for n in placed]
            if min(epochs) < self.log.newest - 1:
                return f"partition {number} is behind"
        return next(filter(None, (self._unknown(self.nodes[name], names) for name in names)), None)

    def _unknown(self, node: SimulatedNode, names: list[str]) -> str | None:
        """Return what a node does not know yet of the others."""
        view = node.view
        for other in names:
            asked = node.asked.get(other)
            if other != node.name and not (asked and asked.is_live and view.agrees(other)):
                return f"{node.name} does not see {other}"
        for number in range(PARTITIONS):
            known = {*view.running(SCHEMA, number), node.name}
            if not known.issuperset(self.placed(number)):
                return f"{node.name} does not know who has partition {number}"
        return None

    def when_whole(self, then: Callable[[], object]) -> None:
        """Call back once all is whole, which must be soon."""
        began_s = self.time.now_s

        def look() -> None:
            why = self.not_whole()
            took_s = self.time.now_s - began_s
            if why is None:
                self.longest_s = max(self.longest_s, took_s)
                self.check_moves()
                then()
            elif took_s > WHOLE_S:
                raise ViolationError(f"not whole after {WHOLE_S:g} s: {why}")
            else:
                self.time.after(0.1, look)

        look()

    def check_moves(self) -> None:
        """Check that no replica was added that need not be."""
        moves = sum(node.adds for node in self.nodes.values())
        if moves > self.moves_max:
            raise ViolationError(f"{moves} replicas were added, {self.moves_max} were necessary")

    @staticmethod
    def _seems_to_run(node: SimulatedNode, other: SimulatedNode, partition: int) -> bool:
        """Whether another node has lost a partition in a restart that a node cannot know of yet."""
        asked = node.asked.get(other.name)
        has_restarted = asked is not None and asked.runs[True] != other.run
        return has_restarted and other.name in node.view.running(SCHEMA, partition)

    @staticmethod
    def _runs(node: SimulatedNode, partition: int) -> bool:
        replica = node.store.replicas.get(partition)
        return replica is not None and replica.state is ReplicaState.RUNNING


@lru_cache(100)
def _placed(partition: int, nodes: tuple[Node, ...], copies: int) -> list[str]:
    return holders(SCHEMA.name, partition, nodes, copies=copies)
