"""jsonpath; `postgres/json_paths.sql` compares it with PostgreSQL's."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.values.documents.json_path import (
    exists,
    exists_silently,
    matches,
    matches_silently,
    query,
    query_array,
    query_first,
)

TEXT = '{"a": [1, 2.50, {"b": "x"}], "c": null}'


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("$.a[*]", ["1", "2.50", '{"b": "x"}']),
        ("$.a.b", ['"x"']),
        ("$.*.type()", ['"array"', '"null"']),
        ("$.a[last, 0 to 1]", ['{"b": "x"}', "1", "2.50"]),
        ("$.a ? (@ > 1 || @ == 1)", ["1", "2.50"]),
        ('$.a[*] ? (@.b starts with "x")', ['{"b": "x"}']),
        ("$.a[*] ? ((@ > 1) is unknown)", ['{"b": "x"}']),
        ("$.a[0] + $.a[1] * 2", ["6.00"]),
        ("-$.a[1].ceiling()", ["-3"]),
        ("$.a.size() == 3 && !exists($.d)", ["true"]),
    ],
)
def test_values_of_a_path(path: str, wanted: list[str]) -> None:
    assert query(TEXT, path) == wanted
    assert query_array(TEXT, path) == f"[{', '.join(wanted)}]"
    assert query_first(TEXT, path) == wanted[0]
    assert exists(TEXT, path)


def test_a_lax_path_leads_nowhere_where_a_strict_one_fails() -> None:
    for path in ("$.d", "$.c.d", "$.a[7]"):
        assert query_first(TEXT, path) is None
        assert not exists(TEXT, path)
        assert exists_silently(TEXT, f"strict {path}") is None
        with pytest.raises(QueryError):
            query(TEXT, f"strict {path}")


def test_a_predicate_is_true_false_or_unknown() -> None:
    assert matches(TEXT, "$.a[0] == 1.0") is True
    assert matches(TEXT, "$.c != null") is False
    assert matches(TEXT, '$.a[0] < "x"') is None
    assert matches_silently(TEXT, "$.a") is None
    with pytest.raises(QueryError) as caught:
        matches(TEXT, "$.a")
    assert caught.value.sqlstate == "22038"


@pytest.mark.parametrize(
    ("path", "sqlstate"),
    [
        ("", "22P02"),
        ("$.", "42601"),
        ("$.a +", "42601"),
        ("$ ? (1)", "42601"),
        ("@.a", "42601"),
        ("last", "42601"),
        ("$x", "42704"),
        ("$.**", "0A000"),
        ("$.a / 2", "0A000"),
        ('$ ? (@ like_regex "a")', "0A000"),
        ("$.keyvalue()", "0A000"),
        ("(" * 500 + "$" + ")" * 500, "0A000"),
        ("$.c + 1", "22038"),
        ("$.a[2].b.floor()", "22036"),
        ("$.a[$.c]", "22033"),
    ],
)
def test_what_is_no_path_or_fails(path: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        query(TEXT, path)
    assert caught.value.sqlstate == sqlstate
