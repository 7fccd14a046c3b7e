"""Run one mutant: `python -m tests.mutants.trial FILE`, in a copy of the tree that has the change.

If it is killed, the last line of the output says by what; if it survives, nothing is printed.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from tests.mutants.answers import Asked, Engines

KILLED = "killed by "


def main(path: str) -> int:
    """Ask the statements of a file until the first wrong answer."""
    asked: list[Asked] = pickle.loads(Path(path).read_bytes())
    engines = Engines()
    for each in asked:
        try:
            wrong = list(engines.difference(each))
        except Exception as error:  # whatever it raises, it is not the answer
            wrong = [repr(error)]
        if wrong:
            print(f"{KILLED}{each.kind}: {each.sql[:120]!r}")
            sys.stdout.flush()
            return 1
    engines.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
