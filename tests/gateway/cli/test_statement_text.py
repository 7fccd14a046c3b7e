"""Parameters are read as they are typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.cli.statement_text import Parameters, read_parameters
from stategate.gateway.errors import ClientError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("3 -1.5 true", ["3", "-1.5", "true"]),
        ("'it''s'  'a=b' ''", ["it's", "a=b", ""]),
        ("null NULL 'null'", [None, None, "null"]),
        ("usr=bob since='2013-07-04 10:00' gone=null", None),
    ],
)
def test_values_are_texts_null_or_named(text: str, values: list[str | None] | None) -> None:
    named = {"usr": "bob", "since": "2013-07-04 10:00", "gone": None}
    assert read_parameters(text) == (named if values is None else values)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.none(), max_size=6))
def test_quoted_values_come_back(values: list[str | None]) -> None:
    typed = ["null" if v is None else "'" + v.replace("'", "''") + "'" for v in values]
    found: Parameters = read_parameters(" ".join(typed))
    assert found == values


@pytest.mark.parametrize("text", ["'open", "'a'b", "a'b'", "1 x=2", "x=1 x=2"])
def test_others_are_refused(text: str) -> None:
    with pytest.raises(ClientError) as caught:
        read_parameters(text)
    assert caught.value.hint
