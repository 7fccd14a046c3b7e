"""Every client gets the rows of the demo's stores that DuckDB computes from the raw flights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from tests.clients.demo import QUESTIONS, Question, made_demo_log, right_answers, same_rows
from tests.clients.environments import Made
from tests.clients.running import (
    CLIENTS,
    Answer,
    Client,
    answers_of,
    command_of,
    made_for,
    variables_of,
)
from tests.support.gateway import Gateway, running_gateway


@pytest.fixture(scope="module")
def demo_gateway(
    installed: Callable[[str, Callable[[], Any]], Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gateway]:
    """Run a gateway over the log that `stategate demo` leaves."""
    log = installed("demo", made_demo_log)
    with running_gateway(log, tmp_path_factory.mktemp("demo_gateway")) as running:
        yield running


@pytest.fixture(scope="module")
def right() -> Mapping[str, list[tuple[Any, ...]]]:
    return right_answers()


@cache
def given_by(client: Client, made: Made | None, pg_port: int) -> Mapping[str, Answer]:
    """Return a client's answers to all questions. The client runs once."""
    program = client.program
    command = [*command_of(program, made), "--answer", client.name]
    variables = variables_of(program, made, pg_port=pg_port)
    return answers_of(command, variables=variables, given=[q.to_json() for q in QUESTIONS])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_answer(
    client: Client,
    question: Question,
    environment: Callable[[str], Made],
    demo_gateway: Gateway,
    right: Mapping[str, list[tuple[Any, ...]]],
) -> None:
    made = made_for(client.program, environment)
    answer = given_by(client, made, demo_gateway.pg_port)[question.name]
    assert answer.rows is not None, answer.error
    wanted = right[question.name]
    agree = same_rows(answer.rows, wanted, ordered=question.ordered, text_kinds=client.text_kinds)
    assert agree, f"{len(answer.rows)} rows {answer.rows[:3]}, not {len(wanted)} {wanted[:3]}"


def test_every_question_but_one_has_rows(right: Mapping[str, list[tuple[Any, ...]]]) -> None:
    """Every question but one has rows; otherwise clients could agree on empty answers."""
    counts = {name: len(rows) for name, rows in right.items()}
    assert counts.pop("finds nothing") == 0
    assert counts == {
        "finds a key": 1,
        "binds and reads types": 1,
        "reads a range": 9,
        "reads windows": 38,
        "joins and aggregates": 3,
        "reads a whole store": 4043,
        "lists stores and columns": 17,
    }


@pytest.mark.parametrize(
    ("found", "wanted", "text_kinds"),
    [
        ("7", 7, frozenset()),
        (7, 7, frozenset({int})),
        (7.0, 7, frozenset()),
        (True, 1, frozenset()),
        ({"decimal": "7"}, 7, frozenset()),
        ("1.5", 1.5, frozenset()),
        (1.5, 1.5000001, frozenset()),
        (None, 1.5, frozenset()),
        ("", None, frozenset()),
        ({"no zone": "2013-07-04T00:00:00"}, QUESTIONS[1].parameters[1], frozenset()),
        ({"instant": "2013-07-04T01:00:00+00:00"}, QUESTIONS[1].parameters[1], frozenset()),
    ],
)
def test_known_differences(found: object, wanted: object, text_kinds: frozenset[type]) -> None:
    assert not same_rows([[found]], [[wanted]], ordered=True, text_kinds=text_kinds)
