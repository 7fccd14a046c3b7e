"""Queries by name, without SQL: those of this package, and those that others have registered.

They have the same bounds, waits and errors as statements. The answer has one result for each
partition, since only the author of a query knows how to combine them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from stategate.planner.binding.relations import require_missing
from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.errors import (
    InvalidValueError,
    NotSupportedError,
    QueryError,
    StoreFailedError,
    UnknownNameError,
)
from stategate.planner.running.answer_budget import AnswerBudget
from stategate.planner.running.consistency import Asked, Reading
from stategate.planner.running.read_counts import ReadCounts
from stategate.planner.running.shipped_queries import Shape, ShippedQuery, one_row
from stategate.planner.running.typed_routing import NamedQuery, known_queries, routed
from stategate.planner.syntax.options import DEFAULT_OPTIONS, ReadOptions, read_options
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.partition_failures import RESTORING, partitions_failed, read_failed
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.statement import PartitionAnswer
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.typed import (
    Argument,
    Ask,
    Located,
    NodeReplica,
    Rows,
    TypedAnswer,
    TypedQuery,
    TypedResult,
)
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import CodecError
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import merge_positions
from stategate.stores.spec.query import BatchStream, Query
from stategate.stores.spec.result import Failure, QueryResult
from stategate.stores.spec.schema import Column, DataType, StoreSchema, Value
from stategate.stores.spec.store import Store

__all__ = [
    "Argument",
    "Ask",
    "Located",
    "NodeReplica",
    "Rows",
    "TypedAnswer",
    "TypedQueries",
    "TypedQuery",
    "TypedResult",
]

_OF_ONE_ROW = frozenset({"key", "timestamped_key", "versioned_key"})
"""Queries that read one row, of one key."""


class TypedQueries:
    """The queries by name that stores answer.

    Args:
        catalog: the stores.
        node: this node's name, as answers show it.
        rights: the stores that each user may read; None for all stores.
        queries: lists the queries that have a thread while they run; None for nowhere.
        counts: counts their waits.
        watch_ask: wraps what asks the partitions, for traces.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        *,
        node: str = "local",
        rights: Rights | None = None,
        queries: RunningQueries | None = None,
        counts: ReadCounts | None = None,
        watch_ask: Callable[[Ask], Ask] | None = None,
    ) -> None:
        self._catalog, self._node, self._rights = catalog, node, rights or Rights()
        self._queries, self._counts = queries, counts
        self.ask: Ask = self._ask if watch_ask is None else watch_ask(self._ask)
        """Asks the partitions of a store; see `Ask`."""

    def key(self, store: str) -> tuple[Column, ...]:
        """Return the key columns of a store.

        Raises:
            UnknownNameError: the store does not exist (42P01).
        """
        return self._store(store).schema.key

    def locate(self, store: str, key: Sequence[str], user: str) -> Located:
        """Return where a key is; it may block.

        Args:
            store: the name of the store.
            key: the text of each key column.
            user: who asks.

        Raises:
            UnknownNameError: the store does not exist (42P01).
            PermissionDeniedError: the user may not read it (42501).
            InvalidValueError: a text is not a value of its column.
        """
        found = self._store(store)
        self._rights.require(user, (store,))
        schema = found.schema
        values = tuple(
            parse_value(text, column.type) for text, column in zip(key, schema.key, strict=True)
        )
        try:
            partition = partitioner(schema.key, schema.partitions)(values)
        except CodecError as error:
            raise InvalidValueError(str(error)) from error
        nodes = self._catalog.nodes
        statuses = found.statuses().values() if nodes is None else nodes.replicas(store)
        replicas = [
            NodeReplica(
                node=status.node or self._node,
                role=status.role.value,
                state=status.state.value,
                epoch=status.progress.epoch,
            )
            for status in statuses
            if status.partition == partition
        ]
        replicas.sort(key=lambda each: (each.state != "running", each.role != "active", each.node))
        return Located(store=store, partition=partition, replicas=tuple(replicas))

    def describe(self, store: str, name: str) -> TypedQuery:
        """Return the arguments and the result type of a query.

        Raises:
            UnknownNameError: the store does not exist (42P01).
            NotSupportedError: the store answers no query of that name.
        """
        return _described(self._store(store).schema, self._remote(store, name))

    def known(self, store: str) -> list[TypedQuery]:
        """Return all queries that a store answers by name.

        Raises:
            UnknownNameError: the store does not exist (42P01).
        """
        schema = self._store(store).schema
        return [_described(schema, each) for _, each in sorted(known_queries(schema.kind).items())]

    def is_inline(self, query: TypedQuery, session: Session) -> bool:
        """Whether a query reads one row of a key here, without a wait."""
        return (
            query.name in _OF_ONE_ROW
            and isinstance(self._remote(query.store, query.name), ShippedQuery)
            and self._catalog.nodes is None
            and read_options(NO_CLAUSE, session, ()) is DEFAULT_OPTIONS
        )

    def _ask(
        self,
        query: TypedQuery,
        arguments: Mapping[str, Value],
        session: Session,
        *,
        partitions: frozenset[int] | None = None,
        active: bool = False,
        cancellation: Cancellation,
    ) -> TypedAnswer:
        listed: AbstractContextManager[None] = nullcontext()
        if self._queries is not None and not cancellation.holds_loop:
            text = f"POST /v1/stores/{query.store}/query {query.name}"
            listed = self._queries.asking(text, session, cancellation)
        with listed:
            return self._answer(
                query,
                arguments,
                session,
                partitions=partitions,
                active=active,
                cancellation=cancellation,
            )

    def _answer(
        self,
        query: TypedQuery,
        arguments: Mapping[str, Value],
        session: Session,
        *,
        partitions: frozenset[int] | None,
        active: bool,
        cancellation: Cancellation,
    ) -> TypedAnswer:
        store = self._store(query.store)
        self._rights.require(session.user, (query.store,))
        queries = routed(store, self._remote(query.store, query.name), arguments, partitions)
        options = read_options(NO_CLAUSE, session, ())
        options = replace(options, active=options.active or active)
        asked_ns = time.time_ns()
        reading = Reading(options=options, cancellation=cancellation, counts=self._counts)
        answers = _asked(store, queries, reading)
        _settle(query.store, answers, options)
        left = AnswerBudget(cancellation)
        results = [
            self._result(query, store, n, (queries[n], answer), left, asked_ns=asked_ns)
            for n, answer in answers.items()
        ]
        position = merge_positions(result.position for result in results)
        session.note(position)
        return TypedAnswer(position=position, partitions=tuple(results))

    def _result(
        self,
        query: TypedQuery,
        store: Store,
        partition: int,
        answered: tuple[Query[Any], QueryResult[Any]],
        left: AnswerBudget,
        *,
        asked_ns: int,
    ) -> TypedResult:
        asked, answer = answered
        failed = isinstance(answer, Failure)
        value = None if isinstance(answer, Failure) else answer.value
        info = answer.info
        if query.result is None and value is not None:
            began_ns = time.perf_counter_ns()
            value = _rows(query, store, partition, (asked, value), left)
            if info:
                elapsed_ns = time.perf_counter_ns() - began_ns
                info = (*info, f"read {len(value)} rows of the stream: {elapsed_ns} ns")
        noted = PartitionAnswer(
            store=query.store,
            partition=partition,
            node=answer.node or self._node,
            status="failed" if failed else "ok",
            reason=answer.reason.value if isinstance(answer, Failure) else None,
            message=answer.message if isinstance(answer, Failure) else None,
            epoch=answer.epoch,
            rows=len(value) if isinstance(value, Rows) else 0,
            info=info,
        )
        read_ns = asked_ns, time.time_ns()
        return TypedResult(answer=noted, position=answer.position, value=value, read_ns=read_ns)

    def _store(self, name: str) -> Store:
        found = self._catalog.stores.get(name)
        if found is None:
            require_missing(name, self._catalog)
            raise UnknownNameError(
                f'store "{name}" does not exist', hint="GET /v1/stores lists the stores."
            )
        return found

    def _remote(self, store: str, name: str) -> NamedQuery:
        kind = self._store(store).schema.kind
        known = known_queries(kind)
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise NotSupportedError(
                f'{kind.value} store "{store}" answers no query "{name}"',
                detail=f"Queries by name that it answers: {names}.",
            )
        return known[name]


