"""Every statement of the corpus gives what PostgreSQL gives, or differs for the reason it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from planner.postgres.types.signatures import SIGNATURES
from planner.sql import SqlEngine
from tests.planner.postgres.compare import differences
from tests.planner.postgres.corpus import Answer, Entry, files, read, write
from tests.planner.postgres.world import ask, engine


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


@pytest.mark.parametrize("entry", entries())
def test_answer(asked: SqlEngine, entry: Entry) -> None:
    found = differences(ask(asked, entry.sql), entry.answer)
    if entry.reason is None:
        assert not found
    else:
        assert found, "it no longer differs: take the reason out"


def test_the_corpus_is_large_and_most_of_it_is_the_same() -> None:
    every = [entry for path in files() for entry in read(path)]
    assert len(every) > 400
    assert sum(entry.reason is not None for entry in every) < len(every) / 5


UNDECIDED = {
    *("array_ndims", "bit_or", "bit_xor", "convert_from", "first_value", "last_value", "lead"),
    *("normalize", "nth_value", "to_hex"),
}
"""Functions of which PostgreSQL prepares no call so: it cannot choose, or wants OVER or a word."""


def test_every_signature_is_asked_for() -> None:
    asked = {entry.sql.split("(")[0] for path in files() for entry in read(path)}
    assert {name for name in SIGNATURES if f"SELECT {name}" not in asked} == UNDECIDED


def test_a_file_is_read_as_it_is_written(tmp_path: object) -> None:
    from pathlib import Path  # noqa: PLC0415

    assert isinstance(tmp_path, Path)
    path = tmp_path / "x.sql"
    rows = Entry(sql="SELECT 1", answer=Answer(types=("integer",), rows=("1", "a\\tb")))
    error = Entry(sql="SELECT x", answer=Answer(error="42703"), reason="none")
    write(path, [rows, error])
    assert read(path) == [rows, error]


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
def test_differences_are_seen(types: tuple[str, ...], one: str, other: str) -> None:
    mine, theirs = Answer(types=types, rows=(one,)), Answer(types=types, rows=(other,))
    assert differences(mine, theirs)
    assert not differences(mine, mine)
    assert differences(replace(mine, types=("real",)), theirs)
    assert differences(mine, Answer(error="42703"))
