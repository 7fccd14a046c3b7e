"""Three gateways of one cluster: what it costs that another node has the rows."""

from __future__ import annotations

import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from tests.bench import data
from tests.bench.clients import PgTarget, pgbench_tps
from tests.bench.harness import BenchError, Better, Line, Measured, turns
from tests.bench.setting import RESTORE_TIMEOUT_S, Setting, target_of
from tests.support.gateway import running_gateway
from tests.support.process import free_ports

NAMES = ("a", "b", "c")
_LOOKUPS = 50
"""Different keys of each script."""
_GROUPED = "SELECT city, count(*), sum(visits), max(seen) FROM users GROUP BY city"
_SETTLED_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Gateways that each hold a third of the partitions."""

    targets: dict[str, PgTarget]
    partitions: dict[str, list[int]]
    """The partitions that each of them holds."""
    processes: Sequence[int]
    """The ids of their processes."""

    def cpu_s(self) -> float:
        """Return the CPU time that all of them have taken."""
        return sum(map(_cpu_s, self.processes))


@contextlib.contextmanager
def running_cluster(setting: Setting) -> Iterator[Cluster]:
    """Run three gateways over the log of the setting, one copy of each partition."""
    ports = dict(zip(NAMES, free_ports(len(NAMES)), strict=True))
    peers = ",".join(f"{name}=127.0.0.1:{port}" for name, port in ports.items())
    with tempfile.TemporaryDirectory(dir=setting.directory) as made, contextlib.ExitStack() as on:
        targets: dict[str, PgTarget] = {}
        processes: list[int] = []
        for name in NAMES:
            directory = Path(made) / name
            directory.mkdir()
            given = (f"node={name}", f"nodes=127.0.0.1:{ports[name]}", f"peers={peers}")
            arguments = [text for each in (*given, "copies=1") for text in ("--set", each)]
            gateway = on.enter_context(
                running_gateway(
                    setting.gateway.root,
                    directory,
                    arguments=["--data", str(directory / "replicas"), *arguments],
                    ready_timeout_s=RESTORE_TIMEOUT_S,
                )
            )
            targets[name] = target_of(gateway)
            processes.append(gateway.process.pid)
        partitions = _partitions(targets["a"])
        yield Cluster(targets=targets, partitions=partitions, processes=processes)


def _cpu_s(process: int) -> float:
    """Return the CPU time of a process, as Linux tells it."""
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    user, system = map(int, fields.split()[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def _partitions(target: PgTarget) -> dict[str, list[int]]:
    """Return the partitions of each node, once all of them are known."""
    until_s = time.monotonic() + _SETTLED_S
    sql = "SELECT node, partition FROM stategate.partitions WHERE store = 'users' ORDER BY 1, 2"
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        while time.monotonic() < until_s:
            found: dict[str, list[int]] = {name: [] for name in NAMES}
            for node, partition in connection.execute(sql).fetchall():
                found[node].append(partition)
            if sum(map(len, found.values())) == data.SCHEMA.partitions and all(found.values()):
                return found
            time.sleep(0.1)
    raise BenchError("the nodes do not have all partitions")


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a lookup takes, in µs."""

    elapsed: float
    """The time until the next one, of all clients together."""
    cpu: float
    """CPU time of all gateways."""


def lookups(setting: Setting) -> Sequence[Line]:
    """Prepared lookups of keys on another node, against those of keys on the node that is asked."""
    with running_cluster(setting) as cluster:
        scripts = [
            _script(setting, cluster.targets["a"], name, cluster.partitions[node])
            for name, node in (("there", "b"), ("here", "a"))
        ]
        found: list[Line] = []
        for clients in (1, 16):
            sides = [partial(_cost, setting, cluster, each, clients) for each in scripts]
            there, here = turns(*sides, rounds=setting.rounds)
            found += [
                Measured(
                    work=f"prepared lookups at another node, {clients} clients",
                    unit="µs each",
                    ours=statistics.median(each.elapsed for each in there),
                    rival=statistics.median(each.elapsed for each in here),
                    rival_name="at the node itself",
                    better=Better.LOWER,
                    ratio_least=1 / 2.5,
                    ratio_goal=1 / 1.5,
                ),
                Measured(
                    work=f"CPU time of both nodes for them, {clients} clients",
                    unit="µs each",
                    ours=statistics.median(each.cpu for each in there),
                    rival=statistics.median(each.cpu for each in here),
                    rival_name="of the node itself",
                    better=Better.LOWER,
                ),
            ]
        return found


def _cost(setting: Setting, cluster: Cluster, script: Path, clients: int) -> _Cost:
    target, seconds = cluster.targets["a"], setting.seconds
    began_s = cluster.cpu_s()
    per_s = pgbench_tps(target, script, clients=clients, protocol="prepared", seconds=seconds)
    each_us = _LOOKUPS_US / per_s
    return _Cost(each_us, (cluster.cpu_s() - began_s) / seconds * each_us)


_LOOKUPS_US = 1e6 / _LOOKUPS


def _script(setting: Setting, target: PgTarget, name: str, partitions: list[int]) -> Path:
    listed = ", ".join(map(str, partitions))
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        rows = connection.execute(
            f"SELECT id FROM users WHERE _partition IN ({listed}) ORDER BY id LIMIT {_LOOKUPS}"
        ).fetchall()
    text = "".join(
        f"SELECT id, visits, score, seen, city FROM users WHERE id = '{key}';\n" for (key,) in rows
    )
    return setting.script(f"nodes-{name}.pgbench", text)


def scatter(setting: Setting) -> Line:
    """A GROUP BY over all partitions, against the slowest node that groups its own."""
    with running_cluster(setting) as cluster:
        own = {
            name: f"{_GROUPED} WITH PARTITIONS ({', '.join(map(str, numbers))})"
            for name, numbers in cluster.partitions.items()
        }
        slowest = max(_seconds(cluster.targets[name], own[name], setting) for name in NAMES)
        return Measured(
            work="GROUP BY over three nodes",
            unit="ms",
            ours=_seconds(cluster.targets["a"], _GROUPED, setting) * 1000,
            rival=slowest * 1000,
            rival_name="the slowest node alone",
            better=Better.LOWER,
            ratio_least=1 / 1.2,
            ratio_goal=1 / 1.1,
        )


def _seconds(target: PgTarget, sql: str, setting: Setting) -> float:
    taken = []
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        for _ in range(setting.rounds + 1):
            began = time.perf_counter()
            connection.execute(sql).fetchall()
            taken.append(time.perf_counter() - began)
    return statistics.median(taken[1:])
