"""`__all__` of each package is its public interface: sorted, importable, and complete.

A name outside of `__all__` may change freely. So a package holds no other public name: users would
import it, and we never promised it.
"""

from __future__ import annotations

import ast
import importlib
import tomllib
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CLIENT = ROOT / "gateway" / "client"
PLACES = {
    ".".join(
        path.parent.relative_to(CLIENT).parts
        if CLIENT in path.parents
        else ("stategate", *path.parent.relative_to(ROOT).parts)
    ): path
    for top in ("stores", "planner", "gateway")
    for path in (ROOT / top).rglob("__init__.py")
}
PACKAGES = sorted(PLACES)
PUBLIC = [*PACKAGES, "stategate.stores.extend"]
"""The packages, and the modules that are public in themselves."""


def test_packages_are_found() -> None:
    assert {"stategate", "stategate.gateway.pgwire", "stategate.stores.spark"} <= set(PACKAGES)
    projects = (ROOT / "pyproject.toml", ROOT / "stores" / "pyproject.toml")
    settings = [tomllib.loads(path.read_text())["tool"]["setuptools"] for path in projects]
    listed = {name for each in settings for name in each["packages"]}
    assert {"stategate", *listed} - {"stategate.examples.flights"} == set(PACKAGES)


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_written_out_and_sorted(name: str) -> None:
    """It is a literal, so that a reader and a type checker see it without running anything."""
    names = declared(name)
    assert names == sorted(names, key=sort_key)
    assert len(names) == len(set(names))
    assert [n for n in names if n.startswith("_") and not n.startswith("__")] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_all_can_be_imported(name: str) -> None:
    package = importlib.import_module(name)
    missing = [each for each in declared(name) if not hasattr(package, each)]
    assert missing == []


@pytest.mark.parametrize("name", PUBLIC)
def test_nothing_else_leaks(name: str) -> None:
    """Submodules do not count: importing them anywhere puts them there."""
    package = importlib.import_module(name)
    public = {
        each
        for each, value in vars(package).items()
        if not each.startswith("_")
        and not isinstance(value, types.ModuleType)
        and each != "annotations"
    }
    assert public <= set(declared(name))


def test_a_name_of_the_stores_is_public_in_one_place() -> None:
    assert set(declared("stategate.stores")) & set(declared("stategate.stores.extend")) == set()


def sort_key(name: str) -> tuple[int, str]:
    """Return a key that sorts constants, classes, then functions, as the linter does (RUF022)."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def declared(name: str) -> list[str]:
    """Return the names in `__all__`; a package without it must hold no public name."""
    path = PLACES.get(name) or ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py")
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                names: list[str] = ast.literal_eval(value)
                return list(names)
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                names = ast.literal_eval(value)
                return list(names)
    return []
