"""Fixtures of the client tests: a gateway over stores made for them, and their environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.clients.environments import Made, NotInstalled, make
from tests.clients.stores import write_client_stores
from tests.support.gateway import Gateway, running_gateway

CLIENT_TIMEOUT_S = 700
"""Of one test: the first of a client may have to install it."""

_missing: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever comes as an installed client is `clients`, which `make test` leaves out."""
    for item in items:
        if "environment" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.clients)
            item.add_marker(pytest.mark.timeout(CLIENT_TIMEOUT_S))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the clients that could not be installed: a skipped test alone is easily overlooked."""
    if _missing:
        terminalreporter.section("clients that could not be installed")
        for name, why in sorted(_missing.items()):
            terminalreporter.write_line(f"{name}: {why}")


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Made]:
    """Gives an environment by name, made if need be; tests of one that cannot be are skipped."""

    def find(name: str) -> Made:
        if name not in _missing:
            try:
                return make(name)
            except NotInstalled as error:
                _missing[name] = str(error)
        pytest.skip(f"{name} is not installed: {_missing[name]}")

    return find


@pytest.fixture(scope="session")
def client_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway over the stores of `tests.clients.stores`; nobody may change it."""
    directory = tmp_path_factory.mktemp("client_gateway")
    root = directory / "log"
    write_client_stores(root)
    with running_gateway(root, directory) as running:
        yield running
