"""Shows how long a statement has run, and how much of its answer has come."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from rich.console import Console

T = TypeVar("T")

SHOWN_AFTER_S = 1.0
"""Shorter statements show nothing."""
_EACH_S = 0.25
_CLEAR = "\r\x1b[K"


class Progress:
    """A line that is rewritten while the block runs; nothing where there is no terminal.

    Args:
        console: where the line goes.
        after_s: how long nothing is shown.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        console: Console,
        *,
        after_s: float = SHOWN_AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console, self._after_s, self._clock = console, after_s, clock
        self._began_s = clock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.count, self.unit = 0, "rows"
        """How much has come, and of what."""

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            # Ctrl-C may come before the block begins, which then has no end: so the thread ends
            # with this object, too.
            shown = weakref.ref(self), self._ended, self._console, self._after_s
            self._thread = threading.Thread(target=_show, args=shown, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    def note(self, count: int) -> None:
        """Note how much has come."""
        self.count = count

    def end(self) -> None:
        """Remove the line, before other output; repeated calls do nothing."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def line(self) -> str:
        """Return the line as of now."""
        seconds = self._clock() - self._began_s
        came = f", {self.count:,} {self.unit} so far" if self.count else ""
        return f"running for {seconds:.0f} s{came}; Ctrl-C cancels"


def _show(
    found: weakref.ref[Progress], ended: threading.Event, console: Console, after_s: float
) -> None:
    is_over, is_shown = ended.wait(after_s), False
    while not is_over and (progress := found()) is not None:
        console.file.write(_CLEAR + progress.line())
        console.file.flush()
        del progress
        is_over, is_shown = ended.wait(_EACH_S), True
    if is_shown:
        console.file.write(_CLEAR)
        console.file.flush()


def counted(rows: Iterable[T], progress: Progress) -> Iterator[T]:
    """Return rows, and count them as they come."""
    for row in rows:
        progress.count += 1
        yield row
