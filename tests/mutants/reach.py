"""Which statements and tests reach which lines, and those that a mutant is tried with."""

from __future__ import annotations

import math
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from tests.mutants.asked import FUZZ, Asked
from tests.mutants.mutations import Mutation

Lines: TypeAlias = Mapping[str, Mapping[int, int]]
"""By module and line, those who reach it: bit n stands for number n."""
T = TypeVar("T")
_WORD = re.compile(r"[a-z]\w+")
_AROUND = 1
"""Lines before and after a mutation whose words count."""
_CHEAP_S = 0.5
"""Seconds of a test that takes little."""
_NEAR = 5
"""Lines before and after a mutation that are near it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A test of the planner."""

    __test__ = False  # for pytest

    name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached(Generic[T]):
    """Statements or tests, and the lines that they reach."""

    names: Sequence[T]
    lines: Lines

    def of(self, mutation: Mutation) -> list[int]:
        """Return the numbers of those that reach a mutation.

        What a module computes when it is imported is reached by all that reach the module.
        """
        lines = self.lines.get(str(mutation.path), {})
        first, last = mutation.lines
        mask = 0
        for line in range(first, last + 1):
            mask |= lines.get(line, 0)
        if not mask:
            for found in lines.values():
                mask |= found
        return [number for number in range(len(self.names)) if mask >> number & 1]

    def nearness(self, mutation: Mutation) -> Callable[[int], float]:
        """Return how much each reaches of the lines nearby; one counts much, if few reach it."""
        lines = self.lines.get(str(mutation.path), {})
        first, last = mutation.lines
        masks = [lines.get(line, 0) for line in range(first - _NEAR, last + _NEAR + 1)]
        weights = [(mask, math.log(len(self.names) / mask.bit_count())) for mask in masks if mask]
        return lambda number: sum(weight for mask, weight in weights if mask >> number & 1)


@dataclass(frozen=True)
class Reach:
    """What was recorded."""

    statements: Reached[Asked]
    tests: Reached[Test]

    def asked(self, mutation: Mutation, most: int, chance: random.Random) -> list[Asked]:
        """Return statements that reach a mutation, those of the corpus and the fuzz in turn.

        Every other one is likely to notice it: it reaches lines nearby that few reach, such as the
        body of an `if`, or has rare words of the changed line, such as the function of a table.
        """
        found = self.statements.of(mutation)
        chance.shuffle(found)
        words = self._words_of(mutation)
        nearness = self.statements.nearness(mutation)

        def likely(number: int) -> float:
            shared = _words(self.statements.names[number].sql) & words.keys()
            return nearness(number) + sum(words[word] for word in shared)

        orders = [sorted(found, key=likely, reverse=True), found]
        kinds = [each.kind for each in self.statements.names]
        sides = [
            [number for number in order if (kinds[number] == FUZZ) is side]
            for side in (False, True)
            for order in orders
        ]
        taken = dict.fromkeys(_in_turn(sides))
        return [self.statements.names[number] for number in taken][:most]

    def tried(self, mutation: Mutation, seconds: float, chance: random.Random) -> list[str]:
        """Return tests that reach a mutation: those of its module, then of each other one in turn.

        They took this many seconds when they were recorded.
        """
        numbers = self.tests.of(mutation)
        chance.shuffle(numbers)
        numbers.sort(key=self.tests.nearness(mutation), reverse=True)
        found = [self.tests.names[number] for number in numbers]
        mirror = str(Path("tests", mutation.path).with_name(f"test_{mutation.path.name}"))
        functions: dict[str, list[Test]] = {}
        for test in found:
            functions.setdefault(test.name.partition("[")[0], []).append(test)
        own = [test for test in found if test.name.startswith(mirror)]
        in_turn = list(_in_turn(sorted(functions.values(), key=lambda tests: tests[0].seconds)))
        cheap = [test for test in in_turn if test.seconds <= _CHEAP_S]
        tried: dict[str, None] = {}
        # Of the time, half is for the many that take little.
        for tests, kept in ((own, 0.0), (cheap, seconds / 2), (in_turn, 0.0)):
            for test in tests:
                if test.name not in tried and test.seconds <= seconds - kept:
                    seconds -= test.seconds
                    tried[test.name] = None
        return list(tried)

    def _words_of(self, mutation: Mutation) -> dict[str, float]:
        """Return the words of the changed lines, and what each weighs."""
        lines = mutation.path.read_text(encoding="utf-8").splitlines()
        first, last = mutation.lines
        words = _words(" ".join(lines[max(0, first - 1 - _AROUND) : last + _AROUND]))
        return {
            word: math.log(len(self.statements.names) / self._frequencies[word])
            for word in words
            if self._frequencies[word]
        }

    @cached_property
    def _frequencies(self) -> Counter[str]:
        """How many statements have each word."""
        return Counter(chain.from_iterable(_words(each.sql) for each in self.statements.names))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _in_turn(groups: Iterable[Sequence[T]]) -> Iterator[T]:
    """Yield the first of each group, then the second ones, and so on."""
    nothing = object()
    for each in zip_longest(*groups, fillvalue=nothing):
        yield from (one for one in each if one is not nothing)  # type: ignore[misc]


def kept_reach(path: Path, seed: int, fuzz: int) -> Reach:
    """Return the record in a file, which is made if it is absent."""
    if not path.exists():
        places = [path.with_name(f"{path.name}.{what}") for what in ("statements", "tests")]
        given = [["statements", str(places[0]), str(seed), str(fuzz)], ["tests", str(places[1])]]
        running = [
            subprocess.Popen([sys.executable, "-m", "tests.mutants.record", *each])
            for each in given
        ]
        failed = [process.wait() for process in running]
        if any(failed):
            raise SystemExit("statements and tests could not be recorded")
        parts = [pickle.loads(place.read_bytes()) for place in places]
        path.write_bytes(pickle.dumps(Reach(*parts)))
        for place in places:
            place.unlink()
    found: Reach = pickle.loads(path.read_bytes())
    return found
