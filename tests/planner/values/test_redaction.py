"""Shapes of statements in logs: everything but their values, for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.values.redaction import statement_shape
from tests.planner.planning.test_shapes import TEXTS

VALUES = st.sampled_from(["SECRET", "it''s SECRET", "SECRET -- no", "/* SECRET", '"SECRET"', ""])
SPELLED = st.one_of(
    VALUES.map(lambda value: f"'{value}'"),
    VALUES.map(lambda value: f"E'{value}\\'\\\\ SECRET'"),
    VALUES.map(lambda value: f"'{value}\\'"),
    VALUES.map(lambda value: f"B'{value}'"),
    VALUES.map(lambda value: f"U&'{value}'"),
    VALUES.map(lambda value: f"$${value}' SECRET$$"),
    VALUES.map(lambda value: f"$a${value}$$ SECRET$a$"),
    st.sampled_from(["1", "-1.5e7", ".5", "0x1F", "12345678901234567890"]),
)
COMMENTS = st.sampled_from(
    ["", " ", "-- SECRET's\n", "/* SECRET ' */", "/* /* SECRET */ SECRET */", "\n\t"]
)


@given(st.lists(st.tuples(SPELLED, COMMENTS), max_size=6))
def test_shape_has_everything_but_values(parts: list[tuple[str, str]]) -> None:
    conditions = "".join(f' AND "a\'b" = {spelled} {comment}' for spelled, comment in parts)
    shape = statement_shape(f"SELECT t1.v2 FROM kv WHERE k = $1{conditions} LIMIT 7")
    assert "SECRET" not in shape
    assert shape.startswith("SELECT t1.v2 FROM kv WHERE k = $1")
    assert shape.endswith("LIMIT ?")
    assert shape.count('"a\'b" = ') == len(parts)
    assert "\n" not in shape


@given(TEXTS)
def test_any_text_has_a_shape(text: str) -> None:
    assert len(statement_shape(text)) <= 2 * len(text) + 1


@pytest.mark.parametrize("opened", ["'", "E'", "$$", "$x$", "/*", "--"])
def test_unclosed_quote_hides_the_rest(opened: str) -> None:
    assert "SECRET" not in statement_shape(f"SELECT 1, {opened} SECRET ")
