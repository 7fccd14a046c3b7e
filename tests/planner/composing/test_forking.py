"""What a fork server does with its processes."""

from __future__ import annotations

import subprocess
import sys

from tests.planner.composing.databases import WAIT_S

FORK = """
import os
from contextlib import suppress
from stategate.planner.composing.forking import Children

def run(parent):
    raise MemoryError

with suppress(MemoryError):
    Children().fork(run, ())
print("the fork server goes on")
with suppress(ChildProcessError):
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_process_that_fails_does_not_go_on_as_the_fork_server() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=WAIT_S, check=True
    )
    assert done.stdout == "the fork server goes on\n1\n"
    assert "MemoryError()" in done.stderr
