"""What a node has to add, drop and give another role, so that each partition is where it belongs.

A partition moves in two steps, each decided by one node alone. Its new holder adds it, and says so
once it has caught up. Only then, and when all others can ask the new one, does the old holder drop
it. So it always has a replica that answers, whatever the others do meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stategate.stores.nodes.messages import Announcement, Holding
from stategate.stores.nodes.placement import Node
from stategate.stores.nodes.view import View
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Role

RESTORING_MAX = 8
"""Partitions that a node adds at a time; more would catch up no sooner."""

Held = Mapping[int, PartitionStatus]
"""The replicas of a store on this node, by partition."""


@dataclass(slots=True)
class Changes:
    """What a node has to do; each entry is a store and a partition."""

    add: list[tuple[str, int, Role]] = field(default_factory=list)
    drop: list[tuple[str, int]] = field(default_factory=list)
    turn: list[tuple[str, int, Role]] = field(default_factory=list)
    """Replicas that get another role."""


def changes(view: View, stores: Mapping[str, tuple[StoreSchema, Held]]) -> Changes:
    """Return what a node has to do.

    Args:
        view: what it knows of all nodes.
        stores: the stores by name, each with the replicas on this node.
    """
    found = Changes()
    restoring = sum(
        status.state is ReplicaState.RESTORING
        for _, held in stores.values()
        for status in held.values()
    )
    for name, (schema, held) in sorted(stores.items()):
        roles = view.roles(schema)
        for number, status in held.items():
            role = roles.get(number)
            if role is None:
                # Its readers could not go on: others may have forgotten the epochs.
                if not status.held_epochs and _are_running(view, schema, number):
                    found.drop.append((name, number))
            elif status.role is not role:
                found.turn.append((name, number, role))
        for number, role in roles.items():
            if number not in held and restoring + len(found.add) < RESTORING_MAX:
                found.add.append((name, number, role))
    return found


def announcement(
    view: View, node: Node, stores: Mapping[str, tuple[StoreSchema, Held]], *, product: str
) -> Announcement:
    """Return what a node says of itself to the others.

    Args:
        view: what it knows of all nodes.
        node: its name, zone and weight.
        stores: the incarnations by address, each with the replicas on this node.
        product: its version.
    """
    running = ReplicaState.RUNNING
    sees = tuple(n for n in sorted(view.members) if n != node.name and view.is_connected(n))
    return Announcement(
        node.name,
        holdings=tuple(
            Holding(
                name,
                tuple(number for number, status in held.items() if status.state is running),
                tuple(number for number, status in held.items() if status.state is not running),
            )
            for name, (_, held) in sorted(stores.items())
            if held
        ),
        zone=node.zone,
        weight=node.weight,
        is_leaving=view.is_leaving(node.name),
        product=product,
        layout=view.layout,
        sees=sees,
        run=view.run,
        sees_runs=tuple(map(view.run_of, sees)),
    )


def may_answer(view: View, node: str, schema: StoreSchema) -> bool:
    """Return whether all others that are to hold a rebuilt store have it: all change over together.

    Args:
        view: what this node knows of all nodes.
        node: its name.
        schema: the new definition.
    """
    for number in range(schema.partitions):
        running = {node, *view.running(schema, number)}
        for name in view.holders(schema, number):
            is_there = view.is_connected(name) and not view.is_leaving(name)
            if is_there and name not in running:
                return False
    return True


def may_leave(view: View, stores: Mapping[str, tuple[StoreSchema, Held]]) -> bool:
    """Return whether all that this node answers for has another node that answers.

    Also if there is no other node at all.
    """
    if all(view.is_leaving(name) for name in view.members):
        return True
    return all(
        any(not view.is_leaving(name) for name in view.running(schema, number))
        for schema, held in stores.values()
        for number, status in held.items()
        if status.state is ReplicaState.RUNNING
    )


def _are_running(view: View, schema: StoreSchema, partition: int) -> bool:
    """Whether a partition can be read from the nodes that are to hold it, by all others."""
    nodes, running = view.holders(schema, partition), view.running(schema, partition)
    # A node with another list of nodes might drop it, too, and because of this one. And one that
    # has yet to learn of a new node, or to connect to it, can only ask this one.
    return all(name in running for name in nodes) and all(
        view.agrees(name) and view.sees(name, nodes)
        for name in view.members
        if name != view.name and view.is_connected(name)
    )
