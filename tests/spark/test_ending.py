"""A program ends after the batches that run in it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

from stores.spark.ending import Batches
from tests.support.process import ROOT

PROGRAM = """
import threading, time
from stores.spark.ending import BATCHES

begun = threading.Event()

def batches():
    for name in ("first", "second"):
        with BATCHES.running():
            begun.set()
            time.sleep(0.5)
            print(name, flush=True)
        time.sleep(0.3)

threading.Thread(target=batches, daemon=True).start()
begun.wait()
"""


def test_a_program_waits_for_its_batch_and_begins_no_other() -> None:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (found.stdout, found.stderr) == ("first\n", "")


def test_the_wait_has_an_end() -> None:
    batches, begun, ended = Batches(), threading.Event(), threading.Event()

    def run() -> None:
        with batches.running():
            begun.set()
            ended.wait()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    before = time.monotonic()
    assert not batches.end(timeout_s=0.05)
    assert time.monotonic() - before >= 0.05
    ended.set()
    thread.join()


def test_a_program_without_a_batch_ends_at_once() -> None:
    assert Batches().end(timeout_s=0.0)


def test_a_batch_that_fails_has_ended() -> None:
    batches = Batches()
    try:
        with batches.running():
            raise ValueError
    except ValueError:
        pass
    assert batches.end(timeout_s=0.0)
