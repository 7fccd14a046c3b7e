"""Readers and checker find each planted gateway, and nothing in a sound one, over a small log."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.answers import Answers
from tests.chaos.ledger import Ledger
from tests.chaos.planted import GATEWAYS
from tests.chaos.planted_reads import READS
from tests.chaos.processes import Gateway
from tests.chaos.reads.questions import HttpReader, PgReader
from tests.chaos.reads.reader import Reader
from tests.chaos.reads.small_log import Log
from tests.support.waiting import until

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

FOUND = {
    "none": set(),
    "ahead": {"a row is not that of its position"},
    "deaf": {"an answer is older than its bound"},
    "lost": {"a row is not that of its position"},
    "undead": {"a row that does not exist is there"},
}
"""Fault → violations, one of which must be found."""
EPOCHS, EPOCHS_MAX = 24, 300
PAUSE_S = 0.2
ANSWERS = 100
"""Answers of each gateway, at least; on a busy machine they take more epochs."""


@dataclass(slots=True)
class Watch:
    """A gateway with its readers."""

    gateway: Gateway
    answers: Answers
    readers: list[Reader]
    threads: list[threading.Thread] = field(default_factory=list)


@pytest.fixture
def stopped() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def watched(log: Log, directory: Path, fault: str, stopped: threading.Event) -> Watch:
    gateway = Gateway(name=fault, root=log.root, directory=directory, fault=fault)
    answers = Answers(Ledger())
    log.ledgers.append(answers.ledger)
    found: list[Reader] = [
        kind(
            name=kind.__name__,
            gateways=[gateway],
            answers=answers,
            acknowledged=log.acknowledged,
            chance=random.Random(1),
            stopped=stopped,
            is_patient=is_patient,
            pause_s=0.01,
        )
        for kind in (HttpReader, PgReader)
        for is_patient in (True, False)
    ]
    return Watch(gateway, answers, found)


def is_ready(gateway: Gateway) -> bool:
    gateway.look()
    return gateway.up_since_s is not None


def write_until_found(log: Log, watches: Mapping[str, Watch]) -> None:
    """Write epochs until each gateway has given enough answers, and its defect has shown."""
    for epoch in range(1, EPOCHS_MAX):
        log.write(epoch)
        time.sleep(PAUSE_S)
        least = min(watch.answers.answered.total() for watch in watches.values())
        if epoch >= EPOCHS and least >= ANSWERS and all(map(is_found, watches, watches.values())):
            return


def is_found(fault: str, watch: Watch) -> bool:
    watch.answers.check()
    return not FOUND[fault] or bool(FOUND[fault] & set(watch.answers.violations))


def test_each_planted_defect_is_found(tmp_path: Path, stopped: threading.Event) -> None:
    assert set(FOUND) == {"none", *GATEWAYS} - {*READS}
    log = Log(tmp_path / "log", [])
    watches = {fault: watched(log, tmp_path, fault, stopped) for fault in FOUND}
    log.write(0)
    try:
        for watch in watches.values():
            watch.gateway.start({})
        for watch in watches.values():
            until(partial(is_ready, watch.gateway), 60)
            watch.threads = [threading.Thread(target=each.run) for each in watch.readers]
            for thread in watch.threads:
                thread.start()
        write_until_found(log, watches)
        stopped.set()
        for watch in watches.values():
            for thread in watch.threads:
                thread.join(30)
    finally:
        stopped.set()
        for watch in watches.values():
            watch.gateway.kill()
    for fault, watch in watches.items():
        assert [each.error for each in watch.readers] == [None] * 4
        assert watch.answers.answered.total() >= ANSWERS
        watch.answers.check()
        if fault == "none":
            assert watch.answers.shown == []
        else:
            assert FOUND[fault] & set(watch.answers.violations), (fault, watch.answers.violations)
