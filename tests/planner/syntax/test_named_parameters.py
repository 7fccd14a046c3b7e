"""Named parameters: what is one, what is not, and the places of all other characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.engine import number_parameters
from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, QueryError
from stategate.planner.syntax.parse import parse


@pytest.mark.parametrize(
    ("sql", "numbered", "names"),
    [
        ("SELECT :key", "SELECT $1  ", ("key",)),
        ("SELECT :key::text, :a, :key", "SELECT $2  ::text, $1, $2  ", ("a", "key")),
        ("SELECT a::text, ':key', \":key\", $$ :key $$ -- :key", None, ()),
        ("SELECT 1 /* :key */ + :key", "SELECT 1 /* :key */ + $1  ", ("key",)),
        ("SELECT E'\\':key', :key", "SELECT E'\\':key', $1  ", ("key",)),
        ("SELECT v[1:2], v[i:j], v[:key]", "SELECT v[1:2], v[i:j], v[$1  ]", ("key",)),
        ("SELECT {'a': b, 'b':c}, : key", None, ()),
        ("SELECT :select, :Ä", "SELECT $2     , $1", ("Ä", "select")),
        ("SELECT x WHERE x IN (:a,:b) WITH WAIT :w", "SELECT x WHERE x IN ($1,$2) WITH WAIT $3",
         ("a", "b", "w")),
        ("SELECT 'open :key", None, ()),
        ("SELECT 1", None, ()),
    ],
)  # fmt: skip
def test_names_are_numbered(sql: str, numbered: str | None, names: tuple[str, ...]) -> None:
    found = number_parameters(sql, {"key", "a", "b", "w", "select", "Ä"})
    assert found == (numbered if numbered is not None else sql, names)


def test_a_name_without_a_value_is_shown() -> None:
    with pytest.raises(InvalidValueError) as refused:
        number_parameters("SELECT :key", {"kye"})
    assert (refused.value.sqlstate, refused.value.position) == ("42P02", 8)
    assert refused.value.detail == "There are values of kye."


def test_names_and_numbers_do_not_mix() -> None:
    with pytest.raises(InvalidSyntaxError) as refused:
        number_parameters("SELECT :key, $1", {"key"})
    assert refused.value.position == 14


def test_a_long_text_is_numbered_without_being_kept() -> None:
    sql = "SELECT :key" + " " * 20_000
    assert number_parameters(sql, {"key"}).sql == "SELECT $1" + " " * 20_002


PIECES = {
    ":ab": "{ab} ",
    ":cd": "{cd} ",
    "v[:ab]": "v[{ab} ]",
    "v[1::cd]": None,
    ":ab::text": "{ab} ::text",
    "(:cd,:ab)": "({cd} ,{ab} )",
    **dict.fromkeys(
        [
            "::text",
            "':ab'",
            "E'\\':ab'",
            '":ab"',
            "-- :ab\n",
            "/* :ab */",
            "$$:ab$$",
            "$q$ :cd $q$",
        ]
    ),
    **dict.fromkeys(["v[1:2]", ",", "1", "x", ": ab", ":", "\n", "é", "{'k': x}", "a.b"]),
}
"""Pieces of a statement, and what they become; None if they stay as they are."""


@given(pieces=st.lists(st.sampled_from(sorted(PIECES)), max_size=12))
def test_names_are_numbered_wherever_they_stand_and_nothing_else_moves(pieces: list[str]) -> None:
    names = [
        each for each in ("ab", "cd") if any(f"{{{each}}}" in (PIECES[p] or "") for p in pieces)
    ]
    expected = " ".join(_expected(piece, names) for piece in pieces)
    numbered = number_parameters(" ".join(pieces), {"ab", "cd"})
    assert numbered == (expected, tuple(names))


def _expected(piece: str, names: list[str]) -> str:
    made = PIECES[piece]
    if made is None:
        return piece
    for number, name in enumerate(names, start=1):
        made = made.replace(f"{{{name}}}", f"${number}")
    return made


def test_an_error_has_its_position_in_the_given_text() -> None:
    sql = "SELECT :key + , 1"
    for text in (sql, number_parameters(sql, {"key"}).sql):
        with pytest.raises(QueryError) as refused:
            parse(text.replace(":key", "1000"))
        assert refused.value.position == sql.index(",") + 1
