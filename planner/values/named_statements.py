"""What only whoever serves the clients knows: the connections, and what each keeps by name.

`pg_cursors`, `pg_prepared_statements` and `pg_stat_activity` list it; a session knows whom to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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
    """Made by PREPARE, not by a message of the protocol."""


class Listing(Protocol):
    """What knows of them."""

    def cursors(self) -> Sequence[ListedCursor]:
        """All that are open."""

    def prepared(self) -> Sequence[ListedStatement]:
        """All that have names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A row of `pg_stat_activity`: a client that is connected."""

    pid: int
    """What `pg_backend_pid()` gives it."""
    user: str
    application_name: str
    address: str | None
    port: int | None
    started_us: int
    """Epoch microseconds."""
    state: str
    """`active`, `idle`, `idle in transaction` or `idle in transaction (aborted)`."""


class Backends(Protocol):
    """What knows of all clients that are connected, and can act on them. From any thread."""

    def listed(self) -> Sequence[ListedSession]:
        """All of them."""

    def cancel_backend(self, pid: int) -> bool:
        """Cancel what a client runs; whether there is such a client."""

    def terminate(self, pid: int) -> bool:
        """End a client's connection; whether there is such a client."""
