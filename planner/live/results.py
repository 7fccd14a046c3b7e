"""Reads the results of one statement at given epochs: all rows, or those of some keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import pyarrow as pa
from msgspec import Struct

from stategate.planner.errors import LimitExceededError, UnavailableError
from stategate.planner.live.cuts import Stores
from stategate.planner.live.narrowed import Narrowed, narrowed
from stategate.planner.live.subscribable import schemas_of
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.running.execute import Executor
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.partition_failures import partitions_failed
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result, Statement
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.result import Failure
from stategate.stores.spec.scans import ApproximateCountQuery
from stategate.stores.spec.schema import Column, Key, Row
from stategate.stores.spec.store import QueryConfig, Store

Replan = Callable[[Statement, Session, Cancellation], Statement]
"""Plans a statement again, after a definition of a store has changed."""


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
        replan: Replan,
        timeout_s: float,
        rows_max: int,
    ) -> None:
        self.statement = statement
        self._parameters = parameters
        self._options = ReadOptions(partitions=options.partitions, active=options.active)
        self._session = session
        self._executor, self._catalog = executor, catalog
        self._replan = replan
        self._timeout_s, self._rows_max = timeout_s, rows_max
        self._narrowed: tuple[QueryPlan, Narrowed | None] | None = None
        """How the rows of some keys are read, for the plan that it was made for."""
        self._whole: Cancellation | None = None
        """Ends all reads; None if each has a time of its own."""

    def over(self, executor: Executor | None, cancellation: Cancellation) -> ResultReader:
        """Return a reader of the same statement over other stores of the same definitions.

        Args:
            executor: runs plans over those stores; None for the same stores.
            cancellation: ends all its reads.
        """
        found = copy(self)
        found._executor, found._whole = executor or self._executor, cancellation
        return found

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the results."""
        return self.statement.columns

    @property
    def store_names(self) -> tuple[str, ...]:
        """The names of the stores that the statement reads, in order."""
        plan = self.statement.plan
        assert isinstance(plan, QueryPlan), "it was checked at the beginning"
        return tuple(sorted(plan.reads))

    @property
    def reads_keys(self) -> bool:
        """Whether the rows of some keys can be read alone."""
        return self._of_keys(self._plan(self._cancellation())) is not None

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

    def read(self, snapshot: Snapshot | None) -> list[Row]:
        """Return the rows at the epochs of a snapshot; None if the stores have one epoch only.

        Raises:
            LimitExceededError: there are too many (54000).
            QueryError: the statement fails.
        """
        cancellation = self._cancellation()
        plan = self._plan(cancellation)
        parameters = self.statement.literals or self._parameters
        return self._run(plan, parameters, snapshot, cancellation)

    def read_keys(self, keys: Sequence[Key], snapshot: Snapshot) -> list[Row]:
        """Return the rows of some keys, and perhaps others, at the epochs of a snapshot.

        The keys are those of the stores that `stores` has returned last. Raises as `read`.
        """
        plan, cancellation = self.statement.plan, self._cancellation()
        assert isinstance(plan, QueryPlan), "it was checked at the beginning"
        narrowed = self._of_keys(plan)
        if narrowed is None:  # the store has changed
            return self.read(snapshot)
        rows: list[Row] = []
        for narrow, given in narrowed.reads(keys, self.statement.literals or self._parameters):
            rows += self._run(narrow, given, snapshot, cancellation)
            self._check(len(rows))
        return rows

    def _run(
        self,
        plan: QueryPlan,
        parameters: Row,
        snapshot: Snapshot | None,
        cancellation: Cancellation,
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
        return Cancellation(self._timeout_s) if self._whole is None else self._whole

    def _plan(self, cancellation: Cancellation) -> QueryPlan:
        plan = self.statement.plan
        assert isinstance(plan, QueryPlan), "it was checked at the beginning"
        if plan.catalog_version != self._catalog.version:
            self.statement = self._replan(self.statement, self._session, cancellation)
            plan = self.statement.plan
            if not isinstance(plan, QueryPlan):
                raise UnavailableError("the statement has changed its meaning")
        return plan

    def _of_keys(self, plan: QueryPlan) -> Narrowed | None:
        held = self._narrowed
        if held is None or held[0] is not plan:
            held = self._narrowed = plan, narrowed(self.statement, plan)
        return held[1]

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
