"""What a chaos run found: statements, failures, the longest gaps, and each invariant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.chaos.answers import Answers
from tests.chaos.faults import Storm
from tests.chaos.judging import OLD, ROWS
from tests.chaos.ledger import STORES
from tests.chaos.world import World

_SHOWN_MAX = 20
_FIGURES = "{:<32} {:>9} {:>9} {:>9}"


def report(world: World, storm: Storm, differences: Sequence[str] | None) -> list[str]:
    """Return the lines of the report of a run that has ended.

    Args:
        world: all of the run.
        storm: its faults.
        differences: those of all stores from all input; None if they were not compared.
    """
    lines = [
        *_input(world, storm),
        *statements(world.answers),
        *table(world.answers),
        *(_cluster(world) if world.nodes else ()),
        *invariants(world.answers, differences, gateways=len(world.gateways)),
    ]
    return lines + [f"FAILED {line}" for line in (differences or ())[:_SHOWN_MAX]]


def _input(world: World, storm: Storm) -> Iterator[str]:
    ledger = world.answers.ledger
    counts = {
        "records": ledger.written,
        "tombstones": ledger.tombstones,
        "records taken back": ledger.aborted,
        "transactions": world.writer.transactions,
        "partitions": world.writer.partitions,
    }
    yield _figures("input", counts)
    yield _figures("epochs", world.epochs())
    yield _figures("faults", storm.counts)
    yield _figures("drivers that ended", world.ended)


def statements(answers: Answers) -> Iterator[str]:
    """Yield how many statements there were, how they ended, and when there were no answers."""
    yield (
        f"statements: {answers.asked.total():,} asked, {answers.answered.total():,} answered, "
        f"{answers.refused.total():,} refused as documented, {answers.failed.total():,} failed"
    )
    yield _figures("refused", answers.refused)
    yield _figures("failed", answers.failed)
    gaps = {kind: round(gap.longest_s, 2) for kind, gap in answers.gaps.items()}
    yield _figures("longest gap between two answers, in seconds", gaps)


def table(answers: Answers) -> Iterator[str]:
    """Yield a table of the reads by kind: sent, answered, and compared with the input."""
    yield _FIGURES.format("reads", "sent", "answered", "checked")
    for kind in sorted(answers.asked):
        sent, answered = answers.asked[kind], answers.answered[kind]
        figures = (f"{each:,}" for each in (sent, answered, answers.checked[kind]))
        yield _FIGURES.format(kind, *figures)


def _cluster(world: World) -> Iterator[str]:
    plain = world.plain
    yield (
        f"cluster of {world.nodes}: {sum(each.count for each in plain):,} plain statements at "
        f"nodes that lived; the longest took {max(each.longest_s for each in plain):.2f} s, the "
        f"longest gap at one node was {max(each.gap.longest_s for each in plain):.2f} s"
    )
    yield (
        f"all replicas were back {world.redundancy.count} times, within "
        f"{world.redundancy.longest_s:.1f} s of a node's return"
    )


def invariants(
    answers: Answers, differences: Sequence[str] | None, *, gateways: int
) -> Iterator[str]:
    """Yield for each invariant whether it held, then all violations by kind."""
    left = Counter(answers.violations)
    checked = answers.checked.total()
    broken: dict[str, int | None] = {
        f"no answer of {checked:,} is older than its bound, session or restart": left.pop(OLD, 0),
        f"each of {answers.rows_checked:,} rows is that of its position, and none is missing": sum(
            left.pop(kind, 0) for kind in ROWS
        ),
        f"none of {answers.asked.total():,} statements fails": sum(
            left.pop(kind, 0) for kind in answers.failed
        ),
        f"{len(STORES)} stores, read from the log and from {gateways} gateways, equal DuckDB over "
        "all input": None if differences is None else len(differences),
        "all else goes on, ends and comes back": left.total(),
    }
    for invariant, times in broken.items():
        word = "not checked" if times is None else f"BROKEN {times:,} times" if times else "held"
        yield f"invariant: {invariant}: {word}"
    yield _figures("violations", answers.violations)


def _figures(title: str, figures: Mapping[str, float]) -> str:
    return f"{title}: {json.dumps(dict(figures))}"
