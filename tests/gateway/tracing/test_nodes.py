"""A statement at one node has one trace, with the reads of the other nodes in it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest
from msgspec import Struct
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from stategate.gateway.elsewhere import Elsewhere, begin_elsewhere
from stategate.gateway.tracing.export import OtlpTraces
from stategate.planner.engine import (
    Asked,
    Cancellation,
    LookedUp,
    LookUp,
    QueryError,
    Row,
    Session,
    TracedRead,
)
from stategate.planner.planning.groupings import reduce_streams
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.nodes import codec
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.links import NodeError, OnReply
from stategate.stores.nodes.messages import Ask, Reduce, Request
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import DEFAULT_CONFIG, Waiting
from tests.gateway.nodes.rooms import Room
from tests.gateway.tracing.test_statements import (
    AGES,
    LOOKUP,
    PARENT,
    PARENT_ID,
    ROWS,
    TRACE_ID,
    UNSAMPLED,
    attributes,
    parent_of,
)
from tests.stores.nodes.memory_links import MemoryLink
from tests.support.stores import FixedCatalog, fill, open_store
from tests.support.values import rows_of
from tests.support.waiting import until

STATE = "vendor=7"
HERE = {0}
"""Partitions that are at node `a`; all others are at `b`."""
SCAN = "SELECT name FROM ages WHERE age < 77"
FEW = "SELECT age FROM ages WHERE name IN ('n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7')"


class HeldLink(MemoryLink):
    """A link that keeps requests while it is slow, until the test lets them go."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.is_slow = False
        self.held: list[Callable[[], object]] = []
        self.failing: list[OnReply] = []

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Ask the other node now, or later."""
        if not self.is_slow:
            return super().begin(request, on_reply)
        begin = super().begin
        self.held.append(lambda: begin(request, on_reply))
        self.failing.append(on_reply)
        return cast(Waiting, None)

    def let_go(self) -> None:
        """Ask what was held."""
        self.is_slow = False
        self.failing.clear()
        for ask in self.held:
            ask()
        self.held.clear()

    def lose(self) -> None:
        """Fail what was held."""
        self.is_slow = False
        for fail in self.failing:
            fail(NodeError("it was lost"))
        self.failing.clear()
        self.held.clear()


@dataclass
class Node:
    """A node that makes spans."""

    traces: OtlpTraces
    exporter: InMemorySpanExporter

    def spans(self) -> list[ReadableSpan]:
        """Return the spans since the last call."""
        found = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return found


def node(name: str) -> Node:
    exporter = InMemorySpanExporter()
    return Node(OtlpTraces(node=name, processor=SimpleSpanProcessor(exporter)), exporter)


@dataclass
class Pair:
    """Two nodes; statements run at `a`."""

    a: Node
    b: Node
    link: HeldLink
    catalog: Cluster
    inner: SqlEngine
    session: Session = field(default_factory=Session)

    def __post_init__(self) -> None:
        self.engine = self.a.traces.engine(self.inner)

    def run(self, sql: str) -> list[Row]:
        """Run a statement in a thread's way, and read its rows."""
        statement = self.engine.prepare(sql, self.session)
        result = self.engine.execute(statement, (), self.session, cancellation=Cancellation())
        rows = rows_of(result.batches) if result.batches is not None else list(result.rows or ())
        result.close()
        return rows

    def begin(self, sql: str, parameters: Row, taken: list[LookedUp | None]) -> object:
        """Look up as the event loop does."""
        statement = self.engine.prepare(sql, self.session)
        assert statement.look_up is not None
        given = statement.literals or parameters
        return self.engine.begin_look_up(statement.look_up, given, self.session, taken.append)

    def check(self, *, reads: int | None = None) -> ReadableSpan:
        """Check that both nodes recorded one trace, with the same reads; return its statement.

        Args:
            reads: how many node `b` has recorded; None for one or more.
        """
        *partitions, statement = self.a.spans()
        assert statement.context is not None
        there = self.b.spans()
        wanted = statement.context.trace_id, statement.context.span_id
        for each in (*partitions, *there):
            assert parent_of(each) == wanted
        assert {each.kind for each in partitions} <= {SpanKind.INTERNAL}
        assert {each.kind for each in there} == {SpanKind.SERVER}
        for each in there:
            assert each.parent is not None
            assert each.parent.is_remote
            assert each.start_time is not None
            assert each.end_time is not None
            assert each.start_time <= each.end_time
        asked = [each for each in partitions if attributes(each).get("stategate.node") == "b"]
        assert sorted(map(seen, there)) == sorted(map(seen, asked))
        assert len(there) >= 1 if reads is None else len(there) == reads
        return statement


