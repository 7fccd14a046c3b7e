"""`make fuzz ARGS="--seconds 1800"`: look for defects with generated work."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.fuzz import (
    bombs,
    crashes,
    engines,
    histories,
    pipelines,
    relatives,
    selects,
    sessions,
    sparks,
    web,
    wire,
)
from tests.fuzz.open_differences import OPEN
from tests.fuzz.report import Budget, Report
from tests.support.postgres import PostgresMissingError
from tests.support.process import start_children_with_plain_signals

SECONDS = 240.0
"""Default length of a run in seconds, shared by its parts."""


def _selects(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    try:
        with selects.servers(directory, workers=1 + report.seed % 2) as found:
            selects.run(found, report, budget, without)
    except PostgresMissingError as error:
        report.skip(f"select: {error}")


def _sessions(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    del without
    try:
        with sessions.servers(directory) as found:
            sessions.run(found, report, budget)
    except PostgresMissingError as error:
        report.skip(f"session: {error}")


def _relatives(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    del without
    try:
        relatives.run(directory, report, budget)
    except PostgresMissingError as error:
        report.skip(f"relative: {error}")


PARTS: Mapping[str, Callable[[Path, Report, Budget, frozenset[str]], None]] = {
    "select": _selects,
    "relative": _relatives,
    "session": _sessions,
    "engine": engines.run,
    "spark": sparks.run,
    "wire": lambda directory, report, budget, _: wire.run(directory, report, budget),
    "http": web.run,
    "bomb": lambda directory, report, budget, _: bombs.run(directory, report, budget),
    "history": histories.run,
    "query": pipelines.run,
    "crash": crashes.run,
}


def main(arguments: Sequence[str]) -> int:
    """Run the parts in order; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="separated by commas: %(default)s")
    parser.add_argument("--seed", type=int, default=None, help="the same seed gives the same cases")
    parser.add_argument(
        "--seconds", type=float, default=None, help=f"length of the run; {SECONDS:.0f}"
    )
    parser.add_argument(
        "--rounds", type=int, default=None, help="cases of each part, instead of a length"
    )
    parser.add_argument("--case", type=int, default=None, help="number of the only case to run")
    parser.add_argument(
        "--without",
        default="",
        help="features to leave out, separated by ;, or open: all with a known defect",
    )
    given = parser.parse_args(arguments)
    start_children_with_plain_signals()
    parts = [name for name in given.parts.split(",") if name]
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    seed = secrets.randbelow(1 << 32) if given.seed is None else given.seed
    report = Report(seed=seed)
    print(f"fuzz: seed {seed}, parts {', '.join(parts)}")
    timed = given.rounds is None and given.case is None
    seconds = (given.seconds or SECONDS) / len(parts) if timed else given.seconds
    for name in parts:
        budget = Budget(seconds=seconds, rounds=given.rounds, only=given.case)
        with tempfile.TemporaryDirectory(prefix="stategate-fuzz-") as directory:
            named = OPEN if given.without == "open" else filter(None, given.without.split(";"))
            without = frozenset(named)
            PARTS[name](Path(directory), report, budget, without)
    for outcome, count in report.counts.most_common():
        print(f"{count:7} {outcome}")
    for kind, count in report.kinds.most_common():
        print(f"{count:7} FAILED {kind}")
    print(report.verdict())
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
