"""The rival over the wire: a PostgreSQL in a temporary directory, with the same rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg

from tests.bench.clients import PgTarget
from tests.bench.data import CREATE_TABLE, STORE
from tests.bench.harness import UnavailableError
from tests.support import postgres

SETTINGS: Mapping[str, str] = {
    # All rows and the index stay in memory: reads are compared, not disks.
    "shared_buffers": "1GB",
    # The 500 connections whose memory is measured, and those that measure it.
    "max_connections": "520",
    # Nothing is written while measuring, so these settings only speed up loading.
    **postgres.FAST,
    "max_wal_size": "4GB",
    "work_mem": "64MB",
    "timezone": "UTC",
}
CHUNK_BYTES = 1 << 20
LOAD_TIMEOUT_S = 120.0


@contextlib.contextmanager
def running_postgres(directory: Path, *, csv: Path) -> Iterator[PgTarget]:
    """Run a server with the rows of `csv`, indexed, vacuumed and analysed.

    Args:
        directory: for its data; it is created.
        csv: the rows, with a header.

    Raises:
        UnavailableError: PostgreSQL's server is not installed, or no user may run it.
        ServerError: it cannot be started.
    """
    try:
        with postgres.running_postgres(directory, user="bench", settings=SETTINGS) as server:
            target = PgTarget(port=server.port, user=server.user, database=server.database)
            load_table(target, STORE, create=CREATE_TABLE, csv=csv)
            yield target
    except postgres.PostgresMissingError as error:
        raise UnavailableError(str(error)) from None


def load_table(target: PgTarget, name: str, *, create: str, csv: Path) -> None:
    """Make a table of the rows of `csv`, vacuumed and analysed."""
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        connection.execute(f"SET statement_timeout = {int(LOAD_TIMEOUT_S * 1000)}")
        connection.execute(create)
        copy = f"COPY {name} FROM STDIN (FORMAT csv, HEADER)"
        with connection.cursor() as cursor, cursor.copy(copy) as sink, csv.open("rb") as source:
            while chunk := source.read(CHUNK_BYTES):
                sink.write(chunk)
        connection.execute(f"VACUUM (ANALYZE, FREEZE) {name}")
