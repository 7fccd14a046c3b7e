"""Edits of json; `postgres/json_edits.sql` compares them with PostgreSQL's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.documents.json_edit import (
    concatenated,
    pretty,
    with_inserted,
    with_path,
    without_element,
    without_keys,
    without_nulls,
    without_path,
)

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text("abc", max_size=1), VALUES, max_size=3)


@given(OBJECTS, OBJECTS)
def test_objects_are_merged_at_their_first_level(one: Any, other: Any) -> None:
    assert json.loads(concatenated(json.dumps(one), json.dumps(other))) == {**one, **other}


@given(VALUES, VALUES)
def test_other_values_become_one_array(one: Any, other: Any) -> None:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        wanted = [v for each in (one, other) for v in (each if isinstance(each, list) else [each])]
        assert json.loads(concatenated(json.dumps(one), json.dumps(other))) == wanted


@given(OBJECTS, st.text("abc", max_size=1), VALUES)
def test_set_keys_can_be_deleted(value: Any, key: str, new: Any) -> None:
    changed = with_path(json.dumps(value), [key], json.dumps(new), True)
    assert json.loads(changed) == {**value, key: new}
    value.pop(key, None)
    assert json.loads(without_path(changed, [key])) == value
    assert json.loads(without_keys(changed, [key])) == value


@given(st.lists(VALUES, max_size=4), st.integers(-6, 6), VALUES, st.booleans())
def test_inserted_elements_can_be_deleted(value: list[Any], at: int, new: Any, after: bool) -> None:
    changed = json.loads(with_inserted(json.dumps(value), [str(at)], json.dumps(new), after))
    places = [i for i in range(len(changed)) if changed[:i] + changed[i + 1 :] == value]
    assert any(changed[i] == new for i in places)
    assert any(json.loads(without_element(json.dumps(changed), i)) == value for i in places)


def test_numbers_keep_their_digits_and_keys_are_sorted() -> None:
    big = "1" * 400
    text = f'{{"bb":1.50,"a":{big},"c":1e3}}'
    wanted = f'{{"a": {big}, "c": 1000, "d": 0.0, "bb": 1.50}}'
    assert with_path(text, ["d"], "-0.0", True) == wanted


def test_nulls_are_stripped_and_values_indented() -> None:
    text = '{"a": null, "b": [null, {"c": null}]}'
    assert without_nulls(text) == '{"b": [null, {}]}'
    assert pretty('{"a": [1]}') == '{\n    "a": [\n        1\n    ]\n}'


@pytest.mark.parametrize(
    ("edit", "sqlstate"),
    [
        (lambda: without_keys("1", ["a"]), "22023"),
        (lambda: without_element("{}", 1), "22023"),
        (lambda: without_element("1", 1), "22023"),
        (lambda: without_path("null", ["a"]), "22023"),
        (lambda: with_path("1", ["a"], "2", True), "22023"),
        (lambda: with_path("[1]", ["a"], "2", True), "22P02"),
        (lambda: with_path("[1]", ["9" * 5000], "2", True), "22P02"),
        (lambda: with_path("{}", [None], "2", True), "22004"),
        (lambda: with_inserted('{"a":1}', ["a"], "2", False), "22023"),
    ],
)
def test_impossible_edits(edit: Callable[[], str], sqlstate: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        edit()
    assert caught.value.sqlstate == sqlstate
