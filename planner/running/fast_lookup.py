"""The fast way to look up one key, or to read few rows: a function made once with the plan.

It parses, plans and copies nothing, and stays in the caller's thread. The session notes the
position. If an option, a failure or the number of rows needs more than that, it returns None, and
`Executor` runs the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

from stategate.planner.binding.predicates import Operand, fitted
from stategate.planner.errors import QueryError
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Lookup, QueryPlan
from stategate.planner.planning.row_path import RowPath
from stategate.planner.planning.scatter import Scatter, scatterer
from stategate.planner.running.few_reads import FewReads, LateError, slice_end
from stategate.planner.running.few_rows import finish_few, read_few
from stategate.planner.running.kept_answers import (
    Asked,
    KeptAnswer,
    KeptAnswers,
    KeptRows,
    Worth,
    kept_rows,
    standings,
)
from stategate.planner.running.key_elsewhere import KeyLookUp
from stategate.planner.running.node_answers import AnsweredStore, NodeAnswers, ReadStore
from stategate.planner.running.read_counts import PathCount
from stategate.planner.syntax.options import DEFAULT_OPTIONS, PLAIN_SESSION, read_options
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.values.comparison_bounds import Fitted
from stategate.planner.values.rights import Rights, has_result_limits
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import LookedUp, LookUp, Reads
from stategate.stores.errors import CodecError, StoreError
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Key, Row, StoreSchema

_IDLE = TransactionStatus.IDLE
_NO_ROW = LookedUp(())
_READS_MAX = 4096


def key_of(operands: Sequence[Operand], parameters: Row) -> Key | None:
    """Return the key of these operands, one per key column; None if no row can have it."""
    values = []
    for operand in operands:
        if operand.fit is Fitted:
            value = operand.value(parameters)
            if value is None:
                return None
        else:
            found = fitted(operand, parameters)
            if not isinstance(found, Fitted) or not found.exact:
                return None
            value = found.value
        values.append(value)
    return tuple(values)


def _whole(parameters: Row) -> Key | None:
    """Return the parameters as the key; None if one is NULL."""
    return None if None in parameters else parameters


def key_reader(plan: QueryPlan, node: Lookup) -> Callable[[Row], Key | None]:
    """Return the function from the parameters to the key; it returns None if no row can have it."""
    operands = node.operands
    in_place = [operand.parameter for operand in operands] == list(range(len(plan.parameters)))
    is_whole = in_place and all(o.fit is Fitted and o.compute is None for o in operands)
    return _whole if is_whole else partial(key_of, operands)


class Admissions:
    """Makes the admissions of plans.

    Args:
        catalog: the stores.
        rights: the stores that each user may read.
    """

    __slots__ = ("catalog", "rights")

    def __init__(self, catalog: StoreCatalog, rights: Rights) -> None:
        self.catalog, self.rights = catalog, rights

    def of(
        self, plan: QueryPlan, schema: StoreSchema
    ) -> Callable[[Row, Session], ReadStore | None]:
        """Return `Admission.store` for a plan and a store that it reads."""
        return Admission(plan, schema, self.catalog, self.rights).store


class Admission:
    """Whether a plan may be run the fast way now.

    Args:
        plan: the plan of a SELECT.
        schema: the schema of the only store that it reads.
        catalog: the stores.
        rights: the stores that each user may read.
    """

    __slots__ = (
        *("_catalog", "_clause", "_count", "_has_clause", "_known", "_name", "_now", "_reads"),
        *("_rights", "_schema"),
    )

    def __init__(
        self, plan: QueryPlan, schema: StoreSchema, catalog: StoreCatalog, rights: Rights
    ) -> None:
        self._schema = self._known = schema
        self._rights, self._reads = rights, plan.reads
        self._catalog, self._clause = catalog, plan.clause
        self._name, self._count = schema.name, len(plan.parameters)
        self._has_clause = plan.clause is not NO_CLAUSE
        self._now = None if plan.times is None else plan.times.now

    def store(self, parameters: Row, session: Session) -> ReadStore | None:
        """Return the store to ask; None if the statement needs the slow way."""
        rights = self._rights
        if rights.by_user is not None and not rights.may_read_all(session.user, self._reads):
            return None  # the slow way says which store is refused
        if rights.limits_results and has_result_limits(rights.limits_of(session.user)):
            return None  # the slow way counts
        store = self._catalog.stores.get(self._name)
        if (
            session.transaction is not _IDLE
            or (self._now is not None and self._now is not session.times)
            or len(parameters) != self._count
            or store is None
            # Other stores may have changed since planning; reads of this store have not.
            or (store.schema is not self._known and not self._is_planned_for(store.schema))
        ):
            return None
        if (self._has_clause or session.options is not PLAIN_SESSION) and (
            read_options(self._clause, session, parameters) is not DEFAULT_OPTIONS
        ):
            return None
        if store.here is None:
            return store
        answers = session.node_answers
        return AnsweredStore(store.here, answers) if type(answers) is NodeAnswers else store.here

    def _is_planned_for(self, found: StoreSchema) -> bool:
        """Whether the plan is valid for a definition; the inputs of a store do not matter."""
        is_same = found.has_rows_of(self._schema)
        if is_same:
            self._known = found
        return is_same


def fast_lookup(
    plan: QueryPlan,
    node: Lookup,
    admissions: Admissions,
    route: Callable[[Key], int],
    answers: KeptAnswers,
) -> LookUp:
    """Return the function that looks up a key.

    Args:
        plan: the plan of a SELECT.
        node: its only node.
        admissions: make the admission of the plan.
        route: the partitioner of the store.
        answers: the answers that are kept.
    """
    project, key_from = node.project, key_reader(plan, node)
    schema = node.access.schema
    name, admitted = schema.name, admissions.of(plan, schema)
    kept_answers = answers.of(plan.parameters)
    number, find_kept = answers.number(), kept_answers.get

    def look_up(parameters: Row, session: Session) -> LookedUp | None:
        store = admitted(parameters, session)
        if store is None:
            return None
        asked = number, parameters
        kept: KeptAnswer | None = find_kept(asked)
        if kept is None or store.standing(kept.partition) is not kept.progress:
            return read(store, asked, session, kept)
        kept_answers.given += 1
        found = kept.found
        session.note(found.position)
        return found

    def read(
        store: ReadStore, asked: Asked, session: Session, kept: KeptAnswer | None
    ) -> LookedUp | None:
        key = key_from(asked[1])
        if key is None:
            return _NO_ROW
        try:
            partition = route(key)
        except CodecError:
            return None
        answer = store.query_partition(partition, KeyQuery(key=key))
        if type(answer) is not Success:
            return None
        position, value, node = answer.position, answer.value, answer.node
        session.note(position)
        rows = () if value is None else (project(key + value),)
        reads = _reads(name, partition, answer.epoch, len(rows))
        found = LookedUp(rows, reads, position, () if node is None else (node,))
        if kept is None and not kept_answers.admits(asked):
            return found
        progress = _progress_of(answer, store, partition)
        if progress is None:
            return found
        return kept_answers.keep(asked, KeptAnswer.of(found, partition, progress, value, kept))

    elsewhere = KeyLookUp(
        look_up,
        admitted=admitted,
        key_from=key_from,
        route=route,
        kept=(kept_answers, number),
        store=name,
        project=project,
    )
    return look_up if admissions.catalog.nodes is None else elsewhere


@lru_cache(maxsize=_READS_MAX)
def _reads(name: str, partition: int, epoch: int, rows: int) -> Reads:
    """Return the one read of a lookup; answers that are kept share it."""
    return ((name, partition, epoch, rows),)


def _progress_of(answer: Success[Any], store: ReadStore, partition: int) -> Progress | None:
    """Return where a partition stands; None if the answer is not what it would answer now.

    Another node has answered then, or the partition has just changed.
    """
    progress = store.standing(partition)
    if progress is None or progress.epoch != answer.epoch:
        return None
    return progress if progress.position is answer.position else None


def fast_rows(
    plan: QueryPlan,
    path: RowPath,
    access: Access,
    admissions: Admissions,
    route: Callable[[Key], int],
    *,
    answers: KeptAnswers,
    count: PathCount,
) -> LookUp:
    """Return the function that reads few rows and makes the result from them.

    Args:
        plan: the plan of a SELECT.
        path: makes the result.
        access: the only read.
        admissions: make the admission of the plan.
        route: the partitioner of the store.
        answers: the answers that are kept.
        count: counts the statements and their rows.
    """
    admitted = admissions.of(plan, access.schema)
    scatter_of = _scatterer(plan, access, route)

    def look_up(parameters: Row, session: Session) -> LookedUp | None:
        store = admitted(parameters, session)
        return None if store is None else give((store,), parameters, session)

    def read(stores: Sequence[ReadStore], parameters: Row) -> LookedUp | None:
        if path.is_skipped and not path.is_scan:
            return None
        (store,) = stores
        try:
            scatter = scatter_of(parameters)
        except (CodecError, QueryError):
            return None
        reads = FewReads()
        rows: Sequence[Row] | None = None
        if scatter.keys is not None:
            read = reads.rows_by_key(store, scatter.keys)
            rows = None if read is None else path.finish(scatter.left_of(read), parameters)
        else:
            try:
                found = _read(path, reads, store, scatter, parameters)
            except StoreError:
                return None
            if found is not None:
                rows, counts = found
                reads.count(store, scatter.targets, counts)
        if rows is None:
            return None
        count.statements += 1
        count.read += reads.rows_read
        count.returned += len(rows)
        return LookedUp(rows, reads.reads, reads.position, reads.nodes)

    give = giver(plan, path, answers, read)
    return look_up


def giver(
    plan: QueryPlan,
    path: RowPath,
    answers: KeptAnswers,
    read: Callable[[Sequence[ReadStore], Row], LookedUp | None],
) -> Callable[[Sequence[ReadStore], Row, Session], LookedUp | None]:
    """Return the function that gives a kept answer, or reads.

    Args:
        plan: the plan of a SELECT.
        path: notes reads that are late; the next ones are left to a thread at once.
        answers: the answers that are kept.
        read: reads the rows of the statement from its stores; None if it needs the slow way. It
        may raise `LateError`.
    """
    kept_answers = answers.of(plan.parameters)
    number, find_kept = kept_answers.number(), kept_answers.get
    worth = Worth()

    def give(stores: Sequence[ReadStore], parameters: Row, session: Session) -> LookedUp | None:
        asked = number, parameters
        kept: KeptRows | None = find_kept(asked)
        if kept is not None and kept.stands(stores):
            kept_answers.given += 1
            worth.given += 1
            found = kept.found
            session.note(found.position)
            return found
        is_kept = worth.is_tried() and kept_answers.has_come(asked)
        before = standings(stores) if is_kept else None
        if (late := path.late) is not None and late.is_skipped:
            late.count_statement()
            return None
        try:
            found_now = read(stores, parameters)
        except LateError:
            path.note_late()
            return None
        if found_now is None:
            return None
        path.late = None
        session.note(found_now.position)
        answer = None if before is None else kept_rows(found_now, stores, before)
        if answer is None:
            return found_now
        worth.note_kept(kept_answers.turns)
        return kept_answers.keep(asked, answer)

    return give


def covers(found: LookedUp, bound: Position, catalog: StoreCatalog) -> bool:
    """Whether each partition of an answer covered a position when it was read; see `Engine`."""
    if found.nodes or not found.reads:
        return False
    for name, partition, epoch, _ in found.reads:
        store = catalog.stores.get(name)
        here = store if store is None or store.here is None else store.here
        progress = None if here is None else here.standing(partition)
        if progress is None or progress.epoch != epoch or not progress.position.covers(bound):
            return False
    return True


def _scatterer(
    plan: QueryPlan, access: Access, route: Callable[[Key], int]
) -> Callable[[Row], Scatter]:
    """Return the function from the parameters to the queries; constant queries are made once."""
    found = scatterer(access, route, by_key=True)
    # A row path has no read that depends on anything else, such as the clock.
    return found if plan.parameters else cache(found)


def _read(
    path: RowPath, reads: FewReads, store: ReadStore, scatter: Scatter, parameters: Row
) -> tuple[list[Row], list[int]] | None:
    """Return the result of few rows, and how many each read had; None as for `read_few`."""
    targets, is_by_time = scatter.targets, scatter.access.by_time is not None
    # Without a scan there are no columns to reduce, and the first rows by time may be kept.
    if not path.is_scan or (is_by_time and not path.is_skipped):
        found = finish_few(path, scatter, reads.first_rows(store, targets), parameters)
        if found is not None or not path.is_scan:
            return found
    streams = reads.ask(store, targets)
    if streams is None:
        return None
    return read_few(path, scatter, streams, parameters, until_s=slice_end())
