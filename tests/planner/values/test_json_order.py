"""The order of jsonb, beside an independent comparison of values."""

from __future__ import annotations

import functools
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.values.documents.json_order import (
    contains,
    distinct,
    greatest,
    has_all_keys,
    has_any_key,
    has_key,
    least,
    sort_key,
)
from stategate.planner.values.documents.json_text import canonical
from tests.planner.values.test_json_text import TEXTS

NUMBERS = st.integers(-12, 12).map(str) | st.sampled_from(
    [
        "1.0",
        "1.00",
        "-0.0",
        "1e2",
        "0.5",
        "0.50",
        "-1.5",
        "100",
        "99.99",
        "1e-5",
        "12345678901234567890",
    ]
)
LEAVES = st.sampled_from(["null", "true", "false"]) | NUMBERS | TEXTS.map(json.dumps)
DOCUMENTS: st.SearchStrategy[str] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]")
        | st.dictionaries(TEXTS, inner, max_size=3).map(
            lambda each: "{" + ", ".join(f"{json.dumps(k)}: {v}" for k, v in each.items()) + "}"
        )
    ),
    max_leaves=6,
).map(canonical)


def _rank(value: Any) -> int:
    kinds: list[Any] = [type(None), str, Decimal, bool, list, dict]
    return kinds.index(type(value))


def _compare(one: Any, other: Any, *, top: bool = True) -> int:
    """Compare as the manual says, 8.14.4: type, then size, then members in turn."""
    if top and [] in (one, other) and one != other:
        return -1 if one == [] else 1
    if _rank(one) != _rank(other):
        return _rank(one) - _rank(other)
    if isinstance(one, list | dict):
        if len(one) != len(other):
            return len(one) - len(other)
        pairs = zip(_members(one), _members(other), strict=True)
        return next((found for a, b in pairs if (found := _compare(a, b, top=False))), 0)
    if one is None:
        return 0
    mine, theirs = (each.encode() if isinstance(each, str) else each for each in (one, other))
    return (mine > theirs) - (mine < theirs)


def _members(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
    return [each for key in keys for each in (key, value[key])]


def _value(text: str) -> Any:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


@given(DOCUMENTS, DOCUMENTS)
def test_keys_compare_as_values_do(one: str, other: str) -> None:
    mine, theirs = sort_key(one), sort_key(other)
    wanted = _compare(_value(one), _value(other))
    assert (mine > theirs) - (mine < theirs) == (wanted > 0) - (wanted < 0)


@given(st.lists(DOCUMENTS, min_size=1, max_size=5))
def test_extremes_and_distinct_values(texts: list[str]) -> None:
    def compare(one: str, other: str) -> int:
        return _compare(_value(one), _value(other))

    found = sorted(texts, key=functools.cmp_to_key(compare))
    assert sort_key(str(least([*texts, None]))) == sort_key(found[0])
    assert sort_key(str(greatest([None, *texts]))) == sort_key(found[-1])
    kept = distinct([*texts, None, *texts])
    assert kept[-1] is None
    assert [sort_key(str(each)) for each in kept[:-1]] == sorted({sort_key(t) for t in texts})


@given(DOCUMENTS)
def test_a_value_contains_itself(text: str) -> None:
    assert contains(text, text)


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ('{"a": 1.0, "b": 2}', '{"a": 1}', True),
        ('{"a": {"b": [1, 2]}}', '{"a": {"b": [2]}}', True),
        ('["a"]', '"a"', True),
        ('"a"', '["a"]', False),
        ("[1, [2, 3]]", "[[3]]", True),
        ("[1, 2]", "[1, 1, 1]", True),
        ("[true]", "[1]", False),
        ("[]", "{}", False),
        ("[[1]]", "1", False),
    ],
)
def test_containment(left: str, right: str, wanted: bool) -> None:
    assert contains(left, right) is wanted


def test_keys_are_members_or_texts() -> None:
    assert has_key('{"a": 1}', "a")
    assert has_key('["a", 5]', "a")
    assert has_key('"a"', "a")
    assert not has_key("[5]", "5")
    assert has_any_key('["a"]', [None, "a"])
    assert not has_all_keys('["a"]', ["a", "b"])
    assert has_all_keys('["a"]', [None, "a"])
