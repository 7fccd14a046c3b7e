"""Pages of other origins: refused, or allowed by the list; preflights; links."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.responses import Response

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.origins import AllowedOrigins, CrossOriginRequests

pytestmark = pytest.mark.anyio

TOOLS, EVIL = "https://tools.example:8443", "https://evil.example"
ASKED = "/v1/query?sql=SELECT 1"


@pytest.fixture
async def allowing(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(services, origins=AllowedOrigins([TOOLS, " http://localhost:3000"]))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://public.example"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": EVIL}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "null", "Host": ""}, 403),
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": EVIL}, 403),
        (
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document",
            },
            200,
        ),
        (
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "iframe",
            },
            403,
        ),
    ],
)
async def test_no_page_of_another_origin_makes_the_gateway_work(
    client: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    for response in (
        await client.get(ASKED, headers=headers),
        await client.post("/v1/query", json={"sql": "SELECT 1"}, headers=headers),
        await client.get("/v1/stores", headers=headers),
        await client.post(
            "/v1/query", content="SELECT 1", headers={**headers, "Content-Type": "text/plain"}
        ),
    ):
        assert response.status_code == status
        assert "access-control-allow-origin" not in response.headers
    if status == 403:
        assert response.json()["error"]["sqlstate"] == "42501"


async def test_a_page_of_the_list_reads_answers_and_errors(allowing: httpx.AsyncClient) -> None:
    headers = {"Origin": TOOLS, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    for path, status in ((ASKED, 200), ("/v1/query?sql=SELEKT", 400), ("/nowhere", 404)):
        response = await allowing.get(path, headers=headers)
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == TOOLS
        assert "ETag" in response.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in response.headers
        assert "Origin" in response.headers["vary"]
    refused = await allowing.get(ASKED, headers={"Origin": EVIL})
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize("vary", ["", "Accept", "Accept, Origin", "origin,Accept"])
async def test_an_answer_varies_once_by_its_origin(vary: str) -> None:
    answer = Response(headers={"Vary": vary} if vary else None)
    app = CrossOriginRequests(answer, allowed=AllowedOrigins([TOOLS]))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        response = await made.get("/", headers={"Origin": TOOLS})
    names = [each.strip().lower() for each in response.headers["vary"].split(",")]
    assert names.count("origin") == 1
    assert ("accept" in names) == bool(vary)


async def test_a_preflight_needs_no_credentials(
    allowing: httpx.AsyncClient, client: httpx.AsyncClient
) -> None:
    asked = {"Origin": TOOLS, "Access-Control-Request-Method": "POST"}
    response = await allowing.request("OPTIONS", "/v1/query", headers=asked)
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == TOOLS
    assert "POST" in response.headers["access-control-allow-methods"]
    assert "Authorization" in response.headers["access-control-allow-headers"]
    for refusing, origin in ((allowing, EVIL), (client, TOOLS)):
        refused = await refusing.request(
            "OPTIONS", "/v1/query", headers={**asked, "Origin": origin}
        )
        assert refused.status_code == 204
        assert not [name for name in refused.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "origin",
    ["*", "https://*.example", "tools.example", "https://tools.example/", "HTTPS://tools.example",
     "https://user@tools.example", "ftp://tools.example", "null", "https://"],
)  # fmt: skip
def test_only_origins_are_accepted(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin"):
        AllowedOrigins([origin])


def test_an_empty_list_allows_no_one() -> None:
    assert not AllowedOrigins(["", " "])
    assert TOOLS not in AllowedOrigins()
    assert TOOLS in AllowedOrigins([TOOLS])
