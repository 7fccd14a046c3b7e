"""pgcli: as a command, and what it asks the catalog for its completions."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pgcli.completion_refresher import CompletionRefresher
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial

from tests.clients.programs.steps import DATABASE, HOST, PORT, USER, expect, main, step


def run(*arguments: str) -> str:
    """What pgcli prints; it keeps its settings and history in an empty home."""
    command = [str(Path(sys.executable).with_name("pgcli")), "-h", HOST, "-p", str(PORT)]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*command, "-U", USER, "-d", DATABASE, "-w", "--less-chatty", *arguments],
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


if __name__ == "__main__":
    main()
