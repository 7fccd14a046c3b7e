"""The OpenAPI document: its routes, its examples, and answers that keep what it says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi import checks as openapi_checks
from starlette.applications import Starlette
from starlette.routing import Route

from stategate.gateway.access.peers import AllowedHosts
from stategate.gateway.access.rules import Access, AccessRules, Method
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.openapi.document import OPERATIONS, openapi_document
from stategate.gateway.http.openapi.schemas import SCHEMAS
from stategate.gateway.http.requests.fields import (
    BATCH_FIELDS,
    LOOKUP_FIELDS,
    QUERY_FIELDS,
    TYPED_FIELDS,
)
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.spec import registry
from stategate.stores.spec.query import Query
from stategate.stores.spec.registry import KEY, Remote, register_query
from stategate.stores.spec.schema import Key, StoreKind
from tests.support.process import ROOT
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
CARRIERS = keyvalue("carrier_delays", {"carrier": "text"}, {"flights": "bigint"}, partitions=2)
AIRCRAFT = keyvalue("aircraft", {"tailnum": "text"}, {"flights": "bigint"}, partitions=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class GreatestQuery(Query[int | None]):
    """The query that the documentation registers."""

    key: Key
    least: int = 0


def real_app() -> tuple[Starlette, list[Any]]:
    """Return the application of a gateway that has what the documentation asks for."""
    clicks, carriers, aircraft = open_store(CLICKS), open_store(CARRIERS), open_store(AIRCRAFT)
    fill(clicks, [("bob", 1), ("ann", 2)])
    catalog = FixedCatalog(clicks, carriers, aircraft)
    threads, engine = StatementThreads(count=2, queue_max=64), SqlEngine(catalog)
    services = Services(
        engine=engine,
        threads=threads,
        settings=Settings(live_lifetime_ms=20),
        describe_stores=lambda: [{"name": name, "replicas": []} for name in catalog.stores],
        not_ready=list,
        typed=TypedQueries(catalog),
    )
    rules = AccessRules(
        method=Method.TRUST,
        anonymous=True,
        tls_required=False,
        hosts=AllowedHosts(["testserver", "localhost"]),
    )
    return create_app(services, access=Access(rules=rules)), [threads, engine]


@pytest.fixture(scope="module")
def app() -> Iterator[Starlette]:
    arguments = {"key": KEY, "least": "bigint"}
    remote = Remote(name="greatest", arguments=arguments, result="bigint")
    made, parts = real_app()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_handlers", dict(registry._handlers))
        register_query(StoreKind.KEYVALUE, GreatestQuery, lambda *_: 1, remote=remote)
        yield made
    for each in parts:
        each.close()


async def test_each_route_is_described_and_each_description_has_a_route(
    client: httpx.AsyncClient, app: Starlette
) -> None:
    document = (await client.get("/openapi.json")).json()
    assert document["openapi"] == "3.1.0"
    listed = {(method.upper(), path) for path, ways in document["paths"].items() for method in ways}
    pages = {"/", "/console/{name:path}", "/docs", "/docs.css", "/docs.js"}
    routed = {
        (method, route.path.replace(":key}", "}"))
        for route in app.routes
        if isinstance(route, Route) and route.path not in pages
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert listed == routed
    assert set(OPERATIONS) - listed == {("GET", "/metrics")}, "there are no metrics here"
    references = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert references <= set(document["components"]["schemas"])


def test_a_route_without_a_description_is_noticed() -> None:
    with pytest.raises(KeyError):
        openapi_document([Route("/new", lambda _: None, methods=["GET"])], version="1")


def test_the_fields_are_those_that_are_read() -> None:
    assert set(SCHEMAS["Query"]["properties"]) == set(QUERY_FIELDS)
    assert set(SCHEMAS["TypedQuery"]["properties"]) == set(TYPED_FIELDS)
    both = [set(each["properties"]) for each in SCHEMAS["Batch"]["oneOf"]]
    assert both[0] | both[1] == set(BATCH_FIELDS)
    named = [each["name"] for each in OPERATIONS["GET", "/v1/query"]["parameters"]]
    assert named == list(QUERY_FIELDS)
    of_a_key = OPERATIONS["GET", "/v1/stores/{name}/{key}"]["parameters"]
    assert set(LOOKUP_FIELDS) <= {each["name"] for each in of_a_key}


def readme_requests() -> list[tuple[str, str, Any]]:
    """Return method, path and JSON body of each curl to `/v1` in the documentation."""
    found = []
    for name in ("README.md", "gateway/README.md", "gateway/HTTP.md"):
        for block in re.findall(r"^```sh\n(.*?)^```$", Path(ROOT / name).read_text(), re.M | re.S):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] != ["curl"]:
                    continue
                url = next(word for word in words if "/v1/" in word)
                data = words[words.index("-d") + 1] if "-d" in words else None
                path = "/v1/" + url.partition("/v1/")[2]
                found.append(("GET" if data is None else "POST", path, data))
    return found


@pytest.mark.parametrize(("method", "path", "data"), readme_requests())
async def test_each_request_of_the_readmes_is_in_the_document(
    client: httpx.AsyncClient, method: str, path: str, data: str | None
) -> None:
    document = (await client.get("/openapi.json")).json()
    bare = path.partition("?")[0]
    (described,) = [
        ways[method.lower()]
        for template, ways in document["paths"].items()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), bare)
        and method.lower() in ways
        and (template == bare or "{" in template)
    ][:1]
    if data is None:
        for name, text in parse_qsl(path.partition("?")[2]):
            (field,) = [each for each in described["parameters"] if each["name"] == name]
            assert name != "sql" or text in field["schema"]["examples"]
        return
    is_json = data.startswith("{")
    content = described["requestBody"]["content"]["application/json" if is_json else "text/plain"]
    asked = json.loads(data) if is_json else data
    assert asked in [each["value"] for each in content["examples"].values()]


async def test_pages_are_served_with_a_strict_policy(client: httpx.AsyncClient) -> None:
    total = 0
    for path, media_type in (
        ("/docs", "text/html"),
        ("/docs.css", "text/css"),
        ("/docs.js", "text/javascript"),
    ):
        response = await client.get(path)
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(media_type)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?://|<script>|style=| on\w+=", response.text)
        total += len(response.content)
    assert total < 20_000


# --- schemathesis ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def described(app: Starlette) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", app)


schema = schemathesis.pytest.from_fixture("described")


def no_bug(context: Any, response: Any, case: Any) -> None:
    """Check that nothing unplanned has happened; 501 and 503 are planned answers."""
    del context, case
    assert response.status_code not in {500, 502}, response.text


CHECKS = [
    no_bug,
    openapi_checks.negative_data_rejection,
    openapi_checks.unsupported_method,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]


@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: Any) -> None:
    case.call_and_validate(checks=CHECKS)
