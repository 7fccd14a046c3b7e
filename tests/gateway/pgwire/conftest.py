"""Fixtures of the Postgres wire tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.pgwire.serving import Serving, serving


@pytest.fixture(params=[True, False], ids=["recalls", "forgets"])
def gateway(request: pytest.FixtureRequest) -> Iterator[Serving]:
    """A server with the default limits; its engine plans short statements at once, or never."""
    with serving(recalls=request.param) as running:
        yield running
