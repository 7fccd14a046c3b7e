"""Ask one partition: check the query's type, the role and the bound, then call the handler."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.hosting.watched_reads import watched
from stategate.stores.log.inputs import Inputs
from stategate.stores.spec.position import unmet_bound
from stategate.stores.spec.query import FirstRowsQuery, Query
from stategate.stores.spec.registry import registered_handler
from stategate.stores.spec.result import Failure, QueryResult, Success, add_info
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Handler,
    QueryConfig,
    ReplicaState,
    Role,
    StorePartition,
    View,
)

R = TypeVar("R")
_logger = logging.getLogger(__name__)
Clock = Callable[[], int]
"""Wall clock in epoch milliseconds."""


class Queryable(Protocol):
    """The part of a replica that dispatch needs."""

    schema: StoreSchema
    inputs: Inputs
    partition: int
    engine: StorePartition
    role: Role
    state: ReplicaState

    def view_at(self, epoch: int) -> View | None:
        """Return the view of an epoch; None if it is forgotten, or yet to come."""


def query_partition(
    replica: Queryable,
    query: Query[R],
    config: QueryConfig,
    clock: Clock,
    engine: StorePartition | None = None,
) -> QueryResult[R]:
    """Answer one query on one replica. An error inside is a `Failure`, never an exception.

    It makes as few calls as it can, because calls take more time than RocksDB needs for a key.

    Where callers can notice it, the order of checks is Kafka's: an unknown type before a bound.
    Unlike Kafka's, a request for an active replica keeps its bound, and every failure has a
    position.

    Args:
        replica: the replica.
        query: the query.
        config: how it is asked.
        clock: tells the age of rows.
        engine: answers in place of that of the replica.
    """
    if config.info:
        return _timed(replica, query, config, clock)
    engine = engine or replica.engine
    try:
        view = engine.view
    except StoreError as error:
        return Failure(reason=FailureReason.NOT_PRESENT, message=str(error))
    handlers = engine.handlers
    handler = handlers.get(type(query))
    # An engine that answers the first rows of its own queries does not know registered ones.
    if handler is None or (type(query) is FirstRowsQuery and type(query.of) not in handlers):
        handler = _registered(engine, replica.schema.kind, query)
    if handler is None:
        kind = replica.schema.kind.value
        message = f'{kind} store "{replica.schema.name}" does not answer {type(query).__name__}'
        return _failed(FailureReason.UNKNOWN_QUERY_TYPE, message, view)
    if replica.state is not ReplicaState.RUNNING or config is not DEFAULT_CONFIG:
        admitted = _admitted(replica, view, config, clock)
        if isinstance(admitted, Failure):
            return admitted
        view = admitted
    try:
        value = handler(view, query)
    except Exception as error:  # one partition must not take down the others
        if not isinstance(error, StoreError):
            # It was not raised on purpose, so the log needs its traceback.
            _logger.exception(
                "a query failed store=%s partition=%d query=%s",
                replica.schema.name,
                replica.partition,
                type(query).__name__,
            )
        message = f"{type(error).__name__}: {error}"
        return _failed(FailureReason.STORE_EXCEPTION, message, view)
    progress = view.progress
    return Success(value=value, position=progress.position, epoch=progress.epoch)


def _timed(
    replica: Queryable, query: Query[R], config: QueryConfig, clock: Clock
) -> QueryResult[R]:
    """Answer a query, and add the time that it took and what was read."""
    config = replace(config, info=False)
    engine = watched(replica.engine)
    began = time.perf_counter_ns()
    result = query_partition(replica, query, config, clock, cast("StorePartition | None", engine))
    elapsed_ns = time.perf_counter_ns() - began
    line = f"handled in {type(replica.engine).__name__}: {elapsed_ns} ns"
    if engine is not None and engine.source is not None and not isinstance(result, Failure):
        line += f", from {engine.source}"
    return add_info(result, line)


def _registered(engine: StorePartition, kind: StoreKind, query: Query[Any]) -> Handler | None:
    """Return the handler of a query that the engine does not know; None if there is none.

    It is a registered one, or gives the first rows of a stream.
    """
    if type(query) is FirstRowsQuery:
        stream_of = engine.handlers.get(type(query.of)) or _registered(engine, kind, query.of)
        return stream_of and (lambda view, asked: asked.read(stream_of(view, asked.of)))
    handler = registered_handler(kind, type(query))
    if handler is None:
        return None
    return lambda view, asked: handler(engine, view, asked)


def _admitted(replica: Queryable, view: View, config: QueryConfig, clock: Clock) -> View | Failure:
    """Return the view to answer from, or the failure."""
    if config.at_epoch is not None:
        held = replica.view_at(config.at_epoch)
        if held is None:
            return _not_at_epoch(replica, view, config, config.at_epoch)
        view = held
    return _refusal(replica, view, config, clock) or view


def _not_at_epoch(replica: Queryable, view: View, config: QueryConfig, epoch: int) -> Failure:
    """Return the failure for an epoch that is yet to come, or forgotten."""
    refused = _unready(replica, view, config)
    if refused is not None:
        return refused
    newest = view.progress.epoch
    message = (
        f"epoch {newest} is behind epoch {epoch}"
        if newest < epoch
        else f"epoch {epoch} is no longer kept, epoch {newest} is the newest: begin again"
    )
    return _failed(FailureReason.NOT_UP_TO_BOUND, message, view)


def _refusal(replica: Queryable, view: View, config: QueryConfig, clock: Clock) -> Failure | None:
    refused = _unready(replica, view, config)
    if refused is not None:
        return refused
    unmet = unmet_bound(
        config.bound,
        view.progress,
        inputs=replica.inputs.topics,
        partition=replica.partition,
        now_ms=clock(),
    )
    return None if unmet is None else _failed(FailureReason.NOT_UP_TO_BOUND, unmet, view)


def _unready(replica: Queryable, view: View, config: QueryConfig) -> Failure | None:
    """Return why the replica does not answer such a query now, whatever its bound."""
    # Both may change meanwhile, so each is read once.
    role, state = replica.role, replica.state
    if state is ReplicaState.RESTORING:
        # Its rows may be missing, or older than the answers before a restart: "no such key" would
        # be false.
        return Failure(
            reason=FailureReason.NOT_ACTIVE if config.active else FailureReason.NOT_UP_TO_BOUND,
            message=f"the replica is restoring, at epoch {view.progress.epoch}",
            position=view.progress.position,
            epoch=view.progress.epoch,
            restoring=True,
        )
    if state is ReplicaState.CLOSED:
        message = f'partition {replica.partition} of store "{replica.schema.name}" is closed'
        return Failure(reason=FailureReason.NOT_PRESENT, message=message)
    if config.active and role is not Role.ACTIVE:
        message = f"the replica is {role.value} and {state.value}"
        return _failed(FailureReason.NOT_ACTIVE, message, view)
    return None


def _failed(reason: FailureReason, message: str, view: View) -> Failure:
    return Failure(
        reason=reason,
        message=message,
        position=view.progress.position,
        epoch=view.progress.epoch,
    )
