"""The sessions and statements of all workers, as each worker shows them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stategate.gateway.workers.links import WorkerEnd
from stategate.gateway.workers.siblings import Answer, Siblings
from stategate.planner.engine import ListedSession, RunningQueries, RunningQuery, SlowQuery

_SESSIONS, _QUERIES, _SLOW, _METRICS = "sessions", "queries", "slow", "metrics"
_CANCEL, _CANCEL_QUERIES, _SIGNAL, _NOTIFY = "cancel", "cancel_queries", "signal", "notify"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLinks:
    """The links of one worker."""

    supervisor: WorkerEnd
    siblings: Siblings

    def close(self) -> None:
        """Close both links."""
        self.siblings.close()
        self.supervisor.close()


class Sessions(Protocol):
    """The sessions of one worker."""

    def own_sessions(self) -> Sequence[ListedSession]:
        """Return the open sessions."""

    def cancel_own(self, process_id: int, secret_key: bytes) -> None:
        """Cancel the statement of a client, if the key is right."""

    def signal_own(self, pid: int, *, ends: bool) -> bool:
        """Cancel a client's statement or end its connection; return whether it is connected."""


class WholeGateway:
    """The sessions, statements and metrics of the other workers, for the parts of a gateway.

    The number of a session or statement, modulo the number of workers, is the number of its worker.

    Args:
        siblings: the other workers.
    """

    def __init__(self, siblings: Siblings) -> None:
        self._siblings = siblings
        self._number, self._count = siblings.place.number, siblings.place.count

    def own_number(self, drawn: int) -> int:
        """Return the largest number of a session of this worker that is not above `drawn`."""
        return drawn - (drawn - self._number) % self._count

    def query_numbers(self) -> Iterator[int]:
        """Yield numbers for the statements of this worker."""
        return itertools.count(self._count + self._number, self._count)

    def sessions(self) -> Sequence[ListedSession]:
        """Return the sessions of the other workers.

        Raises:
            UnavailableError: one of them does not answer (55000).
        """
        found = self._siblings.ask_all(list[ListedSession], _SESSIONS)
        return [session for sessions in found.values() for session in sessions]

    def queries(self) -> Sequence[RunningQuery]:
        """Return the running statements of the other workers.

        Raises:
            UnavailableError: one of them does not answer (55000).
        """
        found = self._siblings.ask_all(list[RunningQuery], _QUERIES)
        return [query for queries in found.values() for query in queries]

    def slow_queries(self) -> Sequence[SlowQuery]:
        """Return the slow statements of the other workers.

        Raises:
            UnavailableError: one of them does not answer (55000).
        """
        found = self._siblings.ask_all(list[SlowQuery], _SLOW)
        return [query for queries in found.values() for query in queries]

    def metrics(self, accept: str) -> Mapping[int, str]:
        """Return the metrics of the other workers, as text in the format of an Accept header.

        Raises:
            UnavailableError: one of them does not answer (55000).
        """
        return self._siblings.ask_all(str, _METRICS, accept)

    @property
    def worker(self) -> int:
        """The number of this worker."""
        return self._number

    async def cancel(self, process_id: int, secret_key: bytes) -> None:
        """Pass on a cancel request; return once the other worker has handled it."""
        await self._siblings.tell(process_id % self._count, _CANCEL, process_id, secret_key.hex())

    async def notify(self, store: str) -> None:
        """Tell the other workers to look for the next epoch of a store."""
        others = [n for n in range(self._count) if n != self._number]
        await asyncio.gather(*(self._siblings.tell(n, _NOTIFY, store) for n in others))

    def signal(self, pid: int, *, ends: bool) -> bool:
        """Cancel the statement of another worker's client, or end its connection.

        Returns:
            Whether the client is connected.

        Raises:
            UnavailableError: that worker does not answer (55000).
        """
        number = pid % self._count
        return number != self._number and self._siblings.ask(number, bool, _SIGNAL, pid, ends)

    def cancel_queries(self, pid: int) -> bool:
        """Cancel what a session of another worker runs; return whether it runs anything.

        Raises:
            UnavailableError: that worker does not answer (55000).
        """
        number = abs(pid) % self._count
        return number != self._number and self._siblings.ask(number, bool, _CANCEL_QUERIES, pid)

    async def answer(
        self,
        *,
        sessions: Sessions,
        queries: RunningQueries,
        metrics: Answer,
        notify: Callable[[str], None],
    ) -> None:
        """Answer the other workers from now on, in the running loop.

        Args:
            sessions: the sessions of this worker.
            queries: the running and the slow statements of this worker.
            metrics: returns the metrics of this worker as text.
            notify: looks for the next epoch of a store in this worker.
        """

        async def own_sessions() -> Sequence[ListedSession]:
            return sessions.own_sessions()

        async def own_queries() -> Sequence[RunningQuery]:
            return queries.own()

        async def own_slow() -> Sequence[SlowQuery]:
            return queries.slow.own()

        async def cancel(process_id: int, key: str) -> None:
            sessions.cancel_own(process_id, bytes.fromhex(key))

        async def signal(pid: int, ends: bool) -> bool:
            return sessions.signal_own(pid, ends=ends)

        async def cancel_queries(pid: int) -> bool:
            return queries.cancel_own(pid)

        async def look(store: str) -> None:
            notify(store)

        await self._siblings.answer(
            {
                _SESSIONS: own_sessions,
                _QUERIES: own_queries,
                _SLOW: own_slow,
                _METRICS: metrics,
                _CANCEL: cancel,
                _CANCEL_QUERIES: cancel_queries,
                _SIGNAL: signal,
                _NOTIFY: look,
            }
        )
