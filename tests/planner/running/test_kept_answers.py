"""Answers that are given again: none is older, or of another store, than the partition's own."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.running import kept_answers
from stategate.planner.running.kept_answers import (
    Asked,
    Kept,
    KeptAnswer,
    KeptAnswers,
    kept_rows,
    standings,
)
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Encoded, LookedUp, Statement
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import DataType, Row, StoreSchema, Value
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

ANSWERS = 20
COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint", "note": "text"}, partitions=2)
ONE = replace(COUNTS, partitions=1)
SELECTS = ("SELECT n, note FROM counts WHERE k = $1", "SELECT k, n FROM counts WHERE $1 = k")
KEYS = st.sampled_from("abc")
Rows = dict[str, int]
SEVERAL: dict[str, Callable[[Rows], list[Row]]] = {
    "SELECT k, n FROM counts ORDER BY k": lambda rows: sorted(rows.items()),
    "SELECT k, n FROM counts WHERE k IN ('a', 'b', 'c') ORDER BY k": lambda rows: sorted(
        rows.items()
    ),
    "SELECT k, n FROM counts WHERE k >= 'b' ORDER BY k LIMIT 1": lambda rows: sorted(
        (k, n) for k, n in rows.items() if k >= "b"
    )[:1],
    "SELECT count(*), sum(n) FROM counts": lambda rows: [
        (len(rows), Decimal(sum(rows.values())) if rows else None)
    ],
    "SELECT k, n FROM counts ORDER BY n DESC LIMIT 2": lambda rows: sorted(
        rows.items(), key=lambda row: -row[1]
    )[:2],
    "SELECT c.k, o.n FROM counts c JOIN counts o ON o.k = c.k WHERE c.k = 'a'": lambda rows: [
        (k, n) for k, n in rows.items() if k == "a"
    ],
}
"""Statements that read several partitions row by row, and their rows."""


@dataclass
class Looking:
    """An engine over one store, and the statements that look it up."""

    limits: EngineLimits = field(default_factory=EngineLimits)
    schema: StoreSchema = COUNTS
    directory: Path | None = None
    """For its databases; without one its rows are in memory."""
    catalog: FixedCatalog = field(default_factory=FixedCatalog)
    stores: list[LocalStore] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reopen()
        self.engine = SqlEngine(self.catalog, limits=self.limits)
        self.statements = [self.engine.prepare(sql, self.session) for sql in SELECTS]

    def reopen(self) -> None:
        """Replace the store by a new one of the same name and definition."""
        below = None if self.directory is None else self.directory / str(len(self.stores))
        self.store = open_store(self.schema, directory=below, rows=RowBudget(1 << 20))
        self.stores.append(self.store)
        self.catalog.replace(self.store)
        self.session = Session()

    def close(self) -> None:
        self.engine.close()
        for store in self.stores:
            for replica in store.replicas.values():
                replica.close()

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
    check_lookups(Looking(), steps)


@given(STEPS)
def test_a_lookup_gives_the_row_as_it_is_in_a_database(
    steps: list[tuple[str, str | None]],
) -> None:
    """Its rows are cached, and what was made of them is kept from one epoch to the next."""
    with TemporaryDirectory() as directory:
        check_lookups(Looking(directory=Path(directory)), steps)


def encode(found: LookedUp) -> None:
    """Keep what is made of its rows, and check what was kept."""
    if found.kept is not None:
        assert found.kept.rows.data in (b"", repr(found.rows).encode())
        found.kept.rows = Encoded(repr, repr(found.rows).encode())


def check_lookups(looking: Looking, steps: list[tuple[str, str | None]]) -> None:
    rows = dict[str, Row]()
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
                    encode(first)
                    encode(second)
                    assert list(first.rows) == ([] if row is None else [row])
                    assert list(second.rows) == ([] if row is None else [(key, row[0])])
                    assert looking.session.seen == first.position
                    assert {each[2] for each in first.reads} == {read_at(looking, first)}
    finally:
        looking.close()


def read_at(looking: Looking, found: LookedUp) -> int:
    """Return the epoch of the partition that a lookup has read."""
    ((_, partition, _, _),) = found.reads
    return looking.store.replicas[partition].progress.epoch


@pytest.fixture(scope="module")
def several() -> Iterator[tuple[Looking, list[Statement]]]:
    """What many examples share: planning takes longer than all else."""
    looking = Looking()
    yield looking, [looking.engine.prepare(sql, looking.session) for sql in SEVERAL]
    looking.engine.close()


@given(steps=STEPS)
def test_few_rows_are_given_as_they_are(
    several: tuple[Looking, list[Statement]], steps: list[tuple[str, str | None]]
) -> None:
    """Whichever partition changes, and whatever was kept."""
    looking, statements = several
    looking.reopen()
    rows, epoch = Rows(), 0
    for number, (what, key) in enumerate(steps):
        if what == "reopen":
            looking.reopen()
            rows, epoch = {}, 0
        elif what == "write":
            assert key is not None
            rows[key] = number
            write(looking.store, (key, number, None), epoch)
            epoch += 1
        elif epoch:
            for statement, expected in zip(statements, SEVERAL.values(), strict=True):
                for _ in range(3):
                    assert statement.look_up is not None
                    found = statement.look_up((), looking.session)
                    assert found is not None
                    assert list(found.rows) == expected(rows)


@pytest.mark.parametrize("sql", SEVERAL)
def test_answers_of_few_rows_are_kept(sql: str, looking: Looking) -> None:
    for epoch, key in enumerate("abcde"):
        write(looking.store, (key, epoch, "x"), epoch)
    statement = looking.engine.prepare(sql, looking.session)
    assert statement.look_up is not None
    first, second, third = (statement.look_up((), looking.session) for _ in range(3))
    assert first is not None
    assert second is not None
    assert third is second
    assert second.kept is not None
    assert (second.rows, second.position) == (first.rows, first.position)
    assert looking.engine.kept_answers_given() == 1


def test_an_answer_read_beside_a_change_is_not_kept(looking: Looking) -> None:
    """It may have seen one partition before the change and another after it."""
    write(looking.store, ("a", 1, "x"), 0)
    stores = [looking.store]
    reads = tuple(("counts", number, 0, 1) for number in range(COUNTS.partitions))
    found = LookedUp(((1,),), reads)
    before = standings(stores)
    assert before is not None
    kept = kept_rows(found, stores, before)
    assert kept is not None
    assert kept.stands(stores)
    elsewhere = LookedUp(((1,),), reads, nodes=("b", None))
    assert kept_rows(elsewhere, stores, before) is None
    write(looking.store, ("a", 2, "x"), 1)
    assert not kept.stands(stores)
    assert kept_rows(found, stores, before) is None
    now = standings(stores)
    assert now is not None
    assert kept_rows(found, stores, now) is None, "its epoch is not that of the partitions"


def test_a_plan_whose_answers_are_dropped_before_they_are_given_keeps_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking = Looking(EngineLimits(answers_bytes=ANSWERS * 800))
    write(looking.store, ("a", 1, "x"), 0)
    sql = "SELECT k, n FROM counts WHERE k <= $1 ORDER BY k LIMIT 1"
    statement = looking.engine.prepare(sql, looking.session)
    assert statement.look_up is not None
    kept = list[object]()
    keep = KeptAnswers.keep

    def counted(answers: KeptAnswers, asked: Asked, answer: Kept) -> LookedUp:
        kept.append(asked)
        return keep(answers, asked, answer)

    monkeypatch.setattr(KeptAnswers, "keep", counted)
    for n in [*range(100)] * 20:
        statement.look_up((f"b{n:02}",), looking.session)
    assert ANSWERS < len(kept) < 10 * ANSWERS, "of 2,000"
    for _ in range(2_000):
        statement.look_up(("b",), looking.session)
    given = looking.engine.kept_answers_given()
    statement.look_up(("b",), looking.session)
    assert looking.engine.kept_answers_given() == given + 1, "they rest for a while only"
    looking.engine.close()


def test_a_plan_of_many_answers_in_demand_keeps_them_all(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    statement = looking.engine.prepare(
        "SELECT k, n FROM counts WHERE k <= $1 ORDER BY k LIMIT 1", looking.session
    )
    assert statement.look_up is not None
    keys, drawn = 4_000, Random(1)
    for _ in range(10 * keys):
        statement.look_up((f"b{drawn.randrange(keys)}",), looking.session)
    given = looking.engine.kept_answers_given()
    for n in range(keys):
        statement.look_up((f"b{n}",), looking.session)
    assert looking.engine.kept_answers_given() > given + 0.9 * keys


def test_stores_of_many_partitions_keep_no_answers(
    looking: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_answers, "PARTITIONS_MAX", 1)
    assert standings([looking.store]) is None


def test_an_answer_is_kept_at_once_while_there_is_room(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    statement, other = looking.statements
    first, second = (looking.look_up(statement, "a") for _ in range(2))
    assert first.kept is not None
    assert second is first
    assert looking.look_up(other, "a") is not first
    write(looking.store, ("a", 2, "y"), 1)
    assert list(looking.look_up(statement, "a").rows) == [(2, "y")]


def test_an_answer_is_kept_from_the_second_time_on_without_room() -> None:
    looking = Looking(EngineLimits(answers_bytes=ANSWERS * 800))
    write(looking.store, ("a", 1, "x"), 0)
    statement = looking.statements[0]
    for n in range(2 * ANSWERS):
        looking.look_up(statement, f"b{n}")
    first, second, third = (looking.look_up(statement, "a") for _ in range(3))
    assert first.kept is None
    assert second.kept is not None
    assert third is second
    looking.engine.close()


def test_a_missing_key_is_kept_as_well(looking: Looking) -> None:
    write(looking.store, ("a", 1, "x"), 0)
    found = [looking.look_up(looking.statements[0], "b") for _ in range(2)]
    assert found[1] is found[0]
    assert list(found[1].rows) == []


def test_an_epoch_that_leaves_a_row_as_it_was_leaves_its_message(tmp_path: Path) -> None:
    """The answer is at the new epoch and position, and what was made of its row is kept."""
    looking = Looking(schema=ONE, directory=tmp_path)
    store, statement = looking.store, looking.statements[0]
    write(store, ("a", 1, "x"), 0)
    messages = {key: Encoded(repr, key.encode()) for key in ("a", "b")}
    for key, message in messages.items():
        kept = looking.look_up(statement, key).kept
        assert kept is not None
        kept.rows = kept.answer = message
    for epoch in range(1, 4):
        write(store, ("c", epoch, "x"), epoch)
        for key in ("a", "b"):
            after, again = (looking.look_up(statement, key) for _ in range(2))
            assert again is after
            assert after.kept is not None
            assert [each[2] for each in after.reads] == [epoch]
            assert after.position == store.replicas[0].progress.position
            assert after.kept.rows is messages[key]
            assert after.kept.answer.encoder is None
    write(store, ("b", 5, "y"), 4)
    changed = looking.look_up(statement, "b")
    assert list(changed.rows) == [(5, "y")]
    assert changed.kept is not None
    assert changed.kept.rows.encoder is None
    looking.close()


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
    assert answers.of([DataType.parse(kind)]) is never, "plans do not have marks of their own"
    for _ in range(3):
        asked = (0, ("a", [1]))
        assert never.get(asked) is None
        assert not never.admits(asked)
        assert not never.has_come(asked)


def answer_of(*rows: Row) -> KeptAnswer:
    return KeptAnswer(LookedUp(rows), 0, 0, Progress(), None)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4), st.integers(0, 200))))
def test_the_answers_are_bounded(asked: list[tuple[int, int, int]]) -> None:
    """By their memory. An answer that is too large for it, or has a long value, is not kept."""
    capacity = 5_000
    answers = KeptAnswers(capacity)
    for n, rows, length in asked:
        question, row = (0, (n,)), ("x" * length,)
        is_small = length <= kept_answers.TEXT_BYTES_MAX or not rows
        found = answers.keep(question, answer_of(*[row] * rows))
        assert (found.kept is not None) == is_small
        if is_small:  # if it was kept before, it may be the oldest, and make room itself
            kept = answers.get(question)
            assert kept is None or kept.found is found
        sizes = [each.size_bytes for n in range(21) if (each := answers.get((0, (n,))))]
        assert sum(sizes) <= capacity
    too_large = answer_of(*[("x" * 100,)] * 50)
    assert answers.keep((0, ("large",)), too_large).kept is None
    assert KeptAnswers().keep((0, ("large",)), too_large).kept is not None
    many = answer_of(*[(1,)] * (kept_answers.ANSWER_ROWS_MAX + 1))
    assert KeptAnswers().keep((0, ("many",)), many).kept is None


def test_the_oldest_answers_are_dropped() -> None:
    answers = KeptAnswers(10_000)
    for n in range(100):
        answers.keep((0, (n,)), answer_of((n,)))
    kept = [n for n in range(100) if answers.get((0, (n,)))]
    assert kept == [*range(100 - len(kept), 100)]
    assert 10 < len(kept) < 30
    assert answers.turns == (100 - len(kept)) // (len(kept) + 1)


def test_the_memory_of_answers_is_about_what_they_take() -> None:
    answers = KeptAnswers()
    progress = Progress()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for n in range(5_000):
            key = f"key {n}"
            value = (n * 10_000, n * 1.5, f"city {n}")
            found = LookedUp(((key, *value),), ((str(n), n, n, 1),))
            kept = answers.keep((0, (key,)), KeptAnswer(found, 0, 1, progress, value)).kept
            assert kept is not None
            kept.rows = Encoded(str, f"{(key, *value)}".encode())
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    told = sum(answers.get((0, (f"key {n}",))).size_bytes for n in range(5_000))
    assert 0.7 * used < told < 1.3 * used


def test_the_positions_of_answers_count_as_memory() -> None:
    """Those of one epoch share one; a quiet store keeps an answer at each of many."""
    offsets = dict.fromkeys(range(50), 7)
    shared, apart = KeptAnswers(1 << 20), KeptAnswers(1 << 20)
    position = Position.of({"events": offsets})
    for n in range(1_000):
        own = Position.of({"events": {**offsets, 0: n}})
        for answers, at in ((shared, position), (apart, own)):
            answers.keep((0, (n,)), KeptAnswer(LookedUp((), (), at), 0, 0, Progress(), None))
    counts = [
        sum(bool(answers.get((0, (n,)))) for n in range(1_000)) for answers in (shared, apart)
    ]
    assert counts[0] == 1_000
    assert 50 < counts[1] < 200
