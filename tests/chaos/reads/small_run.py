"""A gateway over a small log with a reader of each kind, for tests: no pipeline, no broker."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.chaos.answers import Answers
from tests.chaos.ledger import ASKED, Ledger
from tests.chaos.processes import Gateway
from tests.chaos.reads.modes import READERS, STORES
from tests.chaos.reads.reader import Reader
from tests.chaos.reads.small_log import Log
from tests.support.waiting import until

_EPOCHS_MAX = 600
_PAUSE_S = 0.1
_FIRST_EPOCHS = 12
_REBUILT_EACH, _RESTARTED_EACH = 30, 50
"""Epochs from one rebuild, or one killed gateway, to the next."""


@dataclass(slots=True)
class SmallRun:
    """A log, a gateway and readers."""

    log: Log
    gateway: Gateway
    answers: Answers
    readers: list[Reader]
    stopped: threading.Event
    threads: list[threading.Thread] = field(default_factory=list)

    def write_until(self, is_over: Callable[[], bool]) -> None:
        """Write epochs, rebuild stores and kill the gateway until the answers are enough."""
        for epoch in range(_FIRST_EPOCHS, _EPOCHS_MAX):
            self.log.write(epoch)
            time.sleep(_PAUSE_S)
            self.answers.check()
            if is_over():
                return
            if epoch % _RESTARTED_EACH == 0:
                self.gateway.stop(signal.SIGKILL)
                self._start()
            if epoch % _REBUILT_EACH == 0:
                self._rebuild(ASKED[epoch // _REBUILT_EACH % len(ASKED)])

    def _rebuild(self, store: str) -> None:
        self.answers.changes.begin(store)
        self.log.rebuild(store)
        self.answers.changes.end(store)

    def _start(self) -> None:
        self.gateway.start({})
        until(partial(is_ready, self.gateway), 60)

    def begin(self) -> None:
        """Start the gateway, then the readers."""
        self._start()
        self.threads = [threading.Thread(target=each.run) for each in self.readers]
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        """End all threads, then the gateway."""
        self.stopped.set()
        for reader in self.readers:
            reader.wake()
        for thread in self.threads:
            thread.join(60)
        self.gateway.kill()


def is_ready(gateway: Gateway) -> bool:
    """Whether a gateway is ready."""
    gateway.look()
    return gateway.up_since_s is not None


@contextmanager
def small_run(directory: Path, fault: str = "none") -> Iterator[SmallRun]:
    """Give a run over a new log in a directory."""
    answers, stopped = Answers(Ledger()), threading.Event()
    log = Log(directory / "log", [answers.ledger])
    for epoch in range(_FIRST_EPOCHS):
        log.write(epoch)
    gateway = Gateway(name="small", root=log.root, directory=directory, fault=fault)
    readers = [
        made(
            name=f"{kind}, {made.__name__}",
            gateways=[gateway],
            answers=answers,
            acknowledged=log.acknowledged,
            chance=random.Random(number),
            stopped=stopped,
            kind=kind,
            stores=STORES.get(kind, ASKED),
            pause_s=0.05,
        )
        for number, (kind, makers) in enumerate(READERS.items())
        for made in dict.fromkeys(makers)
    ]
    run = SmallRun(log, gateway, answers, readers, stopped)
    try:
        run.begin()
        yield run
    finally:
        run.end()
