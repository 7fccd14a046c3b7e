"""psql as a program: questions about the demo's stores, and login.

PSQL names the executable, and PSQL_LIBPQ, if it is not empty, a library to load before its own.
`tests/clients/test_psql.py` has its other tests.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
from collections.abc import Sequence

from tests.clients.programs.asking import LOGIN_SQL, asks, inlined, lists, logs_in
from tests.clients.programs.steps import DATABASE, HOST, PORT, USER, main

RUN_TIMEOUT_S = 30.0
PLACE = f"host={HOST} port={PORT} user={USER} dbname={DATABASE}"


def run(script: str, *arguments: str, place: str = PLACE, **variables: str) -> str:
    """Return psql's output for a script.

    Raises:
        RuntimeError: it ended with an error, or wrote to standard error; the message has that text.
    """
    done = subprocess.run(
        [os.environ["PSQL"], "-X", "-q", "-w", "-v", "ON_ERROR_STOP=1", *arguments, place],
        input=script,
        env={**os.environ, "PGTZ": "UTC", "LD_PRELOAD": os.environ["PSQL_LIBPQ"], **variables},
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(done.stderr)
    return done.stdout


def rows(printed: str) -> list[list[str | None]]:
    """Return the rows of CSV output, in which NULL is `NULL`."""
    lines = csv.reader(io.StringIO(printed))
    return [[None if cell == "NULL" else cell for cell in line] for line in lines]


@asks("psql")
def ask(sql: str, parameters: Sequence[object]) -> list[list[str | None]]:
    return rows(run(f"{inlined(sql, parameters)};", "--csv", "-t", "-P", "null=NULL"))


@asks("psql bind")
def ask_by_bind(sql: str, parameters: Sequence[object]) -> list[list[str | None]]:
    quoted = " ".join("'" + str(value).replace("'", "''") + "'" for value in parameters)
    return rows(run(f"{sql} \\bind {quoted} \\g\n", "--csv", "-t", "-P", "null=NULL"))


@lists("psql")
def list_columns() -> dict[str, list[str]]:
    """Return the relations that `\\dt` lists, with the columns of `\\d`."""
    stores = [line.split("|")[1] for line in run(r"\dt", "-At").splitlines()]
    return {store: [line[0] or "" for line in _described(store)] for store in stores}


def _described(store: str) -> list[list[str | None]]:
    printed = run(rf"\d {store}", "--csv", "-t")
    return [line for line in rows(printed) if len(line) > 1]


@logs_in("psql")
def log_in(password: str) -> list[list[str | None]]:
    """Log in as PGSSLMODE and PGSSLROOTCERT say."""
    return rows(run(f"{LOGIN_SQL};", "--csv", "-t", PGPASSWORD=password))


if __name__ == "__main__":
    main()
