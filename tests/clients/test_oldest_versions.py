"""The lower bounds in pyproject.toml are true: all parts run with the oldest versions."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from tests.clients import running
from tests.clients.environments import Made, NotInstalledError, make
from tests.clients.requirements import lower_bound, requirements
from tests.clients.running import command_of, run_program, variables_of

STEPS_TIMEOUT_S = 650.0
"""Two Sparks start in it, which takes minutes on a busy machine."""


@pytest.fixture
def environment() -> Made:
    """The environment of the oldest versions; fails if they cannot be installed together."""
    try:
        return make("oldest")
    except NotInstalledError as error:
        if "conflict" in str(error):
            raise
        pytest.skip(str(error))


@cache
def outcomes(made: Made) -> dict[str, str | None]:
    """Return each step's error, or None. The program runs once."""
    program = running.OLDEST_VERSIONS
    variables = variables_of(program, made, pg_port=0)
    lines, said = run_program(
        command_of(program, made), variables=variables, timeout_s=STEPS_TIMEOUT_S
    )
    missing = dict.fromkeys(program.steps, f"it was not reached:\n{said}")
    return {**missing, **{line["step"]: line["error"] for line in lines}}


@pytest.mark.parametrize("step", running.OLDEST_VERSIONS.steps)
def test_step(step: str, environment: Made) -> None:
    error = outcomes(environment)[step]
    assert error is None, error


def test_every_requirement_has_a_lower_bound() -> None:
    assert [str(each) for each in requirements() if lower_bound(each) is None] == []


def test_a_package_has_the_same_bound_wherever_it_is_required() -> None:
    bounds = defaultdict(set)
    for each in requirements():
        bounds[each.name].add(lower_bound(each))
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}
