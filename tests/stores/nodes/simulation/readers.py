"""Readers of a simulation: what they ask, and that every answer is right."""

from __future__ import annotations

from typing import Any

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.spec.position import EMPTY, PositionBound
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.snapshots import snapshot_epoch
from stategate.stores.spec.store import Hold, QueryConfig, Target
from tests.stores.nodes.simulation.links import SimulatedLink
from tests.stores.nodes.simulation.log import (
    LOOKUP,
    PARTITIONS,
    SCAN,
    Rows,
    count_of,
    position_of,
)
from tests.stores.nodes.simulation.nodes import NodeDiedError, SimulatedNode
from tests.stores.nodes.simulation.world import ViolationError, World

WAIT_S = 6.0
"""How long a reader waits for its bound. A node that is silent is lost long before."""
CUTS_MAX = 5
"""Tries to hold one epoch of all partitions."""


class FailedError(Exception):
    """A statement has failed with an error that tells the client to try again.

    Args:
        message: why.
        is_kept: whether another node had the epoch that is gone; None if no epoch is.
    """

    def __init__(self, message: str, *, is_kept: bool | None = None) -> None:
        super().__init__(message)
        self.is_kept = is_kept


class Reader:
    """A client with a session, which goes to another node when its node is gone.

    Args:
        world: where it reads.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._node: SimulatedNode | None = None
        self._token = EMPTY
        self._seen = [-1] * PARTITIONS
        self._kept = [False] * PARTITIONS
        """Whether another node had the epoch of each partition when it was read."""
        self.answered = self.failed = 0
        """How many statements were answered, and how many have failed."""

    def read(self, node: SimulatedNode | None = None) -> None:
        """Run one statement."""
        random = self._world.random
        node = self._node = node or self._chosen()
        if node is None:
            return
        run, may_fail = node.run, self._may_fail(node)
        # Damage that is there already may show only after the next fault.
        faults = self._world.faults - self._world.damages
        began_s = self._world.time.now_s
        try:
            kind = random.random()
            if kind < 0.4:
                self._read(node, [random.randrange(PARTITIONS)], random.choice((LOOKUP, SCAN)))
            elif kind < 0.8:
                self._read(node, list(range(PARTITIONS)), random.choice((LOOKUP, SCAN)))
            else:
                self._cut(node)
            self.answered += 1
        except NodeDiedError:
            self._node = None
        except FailedError as error:
            self.failed += 1
            self._node = None
            # Who keeps an epoch for another node can be lost as well, by a second fault.
            is_kept = error.is_kept and self._world.faults - faults <= 1
            may_fail = may_fail or not (error.is_kept is None or is_kept)
            if not (may_fail or self._may_fail(node) or run != node.run):
                took_s = self._world.time.now_s - began_s
                raise ViolationError(
                    f"a read at {node.name} failed in {took_s:.3f} s: {error}"
                ) from error

    def _chosen(self) -> SimulatedNode | None:
        names = {each.name for each in self._world.members}
        there = [
            each
            for each in self._world.nodes.values()
            if each.is_up and not each.is_paused and each.name in names
        ]
        if self._node in there and self._world.random.random() < 0.8:
            return self._node
        return self._world.random.choice(there) if there else None

    def _may_fail(self, node: SimulatedNode) -> bool:
        return not self._world.is_gentle or node.name in self._world.exempt

    # Statements

    def _read(self, node: SimulatedNode, partitions: list[int], query: Any) -> None:
        """Read partitions, each at its newest epoch, at a bound or without one."""
        world = self._world
        kind = world.random.choice(("unbounded", "session", "session", "latest"))
        bound, least = PositionBound(), [-1] * PARTITIONS
        if kind == "session":
            bound, least = PositionBound(position=self._token), self._seen.copy()
        elif kind == "latest":
            # As the planner does, which resolves it once for all that it asks.
            bound, least = PositionBound(epoch=world.log.newest), [world.log.newest] * PARTITIONS
        config = QueryConfig(bound=bound)
        answers = self._asked(node, [(number, query, config) for number in partitions])
        until_s = world.time.now_s + WAIT_S
        for number in partitions:
            answer = answers[number]
            while isinstance(answer, Failure) and self._waits(node, number, bound, answer, until_s):
                answer = self._asked(node, [(number, query, config)])[number]
            self._check(number, answer, query, least=least[number])
            answers[number] = answer
        # Rows are read only now, when all partitions were asked.
        for number in partitions:
            self._check_rows(node, number, answers[number], query)
        for number in partitions:
            self._note(number, answers[number])

    def _cut(self, node: SimulatedNode) -> None:
        """Read all partitions at one epoch, which is held meanwhile."""
        for _ in range(CUTS_MAX):
            statuses = node.cluster_store.statuses()
            if len(statuses) < PARTITIONS:
                raise FailedError(f"only partitions {sorted(statuses)} have a status")
            epoch = snapshot_epoch(statuses.values())
            if epoch is None:
                self._pause(node, 0.2)
            elif self._cut_at(node, epoch):
                return
        raise FailedError("no epoch can be held")

    def _cut_at(self, node: SimulatedNode, epoch: int) -> bool:
        """Hold an epoch of all partitions, and read it; False if it cannot be held any more."""
        before = self._world.running()
        found = [node.cluster_store.hold(number, epoch) for number in range(PARTITIONS)]
        holds = [hold for hold in found if hold is not None]
        try:
            if len(holds) < PARTITIONS:
                return False
            kept = [
                self._world.is_kept(number, epoch, at=_place_of(hold, node), by=node, before=before)
                for number, hold in enumerate(holds)
            ]
            self._pause(node, self._world.random.choice((0.0, 0.1, 1.0)))
            lost = [number for number, hold in enumerate(holds) if not hold.is_held]
            if lost:
                if any(kept[number] for number in lost):
                    raise FailedError(f"{epoch} of {lost} is not held any more", is_kept=True)
                return False
            config = QueryConfig(at_epoch=epoch)
            targets: list[Target] = [(number, SCAN, config) for number in range(PARTITIONS)]
            answers = self._asked(node, targets)
            for number in range(PARTITIONS):
                answer = answers[number]
                if isinstance(answer, Failure):
                    raise FailedError(answer.message, is_kept=kept[number])
                self._check(number, answer, SCAN, least=epoch)
                if answer.epoch != epoch:
                    raise ViolationError(f"a cut at {epoch} has {number} at {answer.epoch}")
                self._check_rows(node, number, answer, SCAN)
            return True
        finally:
            for hold in holds:
                hold.release()

    # Their parts

    def _asked(self, node: SimulatedNode, targets: list[Target]) -> dict[int, Any]:
        before = self._world.running()
        answers = list(node.cluster_store.query_each(targets))
        if len(answers) != len(targets):
            raise ViolationError(f"{len(answers)} answers to {len(targets)} questions")
        found = {number: answer for (number, _, _), answer in zip(targets, answers, strict=True)}
        for number, answer in found.items():
            at = answer.node or node.name
            self._kept[number] = self._world.is_kept(
                number, answer.epoch, at=at, by=node, before=before
            )
        return found

    def _waits(
        self,
        node: SimulatedNode,
        number: int,
        bound: PositionBound,
        answer: Failure,
        until_s: float,
    ) -> bool:
        """Wait for a bound as the planner does; return whether to ask again."""
        left_s = until_s - self._world.time.now_s
        if answer.reason is not FailureReason.NOT_UP_TO_BOUND or left_s <= 0:
            return False
        if not node.cluster_store.wait(number, bound, timeout_s=left_s):
            self._pause(node, 0.05)
        return True

    def _check(self, number: int, answer: Any, query: Any, *, least: int) -> None:
        """Check one answer, all but the rows of a stream."""
        if isinstance(answer, Failure):
            is_damaged = answer.reason is FailureReason.STORE_EXCEPTION
            if not answer.reason.retryable and not is_damaged:
                raise ViolationError(f"partition {number}: {answer.reason}: {answer.message}")
            raise FailedError(f"partition {number}: {answer.reason.value}: {answer.message}")
        assert isinstance(answer, Success)
        if answer.epoch < 0:
            raise ViolationError(f"partition {number} was read before it had any rows")
        if answer.epoch < least:
            raise ViolationError(
                f"partition {number} was read at {answer.epoch}, before its bound {least}"
            )
        if answer.epoch > self._world.log.newest or answer.position != position_of(answer.epoch):
            raise ViolationError(f"partition {number} has another position than its epoch")
        if query is LOOKUP and answer.value != (number, answer.epoch):
            raise ViolationError(f"partition {number} at {answer.epoch} has {answer.value}")

    def _check_rows(self, node: SimulatedNode, number: int, answer: Any, query: Any) -> None:
        """Read a stream, slowly, and compare its rows."""
        if query is not SCAN:
            return
        found: list[tuple[int, int]] = []
        try:
            for batch in answer.value:
                assert isinstance(batch, Rows)
                found += batch.listed()
                if self._world.random.random() < 0.3:
                    self._pause(node, self._world.random.random() * 0.05)
        except StoreError as error:
            raise FailedError(
                f"partition {number}, while it was read: {error}", is_kept=self._kept[number]
            ) from error
        epoch = answer.epoch
        if found != [(row, epoch) for row in range(count_of(number, epoch))]:
            raise ViolationError(f"partition {number} at {epoch} has the rows {found}")

    def _note(self, number: int, answer: Success[Any]) -> None:
        self._seen[number] = max(self._seen[number], answer.epoch)
        self._token = self._token.merge(answer.position)

    @staticmethod
    def _pause(node: SimulatedNode, seconds: float) -> None:
        """Let time pass at a node."""
        node.timing.inbox().get(seconds)


def _place_of(hold: Hold, node: SimulatedNode) -> str:
    """Return the node that keeps an epoch."""
    link = getattr(hold, "_link", None)
    return link.connection.server.name if isinstance(link, SimulatedLink) else node.name