def seen(span: ReadableSpan) -> tuple[object, ...]:
    """Return what a node says about a read."""
    found = attributes(span)
    names = ("stategate.partition", "stategate.epoch", "stategate.rows", "stategate.node")
    return *[str(found[name]) for name in names], str(found.get("error.type")), span.name


@pytest.fixture(scope="module")
def whole() -> LocalStore:
    store = open_store(AGES)
    fill(store, ROWS)
    return store


@pytest.fixture(scope="module")
def opened(whole: LocalStore) -> Iterator[Pair]:
    parts = {
        name: LocalStore(
            AGES, {n: each for n, each in whole.replicas.items() if (n in HERE) is (name == "a")}
        )
        for name in "ab"
    }
    a, b = node("a"), node("b")
    answering = Answering(lambda: {"ages": parts["b"]}, reduce_streams, b.traces.note_read)
    link = HeldLink(answering)
    cluster = Cluster(
        FixedCatalog(parts["a"]),
        node="a",
        links={"b": link},
        holders=lambda _, number: ["a" if number in HERE else "b"],
    )
    limits = EngineLimits(answers_bytes=0)
    inner = SqlEngine(cluster, node="a", limits=limits, watch_look_up=a.traces.watch_look_up)
    yield Pair(a, b, link, cluster, inner)
    inner.close()
    for each in (a, b):
        each.traces.close()


@pytest.fixture
def pair(opened: Pair) -> Pair:
    for each in (opened.a, opened.b):
        each.exporter.clear()
    opened.link.asked.clear()
    opened.session = Session()
    return opened


def elsewhere(pair: Pair) -> str:
    """Return a name whose row is at node `b`."""
    for number in range(len(ROWS)):
        taken: list[LookedUp | None] = []
        found = pair.begin(LOOKUP, (f"n{number}",), taken)
        assert isinstance(found, LookedUp)
        if found.nodes:
            pair.a.spans(), pair.b.spans()
            return f"n{number}"
    raise AssertionError


def test_the_reads_of_a_stream_are_part_of_the_trace(pair: Pair) -> None:
    assert len(pair.run("SELECT name FROM ages WHERE age <> 77 ORDER BY age")) == 40
    statement = pair.check(reads=2)
    assert attributes(statement)["stategate.rows_read"] == 40


def test_sums_of_other_nodes_are_part_of_the_trace(pair: Pair) -> None:
    assert len(pair.run("SELECT age, count(*), sum(age) FROM ages GROUP BY age")) == 5
    assert any(isinstance(each, Reduce) for each in pair.link.asked)
    assert attributes(pair.check())["stategate.rows_read"] == 40


def test_a_lookup_of_a_key_is_part_of_the_trace(pair: Pair) -> None:
    name = elsewhere(pair)
    assert isinstance(pair.begin(LOOKUP, (name,), []), LookedUp)
    pair.check(reads=1)
    assert isinstance(pair.begin(LOOKUP, ("missing",), []), LookedUp)
    pair.a.spans(), pair.b.spans()
    assert len(pair.run(LOOKUP.replace("$1", f"'{name}'"))) == 1
    pair.check(reads=1)


def test_few_rows_are_part_of_the_trace(pair: Pair) -> None:
    found = pair.begin(FEW, (), [])
    assert isinstance(found, LookedUp)
    assert len(found.rows) == 7
    pair.check()


def test_lookups_of_a_batch_are_part_of_the_trace(pair: Pair) -> None:
    statement = pair.engine.prepare(LOOKUP, pair.session)
    keys = [(f"n{number}",) for number in range(20)]
    found = pair.engine.look_up_each(
        statement, keys, pair.session, bound=EMPTY, cancellation=Cancellation()
    )
    assert found is not None
    pair.check()


