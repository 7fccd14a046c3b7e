"""Changes of definitions in a chaos run: `stategate rebuild`, added columns, stores made anew."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.ledger import STORES
from tests.chaos.planted_rebuild import REBUILDS
from tests.chaos.processes import start
from tests.chaos.shapes import EXTRAS_MAX, Change, definition, drawn_change
from tests.chaos.world import READY_S, World

_KILLED_AFTER_S = (0.5, 4.0)
"""A rebuild of a few rows takes about two seconds, most of them to start."""
_SAID_MAX = 500
_EARLY = 0.1
"""Share of the changes that come before the pipeline has committed anything."""
_OVERTAKEN = ("another writer", "committed meanwhile", "committed already")
"""What a rebuild says that a running pipeline overtook."""


@dataclass(slots=True, kw_only=True)
class Rebuilds:
    """Changes the definitions of a world's stores, one at a time."""

    world: World
    chance: random.Random
    counts: Counter[str]
    _turn: Iterator[None] | None = None
    """What goes on: it is resumed until it ends."""
    _process: subprocess.Popen[bytes] | None = None
    _number: int = 0
    _added: int = 0
    _is_first: bool = True

    def begin(self) -> None:
        """Change a definition, if the pipeline has gone on since the last change."""
        commits = any(driver.has_committed for driver in self.world.drivers)
        if self._turn is not None or not (commits or self.chance.random() < _EARLY):
            return
        # The first one is such that a planted defect can be found.
        kind = self.chance.choice(
            ["store rebuilt"]
            if self._is_first
            else ["columns added"] * 2
            + ["store rebuilt"] * 3
            + ["store made anew"] * 2
            + ["store rebuilt under a pipeline", "rebuild killed"]
        )
        self._is_first = False
        store = self.chance.choice(STORES)
        turns = {"columns added": self._add, "store made anew": self._make_anew}
        turn = turns[kind](store) if kind in turns else self._rebuild(kind, store)
        self._turn = self._noted(store, turn)

    def look(self) -> None:
        """Go on with what was begun."""
        if self._turn is not None and next(self._turn, "ended") == "ended":
            self._turn = None

    def calm(self) -> None:
        """Finish what was begun."""
        self.world.wait(self._finished, "the end of a rebuild")

    def _finished(self) -> bool:
        self.look()
        return self._turn is None

    def end(self) -> None:
        """End the process that rebuilds, if there is one."""
        self.world.rests = False
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _noted(self, store: str, turn: Iterator[None]) -> Iterator[None]:
        """Let readers know while a store changes."""
        changes = self.world.answers.changes
        changes.begin(store)
        try:
            yield from turn
        finally:
            changes.end(store)

    def _make_anew(self, store: str) -> Iterator[None]:
        """Remove a store and what its pipeline has read, and wait for its first epoch."""
        yield from self._without_drivers()
        self.world.remove(store)
        self.counts["store made anew"] += 1
        self.world.rests = False
        began_s = time.monotonic()
        while not self.world.has_epoch(store):
            if time.monotonic() - began_s > READY_S:
                self.world.answers.violate("a removed store does not come back", store)
                return
            yield

    def _add(self, store: str) -> Iterator[None]:
        """Start a pipeline whose query has a further column."""
        known = self.world.extras.setdefault(store, set())
        if len(known) >= EXTRAS_MAX:
            return
        self._added += 1
        known.add(f"extra{self._added}")
        self.counts["columns added"] += 1
        yield from self._without_drivers()
        self.world.rests = False

    def _without_drivers(self) -> Iterator[None]:
        """End the pipeline, and keep it from starting."""
        self.world.rests = True
        for driver in self.world.drivers:
            # Before its handlers are there, any program ends with the signal.
            if driver.has_committed and len(self.world.drivers) == 1:
                driver.terminate()
            else:
                driver.kill()
        began_s = time.monotonic()
        while any(driver.alive for driver in self.world.drivers):
            if time.monotonic() - began_s > READY_S:
                self.world.answers.violate("a driver does not end", "before a rebuild")
                return
            yield

    def _rebuild(self, kind: str, store: str) -> Iterator[None]:
        """Rebuild a store with the pipeline stopped, or beside it, or only begin to."""
        before = definition(str(self.world.root), store)
        if before is None:
            return
        if kind != "store rebuilt under a pipeline":
            yield from self._without_drivers()
        change = drawn_change(before, self.chance)
        # A driver that read the definition before it changes is refused, and ends.
        self._disturb()
        self._number += 1
        output = self.world.directory / f"rebuild{self._number}.log"
        self._process = process = self._start(store, change, output)
        killed_s = time.monotonic() + self.chance.uniform(*_KILLED_AFTER_S)
        while process.poll() is None:
            if kind == "rebuild killed" and time.monotonic() > killed_s:
                process.kill()
            yield
        self._disturb()
        self.world.rests = False
        if process.returncode == 0:
            self.world.extras.setdefault(store, set()).difference_update(change.dropped)
            self.counts["store rebuilt" if kind == "rebuild killed" else kind] += 1
        elif process.returncode == -9 and kind == "rebuild killed":
            self.counts[kind] += 1
        else:
            said = output.read_text(errors="replace").strip()[-_SAID_MAX:]
            if kind.endswith("pipeline") and any(word in said for word in _OVERTAKEN):
                self.counts["rebuild overtaken by a pipeline"] += 1
            else:
                self.world.answers.violate("a rebuild fails", f"{kind}, {store} {change}: {said}")

    def _disturb(self) -> None:
        for driver in self.world.drivers:
            driver.disturbed = True

    def _start(self, store: str, change: Change, output: Path) -> subprocess.Popen[bytes]:
        fault = self.world.plant if self.world.plant in REBUILDS else "none"
        place = ("--root", str(self.world.root), "--store", store)
        return start(
            "planted_rebuild",
            fault,
            ["stategate.gateway.main", "rebuild", *place, *change.options],
            output,
        )
