"""Shared by all tests: Hypothesis profiles, and a gateway for tests with real clients."""

from __future__ import annotations

import gc
import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from stategate.stores.spec import registry
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


_MEMORY, _MEMORY_BYTES_MIN = Path("/dev/shm"), 2 << 30
"""A file system in memory, if it has this much room; the files of a whole run take 0.3 GB."""
_PATH_CHARS_MAX = 60
"""The path of a socket has 104 characters at most, and programs add names of their own."""
_SHOWN = 3000
"""How many characters of a failure are shown at once; all of it stands in the summary."""


def pytest_configure() -> None:
    """Make tests independent of the signals that whoever started them ignores or blocks.

    Also collect no garbage while tests are collected: hardly any of those objects goes away. And
    keep files in memory: each epoch and each database makes the disk write several times.
    """
    start_children_with_plain_signals()
    gc.disable()
    if _has_room_in_memory():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def _has_room_in_memory() -> bool:
    """Whether files may lie in memory: there is enough of it, and programs among them can run."""
    try:
        flags = os.statvfs(_MEMORY).f_flag
        available = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:  # another system
        return False
    if flags & os.ST_NOEXEC or available is None or not os.access(_MEMORY, os.W_OK):
        return False
    free = min(shutil.disk_usage(_MEMORY).free, int(available[1]) * 1024)
    return free >= _MEMORY_BYTES_MIN


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` starts: two more than cores, since many tests wait."""
    return (os.cpu_count() or 1) + 2


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


@pytest.fixture(scope="session", autouse=True)
def _one_place_for_files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Keep what programs leave in their temporary directories with the files of pytest.

    All are removed in the end, unless a test has failed. Pytest would remove those of each test and
    use their names again, for databases that other tests have left open.
    """
    with pytest.MonkeyPatch.context() as patch:
        directory = str(tmp_path_factory.mktemp("t"))
        if len(directory) <= _PATH_CHARS_MAX:
            patch.setenv("TMPDIR", directory)
            patch.setattr(tempfile, "tempdir", None)
        yield
    if not request.session.testsfailed:
        shutil.rmtree(tmp_path_factory.getbasetemp(), ignore_errors=True)


@pytest.fixture(scope="session")
def shared_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let engines share a process of DuckDB: one that starts its own takes 0.14 s for that."""
    from tests.support.composing import shared_composing  # noqa: PLC0415 - it loads the planner

    with shared_composing(tmp_path_factory.mktemp("composing")):
        yield


@pytest.fixture(scope="session")
def patient_reads() -> Iterator[None]:
    """Allow reads of few rows any time: on a busy machine, a thread would otherwise read them."""
    from stategate.planner.running import few_reads  # noqa: PLC0415 - it loads the planner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_reads, "SLICE_S", math.inf)
        patch.setattr(few_reads, "THREAD_SLICE_S", math.inf)
        yield


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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hosts poll the log so often that no test has to wait for it."""
    monkeypatch.setattr("stategate.stores.hosting.follower._REFRESH_S", 0.02)
    monkeypatch.setattr("stategate.stores.hosting.follower._BACKOFF_S", 0.01)
    monkeypatch.setattr("stategate.stores.hosting.schedule._LOCAL_MAX_S", 0.02)
    monkeypatch.setattr("stategate.stores.hosting.maintenance._PAUSE_S", 0.005)