def _described(schema: StoreSchema, found: NamedQuery) -> TypedQuery:
    key_types = tuple(column.type for column in schema.key)
    return TypedQuery(
        store=schema.name,
        name=found.name,
        arguments={
            each: Argument(
                name=each,
                types=(kind,) if isinstance(kind, DataType) else key_types,
                is_key=not isinstance(kind, DataType),
                required=each in found.required,
                is_prefix=kind is Shape.PREFIX,
                is_list=kind is Shape.KEYS,
            )
            for each, kind in found.arguments.items()
        },
        about=found.about if isinstance(found, ShippedQuery) else None,
        result=found.result,
    )


def _asked(
    store: Store, queries: Mapping[int, Query[Any]], reading: Reading
) -> dict[int, QueryResult[Any]]:
    answers: dict[int, QueryResult[Any]] = {}
    try:
        if not reading.is_plain:
            reading.make_ready([Asked(store=store, partitions=frozenset(queries))])
        targets = [(n, query, reading.config(store, n)) for n, query in queries.items()]
        answered = store.query_each(targets, stop=reading.cancellation)
        for number, answer in zip(queries, answered, strict=True):
            if reading.cancellation is not None:
                reading.cancellation.check()
            answers[number] = answer
    finally:
        # Open streams keep the views that they have.
        reading.release()
    return answers


def _settle(store: str, answers: Mapping[int, QueryResult[Any]], options: ReadOptions) -> None:
    """Raise for failed partitions, unless the session accepts partial answers."""
    failed = {number: each for number, each in answers.items() if isinstance(each, Failure)}
    if failed and not options.partial:
        raise _failed(store, failed)


def _failed(store: str, failed: Mapping[int, Failure]) -> QueryError:
    error = partitions_failed([(store, n, each.reason, each.message) for n, each in failed.items()])
    if error.retryable and any(each.restoring for each in failed.values()):
        error.sqlstate = RESTORING
    return error


def _rows(
    query: TypedQuery,
    store: Store,
    partition: int,
    found: tuple[Query[Any], object],
    left: AnswerBudget,
) -> Rows:
    asked, value = found
    row = one_row(store.schema, asked, value)
    if row is not None:
        return Rows(columns=row[0], row=row[1])
    if not isinstance(value, BatchStream):
        raise StoreFailedError(
            f'query "{query.name}" returned {type(value).__name__} instead of rows'
        )
    try:
        batches = tuple(left.taken(iter(value)))
    except QueryError:
        raise
    except Exception as error:  # the code of a third party may raise anything
        raise read_failed(query.store, partition, error) from error
    if not batches:
        return Rows(columns=())
    known = store.schema.column_by_name
    columns = tuple(
        known[found.name]
        if found.name in known and known[found.name].type.arrow == found.type
        else Column(name=found.name, type=DataType.from_arrow(found.type))
        for found in batches[0].schema
    )
    return Rows(columns=columns, batches=batches)
