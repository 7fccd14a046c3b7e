"""Builds a gateway from its settings: access, stores, engine and servers."""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from stategate.gateway.accepting.proxied import proxies_with_header
from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.addresses import host_port, parse_address
from stategate.gateway.admission import (
    open_access,
    open_origins,
    open_proxies,
    open_tls,
    places_of,
    reloader,
    require_loopback,
)
from stategate.gateway.advisory_locks import AdvisoryLocks
from stategate.gateway.audit.log import AuditLog, open_audit
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.errors import ServeError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.families import Family
from stategate.gateway.http.metrics.live import live_families
from stategate.gateway.http.metrics.nodes import node_families
from stategate.gateway.http.metrics.reads import audit_families, opened_families, read_families
from stategate.gateway.http.metrics.spark_state import spark_families
from stategate.gateway.http.page_snapshots import PageSnapshots
from stategate.gateway.http.stores_document import describe_stores, reasons_not_ready
from stategate.gateway.nodes.service import NodeService
from stategate.gateway.pgwire.server import PgServer, limits_of
from stategate.gateway.process_setup import announce, prepare_process
from stategate.gateway.serve import Serving, run_servers
from stategate.gateway.settings import SETTINGS, Settings
from stategate.gateway.spark_engine import BackgroundEngine, open_spark
from stategate.gateway.statement_threads import StatementThreads, open_threads
from stategate.gateway.statement_traces import Traces, open_watching
from stategate.gateway.workers.siblings import WorkerPlace
from stategate.gateway.workers.whole_gateway import WholeGateway, WorkerLinks
from stategate.planner.binding.relations import require_missing
from stategate.planner.composing.forkserver import become_shared
from stategate.planner.engine import Engine, Rights, RunningQueries, SlowQueries
from stategate.planner.planning.groupings import reduce_streams
from stategate.planner.sql import (
    SERVER_VERSION,
    EngineLimits,
    LiveLimits,
    SharedProcesses,
    SqlEngine,
)
from stategate.stores.errors import StoreError
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.open_stores import everything
from stategate.stores.hosting.replica import wall_clock_ms
from stategate.stores.log.files.objects import REQUESTS
from stategate.stores.log.files.scratch import begin_removing_abandoned
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.upkeep.past_stores import LogPast

logger = logging.getLogger(__name__)

_WORKERS_OF_PROCESS = 2
"""How many workers share a process that composes statements."""


class _Closing(Protocol):
    def close(self) -> None:
        """Release what it holds."""


C = TypeVar("C", bound=_Closing | None)


def _host(settings: Settings, nodes: NodeService | None) -> Host:
    return Host(
        settings.root,
        Path(settings.data) if settings.data else None,
        node=settings.node,
        poll_ms=settings.poll_ms,
        cache_bytes=settings.cache_bytes,
        columns_bytes=settings.columns_bytes,
        rows_bytes=settings.rows_bytes,
        open_files=settings.open_files,
        placement=everything if nodes is None else nodes.placement,
    )


def _catalog(host: Host, nodes: NodeService | None, traces: Traces | None) -> StoreCatalog:
    if nodes is None:
        return host
    return nodes.attach(host, reduce_streams, None if traces is None else traces.note_read)


def _queries(settings: Settings, whole: WholeGateway | None) -> RunningQueries:
    if whole is None:
        return RunningQueries(wall_clock_ms, slow=SlowQueries(settings.slow_statement_ms))
    return RunningQueries(
        wall_clock_ms,
        numbers=whole.query_numbers(),
        elsewhere=whole.queries,
        cancel_elsewhere=whole.cancel_queries,
        slow=SlowQueries(settings.slow_statement_ms, elsewhere=whole.slow_queries),
    )


