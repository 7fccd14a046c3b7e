"""Fixtures of the client tests: a gateway over stores made for them, and their environments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import pytest

from tests.clients.environments import Made, NotInstalledError, make
from tests.clients.stores import write_client_stores
from tests.support.gateway import Gateway, running_gateway

CLIENT_TIMEOUT_S = 700
"""Timeout of one test: the first one of a client may have to install it."""

T = TypeVar("T")
Installed: TypeAlias = Callable[[str, Callable[[], T]], T]

_missing: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of installed clients as `clients`, which `make test` leaves out."""
    for item in items:
        if "environment" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.clients)
            item.add_marker(pytest.mark.timeout(CLIENT_TIMEOUT_S))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print skipped clients and the reasons: a skipped test is easily overlooked."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if report.nodeid.startswith("tests/clients/") and isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("not tried with real clients")
        for reason, count in sorted(reasons.items()):
            terminalreporter.write_line(f"{reason} ({count} tests)")


def _installed(name: str, find: Callable[[], T]) -> T:
    if name not in _missing:
        try:
            return find()
        except NotInstalledError as error:
            _missing[name] = str(error)
    pytest.skip(f"{name} is not installed: {_missing[name]}")


@pytest.fixture(scope="session")
def installed() -> Installed[object]:
    """Return the result of a function that finds or makes something; skip the test if it cannot."""
    return _installed


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Made]:
    """Return an environment by name, made if it is missing; skip the test if it cannot be made."""
    return lambda name: _installed(name, lambda: make(name))


@pytest.fixture(scope="session")
def client_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway over the stores of `tests.clients.stores`; tests must not change it."""
    directory = tmp_path_factory.mktemp("client_gateway")
    root = directory / "log"
    write_client_stores(root)
    with running_gateway(root, directory) as running:
        yield running
