"""Mutations change what a module does, and nothing that people only read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants.mutations import mutations

SOURCE = '''"""Words."""
from typing import Final

LIMIT: Final = 3


def f(a: int, b: "int" = 2) -> int:
    """Return words."""
    if not a and b < LIMIT:
        g(a, b)
    elif a in (b, 1):
        raise ValueError("words", 7)
    a += 1
    return a if b else -a


def __repr__() -> str:
    return "words"
'''


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "module.py"
    found.write_text(SOURCE)
    return found


def test_each_mutation_is_another_module(path: Path) -> None:
    found = mutations(path)
    changed = {mutation.applied(SOURCE) for mutation in found}
    assert len(changed) == len(found) > 10
    assert SOURCE not in changed
    for each in changed:
        ast.parse(each)


def test_every_kind_is_mutated(path: Path) -> None:
    after = {mutation.after for mutation in mutations(path)}
    assert {"(a)", "(b <= LIMIT)", "(not a or b < LIMIT)", "g(b, a)", "4", "pass"} <= after
    assert {"return None", "(a not in (b, 1))", "(-a if b else a)"} <= after


def test_words_and_types_are_left_alone(path: Path) -> None:
    for mutation in mutations(path):
        assert "words" not in mutation.before
        assert mutation.before not in {"int", '"int"', "7"}


def test_all_modules_of_the_planner_can_be_mutated() -> None:
    for path in Path("planner/postgres").glob("*.py"):
        source = path.read_text()
        for mutation in mutations(path)[::40]:
            ast.parse(mutation.applied(source))
