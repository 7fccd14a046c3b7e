"""The stores of `tests.planner.world`, made once a module; nobody may change them."""

from __future__ import annotations

import pytest

from tests.planner.sides import Sides
from tests.planner.world import world


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()
