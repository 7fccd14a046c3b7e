"""Small answers over the Postgres wire: prepared and as new text, by one client and by several.

There is one line for each statement, protocol and number of clients. The prepared statement of four
clients has the bar, and the median of several rounds: PostgreSQL uses all cores, so the gateway has
a worker for each. The other lines are of a gateway of one process; they have one round each, and
are omitted where a round takes less than a second.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import partial

import psycopg

from tests.bench.clients import PgbenchResult, PgTarget, pgbench_logged
from tests.bench.harness import (
    BenchError,
    Latency,
    Line,
    Measured,
    percentile,
    turns,
)
from tests.bench.setting import Family, Setting
from tests.bench.small_statements import SAMPLES, SmallStatement, statements

PREFIX = "small"
BARRED = ("prepared", 4)
"""Protocol and clients of the line with the bar."""
FURTHER = (BARRED, ("prepared", 1), ("prepared", 16), ("simple", 1), ("simple", 4), ("simple", 16))
BARRED_SHARE, FURTHER_SHARE = 0.4, 0.2
"""Length of a round, as a share of the rounds of other measurements: there are many lines."""

_Rows = list[tuple[object, ...]]


def measure(setting: Setting, name: str) -> Sequence[Line]:
    """Measure one statement; both servers must give the same answer.

    Raises:
        BenchError: the answers differ, or do not have the expected size.
    """
    statement = statements(keys=setting.keys, days=setting.days)[name]
    on_all_cores = setting.small_on_all_cores
    require_same_answers(on_all_cores, statement)
    lines = [_line(setting, on_all_cores, statement, *BARRED, has_bar=True)]
    pair = setting.with_small_stores
    require_same_answers(pair, statement)
    for protocol, clients in FURTHER if setting.seconds >= 1 else ():
        lines.append(_line(setting, pair, statement, protocol, clients))
    return lines


NAMES = tuple(statements(keys=1, days=31))
FAMILIES: Mapping[str, Family] = {f"{PREFIX}-{name}": partial(measure, name=name) for name in NAMES}


def _line(
    setting: Setting,
    pair: tuple[PgTarget, PgTarget],
    statement: SmallStatement,
    protocol: str,
    clients: int,
    *,
    has_bar: bool = False,
) -> Measured:
    script = setting.script("small.pgbench", statement.script(protocol))
    seconds = setting.seconds * (BARRED_SHARE if has_bar else FURTHER_SHARE)
    sides = [
        partial(pgbench_logged, target, script, clients=clients, protocol=protocol, seconds=seconds)
        for target in pair
    ]
    results = (
        turns(*sides, rounds=setting.rounds) if has_bar else [[measured()] for measured in sides]
    )
    ours, rival = (statistics.median(each.per_s for each in side) for side in results)
    return Measured(
        work=f"{statement.work}, {protocol}, {clients}{', all cores' if has_bar else ''}",
        unit="/s",
        ours=ours,
        rival=rival,
        rival_name="PostgreSQL",
        ratio_least=statement.least if has_bar else None,
        ratio_goal=statement.goal if has_bar else None,
        latencies=(_latency(results[0]), _latency(results[1])),
    )


def _latency(results: Sequence[PgbenchResult]) -> Latency:
    latencies = [latency for each in results for latency in each.latencies_ms]
    return Latency(median_ms=percentile(latencies, 0.5), p99_ms=percentile(latencies, 0.99))


def require_same_answers(pair: tuple[PgTarget, PgTarget], statement: SmallStatement) -> None:
    """Run a statement prepared and as text on both servers, with some values each.

    Raises:
        BenchError: an answer differs from the others, or has another number of rows.
    """
    answers = [_answers(target, statement) for target in pair]
    for sample, found in enumerate(zip(*answers, strict=True)):
        first = found[0][0]
        if any(rows != first for side in found for rows in side):
            raise BenchError(f"the answers differ: {statement.literal(sample)}")
        if len(first) != statement.rows:
            raise BenchError(f"{len(first)} rows: {statement.literal(sample)}")


def _answers(target: PgTarget, statement: SmallStatement) -> list[tuple[_Rows, _Rows]]:
    """Return the rows of each sample, prepared and as text."""
    found = []
    with (
        psycopg.connect(target.dsn, connect_timeout=10, autocommit=True) as connection,
        psycopg.RawCursor(connection) as cursor,
    ):
        for sample in range(SAMPLES):
            cursor.execute(statement.numbered, statement.parameters(sample), prepare=True)
            prepared = cursor.fetchall()
            cursor.execute(statement.literal(sample))
            found.append((prepared, cursor.fetchall()))
    if not statement.is_ordered:
        found = [(sorted(prepared), sorted(text)) for prepared, text in found]
    return found
