"""pgcli as a command, and its catalog queries for completion."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pgcli.completion_refresher import CompletionRefresher
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial

from tests.clients.programs.asking import LOGIN_SQL, asks, inlined, lists, logs_in
from tests.clients.programs.steps import (
    DATABASE,
    HOST,
    PORT,
    ROOT_CERTIFICATE,
    USER,
    expect,
    login_url,
    main,
    step,
)

TARGET = ("-h", HOST, "-p", str(PORT), "-U", USER, "-d", DATABASE)


def run(*arguments: str, target: Sequence[str] = TARGET) -> str:
    """Return pgcli's output; its settings and history are in an empty home directory."""
    command = [str(Path(sys.executable).with_name("pgcli")), *target, "-w", "--less-chatty"]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*command, *arguments],
            env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "PAGER": "cat"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def executor() -> Any:
    return PGExecute(DATABASE, USER, "", HOST, str(PORT), None)


@step
def pings() -> None:
    assert "PONG" in run("--ping")


@step
def runs_a_command() -> None:
    printed = run("-c", "SELECT word FROM numbers WHERE id = 8")
    assert "word 1" in printed, printed
    assert "SELECT 1" in printed, printed


@step
def describes() -> None:
    printed = run("-c", r"\d clicks_hourly", "-c", r"\dt", "-c", r"\l", "-c", r"\dn", "-c", r"\du")
    for text in ("window_start", "clicks_hourly_pkey", "numbers", "pg_database_owner", USER):
        assert text in printed, printed


@step
def reads_what_it_completes() -> None:
    pg = executor()
    tables = {name for schema, name in pg.tables() if schema == "public"}
    expect(sorted(tables), ["clicks_hourly", "numbers", "orders", "prices", "users"])
    columns = [column.name if hasattr(column, "name") else column[2] for column in
               (c for c in pg.table_columns() if c[1] == "numbers")]  # fmt: skip
    expect(columns, ["id", "squared", "word"])
    assert "public" in [*pg.search_path()], [*pg.search_path()]
    expect([*pg.databases()], [DATABASE])
    expect([*pg.foreignkeys()], [])
    assert len([*pg.functions()]) > 100
    assert len([*pg.views()]) > 0
    assert {"public", "stategate"} <= set(pg.schemata())
    [*pg.datatypes()], [*pg.view_columns()], [*pg.casing()]
    assert pg.view_definition("stategate.stores")


@step
def refreshes_completions() -> None:
    found: list[Any] = []
    refresher = CompletionRefresher()
    refresher.refresh(executor(), PGSpecial(), found.append, settings={})
    thread = refresher._completer_thread
    assert thread is not None
    thread.join(20)
    (completer,) = found
    words = completer.dbmetadata["tables"]["public"]
    assert "numbers" in words, words


SETTINGS = """[main]
table_format = csv
null_string = NULL
row_limit = 0
use_local_timezone = False
"""


def ask_at(target: Sequence[str], sql: str) -> list[list[str | None]]:
    """Return its output as CSV, the only format without borders."""
    with tempfile.TemporaryDirectory() as home:
        settings = Path(home) / "pgclirc"
        settings.write_text(SETTINGS)
        printed = run("--pgclirc", str(settings), "-c", sql, target=target)
    lines = [*csv.reader(io.StringIO(printed))][1:]
    wanted = [line for line in lines if line and not line[0].startswith(("SELECT ", "Time: "))]
    return [[None if cell == "NULL" else cell for cell in line] for line in wanted]


@asks("pgcli")
def ask(sql: str, parameters: Sequence[object]) -> list[list[str | None]]:
    return ask_at(TARGET, inlined(sql, parameters))


@lists("pgcli")
def list_completed() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for column in executor().table_columns():
        if column[0] == "public":
            found.setdefault(column[1], []).append(column[2])
    return found


@logs_in("pgcli")
def log_in(password: str) -> list[list[str | None]]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    url = login_url(password, channel_binding="require", **options)
    return ask_at([url], LOGIN_SQL)


if __name__ == "__main__":
    main()
