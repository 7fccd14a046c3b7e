"""Fixtures of all store tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.hosting import host as host_module
from tests.support.conformance import ENGINES


@pytest.fixture(params=ENGINES)
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Return the directory where the engine keeps its rows; None for memory."""
    return tmp_path if request.param == "rocksdb" else None


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hosts poll the log so often that no test has to wait for it."""
    monkeypatch.setattr(host_module, "_DISCOVER_S", 0.02)
    monkeypatch.setattr(host_module, "_BACKOFF_S", 0.01)
    monkeypatch.setattr("stores.hosting.maintenance._PAUSE_S", 0.005)
