"""The setup of each process of a gateway."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from stategate.gateway.process_setup import accept_signals
from tests.support.process import blocked_signals

_PROGRAM = """
import sys
from stategate.gateway.process_setup import leave_pandas_out

leave_pandas_out()
import pyarrow as pa

numbers = pa.array([1, None, 3])
print("pandas" in sys.modules, "_NoPandas" in [type(each).__name__ for each in sys.meta_path])
print(numbers.to_pandas().sum(), "pandas" in sys.modules)
leave_pandas_out()
print(pa.array(numbers.to_pandas(), from_pandas=True).null_count)
"""


def test_pandas_is_loaded_only_if_someone_asks_for_it() -> None:
    """Otherwise Arrow loads it with the first array, in each process."""
    found = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=120, check=True
    )
    assert found.stdout.split("\n") == ["False False", "4.0 True", "1", ""]


def test_commands_load_the_engine_only_if_they_need_it() -> None:
    """Otherwise help, settings and errors in options take five times as long."""
    code = (
        "import sys, stategate.gateway.main;"
        "print({'pyarrow', 'sqlglot', 'stategate.stores'} & sys.modules.keys())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_signals_that_were_blocked_or_ignored_are_accepted() -> None:
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handler = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with blocked_signals(*stopping, signal.SIGCHLD, signal.SIGUSR2):
            accept_signals()
            assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGUSR2}
        assert subprocess.run(["/bin/sh", "-c", "exit 3"], check=False).returncode == 3
    finally:
        signal.signal(signal.SIGCHLD, handler)


_SLICES = """
import ctypes, struct, sys, threading
from stategate.gateway.short_slices import take_short_slices

def slice_ns():
    held = ctypes.create_string_buffer(48)
    get = {"x86_64": 315, "aarch64": 275}[sys.argv[1]]
    assert ctypes.CDLL(None).syscall(get, 0, held, 48, 0) == 0
    return struct.unpack("IIQiIQQQ", held.raw)[5]

found = [slice_ns()]
take_short_slices()
found.append(slice_ns())
other = threading.Thread(target=lambda: found.append(slice_ns()))
other.start()
other.join()
print(*found)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has slices")
def test_only_the_thread_that_asks_has_short_slices() -> None:
    command = [sys.executable, "-c", _SLICES, os.uname().machine]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    before, after, other = map(int, found.split())
    assert after == (100_000 if before else 0), "kernels before 6.12 have no slice to ask for"
    assert other == before
