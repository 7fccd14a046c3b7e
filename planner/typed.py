"""Queries by name, without SQL: those of this package, and those that others have registered.

They have the same bounds, waits and errors as statements. The answer has one result for each
partition, since only the author of a query knows how to combine them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.binding.relations import require_missing
from planner.errors import (
    InvalidValueError,
    NotSupportedError,
    QueryError,
    StoreFailedError,
    UnknownNameError,
)
from planner.running.answer_budget import AnswerBudget
from planner.running.consistency import Asked, Reading
from planner.running.shipped_queries import Shape, ShippedQuery, one_row
from planner.running.typed_routing import NamedQuery, known_queries, routed
from planner.syntax.options import DEFAULT_OPTIONS, ReadOptions, read_options
from planner.syntax.with_clause import NO_CLAUSE
from planner.values.cancel import Cancellation
from planner.values.partition_failures import RESTORING, partitions_failed
from planner.values.session import Session
from planner.values.statement import PartitionAnswer
from planner.values.text_values import parse_value
from stores.codec.partitioner import partitioner
from stores.errors import CodecError
from stores.spec.catalog import StoreCatalog
from stores.spec.position import Position, merge_positions
from stores.spec.query import Batch, BatchStream, Query
from stores.spec.result import Failure, QueryResult
from stores.spec.schema import Column, DataType, Row, StoreSchema, Value
from stores.spec.store import Store

_OF_ONE_ROW = frozenset({"key", "timestamped_key", "versioned_key"})
"""Queries that read one row, of one key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a query."""

    name: str
    types: tuple[DataType, ...]
    """Its type, or the type of each key column if it is a key."""
    is_key: bool
    required: bool
    is_prefix: bool = False
    """Whether a key may lack its last columns."""
    is_list: bool = False
    """Whether it is a list of keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedQuery:
    """A query by name, as one store answers it."""

    store: str
    name: str
    arguments: Mapping[str, Argument]
    about: str | None = None
    """What it gives, as a sentence; None for a registered one."""
    result: DataType | None
    """The type of its value; None if it returns rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one partition: one row as a tuple, or batches."""

    columns: tuple[Column, ...]
    batches: tuple[Batch, ...] = ()
    row: Row | None = None
    """The only row, of a query of one key."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        batches: list[int] = [batch.num_rows for batch in self.batches]
        return sum(batches) + (self.row is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedResult:
    """The answer of one partition."""

    answer: PartitionAnswer
    position: Position
    value: Value | Rows
    """The value; None if the partition failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAnswer:
    """The answers of all partitions that were asked."""

    position: Position
    partitions: tuple[TypedResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReplica:
    """A replica of a partition."""

    node: str
    role: str
    state: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a key is."""

    store: str
    partition: int
    replicas: tuple[NodeReplica, ...]
    """Those on nodes that can be asked, the best one first."""


class TypedQueries:
    """The queries by name that stores answer.

    Args:
        catalog: the stores.
        node: this node's name, as answers show it.
    """

    def __init__(self, catalog: StoreCatalog, *, node: str = "local") -> None:
        self._catalog, self._node = catalog, node

    def key(self, store: str) -> tuple[Column, ...]:
        """Return the key columns of a store.

        Raises:
            UnknownNameError: the store does not exist (42P01).
        """
        return self._store(store).schema.key

    def locate(self, store: str, key: Sequence[str]) -> Located:
        """Return where a key is; it may block.

        Args:
            store: the name of the store.
            key: the text of each key column.

        Raises:
            UnknownNameError: the store does not exist (42P01).
            InvalidValueError: a text is not a value of its column.
        """
        found = self._store(store)
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

    def ask(
        self,
        query: TypedQuery,
        arguments: Mapping[str, Value],
        session: Session,
        *,
        partitions: frozenset[int] | None = None,
        active: bool = False,
        cancellation: Cancellation,
    ) -> TypedAnswer:
        """Ask the partitions of a store.

        Args:
            query: as `describe` returns it.
            arguments: physical values by name.
            session: its settings decide how fresh the answer must be.
            partitions: the partitions to ask; None for all.
            active: whether to ask active replicas only.
            cancellation: ends it early.

        Raises:
            InvalidValueError: the arguments are wrong, or a partition does not exist.
            QueryError: a partition failed, and the session does not accept partial answers.
            LimitExceededError: the answer has more than rows or bytes than `AnswerBudget` has.
        """
        store = self._store(query.store)
        queries = routed(store, self._remote(query.store, query.name), arguments, partitions)
        options = read_options(NO_CLAUSE, session, ())
        options = replace(options, active=options.active or active)
        answers = _asked(store, queries, Reading(options=options, cancellation=cancellation))
        _settle(query.store, answers, options)
        left = AnswerBudget(cancellation)
        results = [
            self._result(query, store, n, (queries[n], answer), left)
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
            node=self._node,
            status="failed" if failed else "ok",
            reason=answer.reason.value if isinstance(answer, Failure) else None,
            message=answer.message if isinstance(answer, Failure) else None,
            epoch=answer.epoch,
            rows=len(value) if isinstance(value, Rows) else 0,
            info=info,
        )
        return TypedResult(answer=noted, position=answer.position, value=value)

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
        raise StoreFailedError(
            f'partition {partition} of store "{query.store}" failed while it was read: {error}'
        ) from error
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
