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
"""Of one test: the first of a client may have to install it."""

T = TypeVar("T")
Installed: TypeAlias = Callable[[str, Callable[[], T]], T]

_missing: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever comes as an installed client is `clients`, which `make test` leaves out."""
    for item in items:
        if "environment" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.clients)
            item.add_marker(pytest.mark.timeout(CLIENT_TIMEOUT_S))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not tried and why: a skipped test alone is easily overlooked."""
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
    """Gives what a function finds or makes; tests of what cannot be had are skipped."""
    return _installed


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Made]:
    """Gives an environment by name, made if need be; tests of one that cannot be are skipped."""
    return lambda name: _installed(name, lambda: make(name))


@pytest.fixture(scope="session")
def client_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway over the stores of `tests.clients.stores`; nobody may change it."""
    directory = tmp_path_factory.mktemp("client_gateway")
    root = directory / "log"
    write_client_stores(root)
    with running_gateway(root, directory) as running:
        yield running
