"""Host names that a gateway without users accepts: not those of web pages."""

from __future__ import annotations

import httpx
import pytest

from gateway.access.from_settings import open_access
from gateway.access.host_header import AllowedHosts
from gateway.access.rules import Access, AccessRules
from gateway.http.app import create_app
from gateway.http.routes import Services
from gateway.settings import Settings
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.test_authentication import FAR, basic

pytestmark = pytest.mark.anyio


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
async def test_a_page_that_points_its_name_at_us_is_refused(
    services: Services, host: str, status: int
) -> None:
    access = Access()
    assert await ask(services, access, host) == status
    # Headers that a page can set change nothing.
    spoofed = {"X-Forwarded-Host": "localhost", "X-Forwarded-Proto": "https", "Origin": "null"}
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
