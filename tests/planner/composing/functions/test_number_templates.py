"""Numbers read from texts; `postgres/text.sql` compares more with PostgreSQL's."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.composing.functions.number_templates import (
    digits_after_point,
    number_text,
    read_number,
)
from stategate.planner.errors import InvalidValueError, NotSupportedError


@given(st.integers(-99_999, 99_999), st.sampled_from(["S99999D99", "99999D99S", "99999.99MI"]))
def test_to_number_reads_the_texts_of_to_char(hundredths: int, template: str) -> None:
    number = Decimal(hundredths) / 100
    text = number_text(number, template)
    assert Decimal(read_number(text.replace(" ", ""), template)) == number


@pytest.mark.parametrize(
    ("text", "template", "number"),
    [
        ("12,454.8-", "99G999D9S", "-12454.8"),
        ("  12", "99", "1"),
        ("123", "99", "12"),
        ("a1b2", '"x"9"y"9', "12"),
        ("$1,234.50", "L9,999.99", "1234.50"),
    ],
)
def test_numbers(text: str, template: str, number: str) -> None:
    assert read_number(text, template) == number


@pytest.mark.parametrize("text", ["", "abc", "-", "."])
def test_texts_without_digits_are_refused(text: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        read_number(text, "S99D9")
    assert caught.value.sqlstate == "22P02"


def test_scale_comes_from_the_template() -> None:
    assert [digits_after_point(t) for t in ("99", "9D99", "9.0", '"."9')] == [0, 2, 1, 0]


@pytest.mark.parametrize("word", ["C", "EEEE", "PL", "PR", "RN", "SG", "SP", "V"])
def test_rare_words_are_refused(word: str) -> None:
    refused = pytest.raises(NotSupportedError, match=f"^{word} in a template of numbers")
    with refused as caught:
        number_text(Decimal(1), f"99{word}")
    assert caught.value.hint is not None
    with refused:
        read_number("1", f"99{word}")
    assert number_text(Decimal(1), f'99"{word}"') == f"  1{word}"
