"""Scratch directories of processes that were killed go at the next start; others stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stategate.stores.log.files import scratch
from stategate.stores.log.files.locking import lock_of, unlock
from stategate.stores.log.files.scratch import PREFIX, Scratch, remove_abandoned, remove_quietly
from tests.support.process import started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no locks of directories")

_MAKE = """
import sys
from pathlib import Path
from stategate.stores.log.files.scratch import Scratch
made = Scratch(Path(sys.argv[1]))
(made.path / "replica").mkdir()
print(made.path, flush=True)
sys.stdin.read()
"""


def test_a_killed_process_leaves_nothing_for_good(tmp_path: Path) -> None:
    with started(
        [sys.executable, "-c", _MAKE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        remove_abandoned(tmp_path)
        assert (path / "replica").exists(), "its process lives"
        process.send_signal(signal.SIGKILL)
    assert path.exists()
    remove_abandoned(tmp_path)
    assert not path.exists()


def test_a_directory_is_kept_until_it_is_removed(tmp_path: Path) -> None:
    made = Scratch(tmp_path)
    remove_abandoned(tmp_path)
    assert made.path.exists()
    made.remove(remove_quietly)
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_is_removed(tmp_path: Path) -> None:
    (tmp_path / "stategate-older").mkdir()
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.iterdir())
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_one_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[Path] = []

    def lock(directory: Path, *, waits: bool = True) -> int | None:
        if waits and not removed:
            removed.append(directory)
            remove_abandoned(tmp_path)
        return lock_of(directory, waits=waits)

    with monkeypatch.context() as patch:
        patch.setattr(scratch, "lock_of", lock)
        made = Scratch(tmp_path)
    assert made.path != removed[0]
    assert not removed[0].exists()
    made.remove()


def test_a_lock_ends_with_its_owner(tmp_path: Path) -> None:
    first = lock_of(tmp_path)
    assert first is not None
    assert lock_of(tmp_path, waits=False) is None
    unlock(first)
    second = lock_of(tmp_path, waits=False)
    assert second is not None
    os.close(second)
    assert lock_of(tmp_path / "missing") is None
