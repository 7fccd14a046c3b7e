"""URLs, credentials and certificates, and what an import of the client loads."""

from __future__ import annotations

import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import stategate
from stategate.credentials import authorization, checked_urls
from stategate.gateway.access.changing_users import add_token
from stategate.gateway.access.tls import Tls
from tests.gateway.client.serving import http_serving, services_of
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.support.certificates import Signed, make_authority, make_server
from tests.support.fake_engine import FakeEngine
from tests.support.process import ROOT, plain_environment

HEAVY = (
    *("duckdb", "rocksdict", "sqlglot", "pyspark", "pyarrow", "numpy", "pandas", "polars"),
    *("starlette", "uvicorn", "stategate.gateway", "stategate.planner", "stategate.stores"),
)


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    directory = tmp_path_factory.mktemp("certificates")
    return make_server(directory, authority=make_authority(directory))


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_users(tmp_path_factory.mktemp("users"))


@pytest.fixture(scope="module")
def guarded(users: Path, signed: Signed) -> Iterator[str]:
    """A gateway with users and a certificate; its URL."""
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with (
        access_of(users) as access,
        services_of(FakeEngine()) as services,
        http_serving(services, access=access, tls=tls) as url,
    ):
        yield url


def test_users_and_tokens_over_tls(guarded: str, users: Path, signed: Signed) -> None:
    trusting = ssl.create_default_context(cafile=signed.authority)
    for options in (
        stategate.ConnectOptions(user=USER, password=PASSWORD, tls=trusting),
        stategate.ConnectOptions(token=add_token(users, name=USER), tls=trusting),
    ):
        with stategate.connect(guarded, **options) as db:
            assert db.execute("SELECT v FROM kv WHERE k = 1").fetchall() == [("value-1",)]
    with (
        stategate.connect(guarded, tls=trusting, user=USER, password="wrong") as db,
        pytest.raises(stategate.OperationalError) as raised,
    ):
        db.execute("SELECT 1")
    assert (raised.value.sqlstate, raised.value.retryable) == ("28P01", False)


def test_an_unknown_authority_is_refused_at_once(guarded: str) -> None:
    with (
        stategate.connect(guarded, user=USER, password=PASSWORD) as db,
        pytest.raises(stategate.OperationalError, match="certificate verify failed") as raised,
    ):
        db.execute("SELECT 1")
    assert (raised.value.retryable, "tls=" in str(raised.value)) == (False, True)


@pytest.mark.parametrize(
    "url",
    [
        *("", "127.0.0.1:7420", "ftp://x", "http://", "http://x:port", "http://x?a=1"),
        *("http://joe:secret@x", []),
    ],
)
def test_malformed_urls_are_refused(url: str | list[str]) -> None:
    with pytest.raises(stategate.InterfaceError) as raised:
        stategate.connect(url)
    assert "secret" not in str(raised.value) or isinstance(url, list)


def test_urls_lose_their_last_slash() -> None:
    assert checked_urls(["http://a:1/", "https://[::1]/x/"]) == ("http://a:1", "https://[::1]/x")


@pytest.mark.parametrize(
    ("given", "environment", "header"),
    [
        ({}, {}, None),
        ({"token": "t"}, {}, "Bearer t"),
        ({"user": "u", "password": "p"}, {"STATEGATE_TOKEN": "x"}, "Basic dTpw"),
        ({}, {"STATEGATE_TOKEN": "t", "STATEGATE_USER": "u"}, "Bearer t"),
        ({}, {"STATEGATE_USER": "u", "STATEGATE_PASSWORD": "p"}, "Basic dTpw"),
        ({}, {"STATEGATE_USER": "u"}, None),
    ],
)
def test_credentials(
    given: dict[str, str], environment: dict[str, str], header: str | None
) -> None:
    arguments = {"user": None, "password": None, "token": None, **given}
    found = authorization(["http://127.0.0.1:1"], environment=environment, **arguments)
    assert found == header


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("http://gateway.example", {"token": "t"}),
        ("http://localhost", {"user": "u"}),
        ("http://localhost", {"password": "p"}),
        ("http://localhost", {"user": "u", "password": "p", "token": "t"}),
        ("http://localhost", {"attempts_max": 0}),
        ("http://localhost", {"attempts_max": 2.0}),
        ("http://localhost", {"connections_max": True}),
        ("http://localhost", {"timeout_s": "5"}),
        ("http://localhost", {"timeout": 5}),
    ],
)
def test_wrong_arguments_are_refused(url: str, options: stategate.ConnectOptions) -> None:
    with pytest.raises(stategate.InterfaceError):
        stategate.connect(url, **options)


def test_an_import_loads_little() -> None:
    """Not even pyarrow, before a table is asked for."""
    program = f"import sys, stategate; print([n for n in {HEAVY!r} if n in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert found.stdout.strip() == "[]"
