"""The connections of a server without a socket, for sessions that are made in a test."""

from __future__ import annotations

from collections.abc import Sequence

from stategate.gateway.advisory_locks import AdvisoryLocks
from stategate.planner.engine import ListedSession, LockTable


class NoBackends:
    """No connection, and a table of locks for sessions that say they have one."""

    def __init__(self) -> None:
        self.locks: LockTable | None = AdvisoryLocks()

    def listed(self) -> Sequence[ListedSession]:
        """Return no connection."""
        return ()

    def cancel_backend(self, pid: int) -> bool:
        """Return False: no such client is connected."""
        return pid < 0

    def terminate(self, pid: int) -> bool:
        """Return False: no such client is connected."""
        return pid < 0
