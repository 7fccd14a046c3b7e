"""The report of a chaos run counts what happened, and says which invariants did not hold."""

from __future__ import annotations

import pytest

from tests.chaos.answers import Answers
from tests.chaos.reads.modes import KINDS, least_reads, too_few
from tests.chaos.report import invariants, statements, table
from tests.chaos.test_answers import KEY, answer, ledger_of

KIND = "a question"
OF_EACH = ("older", "rows", "statements", "stores", "goes on")


def words(answers: Answers, differences: list[str] | None) -> dict[str, str]:
    """Return what is said of each invariant."""
    lines = [each for each in invariants(answers, differences, gateways=3) if "invariant" in each]
    assert len(lines) == len(OF_EACH)
    return {
        name: line.rsplit(": ", 1)[1]
        for name in OF_EACH
        for line in lines
        if name in line.split(": ", 1)[1]
    }


def asked(*positions: int, rows: dict[str, tuple[int, int]]) -> Answers:
    """Return answers to statements whose bound is the first record of a key."""
    answers = Answers(ledger_of(7))
    for offset in positions:
        answers.ask(KIND)
        answers.add(answer("latest", rows, position={1: offset}, least={1: 0}))
    answers.check()
    return answers


def test_statements_are_those_answered_refused_and_failed() -> None:
    answers = asked(0, 0, rows={KEY: (1, 7)})
    for _ in range(2):
        answers.ask(KIND)
    answers.refuse("55S01")
    answers.fail("an error that is not documented", "XX000")
    assert next(statements(answers)) == (
        "statements: 4 asked, 2 answered, 1 refused as documented, 1 failed"
    )


def test_invariants_that_hold() -> None:
    assert words(asked(0, rows={KEY: (1, 7)}), []) == dict.fromkeys(OF_EACH, "held")


def test_stores_that_were_not_compared_are_not_said_to_be_right() -> None:
    assert words(asked(0, rows={KEY: (1, 7)}), None)["stores"] == "not checked"


@pytest.mark.parametrize(
    ("broken", "times"), [("older", 1), ("rows", 2), ("statements", 1), ("goes on", 3)]
)
def test_an_invariant_that_does_not_hold_is_named_alone(broken: str, times: int) -> None:
    answers = asked(0, rows={KEY: (1, 7)})
    if broken == "older":
        answers = asked(-1, rows={})
    elif broken == "rows":
        answers = asked(0, 0, rows={})
    for _ in range(times):
        if broken == "statements":
            answers.fail("an error that is not documented", "XX000")
        elif broken == "goes on":
            answers.violate("a driver does not end", "")
    expected = {each: f"BROKEN {times} times" if each == broken else "held" for each in OF_EACH}
    assert words(answers, []) == expected


def test_the_table_has_the_reads_of_each_kind() -> None:
    answers = asked(0, 0, rows={KEY: (1, 7)})
    answers.ask(KIND)
    title, line = table(answers)
    assert title.split() == ["reads", "sent", "answered", "checked"]
    assert line.split() == ["a", "question", "3", "2", "2"]


def test_a_run_with_too_few_reads_of_a_kind_is_not_clean() -> None:
    assert least_reads(1_200.0) == 1_000
    answers = asked(0, rows={KEY: (1, 7)})
    answers.checked.update(dict.fromkeys(KINDS, 250))
    too_few(answers, 300.0)
    assert answers.shown == []
    answers.checked["pages"] = 249
    too_few(answers, 300.0)
    assert answers.shown == ["too few reads were checked: pages: 249 of 250 in 300 s"]


def test_differences_from_the_input_are_counted() -> None:
    assert words(asked(0, rows={KEY: (1, 7)}), ["latest"] * 2)["stores"] == "BROKEN 2 times"
