"""What a client needs of the server."""

from __future__ import annotations

from typing import Protocol, TypeVar

from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.dialog import Work
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.turns import Turns
from stategate.planner.engine import Backends, Engine

C_contra = TypeVar("C_contra", contravariant=True)


class Host(Backends, Protocol[C_contra]):
    """The interface of the server that a client needs."""

    engine: Engine
    threads: StatementThreads
    limits: PgLimits
    server_version: str
    access: Access
    tls: Tls | None
    busy_poll: BusyPoll
    turns: Turns

    def enter(self, client: C_contra, /) -> None:
        """Count a new connection."""

    def leave(self, client: C_contra, /) -> None:
        """Forget a connection that has closed and runs nothing."""

    def admit(self, client: C_contra, user: str, /) -> None:
        """Give the client of a user its `process_id`; a QueryError says that there is no place."""

    def cancel(self, process_id: int, secret_key: bytes) -> Work | None:
        """Cancel the statement of the client with this process id, if the key is right.

        Returns:
            What remains to be awaited, if another process has the client.
        """
