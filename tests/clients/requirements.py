"""What our distributions require, and the oldest versions that they admit."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from packaging.requirements import Requirement

from tests.support.process import ROOT

PROJECTS = tuple(ROOT / folder / "pyproject.toml" for folder in (".", "stores", "gateway/client"))
_OURS = ("stategate", "stategate-client", "stategate-stores")
EXTRAS = ("demo", "engine", "frames", "otel", "spark")
"""The extras of the gateway's distribution that users install."""
_TOOLS = ("dev", "fuzz")
"""Its extras with tools of the tests."""


def requirements(*, of_tests: bool = True) -> Iterator[Requirement]:
    """Yield the requirements of all distributions and of their extras.

    Args:
        of_tests: whether to yield those of tools of the tests, too.
    """
    for path in PROJECTS:
        project = tomllib.loads(path.read_text())["project"]
        lists = {"": project["dependencies"], **project["optional-dependencies"]}
        for extra, given in lists.items():
            if of_tests or extra not in _TOOLS:
                yield from (each for each in map(Requirement, given) if each.name not in _OURS)


def lower_bound(requirement: Requirement) -> str | None:
    """Return the oldest version that is admitted; None without a bound."""
    found = [each.version for each in requirement.specifier if each.operator == ">="]
    return found[0] if found else None


def oldest() -> tuple[str, ...]:
    """Return a requirement of exactly the oldest version of each package that users install."""
    pins = set()
    for each in requirements(of_tests=False):
        extras = f"[{','.join(sorted(each.extras))}]" if each.extras else ""
        marker = f"; {each.marker}" if each.marker else ""
        pins.add(f"{each.name}{extras}=={lower_bound(each)}{marker}")
    return tuple(sorted(pins))
