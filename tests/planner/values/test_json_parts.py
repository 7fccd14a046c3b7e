"""Parts of json; `postgres/json_reading.sql` compares them with PostgreSQL's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.values.documents import json_objects
from stategate.planner.values.documents.json_parts import (
    array_length,
    at_path,
    boolean_of,
    element,
    element_of_jsonb,
    element_texts,
    keys,
    member,
    member_text,
    number_of,
    pairs,
    text_at_path,
    without_nulls,
)


def test_a_part_is_a_piece_of_the_text() -> None:
    text = ' {"a" : [1,  2.50] , "b" : "x\\ty", "a": { "c" : null } } '
    assert member(text, "a") == '{ "c" : null }'
    assert member_text(text, "b") == "x\ty"
    assert member(text, "c") is None
    assert pairs(text, "json_each")[0] == ["a", "[1,  2.50]"]
    assert keys(text, "json_object_keys") == ["a", "b", "a"]
    assert without_nulls(text) == '{"a":[1,2.50],"b":"x\\ty","a":{}}'


def test_paths_lead_to_parts_or_nowhere() -> None:
    text = '{"a": [1, {"b": null}]}'
    assert at_path(text, ["a", "-1", "b"]) == "null"
    assert text_at_path(text, ["a", "1", "b"]) is None
    assert at_path(text, []) == text
    for path in (["a", None], [None], ["a", "x"], ["a", "1 "], ["a", "9" * 5000], ["a", "5"]):
        assert at_path(text, path) is None


def test_a_scalar_of_jsonb_is_its_first_element() -> None:
    assert [element_of_jsonb("5", at) for at in (0, -1, 1)] == ["5", "5", None]
    assert element("5", 0) is None
    assert element("[1, 2]", -2) == "1"
    assert element_texts('["a", null, {"b": 1}]', "x") == ["a", None, '{"b": 1}']


@pytest.mark.parametrize(
    ("text", "target", "wanted"),
    [
        ("2.5", "integer", "3"),
        ("-2.5", "bigint", "-3"),
        ("3.49", "smallint", "3"),
        ("-0.4", "integer", "0"),
        ("12345678901234567.89", "numeric", "12345678901234567.89"),
    ],
)
def test_numbers_round_half_away_from_zero(text: str, target: str, wanted: str) -> None:
    assert number_of(text, target) == wanted


@pytest.mark.parametrize(
    ("compute", "sqlstate"),
    [
        (lambda: number_of('"1"', "integer"), "22023"),
        (lambda: number_of("null", "numeric"), "22023"),
        (lambda: number_of("40000", "smallint"), "22003"),
        (lambda: number_of("1" * 400, "double precision"), "22003"),
        (lambda: boolean_of("1"), "22023"),
        (lambda: array_length("{}"), "22023"),
        (lambda: array_length("1"), "22023"),
        (lambda: keys("[]", "json_object_keys"), "22023"),
        (lambda: pairs("1", "jsonb_each"), "22023"),
        (lambda: member('{"a": "\\u0000"}', "b"), "22P05"),
        (lambda: member("{1}", "b"), "22P02"),
        (lambda: json_objects.object_of_list(["a"]), "2202E"),
        (lambda: json_objects.object_of_rows([["a"]]), "2202E"),
        (lambda: json_objects.object_of_both(["a"], []), "2202E"),
        (lambda: json_objects.object_of_list([None, "a"]), "22004"),
    ],
)
def test_impossible_parts(compute: Callable[[], object], sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        compute()
    assert caught.value.sqlstate == sqlstate


def test_objects_of_arrays() -> None:
    assert json_objects.object_of_list(["a", "1", "b", None]) == '{"a" : "1", "b" : null}'
    assert json_objects.object_of_rows([["a", "1"]]) == '{"a" : "1"}'
    assert json_objects.object_of_both([], []) == "{}"
