"""One aggregate over all rows, by one client."""

from __future__ import annotations

import time

import psycopg

from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting

GROUP_BY = """
SELECT city, count(*), sum(visits)::bigint, sum(score), max(seen)
FROM users GROUP BY city ORDER BY city
"""
"""The sum is cast because PostgreSQL's sum of bigints is numeric."""


def group_by(setting: Setting) -> Line:
    """Full scan into a hundred groups; both sides must return the same rows."""
    ours, rival = setting.pair
    with (
        psycopg.connect(ours.dsn, autocommit=True) as mine,
        psycopg.connect(rival.dsn, autocommit=True) as theirs,
    ):
        if mine.execute(GROUP_BY).fetchall() != theirs.execute(GROUP_BY).fetchall():
            raise BenchError("the servers differ on the groups")
        ours_ms, rival_ms = by_turns(
            lambda: _time_ms(mine), lambda: _time_ms(theirs), rounds=max(5, setting.rounds)
        )
    return Measured(
        work=f"full scan + GROUP BY of {setting.keys:,} rows",
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ratio_least=1.0,
    )


def _time_ms(connection: psycopg.Connection[tuple[object, ...]]) -> float:
    start = time.perf_counter()
    connection.execute(GROUP_BY).fetchall()
    return (time.perf_counter() - start) * 1000
