"""Three gateways of one cluster, as processes: any of them answers, whatever happens to another."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlencode

import psycopg
import pyarrow as pa
import pytest
from websockets.sync.client import connect as connect_socket

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.gateway import Gateway, running_gateway, write_stores
from tests.support.process import free_ports, plain_environment
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S, until

STATEMENTS: tuple[LiteralString, ...] = (
    "SELECT age FROM users WHERE name = 'ada'",
    "SELECT * FROM orders WHERE customer = 'ada' AND number = 1",
    "SELECT * FROM orders ORDER BY customer, number",
    "SELECT count(*) FROM clicks_hourly",
    "SELECT u.name, o.number FROM users u JOIN orders o ON o.customer = u.name ORDER BY 1, 2",
)
NAMES = ("a", "b", "c")
TICKS = keyvalue("ticks", {"k": "bigint"}, {"n": "bigint"}, partitions=3)
TICKING = "SELECT k, n FROM ticks WHERE k < 9"


def write_ticks(root: Path, n: int) -> int:
    """Write an epoch in which ten rows, and one that no one subscribes to, change to a number."""
    rows = pa.table({"k": list(range(10)), "n": [n] * 10})
    return StoreWriter(str(root), TICKS).write(rows, position=Position.of({"t": {0: n}})).epoch


@dataclass
class Cluster:
    """Three gateways over one log, each partition on two of them."""

    directory: Path
    gateways: dict[str, Gateway] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    stacks: dict[str, ExitStack] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Start a gateway, and wait until it is ready."""
        peers = ",".join(f"{each}=127.0.0.1:{port}" for each, port in self.ports.items())
        stack = self.stacks[name] = ExitStack()
        given = (f"node={name}", f"nodes=127.0.0.1:{self.ports[name]}", f"peers={peers}")
        directory = self.directory / name
        directory.mkdir(exist_ok=True)
        self.gateways[name] = stack.enter_context(
            running_gateway(
                self.directory / "log",
                directory,
                arguments=[text for each in given for text in ("--set", each)],
            )
        )

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a gateway."""
        self.gateways[name].process.signal(number)

    def end(self, name: str) -> None:
        """Wait for the end of a gateway, or make it."""
        self.stacks.pop(name).close()

    def connect(self, name: str) -> psycopg.Connection:
        """Connect to a gateway by the Postgres wire."""
        return psycopg.connect(self.gateways[name].pg_dsn, autocommit=True)

    def connected(self, name: str) -> int:
        """Return how many nodes a gateway can ask, itself included."""
        with self.connect(name) as connection:
            found = connection.execute("SELECT count(*) FROM stategate.nodes WHERE connected")
            (row,) = found.fetchall()
            return int(row[0])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    directory = tmp_path_factory.mktemp("cluster")
    write_stores(directory / "log")
    write_ticks(directory / "log", 0)
    made = Cluster(directory, ports=dict(zip(NAMES, free_ports(3), strict=True)))
    try:
        starting = [threading.Thread(target=made.start, args=[name]) for name in NAMES]
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join()
        until(lambda: all(made.connected(name) == 3 for name in NAMES))
        yield made
    finally:
        for name in tuple(made.stacks):
            made.signal(name, signal.SIGCONT)
            made.signal(name, signal.SIGTERM)  # the second, of `end`, lets no node wait for another
        for name in tuple(made.stacks):
            made.end(name)


class Load:
    """Statements that run at a gateway in a thread until they are ended."""

    def __init__(self, cluster: Cluster, name: str, wanted: list[list[object]]) -> None:
        self.count, self.longest_s = 0, 0.0
        self.wrong: list[str] = []
        self._connection, self._wanted = cluster.connect(name), wanted
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ending.is_set():
            for sql, wanted in zip(STATEMENTS, self._wanted, strict=True):
                began = time.monotonic()
                try:
                    found: list[object] = list(self._connection.execute(sql).fetchall())
                except psycopg.Error as error:
                    self.wrong.append(f"{sql}: {error}")
                    continue
                if found != wanted:
                    self.wrong.append(f"{sql}: {found}")
                self.count += 1
                self.longest_s = max(self.longest_s, time.monotonic() - began)

    def end(self) -> None:
        """End it, and check that no statement has failed."""
        self._ending.set()
        self._thread.join()
        self._connection.close()
        assert self.wrong == []


@pytest.fixture(scope="module")
def wanted(cluster: Cluster) -> list[list[object]]:
    """Return the rows of each statement."""
    with cluster.connect("a") as connection:
        return [list(connection.execute(sql).fetchall()) for sql in STATEMENTS]


def test_any_node_answers_any_statement(cluster: Cluster, wanted: list[list[object]]) -> None:
    assert [len(rows) for rows in wanted[:2]] == [1, 1]
    for name in NAMES:
        with cluster.connect(name) as connection:
            found = [list(connection.execute(sql).fetchall()) for sql in STATEMENTS]
        assert found == wanted


def test_answers_by_http_name_the_node_that_has_the_key(cluster: Cluster) -> None:
    named = set()
    for name, gateway in cluster.gateways.items():
        url = f"{gateway.http_url}/v1/stores/users/ada"
        with urllib.request.urlopen(f"{url}?locate", timeout=30) as response:
            holders = [each["node"] for each in json.load(response)["replicas"]]
        for _ in range(3):
            with urllib.request.urlopen(url, timeout=30) as response:
                found = json.load(response)
            assert [row[0] for row in found["rows"]] == ["ada"]
            (partition,) = found["partitions"]
            assert partition["node"] in holders
            assert (partition["node"] == name) == (name in holders)
            named.add(partition["node"])
    assert len(named) == 2


def test_a_node_reports_on_the_others(cluster: Cluster) -> None:
    with cluster.connect("a") as connection:
        connection.execute(STATEMENTS[2]).fetchall()
        rows = connection.execute(
            "SELECT node, connected, version <> '', reply_ms > 0, problem FROM stategate.nodes"
        ).fetchall()
    assert rows == [("a", True, True, None, None)] + [
        (name, True, True, True, None) for name in ("b", "c")
    ]
    with urllib.request.urlopen(f"{cluster.gateways['a'].http_url}/metrics", timeout=30) as found:
        lines = found.read().decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if line.startswith("stategate_node_"))
    for name in ("b", "c"):
        assert values[f'stategate_node_connected{{node="{name}"}}'] == "1"
        for count in ("requests", "replies", "answered", "sent_bytes", "received_bytes"):
            assert float(values[f'stategate_node_{count}_total{{node="{name}"}}']) > 0, count
    assert not any('node="a"' in key for key in values)


@pytest.mark.parametrize("sql", STATEMENTS[2:4])
def test_a_statement_that_waits_for_hanging_nodes_ends_when_it_is_to(
    cluster: Cluster, sql: LiteralString
) -> None:
    """They count as lost after two seconds of silence only."""
    for name in ("b", "c"):
        cluster.signal(name, signal.SIGSTOP)
    try:
        with cluster.connect("a") as connection:
            connection.execute("SET statement_timeout = 200")
            began = time.monotonic()
            with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
                connection.execute(sql)
            assert time.monotonic() - began < 10
    finally:
        for name in ("b", "c"):
            cluster.signal(name, signal.SIGCONT)
        until(lambda: all(cluster.connected(name) == 3 for name in NAMES))


def test_each_partition_is_on_two_nodes(cluster: Cluster) -> None:
    with cluster.connect("a") as connection:
        found = connection.execute(
            "SELECT store, partition, count(DISTINCT node), count(*) FILTER (WHERE role = 'active')"
            " FROM stategate.partitions GROUP BY 1, 2"
        ).fetchall()
    assert len(found) == 12 + TICKS.partitions
    assert {tuple(row[2:]) for row in found} == {(2, 1)}


def test_a_node_that_is_killed_fails_no_statement(
    cluster: Cluster, wanted: list[list[object]]
) -> None:
    loads = [Load(cluster, name, wanted) for name in ("a", "c")]
    time.sleep(0.3)
    cluster.signal("b", signal.SIGKILL)
    cluster.end("b")
    until(lambda: cluster.connected("a") == 2)
    time.sleep(0.3)
    cluster.start("b")
    until(lambda: all(cluster.connected(name) == 3 for name in NAMES))
    for load in loads:
        load.end()
        assert load.count > 0


def test_a_node_that_hangs_fails_no_statement(cluster: Cluster, wanted: list[list[object]]) -> None:
    loads = [Load(cluster, name, wanted) for name in ("a", "b")]
    time.sleep(0.2)
    cluster.signal("c", signal.SIGSTOP)
    until(lambda: cluster.connected("a") == 2)
    cluster.signal("c", signal.SIGCONT)
    until(lambda: cluster.connected("a") == 3)
    for load in loads:
        load.end()
        assert load.longest_s < 5


def test_a_node_that_leaves_fails_no_statement(
    cluster: Cluster, wanted: list[list[object]]
) -> None:
    loads = [Load(cluster, name, wanted) for name in ("b", "c")]
    time.sleep(0.2)
    cluster.end("a")
    cluster.start("a")
    until(lambda: all(cluster.connected(name) == 3 for name in NAMES))
    for load in loads:
        load.end()


class Socket:
    """A subscriber by WebSocket at a node, with a copy of the rows."""

    token: str

    def __init__(
        self, closing: ExitStack, cluster: Cluster, name: str, before: Socket | None = None
    ) -> None:
        fields = {"sql": TICKING} if before is None else {"sql": TICKING, "token": before.token}
        url = f"ws://127.0.0.1:{cluster.gateways[name].http_port}/v1/subscribe"
        made = connect_socket(f"{url}?{urlencode(fields)}", proxy=None, ping_interval=None)
        self._connection = closing.enter_context(made)
        self.rows: dict[int, int] = {} if before is None else dict(before.rows)
        self.epochs: list[int] = []
        self.token = ""
        assert self.message()["event"] == "columns"
        if before is None:
            while (message := self.message())["event"] == "rows":
                self.rows.update(message["rows"])
            self.token = message["token"]

    def message(self) -> dict[str, Any]:
        """Return the next message."""
        found: dict[str, Any] = json.loads(self._connection.recv(timeout=WAIT_S))
        return found

    def until(self, epoch: int) -> None:
        """Apply changes until an epoch; each row that changes is the one that is there."""
        while not self.epochs or self.epochs[-1] < epoch:
            message = self.message()
            assert message["event"] in {"changes", "progress"}, message
            for old, new in message.get("updated", []):
                assert self.rows[old[0]] == old[1]
                self.rows[new[0]] = new[1]
            self.epochs.append(message["epoch"])
            self.token = message["token"]


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def test_subscribers_at_any_node_get_every_epoch(cluster: Cluster, closing: ExitStack) -> None:
    """One node is killed meanwhile; its subscriber goes on at another one."""
    sockets = {name: Socket(closing, cluster, name) for name in NAMES}
    wire = closing.enter_context(cluster.connect("a"))
    cursor = wire.execute("BEGIN; DECLARE c CURSOR FOR SUBSCRIBE (SELECT sum(n) FROM ticks)")
    first = [row[4] for row in cursor.execute("FETCH ALL c").fetchall() if row[0] == "insert"]
    began = int(first[0]) // 10
    epochs = [write_ticks(cluster.directory / "log", began + 1)]
    for each in sockets.values():
        each.until(epochs[0])
        assert each.rows == dict.fromkeys(range(9), began + 1)
    cluster.signal("b", signal.SIGKILL)
    cluster.end("b")
    lost = sockets.pop("b")
    for n in (2, 3):
        epochs.append(write_ticks(cluster.directory / "log", began + n))
        for each in sockets.values():
            each.until(epochs[-1])
    sockets["b"] = Socket(closing, cluster, "c", before=lost)
    sockets["b"].until(epochs[-1])
    assert sockets["b"].epochs == epochs[1:]
    cluster.start("b")
    until(lambda: all(cluster.connected(name) == 3 for name in NAMES))
    epochs.append(write_ticks(cluster.directory / "log", began + 4))
    for name, each in sockets.items():
        each.until(epochs[-1])
        assert each.epochs == epochs[name == "b" :]
        assert each.rows == dict.fromkeys(range(9), began + 4)
    sums: list[int] = []
    while not sums or sums[-1] != 10 * (began + 4):
        rows = cursor.execute("FETCH ALL c WITH (TIMEOUT = '10 s')").fetchall()
        sums += [int(row[4]) for row in rows if row[0] == "update_new"]
    assert sums == [10 * (began + n) for n in (1, 2, 3, 4)]


def test_a_client_can_ask_where_a_key_is(cluster: Cluster) -> None:
    found = []
    for name in NAMES:
        url = f"{cluster.gateways[name].http_url}/v1/stores/orders/ada/1?locate"
        with urllib.request.urlopen(url, timeout=10) as response:
            found.append(json.load(response))
    with cluster.connect("a") as connection:
        ((partition,),) = connection.execute(
            "SELECT _partition FROM orders WHERE customer = 'ada' AND number = 1"
        ).fetchall()
        nodes = connection.execute(
            "SELECT node FROM stategate.partitions WHERE store = 'orders' AND partition = %s",
            (partition,),
        ).fetchall()
    for each in found:
        assert (each["store"], each["partition"]) == ("orders", partition)
        assert [replica["role"] for replica in each["replicas"]] == ["active", "standby"]
        assert {replica["node"] for replica in each["replicas"]} == {node for (node,) in nodes}


def test_the_command_line_lists_the_nodes(cluster: Cluster) -> None:
    command = [sys.executable, "-m", "stategate.gateway.main", "nodes", "--url"]
    ran = subprocess.run(
        [*command, cluster.gateways["b"].http_url],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=plain_environment(),
    )
    header, *lines = ran.stdout.splitlines()
    assert header.split("\t")[:2] == ["node", "partitions"]
    assert [line.split("\t")[0] for line in lines] == list(NAMES)
