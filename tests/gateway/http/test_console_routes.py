"""The console's files: open, checked by tag, compressed, and held to a strict policy."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pyarrow as pa
import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.planner.engine import FUNCTIONS
from tests.gateway.credentials import access_of, make_users

pytestmark = pytest.mark.anyio


async def test_the_page_has_a_nonce_of_its_own(client: httpx.AsyncClient) -> None:
    nonces = set()
    for _ in range(3):
        response = await client.get("/")
        assert response.headers["content-type"].startswith("text/html")
        assert response.headers["cache-control"] == "no-store"
        policy = response.headers["content-security-policy"]
        (nonce,) = re.findall(r"'nonce-([\w-]{20,})'", policy)
        assert f'nonce="{nonce}"' in response.text
        assert "{nonce}" not in response.text + policy
        nonces.add(nonce)
    assert len(nonces) == 3


async def test_the_policy_is_strict(client: httpx.AsyncClient) -> None:
    response = await client.get("/")
    policy = response.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert {"require-trusted-types-for 'script'", "trusted-types 'none'"} <= set(policy)
    assert not [each for each in policy if "unsafe" in each or "data:" in each or "http" in each]
    assert not re.search(r"https?://|<script>| style=| on\w+=", response.text)


async def test_all_that_the_page_names_is_served(client: httpx.AsyncClient) -> None:
    page = (await client.get("/")).text
    seen, ahead = set[str](), re.findall(r'(?:src|href)="(console/[^"]+)"', page)
    assert len(ahead) >= 5
    while ahead:
        path = ahead.pop()
        response = await client.get(f"/{path}")
        assert response.status_code == 200, path
        seen.add(path)
        if path.endswith(".js") and "vendor" not in path:
            assert not re.search(
                r"innerHTML|insertAdjacentHTML|document\.write|eval\(", response.text
            )
            names = re.findall(r'from "\./([^"]+)"', response.text)
            ahead += [f"console/{name}" for name in names if f"console/{name}" not in seen]
    assert {"console/query.js", "console/vendor/codemirror.js", "console/vendor/uplot.js"} <= seen


async def test_a_kept_file_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/console/main.js")
    assert first.headers["content-type"].startswith("text/javascript")
    again = await client.get("/console/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await client.get("/console/main.js", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


def unzstd(raw: bytes) -> bytes:
    found: bytes = pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read()
    return found


@pytest.mark.parametrize(
    ("accepted", "coding", "decode"),
    [
        ("gzip", "gzip", gzip.decompress),
        ("gzip, br, zstd", "zstd", unzstd),
        ("gzip;q=0", None, bytes),
        ("br", None, bytes),
    ],
)
async def test_files_are_compressed_for_those_who_accept_it(
    client: httpx.AsyncClient, accepted: str, coding: str | None, decode: Callable[[bytes], bytes]
) -> None:
    path = "/console/base.css"
    plain = await client.get(path, headers={"Accept-Encoding": "identity"})
    async with client.stream("GET", path, headers={"Accept-Encoding": accepted}) as response:
        raw = b"".join([part async for part in response.aiter_raw()])
    assert response.headers.get("content-encoding") == coding
    assert decode(raw) == plain.content
    assert coding is None or len(raw) < len(plain.content) / 2


async def test_the_functions_are_those_that_run(client: httpx.AsyncClient) -> None:
    assert set((await client.get("/console/functions.json")).json()["functions"]) == FUNCTIONS


@pytest.mark.parametrize("path", ["/console/", "/console/none.js", "/console/..%2Fdocs.html"])
async def test_there_are_no_other_files(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["sqlstate"] == "08P01"


async def test_files_need_no_login_and_nothing_else_is_open(
    services: Services, tmp_path: Path
) -> None:
    with access_of(make_users(tmp_path)) as access:
        transport = httpx.ASGITransport(create_app(services, access=access))
        async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
            for path in ("/", "/console/main.js", "/console/vendor/uplot.css"):
                assert (await client.get(path)).status_code == 200
            for path in ("/docs", "/docs.css", "/docs.js"):
                assert (await client.get(path)).status_code == 200
            for path in ("/v1/stores", "/openapi.json", "/docs/", "/console", "/x/console/main.js"):
                assert (await client.get(path)).status_code == 401
