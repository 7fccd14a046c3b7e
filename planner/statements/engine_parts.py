"""The parts of an engine, by which statements of every kind are prepared and run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.commands.session_commands import SessionCommands
from stategate.planner.composing.compose import Composer, composing_definition
from stategate.planner.composing.process_pool import ProcessPool, SharedProcesses
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.pg_catalog import PgCatalog
from stategate.planner.pg_catalog.builtin_rows import postgres_settings
from stategate.planner.pg_catalog.relations import is_of_catalog
from stategate.planner.running.execute import Executor
from stategate.planner.running.kept_answers import BYTES_MAX
from stategate.planner.running.on_spark import SparkRunner
from stategate.planner.statements.spark_statements import SparkStatements
from stategate.planner.values.rights import Rights
from stategate.planner.values.statement import LookUp
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.query_engine import QueryEngine

WatchLookUp: TypeAlias = Callable[[LookUp, str], LookUp]
"""Takes the fast way of a statement and its text, and returns one with the same answers."""
SERVER_VERSION = "15.18"
"""The Postgres version whose catalog and wire behaviour clients can rely on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLimits:
    """Limits on what an engine uses."""

    statements_max: int = 2_000
    """Plans kept by text: they take some 20 kB each, and few applications use more statements."""
    memory_bytes_max: int = 1 << 30
    """DuckDB's memory for all statements together; one that needs more fails with 53200."""
    few_rows: bool = True
    """Whether statements that read few rows are answered without DuckDB, where this is possible."""
    answers_bytes: int = BYTES_MAX
    """Memory for answers of few rows, which are given again while their partitions stand where they
    stood; 0 keeps none."""
    compose_processes: int = 1
    """Processes that run DuckDB; memory and threads are divided among them."""
    compose_shared: SharedProcesses | None = None
    """Those processes are some of these, which other engines use, too."""
    composer_threads: int = max(1, (os.cpu_count() or 2) - 1)
    """DuckDB's threads; one core remains free for lookups."""
    spark_rows_max: int = 0
    """A statement that reads about more rows runs on Spark by itself; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineParts:
    """The parts; each is safe to use from many threads."""

    catalog: StoreCatalog
    processes: ProcessPool
    """The processes that run DuckDB, for the composer and the catalog."""
    composer: Composer
    queries: RunningQueries
    """The statements that run now."""
    executor: Executor
    spark: SparkStatements
    """Chooses the statements that run on Spark."""
    commands: SessionCommands
    pg_catalog: PgCatalog
    executor_over: Callable[[StoreCatalog], Executor]
    """Makes what runs plans over other stores of the same definitions."""
    rights: Rights
    """The stores that each user may read."""
    watch_look_up: WatchLookUp | None = None
    """Wraps the fast way of each statement; None leaves it as it is."""

    def close(self) -> None:
        """End the processes of DuckDB; running statements fail."""
        self.composer.close()
        self.processes.close()


def open_parts(
    catalog: StoreCatalog,
    limits: EngineLimits,
    *,
    node: str,
    clock: Callable[[], int],
    queries: RunningQueries,
    rights: Rights,
    spark: QueryEngine | None = None,
    watch_look_up: WatchLookUp | None = None,
    started_ms: int | None = None,
) -> EngineParts:
    """Return the parts of a new engine.

    Args:
        catalog: the stores.
        limits: the limits of the engine.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
        queries: lists the running statements.
        rights: the stores that each user may read.
        spark: runs statements on Spark; None if there is no such engine.
        watch_look_up: wraps the fast way of each statement, for traces; reads are timed, too.
        started_ms: when the server was started, in epoch milliseconds; None for now.
    """
    shared = limits.compose_shared
    among = limits.compose_processes if shared is None else shared.count
    definition = composing_definition(
        memory_bytes_max=limits.memory_bytes_max // among,
        threads=max(1, limits.composer_threads // among),
    )
    processes = ProcessPool(
        count=limits.compose_processes,
        memory_bytes_max=limits.memory_bytes_max,
        shared=shared,
    )
    composer = Composer(RemoteDatabase(processes, definition))

    def executor_over(stores: StoreCatalog) -> Executor:
        return Executor(
            stores,
            composer,
            queries=queries,
            node=node,
            clock=clock,
            few_rows=limits.few_rows,
            answers_bytes=limits.answers_bytes,
            times_reads=watch_look_up is not None,
            rights=rights,
        )

    executor = executor_over(catalog)
    spark_runner = None
    if spark is not None:
        spark_runner = SparkRunner(
            spark, executor.reads, composer, node=node, counts=executor.counts
        )
    return EngineParts(
        catalog=catalog,
        processes=processes,
        composer=composer,
        queries=queries,
        executor=executor,
        spark=SparkStatements(
            catalog,
            vocabulary_of_stores(catalog, is_of_catalog),
            composer,
            spark_runner,
            rows_max=limits.spark_rows_max,
        ),
        commands=SessionCommands(server_version=SERVER_VERSION, postgres=postgres_settings()),
        pg_catalog=PgCatalog(
            catalog,
            server_version=SERVER_VERSION,
            processes=processes,
            queries=queries,
            started_ms=started_ms,
            rights=rights,
        ),
        executor_over=executor_over,
        rights=rights,
        watch_look_up=watch_look_up,
    )
