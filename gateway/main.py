"""The command line: options to settings, then the command."""

from __future__ import annotations

import gc
import sys
import textwrap
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from stategate.gateway.cli import (
    comment_command,
    health_command,
    load_command,
    log_commands,
    rebuild_command,
    user_commands,
)
from stategate.gateway.errors import GatewayError, ServeError
from stategate.gateway.process_setup import (
    accept_signals,
    configure_logging,
    load_modules,
    print_error,
)
from stategate.gateway.settings import SETTINGS, URL_VARIABLE
from stategate.gateway.settings_sources import load_settings

DEFAULT_URL = "http://" + str(SETTINGS["http"].default)

app = typer.Typer(
    name="stategate",
    help=(
        "SQL over the live, partitioned state of Spark streaming jobs.\n\n"
        "`stategate serve` follows a state log and answers by HTTP and the Postgres wire. "
        "`stategate sql` is a shell for it; any Postgres client works, too."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

app.add_typer(user_commands.app, name="user")
app.add_typer(log_commands.app, name="log")
app.command()(load_command.load)
app.command()(log_commands.compact)
app.command()(rebuild_command.rebuild)
app.command()(comment_command.comment)
app.command()(health_command.health)

Url = Annotated[
    str, typer.Option("--url", envvar=URL_VARIABLE, help="Gateway to talk to, by HTTP.")
]


def main() -> NoReturn:
    """Run the command line; an expected error is one sentence on stderr and exit status 2."""
    accept_signals()
    try:
        app()
    except GatewayError as error:
        print_error(error)
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
    """Handle the options before the command."""


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
    workers: Annotated[int | None, typer.Option(help=_about("workers"))] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file of settings; STATEGATE_CONFIG names one too."),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE",
            help="Import this Python module first, to register kinds of stores or queries. May be "
            "repeated. The working directory is searched, too.",
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

    If the log does not exist yet, wait for it: until then, /readyz answers 503 with the reason.
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
        "workers": workers,
        **_assignments(settings or []),
    }
    loaded = load_settings(config=str(config) if config else None, overrides=given)
    if not loaded.root:
        raise ServeError("no state log is given", hint="Name one with --root.")
    configure_logging(loaded)
    if loaded.workers > 1:
        from stategate.gateway.supervision.own_process import become_supervisor  # noqa: PLC0415 - as below

        become_supervisor(loaded, load or [])
    gc.disable()  # what is loaded stays: `run_servers` exempts it, and begins to collect
    load_modules(load or [])
    from stategate.gateway.wiring import run_gateway  # noqa: PLC0415 - `stategate sql` needs no engine

    run_gateway(loaded)


def _assignments(texts: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ServeError(f'"{text}" is not a setting', hint="Write --set NAME=VALUE.")
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
        bool,
        typer.Option(
            "--fresh", help="Replay the flights again, even if an earlier run has kept the stores."
        ),
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
    from stategate.gateway.cli.demo import run_demo  # noqa: PLC0415 - as in `serve`

    raise typer.Exit(run_demo(root=root, http=http, pg=pg, check=check, fresh=fresh))


@app.command()
def sql(
    command: Annotated[
        str | None,
        typer.Option("--command", "-c", metavar="SQL", help="Run these statements and exit."),
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    r"""Open a shell, or run the statements of -c or a pipe; exit with 1 if one fails.

    A terminal gets tables. A pipe gets tab-separated values with a header, and \\N for NULL.
    """
    from stategate.gateway.cli.shell import run_shell  # noqa: PLC0415 - as in `serve`

    if not run_shell(url, command=command):
        raise typer.Exit(1)


@app.command()
def stores(url: Url = DEFAULT_URL) -> None:
    """List the stores of a running gateway."""
    from stategate.gateway.cli.shell import print_stores  # noqa: PLC0415 - as in `serve`

    print_stores(url)


@app.command()
def nodes(url: Url = DEFAULT_URL) -> None:
    """List the nodes of a running gateway's cluster."""
    from stategate.gateway.cli.shell import run_shell  # noqa: PLC0415 - as in `serve`

    if not run_shell(url, command="SELECT * FROM stategate.nodes ORDER BY node"):
        raise typer.Exit(1)


@app.command()
def settings() -> None:
    """List every setting with its default, unit, meaning and reason."""
    for each in SETTINGS.values():
        default = f"{each.default} {each.unit}".strip() or '""'
        print(f"{each.name} = {default}")
        print(f"    {each.variable}")
        print(textwrap.fill(each.about, 90, initial_indent="    ", subsequent_indent="    "))


if __name__ == "__main__":
    main()
