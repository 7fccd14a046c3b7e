"""The one place where a query meets a partition: known type, role, bound, handler, position."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from stores.errors import FailureReason, StoreError
from stores.position import unmet_bound
from stores.query import Query
from stores.result import Failure, QueryResult, Success, add_info
from stores.schema import StoreSchema
from stores.store import DEFAULT_CONFIG, QueryConfig, ReplicaState, Role, StorePartition, View

R = TypeVar("R")
Clock = Callable[[], int]
"""Wall clock in epoch milliseconds."""


class Queryable(Protocol):
    """What dispatch needs to know of a replica."""

    schema: StoreSchema
    partition: int
    engine: StorePartition
    role: Role
    state: ReplicaState


def query_partition(
    replica: Queryable, query: Query[R], config: QueryConfig, clock: Clock
) -> QueryResult[R]:
    """Answer one query on one replica. Whatever happens inside is a `Failure`, never an exception.

    The order of checks is Kafka's where a caller can tell: an unknown type before a bound. Unlike
    Kafka's, a request for an active replica keeps its bound, and every failure has a position.
    """
    began = time.perf_counter_ns() if config.info else 0
    try:
        view = replica.engine.view
    except StoreError as error:
        closed = Failure(reason=FailureReason.NOT_PRESENT, message=str(error))
        return _timed(closed, config, began)
    handler = replica.engine.handlers.get(type(query))
    if handler is None:
        kind = replica.schema.kind.value
        message = f'{kind} store "{replica.schema.name}" does not answer {type(query).__name__}'
        return _failed(FailureReason.UNKNOWN_QUERY_TYPE, message, view, config, began)
    if replica.state is not ReplicaState.RUNNING or config is not DEFAULT_CONFIG:
        refused = _refusal(replica, view, config, clock)
        if refused is not None:
            return _timed(refused, config, began)
    try:
        value = handler(view, query)
    except Exception as error:  # one partition must not take down the others
        message = f"{type(error).__name__}: {error}"
        return _failed(FailureReason.STORE_EXCEPTION, message, view, config, began)
    progress = view.progress
    success = Success(value=value, position=progress.position, epoch=progress.epoch)
    return _timed(success, config, began) if began else success


def _refusal(replica: Queryable, view: View, config: QueryConfig, clock: Clock) -> Failure | None:
    progress = view.progress
    if replica.state is ReplicaState.RESTORING:
        # Its rows are older than what this node may have answered before it restarted, or not
        # there at all: "no such key" would be a lie.
        return Failure(
            reason=FailureReason.NOT_ACTIVE if config.active else FailureReason.NOT_UP_TO_BOUND,
            message=f"the replica is restoring, at epoch {progress.epoch}",
            position=progress.position,
            epoch=progress.epoch,
            restoring=True,
        )
    if config.active and replica.role is not Role.ACTIVE:
        return Failure(
            reason=FailureReason.NOT_ACTIVE,
            message=f"the replica is {replica.role.value} and {replica.state.value}",
            position=progress.position,
            epoch=progress.epoch,
        )
    unmet = unmet_bound(
        config.bound,
        progress,
        inputs=replica.schema.inputs,
        partition=replica.partition,
        now_ms=clock(),
    )
    if unmet is None:
        return None
    return Failure(
        reason=FailureReason.NOT_UP_TO_BOUND,
        message=unmet,
        position=progress.position,
        epoch=progress.epoch,
    )


def _failed(
    reason: FailureReason, message: str, view: View, config: QueryConfig, began: int
) -> Failure:
    failure = Failure(
        reason=reason,
        message=message,
        position=view.progress.position,
        epoch=view.progress.epoch,
    )
    return _timed(failure, config, began)


_Result = TypeVar("_Result", Success[Any], Failure)


def _timed(result: _Result, config: QueryConfig, began: int) -> _Result:
    if not config.info:
        return result
    return add_info(result, f"handled in engine: {time.perf_counter_ns() - began} ns")
