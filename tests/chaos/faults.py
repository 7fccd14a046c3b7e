"""The faults of a chaos run: what is broken at random, and repaired a little later."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.chaos.links import KINDS, Links
from tests.chaos.processes import Driver, Gateway, is_jvm, is_python_worker, start
from tests.chaos.rebuilding import Rebuilds
from tests.chaos.upgrading import upgrades
from tests.chaos.world import World

_LOOK_S = 0.2
_RESTS_S = (2.0, 18.0)
"""Pause between two faults."""
_PAUSED_S = (3.0, 12.0)
"""How long a driver that was replaced, or a gateway, is stopped."""
_BREAKS = (
    *("gateway killed", "gateway killed, replicas removed") * 2,
    "gateway terminated",
    "gateway stopped for seconds",
)
_RESTARTS = (*("gateway terminated",) * 4, "gateway killed", "gateway killed, replicas removed")
"""How a node ends that is started again from other sources; operators terminate it."""
_OF_LINKS = 0.3
"""Share of the faults of a cluster's nodes that are those of their links."""
_STALL_S = 120.0
"""Two drivers that both live so long are a defect: one of them replaced the other."""


@dataclass(slots=True, kw_only=True)
class Storm:
    """Breaks the processes of a world."""

    world: World
    chance: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    _repairs: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    _compaction: subprocess.Popen[bytes] | None = None
    _replaced: list[tuple[float, Driver]] = field(default_factory=list)
    """Drivers that go on after another took over, and since when."""
    rebuilds_only: bool = False
    """Whether nothing but the definitions of stores is changed."""
    rebuilds: Rebuilds = field(init=False)
    _upgrades: Iterator[tuple[Gateway, str]] | None = None
    """The nodes that are restarted from other sources, if that is all that happens to them."""

    def __post_init__(self) -> None:
        if self.world.older is not None:
            self._upgrades = upgrades(self.world.gateways, self.world.older)
        chance = random.Random(self.chance.random())
        self.rebuilds = Rebuilds(world=self.world, chance=chance, counts=self.counts)

    def rage(
        self,
        seconds: float,
        each_minute: Callable[[], None],
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Break something now and then, until the time is up or it is over."""
        now = time.monotonic()
        end_s, next_s, minute_s = now + seconds, now + _RESTS_S[0], now + 60.0
        while (now := time.monotonic()) < end_s:
            self.world.tend()
            self._repair(now)
            self.rebuilds.look()
            if is_over():
                return
            if now >= next_s:
                self._break()
                next_s = now + self.chance.uniform(*_RESTS_S)
            if now >= minute_s:
                minute_s += 60.0
                self.world.answers.check()
                each_minute()
            time.sleep(_LOOK_S)

    def calm(self) -> None:
        """Repair everything, also what waits for another driver's first epoch."""
        self.rebuilds.calm()
        self._repair(float("inf"))
        while self._repairs:
            time.sleep(_LOOK_S)
            self.world.tend()
            self._repair(float("inf"))
        if self._compaction is not None:
            self._compaction.wait(60)

    def end(self) -> None:
        """End the processes that compact and rebuild, if there are such."""
        self.rebuilds.end()
        if self._compaction is not None:
            self._compaction.kill()
            self._compaction.wait()

    def _repair(self, now: float) -> None:
        due = [repair for at_s, repair in self._repairs if at_s <= now]
        self._repairs = [(at_s, repair) for at_s, repair in self._repairs if at_s > now]
        for repair in due:
            repair()
        now = time.monotonic()
        for since_s, driver in self._replaced:
            if driver.alive and now - since_s > _STALL_S:
                self.world.answers.violate("two drivers live", str(driver.output))
        self._replaced = [
            (since_s, driver)
            for since_s, driver in self._replaced
            if driver.alive and now - since_s <= _STALL_S
        ]

    def _later(self, repair: Callable[[], None], least_s: float, most_s: float) -> None:
        self._repairs.append((time.monotonic() + self.chance.uniform(least_s, most_s), repair))

    def _break(self) -> None:
        if self._upgrades is not None:
            self._upgrade(self._upgrades)
            return
        kind = self.chance.random()
        if kind < 0.3 or self.rebuilds_only:
            self.rebuilds.begin()
            return
        if kind < 0.38:
            self._compact()
            return
        if self.world.rests or not self.world.drivers:
            return  # and a rebuild takes only seconds, after which a driver is begun
        driver = self.world.drivers[-1]
        # A driver that is killed in its start makes no progress, so that is seldom.
        if self.chance.random() < 0.5 and (driver.has_committed or self.chance.random() < 0.1):
            self._break_driver(driver)
            return
        gateway = self.chance.choice(self.world.gateways)
        if self.world.links is not None:
            # Two copies outlive the loss of one node, not that of two.
            if self.world.redundancy.is_whole and self.world.links.are_whole:
                self._break_node(gateway, self.world.links)
        elif gateway.up_since_s is not None or self.chance.random() < 0.2:
            self._break_gateway(gateway)

    def _upgrade(self, upgraded: Iterator[tuple[Gateway, str]]) -> None:
        """Compact the log, or restart the next node from other sources once all is whole."""
        if self.chance.random() < 0.15:
            self._compact()
        elif self.world.redundancy.is_whole:
            gateway, change = next(upgraded)
            self.counts[change] += 1
            self._break_gateway(gateway, _RESTARTS)

    def _break_driver(self, driver: Driver) -> None:
        kind = self.chance.choice(
            ["driver killed"] * 3
            + ["JVM of a driver killed", "driver's Python process killed", "driver terminated"]
            + ["Python workers killed"] * 2
            + ["driver replaced while it was stopped"] * 2
        )
        if any(each is not driver for each in self.world.drivers):
            return  # one is stopped already
        if kind == "driver killed":
            driver.kill()
        elif kind == "driver's Python process killed":
            driver.killed = True
            driver.process.kill()
        elif kind == "driver terminated":
            # Before its handlers are there, any program ends with the signal.
            if not driver.has_committed:
                return
            driver.terminate()
        elif kind == "JVM of a driver killed":
            if not driver.kill_part(is_jvm):
                return
        elif kind == "Python workers killed":
            if not driver.kill_part(is_python_worker):
                return
        else:
            driver.signal(signal.SIGSTOP)
            self.world.start_driver()
            self._continue_later(driver, self.world.drivers[-1], time.monotonic())
        self.counts[kind] += 1

    def _continue_later(self, driver: Driver, other: Driver, since_s: float) -> None:
        """Continue a driver some seconds after the other one has committed an epoch."""

        def go_on() -> None:
            is_too_early = other.alive and not other.has_committed
            if is_too_early and time.monotonic() - since_s < _STALL_S:
                self._later(go_on, 1.0, 1.0)
                return
            other.disturbed = True
            driver.signal(signal.SIGCONT)
            self._replaced.append((time.monotonic(), driver))

        self._later(go_on, *_PAUSED_S)

    def _break_node(self, gateway: Gateway, links: Links) -> None:
        """Break a node, or links between nodes."""
        if self.chance.random() < _OF_LINKS:
            kind = self.chance.choice(KINDS)
            self.counts[kind] += 1
            self.world.answers.changes.lose()
            links.break_some(kind, self.chance)
            self._later(links.heal, *_PAUSED_S)
        else:
            self._break_gateway(gateway)

    def _break_gateway(self, gateway: Gateway, kinds: Sequence[str] = _BREAKS) -> None:
        kind = self.chance.choice(kinds)
        if not gateway.alive:
            return  # it is down already
        self.counts[kind] += 1
        self.world.redundancy.lose(gateway)
        self.world.answers.changes.lose()
        if kind == "gateway stopped for seconds":
            gateway.pause(signal.SIGSTOP)
            self._later(lambda: gateway.pause(signal.SIGCONT), *_PAUSED_S)
            return
        is_term = kind == "gateway terminated"
        status = gateway.stop(signal.SIGTERM if is_term else signal.SIGKILL)
        if status is None or (is_term and status != 0):
            self.world.answers.violate(
                "a gateway does not end", f"{gateway.name} with {status} when {kind}"
            )
        fresh = kind.endswith("removed")
        self._later(lambda: self.world.restart(gateway, fresh=fresh), 0.0, 3.0)

    def _compact(self) -> None:
        if self._compaction is not None and self._compaction.poll() is None:
            return
        self.counts["compaction run"] += 1
        arguments = [
            "stategate.gateway.main",
            "compact",
            "--root",
            str(self.world.root),
            "--keep-epochs",
        ]
        keep = str(self.chance.choice([1, 5, 20]))
        output = self.world.directory / "compact.log"
        self._compaction = start("planted", "none", [*arguments, keep], output)
