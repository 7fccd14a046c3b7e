"""Histories: writers, a gateway and readers, disrupted by kills, pauses, full disks and torn files.

The seed decides the order of the faults, not when they reach a process: the same seed gives the
same faults, but not the same history.
"""

from __future__ import annotations

import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.fuzz.history_model import History, Mode
from tests.fuzz.history_processes import GatewayProcess, WriterProcess, compacting, small_disk
from tests.fuzz.history_readers import Reader, Shape, read_all
from tests.fuzz.history_writer import is_live, place
from tests.fuzz.planted import BUGS
from tests.fuzz.report import Budget, Failure, Report

PART = "history"
GOOD = ("good", "fine")
"""Stores without a fault of their own."""
DISK_BYTES = 48 << 20
HEALED_S = 90.0
COMPACTED_S = 240.0
"""Timeout of a compaction, in seconds; on a quiet machine it takes one."""
PLANTED_S = 60.0
"""Timeout for finding all planted bugs, in seconds; a quiet machine needs a few."""
HISTORY_S = 8.0
"""Length of one history in seconds, before everything is healed and read a last time."""
ANSWERS_MIN = 200
"""Answers that a history must check; it goes on up to ten times as long for them. On a busy machine
a few faults can leave no time to answer, and a history without answers shows nothing."""
COARSE = "coarse"
_SYSTEMS = ("none", "none", COARSE, "slow", "late")


class NotReadyError(RuntimeError):
    """A process of a history did not start, although no fault was active."""


