"""The texts of json and jsonb."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.values.documents.json_text import canonical, checked, checked_escapes, quoted

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_a_canonical_text_has_the_same_value_and_is_canonical(value: Any) -> None:
    text = canonical(json.dumps(value))
    assert json.loads(text) == value
    assert canonical(text) == text


@given(NUMBERS)
def test_a_number_keeps_its_digits(number: str) -> None:
    assert canonical(f" {number}") == number.replace("-0.000", "0.000")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"bb":1, "a":2,"c":3}', '{"a": 2, "c": 3, "bb": 1}'),
        ('{"ä":1,"zz":2,"b":3}', '{"b": 3, "zz": 2, "ä": 1}'),
        ('{"a":1,"a":{"b":[]}}', '{"a": {"b": []}}'),
        ("[1E+2, 1e-3, 1.50e1, -0, -0.00]", "[100, 0.001, 15.0, 0, 0.00]"),
        (r'"\u00e9\/\u0001\ud83d\ude00"', '"é/\\u0001😀"'),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_canonical_texts(text: str, wanted: str) -> None:
    assert canonical(text) == wanted


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        *(
            (text, "22P02")
            for text in ("", "{", "[1,]", "01", "1.", "NaN", "{a:1}", "[1 2]", "'x'")
        ),
        ('"\\ud800"', "22P02"),
        ('{"a": "\\u0000"}', "22P05"),
        ("1e200000", "22003"),
        ("1e-20000", "22003"),
        ("1e99999999999999999999", "22003"),
        ("[" * 3000 + "]" * 3000, "54001"),
    ],
)
def test_what_is_no_jsonb(text: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        canonical(text)
    assert caught.value.sqlstate == sqlstate


def test_a_json_keeps_its_text() -> None:
    for text in (' { "b" : 1.0 , "b": 2 } ', r'"\ud800"', r'"\u0000"', "1e999999"):
        assert checked(text) == text
    for text in ("", "{", "[1,]", "[" * 3000 + "]" * 3000):
        with pytest.raises(QueryError):
            checked(text)


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [(r'["\u0000"]', "22P05"), (r'["\ud800"]', "22P02"), (r'["\\u0000"]', None), ("[1]", None)],
)
def test_escapes_that_are_no_text(text: str, sqlstate: str | None) -> None:
    if sqlstate is None:
        assert checked_escapes(text) == text
        return
    with pytest.raises(QueryError) as caught:
        checked_escapes(text)
    assert caught.value.sqlstate == sqlstate


@given(TEXTS)
def test_quoted_texts_are_read_again(text: str) -> None:
    assert json.loads(quoted(text)) == text
