"""`python -m tests.mutants --count 200 --seed 1`: change the planner; is it noticed?

Each mutant is a process of its own: first statements of the corpus and of the fuzz that reach
the changed line, then tests of the planner that reach it, until the first failure.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.mutations import mutations
from tests.mutants.places import PACKAGES
from tests.mutants.reach import kept_reach
from tests.mutants.tree import Tree
from tests.support.process import ROOT


def main(arguments: Sequence[str]) -> int:
    """Run mutants; print a line for each and the share that was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--fuzz", type=int, default=2000, help="statements of the fuzz, to record")
    parser.add_argument("--most", type=int, default=300, help="statements that a mutant is asked")
    parser.add_argument("--tests-seconds", type=float, default=60.0, help="of tests for a mutant")
    parser.add_argument("--reach", type=Path, help="file that keeps the record")
    given = parser.parse_args(arguments)
    os.chdir(ROOT)
    every = [
        m for package in PACKAGES for path in sorted(package.rglob("*.py")) for m in mutations(path)
    ]
    chosen = random.Random(given.seed).sample(every, given.first + given.count)[given.first :]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="stategate-mutants-") as directory:
        kept = given.reach or Path(directory, "reach")
        reach = kept_reach(kept, given.seed, given.fuzz)
        tree = Tree(Path(directory, "tree"))
        for number, mutation in enumerate(chosen, given.first):
            chance = random.Random(f"{given.seed}:{number}")
            asked = reach.asked(mutation, given.most, chance)
            tests = reach.tried(mutation, given.tests_seconds, chance)
            verdict = tree.verdict(mutation, asked, tests)
            counts["killed" if verdict else "survived"] += 1
            place = f"{mutation.path}:{mutation.lines[0]}"
            change = f"{' '.join(mutation.before.split())[:80]}  →  {mutation.after[:80]}"
            print(f"{number} {place}: {change}\n    {verdict[:150] or 'SURVIVED'}", flush=True)
    share = 100 * counts["killed"] / max(1, sum(counts.values()))
    print(
        f"mutants: {counts['killed']} of {sum(counts.values())} found ({share:.0f} %), "
        f"seed {given.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
