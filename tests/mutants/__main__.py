"""`python -m tests.mutants --count 200 --seed 1`: change the planner; is it noticed?

Each mutant runs in a copy of the tree: first statements of the corpus and of the fuzz that reach
the changed line, then tests and laws of its module and package, until the first failure.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.mutants.mutations import Mutation, mutations
from tests.mutants.reach import Reach, kept_reach
from tests.mutants.trial import KILLED
from tests.support.process import ROOT

PACKAGES = tuple(Path("planner", name) for name in ("binding", "planning", "postgres"))
LAWS: Mapping[str, Sequence[str]] = {
    "binding": (
        "binding/test_names.py",
        "test_outer_join_law.py",
        "test_predicate_law.py",
        "test_using_law.py",
        "test_computed_law.py",
    ),
    "planning": (
        "planning/test_access.py",
        "planning/test_row_path.py",
        "planning/test_row_joins.py",
        "planning/test_shapes.py",
        "planning/test_lifting.py",
        "planning/test_explain.py",
        "test_cases.py",
    ),
    "postgres": (
        "postgres/test_select_clauses.py",
        "postgres/test_arities.py",
        "postgres/types",
        "postgres/expressions",
        "test_declared_types.py",
        "test_law.py",
    ),
}
"""The laws of a package, below `tests/planner`."""


class Copy:
    """A copy of the tree, in which one module at a time is changed."""

    def __init__(self, root: Path, *, statement_s: float, laws_s: float) -> None:
        self._root, self._statement_s, self._laws_s = root, statement_s, laws_s
        for name in ("planner", "gateway", "stores", "tests", "examples"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc"))
        shutil.copy(ROOT / "pyproject.toml", root)

    def verdict(self, mutation: Mutation, reach: Reach, chance: random.Random, most: int) -> str:
        """Return what kills a mutant; empty if it survives."""
        place = self._root / mutation.path
        source = place.read_text(encoding="utf-8")
        place.write_text(mutation.applied(source), encoding="utf-8")
        try:
            asked = reach.of(mutation, most, chance)
            given = self._root / "asked.pickle"
            given.write_bytes(pickle.dumps(asked))
            found = self._run(["tests.mutants.trial", str(given)], self._statement_s)
            return found or self._run(self._laws(mutation.path), self._laws_s, is_test=True)
        finally:
            place.write_text(source, encoding="utf-8")

    def _laws(self, path: Path) -> list[str]:
        mirror = Path("tests", path).with_name(f"test_{path.name}")
        laws = [f"tests/planner/{name}" for name in LAWS[path.parts[1]]]
        own = [str(mirror)] if (ROOT / mirror).exists() else []
        flags = ["pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
        return [*flags, *dict.fromkeys([*own, *laws])]

    def _run(self, module: list[str], seconds: float, *, is_test: bool = False) -> str:
        """Run a module in the copy; return what has killed the mutant."""
        client = self._root / "gateway" / "client"
        path = [str(self._root), str(client), *os.environ.get("MUTANTS_PATH", "").split(":")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "PYTHONDONTWRITEBYTECODE": "",
            "CI": "true",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", *module],
            cwd=self._root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            # Laws that are not through have found nothing; statements take no such time.
            return "" if is_test else f"{KILLED}a statement that does not end"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        lines = [line for line in said.splitlines() if line.startswith((KILLED, "FAILED", "ERROR"))]
        if process.returncode == 0:
            return ""
        what = lines[-1].split(" - ")[0] if lines else (said.splitlines() or ["its death"])[-1]
        return what if what.startswith(KILLED) else f"{KILLED}{what[:150]}"


def main(arguments: Sequence[str]) -> int:
    """Run mutants; print a line for each and the share that was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--statements", type=int, default=8000, help="of the corpus, to record")
    parser.add_argument("--fuzz", type=int, default=2000, help="statements of the fuzz, to record")
    parser.add_argument("--most", type=int, default=200, help="statements that a mutant is asked")
    parser.add_argument("--reach", type=Path, help="file that keeps the record")
    parser.add_argument("--laws-seconds", type=float, default=300.0)
    given = parser.parse_args(arguments)
    os.chdir(ROOT)
    every = [
        m for package in PACKAGES for path in sorted(package.rglob("*.py")) for m in mutations(path)
    ]
    chosen = random.Random(given.seed).sample(every, given.first + given.count)[given.first :]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="stategate-mutants-") as directory:
        kept = given.reach or Path(directory, "reach")
        reach = kept_reach(kept, PACKAGES, given.seed, given.statements, given.fuzz)
        copy = Copy(Path(directory, "tree"), statement_s=240.0, laws_s=given.laws_seconds)
        for number, mutation in enumerate(chosen, given.first):
            chance = random.Random(f"{given.seed}:{number}")
            verdict = copy.verdict(mutation, reach, chance, given.most)
            counts["killed" if verdict else "survived"] += 1
            place = f"{mutation.path}:{mutation.lines[0]}"
            change = f"{' '.join(mutation.before.split())[:80]}  →  {mutation.after[:80]}"
            print(f"{number} {place}: {change}\n    {verdict or 'SURVIVED'}", flush=True)
    share = 100 * counts["killed"] / max(1, sum(counts.values()))
    print(
        f"mutants: {counts['killed']} of {sum(counts.values())} found ({share:.0f} %), "
        f"seed {given.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
