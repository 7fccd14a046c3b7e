"""Reads the results of one statement at given epochs: all rows, or those of some keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import pyarrow as pa
from msgspec import Struct

from planner.errors import LimitExceededError, QueryError, UnavailableError
from planner.live.cuts import Stores
from planner.live.narrowed import Narrowed, narrowed
from planner.live.subscribable import schemas_of
from planner.planning.plan import QueryPlan
from planner.running.execute import Executor
from planner.running.snapshot import Snapshot
from planner.syntax.options import ReadOptions
from planner.values.cancel import Cancellation
from planner.values.partition_failures import partitions_failed
from planner.values.session import Session
from planner.values.statement import Result, Statement
from stores.spec.arrow import physical_list
from stores.spec.catalog import StoreCatalog
from stores.spec.position import EMPTY, Position
from stores.spec.result import Failure
from stores.spec.scans import ApproximateCountQuery
from stores.spec.schema import Column, DataType, Key, Row
from stores.spec.store import QueryConfig, Store

Replan = Callable[[Statement, Session, Cancellation], Statement]
"""Plans a statement again, after a definition of a store has changed."""


class Prepare(Protocol):
    """Plans a text; see `Engine.prepare`."""

    def __call__(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        """Return the plan."""


class Standing(Struct, frozen=True, kw_only=True):
    """Where the stores of a snapshot really stand."""

    position: Position
    epochs: dict[str, int]
    """The newest epoch that a partition of each store has. It is older than the epoch of the
    snapshot if no such epoch was committed."""


class ResultReader:
    """Reads the results of one statement.

    Args:
        statement: the statement.
        parameters: its parameters.
        options: how it reads; bounds and waits are not for it.
        session: runs it; used by no one else.
        executor: runs its plan.
        catalog: the stores.
        prepare: plans a text.
        replan: plans a statement again.
        timeout_s: how long one read may take.
        rows_max: how many rows a result may have.
    """

    def __init__(
        self,
        statement: Statement,
        parameters: Row,
        options: ReadOptions,
        session: Session,
        *,
        executor: Executor,
        catalog: StoreCatalog,
        prepare: Prepare,
        replan: Replan,
        timeout_s: float,
        rows_max: int,
    ) -> None:
        self.statement = statement
        self._parameters = parameters
        self._options = ReadOptions(partitions=options.partitions, active=options.active)
        self._session = session
        self._executor, self._catalog = executor, catalog
        self._prepare, self._replan = prepare, replan
        self._timeout_s, self._rows_max = timeout_s, rows_max
        self._of_keys: dict[str, Statement] = {}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the results."""
        return self.statement.columns

    def narrowed(self) -> Narrowed | None:
        """Return how the rows of some keys are read; None if the statement needs all rows."""
        plan = self._plan(self._cancellation())
        found = narrowed(self.statement, plan)
        try:
            if found is not None:
                self._narrow(found.of_keys, found)
        except QueryError:  # as for a parameter whose type depends on the rest of the text
            return None
        return found

    def stores(self) -> dict[str, Store]:
        """Return the stores that the statement reads, as they are now.

        Raises:
            UnavailableError: one of them is gone, or its rows are defined anew.
            NotSupportedError: its columns have changed.
        """
        plan = self._plan(self._cancellation())
        store = self._executor.reads.store
        return {name: store(schema) for name, schema in schemas_of(plan).items()}

    def standing(self, snapshot: Snapshot, stores: Stores) -> Standing:
        """Return where the partitions of stores stand in a snapshot.

        Raises:
            QueryError: a partition does not answer.
        """
        position, epochs = EMPTY, dict.fromkeys(stores, -1)
        for name, store in stores.items():
            targets = [
                (
                    number,
                    ApproximateCountQuery(),
                    QueryConfig(at_epoch=snapshot.epoch_of(store, number)),
                )
                for number in range(store.schema.partitions)
            ]
            for number, answer in enumerate(store.query_each(targets)):
                if isinstance(answer, Failure):
                    raise partitions_failed([(name, number, answer.reason, answer.message)])
                position = position.merge(answer.position)
                epochs[name] = max(epochs[name], answer.epoch)
        return Standing(position=position, epochs=epochs)

    def read(self, snapshot: Snapshot) -> list[Row]:
        """Return the rows at the epochs of a snapshot.

        Raises:
            LimitExceededError: there are too many (54000).
            QueryError: the statement fails.
        """
        cancellation = self._cancellation()
        plan = self._plan(cancellation)
        parameters = self.statement.literals or self._parameters
        return self._run(plan, parameters, snapshot, cancellation)

    def read_keys(self, texts: Narrowed, keys: Sequence[Key], snapshot: Snapshot) -> list[Row]:
        """Return the rows of some keys at the epochs of a snapshot; raises as `read`."""
        values = [value for (value,) in keys]
        known = [value for value in values if value is not None]
        text = texts.of_keys if len(known) == len(values) else texts.of_null
        statement = self._narrow(text, texts)
        plan = statement.plan
        assert isinstance(plan, QueryPlan), "it is a SELECT"
        parameters = (*self._parameters, known)
        return self._run(plan, parameters, snapshot, self._cancellation())

    def _run(
        self, plan: QueryPlan, parameters: Row, snapshot: Snapshot, cancellation: Cancellation
    ) -> list[Row]:
        result = self._executor.run(
            plan,
            parameters,
            self._options,
            cancellation,
            session=self._session,
            snapshot=snapshot,
        )
        try:
            return self._rows(result)
        finally:
            result.close()

    def _cancellation(self) -> Cancellation:
        return Cancellation(self._timeout_s)

    def _plan(self, cancellation: Cancellation) -> QueryPlan:
        plan = self.statement.plan
        assert isinstance(plan, QueryPlan), "it was checked at the beginning"
        if plan.catalog_version != self._catalog.version:
            self.statement = self._replan(self.statement, self._session, cancellation)
            plan = self.statement.plan
            if not isinstance(plan, QueryPlan):
                raise UnavailableError("the statement has changed its meaning")
        return plan

    def _narrow(self, text: str, texts: Narrowed) -> Statement:
        held = self._of_keys.get(text)
        plan = None if held is None else held.plan
        if held is None or getattr(plan, "catalog_version", None) != self._catalog.version:
            held = self._of_keys[text] = self._prepare(
                text,
                self._session,
                parameter_types=texts.parameters,
                cancellation=self._cancellation(),
            )
        return held

    def _rows(self, result: Result) -> list[Row]:
        if result.rows is not None:
            self._check(len(result.rows))
            return list(result.rows)
        rows: list[Row] = []
        for batch in result.batches or ():
            self._check(len(rows) + batch.num_rows)
            rows += _rows_of(batch, self.columns)
        return rows

    def _check(self, rows: int) -> None:
        if rows > self._rows_max:
            raise LimitExceededError(
                f"a live query cannot have more than {self._rows_max} rows",
                hint="Subscribe to fewer rows, or raise live_rows_max.",
            )


def _rows_of(batch: pa.RecordBatch, columns: tuple[Column, ...]) -> list[Row]:
    if not columns:
        return [()] * batch.num_rows
    listed = [
        physical_list(array, column.type)
        for array, column in zip(batch.columns, columns, strict=True)
    ]
    return list(zip(*listed, strict=True))
