"""The WITH clause: how it is read, and where its errors point."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import (
    NO_CLAUSE,
    Clause,
    ParameterRef,
    TopicBound,
    interval_ms,
    position_of,
    split_clause,
)
from stategate.planner.trees.dialect import tokenize
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import BIGINT, INTEGER, TEXT, DataType, Kind

INTERVAL = DataType(kind=Kind.INTERVAL)
AT_41 = Position.of({"t": {0: 41}})


def clause_of(text: str) -> Clause:
    return parse(f"SELECT 1 {text}").clause


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("", NO_CLAUSE),
        ("WITH BOUND (LATEST)", Clause(latest=True)),
        ("with bound (latest)", Clause(latest=True)),
        ("WITH BOUND (UNBOUNDED)", Clause(unbounded=True)),
        ("WITH BOUND (snapshot)", Clause(snapshot=True)),
        ("WITH BOUND (LATEST, SNAPSHOT)", Clause(latest=True, snapshot=True)),
        ("WITH BOUND (MAX LAG '2 s')", Clause(lag_ms_max=2000)),
        ("WITH BOUND (MAX LAG INTERVAL '2 s')", Clause(lag_ms_max=2000)),
        ('WITH BOUND (\'{"t": {"0": 41}}\')', Clause(positions=(AT_41,))),
        (
            "WITH BOUND (t[0] >= 41, u[1] >= 2)",
            Clause(
                topics=(
                    TopicBound(topic="t", partition=0, offset=41),
                    TopicBound(topic="u", partition=1, offset=2),
                )
            ),
        ),
        (
            'WITH BOUND ("My-Topic"[0] >= 41)',
            Clause(topics=(TopicBound(topic="My-Topic", partition=0, offset=41),)),
        ),
        (
            "WITH BOUND ('my.topic'[0] >= 41)",
            Clause(topics=(TopicBound(topic="my.topic", partition=0, offset=41),)),
        ),
        (
            "WITH BOUND (latest[0] >= 1)",
            Clause(topics=(TopicBound(topic="latest", partition=0, offset=1),)),
        ),
        (
            "WITH BOUND (t[$1] >= $2, $3)",
            Clause(
                topics=(
                    TopicBound(
                        topic="t",
                        partition=ParameterRef(number=1, type=INTEGER),
                        offset=ParameterRef(number=2, type=BIGINT),
                    ),
                ),
                positions=(ParameterRef(number=3, type=TEXT),),
            ),
        ),
        ("WITH WAIT '500 ms'", Clause(wait_ms=500)),
        ("WITH WAIT $1", Clause(wait_ms=ParameterRef(number=1, type=INTERVAL))),
        ("WITH PARTITIONS (0, 2)", Clause(partitions=(0, 2))),
        ("WITH ACTIVE, PARTIAL, INFO", Clause(active=True, partial=True, info=True)),
        (
            "WITH BOUND (LATEST), WAIT '1s', PARTITIONS (1), ACTIVE",
            Clause(latest=True, wait_ms=1000, partitions=(1,), active=True),
        ),
    ],
)
def test_clauses_are_read(text: str, clause: Clause) -> None:
    assert clause_of(text) == clause


@pytest.mark.parametrize(
    "sql",
    [
        "WITH info AS (SELECT 1) SELECT * FROM info",
        "SELECT * FROM (SELECT 1) bound",
        "SELECT * FROM unnest(ARRAY[1]) WITH ORDINALITY",
        "SELECT 1 AS active",
        "SELECT 'WITH BOUND (LATEST)'",
        "SELECT 1 -- WITH BOUND (LATEST)",
    ],
)
def test_similar_clauses_are_not_ours(sql: str) -> None:
    assert parse(sql).clause is NO_CLAUSE


def test_the_clause_follows_a_query_with_ctes() -> None:
    parsed = parse("WITH a AS (SELECT 1) SELECT * FROM a WITH INFO")
    assert parsed.clause == Clause(info=True)


@pytest.mark.parametrize(
    ("text", "word", "sqlstate"),
    [
        ("WITH BOUND", None, "42601"),
        ("WITH BOUND LATEST", "LATEST", "42601"),
        ("WITH BOUND ()", ")", "42601"),
        ("WITH BOUND (NEWEST)", "NEWEST", "42601"),
        ("WITH BOUND (t[0] > 1)", ">", "42601"),
        ("WITH BOUND (t[x] >= 1)", "x", "42601"),
        ("WITH BOUND (t[0] >= 1.5)", "1.5", "42601"),
        ("WITH BOUND (t[0] >= 9223372036854775808)", "9223372036854775808", "22003"),
        ("WITH BOUND (t[4000000000] >= 1)", "4000000000", "22003"),
        ("WITH BOUND (MAX '1s')", "MAX", "42601"),
        ("WITH BOUND (MAX LAG 5)", "5", "42601"),
        ("WITH BOUND ('nonsense')", "'nonsense'", "22P02"),
        ("WITH BOUND (SNAPSHOT 1)", "1", "42601"),
        ("WITH WAIT", None, "42601"),
        ("WITH WAIT 5", "5", "42601"),
        ("WITH WAIT 'soon'", "'soon'", "22007"),
        ("WITH WAIT '-1 s'", "'-1 s'", "22023"),
        ("WITH WAIT '2 hours'", "'2 hours'", "22023"),
        ("WITH WAIT '1 month'", "'1 month'", "22023"),
        ("WITH PARTITIONS (a)", "a", "42601"),
        ("WITH PARTITIONS ($x)", "x)", "42601"),
        ("WITH ACTIVE PARTIAL", "PARTIAL", "42601"),
        ("WITH ACTIVE, FAST", "FAST", "42601"),
        ("WITH INFO LIMIT 1", "LIMIT", "42601"),
    ],
)
def test_errors_point_at_the_word(text: str, word: str | None, sqlstate: str) -> None:
    sql = f"SELECT 1 {text}"
    with pytest.raises(QueryError) as caught:
        parse(sql)
    assert caught.value.sqlstate == sqlstate
    at = None if word is None else sql.index(word, len("SELECT 1 ")) + 1
    assert caught.value.position == at


def test_an_open_bracket_is_an_early_end() -> None:
    with pytest.raises(QueryError) as caught:
        parse("SELECT 1 WITH BOUND (LATEST")
    assert (caught.value.sqlstate, caught.value.position) == ("42601", 28)


def test_the_tokens_before_it_are_the_query() -> None:
    tokens = tokenize("SELECT 1 WITH INFO")
    end, _ = split_clause(tokens)
    assert [token.text for token in tokens[:end]] == ["SELECT", "1"]


def test_every_parameter_is_found() -> None:
    clause = clause_of("WITH BOUND (t[$1] >= $2, $3, MAX LAG $4), WAIT $5, PARTITIONS ($6, 1)")
    assert sorted(reference.number for reference in clause.parameters) == [1, 2, 3, 4, 5, 6]


def test_which_parts_are_a_bound() -> None:
    assert not clause_of("WITH WAIT '1s', INFO").has_bound
    for text in ("LATEST", "SNAPSHOT", "UNBOUNDED", "t[0] >= 1", "$1", "MAX LAG '1s'"):
        assert clause_of(f"WITH BOUND ({text})").has_bound


def test_position_tokens_are_readable() -> None:
    assert position_of('{"t":{"0":41}}') == AT_41
    with pytest.raises(QueryError, match="invalid position token") as caught:
        position_of("[]")
    assert caught.value.hint is not None
    assert caught.value.detail is not None


def test_intervals_are_milliseconds() -> None:
    assert interval_ms((0, 1, 1_500), 1 << 40) == 86_400_001
