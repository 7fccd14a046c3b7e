"""Each kind of read gets answers from a sound gateway, and none of them is wrong."""

from __future__ import annotations

import random
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.answers import Answers
from tests.chaos.ledger import ASKED, Ledger
from tests.chaos.processes import Gateway
from tests.chaos.reads.modes import READERS, STORES
from tests.chaos.reads.reader import Reader
from tests.chaos.small_log import Log
from tests.support.waiting import until

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
EPOCHS_MAX = 300
PAUSE_S = 0.1
ANSWERS = 3
"""Answers of each kind, at least."""


def is_ready(gateway: Gateway) -> bool:
    gateway.look()
    return gateway.up_since_s is not None


def readers_of(log: Log, gateway: Gateway, answers: Answers, stop: threading.Event) -> list[Reader]:
    return [
        made(
            name=f"{kind}, {made.__name__}",
            gateways=[gateway],
            answers=answers,
            acknowledged=log.acknowledged,
            chance=random.Random(1),
            stopped=stop,
            kind=kind,
            stores=STORES.get(kind, ASKED),
            pause_s=0.05,
        )
        for kind, makers in READERS.items()
        for made in dict.fromkeys(makers)
    ]


def test_each_kind_of_read_finds_nothing_wrong_in_a_sound_gateway(tmp_path: Path) -> None:
    answers, stopped = Answers(Ledger()), threading.Event()
    log = Log(tmp_path / "log", [answers.ledger])
    for epoch in range(8):
        log.write(epoch)
    gateway = Gateway(name="sound", root=log.root, directory=tmp_path)
    readers = readers_of(log, gateway, answers, stopped)
    threads = [threading.Thread(target=each.run) for each in readers]
    gateway.start({})
    try:
        until(partial(is_ready, gateway), 60)
        for thread in threads:
            thread.start()
        for epoch in range(8, EPOCHS_MAX):
            log.write(epoch)
            time.sleep(PAUSE_S)
            answers.check()
            if all(answers.checked[kind] >= ANSWERS for kind in READERS):
                break
    finally:
        stopped.set()
        for reader in readers:
            reader.wake()
        for thread in threads:
            if thread.ident is not None:
                thread.join(60)
        gateway.kill()
    assert [each.error for each in readers] == [None] * len(readers)
    assert answers.shown == []
    assert {kind for kind in READERS if answers.checked[kind] < ANSWERS} == set()
