"""Fixtures of all store tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from obstore.store import LocalStore

from stategate.stores.log.files.directory import Directory, Root
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.files.objects import ObjectFiles
from tests.support.conformance import ENGINES
from tests.support.object_storage.bucket_services import SERVICES, Servers, running_service
from tests.support.object_storage.buckets import BucketServer


@pytest.fixture(params=ENGINES)
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Return the directory where the engine keeps its rows; None for memory."""
    return tmp_path if request.param == "rocksdb" else None


@pytest.fixture(scope="session")
def bucket_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return a function that gives the server of an object store, which all tests share."""
    with ExitStack() as stack:

        @cache
        def server(name: str) -> BucketServer:
            directory = tmp_path_factory.mktemp(name)
            return stack.enter_context(running_service(name, directory))

        yield server


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> str:
    """Return the name of an object store."""
    return str(request.param)


@pytest.fixture
def buckets(
    service: str, bucket_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> Iterator[BucketServer]:
    """Return a server without faults, and set the variables that its clients read."""
    yield from _prepared(bucket_servers(service), monkeypatch)


@pytest.fixture
def s3(bucket_servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Iterator[BucketServer]:
    """Return S3, as `buckets` does."""
    yield from _prepared(bucket_servers("s3"), monkeypatch)


def _prepared(server: BucketServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[BucketServer]:
    for name, value in server.service.keys.items():
        monkeypatch.setenv(name, value)
    server.restore()
    yield server
    server.restore()


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
