"""`stategate health`: with TLS and without, where nothing answers, and what it trusts."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.gateway.access.tls import Tls
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from tests.gateway.client.serving import http_serving
from tests.gateway.conftest import FakeGateway
from tests.support.certificates import Signed, make_authority, make_server
from tests.support.command_line import Ended, stategate

Start = Callable[..., FakeGateway]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    directory = tmp_path_factory.mktemp("certificates")
    return make_server(directory, authority=make_authority(directory))


def asked(url: str, *arguments: str, host: str = "0.0.0.0", **environment: str) -> Ended:
    port = url.rpartition(":")[2]
    address = f"{host}:{port}"
    return stategate("health", *arguments, given=b"", STATEGATE_HTTP=address, **environment)


def test_a_gateway_that_answers_is_healthy(services: Services) -> None:
    with http_serving(services) as url:
        for host in ("0.0.0.0", "127.0.0.1", "localhost"):
            assert asked(url, host=host) == Ended(returncode=0, stdout="", stderr="")
        assert asked(url, "--ready").returncode == 0


@pytest.mark.parametrize("is_told", [True, False])
def test_so_is_one_with_a_certificate(services: Services, signed: Signed, *, is_told: bool) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    told = {
        "STATEGATE_TLS_CERTIFICATE": str(signed.certificate),
        "STATEGATE_TLS_KEY": str(signed.key),
    }
    with http_serving(services, tls=tls) as url:
        assert asked(url, **(told if is_told else {})).returncode == 0


def test_one_that_is_told_of_a_certificate_may_have_none(
    services: Services, signed: Signed
) -> None:
    with http_serving(services) as url:
        ended = asked(
            url,
            STATEGATE_TLS_CERTIFICATE=str(signed.certificate),
            STATEGATE_TLS_KEY=str(signed.key),
        )
    assert ended.returncode == 0


def test_restoring_is_healthy_and_not_ready(services: Services) -> None:
    unready = replace(services, not_ready=lambda: ["clicks[0] is restoring"])
    with http_serving(unready) as url:
        assert asked(url).returncode == 0
        ended = asked(url, "--ready")
    assert (ended.returncode, ended.stderr) == (1, "/readyz says 503\n")


def test_a_listed_proxy_on_this_machine_sends_a_header(services: Services) -> None:
    settings = Settings(proxies="127.0.0.1", proxy_protocol="http")
    with http_serving(services, settings=settings) as url:
        assert asked(url).returncode == 1
        told = {"STATEGATE_PROXIES": "127.0.0.1", "STATEGATE_PROXY_PROTOCOL": "both"}
        assert asked(url, **told).returncode == 0


def test_where_nothing_listens_it_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    ended = asked(f":{port}")
    assert ended.returncode == 1
    assert ended.stderr.startswith("no answer: ")


def test_beyond_loopback_only_our_own_certificate_is_trusted(
    services: Services, signed: Signed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address of a listener may have moved to another machine."""
    monkeypatch.setattr("stategate.gateway.cli.health_command._is_loopback", lambda host: False)
    other = make_server(tmp_path, authority=make_authority(tmp_path))
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with http_serving(services, tls=tls) as url:
        for each, status in ((signed, 0), (other, 1)):
            told = {
                "STATEGATE_TLS_CERTIFICATE": str(each.certificate),
                "STATEGATE_TLS_KEY": str(each.key),
            }
            assert asked(url, host="127.0.0.1", **told).returncode == status


def test_wrong_settings_are_told(services: Services) -> None:
    ended = stategate("health", STATEGATE_HTTP="nowhere")
    assert ended.returncode == 2
    assert 'setting "http"' in ended.stderr
