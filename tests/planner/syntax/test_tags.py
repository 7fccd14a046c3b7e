"""Tags at the end of a statement are read, and plans are found without them."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.sql import SqlEngine
from stategate.planner.syntax.tags import TAGS_LENGTH_MAX, tags_of, without_tags
from stategate.planner.values.session import Session
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

AGES = keyvalue("ages", {"name": "text"}, {"age": "bigint"})
TRACE = "00-{:032x}-{:016x}-01"


def tagged(sql: str, tags: dict[str, str]) -> str:
    """Return a statement as the libraries write it."""
    pairs = [f"{quote(k)}='{quote(v)}'" for k, v in sorted(tags.items())]
    return f"{sql} /*{','.join(pairs)}*/"


@given(
    st.sampled_from(["SELECT 1", "SELECT '/*a=''b''*/'", 'SELECT "*/" FROM t -- x\n', ""]),
    st.dictionaries(st.text(min_size=1, max_size=9), st.text(max_size=40), min_size=1, max_size=5),
)
def test_tags_are_read_and_taken_off(sql: str, tags: dict[str, str]) -> None:
    assert tags_of(tagged(sql, tags)) == tags
    assert without_tags(tagged(sql, tags) + "\n ") == sql.rstrip()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT 1 /* a remark */",
        "SELECT 1 /* a='b' and more */",
        "SELECT '/*a=''b''*/'",
        "SELECT /*a='b'*/ 1",
        "SELECT 1 /* x /*a='b'*/ */",
        "SELECT 1 /*a='*/'*/",
        "SELECT 1 /*a=b*/",
        "*/",
        "SELECT 1 /*a='" + "b" * TAGS_LENGTH_MAX + "'*/",
    ],
)
def test_all_else_stays(sql: str) -> None:
    assert without_tags(sql) is sql
    assert tags_of(sql) == {}


def test_escaped_quotes_belong_to_the_value() -> None:
    sql = r"SELECT 1 /*route='it\'s',action='a%2Fb' , k = 'v'*/"
    assert tags_of(sql) == {"route": "it's", "action": "a/b", "k": "v"}


def test_statements_that_differ_in_their_tags_share_a_plan() -> None:
    store = open_store(AGES)
    fill(store, [("ann", 30), ("bob", 40)])
    engine, session = SqlEngine(FixedCatalog(store)), Session()
    texts = [
        tagged("SELECT age FROM ages WHERE name = $1", {"traceparent": TRACE.format(n, n)})
        for n in range(1, 4)
    ]
    first = engine.prepare(texts[0], session)
    assert first.sql == "SELECT age FROM ages WHERE name = $1"
    assert engine.recall(texts[1], session) is first
    assert engine.prepare(texts[2], session) is first
    assert rows_of(run(engine, texts[1], ("bob",))) == [(40,)]
    engine.close()


def test_a_shape_is_found_under_tags() -> None:
    store = open_store(AGES)
    fill(store, [(f"n{n}", n) for n in range(9)])
    engine, session = SqlEngine(FixedCatalog(store)), Session()

    def text(n: int) -> str:
        tags = {"traceparent": TRACE.format(n + 1, n + 1)}
        return tagged(f"SELECT age FROM ages WHERE name = 'n{n}'", tags)

    for n in range(3):
        assert rows_of(run(engine, text(n))) == [(n,)]
    known = engine.recall(text(7), session)
    assert known is not None
    assert known.literals == ("n7",)
    engine.close()
