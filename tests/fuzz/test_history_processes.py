"""Processes and mounts of a history end with it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.history_processes import small_disk, waited
from tests.support.process import ROOT, plain_environment

PROGRAM = """
import sys
from pathlib import Path
from tests.fuzz.history_processes import WriterProcess, small_disk
from tests.fuzz.history_model import History

place = Path(sys.argv[1])
with small_disk(place / "disk", size_bytes=16 << 20, coarse=sys.argv[2] == "coarse") as mounted:
    root = place / "disk" / "root"
    writer = WriterProcess(
        root=root, directory=place, stores=["good"], history=History(place=hash), pause_s=0.02
    )
    writer.start()
    assert writer.wait_for(1, timeout_s=60), writer.refusals
    print(mounted, writer._process.pid, flush=True)
    sys.stdin.read()
"""


def runs(pid: int) -> bool:
    """Whether a process runs, and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()


def terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Signal the whole process group, as a terminal does."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.parametrize("end", [kill, terminate, interrupt])
@pytest.mark.parametrize("disk", ["fine", "coarse"])
def test_a_history_that_is_killed_leaves_nothing(
    tmp_path: Path, disk: str, end: Callable[[subprocess.Popen[bytes]], None]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), disk],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        mounted, pid = process.stdout.readline().decode().split()
        assert os.path.ismount(tmp_path / "disk") is (mounted == "True")
        assert runs(int(pid))
        end(process)
    assert waited(lambda: not os.path.ismount(tmp_path / "disk"), 20)
    assert waited(lambda: not runs(int(pid)), 20)


def test_a_disk_is_unmounted_when_its_block_ends(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    with small_disk(place, size_bytes=1 << 20) as mounted:
        assert os.path.ismount(place) is mounted
        (place / "file").write_text("held")
        held = (place / "file").open()
    assert not os.path.ismount(place)
    held.close()
