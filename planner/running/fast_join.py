"""The fast join: few rows of several stores, looked up in the caller's thread.

As in `stategate.planner.running.fast_lookup`, None means: run the statement the usual way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from stategate.planner.errors import QueryError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.planning.row_joins import RowJoin
from stategate.planner.planning.row_path import RowPath
from stategate.planner.planning.scatter import Scatter, scatterer
from stategate.planner.running.fast_lookup import Admissions, giver
from stategate.planner.running.few_reads import FewReads, LateError, slice_end
from stategate.planner.running.few_rows import few_rows_of
from stategate.planner.running.joined_rows import joined_rows
from stategate.planner.running.kept_answers import KeptAnswers
from stategate.planner.running.node_answers import ReadStore
from stategate.planner.running.read_counts import PathCount
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp, LookUp
from stategate.stores.errors import StoreError
from stategate.stores.spec.schema import Key, Row

_TARGETS_MAX = 64
"""This many queries for one relation take about a millisecond; a thread sends more."""


def fast_join(
    plan: QueryPlan,
    path: RowPath,
    join: RowJoin,
    admissions: Admissions,
    routes: Sequence[Callable[[Key], int]],
    *,
    answers: KeptAnswers,
    count: PathCount,
) -> LookUp:
    """Return the function that joins few rows and makes the result from them.

    Args:
        plan: the plan of a SELECT.
        path: makes the result of joined rows.
        join: how the relations are read and joined.
        admissions: make the admission of each store.
        routes: the partitioner of each step's store.
        answers: the answers that are kept.
        count: counts the statements and their rows.
    """
    place = len(plan.parameters)
    scatters = [
        scatterer(step.narrowed(place), route, by_key=True)
        for step, route in zip(join.steps, routes, strict=True)
    ]
    admitted = [admissions.of(plan, step.access.schema) for step in join.steps]

    def look_up(parameters: Row, session: Session) -> LookedUp | None:
        stores: list[ReadStore] = []
        for each in admitted:
            store = each(parameters, session)
            if store is None:
                return None
            stores.append(store)
        return give(stores, parameters, session)

    def read(stores: Sequence[ReadStore], parameters: Row) -> LookedUp | None:
        if path.is_skipped:
            return None
        reads = _Reads(stores, scatters, parameters)
        try:
            rows = joined_rows(join, reads.read)
        except (QueryError, StoreError):
            return None
        path.note(missed=rows is None)
        result = None if rows is None else path.finish(rows, parameters)
        if result is None:
            return None
        noted = reads.noted
        count.statements += 1
        count.read += noted.rows_read
        count.returned += len(result)
        return LookedUp(result, noted.reads, noted.position, noted.nodes)

    give = giver(plan, path, answers, read)
    return look_up


class _Reads:
    """The reads of one statement.

    Args:
        stores: the store of each step.
        scatters: makes the queries of each step; the parameters of its read are the last ones.
        parameters: the parameters of the statement.
    """

    __slots__ = ("_parameters", "_scatters", "_stores", "_until_s", "noted")

    def __init__(
        self,
        stores: Sequence[ReadStore],
        scatters: Sequence[Callable[[Row], Scatter]],
        parameters: Row,
    ) -> None:
        self._stores, self._scatters, self._parameters = stores, scatters, parameters
        self._until_s = slice_end()
        self.noted = FewReads()

    def read(self, number: int, values: Row, rows_max: int) -> tuple[list[Row], int] | None:
        """Return the rows of a step; see `stategate.planner.running.joined_rows`.

        Also None if a partition answers at another epoch than before, as a store can be read twice.

        Raises:
            CodecError: a parameter cannot be a key.
            LateError: the reads take too long.
            QueryError: a parameter does not have its declared type.
            StoreError: a partition cannot be read.
        """
        if number and time.perf_counter() > self._until_s:
            raise LateError
        scatter = self._scatters[number](self._parameters + values)
        store, noted = self._stores[number], self.noted
        if scatter.keys is not None:
            rows = noted.rows_by_key(store, scatter.keys)
            if rows is None or len(rows) > rows_max:
                return None
            return scatter.left_of(rows), len(rows)
        targets = scatter.targets
        if len(targets) > _TARGETS_MAX:
            return None
        found = few_rows_of(scatter, noted.first_rows(store, targets), rows_max)
        if found is None:
            return None
        noted.count(store, targets, found[1])
        return found[0], sum(found[1])
