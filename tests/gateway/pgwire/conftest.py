"""Fixtures of the Postgres wire tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stategate.gateway.access.tls import Tls
from tests.gateway.credentials import access_of, make_users
from tests.gateway.pgwire.serving import Serving, serving
from tests.support.certificates import Signed, make_authority, make_server


@pytest.fixture(params=[True, False], ids=["recalls", "forgets"])
def gateway(request: pytest.FixtureRequest) -> Iterator[Serving]:
    """Run a server with the default limits; its engine plans short statements at once, or never."""
    with serving(recalls=request.param) as running:
        yield running


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authentication")


@pytest.fixture(scope="module")
def users(directory: Path) -> Path:
    return make_users(directory)


@pytest.fixture(scope="module")
def signed(directory: Path) -> Signed:
    return make_server(directory, authority=make_authority(directory))


@pytest.fixture(scope="module")
def guarded(users: Path, signed: Signed) -> Iterator[Serving]:
    """Run a server that requires SCRAM and has a certificate, as beyond loopback."""
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with access_of(users) as access, serving(access=access, tls=tls) as running:
        yield running
