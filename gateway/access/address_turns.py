"""Turns of the clients of one address at having their passwords checked.

Whoever guesses need not wait for a delayed answer: silence says "wrong" as well. So a failure takes
one of the address's few places until its answer is due, even if the client has left, and the next
attempt waits for a place. It waits for a limited time, since its password may be right.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from stategate.gateway.access.login_throttle import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """How many attempts of one address are checked, and how long others wait."""

    failing_max: int = 16
    """Accounts of an address whose failures wait for their answers, before further attempts wait.
    So many clients with old passwords, each of another account, delay no one."""
    wait_s_max: float = 4.0
    """Longest wait for a place, then an attempt is checked anyway. Shorter than the usual 5 s of
    HTTP clients."""
    waiting_max: int = 1_000
    """Attempts of an address that wait; for a further one the oldest is checked. Each protocol has
    250 unauthenticated connections of an address, so the others have left."""


@dataclass(slots=True)
class _Active:
    """An address while attempts of it are being checked or answered."""

    users: int = 0
    failing: Counter[bytes] = field(default_factory=Counter)
    """The failures that wait for their answers, by account."""
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)


class AddressTurns:
    """The attempts that are being checked or answered. Used on the event loop only.

    Args:
        limits: numbers and times.
    """

    def __init__(self, limits: TurnLimits | None = None) -> None:
        self._limits = limits or TurnLimits()
        self._active: dict[str, _Active] = {}

    def __len__(self) -> int:
        """Return the number of addresses with attempts that are not answered yet."""
        return len(self._active)

    async def wait(self, attempt: Attempt) -> None:
        """Wait for a place, for a limited time."""
        with self._using(attempt) as active:
            if not self._is_full(active):
                return
            turn = asyncio.get_running_loop().create_future()
            active.waiting.append(turn)
            if len(active.waiting) > self._limits.waiting_max:
                _wake(active)
            try:
                await asyncio.wait((turn,), timeout=self._limits.wait_s_max)
            finally:
                if not turn.done():
                    active.waiting.remove(turn)

    @asynccontextmanager
    async def alone(self, attempt: Attempt) -> AsyncIterator[None]:
        """Wait until no other attempt of the address is inside.

        The thread that checks passwords takes attempts in turn, so each address has one there.
        """
        with self._using(attempt) as active:
            async with active.checking:
                yield

    @contextmanager
    def failing(self, attempt: Attempt) -> Iterator[None]:
        """Take a place for a failure whose answer waits; all of one account take one together."""
        with self._using(attempt) as active:
            active.failing[attempt.account] += 1
            try:
                yield
            finally:
                active.failing[attempt.account] -= 1
                if not active.failing[attempt.account]:
                    del active.failing[attempt.account]
                if not self._is_full(active):
                    _wake(active)

    def _is_full(self, active: _Active) -> bool:
        return len(active.failing) >= self._limits.failing_max

    @contextmanager
    def _using(self, attempt: Attempt) -> Iterator[_Active]:
        active = self._active.setdefault(attempt.network, _Active())
        active.users += 1
        try:
            yield active
        finally:
            active.users -= 1
            if not active.users:
                del self._active[attempt.network]


def _wake(active: _Active) -> None:
    """Let the attempt that has waited longest go on."""
    while active.waiting:
        turn = active.waiting.popleft()
        if not turn.done():
            turn.set_result(None)
            return
