"""PostgreSQL's patterns, translated for RE2."""

from __future__ import annotations

import re

import pytest

from planner.errors import NotSupportedError
from planner.postgres.expressions.patterns import (
    group_of,
    groups_in,
    regular_expression,
    replacement,
    similar_to,
)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("abc", "abc"),
        ("a.c", "(?s)a.c"),
        (r"a\.c", r"a\.c"),
        (r"\mword\M", r"\bword\b"),
        (r"[\.m]", r"[\.m]"),
        ("[[:alpha:]_]", r"[\pL_]"),
        (r"a\Z", r"a\z"),
    ],
)
def test_regular_expressions(pattern: str, expected: str) -> None:
    assert regular_expression(pattern, None) == expected


@pytest.mark.parametrize("pattern", [r"(a)\1", "a(?=b)", "(?<!a)b"])
def test_patterns_that_re2_lacks_are_refused(pattern: str) -> None:
    with pytest.raises(NotSupportedError) as caught:
        regular_expression(pattern, 7)
    assert caught.value.position == 7


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a%", "abc", True),
        ("a%", "xabc", False),
        ("(a|b)_", "b\n", True),
        (r"a\%", "a%", True),
        (r"a\%", "ab", False),
        ("a.c", "abc", False),
        ("[a-c]+", "abc", True),
        ("^a$", "a", False),
    ],
)
def test_similar_to(pattern: str, text: str, *, matches: bool) -> None:
    assert (re.search(similar_to(pattern), text) is not None) is matches


def test_groups() -> None:
    assert groups_in(r"(a)(?:b)\((c)[(]") == 2
    assert (group_of("a(b)"), group_of("ab")) == (1, 0)
    assert replacement(r"<\&\1>") == r"<\0\1>"
