"""`make simulate ARGS="--schedules 100000"`: run many schedules, on all cores."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.stores.nodes.simulation.schedule import Ran, run
from tests.stores.nodes.simulation.world import ViolationError

_CHUNK = 50


def _ran(first: int, count: int) -> tuple[list[Ran], list[str]]:
    found, violations = [], []
    for seed in range(first, first + count):
        try:
            found.append(run(seed))
        except ViolationError as error:
            violations.append(str(error))
    return found, violations


def main(arguments: list[str]) -> int:
    """Run the schedules; return 1 if one of them breaks a law."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--schedules", type=int, default=100_000, help="how many: %(default)s")
    parser.add_argument("--seed", type=int, default=None, help="the first one")
    cores = os.cpu_count() or 1
    parser.add_argument("--processes", type=int, default=cores, help="at a time: %(default)s")
    given = parser.parse_args(arguments)
    first = secrets.randbelow(1 << 40) if given.seed is None else given.seed
    began, violations, all_ran = time.monotonic(), 0, Ran()
    starts = range(first, first + given.schedules, _CHUNK)
    counts = [min(_CHUNK, first + given.schedules - start) for start in starts]
    print(f"{given.schedules:,} schedules from seed {first} on", flush=True)
    with ProcessPoolExecutor(given.processes) as pool:
        for found, wrong in pool.map(_ran, starts, counts):
            for each in found:
                all_ran.statements += each.statements
                all_ran.failed += each.failed
                all_ran.moves += each.moves
                all_ran.longest_s = max(all_ran.longest_s, each.longest_s)
            violations += len(wrong)
            for text in wrong:
                print(text, flush=True)
    print(
        f"{all_ran.statements:,} statements answered, {all_ran.failed:,} failed with a reason to "
        f"try again, {all_ran.moves:,} moves, whole again after {all_ran.longest_s:.1f} s at most, "
        f"{violations} violations, {time.monotonic() - began:.0f} s"
    )
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
