"""A store that is subscribed to, and the services of a gateway over it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "at": "timestamptz"}, partitions=2)


@pytest.fixture
def clicks() -> LocalStore:
    store = open_store(CLICKS)
    fill(store, [("ann", 1, 0), ("bob", 2, None)])
    return store


@pytest.fixture
def live_engine(clicks: LocalStore) -> Iterator[SqlEngine]:
    made = SqlEngine(FixedCatalog(clicks), live=LiveLimits(bytes_max=200_000))
    yield made
    made.close()


@pytest.fixture
def live_services(live_engine: SqlEngine) -> Iterator[Services]:
    threads = StatementThreads(count=2, queue_max=8)
    yield Services(
        engine=live_engine,
        threads=threads,
        settings=Settings(live_lifetime_ms=300_000, stall_timeout_ms=300_000),
        describe_stores=list,
        not_ready=list,
    )
    threads.close()
