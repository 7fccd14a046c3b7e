"""Answers that are given again: none is older, or of another store, than the partition's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.running import kept_answers
from planner.running.kept_answers import KeptAnswers
from planner.sql import SqlEngine
from planner.values.session import Session
from planner.values.statement import LookedUp, Statement
from stores.hosting.local_store import LocalStore
from stores.spec.position import Progress
from stores.spec.schema import DataType, Row, Value
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint", "note": "text"}, partitions=2)
SELECTS = ("SELECT n, note FROM counts WHERE k = $1", "SELECT k, n FROM counts WHERE $1 = k")
KEYS = st.sampled_from("abc")


@dataclass
class Looking:
    """An engine over one store, and the statements that look it up."""

    catalog: FixedCatalog = field(default_factory=FixedCatalog)

    def __post_init__(self) -> None:
        self.reopen()
        self.engine = SqlEngine(self.catalog)
        self.statements = [self.engine.prepare(sql, self.session) for sql in SELECTS]

    def reopen(self) -> None:
        """Replace the store by a new one of the same name and definition."""
        self.store = open_store(COUNTS)
        self.catalog.replace(self.store)
        self.session = Session()

    def look_up(self, statement: Statement, key: Value) -> LookedUp:
        assert statement.look_up is not None
        found = statement.look_up((key,), self.session)
        assert found is not None
        return found


@pytest.fixture
def looking() -> Iterator[Looking]:
    found = Looking()
    yield found
    found.engine.close()


def write(store: LocalStore, row: Row, epoch: int) -> None:
    fill(store, [row], epoch=epoch)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), KEYS),
        st.tuples(st.just("look up"), KEYS),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=30,
)


@given(STEPS)
def test_a_lookup_gives_the_row_as_it_is(steps: list[tuple[str, str | None]]) -> None:
    looking, rows = Looking(), dict[str, Row]()
    epoch = 0
    try:
        for number, (what, key) in enumerate(steps):
            if what == "reopen":
                # The new store begins with the epochs of the old one.
                looking.reopen()
                rows, epoch = {}, 0
            elif what == "write":
                assert key is not None
                rows[key] = (number, f"note {number}")
                write(looking.store, (key, *rows[key]), epoch)
                epoch += 1
            elif epoch:  # before its first epoch a store has nothing to keep
                for _ in range(3):
                    assert key is not None
                    row = rows.get(key)
                    first, second = (looking.look_up(s, key) for s in looking.statements)
                    assert list(first.rows) == ([] if row is None else [row])
                    assert list(second.rows) == ([] if row is None else [(key, row[0])])
                    assert looking.session.seen == first.position
    finally:
        looking.engine.close()


def test_an_answer_is_kept_from_the_second_time_on(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    statement, other = looking.statements
    first, second, third = (looking.look_up(statement, "a") for _ in range(3))
    assert first.kept is None
    assert second.kept is not None
    assert third is second
    assert looking.look_up(other, "a") is not third
    write(looking.store, ("a", 2, "y"), 1)
    assert list(looking.look_up(statement, "a").rows) == [(2, "y")]


def test_a_missing_key_is_kept_as_well(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    found = [looking.look_up(looking.statements[0], "b") for _ in range(3)]
    assert found[2] is found[1]
    assert list(found[2].rows) == []


def test_a_long_value_is_not_kept(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x" * (kept_answers.TEXT_BYTES_MAX + 1)), 0)
    found = [looking.look_up(looking.statements[0], "a") for _ in range(3)]
    assert found[2] is not found[1]
    assert found[2].kept is None


def test_a_closed_partition_gives_no_kept_answer(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    statement = looking.statements[0]
    for _ in range(3):
        looking.look_up(statement, "a")
    for replica in looking.store.replicas.values():
        replica.close()
    assert statement.look_up is not None
    assert statement.look_up(("a",), looking.session) is None


@pytest.mark.parametrize("kind", ["double", "real", "numeric(4,1)", "text[]", "json"])
def test_values_that_are_equal_but_look_different_are_not_kept(kind: str) -> None:
    """Nor are those that have no hash."""
    answers, text = KeptAnswers(), DataType.parse("text")
    assert answers.of([text, text]) is answers
    never = answers.of([text, DataType.parse(kind)])
    for _ in range(3):
        asked = (0, ("a", [1]))
        assert never.get(asked) is None
        assert not never.has_come(asked)


def test_the_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "ANSWERS_MAX", 4)
    answers, progress = KeptAnswers(), Progress()
    for n in range(9):
        answers.keep((0, (n,)), LookedUp(((n,),)), partition=0, progress=progress)
    assert [n for n in range(9) if answers.get((0, (n,)))] == [8]
