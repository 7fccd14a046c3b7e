"""The stores of `tests.planner.world`, made once per module; tests must not change them."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.planner.sides import Sides
from tests.planner.world import world

settings.register_profile("thorough", deadline=None, max_examples=3000)


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


@pytest.fixture(scope="session", autouse=True)
def _engines_share_a_process(shared_process: None, patient_reads: None) -> None:
    """Use them in all tests of this folder."""
