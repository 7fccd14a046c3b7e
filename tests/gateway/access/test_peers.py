"""Finding the client behind proxies, and the Host header of requests without credentials."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.peers import AllowedHosts, Peer, Proxies
from stategate.gateway.access.rules import Access, AccessRules
from stategate.gateway.admission import open_access, open_proxies
from stategate.gateway.errors import SettingsError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.settings_sources import load_settings
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.test_authentication import FAR, basic

OURS = Proxies(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])
pytestmark = pytest.mark.anyio


def told(*values: str, name: str = "x-forwarded-for") -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost"), *((name.encode(), value.encode()) for value in values)]


def test_without_a_proxy_the_connection_decides() -> None:
    for proxies in (Proxies(), OURS):
        peer = proxies.peer("127.0.0.1", told(), secured=False)
        assert (peer.address, peer.loopback, peer.is_confidential) == ("127.0.0.1", True, True)
        assert proxies.peer(None, told(), secured=True) == Peer(address=None, secured=True)


@pytest.mark.parametrize("name", ["x-forwarded-for", "forwarded", "x-real-ip"])
@pytest.mark.parametrize("source", ["127.0.0.1", "192.0.2.1", None])
def test_an_untrusted_proxy_counts_as_the_client_and_is_not_loopback(
    name: str, source: str | None
) -> None:
    headers = [*told("203.0.113.9", name=name), (b"x-forwarded-proto", b"https")]
    peer = Proxies().peer(source, headers, secured=False)
    assert (peer.address, peer.loopback, peer.is_confidential) == (source, False, False)


@pytest.mark.parametrize(
    ("values", "address"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9:5000"], "203.0.113.9"),
        (["[2001:db9::1]:5000"], "2001:db9::1"),
        (["2001:db9::1"], "2001:db9::1"),
        # The client wrote the first address; our proxies appended theirs.
        (["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9", "10.1.2.3"], "203.0.113.9"),
        (["203.0.113.9, ::ffff:10.1.2.3, 2001:db8::7"], "203.0.113.9"),
        (["127.0.0.1"], None),
        (["203.0.113.9, unknown"], None),
        ([""], None),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_trusted_proxy(
    values: list[str], address: str | None
) -> None:
    peer = OURS.peer("127.0.0.1", told(*values), secured=False)
    assert (peer.address, peer.loopback, peer.is_confidential) == (address, False, False)


@pytest.mark.parametrize(("scheme", "secured"), [("https", True), ("HTTPS", True), ("http", False)])
def test_a_trusted_proxy_reports_its_client_s_tls(scheme: str, *, secured: bool) -> None:
    headers = [*told("203.0.113.9"), (b"x-forwarded-proto", scheme.encode())]
    assert OURS.peer("10.0.0.1", headers, secured=True).is_confidential is secured


@given(st.lists(st.text(max_size=20), max_size=5), st.sampled_from(["127.0.0.1", "192.0.2.1"]))
def test_no_header_makes_a_client_local(values: list[str], source: str) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in values]
    peer = OURS.peer(source, headers, secured=False)
    assert peer.loopback is (source == "127.0.0.1" and not values)


def test_a_malformed_network_is_refused() -> None:
    with pytest.raises(SettingsError, match=r'setting "proxies": .*nginx'):
        open_proxies(Settings(proxies="10.0.0.1, nginx"))


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("localhost", True),
        ("LOCALHOST.:7420", True),
        ("app.localhost:7420", True),
        ("127.0.0.1", True),
        ("127.0.0.1:7420", True),
        ("[::1]:7420", True),
        ("10.1.2.3:80", True),
        ("gateway.example", True),
        ("Gateway.Example.:7420", True),
        ("evil.example", False),
        ("evil.example:7420", False),
        ("localhost.evil.example", False),
        ("notlocalhost", False),
        ("127.0.0.1.evil.example", False),
        ("evil.example:localhost", False),
        ("localhost@evil.example", False),
        ("localhost/evil.example", False),
        ("[localhost]", False),
        ("::1", False),
        ("", False),
        (":7420", False),
        ("2130706433", False),
        ("x" * 100_000, False),
        ("a." * 200 + "localhost", False),
    ],
)
def test_accepted_host_names(header: str, taken: bool) -> None:
    hosts = AllowedHosts([" gateway.example."])
    for _ in range(2):  # decided, then remembered
        assert hosts.allows(header.encode()) == taken


def test_the_cache_is_bounded() -> None:
    hosts = AllowedHosts()
    for number in range(10_000):
        assert not hosts.allows(b"%d.evil.example" % number)
    assert len(hosts._known) < 1000
    assert hosts.allows(b"localhost")


async def ask(services: Services, access: Access, host: str | None, **headers: str) -> int:
    app = create_app(services, access=access)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        if host is None:
            del client.headers["Host"]
        else:
            headers["Host"] = host
        response = await client.post("/v1/query", json={"sql": "SELECT 1"}, headers=headers)
        probe = await client.get("/healthz", headers=headers)
        assert probe.status_code == 200
        ready = await client.get("/readyz", headers=headers)
        assert "clicks" not in ready.text or response.status_code == 200
    if response.status_code == 403:
        assert "http_hosts" in response.json()["error"]["hint"]
        assert response.json()["error"]["sqlstate"] == "28000"
    return response.status_code


@pytest.mark.parametrize(
    ("host", "status"), [("127.0.0.1:7420", 200), ("evil.example:7420", 403), ("gateway", 403)]
)
async def test_a_page_whose_name_resolves_to_the_gateway_is_refused(
    services: Services, host: str, status: int
) -> None:
    access = Access()
    assert await ask(services, access, host) == status
    # Headers that a page can set change nothing. What its origin changes is in test_origins.
    spoofed = {"X-Forwarded-Host": "localhost", "X-Forwarded-Proto": "https"}
    assert await ask(services, access, host, **spoofed) == status
    access.close()


async def test_host_names_are_a_setting_and_apply_to_all_anonymous_clients(
    services: Services,
) -> None:
    access = open_access(Settings(http_hosts="a.example, gateway"))
    assert await ask(services, access, "gateway:7420") == 200
    assert await ask(services, access, "b.example") == 403
    access.close()
    everybody = Access(rules=AccessRules(anonymous=True))
    app = create_app(services, access=everybody)
    transport = httpx.ASGITransport(app=app, client=(FAR, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as client:
        assert (await client.get("/v1/stores")).status_code == 403
    everybody.close()


async def test_one_wrong_host_name_is_enough(services: Services) -> None:
    access = Access()
    app = create_app(services, access=access)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for two in (("localhost", "evil.example"), ("evil.example", "localhost")):
            headers = [("Host", each) for each in two]
            assert (await client.get("/v1/stores", headers=headers)).status_code == 403
    access.close()


async def test_users_are_asked_for_credentials_under_any_host_name(
    services: Services, tmp_path_factory: pytest.TempPathFactory
) -> None:
    users = make_users(tmp_path_factory.mktemp("users"))
    with access_of(users) as access:
        assert await ask(services, access, "any.example") == 401
        assert await ask(services, access, "any.example", **basic(USER, PASSWORD)) == 200


@pytest.mark.parametrize(
    ("more", "warns"),
    [
        ({"http": "0.0.0.0:0"}, True),
        ({"http": "127.0.0.1:0"}, False),
        ({"http": "0.0.0.0:0", "proxies": "10.0.0.1"}, False),
        ({"http": "0.0.0.0:0", "tls_certificate": "c", "tls_key": "k"}, False),
    ],
)
def test_users_without_a_certificate_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, more: dict[str, str], *, warns: bool
) -> None:
    given = {"users": str(make_users(tmp_path)), **more}
    open_access(load_settings(environment={}, overrides=given)).close()
    assert ("there is no certificate" in caplog.text) == warns
