"""Sends the answers of one turn of the event loop together, where many clients wait for one.

To send a few bytes to a program on the same machine takes some 5 µs, and to wake that program 10 µs
more on a virtual machine, which is as long as a lookup. If the questions of many clients have
arrived, which are often connections of one program, all are answered before the first answer is
sent: then the first wakes the program, and the others find it awake. With few clients it would
only be kept waiting, so their answers are sent one by one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter

logger = logging.getLogger(__name__)

MANY = 6
"""Answers of one turn from which on the next turn holds its answers, too."""
HELD_MAX, HELD_S = 32, 0.001
"""Answers that are held at most, and for how long: some take milliseconds, and the first waits."""
SKIPPED = 100
"""Answers that are sent one by one after a turn with few; then a turn is tried again."""


class Turns:
    """The turns of one event loop; used in its thread only."""

    __slots__ = ("_answers", "_held", "_until_s", "to_skip")

    def __init__(self) -> None:
        self._held: list[Callable[[], None]] = []
        self._until_s = 0.0
        self._answers = 0
        """Answers of this turn, sent or not."""
        self.to_skip = 0
        """Further answers that are sent at once; whoever sends one counts it."""

    def hold(self, send: Callable[[], None]) -> None:
        """Call a function at the end of this turn, or when enough answers are held."""
        held = self._held
        held.append(send)
        self._answers += 1
        if self._answers == 1:
            asyncio.get_running_loop().call_soon(self._end)
        if len(held) == 1:
            self._until_s = perf_counter() + HELD_S
        elif len(held) >= HELD_MAX or perf_counter() > self._until_s:
            self._send()

    def _end(self) -> None:
        if self._answers < MANY:
            self.to_skip = SKIPPED
        self._answers = 0
        self._send()

    def _send(self) -> None:
        held, self._held = self._held, []
        for send in held:
            try:
                send()
            except Exception:  # of one client; the others wait for their answers
                logger.exception("an answer could not be sent")
