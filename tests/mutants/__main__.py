"""`python -m tests.mutants --count 200 --seed 1`: change the planner; is it noticed?

Each mutant runs in a copy of the tree: first statements of the corpus and of the fuzz that reach
the changed line, then tests of the planner that reach it, until the first failure.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.mutants.answers import Engines
from tests.mutants.asked import Asked
from tests.mutants.mutations import Mutation, mutations
from tests.mutants.places import PACKAGES
from tests.mutants.reach import kept_reach
from tests.mutants.trial import ANSWERED, KILLED
from tests.support.process import ROOT

_TRIAL_S = 600.0
"""A trial takes a minute or two; it gets more, since cores are shared."""

_STATEMENT = re.compile(rf"{KILLED}statement (\d+)")
_TEST = re.compile(rf"{KILLED}(?:FAILED|ERROR) (\S.*)")


class Copy:
    """A copy of the tree, in which one module at a time is changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._unchanged = Engines()
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("*.pyc", ".*"))

    def verdict(self, mutation: Mutation, asked: Sequence[Asked], tests: Sequence[str]) -> str:
        """Return what kills a mutant; empty if it survives."""
        place = self._root / mutation.path
        source = place.read_text(encoding="utf-8")
        place.write_text(mutation.applied(source), encoding="utf-8")
        try:
            verdict = self._tried(asked, tests)
        finally:
            place.write_text(source, encoding="utf-8")
        return "" if self._is_so_unchanged(verdict, asked) else verdict

    def _is_so_unchanged(self, verdict: str, asked: Sequence[Asked]) -> bool:
        """Whether a statement or test fails without the change, too: it has not noticed it.

        SQL leaves some answers open, such as those that depend on the time.
        """
        by_statement = _STATEMENT.match(verdict)
        if by_statement is not None:
            return bool(self._unchanged.difference(asked[int(by_statement[1])]))
        by_test = _TEST.match(verdict)
        return by_test is not None and bool(self._tried([], [by_test[1]]))

    def _tried(self, asked: Sequence[Asked], tests: Sequence[str]) -> str:
        """Run a trial in the copy; return what is wrong."""
        given = self._root / "given.pickle"
        given.write_bytes(pickle.dumps((asked, tests)))
        client = self._root / "gateway" / "client"
        path = [str(self._root), str(client), *os.environ.get("MUTANTS_PATH", "").split(":")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "PYTHONDONTWRITEBYTECODE": "",
            "CI": "true",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.trial", str(given)],
            cwd=self._root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=_TRIAL_S)
        except subprocess.TimeoutExpired:
            # Tests have their own limit, and those that are not through have found nothing.
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return "" if ANSWERED in said else f"{KILLED}a statement that does not end"
        finally:
            with suppress(ProcessLookupError):  # what it has started ends with it
                os.killpg(process.pid, signal.SIGKILL)
        if process.returncode == 0:
            return ""
        lines = [line for line in said.splitlines() if line.startswith((KILLED, "FAILED", "ERROR"))]
        what = lines[-1].split(" - ")[0] if lines else (said.splitlines() or ["its death"])[-1]
        return what if what.startswith(KILLED) else f"{KILLED}{what}"


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
        copy = Copy(Path(directory, "tree"))
        for number, mutation in enumerate(chosen, given.first):
            chance = random.Random(f"{given.seed}:{number}")
            asked = reach.asked(mutation, given.most, chance)
            tests = reach.tried(mutation, given.tests_seconds, chance)
            verdict = copy.verdict(mutation, asked, tests)
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
