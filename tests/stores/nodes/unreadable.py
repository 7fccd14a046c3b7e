"""Copies that cannot be read, such as one with a damaged file."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, TypeVar

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import BatchStream, Query
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import DEFAULT_CONFIG, QueryConfig

R = TypeVar("R")

DAMAGE = "the database cannot be read: Corruption: block checksum mismatch"


def damaged(stream: BatchStream, batches: int, error: Exception) -> BatchStream:
    """Return a stream that raises an error after so many batches."""

    def read() -> Iterator[Any]:
        for at, batch in enumerate(stream):
            if at == batches:
                raise copy(error)  # the error itself must not refer to the stream
            yield batch
        raise copy(error)

    def rows(first_rows: int) -> Iterator[list[Row]]:
        del first_rows
        raise copy(error)

    return BatchStream(read, rows if stream.has_rows else None)


class BrittleStore(LocalStore):
    """A store whose copies cannot be read when a test says so."""

    is_damaged = False
    batches = 0
    """How many batches of rows can be read before the damage."""

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition."""
        answer = super().query_partition(partition, query, config)
        if not self.is_damaged or not isinstance(answer, Success):
            return answer
        value: Any = answer.value
        if isinstance(value, BatchStream):
            found: Any = damaged(value, self.batches, StoreError(DAMAGE))
            return answer.swap(found)
        return Failure(reason=FailureReason.STORE_EXCEPTION, message=f"StoreError: {DAMAGE}")
