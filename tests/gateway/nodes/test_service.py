"""Nodes find each other, hand over partitions and leave, over real connections and hosts."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from stategate.gateway.access.tls import Tls
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.errors import SettingsError
from stategate.gateway.nodes import peers as peers_module
from stategate.gateway.nodes.handshake import SPOKEN, Spoken
from stategate.gateway.nodes.peers import peers_of
from stategate.gateway.nodes.service import NodeService
from stategate.gateway.settings import Settings
from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.host import Host
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.upkeep.rebuild import rebuild
from tests.gateway.nodes.rooms import LoopThread
from tests.planner.live.watching import Watcher
from tests.support.certificates import make_authority, make_server
from tests.support.hosts import write
from tests.support.process import free_ports
from tests.support.stores import keyvalue
from tests.support.waiting import until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=6)


@dataclass
class Running:
    """One node."""

    service: NodeService
    host: Host
    cluster: Cluster

    def held(self) -> set[int]:
        """Return the partitions that it holds, and that answer."""
        statuses = self.host.statuses().get("clicks", {}).values()
        return {each.partition for each in statuses if each.state.value == "running"}

    def connected(self) -> set[str]:
        """Return the nodes that it can ask."""
        return {each.name for each in self.cluster.statuses() if each.is_connected}

    def finds(self, user: str) -> bool:
        """Whether it finds the row of a user, in one partition."""
        store = self.cluster.stores["clicks"]
        answers = [store.query_partition(n, KeyQuery(key=(user,))) for n in range(6)]
        assert all(isinstance(each, Success) for each in answers), answers
        return sum(each.value is not None for each in answers if isinstance(each, Success)) == 1


class Room:
    """Nodes of one cluster, in one event loop."""

    def __init__(self, directory: Path) -> None:
        self.thread = LoopThread()
        self.root = directory / "log"
        self.nodes: dict[str, Running] = {}
        write(self.root, n=1, schema=CLICKS)

    def start(
        self, name: str, *, tls: Tls | None = None, spoken: Spoken = SPOKEN, **given: Any
    ) -> Running:
        """Start a node."""
        settings = Settings(root=str(self.root), node=name, **given)
        service = NodeService(settings, tls=tls, product="1", busy_poll=BusyPoll(0), spoken=spoken)
        host = Host(self.root, node=name, poll_ms=5, placement=service.placement)
        made = self.nodes[name] = Running(service, host, service.attach(host))
        self.thread.run(service.start())
        service.settle()
        host.start()
        return made

    def stop(self, name: str, *, leaves: bool = False) -> None:
        """Stop a node, with or without a farewell."""
        node = self.nodes.pop(name)
        if leaves:
            self.thread.run(node.service.leave(within_s=15))
        self.thread.run(node.service.stop())
        node.host.close()

    def close(self) -> None:
        """Stop all of it."""
        for name in tuple(self.nodes):
            self.stop(name)
        self.thread.close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    made.close()


def listed(ports: dict[str, int]) -> str:
    return ",".join(f"{name}=127.0.0.1:{port}" for name, port in ports.items())


def given(name: str, ports: dict[str, int], peers: str | None = None) -> dict[str, Any]:
    return {"nodes": f"127.0.0.1:{ports[name]}", "peers": peers or listed(ports)}


def all_know_all(room: Room) -> Callable[[], bool]:
    return lambda: all(each.connected() == set(room.nodes) for each in room.nodes.values())


def test_partitions_move_only_once_their_new_holder_has_them(room: Room, tmp_path: Path) -> None:
    """A node joins by a file that all of them read again; every read is answered meanwhile."""
    ports = dict(zip("abc", free_ports(3), strict=True))
    file = tmp_path / "peers"
    file.write_text("\n".join(listed({n: ports[n] for n in "ab"}).split(",")))
    for name in "ab":
        room.start(name, copies=1, **given(name, ports, f"file:{file}"))
    until(all_know_all(room))
    until(lambda: sorted(n for each in room.nodes.values() for n in each.held()) == list(range(6)))
    before = {name: each.held() for name, each in room.nodes.items()}
    file.write_text("# three of them\n" + "\n".join(listed(ports).split(",")))
    joined = room.start("c", copies=1, **given("c", ports, f"file:{file}"))

    def has_moved() -> bool:
        assert all(each.finds("u3") for each in room.nodes.values() if each is not joined)
        return sorted(n for each in room.nodes.values() for n in each.held()) == list(range(6))

    until(joined.held)
    until(has_moved)
    for name in "ab":
        assert room.nodes[name].held() == before[name] - joined.held()
    assert joined.finds("u3")


def test_a_node_that_leaves_hands_over_what_only_it_has(room: Room) -> None:
    ports = dict(zip("ab", free_ports(2), strict=True))
    for name in "ab":
        room.start(name, copies=1, **given(name, ports))
    until(all_know_all(room))
    until(lambda: room.nodes["a"].held() | room.nodes["b"].held() == set(range(6)))
    assert room.nodes["a"].held()
    room.stop("a", leaves=True)
    assert room.nodes["b"].held() == set(range(6))
    assert room.nodes["b"].finds("u3")


def test_a_subscriber_stays_while_nodes_leave_and_partitions_move(room: Room) -> None:
    """What a live query holds at a node keeps that neither from leaving nor from handing over."""
    ports = dict(zip("abc", free_ports(3), strict=True))
    for name in "abc":
        room.start(name, copies=1, **given(name, ports))
    until(all_know_all(room))
    until(lambda: sorted(n for each in room.nodes.values() for n in each.held()) == list(range(6)))
    with closing(SqlEngine(room.nodes["a"].cluster, node="a")) as engine:
        watcher = Watcher(engine, "SELECT * FROM clicks")
        for n, leaving in enumerate("bc", 2):
            write(room.root, n=n, schema=CLICKS)
            watcher.until(clicks=n - 1)
            held = room.nodes[leaving].host.statuses()["clicks"].values()
            assert any(each.held_epochs for each in held), "the query reads there"
            began = time.monotonic()
            room.stop(leaving, leaves=True)
            assert time.monotonic() - began < 12, "the time to leave is 15 s"
        write(room.root, n=4, schema=CLICKS)
        watcher.until(clicks=3)
        for name in "bc":
            room.start(name, copies=1, **given(name, ports))
        until(all_know_all(room))
        until(
            lambda: sorted(n for each in room.nodes.values() for n in each.held()) == list(range(6))
        )
        write(room.root, n=5, schema=CLICKS)
        watcher.until(clicks=4)
        assert [event.moment.epoch for event in watcher.events] == [1, 2, 3, 4]
        assert sorted(watcher.rows) == [(f"u{user}", 5) for user in range(10)]
        watcher.close()


def test_subscribers_of_a_store_that_is_rebuilt(room: Room) -> None:
    """Nodes change over one after the other; no event leads from one definition to the other."""
    ports = dict(zip("ab", free_ports(2), strict=True))
    for name in "ab":
        room.start(name, copies=1, **given(name, ports))
    until(all_know_all(room))
    until(lambda: room.nodes["a"].held() | room.nodes["b"].held() == set(range(6)))
    with closing(SqlEngine(room.nodes["a"].cluster, node="a")) as engine:
        keyed = Watcher(engine, "SELECT usr, n FROM clicks")
        summed = Watcher(engine, "SELECT sum(n), count(*) FROM clicks")
        write(room.root, n=2, schema=CLICKS)
        for each in (keyed, summed):
            each.until(clicks=1)
        rebuilt = replace(CLICKS, partitions=4)
        rebuild(room.root, "clicks", rebuilt)
        until(lambda: room.nodes["a"].host.stores["clicks"].schema.partitions == 4)
        write(room.root, n=3, schema=rebuilt)
        for each, rows in ((keyed, [(f"u{n}", 3) for n in range(10)]), (summed, [(30, 10)])):
            with pytest.raises(QueryError) as caught:
                each.until(clicks=2)
            assert caught.value.sqlstate == "72000", "its rows are those of the old definition"
            assert each.moment is not None
            again = Watcher(engine, each.sql, token=each.moment.token, rows=[("old",)])
            assert again.subscription.start_over == 'store "clicks" was rebuilt or created again'
            again.until(clicks=2)
            assert sorted(again.rows) == rows
            again.close()
            each.close()


def test_nodes_find_each_other_by_a_name(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind a headless service: one name for all addresses, and each node says its own name."""
    port = free_ports(1)[0]
    addresses = ["127.0.0.1", "127.0.0.2"]

    def resolve(host: str, port: int, **_: object) -> list[Any]:
        assert host == "stategate-nodes"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(peers_module, "getaddrinfo", resolve)
    peers = f"dns:stategate-nodes:{port}"
    for name, address in zip("ab", addresses, strict=True):
        room.start(name, nodes=f"{address}:{port}", peers=peers, zone=f"zone {name}")
    until(all_know_all(room))
    until(lambda: all(each.held() == set(range(6)) for each in room.nodes.values()))
    known = room.nodes["a"].cluster
    zones = {"a": "zone a", "b": "zone b"}
    # A node that is being connected again has told no zone yet.
    until(lambda: {each.name: each.zone for each in known.statuses()} == zones)
    # A node that is restarted elsewhere keeps its place.
    room.stop("b")
    until(lambda: room.nodes["a"].connected() == {"a"})
    addresses[1] = "127.0.0.3"
    room.start("b", nodes=f"127.0.0.3:{port}", peers=peers, zone="zone b")
    until(all_know_all(room))


