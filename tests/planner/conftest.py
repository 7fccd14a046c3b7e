"""The stores of `tests.planner.world`, made once per module; tests must not change them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import settings

from planner.running import few_reads
from tests.planner.sides import Sides
from tests.planner.world import world

settings.register_profile("thorough", deadline=None, max_examples=3000)


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


@pytest.fixture(scope="session", autouse=True)
def _reads_take_any_time() -> Iterator[None]:
    """Allow reads of few rows any time: on a busy machine, a thread would otherwise read them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_reads, "SLICE_S", math.inf)
        yield
