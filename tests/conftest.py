"""Shared by all tests: Hypothesis profiles, and a gateway for tests with real clients."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from stores.spec import registry
from tests.support.process import start_children_with_plain_signals

if TYPE_CHECKING:
    from tests.support.gateway import Gateway

# The same examples in every run, so that a failure is caused by the change. There is no deadline,
# because the time of one example means nothing where cores are shared.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
# New examples in each run, so that the laws find more during development.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("long", parent=settings.get_profile("dev"), max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


_SHOWN = 3000
"""How many characters of a failure are shown at once; all of it stands in the summary."""


def pytest_configure() -> None:
    """Make tests independent of the signals that whoever started them ignores or blocks.

    Also collect no garbage while tests are collected: hardly any of those objects goes away.
    """
    start_children_with_plain_signals()
    gc.disable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` starts: one more than cores, since many tests wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use the running gateway, so that `-m "not server"` leaves them out.

    Also group tests that must share a process: those of a module, for its fixtures, and all that
    use the session of Spark, for one JVM.
    """
    for item in items:
        group = "spark" if _uses_session_of_spark(item) else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
        if "gateway" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.server)
    # The largest group begins first, so that no process is left alone with it at the end. Next come
    # the tests that start a JVM of their own.
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
    items.sort(key=lambda item: not _uses_session_of_spark(item))


def _uses_session_of_spark(item: pytest.Item) -> bool:
    return "spark" in getattr(item, "fixturenames", ())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Make sure that the groups count: otherwise each process starts its own JVM and gateways.

    Also let the garbage collector overlook the tests and modules, which all stay: to look through
    them takes a second each time.
    """
    gc.freeze()
    gc.enable()
    is_grouped = getattr(session.config.option, "loadgroup", False)
    if is_grouped and not all("@" in item.nodeid for item in session.items):
        raise pytest.UsageError("pytest-xdist does not see the groups of tests: see pyproject.toml")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show a failure at once: a run that is stopped before its end has no summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED {report.nodeid} ({report.when})\n{report.longreprtext[-_SHOWN:]}")


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway over the stores of `tests.support.gateway`; tests must not change it."""
    # Imported on first use: it loads pyarrow, which most selections of tests never need.
    from tests.support.gateway import running_gateway, write_stores  # noqa: PLC0415

    directory = tmp_path_factory.mktemp("gateway")
    root = directory / "log"
    write_stores(root)
    with running_gateway(root, directory) as running:
        yield running


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the kinds and queries that a test registers when it ends."""
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    monkeypatch.setattr(registry, "_handlers", dict(registry._handlers))
