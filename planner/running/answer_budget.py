"""How much of an answer may be held in memory: that of a query by name, while SQL streams."""

from __future__ import annotations

from collections.abc import Iterator

from stategate.planner.errors import LimitExceededError
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.query import Batch

ROWS_MAX = 100_000
"""Maximum rows in an answer of all partitions: it is held in memory, while SQL streams."""
BYTES_MAX = 64 << 20
"""Maximum bytes of an answer in Arrow; as JSON and Python values it takes several times as much."""


class AnswerBudget:
    """The numbers of rows and bytes that an answer in memory may still take.

    Args:
        cancellation: ends the query.
    """

    def __init__(self, cancellation: Cancellation) -> None:
        self._rows, self._bytes, self._cancellation = ROWS_MAX, BYTES_MAX, cancellation

    def taken(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield batches as long as they may be held.

        Raises:
            LimitExceededError: they are too many or too large (54000).
            QueryCancelledError: the query was cancelled.
        """
        for batch in batches:
            self._cancellation.check()
            self._rows -= batch.num_rows
            self._bytes -= batch.nbytes
            if self._rows < 0 or self._bytes < 0:
                most = f"{ROWS_MAX} rows" if self._rows < 0 else f"{BYTES_MAX} bytes"
                raise LimitExceededError(
                    f"the answer has more than {most}",
                    hint="Ask fewer partitions, or for fewer rows of each.",
                )
            yield batch