def _engine(
    settings: Settings,
    catalog: StoreCatalog,
    queries: RunningQueries,
    spark: BackgroundEngine | None,
    traces: Traces | None,
    *,
    rights: Rights,
    worker: WorkerLinks | None,
) -> SqlEngine:
    place = None if worker is None else worker.siblings.place
    shared = None if place is None else _composing(settings, place)
    memory_bytes_max = settings.memory_bytes_max
    if shared is not None:  # however many there are, each gets enough
        least = int(SETTINGS["memory_bytes_max"].least)
        memory_bytes_max = max(memory_bytes_max, shared.count * least)
    limits = EngineLimits(
        statements_max=settings.statements_max,
        memory_bytes_max=memory_bytes_max,
        answers_bytes=settings.answers_bytes,
        compose_processes=settings.compose_processes,
        compose_shared=shared,
        spark_rows_max=settings.spark_rows_max,
    )
    live = LiveLimits(
        subscribers_max=settings.live_subscribers_max,
        rows_max=settings.live_rows_max,
        bytes_max=settings.live_bytes_max,
        linger_s=settings.live_linger_ms / 1000,
        timeout_s=settings.statement_timeout_ms / 1000,
    )
    past_bytes = settings.live_log_bytes_max
    return SqlEngine(
        catalog,
        limits=limits,
        live=live,
        node=settings.node,
        queries=queries,
        spark=spark,
        watch_look_up=None if traces is None else traces.watch_look_up,
        started_ms=None if place is None else place.started_ms,
        past=LogPast(settings.root, bytes_max=past_bytes) if past_bytes else None,
        rights=rights,
    )


def _composing(settings: Settings, place: WorkerPlace) -> SharedProcesses:
    """Return the processes that compose the statements of all workers.

    One process for two workers: its Python, which takes requests and gives rows, has one core.
    """
    each = settings.compose_processes
    return SharedProcesses(
        forks=place.composing_socket,
        first=place.number,
        count=max(each, -(-place.count // _WORKERS_OF_PROCESS)),
    )


def serve_composing(listener: socket.socket, owner: socket.socket) -> NoReturn:
    """Become the fork server of the processes that compose statements of workers.

    Args:
        listener: the workers connect to it.
        owner: once its other end closes and no worker is left, all of these processes end.
    """
    become_shared(listener, owner)


def _closed_with(closing: ExitStack, found: C) -> C:
    """Return what was opened, if anything; it is closed with the others."""
    if found is not None:
        closing.callback(found.close)
    return found


def _wire(
    settings: Settings,
    engine: Engine,
    threads: StatementThreads,
    *,
    access: Access,
    tls: Tls | None,
    busy_poll: BusyPoll,
    whole: WholeGateway | None,
) -> PgServer:
    return PgServer(
        engine=engine,
        threads=threads,
        limits=limits_of(settings),
        server_version=SERVER_VERSION,
        access=access,
        tls=tls,
        busy_poll=busy_poll,
        others=whole,
        locks=None if settings.nodes or whole else AdvisoryLocks(),
        places=places_of(settings, access, settings.pg_connections_max),
        proxies=proxies_with_header(settings, "pg"),
    )


def _page_families(pages: PageSnapshots) -> Sequence[Family]:
    return opened_families("page_snapshot", "snapshots of pages", len(pages), pages.oldest_age_s())


def _metrics(
    host: Host,
    engine: SqlEngine,
    closing: ExitStack,
    threads: StatementThreads,
    *,
    whole: WholeGateway | None,
    nodes: NodeService | None,
    spark: BackgroundEngine | None,
    audit: AuditLog | None,
) -> Metrics:
    metrics = Metrics(host, threads=threads, others=whole)
    closing.callback(metrics.close)
    metrics.watch_requests(REQUESTS.read)
    metrics.watch_kept_answers(engine.kept_answers_given)
    metrics.watch(lambda: read_families(engine.counts))
    metrics.watch(live_families(engine.live_counts))
    if audit is not None:
        metrics.watch(lambda: audit_families(audit.dropped))
    if nodes is not None:
        metrics.watch(lambda: node_families(nodes.measured(), nodes.unreadable.reads))
    if spark is not None:
        metrics.watch(spark_families(lambda: spark.status))
    return metrics


def _wire_address(setting: str, wire: PgServer) -> str | None:
    """Return where the Postgres wire listens; a worker has the supervisor's port in its setting."""
    if not setting:
        return None
    address = parse_address("pg", setting)
    return host_port(address.host, wire.port or address.port)


async def _notify(host: Host, whole: WholeGateway | None, store: str) -> None:
    host.wake(store)
    if whole is not None:
        await whole.notify(store)


def _answering(
    whole: WholeGateway | None,
    wire: PgServer,
    queries: RunningQueries,
    metrics: Metrics,
    host: Host,
) -> Callable[[], Awaitable[None]] | None:
    """Return the function that begins to answer the other workers, if there are any."""
    if whole is None:
        return None
    return partial(
        whole.answer,
        sessions=wire,
        queries=queries,
        metrics=metrics.scrape_own,
        notify=host.wake,
    )


def open_stores(host: Host, engine: SqlEngine, nodes: NodeService | None = None) -> None:
    """Open the stores, and warm up the engine so that the first statements are fast.

    Raises:
        ServeError: the stores cannot be opened.
    """
    begin_removing_abandoned()
    if nodes is not None:
        nodes.settle()
    try:
        host.start()
    except (StoreError, OSError) as error:
        raise ServeError(f"cannot open the stores: {error}") from error
    try:
        engine.warm_up()
    except Exception:  # the gateway still serves; a statement that needs the catalog gets the error
        logger.exception("the first statements will be slow")


def run_gateway(settings: Settings, *, worker: WorkerLinks | None = None) -> None:
    """Wire stores, engine and servers, serve, and close all in reverse order.

    Args:
        settings: the settings of this process.
        worker: how a worker reaches the supervisor and the other workers; None for a gateway of
            one process.

    Raises:
        GatewayError: an address is in use, or a replica cannot be opened.
    """
    prepare_process(settings)
    with ExitStack() as closing:
        audit = _closed_with(closing, open_audit(settings))
        processes = 1 if worker is None else worker.siblings.place.count
        access = _closed_with(closing, open_access(settings, audit, processes=processes))
        tls, proxies, origins = open_tls(settings), open_proxies(settings), open_origins(settings)
        traces = _closed_with(closing, open_watching(settings, audit))
        busy_poll = BusyPoll(settings.linger_us)
        nodes = open_nodes(settings, tls, busy_poll)
        host = _closed_with(closing, _host(settings, nodes))
        catalog = _catalog(host, nodes, traces)
        whole = None if worker is None else WholeGateway(worker.siblings)
        queries = _queries(settings, whole)
        spark = _closed_with(closing, open_spark(settings))
        engine = _engine(
            settings, catalog, queries, spark, traces, rights=access.rights, worker=worker
        )
        served: Engine = engine if traces is None else traces.engine(engine)
        threads = _closed_with(closing, open_threads(settings, access.rights, queries))
        pages = _closed_with(closing, PageSnapshots())
        closing.callback(engine.close)  # before the threads: this ends the calls that they wait for
        wire = _wire(
            settings, served, threads, access=access, tls=tls, busy_poll=busy_poll, whole=whole
        )
        metrics = _metrics(
            host, engine, closing, threads, whole=whole, nodes=nodes, spark=spark, audit=audit
        )
        metrics.watch(partial(_page_families, pages))
        if settings.pg:
            metrics.watch_connections("postgres", lambda: wire.connections)
            metrics.watch(lambda: opened_families("cursor", "cursors", *wire.cursors()))
        services = Services(
            engine=served,
            threads=threads,
            settings=settings,
            describe_stores=lambda: describe_stores(host),
            not_ready=lambda: reasons_not_ready(host, nodes),
            require_missing=lambda name: require_missing(name, catalog),
            wire_address=partial(_wire_address, settings.pg, wire),
            notify=partial(_notify, host, whole),
            rights=access.rights,
            typed=engine.typed(None if traces is None else traces.watch_ask),
            pages=pages,
            metrics=metrics,
            trace_of=None if traces is None else traces.trace_of,
            shares_sessions=audit is None,
            spark=None if spark is None else lambda: spark.status,
        )
        run_servers(
            Serving(
                app=create_app(services, access=access, proxies=proxies, origins=origins),
                at_once=AtOnce(services, access=access, proxies=proxies) if audit is None else None,
                http_places=places_of(settings, access, settings.http_connections_max),
                wire=wire if settings.pg else None,
                settings=settings,
                tls=tls,
                nodes=nodes,
                busy_poll=busy_poll,
                reload=reloader(access, tls, audit),
                look=access.look,
                open_stores=partial(open_stores, host, engine, nodes),
                watch_http=partial(metrics.watch_connections, "http"),
                announce=announce if worker is None else lambda line: None,
                link=None if worker is None else worker.supervisor,
                on_serving=_answering(whole, wire, queries, metrics, host),
                on_stopping=engine.end_live,
                is_ready=lambda: host.is_ready,
            )
        )


def open_nodes(settings: Settings, tls: Tls | None, busy_poll: BusyPoll) -> NodeService | None:
    """Return the part that makes the gateway one node of several; None if it is alone.

    Raises:
        SettingsError: the peers, the secret or the certificates cannot be used, or other machines
            can connect although there is no secret.
    """
    if not settings.nodes:
        return None
    if not settings.nodes_secret:
        require_loopback(settings, "nodes")
    return NodeService(settings, tls=tls, product=version("stategate"), busy_poll=busy_poll)
