"""How a command that delivers rows is run."""

from __future__ import annotations

from dataclasses import dataclass

from stategate.planner.engine import Cancellation


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a command is run."""

    cancellation: Cancellation
    simple: bool
    """Whether it is run by the simple protocol, which sends a RowDescription before the rows."""
    in_block: bool
    """Whether its transaction continues after it, as between the statements of one Query."""
    text: str = ""
    """The text of the Query that has it, which pg_prepared_statements and pg_cursors show."""
    rows_max: int = 0
    """The row limit of an Execute; 0 for all rows. COPY ignores it."""
