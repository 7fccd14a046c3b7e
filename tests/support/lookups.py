"""A client process that looks up a key again and again, and measures each lookup.

A machine with few processors delays every process. So each lookup has two times: the time that it
took, and the part that the gateway caused. The second excludes time in which a thread of the client
or the gateway was ready to run and had no processor.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from tests.support.process import ROOT, plain_environment

_PAUSE_S = 0.003
_FEW = 20


@dataclass(slots=True)
class Lookups:
    """Results of the client, complete after the block."""

    took_s: list[float] = field(default_factory=list)
    delayed_s: list[float] = field(default_factory=list)
    """Seconds of each lookup that the gateway caused."""
    wrong: str | None = None


@contextmanager
def looking_up(dsn: str, pid: int, sql: str) -> Iterator[Lookups]:
    """Look up a key while the block runs; the block begins after the first lookup.

    Args:
        dsn: connection string of the gateway.
        pid: id of its process.
        sql: a statement that returns one row, always the same.
    """
    found = Lookups()
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.support.lookups", dsn, str(pid), sql],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert client.stdout is not None
    client.stdout.readline()
    try:
        yield found
    finally:
        told, _ = client.communicate()
        for name, value in json.loads(told).items():
            setattr(found, name, value)


def main(dsn: str, pid: int, sql: str) -> None:
    """Look up until standard input ends, then print the results."""
    seen = Lookups()
    try:
        with psycopg.connect(dsn, autocommit=True, prepare_threshold=0) as session:
            expected = session.execute(sql).fetchone()
            for _ in range(_FEW):
                session.execute(sql)
            print("ready", flush=True)
            while not select.select([sys.stdin], [], [], _PAUSE_S)[0]:
                late_s, begun = _late_s(pid) + _late_s(os.getpid()), time.perf_counter()
                row = session.execute(sql).fetchone()
                took_s = time.perf_counter() - begun
                late_s = _late_s(pid) + _late_s(os.getpid()) - late_s
                seen.took_s.append(took_s)
                seen.delayed_s.append(took_s - max(0.0, late_s))
                if row != expected or row is None:
                    seen.wrong = f"a lookup beside it gave {row}"
    except psycopg.Error as error:
        seen.wrong = f"a lookup beside it failed: {error}"
    print(json.dumps(asdict(seen)))


def _late_s(pid: int) -> float:
    """Return the seconds that threads of a process were ready to run and had no processor."""
    total = 0
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                total += int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[1])
    return total / 1e9


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
