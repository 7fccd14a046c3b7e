"""Fixtures of the Postgres wire tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.pgwire.serving import Serving, serving


@pytest.fixture
def gateway() -> Iterator[Serving]:
    """A server with the default limits."""
    with serving() as running:
        yield running
