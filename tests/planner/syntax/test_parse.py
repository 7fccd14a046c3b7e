"""Text to statements: kinds, positions of syntax errors, limits."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import InvalidSyntaxError, LimitExceededError, QueryError
from stategate.planner.syntax.parse import NESTING_MAX, SQL_BYTES_MAX, parse, split
from stategate.planner.values.statement import StatementKind


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("", StatementKind.EMPTY),
        (" ; -- nothing", StatementKind.EMPTY),
        ("SELECT 1", StatementKind.SELECT),
        ("(SELECT 1) UNION (SELECT 2);", StatementKind.SELECT),
        ("WITH a AS (SELECT 1) SELECT * FROM a", StatementKind.SELECT),
        ("VALUES (1)", StatementKind.SELECT),
        ("TABLE people", StatementKind.SELECT),
        ("explain select 1", StatementKind.EXPLAIN),
        ("SHOW STORES", StatementKind.SHOW),
        ("DESCRIBE people", StatementKind.SHOW),
        ("SET a = 1", StatementKind.SET),
        ("RESET ALL", StatementKind.RESET),
        ("BEGIN", StatementKind.BEGIN),
        ("START TRANSACTION", StatementKind.BEGIN),
        ("END", StatementKind.COMMIT),
        ("ABORT", StatementKind.ROLLBACK),
        ("DISCARD ALL", StatementKind.DISCARD),
        ("DEALLOCATE ALL", StatementKind.DEALLOCATE),
    ],
)
def test_kinds(sql: str, kind: StatementKind) -> None:
    assert parse(sql).kind is kind


@pytest.mark.parametrize(
    ("sql", "analyze"),
    [
        ("EXPLAIN SELECT 1", False),
        ("EXPLAIN ANALYZE SELECT 1", True),
        ("EXPLAIN ANALYZE VERBOSE SELECT 1", True),
        ("EXPLAIN (ANALYZE, VERBOSE) SELECT 1", True),
        ("EXPLAIN (FORMAT TEXT) SELECT 1", False),
        ("EXPLAIN (SELECT 1)", False),
        ("EXPLAIN (VALUES (1)) UNION SELECT 2", False),
        ("EXPLAIN ((SELECT 1))", False),
    ],
)
def test_explain(sql: str, *, analyze: bool) -> None:
    parsed = parse(sql)
    assert parsed.analyze is analyze
    assert parsed.tree is not None


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("SELEC 1", "42601", 1),
        ("SELECT 1 1", "42601", 10),
        ("SELECT a b c FROM t", "42601", 12),
        ("SELECT a FROM t)", "42601", 16),
        ("SELECT a FROM t ORDER a", "42601", 23),
        ("SELECT a FROM", "42601", 14),
        ("SELECT a FROM t WHERE", "42601", 22),
        ("SELECT a FROM t WHERE a =", "42601", 26),
        ("SELECT a FROM t WHERE (a = 1", "42601", 29),
        ("SELECT a FROM t WHERE a IN (1, 2", "42601", 33),
        ("SELECT a FROM t JOIN", "42601", 21),
        ("SELECT a FROM t WHERE WITH INFO", "42601", 22),
        ("SELECT 'abc", "42601", 8),
        ("SELECT 'it''s', \"abc", "42601", 17),
        ("SELECT 1 /* abc", "42601", 10),
        ("SELECT $tag$ abc $other$", "42601", 8),
        ("EXPLAIN", "42601", None),
        ("EXPLAIN SHOW ALL", "42601", 9),
        ("EXPLAIN INSERT INTO t VALUES (1)", "42601", 9),
        ("EXPLAIN (FORMAT XML) SELECT 1", "0A000", 17),
        ("NOTIFY c", "0A000", 1),
        ("SELECT 1; SELECT 2", "42601", 9),
    ],
)
def test_errors_point_at_the_word(sql: str, sqlstate: str, position: int | None) -> None:
    with pytest.raises(QueryError) as caught:
        parse(sql)
    assert (caught.value.sqlstate, caught.value.position) == (sqlstate, position)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * (NESTING_MAX + 1) + "1" + ")" * (NESTING_MAX + 1),
        "SELECT " + "[" * (NESTING_MAX + 1) + "1" + "]" * (NESTING_MAX + 1),
        "SELECT '" + "x" * SQL_BYTES_MAX + "'",
        "SELECT " + "- " * 5000 + "1",
        "SELECT " + "NOT " * 5000 + "true",
    ],
)
def test_too_long_and_too_deep(sql: str) -> None:
    with pytest.raises(LimitExceededError) as caught:
        parse(sql)
    assert caught.value.sqlstate == "54000"


def test_texts_at_the_limits_parse() -> None:
    assert parse("SELECT " + "(" * 30 + "1" + ")" * 30).tree is not None
    assert parse("SELECT " + " + ".join(["1"] * 300)).tree is not None


@pytest.mark.parametrize(
    ("sql", "pieces"),
    [
        ("", ()),
        (" ; ;", ()),
        ("SELECT 1", ("SELECT 1",)),
        ("SELECT 1;", ("SELECT 1",)),
        ("SELECT ';'; SELECT $$;$$", ("SELECT ';'", " SELECT $$;$$")),
        ("SELECT 1 -- ;\n; SELECT 2", ("SELECT 1 -- ;\n", " SELECT 2")),
    ],
)
def test_split(sql: str, pieces: tuple[str, ...]) -> None:
    assert split(sql) == pieces


def test_an_error_in_one_of_several_points_into_the_whole_text() -> None:
    with pytest.raises(InvalidSyntaxError) as caught:
        split("SELECT 1; SELEC 2; SELECT 3")
    assert caught.value.position == len("SELECT 1; ") + 1


def test_the_error_of_an_unknown_option_points_at_it() -> None:
    with pytest.raises(InvalidSyntaxError) as caught:
        parse("SELECT 1 WITH BOUNDS (1)")
    assert caught.value.position == len("SELECT 1 WITH ") + 1
    assert "BOUND, INFO" in str(caught.value.hint)


CODES = {"42601", "0A000", "25006", "54000", "22023", "22P02", "22003", "22007"}


@given(st.text(alphabet="SELECT FROMwith'\"$1;()-/*\\ \n,.=e"))
def test_any_text_parses_or_is_refused_with_a_code(sql: str) -> None:
    for text in (sql, f"SELECT {sql}"):
        with contextlib.suppress(QueryError):
            split(text)
        try:
            parse(text)
        except QueryError as error:
            sqlstate = error.sqlstate
        else:
            continue
        assert sqlstate in CODES
