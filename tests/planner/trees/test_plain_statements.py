"""sqlglot's own parser reads plain statements as ours does: trees, places, comments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.parsers.postgres import PostgresParser

from stategate.planner.errors import QueryError
from stategate.planner.trees.dialect import DIALECT, parse_tokens, tokenize
from stategate.planner.trees.plain_statements import NESTING_MAX, is_plain
from tests.planner.pg_catalog.replay import captured
from tests.planner.postgres import corpus
from tests.planner.test_cases import DIRECTORY, read_cases


def statements() -> Iterator[str]:
    for path in corpus.files():
        yield from (entry.sql for entry in corpus.read(path))
    for path in sorted(DIRECTORY.glob("*.sql")):
        yield from (case.sql for case in read_cases(path))
    yield from (each.sql for each in captured())


def content(node: object) -> object:
    """Return all that a tree holds; the order of a node's arguments means nothing."""
    if isinstance(node, list):
        return [content(each) for each in node]
    if not isinstance(node, exp.Expr):
        return node
    given = {key: content(value) for key, value in node.args.items() if value not in (None, [])}
    return type(node), given, node.comments or [], node.meta


def test_plain_statements_have_the_same_tree() -> None:
    compared = 0
    for sql in statements():
        try:
            tokens = tokenize(sql)
            if not is_plain(tokens):
                continue
            (found,) = PostgresParser(dialect=DIALECT).parse(tokens, sql)
        except (TokenError, ParseError, QueryError):
            continue
        (ours,) = DIALECT.parser().parse(tokens, sql)
        assert found is not None
        assert ours is not None
        assert content(found) == content(ours), sql
        compared += 1
    assert compared > 1_000


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT visits AS v, score FROM users WHERE id = $1",
        "SELECT * FROM users WHERE id IN ('a', 'b') AND name = 'c' LIMIT 10",
        "SELECT u.name, count(*) FROM users AS u GROUP BY u.name ORDER BY 2 DESC LIMIT $1 OFFSET 3",
        "SELECT a + 1, -a, a::bigint FROM t WHERE NOT (b IS NULL) AND c BETWEEN 1 AND 2",
        "SELECT date, time FROM t WHERE name = $1::text",
        "SELECT a FROM t WHERE b = ANY ($1) AND c ~ 'd'",
        "SELECT a FROM t WHERE b >= date '2020-01-01' AND c < timestamptz '2020-01-01 10:00+00'",
        "SELECT a, rank() OVER (PARTITION BY b ORDER BY c), count(*) FILTER (WHERE d) FROM t",
        "SELECT a FROM (VALUES (1), (2)) AS v (a), (SELECT 3 ^ 2) AS w",
    ],
)
def test_lookups_are_plain(sql: str) -> None:
    assert is_plain(tokenize(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(a) FROM t",
        'SELECT "length"(a) FROM t',
        "SELECT a FROM t WHERE b = ALL ($1)",
        "SELECT a FROM t LIMIT 2, 1",
        "SELECT a FROM t LIMIT ALL",
        "SELECT + a FROM t",
        "SELECT @ a FROM t",
        "SELECT a[1] FROM t",
        "SELECT f(a -> 'b') FROM t",
        "SELECT a AS select FROM t",
        "SELECT date '2020-01-01'::text FROM t",
        "SELECT text '2020-01-01' FROM t",
        "SELECT ~ a FROM t",
        "SELECT a AS over FROM t",
        "SELECT t.values FROM t",
        "SELECT numeric(3) '1' FROM t",
        "SELECT interval '1 day' FROM t",
        "SELECT a FROM t WHERE a !~ 'b'",
        "SELECT a FROM t GROUP BY CUBE (a)",
        "SELECT a FROM t FOR UPDATE",
        "SELECT a FROM t FETCH FIRST -1 ROWS ONLY",
        f"SELECT {'(' * (NESTING_MAX + 1)}a{')' * (NESTING_MAX + 1)} FROM t",
        f"SELECT {'NOT ' * (NESTING_MAX + 1)}a FROM t",
    ],
)
def test_statements_that_our_parser_may_read_differently_are_not_plain(sql: str) -> None:
    assert not is_plain(tokenize(sql))


def test_our_parser_decides_on_errors() -> None:
    sql = "SELECT count(a, b, c, d) FROM t WHERE avg(a, b) = 1"
    tokens = tokenize(sql)
    assert is_plain(tokens)
    with pytest.raises(ParseError):
        PostgresParser(dialect=DIALECT).parse(tokens, sql)
    (tree,) = parse_tokens(tokens, sql)
    assert tree is not None
    assert [node.name for node in tree.find_all(exp.Anonymous)] == ["avg"]
