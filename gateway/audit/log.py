"""The file of the audit: lines wait in a bounded queue, and one thread writes them.

Nothing waits for the disk. What does not fit the queue, or cannot be written, is dropped and
counted, and the next line that is written says how many were.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import orjson

from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import Settings

logger = logging.getLogger(__name__)

WAITING_MAX: Final = 10_000
"""Lines that wait to be written, some 5 MB."""
CLOSE_S: Final = 2.0
"""How long the end of the gateway may wait for the disk."""
_TOGETHER_MAX: Final = 500
"""Lines that are written together."""
_STREAMS: Final = {"stderr": 2, "stdout": 1}


class Audit(Protocol):
    """Takes what is to be kept. Safe to use from any thread."""

    def note(self, event: str, /, **fields: object) -> None:
        """Keep an event: its name, and fields without values of statements or secrets."""


class NoAudit:
    """Keeps nothing."""

    def note(self, event: str, /, **fields: object) -> None:
        """Do nothing."""


class AuditLog:
    """The audit of one process. Safe to use from any thread.

    Args:
        place: path of a file, to which lines are added; or `stderr` or `stdout`.
        node: the name of this node, which each line has.
        waiting_max: how many lines may wait to be written.
        clock: epoch seconds.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(
        self,
        place: str,
        *,
        node: str,
        waiting_max: int = WAITING_MAX,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._place, self._node, self._clock = place, node, clock
        self._waiting_max = waiting_max
        self._changed = threading.Condition()
        self._waiting: deque[Mapping[str, object]] = deque()
        self._unsaid = 0
        """Lines that were dropped since the last one that was written."""
        self.dropped = 0
        """Lines that were dropped since the start."""
        self._is_closed = self._must_reopen = False
        self._failed: str | None = None
        self._handle = self._opened()
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)
        self._thread.start()

    def note(self, event: str, /, **fields: object) -> None:
        """Keep an event, unless too many wait: then it is counted only."""
        line = {"at": self._clock(), "node": self._node, "event": event, **fields}
        with self._changed:
            if self._is_closed or len(self._waiting) >= self._waiting_max:
                self._drop(1)
                return
            self._waiting.append(line)
            if len(self._waiting) == 1:
                self._changed.notify()

    def reopen(self) -> None:
        """Go on in a new file of the same name, since the old one was moved away; note it."""
        with self._changed:
            self._must_reopen = True
            self._changed.notify()
        self.note("reload")

    def close(self) -> None:
        """Write what waits, for a while, and take no more; repeated calls do nothing."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join(CLOSE_S)

    def _drop(self, lines: int) -> None:
        self._unsaid += lines
        self.dropped += lines

    def _opened(self) -> int:
        stream = _STREAMS.get(self._place)
        if stream is not None:
            return os.dup(stream)
        # Only the user who runs this may read it: it names users and what they ask.
        return os.open(self._place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not (self._waiting or self._must_reopen or self._is_closed):
                    self._changed.wait()
                if not self._waiting and self._is_closed:
                    break
                reopens, self._must_reopen = self._must_reopen, False
                taken = min(len(self._waiting), _TOGETHER_MAX)
                lines = [self._waiting.popleft() for _ in range(taken)]
                unsaid, self._unsaid = self._unsaid, 0
            self._write(lines, unsaid, reopens=reopens)
        os.close(self._handle)

    def _write(self, lines: list[Mapping[str, object]], unsaid: int, *, reopens: bool) -> None:
        if unsaid:
            said = {"at": self._clock(), "node": self._node, "event": "dropped", "lines": unsaid}
            lines = [said, *lines]
        raw = b"".join(_encoded(line) for line in lines)
        try:
            if reopens:
                self._reopen()
            # Whole lines, each time: processes share a file. The rest of a line that a full disk
            # has cut off ends with the next line feed.
            while raw:
                raw = raw[os.write(self._handle, raw) :]
        except OSError as error:
            with self._changed:
                self._drop(raw.count(b"\n") - bool(unsaid))
                self._unsaid += unsaid
            if self._failed != str(error):
                logger.error("audit not written, place=%s, error=%s", self._place, error)
            self._failed = str(error)
        else:
            self._failed = None

    def _reopen(self) -> None:
        handle = self._opened()
        os.close(self._handle)
        self._handle = handle


def open_audit(settings: Settings) -> AuditLog | None:
    """Return the audit of the settings; None without one.

    Raises:
        SettingsError: its file cannot be opened.
    """
    if not settings.audit:
        return None
    try:
        return AuditLog(settings.audit, node=settings.node)
    except OSError as error:
        raise SettingsError(
            f'setting "audit": {settings.audit} cannot be opened: {error.strerror}',
            hint="Name a file in a directory that exists, or stderr or stdout.",
        ) from error


def _encoded(line: Mapping[str, object]) -> bytes:
    at = line["at"]
    assert isinstance(at, float), "it is the time"
    shown = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at))}.{int(at % 1 * 1000):03}Z"
    try:
        return orjson.dumps({**line, "at": shown}, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a name that is not UTF-8
        plain = {name: repr(value) for name, value in line.items()}
        return orjson.dumps({**plain, "at": shown}, option=orjson.OPT_APPEND_NEWLINE)
