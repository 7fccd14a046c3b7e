"""What the server of the clients lists: their connections, and what each keeps by name.

`pg_cursors`, `pg_prepared_statements`, `pg_stat_activity` and `pg_locks` have these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stategate.planner.values.advisory_locks import LockTable


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCursor:
    """A row of `pg_cursors`."""

    name: str
    sql: str
    hold: bool
    binary: bool
    scroll: bool
    created_us: int
    """Epoch microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedStatement:
    """A row of `pg_prepared_statements`."""

    name: str
    sql: str
    prepared_us: int
    """Epoch microseconds."""
    parameter_oids: tuple[int, ...]
    from_sql: bool
    """Whether PREPARE made it, not a message of the protocol."""


class Listing(Protocol):
    """Lists the cursors and statements of a connection."""

    def cursors(self) -> Sequence[ListedCursor]:
        """Return the open cursors."""

    def prepared(self) -> Sequence[ListedStatement]:
        """Return the prepared statements that have names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A row of `pg_stat_activity`: a connected client."""

    pid: int
    """The client's `pg_backend_pid()`."""
    user: str
    application_name: str
    address: str | None
    port: int | None
    started_us: int
    """Epoch microseconds."""
    state: str
    """`active`, `idle`, `idle in transaction` or `idle in transaction (aborted)`."""


class Backends(Protocol):
    """Lists all connected clients, and acts on them, from any thread."""

    locks: LockTable | None
    """The advisory locks of all clients; None if not all clients meet there."""

    def listed(self) -> Sequence[ListedSession]:
        """Return all connected clients."""

    def cancel_backend(self, pid: int) -> bool:
        """Cancel a client's statement; return whether the client is connected."""

    def terminate(self, pid: int) -> bool:
        """End a client's connection; return whether the client is connected."""
