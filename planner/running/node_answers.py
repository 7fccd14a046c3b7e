"""Answers of other nodes for reads on the event loop, which cannot wait.

A fast lookup is run with the answers that are there. If it needs more, it breaks off, they are
asked for, and it is run again: it only reads, and takes microseconds. So each fast lookup works for
partitions of other nodes without a second form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp, LookUp
from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import FewKeysQuery, FirstRowsQuery, KeyQuery, Query
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import DEFAULT_CONFIG, Store
from stategate.stores.spec.traces import Trace

R = TypeVar("R")

_WITHOUT_STREAMS = frozenset({KeyQuery, FewKeysQuery, FirstRowsQuery})
_ROUNDS_MAX = 8
"""How often a lookup asks: a join once for each store, and a page for more rows."""


class UnansweredError(StoreError):
    """An answer of another node is needed, and will be asked for."""


class ReadStore(Protocol):
    """The part of a store that fast lookups use."""

    @property
    def schema(self) -> StoreSchema:
        """The store's definition."""

    def query_partition(self, partition: int, query: Query[R]) -> QueryResult[R]:
        """Ask one partition; see `Store`."""

    def standing(self, partition: int) -> Progress | None:
        """Return where a partition on this node stands; see `Store`."""


Needed: TypeAlias = tuple[str, int, Query[Any]]
"""A store, a partition of it, and a query."""


class NodeAnswers:
    """The answers of other nodes to one lookup so far, and the queries that have none."""

    __slots__ = ("_found", "_missing")

    def __init__(self) -> None:
        self._found: list[tuple[Needed, Success[Any]]] = []
        self._missing: list[Needed] = []

    def of(self, store: str, partition: int, query: Query[R]) -> QueryResult[R]:
        """Return the answer to a query.

        Raises:
            UnansweredError: there is none.
        """
        needed = store, partition, query
        for (known, number, asked), answer in self._found:
            if known == store and number == partition:
                if asked == query:
                    return answer
                if type(query) is FirstRowsQuery and type(asked) is FirstRowsQuery:
                    first = _first(query, asked, answer)
                    if first is not None:
                        return first
        if needed not in self._missing:
            self._missing.append(needed)
        raise UnansweredError(f"partition {partition} of {store} has not answered")

    @property
    def has_missing(self) -> bool:
        """Whether a query has no answer."""
        return bool(self._missing)

    def take_missing(self) -> list[Needed]:
        """Return the queries that have no answer, and forget them."""
        missing, self._missing = self._missing, []
        return missing

    def add(self, asked: Sequence[Needed], answers: Sequence[QueryResult[Any]]) -> None:
        """Keep answers, which are in the order of the queries."""
        self._found += [
            (needed, answer)
            for needed, answer in zip(asked, answers, strict=True)
            if isinstance(answer, Success)
        ]


def _first(
    query: FirstRowsQuery, asked: FirstRowsQuery, answer: Success[Any]
) -> Success[Any] | None:
    """Return the first rows of an answer to a query for others; None if it has too few."""
    rows = answer.value
    if asked.of != query.of or (
        rows is not None and asked.count < query.count and len(rows) == asked.count
    ):
        return None
    first = rows if rows is None else rows[: query.count]
    return Success(value=first, position=answer.position, epoch=answer.epoch, node=answer.node)


class AnsweredStore:
    """A store whose other partitions have been asked.

    Args:
        local: the replicas on this node.
        answers: those of the other nodes.
    """

    __slots__ = ("_answers", "_local", "schema", "standing")

    def __init__(self, local: Store, answers: NodeAnswers) -> None:
        self.schema = local.schema
        self._local, self._answers = local, answers
        self.standing = local.standing

    def query_partition(self, partition: int, query: Query[R]) -> QueryResult[R]:
        """Return the answer of a replica on this node, or else of another one.

        Raises:
            UnansweredError: it has to be asked for.
        """
        answer = self._local.query_partition(partition, query)
        if type(answer) is Success or type(query) not in _WITHOUT_STREAMS:
            return answer
        if answer.reason is FailureReason.STORE_EXCEPTION:
            return answer  # the slow way asks other copies, and reports this one
        return self._answers.of(self.schema.name, partition, query)


