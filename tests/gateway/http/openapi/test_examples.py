"""Each example of the OpenAPI document works on the gateway that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.planner.values.rights import Readable, Rights
from stategate.stores.spec.schema import StoreKind, StoreSchema
from tests.gateway.client.serving import services_of
from tests.gateway.http.live.test_subscribing import Subscriber
from tests.gateway.http.serving import serving
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, timed, window

pytestmark = pytest.mark.anyio

CARRIERS = keyvalue("carrier_delays", {"carrier": "text"}, {"flights": "bigint"}, partitions=2)
AIRPORTS = window("airport_hours", {"origin": "text"}, {"flights": "bigint"}, partitions=2)
AIRCRAFT = keyvalue("aircraft", {"tailnum": "text"}, {"flights": "bigint"}, partitions=2)
"""The stores of the demo."""
GATEWAYS: dict[str, list[StoreSchema]] = {
    "empty": [],
    "demo": [CARRIERS, AIRPORTS, AIRCRAFT],
    "clicks": [keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)],
    "other clicks": [keyvalue("clicks", {"id": "bigint"}, {"n": "bigint"}, partitions=2)],
    "window": [AIRPORTS],
    "session": [timed(StoreKind.SESSION, "Visits", {"k": "text"}, {"n": "bigint"}, partitions=2)],
    "versioned": [timed(StoreKind.VERSIONED, "order", {"k": "bigint"}, {"n": "bigint"})],
}


@pytest.fixture(params=list(GATEWAYS))
def services(request: pytest.FixtureRequest) -> Iterator[Services]:
    stores = [open_store(schema) for schema in GATEWAYS[request.param]]
    if request.param == "clicks":
        fill(stores[0], [("ann", 1), ("bob", 2)])
    described = [{"name": each.schema.name, "replicas": []} for each in stores]
    with serving(*stores, settings=Settings(live_lifetime_ms=20)) as made:
        yield replace(made, describe_stores=lambda: described)


async def document_of(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/openapi.json")).json()
    return found


def bodies(operation: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the media type and the value of each example of a body."""
    content = operation.get("requestBody", {"content": {}})["content"]
    return [
        (media_type, example["value"])
        for media_type, described in content.items()
        for example in described.get("examples", {}).values()
    ]


async def test_each_example_works(services: Services) -> None:
    app = create_app(services)
    transport = httpx.ASGITransport(app=app)
    asked = 0
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        document = await document_of(client)
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                fields = {each["name"]: each for each in operation.get("parameters", ())}
                statements = fields.get("sql", {"schema": {}})["schema"].get("examples", [])
                for sql in statements if path == "/v1/subscribe" else ():
                    subscriber = Subscriber(app, sql)
                    await subscriber.begun()
                    await subscriber.leave()
                for sql in statements if path == "/v1/query" else ():
                    response = await client.get(path, params={"sql": sql})
                    assert response.status_code == 200, (sql, response.text)
                target = path.replace("{name}", fields.get("name", {}).get("example", "missing"))
                for media_type, value in bodies(operation):
                    given = {"json": value} if media_type.endswith("json") else {"content": value}
                    headers = {"Content-Type": media_type}
                    params = {"param.usr": "bob"} if ":usr" in value else {}
                    response = await client.request(
                        method, target, headers=headers, params=params, **given
                    )
                    assert response.status_code == 200, (value, response.text)
                    assert "error" not in response.json(), value
                    assert '"sqlstate"' not in response.text, value
                    asked += 1
    assert asked >= 2


async def test_a_user_sees_examples_of_its_stores() -> None:
    rights = Rights()
    rights.by_user = {"stategate": Readable(["aircraft"])}
    catalog = FixedCatalog(*map(open_store, GATEWAYS["demo"]))
    described = [{"name": name, "replicas": []} for name in catalog.stores]
    with (
        closing(SqlEngine(catalog, rights=rights)) as engine,
        services_of(engine, typed=TypedQueries(catalog, rights=rights)) as services,
    ):
        served = replace(services, describe_stores=lambda: described, rights=rights)
        transport = httpx.ASGITransport(app=create_app(served))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            document = await document_of(client)
    assert "aircraft" in str(document["paths"])
    assert "carrier_delays" not in str(document)
