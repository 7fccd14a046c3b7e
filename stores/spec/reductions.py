"""Reductions: what a node makes of the rows of streams before it sends any.

Rows on another node travel, and a statement may need only what they come to, such as the sum of
each group. A reader then describes this by a value of its own, and the other node makes it from
the streams that it has opened. The stores only carry the description: who reads streams knows what
it means, and gives each node a `Reduce`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
from msgspec import Struct

from stategate.stores.errors import StoreError


class Reduction(Struct, frozen=True):
    """What streams come to."""

    rows: tuple[int, ...]
    """How many rows were read of each stream."""
    batches: Sequence[pa.RecordBatch]


Reduce: TypeAlias = Callable[[Any, Sequence[Iterable[pa.RecordBatch]]], Iterator[Reduction | None]]
"""Reads streams, and yields at last what a description makes of them.

It yields None every few milliseconds before, so that its caller can stop. It raises a StoreError
if the rows have to be read as they are.
"""


class NotReducedError(StoreError):
    """Streams cannot be reduced, or not to much less: read their rows."""


class Reducing(Protocol):
    """A reduction that another node works on."""

    def wait(self) -> Reduction | None:
        """Return the reduction; None if the node was lost, so that others have to be read.

        Raises:
            NotReducedError: the node declines.
            Exception: the reader waits no more.
        """


class Elsewhere(Protocol):
    """The place of a stream on another node."""

    @property
    def reducer(self) -> object | None:
        """The node; None if it cannot reduce. Streams of the same one are reduced together."""

    def begin_reducing(self, places: Sequence[Elsewhere], how: object) -> Reducing:
        """Let the node reduce streams that it has.

        Args:
            places: the places of the streams, this one among them.
            how: the description.
        """
