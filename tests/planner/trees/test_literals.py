"""Texts and numbers are read as PostgreSQL reads them."""

from __future__ import annotations

import pytest
from sqlglot.tokenizer_core import TokenType

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError
from stategate.planner.trees.dialect import tokenize


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("'a''b'", "a'b"),
        ("'a'\n'b'", "ab"),
        ("'a' -- first\n\n  -- second\n 'b'\r'c'", "abc"),
        ("E'a\\n'\n'\\x62'", "a\nb"),
        ("$$a'$b$$", "a'$b"),
        ("$q$a$$b$q$", "a$$b"),
        (r"E'\x41\101\u0041\U00000041\q\\'''", r"AAAAq\'"),
        (r"E'\xC3\xA9\303\251'", "éé"),
        (r"E'\uD83D\uDE00'", "\U0001f600"),
        (r"U&'d\0061t\+000061'", "data"),
        (r"U&'d!0061!!\' UESCAPE '!'", "da!\\"),
        (r"u&'\D83D\DE00'", "\U0001f600"),
        ("N'a'", "a"),
    ],
)
def test_all_texts_are_plain(sql: str, text: str) -> None:
    (token,) = tokenize(sql)
    assert (token.token_type, token.text) == (TokenType.STRING, text)
    assert (token.start, token.end) == (0, len(sql) - 1)


def test_unicode_names() -> None:
    tokens = tokenize(r'SELECT U&"d\0061t", u & "a"')
    assert [token.text for token in tokens] == ["SELECT", "dat", ",", "u", "&", "a"]


@pytest.mark.parametrize(
    ("sql", "position"),
    [
        ("SELECT 'a' 'b'", 12),
        ("SELECT 'a' /* \n */ 'b'", 20),
        ("SELECT 'a'\nE'b'", 12),
        ("SELECT $$a$$\n'b'", 14),
        ("SELECT 1_000", 8),
        ("SELECT 0x1F", 8),
        ("SELECT 0b1", 8),
        ("SELECT 0x", 8),
        ("SELECT 1a", 8),
        ("SELECT 1.5e", 8),
        ("SELECT 1é", 8),
        ("SELECT $1a", 8),
        (r"SELECT U&'\00'", 8),
        (r"SELECT U&'\D83D'", 8),
        ("SELECT U&'a' UESCAPE '+'", 22),
        ("SELECT U&'a' UESCAPE b", 22),
    ],
)
def test_malformed_literals(sql: str, position: int) -> None:
    with pytest.raises(InvalidSyntaxError) as caught:
        tokenize(sql)
    assert (caught.value.sqlstate, caught.value.position) == ("42601", position)


@pytest.mark.parametrize(
    ("sql", "sqlstate"), [(r"E'\u00'", "22025"), (r"E'\xff'", "22021"), (r"E'\0'", "22021")]
)
def test_escapes_without_a_character(sql: str, sqlstate: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenize(sql)
    assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize("sql", ["SELECT 1 a, 1.5 b, .5, 1., 1e3, 1e-3, a1b", "x[1:2]", "1.5+1"])
def test_numbers_are_kept(sql: str) -> None:
    assert " ".join(token.text for token in tokenize(sql))
