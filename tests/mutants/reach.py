"""Which statements reach which lines, recorded once from the planner without a change."""

from __future__ import annotations

import pickle
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import coverage

from tests.mutants.answers import FUZZ, Asked, Engines, corpus, fuzzed
from tests.mutants.mutations import Mutation


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The statements, and by module and line the numbers of those that reach it."""

    asked: Sequence[Asked]
    lines: Mapping[str, Mapping[int, frozenset[int]]]

    def of(self, mutation: Mutation, most: int, chance: random.Random) -> list[Asked]:
        """Return statements that reach a mutation, those of the fuzz and the corpus in turn.

        What a module computes when it is imported is reached by all that reach the module.
        """
        lines = self.lines.get(str(mutation.path), {})
        first, last = mutation.lines
        found = frozenset().union(*(lines.get(at, frozenset()) for at in range(first, last + 1)))
        if not found and first not in lines:
            found = frozenset().union(*lines.values())
        numbers = sorted(found)
        chance.shuffle(numbers)
        mine = [self.asked[number] for number in numbers[: 20 * most]]
        sides = [[a for a in mine if (a.kind == FUZZ) is side] for side in (True, False)]
        return [each for side in sides for each in side[: most // 2]]


def record(packages: Sequence[Path], seed: int, statements: int, fuzz: int) -> Reach:
    """Run some statements of the corpus, and some of the fuzz, and record what they reach."""
    chance = random.Random(seed)
    listed = list(corpus())
    chosen = chance.sample(listed, min(len(listed), statements))
    measured = coverage.Coverage(data_file=None, source=[str(each) for each in packages])
    engines = Engines()
    kept: list[Asked] = []
    try:
        measured.start()
        for asked in [*chosen, *fuzzed(seed, fuzz)]:
            measured.switch_context(str(len(kept)))
            answer = engines.answer(asked)
            kept.append(replace(asked, answer=answer) if asked.kind == FUZZ else asked)
            if len(kept) % 100 == 0:
                print(f"recorded {len(kept)} statements", flush=True)
        measured.stop()
        # SQL leaves some answers open, such as those that depend on the time.
        stable = [not engines.difference(asked) for asked in kept]
    finally:
        engines.close()
    data = measured.get_data()
    lines = {
        str(Path(name).relative_to(Path.cwd())): {
            line: frozenset(int(c) for c in contexts if c and stable[int(c)])
            for line, contexts in data.contexts_by_lineno(name).items()
        }
        for name in data.measured_files()
    }
    return Reach(asked=kept, lines=lines)


def kept_reach(
    path: Path, packages: Sequence[Path], seed: int, statements: int, fuzz: int
) -> Reach:
    """Return the record in a file, which is made if it is absent."""
    if not path.exists():
        path.write_bytes(pickle.dumps(record(packages, seed, statements, fuzz)))
    found: Reach = pickle.loads(path.read_bytes())
    return found