def test_the_trace_of_the_client_reaches_all_nodes(pair: Pair) -> None:
    pair.session.trace = pair.a.traces.trace_of({"traceparent": PARENT, "tracestate": STATE})
    pair.run("SELECT name FROM ages WHERE age <> 77")
    there = list(pair.b.exporter.get_finished_spans())
    assert parent_of(pair.check()) == (TRACE_ID, PARENT_ID)
    assert {each.context.trace_state.to_header() for each in there if each.context} == {STATE}


def test_failures_are_part_of_the_trace(pair: Pair) -> None:
    pair.run("SELECT name FROM ages WITH BOUND (events[0] >= 9), PARTIAL")
    there = list(pair.b.exporter.get_finished_spans())
    found = {attributes(e)["stategate.partition"]: attributes(e)["error.type"] for e in there}
    behind = dict.fromkeys(range(AGES.partitions), "NOT_UP_TO_BOUND")
    # What is behind at one node is asked of the other, which may not have it.
    assert found == {**behind, **dict.fromkeys(HERE, "NOT_PRESENT")}
    pair.a.spans(), pair.b.spans()
    with pytest.raises(QueryError):
        pair.run("SELECT name FROM ages WITH BOUND (events[0] >= 9)")
    (statement,) = pair.a.spans()
    assert {parent_of(each) for each in pair.b.spans()} == {
        (statement.context.trace_id, statement.context.span_id) if statement.context else None
    }


@pytest.mark.parametrize("sql", [SCAN, FEW, LOOKUP])
def test_without_a_sample_nodes_are_told_nothing(pair: Pair, sql: str) -> None:
    name = elsewhere(pair)
    pair.link.asked.clear()
    tagged = f"{sql} /*traceparent='{UNSAMPLED}'*/"
    pair.run(tagged.replace("$1", f"'{name}'"))
    if sql != SCAN:
        pair.begin(tagged, (name,) if sql == LOOKUP else (), [])
    asked = [each for each in pair.link.asked if isinstance(each, Ask)]
    assert asked
    assert {each.trace for each in asked} == {None}
    assert pair.a.spans() == []
    assert pair.b.spans() == []


@pytest.mark.parametrize("sql", [LOOKUP, FEW])
def test_a_lookup_that_is_overdue_has_a_span_of_its_own(pair: Pair, sql: str) -> None:
    given, taken = (elsewhere(pair),) if "$1" in sql else (), list[LookedUp | None]()
    pair.link.is_slow = True
    tagged = f"{sql} /*traceparent='{PARENT}'*/"
    asked = cast(Asked, pair.begin(tagged, given, taken))
    assert pair.a.spans() == []
    asked.cancel(is_overdue=True)
    asked.cancel()
    (given_up,) = pair.a.spans()
    assert attributes(given_up)["stategate.overdue"] is True
    assert given_up.context is not None
    pair.link.let_go()
    assert taken == []
    (late, *more) = pair.b.spans()
    assert {parent_of(each) for each in (late, *more)} == {(TRACE_ID, given_up.context.span_id)}
    # The statement runs anew, in the trace of its text.
    statement = pair.engine.prepare(sql, Session())
    result = pair.engine.execute(
        statement, statement.literals or given, pair.session, cancellation=Cancellation()
    )
    deque(result.batches or (), maxlen=0)
    result.close()
    assert parent_of(given_up) == (TRACE_ID, PARENT_ID)
    assert parent_of(pair.a.spans()[-1]) == (TRACE_ID, PARENT_ID)


