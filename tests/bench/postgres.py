"""The rival over the wire: a PostgreSQL in a temporary directory, with the same rows."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg

from tests.bench.clients import PgTarget
from tests.bench.data import CREATE_TABLE, STORE
from tests.bench.harness import BenchError, Unavailable
from tests.support.process import ServerProcess, free_ports

SETTINGS: Mapping[str, str] = {
    # All rows and the index stay in memory: reads are compared, not disks.
    "shared_buffers": "1GB",
    # The 500 whose memory is measured, and those of whoever measures.
    "max_connections": "520",
    "listen_addresses": "127.0.0.1",
    # We come by TCP, and so must it.
    "unix_socket_directories": "",
    # Nothing is written while we measure; this only makes loading quick.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "autovacuum": "off",
    "work_mem": "64MB",
}
CHUNK_BYTES = 1 << 20
LOAD_TIMEOUT_S = 120.0


@contextlib.contextmanager
def running_postgres(directory: Path, *, csv: Path) -> Iterator[PgTarget]:
    """A server with the rows of `csv`, indexed, vacuumed and analysed.

    Args:
        directory: for its data; made anew.
        csv: the rows, with a header.

    Raises:
        Unavailable: PostgreSQL's server is not installed, or nobody may run it.
        BenchError: it cannot be set up.
    """
    binaries, user = _binaries(), _user()
    directory.mkdir(mode=0o700)
    if user is not None:
        shutil.chown(directory, user)
    _initdb(binaries, directory / "data", user)
    (port,) = free_ports(1)
    target = PgTarget(port=port, user="bench", database="postgres")
    command = [str(binaries / "postgres"), "-D", str(directory / "data"), "-p", str(port)]
    for name, value in SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    server = ServerProcess(
        command,
        output=directory / "postgres.log",
        ready=lambda: _accepts(target),
        # Fast shutdown; the default signal would wait for clients to leave.
        stop_signal=signal.SIGINT,
        cwd=Path("/"),
        user=user,
    )
    with server:
        _load(target, csv)
        yield target


def _binaries() -> Path:
    """Where initdb and postgres are: Debian keeps them off the PATH, by version."""
    beside = shutil.which("initdb")
    places = [Path(beside).resolve().parent] if beside else []
    places += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda path: [int(part) for part in re.findall(r"\d+", str(path))],
        reverse=True,
    )
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise Unavailable("PostgreSQL's server is not installed")


def _user() -> str | None:
    """Whom the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise Unavailable("PostgreSQL does not run as root, and no user postgres exists") from None


def _initdb(binaries: Path, data: Path, user: str | None) -> None:
    command = [str(binaries / "initdb"), "-D", str(data), "-U", "bench", "--auth=trust"]
    command += ["--encoding=UTF8", "--locale=C", "--no-sync"]
    done = subprocess.run(
        command, cwd="/", user=user, capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode != 0:
        raise BenchError(f"initdb failed: {done.stderr[-500:]}")


def _accepts(target: PgTarget) -> bool:
    try:
        psycopg.connect(target.dsn, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _load(target: PgTarget, csv: Path) -> None:
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        connection.execute(f"SET statement_timeout = {int(LOAD_TIMEOUT_S * 1000)}")
        connection.execute(CREATE_TABLE)
        copy = f"COPY {STORE} FROM STDIN (FORMAT csv, HEADER)"
        with connection.cursor() as cursor, cursor.copy(copy) as sink, csv.open("rb") as source:
            while chunk := source.read(CHUNK_BYTES):
                sink.write(chunk)
        connection.execute(f"VACUUM (ANALYZE, FREEZE) {STORE}")
