"""Bounds of statements over stores with several input topics, or none yet."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryCancelledError, QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.errors import LogMissingError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import InputTopic, StoreSchema
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, keyvalue, open_store

TOPICS = ("a", "b", "c")
LOOKUP = "SELECT v FROM one WHERE k = 'k1'"
SCAN = "SELECT k FROM one"
JOINED = "SELECT count(*) FROM one JOIN two USING (k)"
EVERY_PLAN = pytest.mark.parametrize("sql", [LOOKUP, SCAN, "SELECT count(*) FROM one", JOINED])


def fed_by(name: str, *topics: str) -> StoreSchema:
    inputs = tuple(InputTopic(topic=topic) for topic in topics)
    return replace(keyvalue(name, {"k": "text"}, {"v": "bigint"}, partitions=2), inputs=inputs)


def applied(schema: StoreSchema, epoch: int = 0, **offsets: int) -> LocalStore:
    """Return a store that has applied these offsets, or nothing if the epoch is -1."""
    store = open_store(schema)
    position = Position.of({topic: {0: offset} for topic, offset in offsets.items()})
    for replica in store.replicas.values() if epoch >= 0 else ():
        replica.apply(Progress(epoch=epoch, position=position, committed_ms=1), [])
    return store


def engine_of(*stores: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(*stores))


@pytest.fixture
def engine() -> SqlEngine:
    """Make an engine over two stores that share a topic; the second store has a further topic."""
    one = applied(fed_by("one", "a"), a=5)
    return engine_of(one, applied(fed_by("two", "a", "b"), a=5, b=7))


@EVERY_PLAN
@pytest.mark.parametrize("bound", ["typo[0] >= 1", '\'{"a": {"0": 1}, "typo": {"0": 1}}\'', "$1"])
def test_a_topic_that_feeds_no_store_is_refused(engine: SqlEngine, sql: str, bound: str) -> None:
    """The bound would be ignored silently, and the answer would seem to reflect it."""
    parameters = ('{"typo": {"0": 1}}',) if bound == "$1" else ()
    began_s = time.monotonic()
    error = refusal(engine, f"{sql} WITH BOUND ({bound}), WAIT '80 ms'", parameters)
    assert error.sqlstate == "42704"
    assert time.monotonic() - began_s >= 0.08
    assert error.message.startswith('topic "typo" does not feed store "one"')
    assert error.hint is not None
    assert error.hint.startswith('Topics are "a"')
    assert "stategate.unknown_topics" in error.hint


def test_a_bound_in_a_statement_concerns_its_stores(engine: SqlEngine) -> None:
    assert refusal(engine, f"{SCAN} WITH BOUND (b[0] >= 1)").sqlstate == "42704"
    assert rows_of(run(engine, f"{JOINED} WITH BOUND (b[0] >= 7, a[0] >= 5)")) == [(0,)]
    error = refusal(engine, f"{JOINED} WITH BOUND (b[0] >= 8)")
    assert (error.sqlstate, "b[0] is at offset 7, behind 8" in error.message) == ("55S01", True)
    assert refusal(engine, "SELECT 1 AS n WITH BOUND (a[0] >= 1)").sqlstate == "42704"


def test_a_token_may_cover_everything_read(engine: SqlEngine) -> None:
    """The position of an answer can be the bound of any statement, whichever stores it reads."""
    token = '{"a": {"0": 5}, "b": {"0": 99}}'
    for bound, parameters in ((f"'{token}'", ()), ("$1", (token,))):
        rows_of(run(engine, f"{SCAN} WITH BOUND ({bound})", parameters))
        assert refusal(engine, f"{JOINED} WITH BOUND ({bound})", parameters).sqlstate == "55S01"
        both = f"{SCAN} WITH BOUND ({bound}, b[0] >= 1)"
        assert refusal(engine, both, parameters).sqlstate == "42704"


class Opening(FixedCatalog):
    """A catalog that has not opened all stores."""

    def is_whole(self) -> bool:
        return False


def test_a_token_may_cover_a_store_that_is_not_open_yet() -> None:
    """A client that comes from another gateway must not get an error for its valid token."""
    engine = SqlEngine(Opening(applied(fed_by("one", "a"), a=5)))
    for sql in (LOOKUP, SCAN):
        rows_of(run(engine, f'{sql} WITH BOUND (\'{{"a": {{"0": 5}}, "late": {{"0": 1}}}}\')'))
        behind = f'{sql} WITH BOUND (\'{{"a": {{"0": 6}}, "late": {{"0": 1}}}}\')'
        assert refusal(engine, behind).sqlstate == "55S01"
        assert refusal(engine, f"{sql} WITH BOUND (late[0] >= 1)").sqlstate == "42704"


def test_a_bound_of_a_session_concerns_all_stores(engine: SqlEngine) -> None:
    def bound_by(token: str, **settings: str) -> Session:
        named = {f"stategate.{name}": value for name, value in settings.items()}
        return Session(settings={"stategate.bound": token, **named})

    both = bound_by('{"a": {"0": 5}, "b": {"0": 99}}')
    assert rows_of(run(engine, SCAN, session=both)) == []
    assert refusal(engine, JOINED, session=both).sqlstate == "55S01"
    typo = '{"a": {"0": 5}, "typo": {"0": 1}}'
    for sql in (SCAN, LOOKUP, JOINED):
        assert refusal(engine, sql, session=bound_by(typo)).sqlstate == "42704"
        run(engine, sql, session=bound_by(typo, unknown_topics="ignore"))
    behind = bound_by('{"a": {"0": 6}, "typo": {"0": 1}}', unknown_topics="ignore")
    assert refusal(engine, SCAN, session=behind).sqlstate == "55S01"


def test_positions_seen_by_a_session_may_be_of_other_stores(engine: SqlEngine) -> None:
    session = Session(settings={"stategate.consistency": "monotonic"})
    rows_of(run(engine, "SELECT k FROM two", session=session))
    assert session.seen == Position.of({"a": {0: 5}, "b": {0: 7}})
    for sql in (LOOKUP, SCAN, JOINED):
        rows_of(run(engine, sql, session=session))
    session.note(Position.of({"gone": {0: 1}, "a": {0: 6}}))
    assert refusal(engine, SCAN, session=session).sqlstate == "55S01"


@EVERY_PLAN
def test_a_store_without_inputs_or_epochs_reaches_no_bound(sql: str) -> None:
    """Its inputs are not known yet, which is neither an error nor an answer."""
    stores = [applied(fed_by(name), -1) for name in ("one", "two")]
    engine = engine_of(*stores)
    error = refusal(engine, f"{sql} WITH BOUND (a[0] >= 0), WAIT '1 ms'")
    assert (error.sqlstate, error.retryable) == ("55S01", True)
    rows_of(run(engine, sql))


class Unreadable(LocalStore):
    """A store whose definition cannot be read again."""

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        if renew and super().unread_topics(position):
            raise LogMissingError("gone")
        return super().unread_topics(position, renew=False)


def test_a_definition_that_cannot_be_read_can_be_retried() -> None:
    store = applied(fed_by("one", "a"), a=5)
    engine = engine_of(Unreadable(store.schema, store.replicas))
    error = refusal(engine, f"{SCAN} WITH BOUND (new[0] >= 1)")
    assert (error.sqlstate, error.retryable, error.detail) == ("55000", True, "gone")
    rows_of(run(engine, f"{SCAN} WITH BOUND (a[0] >= 5)"))
    session = Session(settings={"stategate.consistency": "monotonic"})
    session.note(Position.of({"new": {0: 1}}))
    rows_of(run(engine, SCAN, session=session))


def test_a_bound_on_a_topic_declared_just_now_is_accepted(tmp_path: Path) -> None:
    log = StoreLog.open(tmp_path, "one")
    log.define(fed_by("one", "a"))
    held = applied(fed_by("one", "a"), a=5)
    engine = engine_of(LocalStore(held.schema, held.replicas, log=log))
    assert refusal(engine, f"{SCAN} WITH BOUND (new[0] >= 0)").sqlstate == "42704"
    log.define(fed_by("one", "a", "new"))
    assert refusal(engine, f"{SCAN} WITH BOUND (new[0] >= 0)").sqlstate == "55S01"


@EVERY_PLAN
def test_a_topic_declared_while_a_statement_waits_for_it(sql: str) -> None:
    """The inputs decide which bounds count; a new input does not change a plan."""
    before, other = (applied(fed_by(name), -1) for name in ("one", "two"))
    catalog = FixedCatalog(before, other)
    engine = SqlEngine(catalog)

    def declare_and_apply() -> None:
        catalog.replace(
            before.with_inputs(fed_by("one", "a")), other.with_inputs(fed_by("two", "a"))
        )
        progress = Progress(epoch=0, position=Position.of({"a": {0: 0}}), committed_ms=1)
        for replica in (*before.replicas.values(), *other.replicas.values()):
            replica.apply(progress, [])

    timer = threading.Timer(0.1, declare_and_apply)
    timer.start()
    rows_of(run(engine, f"{sql} WITH BOUND (a[0] >= 0), WAIT '10 s'"))
    timer.join()


@EVERY_PLAN
@pytest.mark.parametrize("bound", ["new[0] >= 0", '\'{"new": {"0": 0}}\''])
def test_a_topic_that_appears_while_a_statement_waits_for_it(sql: str, bound: str) -> None:
    """As a topic that matches a pattern, which a pipeline finds after its first record."""
    one, two = (applied(fed_by(name, "a"), a=5) for name in ("one", "two"))
    engine = engine_of(one, two)

    def find_topic() -> None:
        progress = Progress(epoch=1, position=Position.of({"new": {0: 0}}), committed_ms=1)
        for store in (one, two):
            store.inputs.add([InputTopic(topic="new")])
            for replica in store.replicas.values():
                replica.apply(progress, [])

    timer = threading.Timer(0.1, find_topic)
    timer.start()
    rows_of(run(engine, f"{sql} WITH BOUND ({bound}), WAIT '10 s'"))
    timer.join()


def test_a_topic_declared_before_the_end_of_a_wait_is_not_unknown(tmp_path: Path) -> None:
    """No epoch has it, so that the statement fails, as a partition is behind its bound."""
    log = StoreLog.open(tmp_path, "one")
    log.define(fed_by("one", "a"))
    held = applied(fed_by("one", "a"), a=5)
    engine = engine_of(LocalStore(held.schema, held.replicas, log=log))
    timer = threading.Timer(0.05, log.define, [fed_by("one", "a", "new")])
    timer.start()
    error = refusal(engine, f"{SCAN} WITH BOUND (new[0] >= 0), WAIT '300 ms'")
    assert error.sqlstate == "55S01"
    timer.join()


@EVERY_PLAN
def test_a_wait_for_a_topic_is_cancelled(engine: SqlEngine, sql: str) -> None:
    cancellation, session = Cancellation(), Session()
    statement = engine.prepare(f"{sql} WITH BOUND (typo[0] >= 1), WAIT '60 s'", session)
    timer = threading.Timer(0.1, cancellation.cancel)
    timer.start()
    with pytest.raises(QueryCancelledError, match="user request"):
        engine.execute(statement, (), session, cancellation=cancellation)
    timer.join()


def test_a_wait_for_a_topic_ends_with_the_timeout_of_the_statement(engine: SqlEngine) -> None:
    session = Session()
    statement = engine.prepare(f"{SCAN} WITH BOUND (typo[0] >= 1), WAIT '60 s'", session)
    with pytest.raises(QueryCancelledError, match="statement timeout"):
        engine.execute(statement, (), session, cancellation=Cancellation(0.1))


@pytest.fixture(scope="module")
def laboratory() -> tuple[FixedCatalog, SqlEngine]:
    """One engine for all examples, as making one takes longer than querying it."""
    catalog = FixedCatalog(applied(fed_by("one"), -1))
    return catalog, SqlEngine(catalog)


_OFFSETS = st.dictionaries(st.sampled_from(TOPICS), st.integers(0, 2), min_size=1, max_size=3)


@given(
    inputs=st.tuples(st.sets(st.sampled_from(TOPICS)), st.sets(st.sampled_from(TOPICS))),
    reached=_OFFSETS,
    wanted=_OFFSETS,
    epoch=st.integers(-1, 0),
    ignores=st.booleans(),
    sql=st.sampled_from([LOOKUP, SCAN, JOINED]),
)
def test_an_answer_covers_its_bound_on_inputs(
    inputs: tuple[set[str], set[str]],
    reached: dict[str, int],
    wanted: dict[str, int],
    epoch: int,
    *,
    ignores: bool,
    sql: str,
    laboratory: tuple[FixedCatalog, SqlEngine],
) -> None:
    offsets = [{t: o for t, o in reached.items() if t in mine} for mine in inputs]
    catalog, engine = laboratory
    catalog.replace(
        applied(fed_by("one", *sorted(inputs[0])), epoch, **offsets[0]),
        applied(fed_by("two", *sorted(inputs[1])), epoch, **offsets[1]),
    )
    asked = [0, 1] if sql is JOINED else [0]
    empty = epoch < 0 and any(not inputs[n] for n in asked)
    met = not empty and all(
        epoch == 0 and offsets[n].get(topic, -1) >= offset
        for n in asked
        for topic, offset in wanted.items()
        if topic in inputs[n]
    )
    unknown = wanted.keys() - set().union(*(inputs[n] for n in asked))
    expected = "42704" if unknown and not empty and not ignores else None if met else "55S01"
    session = Session(settings={"stategate.unknown_topics": "ignore" if ignores else "error"})
    bound = ", ".join(f"{topic}[0] >= {offset}" for topic, offset in wanted.items())
    try:
        rows_of(run(engine, f"{sql} WITH BOUND ({bound})", session=session))
        found = None
    except QueryError as error:
        found = error.sqlstate
    assert found == expected
