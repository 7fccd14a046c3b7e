"""Casts to varchar and char cut their operands, wherever they stand."""

from __future__ import annotations

import pytest

from stategate.planner.sql import SqlEngine
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    words = open_store(keyvalue("words", {"k": "text"}, {"n": "integer"}))
    fill(words, [("abc", 1)])
    return SqlEngine(FixedCatalog(words))


@pytest.mark.parametrize(
    ("around", "given"),
    [
        ("{}", "ab"),
        ("length({})", 2),
        ("length({}::text)::bigint", 2),
        ("octet_length({})", 2),
        ("upper({})", "AB"),
        ("initcap({})", "Ab"),
        ("{} || 'x'", "abx"),
        ("concat({}, 'x')", "abx"),
        ("replace({}, 'b', 'x')", "ax"),
        ("repeat({}, 2)", "abab"),
        ("lpad({}, 3, 'x')", "xab"),
        ("substring({} from 2)", "b"),
        ("split_part({}, 'b', 1)", "a"),
        ("regexp_replace({}, 'c', 'x')", "ab"),
        ("coalesce(NULL, {})", "ab"),
        ("greatest({}, 'aa')", "ab"),
        ("max({})", "ab"),
        ("CASE {} WHEN 'ab' THEN 1 END", 1),
        ("{} LIKE '%c'", False),
        ("{} IN ('abc')", False),
        ("array_to_string(ARRAY[{}], ',')", "ab"),
        ("to_json({})::text", '"ab"'),
        ("length(lower({}))", 2),
    ],
)
@pytest.mark.parametrize("cast", ["(k::varchar(2))", "(k::char(2))", "CAST(k AS varchar(2))::text"])
def test_a_cast_inside_of_a_call_cuts(
    engine: SqlEngine, around: str, given: object, cast: str
) -> None:
    """Rules of calls put copies of their arguments in the tree, which are cut, too."""
    sql = f"SELECT {around.format(cast)} AS x FROM words"
    assert rows_of(run(engine, sql)) == [(given,)], sql
