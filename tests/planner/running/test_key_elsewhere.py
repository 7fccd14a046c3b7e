"""A lookup of one key in a cluster is found here, or asked of one other node, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from stategate.planner.running.key_elsewhere import KeyElsewhere
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.catalog import NodeStatus
from stategate.stores.spec.position import Position
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Key, Row
from stategate.stores.spec.store import PartitionStatus, Target
from stategate.stores.spec.traces import Trace
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=2)
ROUTE = partitioner(COUNTS.key, COUNTS.partitions)
HERE, THERE = (next(f"k{n}" for n in range(99) if ROUTE((f"k{n}",)) == p) for p in (0, 1))
SQL = "SELECT k, n FROM counts WHERE k = $1"
AHEAD = Position.of({"events": {0: 9}})
OnAnswer = Callable[[Success[Any] | None], object]


@dataclass
class FakeNodes:
    """Other nodes, which answer when the test says so."""

    asked: list[tuple[str, int, Key]] = field(default_factory=list)
    on_answer: list[OnAnswer] = field(default_factory=list)
    at_once: list[Success[Any] | None] = field(default_factory=list)
    """The answers that come before asking returns."""

    def begin_key(
        self,
        store: str,
        partition: int,
        key: Key,
        on_answer: OnAnswer,
        trace: Trace | None = None,
    ) -> float:
        """Keep the question."""
        self.asked.append((store, partition, key))
        self.on_answer.append(on_answer)
        if self.at_once:
            on_answer(self.at_once.pop())
        return 0.25

    def begin(
        self,
        store: str,
        targets: Sequence[Target],
        on_answers: Callable[[Sequence[QueryResult[Any]] | None], object],
        trace: Trace | None = None,
    ) -> float:
        """Fail: a lookup of one key needs no general question."""
        raise AssertionError

    def statuses(self) -> Sequence[NodeStatus]:
        """Return none."""
        return ()

    def replicas(self, store: str) -> Sequence[PartitionStatus]:
        """Return none."""
        return ()


@dataclass
class Looking:
    """A statement at a node that holds partition 0."""

    engine: SqlEngine
    nodes: FakeNodes
    session: Session = field(default_factory=Session)
    found: list[LookedUp | None] = field(default_factory=list)

    def begin(self, key: str | None) -> Any:
        """Begin a lookup."""
        statement = self.engine.prepare(SQL, self.session)
        assert statement.look_up is not None
        return self.engine.begin_look_up(statement.look_up, (key,), self.session, self.found.append)


@pytest.fixture
def looking() -> Iterator[Looking]:
    whole = open_store(COUNTS)
    fill(whole, [(HERE, 1), (THERE, 2)])
    catalog, nodes = FixedCatalog(LocalStore(COUNTS, {0: whole.replicas[0]})), FakeNodes()
    catalog.nodes = nodes
    engine = SqlEngine(catalog)
    yield Looking(engine, nodes)
    engine.close()


def answered(value: Row | None) -> Success[Row | None]:
    return Success(value=value, position=AHEAD, epoch=9, node="b")


def test_a_key_that_is_here_is_asked_of_no_node(looking: Looking) -> None:
    for _ in range(4):  # the last ones are answers that are kept
        found = looking.begin(HERE)
        assert isinstance(found, LookedUp)
        assert (found.rows, found.nodes) == (((HERE, 1),), ())
    assert looking.begin(None).rows == ()
    assert looking.nodes.asked == []


@pytest.mark.parametrize(("value", "rows"), [((7,), ((THERE, 7),)), (None, ())])
def test_a_key_that_is_elsewhere_is_asked_for_once(
    looking: Looking, value: Row | None, rows: Sequence[Row]
) -> None:
    begun = looking.begin(THERE)
    assert isinstance(begun, KeyElsewhere)
    assert begun.overdue_s == 0.25
    assert looking.nodes.asked == [("counts", 1, (THERE,))]
    assert looking.found == []
    (on_answer,) = looking.nodes.on_answer
    for _ in range(2):
        on_answer(answered(value))
    (found,) = looking.found
    assert found is not None
    assert (found.rows, found.nodes, found.position) == (rows, ("b",), AHEAD)
    assert found.reads == (("counts", 1, 9, len(rows)),)
    assert looking.session.seen == AHEAD


def test_an_answer_may_come_before_asking_returns(looking: Looking) -> None:
    looking.nodes.at_once = [None, answered((7,))]
    assert looking.begin(THERE).rows == ((THERE, 7),)
    assert looking.begin(THERE) is None
    assert looking.found == []


def test_without_an_answer_the_statement_needs_the_slow_way(looking: Looking) -> None:
    looking.begin(THERE)
    looking.nodes.on_answer[0](None)
    looking.begin(THERE)
    looking.nodes.on_answer[1](answered(cast(Row, 7)))  # no row
    assert looking.found == [None, None]
    assert looking.session.seen != AHEAD


def test_a_lookup_that_is_cancelled_calls_back_no_more(looking: Looking) -> None:
    begun = looking.begin(THERE)
    begun.cancel()
    looking.nodes.on_answer[0](answered((7,)))
    assert looking.found == []
    assert looking.session.seen != AHEAD


def test_a_session_with_a_bound_needs_the_slow_way(looking: Looking) -> None:
    looking.session.set("stategate.consistency", "latest")
    assert looking.begin(THERE) is None
    assert looking.nodes.asked == []
