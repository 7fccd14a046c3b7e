"""Servers that measurements run against, started on first use and stopped at the end."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import psycopg
import pyarrow as pa

from tests.bench import data, small_stores
from tests.bench.clients import PgTarget, pgbench_run
from tests.bench.harness import BenchError, Line
from tests.bench.postgres import load_table, running_postgres
from tests.support.gateway import Gateway, running_gateway

ROOM_BYTES = 1 << 30
"""Memory for rows, and for answers, of one process: enough for all, as PostgreSQL has. Reads are
compared, not evictions."""
READERS = 16
READ_ONCE = """\\set id {first} + (:client_id + {shift}) % {readers} * {each} + :n
\\set n :n + 1
SELECT id, visits, score, seen, city FROM users WHERE id = :id
"""
"""Clients that look up a share of the rows each, to warm up."""
RESTORE_TIMEOUT_S = 600.0
"""Long enough for ten million rows on a slow disk."""
COLUMNS_TIMEOUT_S, COLUMNS_PAUSE_S = 60.0, 1.0
"""Timeout for reading the columns, and the pause without progress that ends it, in seconds."""
FEW_KEYS = 100_000
"""A run with fewer keys is small, and its other stores are, too."""


@dataclass(kw_only=True)
class Setting:
    """One run: its size, its directory and its servers. Made by `new_setting`."""

    keys: int
    seconds: float
    rounds: int
    directory: Path
    stack: contextlib.ExitStack = field(repr=False)

    @cached_property
    def table(self) -> pa.Table:
        """The rows."""
        return data.rows(self.keys)

    @cached_property
    def gateway(self) -> Gateway:
        """The gateway, over a state log with the rows."""
        root = self.directory / "log"
        data.write_log(root, self.table)
        gateway = self.stack.enter_context(
            running_gateway(
                root,
                self.directory,
                arguments=["--data", str(self.directory / "replicas"), *room(1)],
                ready_timeout_s=RESTORE_TIMEOUT_S,
            )
        )
        # Background work after a start must not be measured with the rest.
        _wait_for_columns(gateway)
        return gateway

    @cached_property
    def forgetful(self) -> PgTarget:
        """The gateway over the same log without caches: every read decodes anew."""
        without = ("columns_bytes=0", "rows_bytes=0", "answers_bytes=0")
        arguments = [part for setting in without for part in ("--set", setting)]
        return self.stack.enter_context(self._another("forgetful", arguments))

    @contextlib.contextmanager
    def fresh(self) -> Iterator[PgTarget]:
        """The gateway over the same log, just started, without any read.

        Its columns have been read in the background, as PostgreSQL's pages are in memory.

        Raises:
            BenchError: the columns are missing after a minute.
        """
        with self._another("fresh") as target:
            yield target

    @contextlib.contextmanager
    def _another(self, name: str, arguments: Sequence[str] = ()) -> Iterator[PgTarget]:
        with self.another(name, arguments) as gateway:
            if not arguments:
                _wait_for_columns(gateway)
            yield target_of(gateway)

    @contextlib.contextmanager
    def another(self, name: str, arguments: Sequence[str] = ()) -> Iterator[Gateway]:
        """Run a gateway over the same log, with the default limits of memory."""
        directory = self.directory / name
        directory.mkdir(exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=directory) as replicas,
            running_gateway(
                self.gateway.root,
                directory,
                arguments=["--data", replicas, *arguments],
                ready_timeout_s=RESTORE_TIMEOUT_S,
            ) as gateway,
        ):
            yield gateway

    @cached_property
    def ours(self) -> PgTarget:
        """The gateway by the Postgres wire."""
        return target_of(self.gateway)

    @cached_property
    def postgres(self) -> PgTarget:
        """PostgreSQL with the same rows, which is checked on a sample."""
        csv = self.directory / "users.csv"
        data.write_csv(csv, self.table)
        directory = self.directory / "postgres"
        return self.stack.enter_context(running_postgres(directory, csv=csv))

    @cached_property
    def pair(self) -> tuple[PgTarget, PgTarget]:
        """The gateway and PostgreSQL, checked to return the same rows.

        Raises:
            BenchError: they differ.
        """
        postgres, ours = self.postgres, self.ours
        last = data.FIRST_KEY + self.keys - 1
        keys = [str(key) for key in (data.FIRST_KEY, last, last + 1)]
        found = [_rows_of(target, keys) for target in (ours, postgres)]
        if found[0] != found[1]:
            raise BenchError(f"the servers differ on the keys {keys}")
        return ours, postgres

    @property
    def days(self) -> int:
        """Return the number of days with windows in the stores for small answers."""
        return small_stores.DAYS_OF_FEW if self.keys < FEW_KEYS else small_stores.DAYS

    @cached_property
    def with_small_stores(self) -> tuple[PgTarget, PgTarget]:
        """The pair, with the stores for small answers beside the large one.

        The gateway finds them in its log. Earlier measurements have the large store alone.
        """
        pair, rows = self.pair, small_stores.tables(self.days)
        small_stores.write_logs(self.gateway.root, rows)
        _wait_for_rows(self.ours, {name: table.num_rows for name, table in rows.items()})
        _wait_for_columns(self.gateway)
        for name, csv in small_stores.write_csvs(self.directory, rows).items():
            create = small_stores.CREATE_TABLES[name]
            load_table(self.postgres, name, create=create, csv=csv)
        return pair

    @cached_property
    def all_cores(self) -> Gateway:
        """A gateway with a worker for each core, over the same log; it serves all stores in it."""
        cores = os.cpu_count() or 1
        directory = self.directory / "workers"
        directory.mkdir()
        arguments = ["--data", str(directory / "replicas"), *room(cores), "--workers", str(cores)]
        gateway = self.stack.enter_context(
            running_gateway(
                self.gateway.root, directory, arguments=arguments, ready_timeout_s=RESTORE_TIMEOUT_S
            )
        )
        wait_for_workers(gateway, cores)
        return gateway

    @cached_property
    def small_on_all_cores(self) -> tuple[PgTarget, PgTarget]:
        """`all_cores` and PostgreSQL, with the stores for small answers."""
        _, rival = self.with_small_stores
        return target_of(self.all_cores), rival

    @cached_property
    def looked_up(self) -> tuple[PgTarget, PgTarget]:
        """The pair, after each row was looked up once on both sides."""
        for target in self.pair:
            self.look_up_all(target)
        return self.pair

    def look_up_all(self, target: PgTarget, *, shift: int = 0) -> None:
        """Look up each row once, by several clients.

        Args:
            target: the server.
            shift: a client looks up the rows of the one that has so many more before it. A gateway
                gives its workers connections in turn, so that with another shift each worker gets
                other rows.
        """
        each = -(-self.keys // READERS)
        text = READ_ONCE.format(first=data.FIRST_KEY, each=each, readers=READERS, shift=shift)
        script = self.script("read-once.pgbench", text)
        pgbench_run(target, script, clients=READERS, transactions=each)

    def script(self, name: str, text: str) -> Path:
        """Write a file with this text for a load generator."""
        path = self.directory / name
        path.write_text(text)
        return path


Family: TypeAlias = Callable[[Setting], Line | Sequence[Line]]
"""A measurement: a function of the setting, which returns the lines of the table."""


@contextlib.contextmanager
def new_setting(*, keys: int, seconds: float, rounds: int) -> Iterator[Setting]:
    """Make a setting in a temporary directory, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="stategate-bench-") as name:
        directory = Path(name)
        # Another user may run PostgreSQL, in its own directory below this one.
        directory.chmod(0o755)
        with contextlib.ExitStack() as stack:
            yield Setting(
                keys=keys, seconds=seconds, rounds=rounds, directory=directory, stack=stack
            )


