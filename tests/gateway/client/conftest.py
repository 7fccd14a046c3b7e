"""Gateways of the client's tests: the fake engine, and a real one over stores in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import stategate
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.client.serving import http_serving, services_of
from tests.support.fake_engine import FakeEngine
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "paid": "decimal(9,2)"}, partitions=2)
USERS = 2_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """A gateway over one store, whose epochs a test applies."""

    url: str
    store: LocalStore

    def apply(self, epoch: int) -> None:
        """Apply an epoch, which sets the number of each user to it; its offset is its number."""
        fill(self.store, [(f"u{n:05}", epoch, None) for n in range(USERS)], epoch=epoch)


@pytest.fixture(scope="module")
def fake_engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture(scope="module")
def fake_url(fake_engine: FakeEngine) -> Iterator[str]:
    """A gateway over the fake engine."""
    with services_of(fake_engine) as services, http_serving(services) as url:
        yield url


@pytest.fixture(scope="module")
def clicks() -> Iterator[Clicks]:
    """A gateway over the store `clicks`, at epoch 0."""
    store = open_store(CLICKS)
    catalog = FixedCatalog(store)
    engine = SqlEngine(catalog)
    with (
        services_of(engine, typed=TypedQueries(catalog)) as services,
        http_serving(services) as url,
    ):
        found = Clicks(url=url, store=store)
        found.apply(0)
        yield found
    engine.close()


@pytest.fixture
def db(fake_url: str) -> Iterator[stategate.Connection]:
    """A connection to the fake engine."""
    with stategate.connect(fake_url) as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
