"""Traces of statements, as other nodes get them, and the reads that nodes record for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

Trace: TypeAlias = tuple[str, str]
"""The headers `traceparent` and `tracestate` (W3C Trace Context) of a statement whose spans are
recorded."""


class TracedRead(Struct, frozen=True, kw_only=True):
    """A read of a partition that has ended."""

    trace: Trace
    """The statement that it was for."""
    store: str
    partition: int
    epoch: int
    """The epoch that was read; -1 if nothing was."""
    rows: int
    reason: str | None
    """Why it has failed; None if it has not."""
    began_ns: int
    ended_ns: int
    """Epoch nanoseconds: when the partition was asked, and when its last row was read."""


OnRead: TypeAlias = Callable[[TracedRead], object]
"""Takes a read, in the thread that has ended it; it must not block."""
