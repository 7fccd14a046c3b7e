"""`python -m tests.bench`: every measurement, one table."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Mapping, Sequence

import psycopg

from stategate.stores.errors import StoreError
from tests.bench import (
    attach,
    bulk,
    client_lookups,
    columns,
    connections,
    epochs,
    following,
    http_routes,
    large_store,
    live,
    lookups_http,
    lookups_pg,
    mixed,
    nodes,
    pipelines,
    planning,
    recovery,
    scans,
    small,
    small_http,
    small_in_process,
    snapshots,
    spark_engine,
    spark_reads,
    starting,
    statements,
    stores,
    waiters,
    workers,
)
from tests.bench.harness import BenchError, Line, NotMeasured, UnavailableError, table
from tests.bench.setting import Family, Setting, new_setting
from tests.support.process import ServerError

FAMILIES: Mapping[str, Family] = {
    "apply": epochs.apply_epoch,
    "apply-unlogged": epochs.apply_epoch_unlogged,
    "versions-new": epochs.apply_first_versions,
    "versions-known": epochs.apply_next_versions,
    "restore": stores.restore,
    "point-reads": stores.point_reads,
    "point-reads-first": stores.first_point_reads,
    "scan": stores.scan_to_arrow,
    "scan-after-epoch": columns.scan_after_epoch,
    "newest-windows": columns.newest_windows,
    "plan-new": planning.plan_new,
    "plan-shape": planning.plan_same_shape,
    "plan-shape-page": planning.plan_same_range,
    "plan-cached": planning.plan_cached,
    "in-1000": planning.many_keys,
    "lookup-large": large_store.lookups,
    "waiters": waiters.apply_while_waited_for,
    "prepared-1": lookups_pg.prepared_1,
    "prepared-16": lookups_pg.prepared_16,
    "prepared-16-first": lookups_pg.prepared_16_first,
    "prepared-64": lookups_pg.prepared_64,
    "simple-16": lookups_pg.simple_16,
    "bounded": statements.bounded,
    "ten-keys": statements.ten_keys,
    "page": statements.page,
    "grouped": statements.grouped,
    "grouped-new": statements.grouped_new,
    "catalog": statements.catalog,
    "http-16": lookups_http.posted_16,
    "http-64": lookups_http.posted_64,
    "http-key-16": lookups_http.keys_16,
    "http-key-64": lookups_http.keys_64,
    "http-batch": lookups_http.batch,
    "http-page": http_routes.page,
    "http-unchanged": http_routes.unchanged,
    "http-typed": http_routes.typed,
    "client-lookups": client_lookups.lookups,
    "mixed": mixed.p99_during_scan,
    "mixed-long": mixed.p99_during_long_values,
    "mixed-new": mixed.p99_during_new_statements,
    "crowd": mixed.p99_beside_a_crowd,
    "crowd-rate": mixed.p99_beside_a_crowd_at_a_rate,
    "group-by": scans.group_by,
    "select-all": bulk.select_read,
    "select-all-psql": bulk.select_psql,
    "copy-binary": bulk.copy_read,
    "copy-binary-psql": bulk.copy_psql,
    "select-all-first": bulk.select_first,
    "copy-binary-first": bulk.copy_first,
    "select-all-decoded": bulk.select_decoded,
    "copy-binary-decoded": bulk.copy_decoded,
    "materialize-large": pipelines.large,
    "materialize-small": pipelines.small,
    "materialize-together": pipelines.together,
    "materialize-visible": pipelines.visible,
    "snapshot-by-tasks": snapshots.by_tasks,
    "spark-reads": spark_reads.spark_reads,
    "spark-engine": spark_engine.spark_engine,
    "attach": attach.attach,
    "attach-scan": attach.scan,
    "attach-aggregate": attach.aggregate,
    "attach-scan-first": attach.scan_first,
    "attach-scan-decoded": attach.scan_decoded,
    "connect": connections.connect_and_query,
    "idle-memory": connections.idle_memory,
    "follow-idle": following.idle,
    "follow-requests": following.requests,
    "follow-visible": following.visible,
    "live-applied": live.applied,
    "live-shared": live.shared,
    "killed": recovery.killed,
    "killed-after-snapshot": recovery.killed_after_snapshot,
    "start": starting.start,
    "start-files": starting.open_files,
    "nodes-lookups": nodes.lookups,
    "nodes-scatter": nodes.scatter,
    "workers": workers.lookups,
    "workers-memory": workers.memory,
    **small.FAMILIES,
    **small_http.FAMILIES,
    "small-in-process": small_in_process.costs,
}
"""Name for `--only` → measurement, in the order of the table."""
GROUPS: Mapping[str, Sequence[str]] = {
    small.PREFIX: [name for name in FAMILIES if name.startswith(f"{small.PREFIX}-")],
}
"""Name for `--only` → measurements."""


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen measurements; return 1 if one failed, whatever its numbers."""
    asked = _parser().parse_args(arguments)
    names = [each for name in asked.only or FAMILIES for each in GROUPS.get(name, [name])]
    lines: list[Line] = []
    with new_setting(keys=asked.keys, seconds=asked.seconds, rounds=asked.rounds) as setting:
        for name in names:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            lines += _measure(name, setting)
    print(_heading(asked.keys))
    print(table(lines))
    return int(any(isinstance(line, NotMeasured) and line.failed for line in lines))


def _measure(name: str, setting: Setting) -> Sequence[Line]:
    """Run one measurement; a failure becomes its row and does not stop the others."""
    try:
        found = FAMILIES[name](setting)
    except UnavailableError as error:
        return [NotMeasured(work=name, reason=str(error), failed=False)]
    except (BenchError, ServerError, StoreError, psycopg.Error, OSError) as error:
        return [NotMeasured(work=name, reason=str(error), failed=True)]
    return found if isinstance(found, Sequence) else [found]


def _heading(keys: int) -> str:
    versions = {name: importlib.metadata.version(name) for name in ("rocksdict", "duckdb")}
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    load = os.getloadavg()[0]
    return (
        f"{keys:,} keys; {os.cpu_count()} cores, load {load:.1f}; "
        f"Python {sys.version.split()[0]}, {shown}\n"
        "A ratio above 1 is better than the other server. "
        "Compare ratios, not numbers of different runs.\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="Measure the gateway against other servers."
    )
    parser.add_argument("--keys", type=_positive, default=1_000_000, help="rows of the store")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of one round under load")
    parser.add_argument(
        "--rounds", type=_positive, default=3, help="number of rounds, of which the median counts"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=[*FAMILIES, *GROUPS],
        help=f"a measurement, or a group ({', '.join(GROUPS)}); may be repeated",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
