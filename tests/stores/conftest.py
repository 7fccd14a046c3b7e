"""Fixtures of all store tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from obstore.store import LocalStore

from stores.log.files import Directory, Root
from stores.log.local_files import LocalFiles
from stores.log.object_files import ObjectFiles
from tests.support.conformance import ENGINES

if TYPE_CHECKING:
    from tests.support.s3 import S3Server


@pytest.fixture(params=ENGINES)
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Return the directory where the engine keeps its rows; None for memory."""
    return tmp_path if request.param == "rocksdb" else None


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hosts poll the log so often that no test has to wait for it."""
    monkeypatch.setattr("stores.hosting.follower._REFRESH_S", 0.02)
    monkeypatch.setattr("stores.hosting.follower._BACKOFF_S", 0.01)
    monkeypatch.setattr("stores.hosting.schedule._LOCAL_MAX_S", 0.02)
    monkeypatch.setattr("stores.hosting.maintenance._PAUSE_S", 0.005)


@pytest.fixture(scope="module")
def s3_server() -> Iterator[S3Server]:
    # Imported on first use, because it loads moto.
    from tests.support.s3 import S3Server  # noqa: PLC0415

    server = S3Server()
    yield server
    server.stop()


@pytest.fixture
def s3(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """Return a server without faults, and set the variables that its clients read."""
    from tests.support.s3 import KEYS  # noqa: PLC0415

    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    s3_server.restore()
    yield s3_server
    s3_server.restore()


class OverLocalFiles(ObjectFiles):
    """Objects in local files, in which obstore cannot replace an object under a condition."""

    def replace_if(self, path: str, data: bytes, expected: bytes) -> bool:
        return LocalFiles().replace_if(path, data, expected)


@pytest.fixture(params=["local", "objects"])
def any_files(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep the log in local files, then in the same files by way of the code for object stores."""
    if request.param == "objects":
        store = LocalStore(automatic_cleanup=True)
        files = OverLocalFiles(store, single=store, origin="")
        opened = Directory.at

        def at(root: Root) -> Directory:
            found = opened(root)
            return Directory(files, found.path) if found.local else found

        monkeypatch.setattr(Directory, "at", staticmethod(at))
    return str(request.param)
