"""A gateway with a worker for each core: its lookups, and its memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from tests.bench.clients import PgTarget, pgbench_run, pgbench_tps
from tests.bench.connections import private_mb
from tests.bench.harness import Better, Line, Measured, by_turns
from tests.bench.lookups_pg import PREPARED, script_text
from tests.bench.setting import Setting, room, target_of, wait_for_workers
from tests.gateway.real_gateway import family_of

LOOKUPS = 3
"""Times that each row is looked up before memory is measured; a row is cached at the second."""
COMPOSED = """\\set city random(1, 1000)
SELECT city, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY score) FROM users
WHERE city <> :city::text GROUP BY city
"""
"""A statement that DuckDB composes from all rows."""
COMPOSING, COMPOSINGS = 2, 5
"""Clients that send it at once, and how often each."""


def lookups(setting: Setting) -> Sequence[Line]:
    """Prepared lookups on all cores, against one process and against PostgreSQL.

    Each process has looked up each row before, as in the measurements of one process. A lookup
    whose answer is kept takes a gateway hardly longer than the client beside it, which then has
    half of the cores to itself, so a second worker cannot gain much. What workers gain is measured
    where rows are read.
    """
    cores = os.cpu_count() or 1
    one, postgres = setting.looked_up
    ours = target_of(setting.all_cores)
    _look_up_all(setting, ours, cores)
    kept = [
        _measured(
            setting, ours, one, "a gateway of one", 16, of="kept answers", least=1.3, goal=1.7
        ),
        _measured(setting, ours, postgres, "PostgreSQL", 64, of="kept answers", least=1.5, goal=3),
    ]
    with (
        setting.another("reading-one", room(1, answers=False)) as alone,
        setting.another(
            "reading", (*room(cores, answers=False), "--workers", str(cores))
        ) as together,
    ):
        wait_for_workers(together, cores)
        ours, one = target_of(together), target_of(alone)
        _look_up_all(setting, ours, cores)
        _look_up_all(setting, one, 1)
        return [
            *kept,
            _measured(setting, ours, one, "a gateway of one", 16, of="rows", least=1.3, goal=1.7),
            _measured(setting, ours, postgres, "PostgreSQL", 64, of="rows"),
        ]


def _look_up_all(setting: Setting, target: PgTarget, workers: int) -> None:
    """Look up each row once in each worker."""
    for shift in range(workers):
        setting.look_up_all(target, shift=shift)


def memory(setting: Setting) -> Sequence[Line]:
    """Memory of all processes of a gateway, with the default limits, after work.

    Each row was looked up three times, so both keep as many rows as their limits permit. Then some
    statements are composed.
    """
    found = []
    for workers in (os.cpu_count() or 1, 1):
        with setting.another(f"memory-{workers}", ("--workers", str(workers))) as gateway:
            wait_for_workers(gateway, workers)
            for _ in range(LOOKUPS):
                setting.look_up_all(target_of(gateway))
            looked_up = private_mb(family_of(gateway.process.pid))
            script = setting.script("composed.pgbench", COMPOSED)
            target = target_of(gateway)
            pgbench_run(target, script, clients=COMPOSING, transactions=COMPOSINGS)
            found.append((looked_up, private_mb(family_of(gateway.process.pid))))
    works = ("after lookups", "after statements that compose")
    return [
        Measured(
            work=f"memory of a gateway on all cores, {work}",
            unit="MB",
            ours=ours,
            rival=one,
            rival_name="one process",
            better=Better.LOWER,
            ratio_least=1 / 1.5,
        )
        for work, ours, one in zip(works, *found, strict=True)
    ]


def _measured(
    setting: Setting,
    ours: PgTarget,
    rival: PgTarget,
    rival_name: str,
    clients: int,
    *,
    of: str,
    least: float | None = None,
    goal: float | None = None,
) -> Line:
    script = setting.script("workers.pgbench", script_text(PREPARED, setting.keys))
    found = by_turns(
        *(
            partial(
                pgbench_tps,
                target,
                script,
                clients=clients,
                protocol="prepared",
                seconds=setting.seconds,
            )
            for target in (ours, rival)
        ),
        rounds=setting.rounds,
    )
    return Measured(
        work=f"prepared lookups of {of} on all cores, {clients} clients",
        unit="lookups/s",
        ours=found[0],
        rival=found[1],
        rival_name=rival_name,
        ratio_least=least,
        ratio_goal=goal,
    )
