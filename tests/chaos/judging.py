"""Whether an answer is one that the input up to its position makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from tests.chaos.ledger import WINDOWED, Id, Ledger, Position, Row, partition_of

OLD = "an answer is older than its bound"
WRONG = "a row is not that of its position"
MISSING = "a row that exists is missing"
GHOST = "a row that does not exist is there"
MIXED = "the rows of one answer are of several epochs"
ROWS = (WRONG, MISSING, GHOST, MIXED)

Asked: TypeAlias = Callable[[Ledger], Iterable[Id]]
"""What an answer must have the rows of, once the input is known."""
Folded: TypeAlias = Callable[[Mapping[Id, Row]], Mapping[Any, Any]]
"""Makes the rows of a statement from those of a store."""


class Epochs(Enum):
    """How the rows of an answer relate to its position."""

    SAME = "all rows are those at the position"
    ONE = "all rows are of one epoch of their store, between bound and position"
    SEVERAL = "each row is of an epoch between bound and position"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a reader was told."""

    reader: str
    kind: str
    """The kind of the question."""
    store: str
    asked: Asked
    rows: Mapping[Any, Any]
    position: Position
    """The input that the gateway says the rows reflect."""
    least: Position
    """The input that they must reflect: the bound, the session's, and what a restart must keep."""
    received_s: float
    epochs: Epochs = Epochs.SAME
    is_own: bool = True
    """Whether the position is that of this store alone, and not the farthest of several."""
    folded: Folded | None = None
    """How the statement changes the rows of the store, if all are those at the position."""


def keys(*asked: Id) -> Asked:
    """Ask for the rows of keys, or of windows of keys."""
    return lambda _: asked


def all_keys(ledger: Ledger) -> Iterable[Id]:
    """Ask for the rows of all keys."""
    return ledger.known()


def all_of(store: str) -> Asked:
    """Ask for all rows of a store, of windows each by itself."""
    if store in WINDOWED:
        return lambda ledger: ledger.windows(ledger.known())
    return all_keys


def windows_since(since_ms: int) -> Asked:
    """Ask for the rows of windows that begin then or later."""
    return lambda ledger: [each for each in ledger.windows(ledger.known()) if each[1] >= since_ms]


def faults_of(answer: Answer, ledger: Ledger) -> list[tuple[str, str]]:
    """Return what is wrong with an answer: the kind, and what was seen."""
    behind = {
        partition: (answer.position.get(partition, -1), least)
        for partition, least in answer.least.items()
        if answer.position.get(partition, -1) < least
    }
    faults = []
    if behind:
        shown = ", ".join(f"[{p}] at {has}, not {least}" for p, (has, least) in behind.items())
        faults.append((OLD, shown))
    if answer.epochs is Epochs.SAME:
        faults += _at_the_position(answer, ledger)
    elif not behind:
        faults += _between(answer, ledger)
    return faults


def _at_the_position(answer: Answer, ledger: Ledger) -> Iterator[tuple[str, str]]:
    rows = {each: ledger.row(answer.store, each, answer.position) for each in answer.asked(ledger)}
    expected: Mapping[Any, Any] = {key: row for key, row in rows.items() if row is not None}
    if answer.folded is not None:
        expected = answer.folded(expected)
    for key in sorted({*expected, *answer.rows}):
        ours, theirs = answer.rows.get(key), expected.get(key)
        if ours != theirs:
            kind = MISSING if ours is None else GHOST if theirs is None else WRONG
            at = dict(sorted(answer.position.items()))
            yield kind, f"key {key} is {ours}, not {theirs}, at {at}"


def _between(answer: Answer, ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Compare each row with those between bound and position, and look for one common epoch."""
    common: dict[int, list[tuple[float, float]]] = {}
    for key in sorted({*answer.asked(ledger), *answer.rows}):
        history, row = ledger.history(answer.store, key), answer.rows.get(key)
        partition = partition_of(key)
        least, most = answer.least.get(partition, -1), answer.position.get(partition, -1)
        spans = history.spans(row)
        if not any(begin <= most and least < end for begin, end in spans):
            where = f"key {key} is {row}, at {least} to {most} of [{partition}]"
            yield _kind_of(row, spans, least, expected=history.at(most)), where
            continue
        found = [(max(begin, least), min(end, most + 1)) for begin, end in spans]
        before = common.get(partition, [(least, most + 1)])
        both = [
            (max(a, c), min(b, d)) for a, b in before for c, d in found if max(a, c) < min(b, d)
        ]
        if not both and answer.epochs is Epochs.ONE:
            yield MIXED, f"key {key} is {row}, but others are of {before} of [{partition}]"
            return
        common[partition] = both


def _kind_of(
    row: Row | None, spans: list[tuple[int, float]], least: int, *, expected: Row | None
) -> str:
    if row is None:
        return MISSING
    if any(end <= least for _, end in spans):
        return OLD
    return GHOST if expected is None else WRONG
