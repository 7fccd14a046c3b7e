"""A swapped function is that of the changed module."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mutants.mutations import mutations
from tests.mutants.swap import Warm

SOURCE = """from functools import lru_cache


def _made():
    return 7


TABLE = {"one": _made()}


def f(a):
    return [each + 1 for each in a]


class C:
    @property
    def value(self):
        return 2

    @staticmethod
    def other(a):
        return a or 3


@lru_cache
def kept():
    return 4
"""


def test_functions_that_ran_during_the_import_are_not_swapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    path = Path("mutated_module.py")
    path.write_text(SOURCE)
    warm = Warm((path.stem,))
    module = sys.modules[path.stem]
    found = {}
    for mutation in mutations(path):
        swap = warm.swap_of(mutation)
        found[mutation.before, mutation.after] = swap and swap[0].__qualname__
        if swap is not None:
            function, code = swap
            before, function.__code__ = function.__code__, code
            if mutation.before == "each + 1":
                assert module.f([3]) == [2]
            function.__code__ = before
    assert module.f([3]) == [4]
    assert found["each + 1", "(each - 1)"] == "f"
    assert found["a or 3", "(a and 3)"] == "C.other"
    assert found["4", "5"] == "kept"
    assert found["2", "3"] == "C.value"
    assert found["7", "8"] is None
    assert [name for (before, _), name in found.items() if before == '"one"'] == [None]
    del sys.modules[path.stem]
