"""A user reads its stores, whatever the statement and whoever planned it, and no row of others.

Each statement is run by a user who may read everything first, so that plans, kept answers and live
queries are there to be shared.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import sqlglot
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from stategate.planner.engine import Subscription
from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import EVERY_STORE, PermissionDeniedError, Readable, Rights
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.planner.running.test_key_elsewhere import COUNTS, HERE, THERE, FakeNodes
from tests.planner.sides import Sides, build, comparable, ordered, rows_of
from tests.planner.test_law import (
    EXAMPLES,
    HOUR_US,
    NAMES,
    STORES,
    Query,
    joined,
    nested,
    single_store,
)
from tests.support.stores import FixedCatalog, fill, open_store

ROWS: dict[str, list[Row]] = {
    "people": [(name, n, n / 4, NAMES[-n]) for n, name in enumerate(NAMES)],
    "orders": [(name, n, None, n > 0, n * HOUR_US) for name in NAMES for n in (-2, 0, 1)],
    "clicks": [
        (name, hour * HOUR_US, (hour + 1) * HOUR_US, hour) for name in NAMES for hour in range(3)
    ],
}
ALL, JOE, GONE = "all", "joe", "gone"


def refused(error: QueryError) -> bool:
    return isinstance(error, PermissionDeniedError) and error.sqlstate == "42501"


@dataclass
class World:
    """An engine with rights, and one without."""

    sides: Sides
    engine: SqlEngine
    rights: Rights
    sessions: dict[str, Session] = field(default_factory=dict)

    def grant(self, *stores: str) -> None:
        """Let joe read these stores only."""
        self.rights.by_user = {ALL: EVERY_STORE, JOE: Readable(stores)}

    def run(self, sql: str, user: str = JOE, parameters: Row = ()) -> list[Row]:
        """Prepare and run a statement, and read its rows."""
        session = Session(user=user)
        statement = self.engine.prepare(sql, session)
        result = self.engine.execute(
            statement, parameters, session, cancellation=Cancellation(timeout_s=60)
        )
        try:
            return [comparable(row) for row in rows_of(result)]
        finally:
            result.close()

    def ways(self, sql: str) -> dict[str, Callable[[], object]]:
        """Return the ways in which joe can run a statement."""
        session, engine = Session(user=JOE), self.engine
        statement = engine.recall(sql, session) or engine.prepare(sql, session)

        def begun() -> object:
            if statement.look_up is None:
                return None
            taken: list[LookedUp | None] = []
            given = statement.literals
            found = engine.begin_look_up(statement.look_up, given, session, taken.append)
            return found if isinstance(found, LookedUp) else None

        def each() -> object:
            return engine.look_up_each(
                statement,
                [statement.literals],
                session,
                bound=Session().seen,
                cancellation=Cancellation(timeout_s=60),
            )

        def subscribed() -> object:
            subscription = engine.subscribe(
                statement,
                statement.literals,
                session,
                token=None,
                on_ready=lambda: None,
                cancellation=Cancellation(timeout_s=60),
            )
            try:
                return list(subscription.first.rows) if subscription.first else []
            finally:
                subscription.close()

        return {
            "run": lambda: self.run(sql),
            "explain": lambda: self.run(f"EXPLAIN {sql}"),
            "analyze": lambda: self.run(f"EXPLAIN ANALYZE {sql}"),
            "look up": begun,
            "look up each": each,
            "subscribe": subscribed,
            "version": lambda: engine.answer_version(statement, statement.literals, session),
        }


@contextmanager
def opened_world() -> Iterator[World]:
    sides = build(STORES, ROWS)
    rights = Rights()
    engine = SqlEngine(FixedCatalog(*sides.stores), rights=rights)
    yield World(sides, engine, rights)
    engine.close()
    sides.close()


@pytest.fixture(scope="module")
def opened() -> Iterator[World]:
    with opened_world() as found:
        yield found


@pytest.fixture
def world(opened: World) -> World:
    opened.rights.by_user = None
    return opened


def stores_in(sql: str) -> set[str]:
    """Return the stores that a statement names."""
    tree = sqlglot.parse_one(sql, dialect="postgres")
    return {table.name for table in tree.find_all(exp.Table)} & ROWS.keys()


NEVER_REFUSED = {"look up", "look up each", "version"}
"""Ways that say None, so that the statement is run, which says why."""


@given(
    query=st.one_of(single_store(), joined(), nested()),
    granted=st.sets(st.sampled_from(sorted(ROWS))),
)
@settings(
    max_examples=EXAMPLES // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_a_user_reads_its_stores_and_no_others(
    world: World, query: Query, granted: set[str]
) -> None:
    sql = query.sql
    world.grant(*sorted(granted))
    try:
        wanted = world.run(sql, ALL)
    except QueryError:
        wanted = None
    is_allowed = stores_in(sql) <= granted
    event("allowed" if is_allowed else "refused")
    if is_allowed and wanted is not None:
        found = world.run(sql)
        assert found == wanted if query.ordered else ordered(found) == ordered(wanted)
        return
    for name, way in world.ways(sql).items() if not is_allowed else ():
        if name in NEVER_REFUSED:
            assert way() is None, name
            continue
        with pytest.raises(QueryError) as caught:
            way()
        if wanted is not None and name != "subscribe":
            assert refused(caught.value), name
        assert caught.value.sqlstate in {"42501", "0A000"} or wanted is None, name


STATEMENTS: Sequence[str] = (
    "SELECT * FROM people WHERE name = 'ab'",
    "SELECT age FROM people WHERE name IN ('ab', 'zz')",
    "SELECT * FROM people",
    "TABLE people",
    "SELECT count(*) FROM people",
    "SELECT 1 FROM people WHERE false",
    "SELECT 1 FROM people LIMIT 0",
    "SELECT name FROM people ORDER BY name LIMIT 1",
    "SELECT max(name) FROM people",
    "SELECT upper(name) FROM people",
    "SELECT (SELECT max(age) FROM people)",
    "SELECT 1 WHERE EXISTS (SELECT FROM people)",
    "SELECT number FROM orders WHERE name IN (SELECT name FROM people)",
    "SELECT o.number FROM orders o JOIN people p ON p.name = o.name WHERE p.name = 'ab'",
    "SELECT o.number FROM orders o LEFT JOIN people p ON p.name = o.name",
    "SELECT number FROM orders UNION ALL SELECT age FROM people",
    "WITH p AS (SELECT * FROM people) SELECT count(*) FROM p",
    "WITH p AS (SELECT * FROM people) SELECT count(*) FROM orders",
    "SELECT number FROM orders, LATERAL (SELECT age FROM people) p",
    'SELECT * FROM public."people"',
    "SELECT p.* FROM people p, stategate.settings s",
    "SELECT age, current_user FROM people",
    "SELECT age FROM people WHERE name = 'ab' WITH BOUND (LATEST)",
    "DESCRIBE people",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_each_form_of_a_statement_is_refused(world: World, sql: str) -> None:
    world.grant("orders", "clicks")
    explained = () if sql.startswith("DESC") else (f"EXPLAIN {sql}", f"EXPLAIN ANALYZE {sql}")
    for text in (sql, *explained):
        for _ in range(2):
            world.run(text, ALL)
            for user in (JOE, GONE):
                with pytest.raises(PermissionDeniedError) as caught:
                    world.run(text, user)
                assert user == GONE or str(caught.value) == "permission denied for table people"
    world.grant("people", "orders")
    assert len(world.run(sql)) == len(world.run(sql, ALL))


def test_statements_with_other_literals_share_a_plan_and_are_refused(world: World) -> None:
    """The shape of a text has a plan from its second text on; so has a lookup its kept answer."""
    world.grant("orders")
    for name in NAMES[:4]:
        sql = f"SELECT age FROM people WHERE name = '{name}'"
        for _ in range(3):
            assert len(world.run(sql, ALL)) == 1
            statement = world.engine.recall(sql, Session(user=JOE))
            assert statement is not None
            assert statement.look_up is not None
            assert statement.look_up(statement.literals, Session(user=ALL)) is not None
            assert statement.look_up(statement.literals, Session(user=JOE)) is None
            with pytest.raises(PermissionDeniedError):
                world.run(sql)


def test_a_prepared_statement_follows_the_rights_of_now(world: World) -> None:
    session = Session(user=JOE)
    world.grant("orders")
    statement = world.engine.prepare("SELECT age FROM people WHERE name = $1", session)
    assert [column.name for column in statement.columns] == ["age"], "as in PostgreSQL"
    assert statement.look_up is not None

    def run() -> Sequence[Row]:
        result = world.engine.execute(statement, ("ab",), session, cancellation=Cancellation())
        return rows_of(result)

    for _ in range(2):
        world.grant("orders")
        assert statement.look_up(("ab",), session) is None
        with pytest.raises(PermissionDeniedError):
            run()
        world.grant("peop*")
        found = statement.look_up(("ab",), session)
        assert found is not None
        assert list(found.rows) == run()
    world.rights.by_user = None
    assert len(run()) == 1


def test_copies_and_cursors_run_statements_that_are_checked(world: World) -> None:
    world.grant("orders")
    for sql in (
        "COPY people TO STDOUT",
        "COPY (SELECT age FROM people) TO STDOUT",
        "DECLARE c CURSOR FOR SELECT age FROM people",
        "PREPARE p AS SELECT age FROM people",
        "SUBSCRIBE (SELECT age FROM people)",
    ):
        inner = world.engine.prepare(sql, Session(user=JOE)).query
        assert inner is not None
        session = Session(user=JOE)
        with pytest.raises(PermissionDeniedError):
            world.engine.execute(inner, (), session, cancellation=Cancellation())
    session = Session(user=JOE, settings={"stategate.engine": "spark"})
    statement = world.engine.prepare("SELECT age FROM people", session)
    with pytest.raises(PermissionDeniedError):
        world.engine.execute(statement, (), session, cancellation=Cancellation())


def test_relations_of_the_gateway_show_only_the_stores_of_a_user(world: World) -> None:
    world.grant("orders", "cl*s")
    assert world.run("SELECT name FROM stategate.stores ORDER BY 1") == [("clicks",), ("orders",)]
    assert [row[0] for row in world.run("SHOW STORES")] == ["clicks", "orders"]
    found = world.run("SELECT DISTINCT store FROM stategate.partitions ORDER BY 1")
    assert found == [("clicks",), ("orders",)]
    assert len(world.run("SELECT name FROM stategate.stores", ALL)) == 3
    assert world.run("SELECT name FROM stategate.stores", GONE) == []
    assert len(world.run("DESCRIBE orders")) == len(world.run("DESCRIBE orders", ALL))


INFORMATION = (
    *("tables", "columns", "table_constraints", "key_column_usage"),
    *("constraint_column_usage", "constraint_table_usage"),
)


def test_information_schema_has_what_a_user_may_read_and_pg_class_everything(world: World) -> None:
    world.grant("orders")
    for relation in INFORMATION:
        sql = f"SELECT DISTINCT table_name FROM information_schema.{relation} "
        sql += "WHERE table_schema = 'public' ORDER BY 1"
        everything = [("clicks",), ("orders",), ("people",)]
        for _ in range(2):
            assert world.run(sql) == [("orders",)], relation
            assert world.run(sql, ALL) == everything, relation
            assert world.run(sql, GONE) == [], relation
    relations = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'stategate'"
    assert world.run(relations) == world.run(relations, ALL) != [(0,)]
    names = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname IN ('people', 'orders')"
    assert ordered(world.run(names)) == [("orders",), ("people",)]


def test_functions_say_what_a_user_may_read(world: World) -> None:
    world.grant("orders")
    for call in (
        "has_table_privilege('{}', 'SELECT')",
        "has_table_privilege('public.{}', 'SELECT')",
        "has_table_privilege(current_user, '{}'::regclass, 'SELECT')",
        "has_table_privilege('{}'::regclass::oid, 'SELECT')",
        "has_any_column_privilege('{}', 'SELECT')",
        "has_column_privilege('{}', 'name', 'SELECT')",
    ):
        for _ in range(2):
            for store, is_allowed in (("orders", True), ("people", False)):
                sql = f"SELECT {call.format(store)}"
                assert world.run(sql) == [(is_allowed,)], sql
                assert world.run(sql, ALL) == [(True,)], sql
                # In a statement over a store the answer is kept by user and rights.
                of_store = f"{sql} FROM orders LIMIT 1"
                assert world.run(of_store) == [(is_allowed,)], sql
    world.grant("orders", "people")
    assert world.run("SELECT has_table_privilege('people', 'SELECT') FROM orders LIMIT 1") == [
        (True,)
    ]
    with pytest.raises(QueryError, match='relation "nowhere" does not exist') as refused:
        world.run("SELECT has_table_privilege('nowhere', 'SELECT')")
    assert refused.value.sqlstate == "42P01"
    assert world.run("SELECT has_table_privilege(NULL::text, 'SELECT')") == [(None,)]
    for privilege in ("SELECT", "INSERT"):  # an oid of no relation, as in PostgreSQL
        assert world.run(f"SELECT has_table_privilege(99999999, '{privilege}')") == [(None,)]
    assert world.run("SELECT has_any_column_privilege(99999999, 'SELECT')") == [(None,)]


def test_functions_answer_for_the_user_that_is_named(world: World) -> None:
    calls = (
        "has_table_privilege({}, '{}', 'SELECT')",
        "has_table_privilege({}::name, '{}'::regclass, 'SELECT')",
        "has_any_column_privilege({}, '{}', 'SELECT')",
        "has_column_privilege({}, 'public.{}', 'name', 'SELECT')",
    )
    stores = ("orders", "people", "clicks")
    readable = {JOE: {"orders"}, ALL: set(stores), GONE: set[str]()}

    def check() -> None:
        for call, (user, mine), asking in itertools.product(calls, readable.items(), (JOE, ALL)):
            # An answer is kept in a statement over a store.
            for place, parameters in (("", ()), ("", (user,)), (" FROM orders LIMIT 1", ())):
                given = "$1::text" if parameters else f"'{user}'"
                told = ", ".join(call.format(given, store) for store in stores)
                found = world.run(f"SELECT {told}{place}", asking, parameters)
                assert found == [tuple(store in mine for store in stores)], (told, asking)

    world.grant("orders")
    check()
    world.grant("orders", "people")
    readable[JOE] = {"orders", "people"}
    check()
    for user in (ALL, JOE):
        assert world.run(f"SELECT has_table_privilege('{user}', 'pg_class', 'SELECT')") == [(True,)]
        assert world.run(f"SELECT has_table_privilege('{user}', 'people', 'INSERT')") == [(False,)]
    qualified = f"pg_catalog.has_table_privilege('{JOE}', 'clicks', 'SELECT')"
    assert world.run(f"SELECT {qualified} FROM pg_class LIMIT 1", ALL) == [(False,)]
    computed = "has_table_privilege(lower('ALL'), 'people', 'SELECT')"
    assert world.run(f"SELECT {computed} FROM pg_class LIMIT 1") == [(False,)], "not known"
    # The oid of the session's own role, which owns all objects.
    assert world.run("SELECT has_table_privilege(10, 'clicks', 'SELECT')") == [(False,)]
    assert world.run("SELECT has_table_privilege(10, 'clicks', 'SELECT')", ALL) == [(True,)]
    world.rights.by_user = None
    assert world.run(f"SELECT has_table_privilege('{GONE}', 'people', 'SELECT')") == [(True,)]


def test_a_subscription_ends_when_the_right_does(world: World) -> None:
    world.grant("people")
    statement = world.engine.prepare("SELECT name, age FROM people", Session())

    def subscribe(user: str, token: str | None = None) -> Subscription:
        return world.engine.subscribe(
            statement,
            (),
            Session(user=user),
            token=token,
            on_ready=lambda: None,
            cancellation=Cancellation(timeout_s=60),
        )

    others, mine = subscribe(ALL), subscribe(JOE)
    assert mine.first is not None
    token = mine.first.moment.token
    mine.check()
    world.grant("orders")
    for use in (mine.check, mine.take):
        with pytest.raises(PermissionDeniedError):
            use()
    mine.close()
    # Neither the shared query nor the token of a time with the right helps.
    for resumed in (None, token):
        with pytest.raises(PermissionDeniedError):
            subscribe(JOE, resumed)
    others.check()
    others.close()
    assert world.engine.live_counts().subscribers == 0


def test_queries_by_name_are_refused(world: World) -> None:
    rights = world.rights
    typed = TypedQueries(FixedCatalog(*world.sides.stores), rights=rights)
    world.grant("orders")
    for name in ("key", "range", "count"):
        query = typed.describe("people", name)
        arguments = {"key": ("ab",)} if name == "key" else {}
        for user, is_allowed in ((ALL, True), (JOE, False), (GONE, False)):
            session = Session(user=user)
            if is_allowed:
                typed.ask(query, arguments, session, cancellation=Cancellation())
                continue
            with pytest.raises(PermissionDeniedError):
                typed.ask(query, arguments, session, cancellation=Cancellation())
    with pytest.raises(PermissionDeniedError):
        typed.locate("people", ["ab"], JOE)
    assert typed.locate("people", ["ab"], ALL).store == "people"


def test_no_node_is_asked_for_a_store_that_a_user_may_not_read() -> None:
    whole, rights = open_store(COUNTS), Rights()
    fill(whole, [(HERE, 1), (THERE, 2)])
    catalog, nodes = FixedCatalog(LocalStore(COUNTS, {0: whole.replicas[0]})), FakeNodes()
    catalog.nodes = nodes
    engine, taken = SqlEngine(catalog, rights=rights), list[LookedUp | None]()
    statement = engine.prepare("SELECT k, n FROM counts WHERE k = $1", Session())
    assert statement.look_up is not None
    rights.by_user = {ALL: EVERY_STORE, JOE: Readable(["c"])}
    for _ in range(4):
        for key in (HERE, THERE):
            found = engine.begin_look_up(statement.look_up, (key,), Session(user=JOE), taken.append)
            assert found is None
        assert nodes.asked == []
        allowed = engine.begin_look_up(statement.look_up, (HERE,), Session(user=ALL), taken.append)
        assert isinstance(allowed, LookedUp)
    engine.close()


@given(
    st.lists(st.text("ab.*-", max_size=4), max_size=3),
    st.lists(st.text("ab.-", min_size=1, max_size=5), max_size=5),
)
def test_a_star_stands_for_any_characters(patterns: list[str], names: list[str]) -> None:
    def matches(pattern: str, name: str) -> bool:
        if not pattern:
            return not name
        if pattern[0] == "*":
            return any(matches(pattern[1:], name[at:]) for at in range(len(name) + 1))
        return name[:1] == pattern[0] and matches(pattern[1:], name[1:])

    readable = Readable(patterns)
    for _ in range(2):
        for name in names:
            assert readable[name] is any(matches(each, name) for each in patterns)
