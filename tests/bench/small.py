"""Small answers over the Postgres wire: prepared and as new text, by one client and by several.

There is one line for each statement, protocol and number of clients. The prepared statement of four
clients has the bar, and the median of several rounds. PostgreSQL uses all cores; a gateway runs as
one process, or with a worker for each core. Both are measured, and the better one has to meet the
bar: its operator chooses. The other lines are of a gateway of one process; they have one round
each, and are omitted where a round takes less than a second.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
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
FURTHER = (("prepared", 1), ("prepared", 16), ("simple", 1), ("simple", 4), ("simple", 16))
BARRED_SHARE, FURTHER_SHARE = 0.4, 0.2
"""Length of a round, as a share of the rounds of other measurements: there are many lines."""

_Rows = list[tuple[object, ...]]


def measure(setting: Setting, name: str) -> Sequence[Line]:
    """Measure one statement; both servers must give the same answer.

    Raises:
        BenchError: the answers differ, or do not have the expected size.
    """
    statement = statements(keys=setting.keys, days=setting.days)[name]
    pair, (on_all_cores, _) = setting.with_small_stores, setting.small_on_all_cores
    for target in (*pair, on_all_cores):
        require_same_answers((pair[1], target), statement)
    lines = _barred(setting, pair, on_all_cores, statement)
    for protocol, clients in FURTHER if setting.seconds >= 1 else ():
        lines.append(_further(setting, pair, statement, protocol, clients))
    return lines


NAMES = tuple(statements(keys=1, days=31))
FAMILIES: Mapping[str, Family] = {f"{PREFIX}-{name}": partial(measure, name=name) for name in NAMES}


def _barred(
    setting: Setting, pair: tuple[PgTarget, PgTarget], on_all_cores: PgTarget, each: SmallStatement
) -> list[Measured]:
    """Measure both gateways and the rival in turns; the line of the better one has the bar."""
    run = _runner(setting, each, *BARRED, seconds=setting.seconds * BARRED_SHARE)
    sides = [partial(run, target) for target in (pair[0], on_all_cores, pair[1])]
    one, all_cores, rival = turns(*sides, rounds=setting.rounds)
    lines = []
    for where, results in (("one process", one), ("all cores", all_cores)):
        has_bar = results is max(one, all_cores, key=_per_s)
        lines.append(
            Measured(
                work=f"{each.work}, {BARRED[0]}, {BARRED[1]}, {where}",
                unit="/s",
                ours=_per_s(results),
                rival=_per_s(rival),
                rival_name="PostgreSQL",
                ratio_least=each.least if has_bar else None,
                ratio_goal=each.goal if has_bar else None,
                latencies=(_latency(results), _latency(rival)),
            )
        )
    return lines


def _further(
    setting: Setting,
    pair: tuple[PgTarget, PgTarget],
    each: SmallStatement,
    protocol: str,
    clients: int,
) -> Measured:
    run = _runner(setting, each, protocol, clients, seconds=setting.seconds * FURTHER_SHARE)
    ours, rival = ([run(target)] for target in pair)
    return Measured(
        work=f"{each.work}, {protocol}, {clients}",
        unit="/s",
        ours=_per_s(ours),
        rival=_per_s(rival),
        rival_name="PostgreSQL",
        latencies=(_latency(ours), _latency(rival)),
    )


def _runner(
    setting: Setting, each: SmallStatement, protocol: str, clients: int, *, seconds: float
) -> Callable[[PgTarget], PgbenchResult]:
    script = setting.script("small.pgbench", each.script(protocol))
    return partial(
        pgbench_logged, script=script, clients=clients, protocol=protocol, seconds=seconds
    )


def _per_s(results: Sequence[PgbenchResult]) -> float:
    return statistics.median(each.per_s for each in results)


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
