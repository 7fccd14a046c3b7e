"""Busy-polls briefly after each answer, so a back-to-back query avoids a sleep and wake-up.

A client that sends queries one after another sends the next one some 20 µs after an answer. Putting
a core to sleep and waking it costs as much as a lookup, and more on a virtual machine. Polling
costs at most the core that such a client keeps busy anyway.

Where cores are slow or shared, or another node has to answer first, the next message takes longer.
If one arrives soon after polling has ended, the next polling is long enough for such a wait.
"""

from __future__ import annotations

import asyncio
import time

from stategate.gateway.thread_settings import usable_cores

_SKIPPED_ANSWERS = 100
"""Answers without polling after several clients were seen; then polling is tried again."""
_LONGEST = 6
"""The longest polling, as a multiple of the shortest. A sleep hardly lengthens longer waits."""
_clock_ns = time.perf_counter_ns


class BusyPoll:
    """The busy-polling of one event loop; used in its thread only.

    Args:
        linger_us: how long to poll after the last answer, at least; 0 turns polling off.
        cores: cores that the process may use. On a single core, polling would keep the client
            from running, so it is off.
    """

    __slots__ = (
        "_is_polling",
        "_last",
        "_linger_ns",
        "_loop",
        "_shortest_ns",
        "_to_skip",
        "_until_ns",
    )

    def __init__(self, linger_us: int, *, cores: int | None = None) -> None:
        self._shortest_ns = linger_us * 1000 if (cores or usable_cores()) > 1 else 0
        self._linger_ns = self._shortest_ns
        """How long to poll now; adapted to the last wait that was longer."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._until_ns = 0
        self._is_polling = False
        self._last = 0
        """The identity of the last client; a number, so that no client is kept."""
        self._to_skip = 0
        """Further answers after which polling is skipped."""

    def answered(self, client: object = None) -> None:
        """Start or extend polling, because a client that got an answer may send more.

        Args:
            client: what is the same object for each answer to one client; None for other nodes,
                which are asked and answered between the answers to a client.
        """
        if not self._shortest_ns:
            return
        if self._to_skip:
            self._to_skip -= 1
            return
        last = self._last
        if client is not None:
            self._last = id(client)
        now_ns = _clock_ns()
        if not self._is_polling:
            self._adapt(now_ns - (self._until_ns - self._linger_ns))
            self._is_polling = True
            self._loop = asyncio.get_running_loop()
            self._loop.call_soon(self._poll)
        elif last != self._last:
            # Several clients are active: the loop hardly sleeps, and polling would delay them.
            self._to_skip = _SKIPPED_ANSWERS
            return
        self._until_ns = now_ns + self._linger_ns

    def _adapt(self, waited_ns: int) -> None:
        """Poll for twice the last wait, unless that was too long to be polled through."""
        longest_ns = _LONGEST * self._shortest_ns
        wanted_ns = 2 * waited_ns if waited_ns < longest_ns else 0
        self._linger_ns = max(self._shortest_ns, min(wanted_ns, longest_ns))

    def _poll(self) -> None:
        """Poll once: a loop with a callback to run checks its sockets without waiting."""
        if self._loop is not None and not self._to_skip and _clock_ns() < self._until_ns:
            self._loop.call_soon(self._poll)
        else:
            self._is_polling = False
