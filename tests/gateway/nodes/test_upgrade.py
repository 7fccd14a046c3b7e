"""A cluster whose nodes are of two versions answers every statement, whichever node is the newer.

A newer node is planted: it speaks one more version, sends messages of kinds and with fields that no
node knows today, and asks what no node can answer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.msgpack import Ext
from msgspec.msgpack import decode as plain
from msgspec.msgpack import encode as msgpack

from stategate.gateway.elsewhere import rows_elsewhere
from stategate.gateway.nodes import frames, service
from stategate.gateway.nodes.frames import ONE_WAY
from stategate.gateway.nodes.handshake import SPOKEN, Spoken
from stategate.gateway.nodes.server import NodeServer, _Answered
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp, Statement
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.codec import encode
from stategate.stores.nodes.links import Link
from stategate.stores.nodes.messages import (
    MINOR,
    VERSION,
    Answer,
    Answers,
    Ask,
    AskStatuses,
    Refused,
    Statuses,
)
from stategate.stores.nodes.sent_requests import Sent, answers_of
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Failure, Success
from tests.gateway.nodes import rooms
from tests.gateway.nodes.test_service import Room, given
from tests.planner.sides import rows_of, run
from tests.support.process import free_ports
from tests.support.stores import fill, keyvalue, open_store
from tests.support.waiting import until

NEXT = Spoken(version=VERSION + 1, least=VERSION, minor=MINOR + 1)
"""What a node of the next release speaks, if that needs a new version of the messages."""
AFTER_NEXT = Spoken(version=VERSION + 2, least=VERSION + 1, minor=MINOR + 2)
COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)


def raw(number: int, message: Any) -> bytes:
    """Return a message that this node cannot encode as a frame."""
    head = msgpack(message)
    return frames._HEADER.pack(8 + len(head), number, len(head)) + head


OF_TOMORROW = Ext(3, msgpack(["OfTomorrow", 1]))


def with_more(message: object) -> Ext:
    """Return a message with two more fields, one of them of an unknown type."""
    parts = plain(plain(encode(message)).data)
    return Ext(3, msgpack([*parts, "more", OF_TOMORROW]))


class NextServer(NodeServer):
    """The side that answers of a newer node: it announces more than this version knows."""

    def announce(self) -> None:
        """Send what is new, and the usual announcement with more fields."""
        for connection in tuple(self._connections):
            self._say(connection)

    def joined(self, connection: _Answered) -> None:
        """Send it also to one more node."""
        self._connections.add(connection)
        self._say(connection)

    def _say(self, connection: _Answered) -> None:
        connection.send(raw(ONE_WAY, OF_TOMORROW))
        connection.send(raw(ONE_WAY, with_more(self._announcement())))
        connection.send(raw(ONE_WAY, Ext(99, b"a code of tomorrow")))


@pytest.fixture
def whole() -> LocalStore:
    store = open_store(COUNTS)
    fill(store, [(f"k{number}", number) for number in range(100)])
    return store


@pytest.fixture
def newer(whole: LocalStore) -> Iterator[rooms.Room]:
    with closing(rooms.Room({"counts": whole}, spoken=NEXT, server=NextServer)) as room:
        assert room.watcher.connected.wait(10)
        yield room


def test_what_a_newer_node_announces_is_passed_over(newer: rooms.Room) -> None:
    connections = newer.link.counts.connections
    until(lambda: len(newer.watcher.announced) >= 3)
    assert {each.node for each in newer.watcher.announced} == {"b"}
    store = ClusterStore(
        LocalStore(COUNTS, {}), node="a", links={"b": newer.link}, holders=lambda *_: ["b"]
    )
    found = store.query_partition(0, KeyQuery(key=("k7",)))
    assert isinstance(found, Success)
    assert found.value == (7,)
    assert newer.link.counts.connections == connections, "it has stayed connected"


def test_what_a_newer_node_asks_is_refused_and_nothing_else(newer: rooms.Room) -> None:
    """Node `a` is the newer one here: what it sends is new to node `b`."""
    replies: list[object] = []
    link = newer.link
    asked = [OF_TOMORROW, Ext(3, msgpack(["Ask", "counts", Ext(1, msgpack([OF_TOMORROW]))]))]

    async def ask() -> None:
        connection = link._connection
        assert connection is not None
        for number, message in enumerate(asked, start=1_000_000):
            connection.pending[number] = replies.append
            connection.send(raw(number, message))
        connection.send(raw(ONE_WAY, OF_TOMORROW))

    newer.thread.run(ask())
    until(lambda: len(replies) == 2)
    refused = Refused("this node does not know OfTomorrow")
    assert [reply.message for reply in replies] == [refused] * 2  # type: ignore[attr-defined]
    assert isinstance(link.ask(AskStatuses("counts"))[0], Statuses)
    assert link.counts.connections == 1


def test_a_request_with_more_fields_is_answered(newer: rooms.Room) -> None:
    replies: list[Any] = []
    request = Ask("counts", ((0, KeyQuery(key=("k7",)), None),))

    async def ask() -> None:
        connection = newer.link._connection
        assert connection is not None
        connection.pending[1_000_000] = replies.append
        connection.send(raw(1_000_000, with_more(request)))

    newer.thread.run(ask())
    until(lambda: len(replies) == 1)
    assert replies[0].message.answers[0].value == (7,)


def test_a_reason_of_a_newer_node_lets_another_one_be_asked() -> None:
    sent = Sent(node="b", link=cast(Link, None), indexes=[0], at=0, overdue_at=1)
    newer = Answer(3, failed=("of_tomorrow", "why", False))
    (found,) = answers_of(sent, (Answers((newer,)), ()))
    assert isinstance(found, Failure)
    assert (found.reason, found.message) == (FailureReason.STORE_EXCEPTION, "why")


class Load:
    """Statements that run at a node in a thread until they are ended."""

    STATEMENTS = (
        ("SELECT count(*), sum(n) FROM clicks", [(10, 10)]),
        ("SELECT n FROM clicks WHERE usr = 'u3'", [(1,)]),
        ("SELECT usr FROM clicks WHERE usr IN ('u1', 'u5', 'u9') ORDER BY 1", [*"159"]),
        ("SELECT a.usr FROM clicks a JOIN clicks b ON b.usr = a.usr WHERE a.usr = 'u7'", ["7"]),
        ("SELECT usr FROM clicks ORDER BY usr LIMIT 2 WITH BOUND (LATEST)", [*"01"]),
    )

    def __init__(self, room: Room, name: str) -> None:
        self._engine = SqlEngine(room.nodes[name].cluster)
        self._room, self._name = room, name
        self.wrong: list[str] = []
        self.passes = self.at_once = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.run_all()

    def run_all(self) -> None:
        """Wait until each statement has run from its beginning."""
        before = self.passes
        until(lambda: self.passes >= before + 2 or not self._thread.is_alive())

    def _run(self) -> None:
        while not self._ending.is_set():
            for sql, wanted in self.STATEMENTS:
                try:
                    found = self._rows(sql)
                except Exception as error:  # any failure is what the test looks for
                    found = [repr(error)]
                expected = [(f"u{each}",) if isinstance(each, str) else each for each in wanted]
                if found != expected:
                    self.wrong.append(f"{sql} at node {self._name}: {found}")
            self.passes += 1

    def _rows(self, sql: str) -> list[Any]:
        engine, session = self._engine, Session()
        statement = engine.prepare(sql, session)
        if statement.look_up is not None:
            found = self._room.thread.run(self._looked_up(statement, session))
            if found is not None:
                self.at_once += 1
                return list(found.rows)
        return rows_of(run(engine, sql, session=session))

    async def _looked_up(self, statement: Statement, session: Session) -> LookedUp | None:
        """Look up on the event loop, as the wire and HTTP do."""
        assert statement.look_up is not None
        return await rows_elsewhere(
            self._engine,
            statement.look_up,
            statement.literals,
            session,
            cancellation=Cancellation(timeout_s=20),
        )

    def end(self) -> None:
        """End it, and check that all statements were answered."""
        self.run_all()
        self._ending.set()
        self._thread.join()
        self._engine.close()
        assert self.wrong == []
        assert self.at_once > 0


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(("before", "after"), [(SPOKEN, NEXT), (NEXT, SPOKEN)])
def test_no_statement_fails_while_a_cluster_is_upgraded_or_downgraded(
    room: Room, monkeypatch: pytest.MonkeyPatch, before: Spoken, after: Spoken
) -> None:
    names = "abc"
    ports = dict(zip(names, free_ports(3), strict=True))

    def start(name: str, spoken: Spoken) -> None:
        planted = NextServer if spoken is NEXT else NodeServer
        monkeypatch.setattr(service, "NodeServer", planted)
        room.start(name, spoken=spoken, **given(name, ports))

    def is_whole() -> bool:
        return all(
            each.connected() == set(names)
            and sum(len(other.held()) for other in room.nodes.values()) == 12
            for each in room.nodes.values()
        )

    for name in names:
        start(name, before)
    until(is_whole)
    for name in names:
        load = Load(room, names[names.index(name) - 1])
        room.stop(name, leaves=True)
        start(name, after)
        until(is_whole)
        load.end()


def test_a_node_that_is_two_versions_ahead_is_refused_and_named(room: Room) -> None:
    ports = dict(zip("ab", free_ports(2), strict=True))
    old = room.start("a", **given("a", ports))
    room.start("b", spoken=AFTER_NEXT, **given("b", ports))

    def problem() -> str:
        found = {each.name: each.problem for each in old.cluster.statuses()}
        return found["b"] or ""

    until(lambda: f"upgrade node a to a release that speaks version {VERSION + 1}" in problem())
    assert f"node a of Stategate 1 (version {VERSION})" in problem()
    assert f"node b of Stategate 1 (versions {VERSION + 1} to {VERSION + 2})" in problem()
