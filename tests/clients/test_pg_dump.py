"""pg_dump: the definitions of all stores and their rows, which a PostgreSQL restores."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.gateway import CLICKS_HOURLY, ORDERS, USERS, Gateway
from tests.support.postgres import Postgres, PostgresMissingError, running_postgres

PG_DUMP = shutil.which("pg_dump")
PSQL = shutil.which("psql")
RUN_TIMEOUT_S = 60.0

pytestmark = pytest.mark.skipif(PG_DUMP is None, reason="pg_dump is not installed")


def dumped(gateway: Gateway, *options: str) -> str:
    """Return pg_dump's output."""
    target = f"host=127.0.0.1 port={gateway.pg_port} user=stategate dbname=stategate"
    ended = ran(str(PG_DUMP), *options, target)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=RUN_TIMEOUT_S
    )


def test_the_schema_is_dumped(gateway: Gateway) -> None:
    text = dumped(gateway, "--schema-only")
    assert "CREATE TABLE public." in text
    assert "PRIMARY KEY" in text
    assert "CREATE VIEW" not in text
    assert "EXTENSION" not in text


@pytest.mark.skipif(PSQL is None, reason="psql is not installed")
def test_a_postgres_restores_the_dump(
    gateway: Gateway, restoring_postgres: Postgres, tmp_path: Path
) -> None:
    """Restore everything without an error, except the owners, which that server does not know."""
    script = tmp_path / "dump.sql"
    script.write_text(dumped(gateway, "--no-owner"))
    ended = ran(
        str(PSQL),
        "-X",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        "-f",
        str(script),
        "-d",
        restoring_postgres.dsn,
    )
    assert ended.returncode == 0, ended.stderr
    with (
        psycopg.connect(gateway.pg_dsn) as ours,
        psycopg.connect(restoring_postgres.dsn) as theirs,
    ):
        for store in (USERS, ORDERS, CLICKS_HOURLY):
            key = ", ".join(column.name for column in (*store.key, *store.time_columns))
            rows = f"SELECT * FROM {store.name} ORDER BY {key}"
            assert theirs.execute(rows).fetchall() == ours.execute(rows).fetchall()
        keys = (
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'p' AND connamespace = 'public'::regnamespace ORDER BY conname"
        )
        assert theirs.execute(keys).fetchall() == ours.execute(keys).fetchall() != []


@pytest.fixture
def restoring_postgres(tmp_path: Path) -> Iterator[Postgres]:
    try:
        with running_postgres(tmp_path / "postgres") as running:
            yield running
    except PostgresMissingError as error:
        pytest.skip(str(error))
