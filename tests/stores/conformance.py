"""Requests over all rows of FA, as the conformance cases make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stores.errors import FailureReason
from stores.hosting.local_store import LocalStore
from stores.spec.position import Position, PositionBound
from stores.spec.query import (
    Query,
)
from stores.spec.result import Failure
from stores.spec.schema import Row
from stores.spec.store import StateQueryRequest, in_store
from tests.stores.fixtures import (
    FA_KV,
    FA_KV_ROWS,
    FA_KV_TIMES,
    FA_SESS,
    FA_SESSION,
    FA_SUM,
    FA_WINDOW,
    POSITION,
    partitioned,
)
from tests.stores.values import rows_of

IN = Position.of(POSITION)
UNKNOWN = FailureReason.UNKNOWN_QUERY_TYPE


# Requests over all rows of FA


def fa_kv(directory: Path | None) -> LocalStore:
    return partitioned(FA_KV, directory, FA_KV_ROWS, FA_KV_TIMES)


def fa_windows(directory: Path | None, rows: Sequence[Row] = FA_SUM) -> LocalStore:
    return partitioned(FA_WINDOW, directory, rows, [row[1] // 1000 for row in rows])


def fa_sessions(directory: Path | None, rows: Sequence[Row] = FA_SESS) -> LocalStore:
    return partitioned(FA_SESSION, directory, rows, [row[2] // 1000 for row in rows])


def bounded(query: Query[Any]) -> StateQueryRequest[Any]:
    """As all requests of FA are made: of both partitions, with the bound IN."""
    request = in_store("fa").with_query(query).with_partitions({0, 1})
    return request.with_position_bound(PositionBound.at(IN))


def values(store: LocalStore, query: Query[Any]) -> list[Any]:
    """The last column of all rows, in the order of the partitions; checks the position."""
    result = store.query(bounded(query))
    assert result.position == IN
    return [row[-1] for _, r in sorted(result.partitions.items()) for row in rows_of(r.value)]


def reasons(store: LocalStore, query: Query[Any]) -> list[FailureReason | None]:
    result = store.query(bounded(query))
    return [
        r.reason if isinstance(r, Failure) else None for _, r in sorted(result.partitions.items())
    ]
