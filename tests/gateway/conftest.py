"""One application over the fake engine, and a client of it that needs no socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from starlette.applications import Starlette

from gateway.app import create_app
from gateway.routes import Services
from gateway.settings import Settings
from gateway.workers import Workers
from tests.gateway.http_engine import FakeEngine


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers(threads=2, queue_max=8)
    yield made
    made.close()


STORES: list[dict[str, object]] = [
    {"name": "clicks", "kind": "keyvalue", "replicas": [{"partition": 0, "state": "running"}]}
]


@pytest.fixture
def services(engine: FakeEngine, workers: Workers) -> Services:
    return Services(
        engine=engine,
        workers=workers,
        settings=Settings(chunk_bytes=16 << 10),
        describe_stores=lambda: STORES,
        not_ready=list,
    )


@pytest.fixture
def app(services: Services) -> Starlette:
    return create_app(services)


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    """The loop that the gateway runs on; trio is not served."""
    return "asyncio"