def need(store: ReadStore, targets: Iterable[tuple[int, Query[Any]]]) -> None:
    """Note all queries of a read that have no answer, so that they are asked for at once."""
    for partition, query in targets:
        try:
            store.query_partition(partition, query)
        except UnansweredError:
            continue


class ElsewhereLookUp:
    """A lookup that other nodes have been asked for; goes on in the thread in which they reply.

    Args:
        nodes: the other nodes.
        look_up: the fast lookup.
        parameters: the parameters of the statement.
        session: its session, which nothing else uses meanwhile.
        on_found: gets the rows, but not before `begin` has returned; None if the statement needs
            the slow way.
        trace: the trace of the statement, for the other nodes.
    """

    __slots__ = (
        "_answers",
        "_found",
        "_has_begun",
        "_is_over",
        "_look_up",
        "_nodes",
        "_on_found",
        "_parameters",
        "_rounds",
        "_session",
        "_trace",
        "overdue_s",
    )

    def __init__(
        self,
        nodes: Nodes,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        *,
        trace: Trace | None,
    ) -> None:
        self._nodes, self._look_up, self._trace = nodes, look_up, trace
        self._parameters, self._session, self._on_found = parameters, session, on_found
        self.overdue_s = 0.0
        """After how many seconds the answers that were asked for first are overdue."""
        self._rounds = 0
        self._has_begun = self._is_over = False
        self._found: LookedUp | None = None

    def begin(self, answers: NodeAnswers) -> LookedUp | ElsewhereLookUp | None:
        """Ask for the answers that a first try has missed; return the lookup, or its end."""
        self._answers = answers
        self._ask()
        self._has_begun = True
        return self._found if self._is_over else self

    def cancel(self, *, is_overdue: bool = False) -> None:
        """Do not call back any more; see `Asked`."""
        del is_overdue
        self._is_over = True

    def _go_on(self) -> None:
        """Look up with the answers that are there, and ask for others."""
        try:
            found = try_with(self._answers, self._look_up, self._parameters, self._session)
        except Exception:  # the slow way raises it again, where it can be reported
            found = None
        if found is None and self._answers.has_missing:
            self._ask()
        else:
            self._end(found)

    def _ask(self) -> None:
        missing = self._answers.take_missing()
        stores = {store for store, _, _ in missing}
        self._rounds += 1
        if len(stores) != 1 or self._rounds > _ROUNDS_MAX:
            self._end(None)
            return
        (store,) = stores
        targets = [(number, query, DEFAULT_CONFIG) for _, number, query in missing]

        def on_answers(answers: Sequence[QueryResult[Any]] | None) -> None:
            if answers is None:
                self._end(None)
            elif not self._is_over:
                self._answers.add(missing, answers)
                self._go_on()

        self.overdue_s = self._nodes.begin(store, targets, on_answers, self._trace)

    def _end(self, found: LookedUp | None) -> None:
        if not self._is_over:
            self._is_over = True
            if self._has_begun:
                self._on_found(found)
            else:
                self._found = found


def begin_look_up(
    nodes: Nodes,
    look_up: LookUp,
    parameters: Row,
    session: Session,
    on_found: Callable[[LookedUp | None], object],
    *,
    trace: Trace | None = None,
) -> LookedUp | ElsewhereLookUp | None:
    """Look up what is here, or begin to ask other nodes for the rest; see `Engine.begin_look_up`.

    Raises:
        QueryError: as the lookup does.
    """
    answers = NodeAnswers()
    found = try_with(answers, look_up, parameters, session)
    if found is not None or not answers.has_missing:
        return found
    asked = ElsewhereLookUp(nodes, look_up, parameters, session, on_found, trace=trace)
    return asked.begin(answers)


def try_with(
    answers: NodeAnswers, look_up: LookUp, parameters: Row, session: Session
) -> LookedUp | None:
    """Return the result of a lookup with these answers of other nodes; None if it needs more."""
    session.node_answers = answers
    try:
        return look_up(parameters, session)
    except UnansweredError:
        return None
    finally:
        session.node_answers = None
