"""Bounds on topics: exactly the topics that feed a store count, declared early or late."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import FailureReason, LogError
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.inputs import Inputs
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import InputTopic, StoreSchema
from stategate.stores.spec.store import QueryConfig, in_store
from tests.support.stores import keyvalue

NOTHING = replace(keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2), inputs=())
SCAN = in_store("clicks").with_query(RangeQuery())
TOPICS = ("a", "b", "c")


def fed_by(*topics: str, schema: StoreSchema = NOTHING) -> StoreSchema:
    return replace(schema, inputs=tuple(InputTopic(topic=topic) for topic in topics))


def opened(root: Path) -> LocalStore:
    log = StoreLog.open(root, "clicks")
    schema = log.schema()
    replicas = {
        number: Replica(MemoryPartition(schema, number), schema=schema, partition=number)
        for number in range(schema.partitions)
    }
    return LocalStore(schema, replicas, log=log)


def commit(root: Path, position: Position) -> None:
    writer = StoreWriter(root, StoreLog.open(root, "clicks").schema())
    writer.write(pa.table({"usr": ["ann"], "n": [1]}), position=position)


def answers(store: LocalStore, bound: PositionBound) -> set[str]:
    """Return the answer of each partition: ok, or the reason of its failure."""
    result = store.query(SCAN.with_position_bound(bound)).partitions.values()
    return {"ok" if isinstance(each, Success) else each.reason.value for each in result}


def at(**offsets: int) -> PositionBound:
    return PositionBound.at(Position.of({topic: {0: each} for topic, each in offsets.items()}))


def restricted(bound: PositionBound, topics: set[str]) -> Position:
    return bound.position.without({t for t, _ in bound.position.components} - topics)


def is_met(bound: PositionBound, declared: set[str], applied: Position, *, epochs: int) -> bool:
    """Return the expected answer: exactly the declared inputs must have been reached.

    A store that has neither declared an input nor applied an epoch has reached nothing.
    """
    if bound.position.is_empty:
        return True
    if not declared and not epochs:
        return False
    return applied.covers(restricted(bound, declared))


_OFFSETS = st.dictionaries(st.sampled_from(TOPICS), st.integers(0, 2), max_size=3)
_STEPS = st.one_of(
    st.tuples(st.just("declare"), st.sampled_from(TOPICS)),
    st.tuples(st.just("commit"), _OFFSETS),
    st.tuples(st.just("follow"), st.none()),
    st.tuples(st.just("open"), st.none()),
    st.tuples(st.just("ask"), _OFFSETS),
    st.tuples(st.just("wait"), _OFFSETS),
)


class History:
    """A store, its log, and the expected state of both."""

    def __init__(self, root: Path, declared: set[str]) -> None:
        self.root, self.declared = root, declared
        self.committed: list[Position] = []
        self.applied = 0
        StoreLog.open(root, "clicks").define(fed_by(*sorted(declared)))
        self.store = opened(root)
        self.waiting: list[tuple[PositionBound, list[bool]]] = []

    @property
    def position(self) -> Position:
        return self.committed[self.applied - 1] if self.applied else Position()

    def declare(self, topic: str) -> None:
        self.declared.add(topic)
        StoreLog.open(self.root, "clicks").define(fed_by(*sorted(self.declared)))

    def commit(self, offsets: dict[str, int]) -> None:
        before = self.committed[-1] if self.committed else Position()
        position = before.merge(Position.of({t: {0: o} for t, o in offsets.items()}))
        commit(self.root, position)
        self.declared |= offsets.keys()
        self.committed.append(position)

    def follow(self, _: None) -> None:
        """Waiters are woken by the first epoch that meets their bound."""
        is_more = self.applied < len(self.committed)
        self.applied += is_more
        assert self.store.follow() == is_more
        for bound, told in self.waiting if is_more else ():
            assert told == ([True] if self.is_met(bound) else [])
        self.waiting = [(bound, told) for bound, told in self.waiting if not told]

    def open(self, _: None) -> None:
        self.store.close()
        self.waiting.clear()
        self.store, self.applied = opened(self.root), 0

    def is_met(self, bound: PositionBound) -> bool:
        return is_met(bound, self.declared, self.position, epochs=self.applied)

    def ask(self, offsets: dict[str, int]) -> None:
        bound = at(**offsets)
        met = self.is_met(bound)
        assert answers(self.store, bound) == ({"ok"} if met else {"NOT_UP_TO_BOUND"})
        for number in range(2):
            one = self.store.query_partition(number, RangeQuery(), QueryConfig(bound=bound))
            assert isinstance(one, Success) == met
            assert self.store.wait(number, bound, timeout_s=0) == met

    def wait(self, offsets: dict[str, int]) -> None:
        bound, told = at(**offsets), list[bool]()
        met = self.is_met(bound)
        self.store.when(0, bound, told.append)
        assert told == ([True] if met else [])
        if not met:
            self.waiting.append((bound, told))


@given(st.sets(st.sampled_from(TOPICS)), st.lists(_STEPS, max_size=12))
def test_an_answer_has_reached_the_declared_topics_of_its_bound(
    declared: set[str], steps: list[tuple[str, object]]
) -> None:
    with tempfile.TemporaryDirectory() as root:
        history = History(Path(root), set(declared))
        for step, argument in steps:
            getattr(history, step)(argument)
        history.store.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    StoreLog.open(tmp_path, "clicks").define(NOTHING)
    return tmp_path


@pytest.fixture
def host(root: Path) -> Iterator[Host]:
    host = Host(str(root), poll_ms=60_000)
    host.start()
    yield host
    host.close()


def test_a_host_that_has_just_started_meets_no_bound(host: Host) -> None:
    """With neither an epoch nor an input, any topic may turn out to feed the store."""
    request = SCAN.with_position_bound(at(a=0))
    assert set(host.query(request).failures) == {0, 1}
    assert not host.wait(request, timeout_s=0)
    assert host.query(SCAN).failures == {}


def test_a_topic_counts_from_its_declaration_on(host: Host, root: Path) -> None:
    """A topic counts before its first data, and before the follower reads the definition."""
    StoreLog.open(root, "clicks").define(fed_by("a"))
    commit(root, Position.of({"a": {0: 3}}))
    StoreLog.open(root, "clicks").define(fed_by("a", "b"))
    request = SCAN.with_position_bound(at(b=0))
    failures = host.query(request).failures.values()
    assert {failure.reason for failure in failures} == {FailureReason.NOT_UP_TO_BOUND}
    assert {failure.message for failure in failures} == {"b[0] is at no offset yet, behind 0"}
    assert not host.wait(request, timeout_s=0)


def test_a_topic_of_another_store_is_still_ignored(root: Path) -> None:
    commit(root, Position.of({"a": {0: 3}}))
    store = opened(root)
    assert store.follow()
    assert answers(store, at(a=3, elsewhere=99)) == {"ok"}
    assert answers(store, at(a=4, elsewhere=99)) == {"NOT_UP_TO_BOUND"}


def test_topics_that_feed_a_store(root: Path) -> None:
    store = opened(root)
    wanted = Position.of({"a": {0: 0}, "b": {0: 0}})
    assert store.unread_topics(wanted) == frozenset(), "this cannot be known"
    StoreLog.open(root, "clicks").define(fed_by("a"))
    assert store.unread_topics(wanted, renew=False) == frozenset()
    assert store.unread_topics(wanted) == {"b"}
    assert store.unread_topics(wanted.without({"b"})) == frozenset()


def test_an_applied_topic_feeds_a_store_even_if_its_definition_lacks_it() -> None:
    replica = Replica(MemoryPartition(NOTHING, 0), schema=NOTHING, partition=0)
    store = LocalStore(replace(NOTHING, partitions=1), {0: replica})
    replica.apply(replace(replica.progress, epoch=0, position=at(a=1).position), [])
    assert store.unread_topics(at(a=5, b=5).position) == {"b"}


def test_a_topic_is_not_ignored_if_the_definition_cannot_be_read(root: Path) -> None:
    """An unknown topic may have become an input; a known one needs no reading."""
    commit(root, Position.of({"a": {0: 3}}))
    store = opened(root)
    store.follow()
    (root / "clicks" / "store.json").write_bytes(b"{")
    asked = SCAN.with_position_bound(at(a=3, new=0))
    for answer in (
        *store.query(asked.with_partitions({0, 1})).partitions.values(),
        store.query_partition(0, RangeQuery(), asked.config),
    ):
        assert isinstance(answer, Failure)
        assert answer.reason is FailureReason.NOT_UP_TO_BOUND
        assert "the inputs of the store are not known" in answer.message
    with pytest.raises(LogError):
        store.when(0, asked.position_bound, lambda _: None)
    assert answers(store, at(a=3)) == {"ok"}
    assert answers(store, at(a=4)) == {"NOT_UP_TO_BOUND"}


def test_an_added_replica_knows_the_inputs_of_its_store(root: Path) -> None:
    store = opened(root)
    removed = store.drop(1)
    assert removed is not None
    StoreLog.open(root, "clicks").define(fed_by("a"))
    assert store.unread_topics(at(b=0).position) == {"b"}
    schema = store.schema
    store.add(Replica(MemoryPartition(schema, 1), schema=schema, partition=1))
    assert store.replicas[1].inputs is store.inputs
    assert store.with_inputs(fed_by("a", "b")).inputs is store.inputs
    assert [each.topic for each in store.inputs.topics] == ["a", "b"]


def test_inputs_are_never_removed() -> None:
    inputs = Inputs((InputTopic(topic="a", aligned=True),))
    inputs.add((InputTopic(topic="a"), InputTopic(topic="b")))
    assert inputs.topics == (InputTopic(topic="a", aligned=True), InputTopic(topic="b"))
    inputs.add(())
    assert inputs.unread(at(a=1, c=1).position) == {"c"}
    inputs.require(at(c=1).position)
