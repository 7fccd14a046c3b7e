"""The checker finds each kind of wrong answer, and no other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.chaos.answers import Answers, Gap
from tests.chaos.judging import Answer, Epochs, all_keys, faults_of
from tests.chaos.judging import keys as of_keys
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
    epochs: Epochs = Epochs.SAME,
) -> Answer:
    return Answer(
        reader="a test",
        kind="a question",
        store=store,
        asked=all_keys if keys is None else of_keys(*keys),
        rows=rows,
        position=position,
        least=least or {},
        received_s=received_s,
        epochs=epochs,
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


OTHER = "p1k1"


def both() -> Ledger:
    """Return records of two keys of a partition, by turns."""
    ledger = ledger_of(7, None, 9)
    ledger.commit(
        [
            Operation(
                key=OTHER, number=n, amount=n, at_ms=0, partition=1, begun_s=0.0, offset=2 * n - 1
            )
            for n in range(1, 4)
        ]
    )
    return ledger


@pytest.mark.parametrize(
    ("rows", "epochs", "kinds"),
    [
        ({KEY: (1, 7), OTHER: (1, 1)}, Epochs.ONE, []),
        ({OTHER: (1, 1)}, Epochs.ONE, []),
        ({KEY: (3, 9), OTHER: (2, 2)}, Epochs.ONE, []),
        (
            {KEY: (1, 7), OTHER: (3, 3)},
            Epochs.ONE,
            ["the rows of one answer are of several epochs"],
        ),
        ({KEY: (1, 7), OTHER: (3, 3)}, Epochs.SEVERAL, []),
        ({KEY: (1, 7)}, Epochs.SEVERAL, ["a row that exists is missing"]),
        ({KEY: (1, 8), OTHER: (1, 1)}, Epochs.SEVERAL, ["a row is not that of its position"]),
        (
            {KEY: (1, 7), OTHER: (1, 1), "p1k2": (1, 1)},
            Epochs.SEVERAL,
            ["a row that does not exist is there"],
        ),
    ],
)
def test_rows_between_bound_and_position(
    rows: Mapping[str, Row], epochs: Epochs, kinds: list[str]
) -> None:
    given = answer("latest", rows, position={1: 5}, least={1: 1}, keys=None, epochs=epochs)
    assert [found for found, _ in faults_of(given, both())] == kinds


def test_a_row_from_before_the_bound_is_old() -> None:
    given = answer(
        "latest",
        {KEY: (1, 7), OTHER: (3, 3)},
        position={1: 5},
        least={1: 4},
        keys=None,
        epochs=Epochs.SEVERAL,
    )
    assert [found for found, _ in faults_of(given, both())] == ["an answer is older than its bound"]


def test_rows_of_windows_are_those_of_their_records() -> None:
    ledger = ledger_of(7)
    later = Operation(key=KEY, number=2, amount=8, at_ms=12_345, partition=1, begun_s=0.0, offset=2)
    ledger.commit([later])
    windows = {(KEY, 0): (1, 7), (KEY, 10_000): (1, 8)}
    assert sorted(ledger.windows([KEY])) == sorted(windows)
    for of, row in windows.items():
        assert ledger.row("windows", of, {1: 2}) == row
    assert ledger.row("windows", (KEY, 10_000), {1: 1}) is None
    assert ledger.row("windows", KEY, {1: 2}) == (2, 15), "a key alone has the sums"


def test_the_position_of_several_stores_is_not_the_newest_of_one() -> None:
    answers = Answers(ledger_of(7))
    answers.add(replace(answer("latest", {}, position={0: 3}), is_own=False))
    assert answers.newest() == {}