@pytest.mark.parametrize("sql", [LOOKUP, FEW])
@pytest.mark.parametrize("end", ["on_overdue", "give_up", "cancel", "lost"])
def test_only_a_lookup_that_took_too_long_is_overdue(pair: Pair, sql: str, end: str) -> None:
    """In other cases its client has cancelled it or is gone, or the node was lost."""
    given, taken = (elsewhere(pair),) if "$1" in sql else (), list[LookedUp | None]()
    pair.link.is_slow = True
    statement = pair.engine.prepare(sql, pair.session)
    assert statement.look_up is not None

    async def run() -> None:
        waiting = begin_elsewhere(
            pair.engine,
            cast(LookUp, statement.look_up),
            statement.literals or given,
            pair.session,
            taken.append,
        )
        assert isinstance(waiting, Elsewhere)
        if end == "lost":
            pair.link.lose()
        else:
            getattr(waiting, end)()
            pair.link.let_go()

    asyncio.run(run())
    assert taken == ([] if end == "cancel" else [None])
    (span,) = pair.a.spans()
    assert attributes(span).get("stategate.overdue", False) is (end == "on_overdue")
    assert "db.response.returned_rows" not in attributes(span)


def test_a_lookup_that_comes_late_enough_is_one_span(pair: Pair) -> None:
    name, taken = elsewhere(pair), list[LookedUp | None]()
    pair.link.is_slow = True
    asked = cast(Asked, pair.begin(LOOKUP, (name,), taken))
    assert asked.overdue_s > 0
    pair.link.let_go()
    asked.cancel()  # as whoever waits does at the end
    assert len(taken) == 1
    assert "stategate.overdue" not in attributes(pair.check(reads=1))


class OldAsk(Struct, frozen=True):
    """`Ask` as nodes had it that know no traces."""

    store: str
    targets: tuple[object, ...]


OldAsk.__name__ = "Ask"


@contextmanager
def old_node() -> Iterator[None]:
    """Let messages be those of an older node."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(codec._known, "Ask", OldAsk)
        codec._names_of.cache_clear()
        yield
    codec._names_of.cache_clear()


def test_an_older_node_passes_over_the_trace() -> None:
    targets = ((0, KeyQuery(key=("n1",)), None), (1, RangeQuery(), None))
    sent = codec.encode(Ask("ages", targets, (PARENT, STATE)))
    with old_node():
        assert codec.decode(sent) == OldAsk("ages", targets)
        from_old = codec.encode(OldAsk("ages", targets))
    assert codec.decode(from_old) == Ask("ages", targets)
    assert codec.decode(sent) == Ask("ages", targets, (PARENT, STATE))


def test_a_trace_that_is_not_one_begins_none(pair: Pair) -> None:
    for parent in ("", "nonsense", UNSAMPLED, PARENT.replace("0a", "zz")):
        read = TracedRead(
            trace=(parent, ""),
            store="ages",
            partition=1,
            epoch=0,
            rows=1,
            reason=None,
            began_ns=1,
            ended_ns=2,
        )
        pair.b.traces.note_read(read)
    assert pair.b.spans() == []


def test_traces_travel_over_connections(whole: LocalStore) -> None:
    reads: list[TracedRead] = []
    with closing(Room({"ages": whole}, on_read=reads.append)) as room:
        assert room.watcher.connected.wait(10)
        store = ClusterStore(
            LocalStore(AGES, {}), node="a", links={"b": room.link}, holders=lambda *_: ["b"]
        )
        stop = Cancellation(timeout_s=20)
        key, scan = KeyQuery(key=("n1",)), RangeQuery()
        targets = [(number, key, DEFAULT_CONFIG) for number in range(3)]
        assert all(isinstance(each, Success) for each in store.query_each(targets, stop=stop))
        assert reads == []
        stop.trace = (PARENT, STATE)
        assert len(list(store.query_each(targets[:1], stop=stop))) == 1
        (answer,) = store.query_each([(1, scan, DEFAULT_CONFIG)], stop=stop)
        assert len(reads) == 1
        assert isinstance(answer, Success)
        rows = rows_of(answer.value)
        until(lambda: len(reads) == 2)
        answers = list(store.query_each([(2, scan, DEFAULT_CONFIG)], stop=stop))
        assert len(reads) == 2
        answers.clear()  # a stream that is not read ends when it is released
        until(lambda: len(reads) == 3)
        assert {each.trace for each in reads} == {(PARENT, STATE)}
        assert [each.partition for each in reads] == [0, 1, 2]
        assert [each.rows for each in reads[1:]] == [len(rows), 0]
