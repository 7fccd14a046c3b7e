"""A mutant is tried first with what most likely notices it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants.asked import CORPUS, FUZZ, Asked
from tests.mutants.mutations import Mutation
from tests.mutants.reach import Reach, Reached, Test

PATH = Path("planner/postgres/module.py")
SOURCE = 'NAMES = {"lower": 1}\n\n\n\ndef f() -> int:\n    return 2\n'
SQL = ("SELECT 1", "SELECT lower(t)", "SELECT 2")


def mutation(line: int) -> Mutation:
    return Mutation(path=PATH, lines=(line, line), columns=(0, 1), before="", after="")


@pytest.fixture
def reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reach:
    monkeypatch.chdir(tmp_path)
    PATH.parent.mkdir(parents=True)
    PATH.write_text(SOURCE)
    asked = [Asked(kind=kind, sql=sql) for kind in (CORPUS, FUZZ) for sql in SQL]
    tests = [
        Test(name=f"tests/planner/{name}", seconds=seconds)
        for name, seconds in [
            ("test_law.py::test_slow", 5.0),
            ("test_law.py::test_one[a]", 1.0),
            ("test_law.py::test_one[b]", 1.0),
            ("test_law.py::test_other", 2.0),
            ("postgres/test_module.py::test_own", 3.0),
            ("test_law.py::test_elsewhere", 0.1),
        ]
    ]
    # All statements but the last one of each kind reach line 6.
    return Reach(
        Reached(names=asked, lines={str(PATH): {6: 0b011011}}),
        Reached(names=tests, lines={str(PATH): {6: 0b011111}}),
    )


def test_statements_with_the_words_of_the_line_come_first(reach: Reach) -> None:
    chance = random.Random(1)
    found = reach.asked(mutation(1), 100, chance)
    likely = {(each.kind, each.sql) for each in found[:4]}
    assert {(CORPUS, SQL[1]), (FUZZ, SQL[1])} <= likely
    assert len(reach.asked(mutation(1), 2, chance)) == 2


def test_only_statements_that_reach_the_line_are_asked(reach: Reach) -> None:
    found = reach.asked(mutation(6), 100, random.Random(1))
    assert {each.sql for each in found} == {SQL[0], SQL[1]}
    assert len(found) == 4


def test_statements_that_reach_rare_lines_nearby_come_first(reach: Reach) -> None:
    statements = replace(reach.statements, lines={str(PATH): {5: 0b111, 6: 0b111, 7: 0b100}})
    rare = replace(reach, statements=statements)
    for seed in range(5):
        assert rare.asked(mutation(5), 1, random.Random(seed))[0].sql == SQL[2]


def test_tests_of_the_module_come_first_then_each_other_one_in_turn(reach: Reach) -> None:
    found = reach.tried(mutation(6), 100.0, random.Random(1))
    names = [name.rpartition("::")[2] for name in found]
    assert names[0] == "test_own"
    assert names[1].startswith("test_one[")
    assert names[2:4] == ["test_other", "test_slow"]
    assert sorted(names)[:2] == ["test_one[a]", "test_one[b]"]
    assert "test_elsewhere" not in names


def test_no_more_tests_are_tried_than_time_allows(reach: Reach) -> None:
    found = reach.tried(mutation(6), 5.0, random.Random(1))
    assert [name.rpartition("::")[2][:8] for name in found] == ["test_own", "test_one", "test_one"]
