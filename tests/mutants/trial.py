"""Try one mutant: `python -m tests.mutants.trial FILE`, in a copy of the tree that has the change.

If it is killed, a line of the output says by what; if it survives, nothing is printed.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutants.answers import Engines
from tests.mutants.asked import Asked

KILLED = "killed by "
ANSWERED = "all statements were answered"


def main(path: str) -> int:
    """Ask the statements, then run the tests, until the first one that is wrong."""
    asked, tests = pickle.loads(Path(path).read_bytes())
    wrong = _wrong_statement(asked)
    if wrong:
        print(f"{KILLED}{wrong}", flush=True)
        return 1
    print(ANSWERED, flush=True)
    return _tested(tests) if tests else 0


def _wrong_statement(asked: Sequence[Asked]) -> str:
    """Return the first statement whose answer is wrong."""
    engines = Engines()
    for number, each in enumerate(asked):
        try:
            wrong = list(engines.difference(each))
        except Exception as error:  # whatever it raises, it is not the answer
            wrong = [repr(error)]
        if wrong:
            return f"statement {number}, {each.kind}: {each.sql[:120]!r}"
    engines.close()
    return ""


def _tested(tests: Sequence[str]) -> int:
    flags = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    return pytest.main([*flags, *tests])


if __name__ == "__main__":
    status = main(sys.argv[1])
    sys.stdout.flush()
    os._exit(status)  # engines and threads of a mutant may not end by themselves