def room(workers: int, *, answers: bool = True) -> tuple[str, ...]:
    """Return the arguments of a gateway that has memory for all rows, and for all answers.

    Each worker has its share of both, and keeps the rows that it is asked for.
    """
    total_bytes = workers * ROOM_BYTES
    answers_bytes = total_bytes if answers else 0
    return "--set", f"rows_bytes={total_bytes}", "--set", f"answers_bytes={answers_bytes}"


def target_of(gateway: Gateway) -> PgTarget:
    """Return a gateway's Postgres wire."""
    return PgTarget(port=gateway.pg_port, user="stategate", database="stategate")


def wait_for_workers(gateway: Gateway, count: int) -> None:
    """Wait until all workers of a gateway are ready, and have read their columns.

    Raises:
        BenchError: they are not in time.
    """
    end = time.monotonic() + RESTORE_TIMEOUT_S
    while _sum_of(gateway, "stategate_ready") < count:
        if time.monotonic() > end:
            raise BenchError("not all workers are ready")
        time.sleep(0.1)
    _wait_for_columns(gateway)


def _wait_for_columns(gateway: Gateway) -> None:
    """Wait until no more columns are read."""
    before, end = 0, time.monotonic() + COLUMNS_TIMEOUT_S
    while time.monotonic() < end:
        kept = _sum_of(gateway, "stategate_columns_bytes")
        if kept and kept == before:
            return
        before = kept
        time.sleep(COLUMNS_PAUSE_S)
    raise BenchError("the gateway keeps no columns, or never has them all")


def _sum_of(gateway: Gateway, metric: str) -> int:
    """Return the sum of a metric over the workers."""
    with urllib.request.urlopen(f"{gateway.http_url}/metrics", timeout=10) as response:
        text = response.read().decode()
    return sum(map(int, re.findall(rf"(?m)^{metric}(?:{{[^}}]*}})? (\d+)$", text)))


def _wait_for_rows(target: PgTarget, expected: Mapping[str, int]) -> None:
    """Wait until stores are found and have all their rows."""
    end = time.monotonic() + COLUMNS_TIMEOUT_S
    with psycopg.connect(target.dsn, connect_timeout=10, autocommit=True) as connection:
        for name, rows in expected.items():
            found = 0
            while found < rows:
                if time.monotonic() > end:
                    raise BenchError(f"the gateway has {found:,} rows of {name}, not {rows:,}")
                with contextlib.suppress(psycopg.errors.UndefinedTable):
                    ((found,),) = connection.execute(
                        f"SELECT count(*) FROM {name} WITH WAIT '{COLUMNS_TIMEOUT_S:.0f} s'"
                    ).fetchall()
                time.sleep(0.1)


def _rows_of(target: PgTarget, keys: list[str]) -> list[tuple[object, ...]]:
    with psycopg.connect(target.dsn, connect_timeout=10) as connection:
        found: list[tuple[object, ...]] = []
        for key in keys:
            found += connection.execute(f"SELECT * FROM {data.STORE} WHERE id = %s", [key])
        return found
