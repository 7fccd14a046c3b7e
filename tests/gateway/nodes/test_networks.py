"""A node in a network of its own, whose link to the others is cut or slow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.gateway.nodes.test_processes import STATEMENTS
from tests.support.gateway import Gateway, running_gateway, write_stores
from tests.support.process import free_ports, plain_environment
from tests.support.waiting import until

pytestmark = pytest.mark.server

HERE, THERE = "10.213.77.1", "10.213.77.2"
_NAME = f"sg{os.getpid()}"
_OUTER, _INNER = f"{_NAME}o", f"{_NAME}i"


def run(*command: str) -> bool:
    """Run a command of the system; return whether it succeeded."""
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def network() -> Iterator[None]:
    """Make a namespace with one link to this one."""
    if None in map(shutil.which, ("ip", "tc")) or os.geteuid() != 0:
        pytest.skip("networks need root, and the commands ip and tc")
    if not run("ip", "netns", "add", _NAME):
        pytest.skip("this system lets no one make network namespaces, as in most containers")
    inside = ("ip", "netns", "exec", _NAME)
    try:
        made = [
            run("ip", "link", "add", _OUTER, "type", "veth", "peer", "name", _INNER),
            run("ip", "link", "set", _INNER, "netns", _NAME),
            run("ip", "addr", "add", f"{HERE}/24", "dev", _OUTER),
            run("ip", "link", "set", _OUTER, "up"),
            run(*inside, "ip", "addr", "add", f"{THERE}/24", "dev", _INNER),
            run(*inside, "ip", "link", "set", _INNER, "up"),
            run(*inside, "ip", "link", "set", "lo", "up"),
        ]
        if not all(made):
            pytest.skip("this system lets no one make links between network namespaces")
        yield
    finally:
        run("ip", "link", "del", _OUTER)
        run("ip", "netns", "del", _NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Nodes `a` and `c` here, and `b` beyond the link."""

    a: Gateway

    def answers(self) -> list[list[object]]:
        """Return the rows of all statements at node `a`."""
        with psycopg.connect(self.a.pg_dsn, autocommit=True) as connection:
            return [list(connection.execute(sql).fetchall()) for sql in STATEMENTS]

    def connected(self) -> int:
        """Return how many nodes `a` can ask, itself included."""
        with psycopg.connect(self.a.pg_dsn, autocommit=True) as connection:
            found = connection.execute("SELECT count(*) FROM stategate.nodes WHERE connected")
            ((count,),) = found.fetchall()
            return int(count)


@pytest.fixture(scope="module")
def cluster(network: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    directory = tmp_path_factory.mktemp("networks")
    write_stores(directory / "log")
    secret = directory / "secret"
    secret.write_text("a secret of the test's nodes")
    secret.chmod(0o600)
    hosts = {"a": HERE, "b": THERE, "c": HERE}
    places = {
        name: f"{host}:{port}"
        for (name, host), port in zip(hosts.items(), free_ports(3), strict=True)
    }
    peers = ",".join(f"{name}={place}" for name, place in places.items())

    def arguments(name: str) -> list[str]:
        given = (
            f"node={name}",
            f"nodes={places[name]}",
            f"peers={peers}",
            f"nodes_secret={secret}",
            "grace_ms=2000",  # at the end of the tests, no node can take over from the others
        )
        return [text for each in given for text in ("--set", each)]

    with ExitStack() as stack:
        gateways = {}
        for name in ("a", "c"):
            (directory / name).mkdir()
            gateways[name] = stack.enter_context(
                running_gateway(directory / "log", directory / name, arguments=arguments(name))
            )
        stack.enter_context(beyond(directory, arguments("b")))
        made = Cluster(a=gateways["a"])
        until(lambda: made.connected() == 3, timeout_s=60)
        yield made


@contextmanager
def beyond(directory: Path, arguments: list[str]) -> Iterator[None]:
    """Run a gateway in the other namespace."""
    command = [
        "ip",
        "netns",
        "exec",
        _NAME,
        sys.executable,
        "-m",
        "stategate.gateway.main",
        "serve",
    ]
    command += ["--root", str(directory / "log"), "--data", str(directory / "b")]
    with (directory / "b.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *arguments], stdout=log, stderr=log, env=plain_environment()
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def test_a_link_that_is_cut_fails_no_statement(cluster: Cluster) -> None:
    wanted = cluster.answers()
    assert [len(rows) for rows in wanted[:2]] == [1, 1]
    assert run("ip", "link", "set", _OUTER, "down")
    try:
        began = time.monotonic()
        assert cluster.answers() == wanted
        assert time.monotonic() - began < 30
        until(lambda: cluster.connected() == 2)
        assert cluster.answers() == wanted
    finally:
        assert run("ip", "link", "set", _OUTER, "up")
    until(lambda: cluster.connected() == 3, timeout_s=30)
    assert cluster.answers() == wanted


def test_a_slow_link_fails_no_statement(cluster: Cluster) -> None:
    wanted = cluster.answers()
    if not run("tc", "qdisc", "add", "dev", _OUTER, "root", "netem", "delay", "150ms"):
        pytest.skip("this system has no netem, which makes links slow")
    try:
        for _ in range(3):
            assert cluster.answers() == wanted
        assert cluster.connected() == 3, "slow is not lost"
    finally:
        assert run("tc", "qdisc", "del", "dev", _OUTER, "root")
    assert cluster.answers() == wanted
