"""Record which lines statements or tests reach: `python -m tests.mutants.record WHAT FILE …`.

WHAT is `statements SEED COUNT`, with the statements of the fuzz to draw, or `tests`.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import coverage
import pytest

from tests.mutants.answers import Engines, corpus, fuzzed
from tests.mutants.asked import FUZZ, Asked
from tests.mutants.places import PACKAGES
from tests.mutants.reach import Lines, Reached, Test
from tests.support.process import ROOT

_LAWS = "tests/planner"
_NO_LAWS = (
    "tests/planner/postgres/test_postgres.py",  # the corpus, which is asked without it
    "tests/planner/test_third_party.py",
    "tests/planner/composing",  # of processes: the functions of DuckDB are not mutated
)


class _Measured:
    """Coverage by statement or test."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(data_file=None, source=[str(each) for each in PACKAGES])
        self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.count = 0

    def begin(self) -> None:
        """Measure what comes next by itself."""
        if not self.count:
            self._coverage.start()
        self._coverage.switch_context(str(self.count))
        self.count += 1
        if self.count % 500 == 0:
            print(f"recorded {self.count}", flush=True)

    def lines(self) -> Lines:
        """Stop; return the lines of each module, and who reaches them."""
        self._coverage.stop()
        data = self._coverage.get_data()
        return {
            str(Path(name).relative_to(ROOT)): {
                line: sum(1 << int(c) for c in contexts if c)
                for line, contexts in data.contexts_by_lineno(name).items()
            }
            for name in data.measured_files()
        }


def statements(seed: int, count: int) -> Reached[Asked]:
    """Ask the statements of the corpus and some of the fuzz."""
    measured, engines = _Measured(), Engines()
    asked: list[Asked] = []
    for each in [*corpus(), *fuzzed(seed, count)]:
        measured.begin()
        answer = engines.answer(each)
        asked.append(replace(each, answer=answer) if each.kind == FUZZ else each)
    lines = measured.lines()
    engines.close()
    return Reached(names=asked, lines=lines)


class _Plugin:
    """Measures each test."""

    def __init__(self) -> None:
        self.measured = _Measured()
        self.tests: list[Test] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test, with its fixtures."""
        self.measured.begin()
        begun = time.monotonic()
        found: None = yield
        self.tests.append(Test(name=item.nodeid, seconds=time.monotonic() - begun))
        return found


def tests() -> Reached[Test]:
    """Run the tests of the planner."""
    plugin = _Plugin()
    left_out = [flag for path in _NO_LAWS for flag in ("--ignore", path)]
    pytest.main([_LAWS, *left_out, "-q", "-p", "no:cacheprovider"], plugins=[plugin])
    return Reached(names=plugin.tests, lines=plugin.measured.lines())


def main(arguments: Sequence[str]) -> None:
    """Write a record to a file."""
    os.chdir(ROOT)
    what, place, *rest = arguments
    found: object = tests() if what == "tests" else statements(*map(int, rest))
    Path(place).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
