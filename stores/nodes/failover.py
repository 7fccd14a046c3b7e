"""The rows of a partition from one copy, and from the next one if that cannot go on.

All copies have the same rows in the same order at an epoch, so the next one goes on after as many
rows as were read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

import pyarrow as pa
from msgspec import Struct

from stategate.stores.errors import StoreError
from stategate.stores.nodes.links import NodeError
from stategate.stores.spec.query import BatchStream

logger = logging.getLogger(__name__)


class LostError(NodeError):
    """A copy gives no further rows. Another one may have them.

    Args:
        why: what the node did not do, and why, as the end of a sentence about it.
    """


class UnreadableError(LostError):
    """A copy cannot be read, now or later."""

    retryable = False


class Lost(NamedTuple):
    """Why a copy gives no further rows; the error itself would keep its rows in memory."""

    why: str
    retryable: bool


class Unreadable(Struct, frozen=True):
    """A copy that could not be read, so that another one was asked."""

    node: str
    store: str
    partition: int
    why: str


class Releasable(Protocol):
    """What is kept until it is released."""

    def release(self) -> None:
        """Keep it no longer."""


class Copy(Protocol):
    """The rows that one node has."""

    @property
    def node(self) -> str:
        """The name of the node."""

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches from the first one on.

        Raises:
            LostError: there are no further ones.
            NodeError: it refuses what any other node would refuse, too.
            Exception: the reader waits no more.
        """


Reopen = Callable[[Mapping[str, Lost]], Copy]
"""Returns the same rows at another node, or raises a StoreError. It gets why nodes were lost, by
their names, the first one first; none of them is asked."""


def rows_of_copies(first: Copy, reopen: Reopen) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a copy, and go on at others where it is lost.

    A node that was lost is not asked again before another one has sent a further row. So each is
    asked once for what none of them can send.

    Raises:
        StoreError: no node can go on.
        Exception: the reader waits no more.
    """
    copy, rows = first, 0
    lost: dict[str, Lost] = {}
    while True:
        try:
            for batch in _after(copy.rows(), rows):
                rows += batch.num_rows
                if batch.num_rows:
                    lost.clear()
                yield batch
        except LostError as error:
            lost[copy.node] = Lost(str(error), error.retryable)
        else:
            return
        copy = reopen(lost)


class RowsHere:
    """The rows of a stream on this node, and on another one if they cannot be read here.

    Another node would have forgotten its epoch by the time at which damage is found, if the read is
    a long one or begins late, after others of the same question. So the epoch is kept there as soon
    as one of them turns out to be long. Short ones cost no request.

    Args:
        node: the name of this node.
        stream: the stream.
        reopen: opens the same rows at another node.
        keep: keeps the epoch at another node; None if there is no other.
        on_long: called when there is more than one batch.
        on_unreadable: gets why the rows cannot be read.
    """

    def __init__(
        self,
        node: str,
        stream: BatchStream,
        *,
        reopen: Reopen,
        keep: Callable[[], Releasable | None],
        on_long: Callable[[], object],
        on_unreadable: Callable[[str], object],
    ) -> None:
        self.node, self._stream = node, stream
        self._reopen, self._keep = reopen, keep
        self._on_long, self._on_unreadable = on_long, on_unreadable
        self._spare: Releasable | None = None
        self._has_kept = False

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches from the first one on; see `rows_of_copies`."""
        return rows_of_copies(self, self._reopen)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches that this node has; see `Copy`."""
        try:
            for at, batch in enumerate(self._stream):
                if at == 1:
                    self._on_long()
                yield batch
        except MemoryError:  # which no other copy would change
            raise
        except Exception as error:
            why = unreadable(error)
            self._on_unreadable(why)
            raise UnreadableError(f"cannot read its rows: {why}") from None

    def keep(self) -> None:
        """Keep the epoch at another node, unless that was done."""
        if not self._has_kept:
            self._has_kept, self._spare = True, self._keep()

    def __del__(self) -> None:
        if self._spare is not None:
            self._spare.release()


def unreadable(error: Exception) -> str:
    """Return why rows cannot be read. What was not raised on purpose is logged with its place."""
    if isinstance(error, StoreError):
        return str(error)
    logger.error("rows cannot be read", exc_info=error)
    return f"{type(error).__name__}: {error}"


def _after(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield what comes after so many rows."""
    for batch in batches:
        if rows == 0:
            yield batch
        elif rows < batch.num_rows:
            yield batch.slice(rows)
        rows = max(0, rows - batch.num_rows)
