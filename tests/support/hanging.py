"""Local files that hang, as those of a mount whose server is gone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from stategate.stores.log.files.local import LocalFiles
from tests.support.waiting import WAIT_S

_CALLS = ("read", "names", "stamps", "names_changed_ns", "has", "size_of", "open_input", "chunks")


class HangingFiles:
    """Lets the calls for files hang whose paths have some text in them, until it is told to end."""

    def __init__(self, part: str) -> None:
        self._part = part
        self.hangs = threading.Event()
        """Set once a call hangs."""
        self.calls: list[str] = []
        """The paths of the calls that have hung."""
        self._let_go = threading.Event()

    def wait(self, path: str) -> None:
        """Hang if the path is one of them."""
        if self._part in path and not self._let_go.is_set():
            self.calls.append(path)
            self.hangs.set()
            assert self._let_go.wait(2 * WAIT_S), "a test has to let go"

    def let_go(self) -> None:
        """Let all calls go on."""
        self._let_go.set()


@contextmanager
def hanging(monkeypatch: pytest.MonkeyPatch, part: str) -> Iterator[HangingFiles]:
    """Let local files hang whose paths have some text in them."""
    files = HangingFiles(part)
    with monkeypatch.context() as patches:
        for name in _CALLS:
            call = getattr(LocalFiles, name)

            def slow(self: LocalFiles, path: str, *args: Any, call: Any = call) -> Any:
                files.wait(path)
                return call(self, path, *args)

            patches.setattr(LocalFiles, name, slow)
        try:
            yield files
        finally:
            files.let_go()
