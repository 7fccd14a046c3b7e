"""A reduction for tests: the number of rows of streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from stategate.stores.spec.reductions import NotReducedError, Reduction

COUNT = ("count",)
"""The description that `counted` knows."""


def counted(how: object, streams: Sequence[Iterable[pa.RecordBatch]]) -> Iterator[Reduction | None]:
    """Count the rows of streams."""
    if how != COUNT:
        raise NotReducedError(f"cannot {how}")
    counts = []
    for stream in streams:
        counts.append(sum(batch.num_rows for batch in stream))
        yield None
    yield Reduction(tuple(counts), [pa.RecordBatch.from_pydict({"n": [sum(counts)]})])
