"""Scratch directories go, although a database may write for a moment after it was closed."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from pathlib import Path

import pytest

from stategate.stores.upkeep import scratch
from stategate.stores.upkeep.scratch import scratch_directory


def test_files_that_appear_while_it_is_removed(tmp_path: Path) -> None:
    with scratch_directory(tmp_path) as path:
        (path / "replica").mkdir()
        end = threading.Event()

        def write() -> None:
            number = 0
            while not end.is_set():
                try:
                    (path / "replica" / str(number)).touch()
                except OSError:
                    return
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        threading.Timer(0.3, end.set).start()
        time.sleep(0.05)
    writer.join()
    assert list(tmp_path.iterdir()) == []


def test_what_stays_is_logged_and_hides_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(f"{path} is not empty")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    monkeypatch.setattr(scratch, "_PAUSE_S", 0)
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(RuntimeError, match="the disk is full"),
        scratch_directory(tmp_path),
    ):
        raise RuntimeError("the disk is full")
    assert "is not empty" in caplog.text
