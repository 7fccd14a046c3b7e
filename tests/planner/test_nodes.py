"""SQL over stores whose partitions are on several nodes, as one of them answers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.planning import groupings
from stategate.planner.planning.groupings import reduce_streams
from stategate.planner.planning.plan import Compose, QueryPlan
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.nodes.answering import Answering
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.nodes.failover import Unreadable
from stategate.stores.nodes.messages import Ask, ReadStream, Reduce, Request
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.nodes.remote import RemoteRows
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.schema import Row, StoreSchema
from tests.planner.sides import Sides, build, looked_up, ordered, rows_of, run
from tests.planner.test_law import (
    COLUMNS,
    EXAMPLES,
    HOUR_US,
    NAMES,
    STORES,
    Query,
    check,
    joined,
    nested,
    predicates,
    single_store,
)
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.nodes.unreadable import BrittleStore
from tests.support.stores import FixedCatalog, fill

NODES = [Node(name=name) for name in ("a", "b", "c")]
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def link_to(catalog: FixedCatalog) -> MemoryLink:
    return MemoryLink(Answering(lambda: catalog.stores, reduce_streams))


def holders_of(schema: StoreSchema, partition: int) -> list[str]:
    return holders(schema.name, partition, NODES, copies=2)


@dataclass
class Nodes:
    """Both sides of the law; our engine is on node `a`."""

    sides: Sides
    links: dict[str, MemoryLink]
    whole: tuple[LocalStore, ...]
    copies: dict[str, list[BrittleStore]]
    """The stores of each node."""
    unreadable: list[Unreadable]
    """What node `a` has reported."""

    def elsewhere(self) -> set[tuple[str, int]]:
        """Return the partitions that are not on node `a`."""
        return {
            (schema.name, number)
            for schema in STORES
            for number in range(schema.partitions)
            if "a" not in holders_of(schema, number)
        }

    def queries_sent(self) -> int:
        """Return how often nodes were asked; what other threads hold and release is not counted."""
        return self.sent(Ask)

    def sent(self, kind: type[Request]) -> int:
        """Return how many requests of a kind were sent."""
        return sum(isinstance(each, kind) for link in self.links.values() for each in link.asked)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    rows: dict[str, list[Row]] = {
        "people": [
            *[(name, n - 4, n / 4 or None, NAMES[-n]) for n, name in enumerate(NAMES)],
            (None, 0, None, None),
        ],
        "orders": [
            (name, number, None, number > 0, number * HOUR_US)
            for name in NAMES
            for number in (-2, 0, 1, 2)
        ],
        "clicks": [
            (name, hour * HOUR_US, (hour + 1) * HOUR_US, hour)
            for name in NAMES
            for hour in range(-3, 7)
        ],
    }
    sides = build(STORES, rows)
    whole = tuple(sides.stores)
    catalogs, copies = {}, {}
    for node in NODES:
        copies[node.name] = [
            BrittleStore(
                store.schema,
                {
                    number: replica
                    for number, replica in store.replicas.items()
                    if node.name in holders_of(store.schema, number)
                },
            )
            for store in whole
        ]
        catalogs[node.name] = FixedCatalog(*copies[node.name])
    links = {name: link_to(catalogs[name]) for name in ("b", "c")}
    unreadable: list[Unreadable] = []
    cluster = Cluster(
        catalogs["a"],
        node="a",
        links=links,
        holders=holders_of,
        on_unreadable=unreadable.append,
    )
    engine = SqlEngine(cluster, node="a")
    bulk = SqlEngine(cluster, limits=EngineLimits(few_rows=False), node="a")
    sides.engine.close()
    if sides.bulk is not None:
        sides.bulk.close()
    sides = Sides(engine, sides.plain, bulk, whole)
    found = Nodes(sides, links, whole, copies, unreadable)
    assert found.elsewhere()
    yield found
    found.sides.close()


KEYS = {
    "people": ["name", "age", "city"],
    "orders": ["name", "number", "paid", "due"],
    "clicks": ["name", "window_start", "clicks"],
}
SUMMED = {"people": ["age"], "orders": ["number", "amount"], "clicks": ["clicks"]}


@st.composite
def grouped(draw: st.DrawFn) -> Query:
    """Draw what nodes sum up: groups and aggregates of the columns of a store."""
    relation = draw(st.sampled_from(sorted(KEYS)))
    keys = draw(st.lists(st.sampled_from(KEYS[relation]), unique=True, max_size=2))
    of = st.sampled_from(SUMMED[relation])
    aggregate = st.one_of(
        st.just("count(*)"),
        st.builds("{}(t.{})".format, st.sampled_from(["sum", "min", "max", "count"]), of),
        st.sampled_from(COLUMNS[relation]).map("count(t.{})".format),
    )
    aggregates = draw(st.lists(aggregate, min_size=1, max_size=3))
    where = draw(st.one_of(st.just(""), predicates("t", relation).map(" WHERE {}".format)))
    sql = f"SELECT {', '.join([*[f't.{key}' for key in keys], *aggregates])} FROM {relation} t"
    sql += where + (f" GROUP BY {', '.join(f't.{key}' for key in keys)}" if keys else "")
    is_cut = draw(st.booleans())
    if keys and is_cut:
        # All keys order the groups, so that LIMIT cuts both sides at the same one.
        order = ", ".join(str(at + 1) for at in range(len(keys)))
        return Query(f"{sql} ORDER BY {order} LIMIT {draw(st.integers(0, 5))}", ordered=True)
    return Query(sql)


@given(query=grouped())
@settings(max_examples=EXAMPLES * 2 // 5, suppress_health_check=SLOW)
def test_groups_of_all_nodes_are_duckdbs(nodes: Nodes, query: Query) -> None:
    before = nodes.sent(Reduce)
    check(nodes.sides, query)
    event("reduced" if nodes.sent(Reduce) > before else "read")


@given(query=grouped(), lost=st.sampled_from(["b", "c"]), after=st.integers(0, 6))
@settings(max_examples=EXAMPLES // 4, suppress_health_check=SLOW)
def test_no_row_counts_twice_when_a_node_is_lost(
    nodes: Nodes, query: Query, lost: str, after: int
) -> None:
    nodes.links[lost].requests_left = after
    try:
        check(nodes.sides, query)
    finally:
        nodes.links[lost].requests_left = 1 << 30


@st.composite
def computed(draw: st.DrawFn) -> Query:
    """Draw what DuckDB makes of groups: it computes with keys and aggregates of columns."""
    relation = draw(st.sampled_from(sorted(KEYS)))
    key, of = draw(st.sampled_from(KEYS[relation])), draw(st.sampled_from(SUMMED[relation]))
    number = st.sampled_from(
        [
            *("count(*)", f"sum(t.{of})", f"count(t.{of})", f"max(t.{of})", f"min(t.{of})"),
            *(f"coalesce(sum(t.{of}), 0)", f"abs(min(t.{of}))", f"count(t.{key})"),
        ]
    )
    terms = st.builds("{} + {}".format, number, number)
    terms |= st.builds("CASE WHEN {} > 1 THEN {} END".format, number, number)
    listed = draw(st.lists(terms, min_size=1, max_size=2))
    where = draw(st.one_of(st.just(""), predicates("t", relation).map(" WHERE {}".format)))
    having = draw(st.one_of(st.just(""), number.map(" HAVING {} > 0".format)))
    keys = draw(st.sampled_from([f"t.{key}", f"t.{key} IS NULL", ""]))
    sql = f"SELECT {', '.join([*([keys] if keys else []), *listed])} FROM {relation} t{where}"
    return Query(f"{sql}{f' GROUP BY {keys}' if keys else ''}{having}")


@given(query=computed())
@settings(max_examples=EXAMPLES // 4, suppress_health_check=SLOW)
def test_what_duckdb_makes_of_the_groups_of_all_nodes(nodes: Nodes, query: Query) -> None:
    before = nodes.sent(Reduce)
    check(nodes.sides, query)
    event("reduced" if nodes.sent(Reduce) > before else "read")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city, sum(age) * 2 FROM people GROUP BY city HAVING count(*) > 1 ORDER BY 2, 1",
        "SELECT upper(city), round(avg(age), 1) FROM people GROUP BY upper(city) ORDER BY 1",
        "SELECT name || '!', max(number) - 1 FROM orders GROUP BY name ORDER BY name LIMIT 3",
        "SELECT bool_and(paid), bool_or(paid), max(due) FROM orders WHERE number > 0",
        "SELECT count(*) + 0 FROM orders WHERE amount > 100",
        "SELECT sum(amount) / count(*) FROM orders",
        "SELECT date_trunc('hour', due), count(*) FROM orders GROUP BY 1 ORDER BY 1",
        "SELECT upper(city) AS age, sum(age) FROM people GROUP BY age, city ORDER BY 2, 1",
        "SELECT city, avg(age) FROM people GROUP BY city HAVING city IN ('a', 'b') ORDER BY 1",
    ],
)
def test_duckdb_computes_with_states(
    nodes: Nodes, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = nodes.sides.engine
    before, read = nodes.sent(Reduce), nodes.sent(ReadStream)
    result = run(engine, sql)
    found = rows_of(result)
    assert nodes.sent(Reduce) > before
    assert nodes.sent(ReadStream) == read, "no row has travelled"
    assert sum(answer.rows for answer in result.partitions) > 0
    monkeypatch.setattr(RemoteRows, "reducer", None)
    assert rows_of(run(engine, sql)) == found
    assert nodes.sent(ReadStream) > read, "all rows have"


@pytest.mark.parametrize("parameters", [(1, "a", 0), (-5, "zz", 1), (None, "b", 0)])
def test_states_are_merged_with_parameters(nodes: Nodes, parameters: Row) -> None:
    form = (
        "SELECT city, sum(age) + {} FROM people WHERE name <> {} GROUP BY city HAVING count(*) > {}"
    )
    before = nodes.sent(Reduce)
    found = rows_of(run(nodes.sides.engine, form.format("$1", "$2", "$3"), parameters))
    assert nodes.sent(Reduce) > before
    spelled = form.format(*["NULL" if each is None else repr(each) for each in parameters])
    assert ordered(found) == ordered(nodes.sides.theirs(spelled))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT city, count(DISTINCT age) FROM people GROUP BY city",
        "SELECT city, count(*) FILTER (WHERE age > 0) FROM people GROUP BY city",
        "SELECT string_agg(city, ',') FROM people",
        "SELECT sum(score) + 1 FROM people",
        "SELECT max(length(city)) FROM people",
        "SELECT city, sum(count(*)) OVER () FROM people GROUP BY city",
        "SELECT city, count(*) FROM people GROUP BY ROLLUP (city)",
        "SELECT stddev(age) FROM people",
        "SELECT 1, count(*) + 0 FROM people GROUP BY 1",
        "SELECT city, (SELECT max(age) FROM people) FROM people GROUP BY city",
        "SELECT max(p.age) + 1 FROM people p, orders o",
        "SELECT count(age) + random() FROM people",
    ],
)
def test_statements_that_need_rows(nodes: Nodes, sql: str) -> None:
    plan = nodes.sides.engine.prepare(sql, Session()).plan
    assert isinstance(plan, QueryPlan)
    assert isinstance(plan.node, Compose)
    assert plan.node.groups is None


GROUPS = "SELECT city, count(*), sum(age), min(age) FROM people GROUP BY city ORDER BY city"


def test_nodes_sum_up_their_rows(nodes: Nodes) -> None:
    expected = rows_of(run(nodes.sides.bulk or nodes.sides.engine, GROUPS))
    before, read = nodes.sent(Reduce), nodes.sent(ReadStream)
    result = run(nodes.sides.engine, GROUPS)
    assert rows_of(result) == expected
    assert 0 < nodes.sent(Reduce) - before <= len(nodes.links), "each node is asked once"
    assert nodes.sent(ReadStream) == read, "no row has travelled"
    assert len(result.partitions) == STORES[0].partitions
    assert sum(answer.rows for answer in result.partitions) == len(NAMES) + 1
    assert {answer.node for answer in result.partitions} > {"a"}


def test_a_statement_with_too_many_groups_is_not_tried_again_at_once(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groupings, "GROUPS_MAX", 2)
    sql = "SELECT name, max(age) FROM people GROUP BY name"
    sent = []
    for _ in range(4):
        before = nodes.sent(Reduce)
        result = run(nodes.sides.engine, sql)
        assert len(rows_of(result)) == len(NAMES) + 1
        assert sum(answer.rows for answer in result.partitions) == len(NAMES) + 1
        sent.append(nodes.sent(Reduce) - before)
    assert sent[0] > 0
    assert sent[1] == 0


@given(query=st.one_of(single_store(), joined(), nested()))
@settings(max_examples=EXAMPLES // 2, suppress_health_check=SLOW)
def test_any_sql_gives_duckdbs_rows(nodes: Nodes, query: Query) -> None:
    check(nodes.sides, query)


@given(
    query=st.one_of(single_store(), joined()),
    lost=st.sampled_from(["b", "c"]),
    after=st.integers(0, 6),
)
@settings(max_examples=EXAMPLES // 2, suppress_health_check=SLOW)
def test_no_statement_fails_when_a_node_is_lost(
    nodes: Nodes, query: Query, lost: str, after: int
) -> None:
    """Wherever in a statement it is lost: each partition has another copy."""
    nodes.links[lost].requests_left = after
    try:
        check(nodes.sides, query)
    finally:
        nodes.links[lost].requests_left = 1 << 30


@given(
    query=st.one_of(single_store(), joined(), grouped()),
    node=st.sampled_from(["a", "b", "c"]),
    batches=st.integers(0, 1),
)
@settings(max_examples=EXAMPLES // 2, suppress_health_check=SLOW)
def test_no_statement_fails_when_the_copies_of_a_node_cannot_be_read(
    nodes: Nodes, query: Query, node: str, batches: int
) -> None:
    for store in nodes.copies[node]:
        store.is_damaged, store.batches = True, batches
    try:
        check(nodes.sides, query)
    finally:
        for store in nodes.copies[node]:
            store.is_damaged = False


def test_a_copy_that_cannot_be_read_is_reported(nodes: Nodes) -> None:
    """Also that of a lookup on an event loop, which leaves it to the slow way."""
    here = next(
        n for n in NAMES if found_here(nodes, "SELECT name FROM people WHERE name = $1", (n,))
    )
    sql = "SELECT age FROM people WHERE name = $1"  # another one, whose answer is not kept yet
    rows, nodes.unreadable[:] = rows_of(run(nodes.sides.engine, sql, (here,))), []
    for store in nodes.copies["a"]:
        store.is_damaged = True
    try:
        assert found_elsewhere(nodes, sql, (here,)) is None
        assert rows_of(run(nodes.sides.engine, sql, (here,))) == rows
    finally:
        for store in nodes.copies["a"]:
            store.is_damaged = False
    (reported,) = nodes.unreadable
    assert (reported.node, reported.store) == ("a", "people")


def found_here(nodes: Nodes, sql: str, parameters: Row) -> bool:
    """Whether a lookup needs no other node."""
    before = nodes.queries_sent()
    found = found_elsewhere(nodes, sql, parameters)
    return found is not None and nodes.queries_sent() == before


def test_answers_name_the_node_of_each_partition(nodes: Nodes) -> None:
    result = run(nodes.sides.engine, "SELECT name FROM people, orders AS o(n) WHERE name = o.n")
    rows_of(result)
    for answer in result.partitions:
        schema = next(each for each in STORES if each.name == answer.store)
        assert answer.node in holders_of(schema, answer.partition)
        assert (answer.node == "a") == ("a" in holders_of(schema, answer.partition))
    listed = "SELECT store, partition, node FROM stategate.partitions"
    for store, partition, node in rows_of(run(nodes.sides.engine, listed)):
        schema = next(each for each in STORES if each.name == store)
        assert node in holders_of(schema, partition)


def test_an_event_loop_never_waits_for_a_node(nodes: Nodes) -> None:
    engine, session = nodes.sides.engine, Session()
    for name in NAMES:
        statement = engine.prepare("SELECT age FROM people WHERE name = $1", session)
        assert not engine.is_inline(statement, session)
        before = nodes.queries_sent()
        found = looked_up(statement, (name,), session)
        assert nodes.queries_sent() == before
        rows = rows_of(run(engine, "SELECT age FROM people WHERE name = $1", (name,)))
        assert found is None or ordered(list(found)) == ordered(rows)
        assert len(rows) == 1
    assert engine.is_inline(engine.prepare("SET work_mem = '1MB'", session), session)


def found_elsewhere(nodes: Nodes, sql: str, parameters: Row = ()) -> list[Row] | None:
    """Return the rows that a lookup on an event loop finds at other nodes; None without one."""
    engine, session = nodes.sides.engine, Session()
    found: list[LookedUp | None] = []
    statement = engine.prepare(sql, session)
    if statement.look_up is None:
        return None
    given = statement.literals or parameters
    begun = engine.begin_look_up(statement.look_up, given, session, found.append)
    assert session.node_answers is None
    assert found == [], "the links of this test answer at once"
    assert begun is None or isinstance(begun, LookedUp)
    return None if begun is None else list(begun.rows)


@given(query=st.one_of(single_store(), joined(), nested()))
@settings(max_examples=EXAMPLES, suppress_health_check=SLOW)
def test_rows_found_elsewhere_are_those_of_duckdb(nodes: Nodes, query: Query) -> None:
    try:
        found = found_elsewhere(nodes, query.sql)
    except QueryError:
        return
    event("found" if found is not None else "not looked up")
    if found is not None:
        rows = rows_of(run(nodes.sides.engine, query.sql))
        assert found == rows if query.ordered else ordered(found) == ordered(rows)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age FROM people WHERE name = $1",
        "SELECT * FROM people WHERE name IN ($1, 'ann', 'bob', 'cid', 'dan', 'eve', 'zoe')",
        "SELECT * FROM orders WHERE name = $1",
        "SELECT sum(number) FROM orders WHERE name = $1 AND number >= 0",
        "SELECT * FROM clicks WHERE name = $1 ORDER BY window_start DESC LIMIT 3",
        "SELECT * FROM people ORDER BY name LIMIT 4",
        "SELECT p.age, o.* FROM people p JOIN orders o ON o.name = p.name WHERE p.name = $1",
    ],
)
def test_small_statements_ask_other_nodes_without_a_thread(nodes: Nodes, sql: str) -> None:
    nodes_asked = 0
    for name in NAMES:
        parameters = (name,) if "$1" in sql else ()
        before = nodes.queries_sent()
        found = found_elsewhere(nodes, sql, parameters)
        nodes_asked += nodes.queries_sent() - before
        assert found is not None
        rows = rows_of(run(nodes.sides.engine, sql, parameters))
        assert found == rows if "ORDER BY" in sql else ordered(found) == ordered(rows)
    assert 0 < nodes_asked <= 4 * len(NAMES), "a node is asked once for each of two stores"


def test_lookups_of_a_batch_name_the_node_that_has_answered(nodes: Nodes) -> None:
    engine, session = nodes.sides.engine, Session()
    statement = engine.prepare("SELECT age FROM people WHERE name = $1", session)
    found = engine.look_up_each(
        statement,
        [(name,) for name in NAMES],
        session,
        bound=EMPTY,
        cancellation=Cancellation(timeout_s=60),
    )
    assert found is not None
    assert None not in found.rows
    (people,) = [store.schema for store in nodes.whole if store.schema.name == "people"]
    named = {read[1]: node for read, node in zip(found.reads, found.nodes, strict=True)}
    assert set(named.values()) > {None}
    for partition, node in named.items():
        holders = holders_of(people, partition)
        assert node is None if "a" in holders else node in holders


@pytest.mark.parametrize("lost", ["b", "c"])
def test_a_lookup_without_an_answer_is_left_to_a_thread(nodes: Nodes, lost: str) -> None:
    nodes.links[lost].is_up = False
    try:
        for name in NAMES:
            sql = "SELECT age FROM people WHERE name = $1"
            found = found_elsewhere(nodes, sql, (name,))
            rows = rows_of(run(nodes.sides.engine, sql, (name,)))
            assert found is None or found == rows
    finally:
        nodes.links[lost].is_up = True


@pytest.mark.parametrize("begin", ["BEGIN ISOLATION LEVEL REPEATABLE READ"])
def test_a_transaction_reads_one_epoch_of_all_nodes(nodes: Nodes, begin: str) -> None:
    engine, session = nodes.sides.engine, Session()
    run(engine, begin, session=session)
    sql = "SELECT count(*), min(_epoch), max(_epoch) FROM people"
    (first,) = rows_of(run(engine, sql, session=session))
    for store in nodes.whole:
        fill(store, [], epoch=max(r.progress.epoch for r in store.replicas.values()) + 1)
    assert rows_of(run(engine, sql, session=session)) == [first]
    run(engine, "COMMIT", session=session)


def test_bounds_hold_on_every_node(nodes: Nodes) -> None:
    engine = nodes.sides.engine
    newest = nodes.whole[0].replicas[0].progress.epoch
    for bound in ("LATEST", f"events[0] >= {newest}"):
        result = run(engine, f"SELECT count(*) FROM people WITH BOUND ({bound}), WAIT '5 s'")
        assert rows_of(result) == [(len(NAMES) + 1,)]
        assert {answer.epoch for answer in result.partitions} == {newest}
    with pytest.raises(QueryError) as caught:
        rows_of(run(engine, f"SELECT name FROM people WITH BOUND (events[0] >= {newest + 9})"))
    assert caught.value.sqlstate == "55S01"


def test_without_any_copy_the_statement_fails(nodes: Nodes) -> None:
    for link in nodes.links.values():
        link.is_up = False
    try:
        with pytest.raises(QueryError) as caught:
            rows_of(run(nodes.sides.engine, "SELECT count(*) FROM people"))
        assert caught.value.retryable
        partial = "SELECT count(*) FROM people WITH PARTIAL"
        assert rows_of(run(nodes.sides.engine, partial))[0][0] < len(NAMES) + 1
    finally:
        for link in nodes.links.values():
            link.is_up = True