def test_nodes_use_tls_if_there_is_a_certificate(room: Room, tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    signed = make_server(tmp_path, authority=authority)
    other = make_authority(tmp_path, name="other")
    ports = dict(zip("abc", free_ports(3), strict=True))
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef")
    secret.chmod(0o600)
    files = {"tls_certificate": str(signed.certificate), "tls_key": str(signed.key)}
    more: dict[str, Any] = {**files, "nodes_secret": str(secret)}
    for name in "ab":
        tls = Tls(certificate=signed.certificate, key=signed.key)
        room.start(name, tls=tls, **more, nodes_ca=str(authority[0]), **given(name, ports))
    until(lambda: room.nodes["a"].connected() == {"a", "b"})
    tls = Tls(certificate=signed.certificate, key=signed.key)
    stranger = room.start("c", tls=tls, **more, nodes_ca=str(other[0]), **given("c", ports))

    def problem() -> str:
        return next(e.problem or "" for e in stranger.cluster.statuses() if e.name == "a")

    until(lambda: "certificate" in problem())


def test_a_node_that_is_not_what_the_list_says_is_named(room: Room) -> None:
    ports = dict(zip("ab", free_ports(2), strict=True))
    room.start("a", **given("a", ports))
    room.start("z", **{**given("b", ports), "peers": listed({"a": ports["a"], "z": ports["b"]})})
    problems = room.nodes["a"].cluster.statuses
    until(lambda: any("it is node z, not b" in (each.problem or "") for each in problems()))
    assert all(each.name != "b" or not each.is_connected for each in problems())


def test_two_nodes_of_one_name_do_not_talk(room: Room) -> None:
    ports = dict(zip("ab", free_ports(2), strict=True))
    room.start("a", **given("a", ports))
    settings = Settings(root=str(room.root), node="a", **given("b", ports))
    swapped = replace(settings, peers=f"b=127.0.0.1:{ports['a']},a=127.0.0.1:{ports['b']}")
    service = NodeService(swapped, tls=None, product="1", busy_poll=BusyPoll(0))
    host = Host(room.root, node="a", placement=service.placement)
    twin = room.nodes["twin"] = Running(service, host, service.attach(host))
    room.thread.run(service.start())
    host.start()
    until(lambda: any("name" in (e.problem or "") for e in twin.cluster.statuses()))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10.0.0.1:7430", 'cannot have "10.0.0.1:7430"'),
        ("a=10.0.0.1", 'cannot be "10.0.0.1"'),
        ("a=h:1,a=h:2", "node a is named twice"),
        ("a=h:1,b=h:1", "node b is named twice"),
        ("a=h:1;weight=0", "must be positive"),
        ("a=h:1;weight=heavy", "could not convert"),
        ("a=h:1;colour=red", "cannot have"),
        ("dns:stategate", 'cannot be "stategate"'),
    ],
)
def test_malformed_peers_are_refused(text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        peers_of(text)


def test_a_file_that_becomes_malformed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "peers"
    file.write_text("a=h:1;zone=z;weight=2.5  # the large one\n\nb=[::1]:2\n")
    read = peers_of(f"file:{file}")
    first, second = read().values()
    assert first.node is not None
    assert second.node is not None
    assert (first.node.name, first.node.zone, first.node.weight) == ("a", "z", 2.5)
    assert (second.node.name, second.address.host) == ("b", "::1")
    file.write_text("a")
    with pytest.raises(SettingsError, match='cannot have "a"'):
        read()
    file.unlink()
    with pytest.raises(FileNotFoundError):
        read()


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("short")
    secret.chmod(0o600)
    settings = Settings(
        root="r", node="a", nodes="127.0.0.1:1", peers="a=h:1", nodes_secret=str(secret)
    )
    with pytest.raises(SettingsError, match="is too short"):
        NodeService(settings, tls=None, product="1", busy_poll=BusyPoll(0))


def test_users_need_a_secret_of_the_nodes() -> None:
    given: dict[str, Any] = {"root": "r", "node": "a", "nodes": "127.0.0.1:1", "peers": "a=h:1"}
    settings = Settings(**given, users="users")
    with pytest.raises(SettingsError, match="let in without a password") as raised:
        NodeService(settings, tls=None, product="1", busy_poll=BusyPoll(0))
    assert "nodes_secret" in str(raised.value.hint)
    trusting = Settings(**given, users="users", auth="trust")
    NodeService(trusting, tls=None, product="1", busy_poll=BusyPoll(0))
