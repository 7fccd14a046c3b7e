"""Ends results that are larger than their user may read."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import chain

import pyarrow as pa

from stategate.planner.errors import LimitExceededError
from stategate.planner.values.rights import UserLimits, has_result_limits
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result


def limit_result(result: Result, limits: UserLimits, session: Session) -> None:
    """Let the rows of a result end with an error where they pass the limits of its user.

    Args:
        result: the result, of which nothing was read yet.
        limits: the limits.
        session: has the user.

    Raises:
        LimitExceededError: rows that are at hand are too many (54000).
    """
    if not has_result_limits(limits):
        return
    if result.batches is not None:
        result.batches = _counted(result.batches, limits, session.user)
        return
    rows = result.rows or ()
    if limits.rows and len(rows) > limits.rows:
        result.close()
        raise _too_large(f"{limits.rows} rows", session.user)
    if limits.bytes and sum(map(_size, chain.from_iterable(rows))) > limits.bytes:
        result.close()
        raise _too_large(f"{limits.bytes} bytes", session.user)


def _counted(
    batches: Iterator[pa.RecordBatch], limits: UserLimits, user: str
) -> Iterator[pa.RecordBatch]:
    rows = size = 0
    try:
        for batch in batches:
            rows += batch.num_rows
            size += batch.nbytes
            if limits.rows and rows > limits.rows:
                raise _too_large(f"{limits.rows} rows", user)
            if limits.bytes and size > limits.bytes:
                raise _too_large(f"{limits.bytes} bytes", user)
            yield batch
    finally:
        if isinstance(batches, Generator):
            batches.close()


def _size(value: object) -> int:
    """Return some bytes of a value of a row at hand: those of its text, or as many as a number."""
    return len(value) if isinstance(value, str | bytes) else len(repr(value))


def _too_large(limit: str, user: str) -> LimitExceededError:
    return LimitExceededError(
        f"the result has more than {limit}",
        detail=f'That is the limit of user "{user}".',
        hint="Add a LIMIT, or aggregate; or let an operator raise the limit.",
    )
