"""PostgreSQL's text form of arrays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import ValueProblem
from planner.pg_catalog.arrays import parse_array


def write_array(elements: list[str | None]) -> str:
    """As PostgreSQL's array_out writes it, with every element in quotes."""
    quoted = (
        "NULL" if e is None else '"' + e.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for e in elements
    )
    return "{" + ",".join(quoted) + "}"


@given(st.lists(st.none() | st.text(max_size=10), max_size=6))
def test_reads_what_postgres_writes(elements: list[str | None]) -> None:
    assert parse_array(write_array(elements)) == elements


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("{}", []),
        ("{r,p}", ["r", "p"]),
        ("{ a , NULL, null}", ["a", None, None]),
        ('{"r", "p"}', ["r", "p"]),
        ('{"a,b","}"}', ["a,b", "}"]),
    ],
)
def test_bare_and_quoted(text: str, elements: list[str | None]) -> None:
    assert parse_array(text) == elements


@pytest.mark.parametrize("text", ["", "a", "{a", "1,2"])
def test_what_is_no_array(text: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        parse_array(text)
    assert caught.value.sqlstate == "22P02"
