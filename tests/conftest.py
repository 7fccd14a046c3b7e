"""What all tests share: how Hypothesis draws, and a gateway for tests that come as clients."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from stores.spec import registry

if TYPE_CHECKING:
    from tests.support.gateway import Gateway

# The same examples in every run, so that a failure is of the change and not of the day; no
# deadline, because the time of one example says nothing where cores are shared.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
# New examples each time: run the laws often while developing, and they find more.
settings.register_profile("dev", deadline=None, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever uses the running gateway, so that `-m "not server"` leaves it out.

    And group what runs in one process where there are several: a module, whose fixtures are made
    once then, and all that needs Spark, so that there is one JVM.
    """
    for item in items:
        group = "spark" if item.get_closest_marker("spark") else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
        if "gateway" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.server)


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway over the known stores of `tests.support.gateway`; nobody may change it."""
    # Imported when it is first used: it loads pyarrow, which most selections of tests never need.
    from tests.support.gateway import running_gateway, write_stores  # noqa: PLC0415

    directory = tmp_path_factory.mktemp("gateway")
    root = directory / "log"
    write_stores(root)
    with running_gateway(root, directory) as running:
        yield running


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds and queries that the test registers are forgotten when it ends."""
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    monkeypatch.setattr(registry, "_handlers", dict(registry._handlers))
