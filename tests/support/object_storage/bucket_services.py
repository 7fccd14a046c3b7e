"""The object stores that tests run on, by name, and how each is started.

Two of them are in Python. The others are emulators: Azurite and fake-gcs-server, which
`make buckets` installs by npm and Go. Without them their tests are skipped.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from socket import create_connection
from typing import Any, TypeAlias

import pytest

from tests.clients.environments import installed
from tests.support.object_storage.azure import azure_service
from tests.support.object_storage.buckets import BucketServer
from tests.support.object_storage.gcs import gcs_service
from tests.support.object_storage.gcs_emulator import FakeGcs
from tests.support.process import ServerProcess, free_ports

SERVICES: Sequence[Any] = (
    "s3",
    "gcs",
    pytest.param("azurite", marks=pytest.mark.buckets),
    pytest.param("fake-gcs-server", marks=pytest.mark.buckets),
)
"""Names of object stores, as parameters of a test."""
Servers: TypeAlias = Callable[[str], BucketServer]
"""Returns the server of an object store by its name."""


@contextmanager
def running_service(name: str, directory: Path) -> Iterator[BucketServer]:
    """Start the server of an object store; skip the test if its emulator is not installed."""
    # moto takes a second to load, which only its tests should wait for.
    if name == "s3":
        from tests.support.object_storage.s3 import s3_service  # noqa: PLC0415

        with _served(BucketServer(s3_service())) as server:
            yield server
    elif name == "gcs":
        with _served(BucketServer(gcs_service())) as server:
            yield server
    else:
        with _emulator(name, directory) as address:
            service = azure_service(address) if name == "azurite" else gcs_service(FakeGcs(address))
            with _served(BucketServer(service)) as server:
                yield server


@contextmanager
def _served(server: BucketServer) -> Iterator[BucketServer]:
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def _emulator(name: str, directory: Path) -> Iterator[str]:
    made, (port,) = installed(name), free_ports(1)
    if made is None:
        pytest.skip(f"{name} is not installed: run `make buckets`")
    if name == "azurite":
        main = made.first("azurite/dist/src/blob/main.js")
        started = f"node {main} --blobHost 127.0.0.1 --blobPort {port} --location {directory}"
        started += " --silent --disableTelemetry --skipApiVersionCheck"
    else:
        started = f"{made.path}/bin/{name} -scheme http -host 127.0.0.1 -port {port}"
        started += " -backend memory -log-level error"
    command = shlex.split(started)
    ready = partial(_takes_connections, port)
    with ServerProcess(command, output=directory / "output", ready=ready):
        yield f"127.0.0.1:{port}"


def _takes_connections(port: int) -> bool:
    try:
        create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
