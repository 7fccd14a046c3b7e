"""The checker finds each kind of wrong answer, and no other."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from tests.chaos.answers import Answer, Answers, Gap, faults_of
from tests.chaos.ledger import Ledger, Operation, Row

KEY = "p1k0"


def ledger_of(*amounts: int | None, offsets: tuple[int, ...] = ()) -> Ledger:
    """Return records of one key, at every second offset: others have the rest."""
    ledger = Ledger()
    places = offsets or tuple(range(0, 2 * len(amounts), 2))
    operations = [
        Operation(
            key=KEY, number=n, amount=amount, at_ms=0, partition=1, begun_s=0.0, offset=offset
        )
        for n, (amount, offset) in enumerate(zip(amounts, places, strict=True), start=1)
    ]
    ledger.begin(0.0)
    ledger.commit(operations)
    return ledger


def answer(
    store: str,
    rows: Mapping[str, Row],
    *,
    position: Mapping[int, int],
    least: Mapping[int, int] | None = None,
    keys: tuple[str, ...] | None = (KEY,),
    received_s: float = 1.0,
) -> Answer:
    return Answer(
        reader="a test",
        kind="a question",
        store=store,
        keys=keys,
        rows=rows,
        position=position,
        least=least or {},
        received_s=received_s,
    )


@pytest.mark.parametrize("keys", [(KEY,), None], ids=["one key", "all keys"])
@pytest.mark.parametrize(
    ("store", "at", "row"),
    [
        ("latest", 0, (1, 7)),
        ("latest", 1, (1, 7)),
        ("latest", 2, None),
        ("latest", 4, (3, 9)),
        ("totals", -1, None),
        ("totals", 3, (1, 7)),
        ("totals", 9, (2, 16)),
        ("windows", 9, (2, 16)),
    ],
)
def test_right_answers(store: str, at: int, row: Row | None, keys: tuple[str, ...] | None) -> None:
    rows = {} if row is None else {KEY: row}
    given = answer(store, rows, position={0: 5, 1: at}, least={1: at}, keys=keys)
    assert faults_of(given, ledger_of(7, None, 9)) == []


@pytest.mark.parametrize(
    ("rows", "position", "least", "kind"),
    [
        ({KEY: (1, 7)}, {1: 1}, {1: 2}, "an answer is older than its bound"),
        ({KEY: (1, 7)}, {1: 1}, {0: 0}, "an answer is older than its bound"),
        ({KEY: (1, 7)}, {1: 4}, {}, "a row is not that of its position"),
        ({KEY: (3, 9)}, {1: 1}, {}, "a row is not that of its position"),
        ({KEY: (3, 8)}, {1: 4}, {}, "a row is not that of its position"),
        ({}, {1: 0}, {}, "a row that exists is missing"),
        ({KEY: (1, 7)}, {1: 2}, {}, "a row that does not exist is there"),
        ({KEY: (1, 7), "p0k0": (1, 1)}, {1: 0}, {}, "a row that does not exist is there"),
    ],
)
def test_wrong_answers(
    rows: Mapping[str, Row], position: Mapping[int, int], least: Mapping[int, int], kind: str
) -> None:
    given = answer("latest", rows, position=position, least=least)
    assert [found for found, _ in faults_of(given, ledger_of(7, None, 9))] == [kind]


def test_an_answer_waits_for_the_fate_of_the_records_before_it() -> None:
    """A store may have a record before its writer hears of it."""
    ledger = ledger_of(7)
    answers = Answers(ledger)
    ledger.begin(5.0)
    answers.add(answer("latest", {KEY: (1, 7)}, position={1: 0}, received_s=4.0))
    answers.add(answer("latest", {KEY: (2, 8)}, position={1: 2}, received_s=6.0))
    answers.check()
    assert answers.violations.total() == 0
    sent = Operation(key=KEY, number=2, amount=8, at_ms=0, partition=1, begun_s=5.0, offset=2)
    ledger.commit([sent])
    assert ledger.open_since_s == math.inf
    answers.check()
    assert (answers.violations.total(), answers.answered.total()) == (0, 2)


def test_what_was_taken_back_must_not_appear() -> None:
    ledger = ledger_of(7)
    answers = Answers(ledger)
    ledger.begin(5.0)
    answers.add(answer("latest", {KEY: (2, 8)}, position={1: 2}, received_s=6.0))
    ledger.abort(1)
    answers.check()
    assert dict(answers.violations) == {"a row is not that of its position": 1}
    assert "a test, a question, store latest: key p1k0 is (2, 8), not (1, 7)" in answers.shown[0]


def test_the_newest_position_of_a_store_is_that_of_all_answers() -> None:
    answers = Answers(ledger_of(7))
    answers.add(answer("latest", {}, position={0: 3, 1: 1}))
    answers.add(answer("latest", {}, position={1: 2, 2: 0}))
    assert answers.newest() == {"latest": {0: 3, 1: 2, 2: 0}}


def test_the_longest_time_without_an_answer_is_found_for_each_kind() -> None:
    answers = Answers(ledger_of(7))
    for received_s in (1.0, 1.5, 4.0, 4.1):
        answers.add(answer("latest", {KEY: (1, 7)}, position={1: 0}, received_s=received_s))
    assert answers.gaps["a question"].longest_s == 2.5
    answers.end(10.0)
    assert answers.gaps["a question"].longest_s == pytest.approx(5.9), "no answer came since"


def test_a_time_in_which_no_answer_can_come_is_no_gap() -> None:
    gap = Gap()
    gap.answered(1.0)
    gap.rest()
    gap.answered(50.0)
    gap.answered(50.5)
    assert gap.longest_s == 0.5
