"""Tokens: parameters, quotes of all kinds, and the start of unclosed ones."""

from __future__ import annotations

import pytest
from sqlglot.tokenizer_core import TokenType

from stategate.planner.trees.dialect import tokenize
from stategate.planner.trees.lexemes import unterminated


@pytest.mark.parametrize(
    ("sql", "numbers"),
    [
        ("SELECT $1, $2", ["1", "2"]),
        ("SELECT $1,$2", ["1", "2"]),
        ("SELECT ($1)", ["1"]),
        ("SELECT '$1', $2", ["2"]),
        ("SELECT E'\\'$1', $2", ["2"]),
        ('SELECT "$1", $2', ["2"]),
        ("SELECT $$ $1 $$, $2", ["2"]),
        ("SELECT $a$ $1 $$ $a$, $2", ["2"]),
        ("SELECT a$1, $2", ["2"]),
        ("SELECT 1 -- $1\n, $2", ["2"]),
        ("SELECT 1 /* $1 */, $2", ["2"]),
    ],
)
def test_parameters(sql: str, numbers: list[str]) -> None:
    tokens = tokenize(sql)
    marks = [i for i, token in enumerate(tokens) if token.token_type is TokenType.PARAMETER]
    assert [tokens[i + 1].text for i in marks] == numbers
    assert all(sql[tokens[i].start] == "$" for i in marks)


@pytest.mark.parametrize(
    ("sql", "start"),
    [
        ("SELECT 1", None),
        ("SELECT 'a', \"b\", $$c$$, E'd\\'', /* e */ 1 -- '", None),
        ("SELECT 'abc", 7),
        ("SELECT 'a' 'b", 11),
        ('SELECT "abc', 7),
        ("SELECT /* abc", 7),
        ("SELECT $$ abc", 7),
        ("SELECT $x$ abc $$", 7),
        ("SELECT -- '\n'", 12),
    ],
)
def test_start_of_an_unclosed_quote(sql: str, start: int | None) -> None:
    assert unterminated(sql) == start
