"""Ask the partitions of stores for a statement: waits, queries and answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa
from msgspec import structs

from stategate.planner.errors import InvalidValueError, MismatchedTypeError, UnavailableError
from stategate.planner.planning.access import Access
from stategate.planner.planning.scatter import Scatter, scatterer
from stategate.planner.running.consistency import Asked
from stategate.planner.running.gathering import Streams, Tally, top_rows
from stategate.planner.values.cancel import Cancellation
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import CodecError
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.query import BatchStream, Query
from stategate.stores.spec.result import Failure, QueryResult
from stategate.stores.spec.scans import ApproximateCountQuery
from stategate.stores.spec.schema import Key, Row, StoreSchema
from stategate.stores.spec.store import DEFAULT_CONFIG, Store

R = TypeVar("R")


class StoreReads:
    """Asks the stores of a catalog.

    Args:
        catalog: the stores.
    """

    def __init__(self, catalog: StoreCatalog) -> None:
        self._catalog = catalog
        self._routes: dict[str, tuple[StoreSchema, Callable[[Key], int]]] = {}

    def store(self, schema: StoreSchema) -> Store:
        """Return the store that a plan was made for.

        Raises:
            UnavailableError: the store is gone, or its rows are defined anew; plan the statement
                again. New inputs do not matter.
        """
        store = self._catalog.stores.get(schema.name)
        if store is None or not store.schema.has_rows_of(schema):
            raise UnavailableError(
                f'store "{schema.name}" has changed since the statement was prepared',
                hint="Prepare it again.",
                sqlstate="55000",
            )
        return store

    def route(self, schema: StoreSchema) -> Callable[[Key], int]:
        """Return the partitioner of a store; it is made once."""
        held = self._routes.get(schema.name)
        if held is None or held[0] is not schema:
            held = (schema, partitioner(schema.key, schema.partitions))
            self._routes[schema.name] = held
        return held[1]

    def rows_of(self, access: Access) -> int | None:
        """Return about how many rows a store holds here; None if a partition does not know."""
        store, rows = self.store(access.schema), 0
        query = ApproximateCountQuery()
        targets = [(number, query, DEFAULT_CONFIG) for number in range(access.schema.partitions)]
        for answer in store.query_each(targets):
            if isinstance(answer, Failure):
                return None
            rows += answer.value
        return rows

    def open(
        self,
        access: Access,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> Callable[[], Iterator[pa.RecordBatch]]:
        """Ask all partitions now, so that their views are of one moment; rows are read later.

        The returned function can be called again, and reads the same views.
        """
        streams = self.streams(access, parameters, cancellation, tally)
        if (top := access.top) is not None:
            return lambda: top_rows(streams, top, access.columns)
        return streams.read

    def streams(
        self,
        access: Access,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> Streams:
        """Return the answers of all partitions, which are asked if they have not been."""
        held = tally.opened.get(id(access))
        if held is not None:
            return held
        store = tally.reading.store(self.store(access.schema))
        scatter = tally.scatters.pop(id(access), None)
        if scatter is None:
            scatter = self._scatter(access, parameters, tally.reading.options.partitions)
        if len({partition for partition, _ in scatter.targets}) < len(scatter.targets):
            tally.reading.keep_epochs()
        opened: list[tuple[int, QueryResult[BatchStream]]] = []
        for partition, answer in self.ask_each(store, scatter.targets, tally):
            cancellation.check()
            opened.append((tally.places[access.schema.name, partition], answer))
        streams = Streams(
            opened,
            answers=tally.answers,
            read_ns=tally.read_ns,
            scatter=scatter,
            cancellation=cancellation,
        )
        tally.opened[id(access)] = streams
        return streams

    def make_ready(self, accesses: Sequence[Access], parameters: Row, tally: Tally) -> None:
        """Wait for the bounds, and choose the epochs, of all partitions that will be asked."""
        reading = tally.reading
        reading.check_topics(
            (reading.store(self.store(access.schema)) for access in accesses), self._catalog
        )
        names = [access.schema.name for access in accesses]
        if len(set(names)) < len(names):
            reading.keep_epochs()
        if reading.is_plain:
            return
        asked: list[Asked] = []
        for access in accesses:
            scatter = self._scatter(access, parameters, reading.options.partitions)
            tally.scatters[id(access)] = scatter
            store = reading.store(self.store(access.schema))
            asked.append(Asked(store=store, partitions={number for number, _ in scatter.targets}))
        reading.make_ready(asked, others=self._catalog.stores.values())

    def _scatter(self, access: Access, parameters: Row, only: frozenset[int] | None) -> Scatter:
        try:
            scatter = self._scatterer(access)(parameters)
        except CodecError as error:
            raise MismatchedTypeError(str(error)) from error
        if only is None:
            return scatter
        check_partitions(only, access.schema)
        targets = [target for target in scatter.targets if target[0] in only]
        return structs.replace(scatter, targets=targets)

    def _scatterer(self, access: Access) -> Callable[[Row], Scatter]:
        """Return the function that makes queries; the access of a plan keeps it for all runs."""
        found = access.kept.get(scatterer)
        if found is None:
            found = access.kept[scatterer] = scatterer(access, self.route(access.schema))
        return found

    def ask_each(
        self, store: Store, targets: Sequence[tuple[int, Query[R]]], tally: Tally
    ) -> Iterator[tuple[int, QueryResult[R]]]:
        """Ask partitions, at the statement's bound and epoch, and record their answers."""
        config, name = tally.reading.config, store.schema.name
        asked = [(number, query, config(store, number)) for number, query in targets]
        began_ns = time.time_ns() if tally.read_ns is not None else 0
        answers = store.query_each(asked, stop=tally.reading.cancellation)
        for (number, _), answer in zip(targets, answers, strict=True):
            tally.note(name, number, answer)
            if tally.read_ns is not None:
                tally.note_time(name, number, began_ns)
                # Other nodes are asked at once, the partitions here one after the other.
                began_ns = time.time_ns() if answer.node is None else began_ns
            yield number, answer


def check_partitions(partitions: frozenset[int], schema: StoreSchema) -> None:
    """Refuse partition numbers that a store does not have.

    Raises:
        InvalidValueError: a number is not that of a partition.
    """
    for partition in partitions:
        if partition >= schema.partitions:
            raise InvalidValueError(
                f'partition {partition} of store "{schema.name}" does not exist',
                hint=f"It has partitions 0 to {schema.partitions - 1}.",
            )
