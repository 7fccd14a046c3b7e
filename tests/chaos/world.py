"""The processes and threads of a chaos run: they start, are tended, drain, and are compared."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from stategate.stores.errors import LogError
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from tests.chaos.answers import Answers
from tests.chaos.ledger import ASKED, STORES, TOPIC, Ledger
from tests.chaos.links import Links
from tests.chaos.planted import GATEWAYS
from tests.chaos.planted_pipeline import PIPELINES
from tests.chaos.processes import Driver, Gateway
from tests.chaos.producing import Writer
from tests.chaos.reads.modes import READERS
from tests.chaos.reads.modes import STORES as STORES_OF
from tests.chaos.reads.questions import HttpReader, PgReader, PlainReader
from tests.chaos.reads.reader import Reader
from tests.chaos.recomputing import Rows, difference, recomputed, records
from tests.chaos.redundancy import Redundancy
from tests.chaos.shapes import Shape
from tests.spark.kafka.broker import Broker
from tests.support.process import ROOT, free_ports, plain_environment

READY_S = 180.0
"""How long a start, or draining at the end, may take on a busy machine."""
_LOOK_S = 0.2
_FLUSH_MS = 60_000
"""How far the last records are after the others: past the end of every session and lateness."""
_UNASKED_MAX = 5
"""Drivers that end without a reason before a wait is given up."""
_READERS, _PATIENT = 14, 12
"""Readers of what was just written over each protocol, and those of them that wait for it."""
_WAITED = "WITH BOUND (LATEST), WAIT '20 s'"


class ChaosError(Exception):
    """The run itself could not go on, and why."""


@dataclass(slots=True, kw_only=True)
class World:
    """All of a run. Everything but readers and the writer belongs to one thread.

    Args:
        directory: for the log, the replicas and the output of all processes.
        broker: a running broker without the topic.
        chance: draws keys, questions and faults.
        plant: the fault that is planted into the gateways, or into the pipeline.
        nodes: how many gateways make one cluster; 0 for two that know nothing of each other.
        older: the sources from which the nodes of a cluster are started first; None for ours.
    """

    directory: Path
    broker: Broker
    chance: random.Random
    plant: str = "none"
    nodes: int = 0
    older: Path | None = None
    ended: Counter[str] = field(default_factory=Counter)
    """Why drivers ended by themselves, and how often."""
    answers: Answers = field(default_factory=lambda: Answers(Ledger()))
    writer: Writer = field(init=False)
    gateways: list[Gateway] = field(init=False)
    links: Links | None = None
    """Those between the nodes of a cluster."""
    drivers: list[Driver] = field(default_factory=list)
    """Those that live, the newest last."""
    extras: dict[str, set[str]] = field(default_factory=dict)
    """Store → columns that the next driver adds."""
    rests: bool = False
    """Whether no driver is wanted, because a store is rebuilt."""
    readers: list[Reader] = field(init=False)
    plain: list[PlainReader] = field(init=False)
    """Those whose statements may not fail, one for each node of a cluster."""
    redundancy: Redundancy = field(init=False)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _lives: int = 0
    _unasked: int = 0
    """How many drivers have ended without a reason."""

    def __post_init__(self) -> None:
        self.writer = Writer(
            broker=self.broker,
            ledger=self.answers.ledger,
            chance=random.Random(self.chance.random()),
            stopped=self._stopped,
            pause_s=0.15,
        )
        fault = self.plant if self.plant in GATEWAYS else "none"
        self.gateways = self._cluster(fault) if self.nodes else self._pair(fault)
        self.readers = [
            kind(
                **self._given(f"{kind.__name__} {number}", number),
                is_patient=number < _PATIENT,
            )
            for kind in (HttpReader, PgReader)
            for number in range(_READERS)
        ]
        self.readers += [
            made(
                **self._given(f"{kind}, {made.__name__}", number),
                kind=kind,
                stores=STORES_OF.get(kind, ASKED),
            )
            for number, (kind, makers) in enumerate(READERS.items())
            for made in makers
        ]
        self.redundancy = Redundancy(self.gateways, copies=2 if self.nodes else 1)
        self.plain = [
            PlainReader(**self._given(f"PlainReader {number}", number))
            for number in range(self.nodes)
        ]
        self.readers += self.plain

    def _given(self, name: str, number: int) -> dict[str, Any]:
        """Return the arguments that all readers take, with the gateway to ask first."""
        return {
            "name": name,
            "gateways": self._from(number),
            "answers": self.answers,
            "acknowledged": self.writer.acknowledged,
            "chance": random.Random(self.chance.random()),
            "stopped": self._stopped,
        }

    def _pair(self, fault: str) -> list[Gateway]:
        # Faults are planted into the processes that we start, and workers are not among them.
        workers = () if fault in GATEWAYS else ("--workers", "2")
        return [
            Gateway(name=name, root=self.root, directory=self.directory, fault=fault, more=more)
            for name, more in (("one", ()), ("two", workers))
        ]

    def _cluster(self, fault: str) -> list[Gateway]:
        names = [f"node{number}" for number in range(self.nodes)]
        self.links = Links(dict(zip(names, free_ports(self.nodes), strict=True)))
        return Gateway.cluster(self.links, self.root, self.directory, fault, self.older or ROOT)

    def _from(self, number: int) -> list[Gateway]:
        first = number % len(self.gateways)
        return self.gateways[first:] + self.gateways[:first]

    @property
    def root(self) -> Path:
        """The state log."""
        return self.directory / "log"

    def begin(self) -> None:
        """Start everything; readers last, when all stores have rows.

        Raises:
            ChaosError: something does not start.
        """
        self.root.mkdir()
        self.broker.create(TOPIC, self.writer.partitions)
        self.start_driver()
        self._start_thread(self.writer.run)
        self.wait(lambda: all(self._has(s, self.writer.first) for s in ASKED), "the first epochs")
        for gateway in self.gateways:
            gateway.start({})
        self.wait(self.are_ready, "the gateways")
        for reader in self.readers:
            self._start_thread(reader.run)

    def start_driver(self) -> None:
        """Start one more driver."""
        self._lives += 1
        fault = self.plant if self.plant in PIPELINES else "none"
        more = json.dumps({store: sorted(names) for store, names in self.extras.items()})
        arguments = [str(self.root), self.broker.address, more]
        self.drivers.append(Driver.start(arguments, self.directory, self._lives, fault))

    def restart(self, gateway: Gateway, *, fresh: bool = False) -> None:
        """Start a gateway again; with `fresh`, over empty replicas.

        It is ready with all that was read before. In a cluster another node may answer for it,
        which has just gone on after a pause: only a bound tells what an answer must reflect.
        """
        newest = {} if self.nodes else self.answers.newest()
        # A store that was made anew may have got less far.
        floor = {store: at for store, at in newest.items() if self._has(store, at)}
        gateway.start(floor, fresh=fresh)

    def remove(self, store: str) -> None:
        """Remove a store from the log, with what its pipeline has read.

        Answers may then have lesser positions, also at gateways that have just started.
        """
        self.answers.changes.make_anew(store)
        for gateway in self.gateways:
            gateway.floor = {name: at for name, at in gateway.floor.items() if name != store}
        for number, place in enumerate((self.root / "_checkpoints" / store, self.root / store)):
            removed = self.directory / f"removed{number}"
            place.rename(removed)
            shutil.rmtree(removed)

    def has_epoch(self, store: str) -> bool:
        """Whether a store has an epoch."""
        return self._epoch(store) >= 0

    def tend(self) -> None:
        """Note who is ready and who has ended; unless the pipeline rests, there is a driver."""
        for gateway in self.gateways:
            if not gateway.alive and gateway.up_since_s is not None:
                self.answers.violate("a gateway ended by itself", gateway.name)
                self.restart(gateway)
            gateway.look()
        self.redundancy.look()
        if not (self.redundancy.is_whole and (self.links is None or self.links.are_whole)):
            self.answers.changes.lose()
        for driver in self.drivers:
            if not driver.alive:
                self._note_end(driver)
        self.drivers = [driver for driver in self.drivers if driver.alive]
        if not self.drivers and not self.rests:
            self.start_driver()

    def _note_end(self, driver: Driver) -> None:
        """Note that a driver has ended by itself, which it may if something was done to it."""
        driver.kill()
        if driver.killed:
            return
        if driver.terminated and driver.process.returncode == 0:
            return
        lines = driver.said().splitlines() or ["without a word"]
        word = next((line for line in lines if line.startswith("query ")), lines[-1])[:200]
        self.ended[word] += 1
        if driver.terminated or not driver.disturbed:
            self._unasked += 1
            self.answers.violate("a driver ended without a reason", f"{driver.output}: {word}")

    def drain(self) -> None:
        """Write the last records, and wait until all stores have them.

        Raises:
            ChaosError: they have not in time, or a thread has failed.
        """
        self.wait(self.are_ready, "the gateways")
        self.answers.end(time.monotonic())
        self._stop_threads()
        workers: list[Writer | Reader] = [self.writer, *self.readers]
        for each in workers:
            if each.error is not None:
                raise ChaosError(f"a thread has failed: {each.error!r}") from each.error
        self.answers.check()
        end_ms = self.writer.flush_sessions(_FLUSH_MS)
        newest = self.answers.ledger.newest
        self.wait(lambda: all(self._has(store, newest) for store in STORES), "the last records")

        def have_ended() -> bool:
            commit = self._commit("sessions")
            return commit is not None and (commit.watermark_ms or 0) >= end_ms - _FLUSH_MS // 2

        self.wait(have_ended, "the last sessions")

    def differences(self) -> list[str]:
        """Return the differences between all stores and all input; the pipeline ends meanwhile."""
        found = []
        expected = recomputed(records(self.broker.address, self.writer.partitions))
        for gateway in self.gateways:
            for store in STORES:
                sql = self.shape(store).all_rows(store)
                with psycopg.connect(gateway.dsn, autocommit=True) as connection:
                    rows = connection.execute(f"{sql} {_WAITED}".encode()).fetchall()
                told = difference(rows, expected[store])
                found += [f"gateway {gateway.name}, store {store}: {each}" for each in told]
        for driver in self.drivers:
            driver.terminate()
            if driver.process.wait(READY_S) != 0:
                found.append(f"{driver.output}: a driver ended with {driver.process.returncode}")
        for store, read in self._reread().items():
            told = difference(read, expected[store])
            found += [f"read_store, store {store}: {each}" for each in told]
        status, said = _run("stategate.gateway.main", "log", "verify", "--root", str(self.root))
        return found if status == 0 else [*found, f"stategate log verify: {said}"]

    def shape(self, store: str) -> Shape:
        """Return the columns that a store has now."""
        return Shape.of(each.name for each in StoreLog.open(self.root, store).schema().value)

    def _reread(self) -> dict[str, Rows]:
        status, said = _run("tests.chaos.rereading", str(self.root))
        if status != 0:
            raise ChaosError(f"read_store failed: {said}")
        read = json.loads(said.splitlines()[-1])
        return {store: [tuple(row) for row in rows] for store, rows in read.items()}

    def end(self) -> None:
        """End all processes and threads."""
        self._stopped.set()
        for driver in self.drivers:
            driver.kill()
        for gateway in self.gateways:
            gateway.kill()
        self._stop_threads()
        if self.links is not None:
            self.links.close()

    def _stop_threads(self) -> None:
        self._stopped.set()
        for reader in self.readers:
            reader.wake()
        for thread in self._threads:
            thread.join(READY_S)

    def epochs(self) -> dict[str, int]:
        """Return the newest epoch of each store, -1 before the first."""
        return {store: self._epoch(store) for store in STORES}

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Tend all processes until a condition holds.

        Raises:
            ChaosError: it does not in time.
        """
        deadline_s = time.monotonic() + READY_S
        while not condition():
            if time.monotonic() > deadline_s or self._unasked > _UNASKED_MAX:
                ends = "; ".join(self.ended)
                raise ChaosError(f"{what} do not come. Drivers ended by: {ends}")
            self.tend()
            time.sleep(_LOOK_S)

    def are_ready(self) -> bool:
        """Whether all gateways are."""
        return all(gateway.up_since_s is not None for gateway in self.gateways)

    def _start_thread(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _epoch(self, store: str) -> int:
        try:
            return StoreLog.open(self.root, store).latest_epoch()
        except LogError:
            return -1

    def _commit(self, store: str) -> Commit | None:
        epoch = self._epoch(store)
        return StoreLog.open(self.root, store).commit(epoch) if epoch >= 0 else None

    def _has(self, store: str, wanted: Mapping[int, int]) -> bool:
        """Whether the newest epoch of a store reflects these offsets."""
        commit = self._commit(store)
        if commit is None:
            return False
        reached = commit.position.to_dict().get(TOPIC, {})
        return all(reached.get(partition, -1) >= offset for partition, offset in wanted.items())


def _run(module: str, *arguments: str) -> tuple[int, str]:
    """Run one of our programs; return its status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=READY_S,
    )
    return done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr
