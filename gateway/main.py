"""The command line, and the only wiring: settings to stores, to engine, to servers.

Nothing else of the gateway makes or opens a store; `stores_document` only reads what they say.
"""

from __future__ import annotations

import importlib
import logging
import sys
import textwrap
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from gateway.cli import log_commands, user_commands
from gateway.errors import GatewayError, ServeError
from gateway.settings import SETTINGS, URL_VARIABLE, Settings, load_settings

if TYPE_CHECKING:
    from gateway.pgwire.protocol.limits import PgLimits
    from planner.sql import SqlEngine
    from stores.hosting.host import Host

logger = logging.getLogger(__name__)

DEFAULT_URL = "http://" + str(SETTINGS["http"].default)

app = typer.Typer(
    name="stategate",
    help=(
        "SQL over the live, partitioned state of Spark streaming jobs.\n\n"
        "`stategate serve` follows a state log and answers by HTTP and the Postgres wire; "
        "`stategate sql` is a shell for it; any Postgres client is another."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

app.add_typer(user_commands.app, name="user")
app.add_typer(log_commands.app, name="log")

Url = Annotated[
    str, typer.Option("--url", envvar=URL_VARIABLE, help="Gateway to talk to, by HTTP.")
]


def main() -> NoReturn:
    """Run the command line; a foreseen error is one sentence on stderr and exit status 2."""
    try:
        app()
    except GatewayError as error:
        hint = f" {error.hint}" if error.hint else ""
        print(f"stategate: {error.message}.{hint}", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"stategate {version('stategate')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take what stands before the command."""


def _about(name: str) -> str:
    setting = SETTINGS[name]
    default = f" Default: {setting.default}." if setting.default != "" else ""
    return f"{setting.about}{default}"


@app.command()
def serve(
    *,
    root: Annotated[str | None, typer.Option(help=_about("root"))] = None,
    http: Annotated[str | None, typer.Option(help=_about("http"))] = None,
    pg: Annotated[str | None, typer.Option(help=_about("pg"))] = None,
    data: Annotated[str | None, typer.Option(help=_about("data"))] = None,
    users: Annotated[str | None, typer.Option(help=_about("users"))] = None,
    allow_anonymous: Annotated[
        bool, typer.Option("--allow-anonymous", help=_about("allow_anonymous"))
    ] = False,
    tls_certificate: Annotated[str | None, typer.Option(help=_about("tls_certificate"))] = None,
    tls_key: Annotated[str | None, typer.Option(help=_about("tls_key"))] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file of settings; STATEGATE_CONFIG names one too."),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE",
            help="Import this Python module first: it registers kinds of stores or queries. "
            "May be repeated; looked for in the working directory, too.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting; may be repeated. `stategate settings` lists all.",
        ),
    ] = None,
) -> None:
    """Follow a state log and answer SQL over it until SIGINT or SIGTERM.

    A log that is not there yet is waited for: until it is, /readyz answers 503 and says so.
    """
    given = {
        "root": root,
        "http": http,
        "pg": pg,
        "data": data,
        "users": users,
        "allow_anonymous": allow_anonymous or None,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        **_assignments(settings or []),
    }
    loaded = load_settings(config=str(config) if config else None, overrides=given)
    if not loaded.root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    configure_logging(loaded)
    _load(load or [])
    _serve(loaded)


def _load(modules: Sequence[str]) -> None:
    if modules and "" not in sys.path:
        sys.path.insert(0, "")
    for name in modules:
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # whatever a third party's code runs into
            # Where in that code it was, which a sentence does not tell.
            logger.debug("module not loaded, module=%s", name, exc_info=error)
            said = " ".join(str(error).split())
            raise ServeError(
                f'module "{name}" cannot be loaded: {type(error).__name__}: {said}',
                hint="--set log_level=debug shows where.",
            ) from error


def configure_logging(settings: Settings) -> None:
    """Log to stderr, one line an event."""
    logging.basicConfig(
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    # What uvicorn tells at INFO we announce ourselves, and each of its warnings is something that
    # any stranger can make it write as often as he likes.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def _assignments(texts: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ServeError(f'"{text}" is no setting', hint="Write --set NAME=VALUE.")
        found[name.strip()] = value.strip()
    return found


@app.command()
def demo(
    *,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Compare every query of the README with DuckDB over the raw flights, and exit: "
            "0 if all agree.",
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Replay the flights, although an earlier run has.")
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(help="Directory that keeps the stores for the next run. Default: .demo."),
    ] = None,
    http: Annotated[str, typer.Option(help=_about("http"))] = str(SETTINGS["http"].default),
    pg: Annotated[str, typer.Option(help=_about("pg"))] = str(SETTINGS["pg"].default),
) -> None:
    """Replay a year of flights through Spark into three stores, and serve them until Ctrl-C.

    The stores are kept: the next run serves them within seconds.
    """
    from gateway.cli.demo import run_demo  # noqa: PLC0415 - as in `_serve`

    raise typer.Exit(run_demo(root=root, http=http, pg=pg, check=check, fresh=fresh))


@app.command()
def sql(
    command: Annotated[
        str | None,
        typer.Option("--command", "-c", metavar="SQL", help="Run these statements and exit."),
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    r"""Open a shell, or run what -c or a pipe gives; exits with 1 if a statement fails.

    In a terminal answers are tables; in a pipe they are lines of tab-separated values with a
    header, in which NULL is \\N.
    """
    from gateway.cli.shell import run_shell  # noqa: PLC0415 - as in `_serve`

    if not run_shell(url, command=command):
        raise typer.Exit(1)


@app.command()
def stores(url: Url = DEFAULT_URL) -> None:
    """List the stores of a running gateway."""
    from gateway.cli.shell import print_stores  # noqa: PLC0415 - as in `_serve`

    print_stores(url)


@app.command()
def settings() -> None:
    """List every setting: name, default, unit, what it is for and why it is what it is."""
    for each in SETTINGS.values():
        default = f"{each.default} {each.unit}".strip() or '""'
        print(f"{each.name} = {default}")
        print(f"    {each.variable}")
        print(textwrap.fill(each.about, 90, initial_indent="    ", subsequent_indent="    "))


@app.command()
def compact(
    *,
    root: Annotated[str, typer.Option(help=_about("root"))],
    store: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This store; may be repeated. Default: all."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Epochs that were committed no longer ago stay: 90s, 30m, 12h, 7d, 2w. "
            "Default: 7d, unless --keep-epochs is given.",
        ),
    ] = None,
    keep_epochs: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The newest N epochs stay.")
    ] = None,
    every: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Write a snapshot only N epochs or more after the last one."
        ),
    ] = 1,
) -> None:
    """Write a snapshot of each store and remove the epochs it replaces once they are old.

    Meant for cron, beside a running pipeline and gateways. An epoch goes when it is older than all
    limits say; the newest snapshot stays. Exits with 1 if a store could not be compacted.
    """
    from stores.errors import StoreError  # noqa: PLC0415 - as in `_serve`
    from stores.log.state_log import StateLog  # noqa: PLC0415
    from stores.upkeep.retention import KEEP_MS, Retention  # noqa: PLC0415
    from stores.upkeep.retention import compact as compact_store  # noqa: PLC0415

    age_ms = _age_ms(keep) if keep is not None else None
    retention = Retention(
        age_ms=KEEP_MS if age_ms is None and keep_epochs is None else age_ms, epochs=keep_epochs
    )
    if not root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    try:
        names = store or StateLog(root).stores()
    except StoreError as error:
        raise ServeError(f"cannot compact: {error}") from error
    failed = False
    for name in names:
        try:
            done = compact_store(root, name, retention=retention, every=every)
        except (StoreError, OSError) as error:
            failed = True
            print(f'stategate: store "{name}" cannot be compacted: {error}', file=sys.stderr)
        else:
            verb = "wrote" if done.written else "kept"
            base = "no snapshot" if done.snapshot is None else f"snapshot {done.snapshot.epoch}"
            print(
                f"{name}: {verb} {base}; removed {done.epochs_removed} epochs, "
                f"{done.snapshots_removed} snapshots, {done.orphans_removed} orphans",
                flush=True,
            )
    if failed:
        raise typer.Exit(1)


_UNIT_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


def _age_ms(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNIT_MS or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise ServeError(f'"{text}" is no age', hint="Write a number and s, m, h, d or w: 7d.")
    return int(number) * _UNIT_MS[unit]


def _pg_limits(settings: Settings) -> PgLimits:
    from gateway.pgwire.protocol.limits import PgLimits  # noqa: PLC0415 - as in `_serve`

    return PgLimits(
        connections_max=settings.pg_connections_max,
        statement_timeout_s=settings.statement_timeout_ms / 1000,
        startup_timeout_s=settings.authentication_timeout_ms / 1000,
        write_timeout_s=settings.stall_timeout_ms / 1000,
        strangers_max=settings.strangers_max,
        strangers_total_max=settings.strangers_total_max,
    )


def _host(settings: Settings) -> Host:
    from stores.hosting.host import Host  # noqa: PLC0415 - as all that only `serve` needs

    return Host(
        settings.root,
        Path(settings.data) if settings.data else None,
        node=settings.node,
        poll_ms=settings.poll_ms,
        cache_bytes=settings.cache_bytes,
        columns_bytes=settings.columns_bytes,
        rows_bytes=settings.rows_bytes,
    )


def _engine(settings: Settings, host: Host) -> SqlEngine:
    from planner.sql import EngineLimits, SqlEngine  # noqa: PLC0415 - as in `_serve`

    limits = EngineLimits(
        statements_max=settings.statements_max,
        memory_bytes_max=settings.memory_bytes_max,
        compose_processes=settings.compose_processes,
    )
    return SqlEngine(host, limits=limits, node=settings.node)


def open_stores(host: Host, engine: SqlEngine) -> None:
    """Open the stores, and have the first statements find what they need.

    Raises:
        ServeError: the stores cannot be opened.
    """
    from stores.errors import StoreError  # noqa: PLC0415 - as in `_serve`

    try:
        host.start()
    except (StoreError, OSError) as error:
        raise ServeError(f"cannot open the stores: {error}") from error
    try:
        engine.warm_up()
    except Exception:  # all else is served: who asks for what cannot be built is told why
        logger.exception("the first statements will be slow")


def _serve(settings: Settings) -> None:
    """Wire everything, serve, and close everything in the reverse order.

    Raises:
        GatewayError: an address cannot be listened on, or a replica cannot be opened.
    """
    # Imported here, so that `stategate sql` does not load an engine that it never uses.
    from gateway.access.admission import open_access, open_proxies, open_tls, reloader  # noqa: PLC0415
    from gateway.busy_poll import BusyPoll  # noqa: PLC0415
    from gateway.http.app import create_app  # noqa: PLC0415
    from gateway.http.metrics import Metrics  # noqa: PLC0415
    from gateway.http.routes import Services  # noqa: PLC0415
    from gateway.http.stores_document import describe_stores, reasons_not_ready  # noqa: PLC0415
    from gateway.pgwire.server import PgServer  # noqa: PLC0415
    from gateway.serve import Serving, run_servers  # noqa: PLC0415
    from gateway.workers import Workers  # noqa: PLC0415
    from planner.binding.relations import require_missing  # noqa: PLC0415
    from planner.sql import SERVER_VERSION  # noqa: PLC0415
    from planner.typed import TypedQueries  # noqa: PLC0415

    with ExitStack() as closing:
        access, tls = open_access(settings), open_tls(settings)
        closing.callback(access.close)
        host = _host(settings)
        closing.callback(host.close)
        engine = _engine(settings, host)
        workers = Workers(threads=settings.workers_threads, queue_max=settings.workers_queue_max)
        closing.callback(workers.close)
        closing.callback(engine.close)  # before them: it ends what they still wait for
        busy_poll = BusyPoll(settings.linger_us)
        wire = PgServer(
            engine=engine,
            workers=workers,
            limits=_pg_limits(settings),
            server_version=SERVER_VERSION,
            access=access,
            tls=tls,
            busy_poll=busy_poll,
        )
        metrics = Metrics(host, workers=workers)
        closing.callback(metrics.close)
        if settings.pg:
            metrics.watch_connections("postgres", lambda: wire.connections)
        services = Services(
            engine=engine,
            workers=workers,
            settings=settings,
            describe_stores=lambda: describe_stores(host),
            not_ready=lambda: reasons_not_ready(host),
            require_missing=lambda name: require_missing(name, host),
            typed=TypedQueries(host, node=settings.node),
            metrics=metrics,
        )

        run_servers(
            Serving(
                app=create_app(services, access=access, proxies=open_proxies(settings)),
                wire=wire if settings.pg else None,
                settings=settings,
                tls=tls,
                busy_poll=busy_poll,
                reload=reloader(access, tls),
                open_stores=partial(open_stores, host, engine),
                watch_http=partial(metrics.watch_connections, "http"),
                announce=lambda line: print(f"stategate: {line}", flush=True),
            )
        )


if __name__ == "__main__":
    main()
