"""What happens to the nodes of a simulation, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.stores.nodes.simulation.log import PARTITIONS, SimulatedEngine
from tests.stores.nodes.simulation.nodes import SimulatedNode
from tests.stores.nodes.simulation.world import World

Then = Callable[[], object]
"""Called when a fault is over."""
LEARN_S = 1.5
"""How long it takes until the last node knows a new configuration."""


def kill(world: World, node: SimulatedNode, then: Then) -> None:
    """Kill a node, and start it again, with its data or without."""
    world.exempt.add(node.name)
    node.kill(is_noticed=world.random.random() < 0.7)
    keeps_data = world.random.random() < 0.7

    def start() -> None:
        if not node.is_up:
            if not keeps_data:
                node.disk.epochs.clear()
            node.start()
        then()

    world.time.after(world.random.choice((0.05, 0.5, 3.0)), start)


def pause(world: World, node: SimulatedNode, then: Then) -> None:
    """Let a node hang for some time."""
    world.exempt.add(node.name)
    node.pause()

    def go_on() -> None:
        node.resume()
        then()

    world.time.after(world.random.choice((0.05, 0.5, 3.0)), go_on)


def isolate(world: World, node: SimulatedNode, then: Then) -> None:
    """Cut a node off from all others."""
    world.exempt.add(node.name)
    for other in world.nodes:
        if other != node.name:
            world.cut(node.name, other)

    def mend() -> None:
        world.mend()
        then()

    world.time.after(world.random.choice((0.1, 1.0, 4.0)), mend)


def cut(world: World, node: SimulatedNode, then: Then) -> None:
    """Cut the cable between two nodes, which others still reach."""
    others = [each.name for each in world.members if each.name != node.name]
    world.cut(node.name, world.random.choice(others))

    def mend() -> None:
        world.mend()
        then()

    world.time.after(world.random.choice((0.1, 1.0, 4.0)), mend)


def damage(world: World, node: SimulatedNode, then: Then) -> None:
    """Let a node read the rows of a partition no further than to some batch."""
    engines = [replica.engine for replica in node.store.replicas.values()]
    if not engines:
        then()
        return
    engine = world.random.choice(engines)
    assert isinstance(engine, SimulatedEngine)
    engine.readable = world.random.randrange(4)
    world.damages += 1

    def mend() -> None:
        engine.readable = None
        world.damages -= 1
        then()

    world.time.after(world.random.choice((0.1, 1.0, 4.0)), mend)


def _moves_of_leaving(world: World, node: SimulatedNode) -> int:
    """Return how many replicas others may have to add because a node leaves."""
    if world.is_gentle:
        return len([n for n in range(PARTITIONS) if world.placed(n) == [node.name]])
    # Others may leave as well; and those that get to know another configuration meanwhile take over
    # other partitions than before.
    return 2 * PARTITIONS * world.copies


def restart(world: World, node: SimulatedNode, then: Then) -> None:
    """Stop a node as an upgrade does, and start it again."""
    world.moves_max += _moves_of_leaving(world, node)

    def start() -> None:
        node.start()
        then()

    def stopped() -> None:
        world.exempt.add(node.name)
        world.time.after(world.random.choice((0.05, 0.5, 3.0)), start)

    if node.is_paused:
        then()
    else:
        node.leave(stopped)


def join(world: World, node: SimulatedNode, then: Then) -> None:
    """Add a node that was not there before."""
    del node
    names = {each.name for each in world.members}
    spare = next((n for n in world.nodes.values() if n.name not in names and not n.is_up), None)
    if spare is None:
        then()
        return
    members = (*world.members, spare.node)
    world.configure(members, within_s=LEARN_S)
    spare.configure(world.shuffled(members), version=world.version)
    spare.disk.epochs.clear()
    spare.start()
    # What is placed on it at its start is not counted as added.
    spare.adds += len(spare.store.replicas)
    world.time.after(LEARN_S, then)


def remove(world: World, node: SimulatedNode, then: Then) -> None:
    """Stop a node for good, then take it out of the configuration."""
    if len(world.members) <= 2 or node.is_paused:
        then()
        return
    world.moves_max += _moves_of_leaving(world, node)

    def stopped() -> None:
        if len(world.members) <= 2:
            # Others were removed meanwhile.
            node.start()
            then()
            return
        members = [each for each in world.members if each.name != node.name]
        world.configure(members, within_s=LEARN_S)
        world.time.after(LEARN_S, then)

    node.leave(stopped)


def reweigh(world: World, node: SimulatedNode, then: Then) -> None:
    """Give a node another share of the partitions, and another zone."""
    random = world.random
    changed = replace(node.node, weight=random.choice((0.5, 1.0, 2.0, 4.0)))
    if random.random() < 0.5:
        changed = replace(changed, zone=random.choice(("", "x", "y")))
    members = [changed if each.name == node.name else each for each in world.members]
    node.node = changed
    world.configure(members, within_s=LEARN_S)
    world.time.after(LEARN_S, then)


Fault = Callable[[World, SimulatedNode, Then], None]
UNPLANNED: tuple[Fault, ...] = (kill, kill, pause, isolate, cut, damage)
PLANNED: tuple[Fault, ...] = (restart, restart, join, remove, reweigh)


def disturb_gently(world: World) -> None:
    """Let one fault happen after the other, each after all is whole."""
    if world.is_over:
        return
    # What is on one node only cannot be read while that is gone.
    kinds = PLANNED if world.copies == 1 else UNPLANNED + PLANNED
    node = world.nodes[world.random.choice(world.members).name]

    def again() -> None:
        world.exempt.clear()
        world.time.after(world.random.random(), lambda: disturb_gently(world))

    world.faults += 1
    world.random.choice(kinds)(world, node, lambda: world.when_whole(again))


def disturb(world: World) -> None:
    """Let faults happen whenever they do."""
    if world.is_over:
        return
    node = world.nodes[world.random.choice(world.members).name]
    if node.is_up and not node.is_leaving:
        world.faults += 1
        world.random.choice(UNPLANNED + PLANNED)(world, node, world.end_fault)
    world.time.after(world.random.choice((0.05, 0.3, 1.5)), lambda: disturb(world))
