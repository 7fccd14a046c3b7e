"""Try one mutant: ask it statements and run tests, until the first one that is wrong.

`python -m tests.mutants.trial FILE` is a process of its own, in a copy of the tree with the change.
What kills the mutant is printed.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.asked import Asked

KILLED = "killed by "
ANSWERED = "all statements were answered"


def tried(asked: Sequence[Asked], tests: Sequence[str]) -> int:
    """Try what this process has; return 0 if all is right."""
    wrong = _wrong_statement(asked) if asked else ""
    if wrong:
        print(f"{KILLED}{wrong}", flush=True)
        return 1
    print(ANSWERED, flush=True)
    return _tested(tests) if tests else 0


def _wrong_statement(asked: Sequence[Asked]) -> str:
    """Return the first statement whose answer is wrong."""
    from tests.mutants.answers import Engines  # noqa: PLC0415 - the planner, which has the change

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
    import pytest  # noqa: PLC0415 - only mutants that answer all statements need it

    # Modules that were imported before cannot have their assertions rewritten.
    flags = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "--assert=plain"]
    return int(pytest.main([*flags, *tests]) == pytest.ExitCode.TESTS_FAILED)


if __name__ == "__main__":
    status = tried(*pickle.loads(Path(sys.argv[1]).read_bytes()))
    sys.stdout.flush()
    os._exit(status)  # engines and threads of a mutant may not end by themselves
