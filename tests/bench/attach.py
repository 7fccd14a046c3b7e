"""DuckDB attached to the gateway and to PostgreSQL: copy all rows into it, and sum all rows in it.

One DuckDB process attaches both. The client tests install its postgres extension. The gateway
sends columns that it keeps decoded, except for the line about a gateway without them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias

from tests.bench import data
from tests.bench.clients import PgTarget
from tests.bench.harness import BenchError, Better, Line, Measured, UnavailableError, by_turns
from tests.bench.setting import Setting
from tests.clients.duckdb_process import DuckDbError, running_duckdb
from tests.clients.environments import DIRECTORY, Made, NotInstalledError


class Duck(Protocol):
    """Interface of an attached DuckDB."""

    def ask(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement."""


Run: TypeAlias = Callable[[Duck, str, int], float]
"""Reads all rows of an attached server; returns milliseconds."""

ENVIRONMENT = "duckdb-1.5"
EXTENSION = "postgres_scanner.duckdb_extension"
ROUNDS_MIN = 7
"""Rounds of a measurement: one scan takes a fraction of a second, too short to be reliable."""
_COPIED = "copied"
_SUMS = "count(*), sum(visits), sum(score), min(seen), max(seen), min(id), max(city)"


def scan(setting: Setting) -> Line:
    """Copy all rows into a table of DuckDB."""
    return _measured(setting, setting.pair, "copied by DuckDB 1.5", copy_ms, ratio_least=1.0)


def aggregate(setting: Setting) -> Line:
    """Sum all rows; DuckDB keeps one row."""
    return _measured(setting, setting.pair, "added up by DuckDB 1.5", aggregate_ms, ratio_least=1.0)


def attach(setting: Setting) -> Line:
    """Attach from a new DuckDB and read the definitions; no bar, since it happens once."""
    ours, rival = setting.pair

    def attached_ms(target: PgTarget) -> float:
        with running() as duck:
            start = time.perf_counter()
            attach_target(duck, "fresh", target)
            duck.ask(f"DESCRIBE fresh.{data.STORE}")
            return (time.perf_counter() - start) * 1000

    return _compared(
        setting,
        "attached by DuckDB 1.5, definitions read",
        lambda: attached_ms(ours),
        lambda: attached_ms(rival),
        ratio_least=None,
    )


def scan_first(setting: Setting) -> Line:
    """Copy all rows as the first statement after a start of the gateway."""
    _, rival = setting.pair

    def copied_ms(target: PgTarget) -> float:
        # A new DuckDB for each, since its first copy is slower.
        with attached({"fresh": target}) as duck:
            # Definitions are read on first use, which `attach` measures.
            duck.ask(f"DESCRIBE fresh.{data.STORE}")
            return copy_ms(duck, "fresh", setting.keys)

    def first() -> float:
        with setting.fresh() as ours:
            return copied_ms(ours)

    work = "first copied by DuckDB 1.5 after a start"
    return _compared(setting, work, first, lambda: copied_ms(rival), ratio_least=1.0)


def scan_decoded(setting: Setting) -> Line:
    """Copy all rows, decoded anew each time; no bar, as in `bulk`."""
    _, rival = setting.pair
    return _measured(
        setting, (setting.forgetful, rival), "copied by DuckDB 1.5 without kept columns", copy_ms
    )


def _measured(
    setting: Setting,
    pair: tuple[PgTarget, PgTarget],
    work: str,
    run: Run,
    *,
    ratio_least: float | None = None,
) -> Line:
    ours, rival = pair
    with attached({"ours": ours, "rival": rival}) as duck:
        sums = [duck.ask(f"SELECT {_SUMS} FROM {name}.{data.STORE}") for name in ("ours", "rival")]
        if sums[0] != sums[1]:
            raise BenchError(f"the rows of the servers add up to {sums}")
        return _compared(
            setting,
            work,
            lambda: run(duck, "ours", setting.keys),
            lambda: run(duck, "rival", setting.keys),
            ratio_least=ratio_least,
        )


def _compared(
    setting: Setting,
    work: str,
    ours: Callable[[], float],
    rival: Callable[[], float],
    *,
    ratio_least: float | None,
) -> Line:
    ours_ms, rival_ms = by_turns(ours, rival, rounds=max(ROUNDS_MIN, setting.rounds))
    return Measured(
        work=f"{setting.keys:,} rows {work}",
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ratio_least=ratio_least,
    )


def copy_ms(duck: Duck, name: str, rows: int) -> float:
    """Return the milliseconds to copy all rows into a table in DuckDB's memory.

    Raises:
        BenchError: the number of rows is wrong.
    """
    start = time.perf_counter()
    copied = duck.ask(f"CREATE OR REPLACE TABLE memory.{_COPIED} AS FROM {name}.{data.STORE}")
    took_ms = (time.perf_counter() - start) * 1000
    if copied != [[rows]]:
        raise BenchError(f"{copied} rows were copied from {name}, not {rows}")
    duck.ask(f"DROP TABLE memory.{_COPIED}")
    return took_ms


def aggregate_ms(duck: Duck, name: str, rows: int) -> float:
    """Return the milliseconds to read and sum all rows.

    Raises:
        BenchError: the number of rows is wrong.
    """
    start = time.perf_counter()
    ((found, *_),) = duck.ask(f"SELECT {_SUMS} FROM {name}.{data.STORE}")
    took_ms = (time.perf_counter() - start) * 1000
    if found != rows:
        raise BenchError(f"{found} rows were added up from {name}, not {rows}")
    return took_ms


@contextlib.contextmanager
def attached(targets: Mapping[str, PgTarget]) -> Iterator[Duck]:
    """Run a DuckDB that has attached servers under names.

    Raises:
        UnavailableError, BenchError: as `running`.
    """
    with running() as duck:
        for name, target in targets.items():
            attach_target(duck, name, target)
        yield duck


def attach_target(duck: Duck, name: str, target: PgTarget) -> None:
    """Attach one server."""
    where = f"host=127.0.0.1 port={target.port} user={target.user} dbname={target.database}"
    duck.ask(f"ATTACH '{where}' AS {name} (TYPE postgres, READ_ONLY)")


@contextlib.contextmanager
def running() -> Iterator[Duck]:
    """Run a DuckDB that has attached nothing.

    Raises:
        UnavailableError: it, or its postgres extension, is not installed.
        BenchError: a statement in the block failed.
    """
    environment = Made(DIRECTORY / ENVIRONMENT)
    try:
        environment.first(EXTENSION)
    except NotInstalledError as error:
        raise UnavailableError(f"{error}; `make clients` installs it") from error
    try:
        with running_duckdb(environment) as duck:
            yield duck
    except (DuckDbError, AssertionError) as error:
        # The process asserts that its child lives and answers in time.
        raise BenchError(f"DuckDB: {error}") from error
