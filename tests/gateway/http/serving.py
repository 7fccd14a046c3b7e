"""The services of a gateway over stores in memory, for applications without a socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.spec.store import Store
from tests.gateway.client.serving import services_of
from tests.support.stores import FixedCatalog


@contextmanager
def serving(*stores: Store, settings: Settings | None = None) -> Iterator[Services]:
    """Yield the services of a gateway over these stores, with an engine of its own."""
    catalog = FixedCatalog(*stores)
    with (
        closing(SqlEngine(catalog)) as engine,
        services_of(
            engine, typed=TypedQueries(catalog), settings=settings or Settings()
        ) as services,
    ):
        yield services
        services.pages.close()
