"""Links over sockets: what a node asks, waits for and holds at another, and what a fault does."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal

import pytest

from stategate.gateway.nodes import connection, server
from stategate.gateway.nodes.frames import keys_frame
from stategate.gateway.nodes.handshake import Spoken
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.nodes import open_streams
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.links import NodeError, Replied
from stategate.stores.nodes.messages import (
    MINOR,
    VERSION,
    Answer,
    Ask,
    AskStatuses,
    Met,
    Refused,
    Statuses,
    WaitForBound,
)
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import Key
from stategate.stores.spec.store import QueryConfig
from tests.gateway.nodes.rooms import Room
from tests.stores.nodes.counting import COUNT
from tests.support.stores import batch, fill, keyvalue, open_store, progress
from tests.support.values import rows_of
from tests.support.waiting import until

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)
ROWS = [(f"k{number}", number) for number in range(1000)]


@pytest.fixture
def whole() -> LocalStore:
    store = open_store(COUNTS)
    fill(store, ROWS)
    return store


@pytest.fixture
def room(whole: LocalStore) -> Iterator[Room]:
    with closing(Room({"counts": whole})) as made:
        assert made.watcher.connected.wait(10)
        yield made


@pytest.fixture
def store(room: Room) -> ClusterStore:
    """Return the store as node `a` sees it, which holds nothing."""
    return ClusterStore(
        LocalStore(COUNTS, {}), node="a", links={"b": room.link}, holders=lambda *_: ["b"]
    )


def test_a_key_is_looked_up_at_another_node(store: ClusterStore) -> None:
    found = store.query_partition(0, KeyQuery(key=("k7",)))
    assert isinstance(found, Success)
    assert (found.value, found.node, found.epoch) == ((7,), "b", 0)


def test_keys_that_are_asked_for_at_once_are_sent_in_one_frame(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[int] = []

    def noted(items: Sequence[bytes]) -> bytes:
        frames.append(len(items))
        return keys_frame(items)

    monkeypatch.setattr(connection, "keys_frame", noted)
    replies: list[Replied | NodeError] = []

    async def ask() -> None:
        for number in range(5):
            key = KeyQuery(key=(f"k{number}",))
            room.link.begin(Ask("counts", ((0, key, None),)), replies.append)
            room.link.begin(AskStatuses("counts"), lambda _: None)

    room.thread.run(ask())
    until(lambda: len(replies) == 5)
    assert frames == [5]
    answers = [replied[0].answers[0] for replied in replies]  # type: ignore[index,union-attr]
    assert [answer.value for answer in answers] == [(number,) for number in range(5)]


def looked_up(room: Room, *asked: tuple[str, Key], is_in_loop: bool = True) -> list[Answer | None]:
    """Look up keys with the fewest steps; return the answers, in their order."""
    found: list[list[Answer | None]] = [[] for _ in asked]

    def begin() -> None:
        for place, (store, key) in zip(found, asked, strict=True):
            room.link.begin_key(store, 0, key, place.append)

    async def begin_in_loop() -> None:
        begin()

    if is_in_loop:
        room.thread.run(begin_in_loop())
    else:
        begin()
    until(lambda: all(found))
    assert [len(each) for each in found] == [1] * len(asked)
    return [answer for (answer,) in found]


@pytest.mark.parametrize("is_in_loop", [False, True])
def test_a_lookup_with_the_fewest_steps_finds_what_any_other_does(
    whole: LocalStore, *, is_in_loop: bool
) -> None:
    asked: list[tuple[str, Key]] = [
        ("counts", ("k7",)),
        ("counts", ("missing",)),
        ("counts", (Decimal(1),)),
        ("other", ("k7",)),
        ("counts", ("k8",)),
    ]
    with closing(Room({"counts": whole})) as room:
        assert room.watcher.connected.wait(10)
        found = looked_up(room, *asked, is_in_loop=is_in_loop)
        counts = room.link.counts
        assert (counts.requests, counts.replies, counts.failures) == (5, 5, 0)
        assert room.server.answered == {"a": 5}
        values = [each and (each.value, each.epoch) for each in found]
        assert values == [((7,), 0), (None, 0), None, None, ((8,), 0)]
        room.thread.run(room.server.stop())
        assert room.watcher.lost.wait(10)
        assert looked_up(room, ("counts", ("k7",)), is_in_loop=is_in_loop) == [None]


def test_a_lookup_on_its_way_ends_with_its_node(room: Room) -> None:
    found: list[Answer | None] = []

    async def begin_and_lose() -> None:
        room.link.begin_key("counts", 0, ("k7",), found.append)
        await room.link.close()

    room.thread.run(begin_and_lose())
    until(lambda: found == [None])
    assert room.link.counts.failures == 1


@pytest.mark.parametrize("minor", [0, MINOR, MINOR + 5])
def test_nodes_of_several_minor_versions_talk(whole: LocalStore, minor: int) -> None:
    with closing(Room({"counts": whole}, spoken=Spoken(minor=minor))) as room:
        assert room.watcher.connected.wait(10)
        store = ClusterStore(
            LocalStore(COUNTS, {}), node="a", links={"b": room.link}, holders=lambda *_: ["b"]
        )
        for key, value in (("k7", (7,)), ("missing", None)):
            found = store.query_partition(0, KeyQuery(key=(key,)))
            assert isinstance(found, Success)
            assert (found.value, found.epoch) == (value, 0)
        lost = store.query_partition(0, KeyQuery(key=("k7", "more")))
        assert isinstance(lost, Failure)
        assert lost.node == "b"


def test_streams_are_reduced_at_their_node(whole: LocalStore) -> None:
    with closing(Room({"counts": whole})) as room:
        assert room.watcher.connected.wait(10)
        store = ClusterStore(
            LocalStore(COUNTS, {}), node="a", links={"b": room.link}, holders=lambda *_: ["b"]
        )
        answer = store.query_partition(0, RangeQuery())
        assert isinstance(answer, Success)
        place = answer.value.elsewhere
        assert place is not None
        assert place.reducer is room.link
        found = place.begin_reducing([place], COUNT).wait()
        assert found is not None
        assert (found.rows, found.batches[0].to_pydict()) == ((1000,), {"n": [1000]})
        room.thread.run(room.server.stop())
        assert room.watcher.lost.wait(10)
        assert place.begin_reducing([place], COUNT).wait() is None


def test_a_node_without_a_version_in_common_is_refused_and_told_what_to_do(
    whole: LocalStore,
) -> None:
    newer = Spoken(version=VERSION + 2, least=VERSION + 1)
    with closing(Room({"counts": whole}, spoken=newer)) as room:
        assert room.watcher.lost.wait(10)
        assert not room.watcher.connected.is_set()
        assert room.link.why_lost == (
            f"it refused: node a of Stategate 1.0 (version {VERSION}) and node b of Stategate 1.0 "
            f"(versions {VERSION + 1} to {VERSION + 2}) have no version of their messages in "
            f"common: upgrade node a to a release that speaks version {VERSION + 1}, or node b "
            "only after it"
        )
        with pytest.raises(NodeError, match="upgrade node a"):
            room.link.ask(AskStatuses("counts"))


def test_a_cluster_can_be_upgraded_node_by_node(whole: LocalStore) -> None:
    """The same link asks an older node, and then the newer one that is started in its place."""
    with closing(Room({"counts": whole}, spoken=Spoken(minor=0))) as room:
        assert room.watcher.connected.wait(10)
        store = ClusterStore(
            LocalStore(COUNTS, {}), node="a", links={"b": room.link}, holders=lambda *_: ["b"]
        )
        for minor in (0, MINOR, 0):
            found = store.query_partition(0, KeyQuery(key=("k7",)))
            assert isinstance(found, Success)
            assert found.value == (7,)
            room.thread.run(room.server.stop())
            assert room.watcher.lost.wait(10)
            room.spoken = Spoken(minor=minor)
            room.listen(f"127.0.0.1:{room.address.port}")
            assert room.watcher.connected.wait(10)


def test_requests_are_counted(room: Room, store: ClusterStore) -> None:
    for number in range(3):
        store.query_partition(0, KeyQuery(key=(f"k{number}",)))
    room.link.ask(AskStatuses("counts"))
    counts = room.link.counts
    assert (counts.connections, counts.requests, counts.replies, counts.failures) == (1, 4, 4, 0)
    assert counts.usual_s is not None
    assert 0 < counts.usual_s < counts.reply_s < 10
    assert counts.sent_bytes > 100
    assert counts.received_bytes > 100
    assert room.server.answered == {"a": 4}
    wait = WaitForBound("counts", 0, PositionBound(epoch=9), math.inf)
    waiting = room.link.begin(wait, lambda _: None)
    until(lambda: counts.requests == 5)
    assert waiting.cancel()
    until(lambda: counts.abandoned == 1)
    room.link.begin(wait, lambda _: None)
    until(lambda: counts.requests == 6)
    room.thread.run(room.link.close())
    assert (counts.failures, counts.replies) == (1, 4)


def test_rows_are_streamed_from_another_node(store: ClusterStore, whole: LocalStore) -> None:
    found, wanted = (each.query_partition(0, RangeQuery()) for each in (store, whole))
    assert isinstance(found, Success)
    assert isinstance(wanted, Success)
    for _ in range(2):
        assert rows_of(found.value) == rows_of(wanted.value)


def test_long_streams_come_in_several_replies(
    store: ClusterStore, whole: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_streams, "BATCHES_BYTES", 1)
    for epoch in range(1, 4):
        apply(whole, epoch)
    found = store.query_partition(0, RangeQuery())
    assert isinstance(found, Success)
    assert len(rows_of(found.value)) == len(ROWS) + 3


def test_threads_share_a_link(store: ClusterStore) -> None:
    wrong: list[object] = []

    def look_up(first: int) -> None:
        for number in range(first, first + 200):
            found = store.query_partition(0, KeyQuery(key=(f"k{number}",)))
            if not isinstance(found, Success) or found.value != (number,):
                wrong.append(found)

    threads = [threading.Thread(target=look_up, args=[first]) for first in range(0, 800, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_wait_ends_when_the_other_node_has_the_epoch(
    store: ClusterStore, whole: LocalStore
) -> None:
    ended: list[bool] = []
    store.when(0, PositionBound(epoch=1), ended.append)
    assert not store.wait(0, PositionBound(epoch=1), timeout_s=0.05)
    apply(whole, 1)
    assert store.wait(0, PositionBound(epoch=1), timeout_s=10)
    until(lambda: ended == [True])


def test_waits_that_are_cancelled_or_lost_end_at_the_other_node(
    room: Room, store: ClusterStore, whole: LocalStore
) -> None:
    waits = [store.when(0, PositionBound(epoch=n), lambda _: None) for n in (1, 2, 3)]
    until(lambda: len(whole.replicas[0]._waiters) == 3)
    again = store.when(0, PositionBound(epoch=1), lambda _: None)
    assert waits[0].cancel()
    assert not waits[0].cancel()
    assert store.statuses(), "the node has replied after all of that"
    assert len(whole.replicas[0]._waiters) == 3, "another one waits for the same epoch"
    assert again.cancel()
    until(lambda: len(whole.replicas[0]._waiters) == 2)
    room.thread.run(room.link.close())
    until(lambda: len(whole.replicas[0]._waiters) == 0)


def test_held_epochs_and_streams_end_with_their_connection(
    room: Room, store: ClusterStore, whole: LocalStore
) -> None:
    hold = store.hold(0)
    assert hold is not None
    for epoch in range(1, 6):
        apply(whole, epoch)
    assert hold.is_held
    at_first = QueryConfig(at_epoch=0)
    assert isinstance(whole.query_partition(0, KeyQuery(key=("k7",)), at_first), Success)
    room.thread.run(room.link.close())
    until(lambda: isinstance(whole.query_partition(0, KeyQuery(key=("k7",)), at_first), Failure))


def test_waits_are_limited(
    store: ClusterStore, whole: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "WAITS_MAX", 2)
    ended: list[bool] = []
    for epoch in (1, 2, 3):
        store.when(0, PositionBound(epoch=epoch), ended.append)
    until(lambda: ended == [False])
    assert len(whole.replicas[0]._waiters) == 2


def test_changed_keys_are_asked_for_until_the_connection_is_lost(
    room: Room, store: ClusterStore, whole: LocalStore
) -> None:
    log = store.follow_keys(0)
    assert store.follow_keys(0) is log, "all readers of this node share it"
    assert log is not None
    until(lambda: log.changed(0, 0) == [])
    for epoch in (1, 2):
        fill(whole, [(f"k{epoch}", -1)], epoch=epoch)
    assert log.changed(0, 2) == [("k1",), ("k2",)]
    assert log.changed(1, 2) == [("k2",)]
    assert log.changed(0, 3) is None, "the epoch is yet to come"
    room.thread.run(room.server.stop())
    assert room.watcher.lost.wait(10)
    fill(whole, [("k3", -1)], epoch=3)
    room.listen(f"127.0.0.1:{room.address.port}")
    assert room.watcher.connected.wait(10)
    assert log.changed(2, 3) is None, "no one has recorded it"
    until(lambda: log.changed(3, 3) == [])
    fill(whole, [("k4", -1)], epoch=4)
    assert log.changed(3, 4) == [("k4",)]


def test_no_one_records_keys_that_no_one_follows(
    room: Room, store: ClusterStore, whole: LocalStore
) -> None:
    recorder = whole.replicas[0]._keys

    def follow() -> None:
        log = store.follow_keys(0)
        assert log is not None
        until(lambda: log.changed(0, 0) == [])
        assert recorder.begin(0, replace=False) is not None

    follow()
    until(lambda: recorder.begin(0, replace=False) is None)


def test_a_node_that_stops_fails_what_was_asked_and_is_connected_again(
    room: Room, store: ClusterStore
) -> None:
    replies: list[Replied | NodeError] = []
    room.link.begin(WaitForBound("counts", 0, PositionBound(epoch=9), math.inf), replies.append)
    room.thread.run(room.server.stop())
    until(lambda: len(replies) == 1)
    assert isinstance(replies[0], NodeError)
    assert room.watcher.lost.wait(10)
    with pytest.raises(NodeError, match="it is not connected"):
        room.link.ask(AskStatuses("counts"))
    room.listen(f"127.0.0.1:{room.address.port}")
    assert room.watcher.connected.wait(10)
    assert isinstance(store.query_partition(0, KeyQuery(key=("k7",))), Success)


def test_a_node_that_does_not_reply_is_given_up(room: Room) -> None:
    request = WaitForBound("counts", 0, PositionBound(epoch=9), math.inf)
    began = time.monotonic()
    with pytest.raises(NodeError, match="it did not reply in time"):
        room.link.ask(request, timeout_s=0.05)
    assert time.monotonic() - began < 5
    assert isinstance(room.link.ask(AskStatuses("counts"))[0], Statuses)


def test_the_event_loop_never_waits_for_a_node(room: Room) -> None:
    async def ask() -> None:
        room.link.ask(AskStatuses("counts"))

    with pytest.raises(RuntimeError, match="the event loop cannot wait"):
        room.thread.run(ask())


def test_an_unknown_store_is_refused(room: Room) -> None:
    reply, _ = room.link.ask(AskStatuses("other"))
    assert reply == Refused('store "other" is not on this node')
    request = WaitForBound("other", 0, PositionBound(epoch=9), 1.0)
    assert isinstance(room.link.ask(request)[0], Refused)
    request = WaitForBound("counts", 0, PositionBound(epoch=0), 1.0)
    assert room.link.ask(request)[0] == Met(is_met=True)


def test_nodes_are_told_what_others_hold(room: Room) -> None:
    until(lambda: len(room.watcher.announced) >= 2)
    assert {each.node for each in room.watcher.announced} == {"b"}


def test_a_node_with_another_secret_is_not_asked(whole: LocalStore) -> None:
    with closing(Room({"counts": whole}, other_secret=b"t")) as room:
        until(lambda: "it refused: node a has another secret" in room.link.why_lost)
        assert not room.watcher.connected.is_set()
        with pytest.raises(NodeError, match="it is not connected"):
            room.link.ask(AskStatuses("counts"))


def apply(store: LocalStore, epoch: int) -> None:
    """Apply an epoch of one new row."""
    store.replicas[0].apply(progress(epoch), [batch(COUNTS, [(f"new{epoch}", epoch)])])
