"""What a client's connection keeps by name, as `pg_cursors` and `pg_prepared_statements` list it.

Cursors and prepared statements belong to whoever serves the client; a session only knows whom to
ask.
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
