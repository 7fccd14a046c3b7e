"""Answers to the statements of the corpus are PostgreSQL's, or differ for a stated reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.postgres.types.signatures import SIGNATURES
from stategate.planner.sql import SqlEngine
from tests.planner.postgres.compare import differences
from tests.planner.postgres.corpus import Answer, Entry, files, read, write
from tests.planner.postgres.world import ask, begun, engine


def entries() -> list[object]:
    return [
        pytest.param(entry, id=f"{path.stem}-{number}")
        for path in files()
        for number, entry in enumerate(read(path), 1)
    ]


@pytest.fixture(scope="module")
def asked() -> Iterator[SqlEngine]:
    made = engine()
    yield made
    made.close()


def has_row_path(asked: SqlEngine, sql: str) -> bool:
    """Whether a statement has a row path, which needs no DuckDB."""
    try:
        session, last = begun(asked, sql)
        plan = asked.prepare(last, session).plan
    except QueryError:
        return False
    return isinstance(plan, QueryPlan) and plan.rows is not None


@pytest.fixture(scope="module")
def bulk() -> Iterator[SqlEngine]:
    made = engine(few_rows=False)
    yield made
    made.close()


@pytest.mark.parametrize("entry", entries())
def test_answer(asked: SqlEngine, bulk: SqlEngine, entry: Entry) -> None:
    mine = ask(asked, entry.sql)
    found = differences(mine, entry.answer)
    if has_row_path(asked, entry.sql):
        assert found == differences(ask(bulk, entry.sql), entry.answer)
    if entry.reason is None:
        assert not found
    else:
        assert found, "it no longer differs: remove the reason"
        assert entry.ours is not None, "state our answer, too"
        assert not differences(mine, entry.ours), "it differs in another way than stated"


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[SqlEngine, SqlEngine]]:
    """Two engines that have prepared the same statements."""
    one, other = engine(), engine()
    yield one, other
    one.close()
    other.close()


def described(asked: SqlEngine, sql: str) -> str | None:
    """Return what a statement runs; None if it fails, or is no query."""
    try:
        session, last = begun(asked, sql)
        plan = asked.prepare(last, session).plan
    except QueryError:
        return None
    return plan.node.describe() if isinstance(plan, QueryPlan) else None


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_equal_statements_run_equal_ones(two: tuple[SqlEngine, SqlEngine], path: Path) -> None:
    """DuckDB's statements are kept by their texts, in processes that several engines share."""
    for entry in read(path):
        one, other = (described(each, entry.sql) for each in two)
        assert one == other


def test_most_answers_of_the_corpus_are_the_same() -> None:
    every = [entry for path in files() for entry in read(path)]
    assert len(every) > 400
    assert sum(entry.reason is not None for entry in every) < len(every) / 5


def test_corpus_calls_every_function() -> None:
    statements = (entry.sql for path in files() for entry in read(path))
    called = {name for sql in statements for name in re.findall(r"(\w+)\s*\(", sql)}
    assert SIGNATURES.keys() <= called


def test_corpus_files_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    rows = Entry(sql="SELECT 1", answer=Answer(types=("integer",), rows=("1", "a\\tb")))
    error = Entry(sql="SELECT x", answer=Answer(error="42703"), reason="none", ours=rows.answer)
    other = replace(error, ours=Answer(error="42P01"))
    write(path, [rows, error, other])
    assert read(path) == [rows, error, other]


@pytest.mark.parametrize(
    ("types", "one", "other"),
    [
        (("integer",), "1", "2"),
        (("numeric",), "1.5000000000000", "1.5000000000100"),
        (("numeric",), "1.5", "\\N"),
        (("text",), "a", "b"),
        (("json",), "[1]", "[2]"),
        (("boolean",), "t", "f"),
    ],
)
def test_differences_are_found(types: tuple[str, ...], one: str, other: str) -> None:
    mine, theirs = Answer(types=types, rows=(one,)), Answer(types=types, rows=(other,))
    assert differences(mine, theirs)
    assert not differences(mine, mine)
    assert differences(replace(mine, types=("real",)), theirs)
    assert differences(mine, Answer(error="42703"))
