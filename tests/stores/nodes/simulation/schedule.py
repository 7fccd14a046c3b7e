"""One schedule of a simulation, from its seed."""

from __future__ import annotations

import gc
from dataclasses import dataclass

from tests.stores.nodes.simulation.faults import disturb, disturb_gently
from tests.stores.nodes.simulation.readers import Reader
from tests.stores.nodes.simulation.world import WHOLE_S, ViolationError, World

READERS = 2
STATEMENTS = 10
READING_S = 6.0
"""No statement begins after so long. Longer schedules find planted defects no sooner: twice as many
statements take twice the time, and fewer worlds are drawn.
"""
_FAULTS_S = 30.0
"""Longer than any fault takes."""


@dataclass(slots=True)
class Ran:
    """What has happened in a schedule."""

    statements: int = 0
    failed: int = 0
    moves: int = 0
    longest_s: float = 0.0
    """The longest time from the end of a fault until all was whole again."""


def run(seed: int) -> Ran:
    """Run one schedule.

    Raises:
        ViolationError: something happened that must not.
    """
    world = World(seed)
    # Streams are released when they are no longer referenced. When garbage is collected depends on
    # what the process did before.
    gc.disable()
    try:
        return _run(world)
    except ViolationError as error:
        raise ViolationError(f"seed {seed}, at {world.time.now_s:.3f} s: {error}") from error
    finally:
        gc.enable()


def _run(world: World) -> Ran:
    random, time = world.random, world.time
    while (why := world.not_whole()) is not None:
        if time.now_s > WHOLE_S:
            raise ViolationError(f"not whole at the start: {why}")
        time.pass_until(time.now_s + 0.1)
    (disturb_gently if world.is_gentle else disturb)(world)
    readers = [Reader(world) for _ in range(READERS)]
    for _ in range(STATEMENTS):
        time.pass_until(time.now_s + random.choice((0.0, 0.1, 0.5)))
        if time.now_s > READING_S:
            break
        random.choice(readers).read()
    world.is_over = True
    if not world.is_gentle:
        _end(world)
    for node in world.nodes.values():
        if node.is_up and not node.is_paused:
            random.choice(readers).read(node)
    return Ran(
        statements=sum(each.answered for each in readers),
        failed=sum(each.failed for each in readers),
        moves=sum(node.adds for node in world.nodes.values()),
        longest_s=world.longest_s,
    )


def _end(world: World) -> None:
    """Let faults end; then all must be whole, and no read may fail."""
    time = world.time
    time.pass_until(time.now_s + _FAULTS_S, lambda: world.faults_over == world.faults)
    world.mend()
    ended: list[bool] = []
    world.when_whole(lambda: ended.append(True))
    time.pass_until(time.now_s + 2 * WHOLE_S, lambda: ended)
    world.is_gentle = True
