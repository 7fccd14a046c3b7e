"""Fixtures of all store tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stores.fixtures import ENGINES


@pytest.fixture(params=ENGINES)
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Where the engine keeps its rows; None is memory."""
    return tmp_path if request.param == "rocksdb" else None
