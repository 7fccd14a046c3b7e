"""Nodes whose links to each other are slow, narrow, stalled or cut, one direction at a time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import pyarrow as pa
import pytest

from stategate.gateway.elsewhere import rows_elsewhere
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from tests.gateway.nodes.test_service import Room
from tests.planner.sides import rows_of, run
from tests.support.process import free_ports
from tests.support.relay import Relay
from tests.support.stores import keyvalue
from tests.support.waiting import until

NAMES = "abc"
BIG = keyvalue("big", {"k": "bigint"}, {"text": "text"}, partitions=3)
BIG_ROWS = 24_000
"""Some 1.6 MB in each partition, more than fits into a reply."""
STATEMENTS: tuple[tuple[str, list[Any]], ...] = (
    ("SELECT count(*), sum(n) FROM clicks", [(10, 10)]),
    (
        "SELECT usr FROM clicks WHERE usr IN ('u1', 'u5', 'u9') ORDER BY 1",
        [("u1",), ("u5",), ("u9",)],
    ),
    ("SELECT usr FROM clicks ORDER BY usr LIMIT 2 WITH BOUND (LATEST)", [("u0",), ("u1",)]),
    (
        "SELECT count(*), count(DISTINCT k), sum(length(text)) FROM big",
        [(24_000, 24_000, 4_800_000)],
    ),
)


@dataclass
class Nodes:
    """Three nodes that reach each other over relays, and engines over them."""

    room: Room
    relays: dict[str, Relay]
    """By the node that asks and the one that answers, as in `ab`."""
    engines: dict[str, SqlEngine] = field(default_factory=dict)

    def ask(self, name: str, sql: str) -> list[Any]:
        """Return the rows of a statement at a node, as a client of it gets them."""
        engine, session = self.engines[name], Session()
        statement = engine.prepare(sql, session)
        if statement.look_up is not None:
            cancellation = Cancellation(timeout_s=20)
            found = self.room.thread.run(
                rows_elsewhere(
                    engine,
                    statement.look_up,
                    statement.literals,
                    session,
                    cancellation=cancellation,
                )
            )
            if found is not None:
                return list(found.rows)
        return rows_of(run(engine, sql, session=session))

    def check_all(self, name: str) -> float:
        """Check all statements at a node; return the longest time of one in seconds."""
        longest_s = 0.0
        for sql, rows in STATEMENTS:
            began = time.monotonic()
            assert self.ask(name, sql) == rows
            longest_s = max(longest_s, time.monotonic() - began)
        return longest_s

    def connected(self, name: str) -> set[str]:
        """Return the nodes that a node can ask."""
        return self.room.nodes[name].connected()

    def is_whole(self) -> bool:
        """Whether each node can ask all others, and knows that all replicas answer."""
        return all(self.connected(name) == set(NAMES) for name in NAMES) and all(
            {*node.service.view.running(schema, partition), name}.issuperset(
                node.service.view.holders(schema, partition)
            )
            for name, node in self.room.nodes.items()
            for schema in [store.schema for store in node.host.stores.values()]
            for partition in range(schema.partitions)
        )

    def remote_key(self) -> tuple[str, str, str]:
        """Return a node, the one that is to be asked first for the row of a user, and the user."""
        for name, number, partition in product(NAMES, range(10), range(6)):
            node, user = self.room.nodes[name], f"u{number}"
            store = node.cluster.stores["clicks"]
            found = store.query_partition(partition, KeyQuery(key=(user,)))
            if isinstance(found, Success) and found.value is not None and found.node is not None:
                _, first, *_ = node.service.view.order(store.schema, partition)
                return name, first, user
        raise AssertionError("each node has all rows")

    def remote_rows(self) -> list[tuple[str, str]]:
        """Return nodes that lack a partition of many rows, and those that they ask for it."""
        found = []
        for name, partition in product(NAMES, range(BIG.partitions)):
            if partition not in self.room.nodes[name].host.statuses()["big"]:
                order = self.room.nodes[name].cluster.stores["big"].around.order(partition)
                found.append((name, order[1]))
        return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    room = Room(tmp_path_factory.mktemp("links"))
    rows = pa.table({"k": list(range(BIG_ROWS)), "text": ["x" * 200] * BIG_ROWS})
    StoreWriter(room.root, BIG).write(rows, position=Position.of({"t": {0: 1}}))
    ports = dict(zip(NAMES, free_ports(3), strict=True))
    made = Nodes(room, {"".join(pair): Relay(ports[pair[1]]) for pair in permutations(NAMES, 2)})
    try:
        for name in NAMES:
            others = [f"{to}=127.0.0.1:{made.relays[name + to].port}" for to in NAMES if to != name]
            own = f"127.0.0.1:{ports[name]}"
            room.start(name, nodes=own, peers=",".join([f"{name}={own}", *others]))
            made.engines[name] = SqlEngine(room.nodes[name].cluster, node=name)
        until(made.is_whole, 30)
        yield made
    finally:
        for engine in made.engines.values():
            engine.close()
        room.close()
        for relay in made.relays.values():
            relay.close()


@pytest.fixture
def nodes(cluster: Nodes) -> Iterator[Nodes]:
    yield cluster
    for relay in cluster.relays.values():
        relay.heal()
    until(cluster.is_whole, 30)


def test_lookups_stay_fast_if_one_holder_is_behind_a_slow_link(nodes: Nodes) -> None:
    name, slow, user = nodes.remote_key()
    sql = f"SELECT n FROM clicks WHERE usr = '{user}'"
    for _ in range(20):
        assert nodes.ask(name, sql) == [(1,)]
    nodes.relays[name + slow].there.delay_s = 0.3
    taken = []
    for _ in range(40):
        began = time.monotonic()
        assert nodes.ask(name, sql) == [(1,)]
        taken.append(time.monotonic() - began)
    assert statistics.quantiles(taken, n=10)[-1] < 0.1
    assert max(taken) < 0.3, "the other copy answers sooner than the slow one"
    assert nodes.connected(name) == set(NAMES), "slow is not lost"
    nodes.check_all(name)


def test_a_node_that_is_fast_again_is_asked_again(nodes: Nodes) -> None:
    name, slow, user = nodes.remote_key()
    sql = f"SELECT n FROM clicks WHERE usr = '{user}'"
    counts = {each.name: each.counts for each in nodes.room.nodes[name].service.measured()}

    def asked() -> bool:
        """Whether the slow node is the one that a lookup asks first."""
        before = counts[slow].requests
        assert nodes.ask(name, sql) == [(1,)]
        return counts[slow].requests > before

    nodes.relays[name + slow].there.delay_s = 0.3
    until(lambda: not any(asked() for _ in range(5)), 30)
    nodes.relays[name + slow].heal()
    until(lambda: all(asked() for _ in range(5)), 30)


@pytest.mark.parametrize("way", ["there", "both"])
def test_a_link_that_stalls_fails_no_statement(nodes: Nodes, way: str) -> None:
    """It takes what is sent, and delivers nothing: its connections do not end."""
    relay = nodes.relays["ab"]
    relay.there.is_stalled, relay.back.is_stalled = True, way == "both"
    assert nodes.check_all("a") < 8
    until(lambda: nodes.connected("a") == {"a", "c"}, 15)
    assert nodes.check_all("a") < 5
    assert nodes.connected("b") == set(NAMES), "the other direction has a link of its own"
    relay.heal()
    until(lambda: nodes.connected("a") == set(NAMES), 30)


def test_rows_that_stop_on_their_way_are_neither_lost_nor_repeated(nodes: Nodes) -> None:
    sql, rows = STATEMENTS[-1]
    name, holder = nodes.remote_rows()[0]
    nodes.relays[name + holder].back.bytes_left = 1 << 18
    assert nodes.ask(name, sql) == rows
    assert nodes.relays[name + holder].back.is_stalled


def test_rows_come_whole_over_a_slow_link(nodes: Nodes) -> None:
    sql, rows = STATEMENTS[-1]
    name, holder = nodes.remote_rows()[0]
    nodes.relays[name + holder].there.delay_s = nodes.relays[name + holder].back.delay_s = 0.15
    assert nodes.ask(name, sql) == rows
    assert nodes.connected(name) == set(NAMES), "slow is not lost"


def test_a_long_frame_on_a_narrow_link_does_not_look_like_silence(nodes: Nodes) -> None:
    sql, rows = STATEMENTS[-1]
    name, _ = nodes.remote_rows()[0]
    counts = [each.counts for each in nodes.room.nodes[name].service.measured()]
    before = [each.connections for each in counts]
    for to in set(NAMES) - {name}:
        nodes.relays[name + to].back.bytes_per_s = 420_000
    began = time.monotonic()
    assert nodes.ask(name, sql) == rows
    assert time.monotonic() - began > 2, "a frame took longer than silence may"
    assert [each.connections for each in counts] == before


def test_a_long_request_on_a_narrow_link_does_not_look_like_requests_that_vanish(
    nodes: Nodes,
) -> None:
    name, _ = nodes.remote_rows()[0]
    counts = [each.counts for each in nodes.room.nodes[name].service.measured()]
    before = [each.connections for each in counts]
    for to in set(NAMES) - {name}:
        nodes.relays[name + to].there.bytes_per_s = 50_000
    keys = ", ".join(f"'{'x' * 30_000}{number}'" for number in range(10))
    sql = f"SELECT usr, n FROM clicks WHERE usr IN ({keys}, 'u1')"
    began = time.monotonic()
    assert nodes.ask(name, sql) == [("u1", 1)]
    assert time.monotonic() - began > 3, "a request took longer than an answer may"
    assert [each.connections for each in counts] == before


def test_a_node_that_one_other_cannot_reach_fails_no_statement(nodes: Nodes) -> None:
    """Node `b` can ask `a`, but not the other way round: no view of theirs is right alone."""
    held = {name: node.held() for name, node in nodes.room.nodes.items()}
    nodes.relays["ab"].cut()
    until(lambda: nodes.connected("a") == {"a", "c"})
    for name in NAMES:
        nodes.check_all(name)
    assert nodes.connected("b") == set(NAMES)
    assert {name: node.held() for name, node in nodes.room.nodes.items()} == held
    nodes.relays["ab"].heal()
    until(nodes.is_whole, 30)