@dataclass(slots=True, kw_only=True)
class Setting:
    """The processes of one history, and the faults that disrupt them."""

    directory: Path
    root: Path
    history: History
    chance: random.Random
    gateway: GatewayProcess
    writer: WriterProcess
    system: str
    is_small_disk: bool
    done: list[str] = field(default_factory=list)

    # Faults; each one heals what it broke.

    def kill_writer(self) -> None:
        """Kill the writer at any moment, and start another."""
        self.writer.kill()
        self.writer = self._another_writer()

    def kill_gateway(self) -> None:
        """Kill the gateway, and start it with its replicas."""
        self.gateway.kill()
        time.sleep(self.chance.uniform(0, 0.3))
        self.gateway.start()

    def lose_replicas(self) -> None:
        """Kill the gateway, and start it without replicas."""
        self.gateway.kill()
        self.gateway.start(fresh=True)

    def stop_gateway(self) -> None:
        """Pause the gateway."""
        self.gateway.signal(signal.SIGSTOP)
        time.sleep(self.chance.uniform(0.1, 0.8))
        self.gateway.signal(signal.SIGCONT)

    def zombie(self) -> None:
        """Pause the writer, let another take over, then continue the first."""
        self.writer.signal(signal.SIGSTOP)
        first, self.writer = self.writer, self._another_writer()
        self.writer.wait_for(3, timeout_s=10)
        first.signal(signal.SIGCONT)
        time.sleep(0.6)
        first.kill()

    def compact(self) -> None:
        """Compact; kill half of the compactions."""
        process = compacting(self.root, self.directory)
        if self.chance.random() < 0.5:
            time.sleep(self.chance.uniform(0.5, 2.0))
            process.kill()
        try:
            process.wait(COMPACTED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.history.fail("all", "compaction does not end", f"after {COMPACTED_S} s")

    def tear(self) -> None:
        """Truncate a file of the newest epoch, and restore it a little later."""
        store = self.chance.choice(GOOD)
        pattern = self.chance.choice(["epochs/*.json", "data/*/*/*.parquet"])
        files = sorted((self.root / store).glob(pattern), key=lambda path: path.stat().st_mtime_ns)
        if not files:
            return
        path = files[-1]
        whole = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(len(whole) // 2)
        time.sleep(self.chance.uniform(0.2, 0.8))
        with path.open("r+b") as file:
            file.write(whole)

    def fill_disk(self) -> None:
        """Fill the log's disk, and make room again."""
        if not self.is_small_disk:
            return
        balloon = self.root.parent / "balloon"
        try:
            with balloon.open("wb", buffering=0) as file:
                for size in (1 << 20, 1 << 12, 1):
                    _fill(lambda: file.write(b"\0" * size))  # noqa: B023 - it is called here
                time.sleep(self.chance.uniform(0.3, 1.0))
        finally:
            balloon.unlink(missing_ok=True)

    def _another_writer(self) -> WriterProcess:
        made = WriterProcess(
            root=self.root,
            directory=self.directory,
            stores=self.writer.stores,
            history=self.history,
            pause_s=self.writer.pause_s,
            fault=self.writer.fault,
        )
        made.start()
        return made

    def disturb(self, seconds: float, without: frozenset[str]) -> None:
        """Cause one fault after the other."""
        until = time.monotonic() + seconds
        last = until + 9 * seconds
        events: list[Callable[[], None]] = [
            self.kill_writer,
            self.kill_gateway,
            self.lose_replicas,
            self.stop_gateway,
            self.zombie,
            self.compact,
            self.tear,
            self.fill_disk,
        ]
        events = [event for event in events if event.__name__ not in without]
        while time.monotonic() < (until if self.history.answers >= ANSWERS_MIN else last):
            event = self.chance.choice(events)
            self.done.append(event.__name__)
            event()
            time.sleep(self.chance.uniform(0.2, 0.6))


def _fill(write: Callable[[], int]) -> None:
    try:
        while write():
            pass
    except OSError:
        return


@contextmanager
def setting(
    directory: Path,
    chance: random.Random,
    *,
    stores: Sequence[str],
    fault: str,
    pause_s: float = 0.02,
    ready: bool = True,
) -> Iterator[Setting]:
    """Start a writer and a gateway; if `ready`, wait until the gateway has read the log."""
    history = History(place=place, is_live=is_live)
    disk = directory / "disk"
    with small_disk(disk, size_bytes=DISK_BYTES, coarse=fault == COARSE) as mounted:
        root = disk / "root"
        if fault == COARSE:
            fault = "none"  # the disk itself has coarse timestamps, where it can be mounted
        # A planted bug affects only the gateway; an unusual file system affects the writer, too.
        system = "none" if fault == "bugs" else fault
        gateway = GatewayProcess(root=root, directory=directory, fault=fault)
        writer = WriterProcess(
            root=root,
            directory=directory,
            stores=stores,
            history=history,
            pause_s=pause_s,
            fault=system,
        )
        found = Setting(
            directory=directory,
            root=root,
            history=history,
            chance=chance,
            gateway=gateway,
            writer=writer,
            system=f"{system}{', a disk of its own' * mounted}",
            is_small_disk=mounted,
        )
        try:
            writer.start()
            if not writer.wait_for(2 * len(stores), timeout_s=30):
                raise NotReadyError(f"the writer does not write: {writer.refusals[:3]}")
            gateway.start(fresh=True)
            if ready and not gateway.wait_until_ready():
                raise NotReadyError(f"the gateway is not ready:\n{gateway.why_not_ready()}")
            yield found
        finally:
            found.writer.kill()
            gateway.kill()


@contextmanager
def reading(readers: Sequence[Reader]) -> Iterator[None]:
    """Let the readers run while the block runs; raise if one of them cannot go on."""
    with ThreadPoolExecutor(len(readers)) as pool:
        running = [pool.submit(reader.run) for reader in readers]
        try:
            yield
        finally:
            for reader in readers:
                reader.stopped.set()
        for each in running:
            each.result()


def _reader(
    found: Setting,
    stores: Sequence[str],
    *,
    modes: Sequence[Mode] = (),
    shapes: Sequence[Shape] = tuple(Shape),
    monotonic: bool = False,
) -> Reader:
    return Reader(
        dsn=found.gateway.dsn,
        stores=stores,
        history=found.history,
        chance=random.Random(found.chance.random()),
        stopped=threading.Event(),
        monotonic=monotonic,
        modes=modes,
        shapes=shapes,
    )


def one_history(
    directory: Path,
    chance: random.Random,
    *,
    seconds: float,
    fault: str,
    without: frozenset[str] = frozenset(),
) -> tuple[History, str]:
    """Run one history, heal everything and read it a last time; return it and its faults."""
    with setting(directory, chance, stores=GOOD, fault=fault) as found:
        with reading([_reader(found, GOOD, monotonic=number % 2 == 1) for number in range(4)]):
            found.disturb(seconds, without)
        found.writer.kill()
        _finish(found)
        happened = f"file system {found.system}, {', '.join(found.done)}"
        if found.writer.refusals:
            happened += f"\nthe last writer was refused: {found.writer.refusals[-1]}"
        return found.history, happened


def _finish(found: Setting) -> None:
    """Read everything at LATEST, from the running gateway and from a new one."""
    for fresh in (False, True):
        if fresh:
            found.gateway.kill()
            found.gateway.start(fresh=True)
        for store in found.writer.stores:
            try:
                read_all(found.gateway.dsn, store, found.history, timeout_s=HEALED_S)
            except psycopg.Error as error:
                state = f"{'a new' if fresh else 'the old'} gateway: {error}"
                found.history.fail(store, "not healed", state)


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Run histories until the budget is spent."""
    missed: list[str] = []
    if budget.only is None:
        missed = planted_and_missed(directory / "planted", report.random(PART, -1))
        report.passed()
    if missed:
        what = f"bugs that were planted and not found: {', '.join(missed)}; no verdict counts"
        report.failed(Failure(part=PART, case=-1, kind="planted bugs", what=what))
        return
    for number in budget.cases():
        if budget.spent():
            return
        chance = report.random(PART, number)
        place = directory / str(number)
        place.mkdir()
        fault = chance.choice(_SYSTEMS)
        try:
            found, happened = one_history(
                place, chance, seconds=HISTORY_S, fault=fault, without=without
            )
        except NotReadyError as error:
            kind = f"not ready, file system {fault}"
            report.failed(Failure(part=PART, case=number, kind=kind, what=str(error)))
            continue
        report.counts["answers checked in histories"] += found.answers
        if not found.violations:
            report.passed(f"history, file system {fault}")
        for violation in found.violations:
            report.failed(
                Failure(
                    part=PART,
                    case=number,
                    kind=f"{violation.kind}, file system {fault}",
                    what=f"store {violation.store}: {violation.what}\n{happened}",
                )
            )


def planted_and_missed(directory: Path, chance: random.Random) -> list[str]:
    """Return the planted bugs that the checker missed, and the bugs it reported without cause.

    Refusals do not count here; the histories decide whether they are right.
    """
    directory.mkdir()
    stores = ("good", *BUGS)
    with setting(
        directory, chance, stores=stores, fault="bugs", pause_s=0.03, ready=False
    ) as found:
        bounded, eventual = (Mode.LATEST, Mode.BOUND), (Mode.EVENTUAL,)
        # Other modes wait, or are refused, where a position is ahead.
        seen = (Mode.MONOTONIC, Mode.TOKEN)
        readers = [
            _reader(found, ("good",)),
            _reader(found, ("bound",), modes=bounded),
            _reader(found, ("twice",), modes=eventual, shapes=(Shape.RANGE,)),
            _reader(found, ("torn",), modes=(Mode.SNAPSHOT,), shapes=(Shape.RANGE,)),
            _reader(found, ("early",), modes=eventual),
            _reader(found, ("ahead",), monotonic=True, modes=seen),
            _reader(found, ("stale",), monotonic=True, modes=seen, shapes=(Shape.LOOKUP,)),
            _reader(found, ("undead", "dropped"), modes=eventual, shapes=(Shape.RANGE,)),
            _reader(found, ("lost", "expired"), modes=eventual, shapes=(Shape.WHOLE,)),
        ]

        def kinds() -> set[tuple[str, str]]:
            return {(violation.store, violation.kind) for violation in found.history.violations}

        with reading(readers):
            deadline = time.monotonic() + PLANTED_S
            while time.monotonic() < deadline:
                missed = set(BUGS.items()) - kinds()
                if not missed:
                    break
                sought = {store for store, _ in missed}
                for reader in readers:
                    if "good" not in reader.stores and sought.isdisjoint(reader.stores):
                        reader.stopped.set()  # the others find theirs sooner then
                if sought == {"early"}:
                    found.lose_replicas()
                    found.gateway.wait_until_ready()
                time.sleep(0.2)
        found.writer.kill()
        found.gateway.wait_until_ready()
        read_all(found.gateway.dsn, "good", found.history, timeout_s=HEALED_S)
        wrong = [kind for store, kind in kinds() if store == "good" and "SQLSTATE" not in kind]
        return [
            *(bug for bug, kind in BUGS.items() if (bug, kind) not in kinds()),
            *(f"{kind}, of a store without a fault" for kind in wrong),
        ]
