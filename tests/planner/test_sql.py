"""The engine as a whole: cached plans, changed definitions, inline statements."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import pytest

from stategate.planner.errors import NotSupportedError, QueryError
from stategate.planner.pg_catalog.database import catalog_definition
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import StatementKind
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import BIGINT, TEXT, DataType, InputTopic, Row
from tests.planner.refusals import refusal
from tests.planner.sides import Sides, looked_up, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

LOOKUP = "SELECT v FROM state WHERE k = 'a'"


def catalog_of(value_type: str = "bigint", value: object = 1) -> FixedCatalog:
    return FixedCatalog(state(value_type, value))


def state(value_type: str = "bigint", value: object = 1) -> LocalStore:
    store = open_store(keyvalue("state", {"k": "text"}, {"v": value_type}))
    fill(store, [("a", value)])
    return store


@pytest.mark.parametrize(
    "sql",
    [
        LOOKUP,
        "SELECT count(*) FROM state",
        "SHOW STORES",
        "SET stategate.info = on",
        "SELECT current_database()",
    ],
)
def test_a_text_is_planned_once(sql: str) -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    assert engine.recall(sql, session) is None
    statement = engine.prepare(sql, session)
    assert engine.prepare(sql, session) is statement
    assert engine.recall(sql, session) is statement
    assert engine.recall(sql, session, parameter_types=(BIGINT,)) is None


def test_warming_up_builds_the_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []

    def noted(*args: Any, **named: Any) -> object:
        built.append(args)
        return catalog_definition(*args, **named)

    monkeypatch.setattr("stategate.planner.pg_catalog.catalog.catalog_definition", noted)
    engine = SqlEngine(catalog_of())
    engine.warm_up()
    assert len(built) == 1
    assert rows_of(run(engine, "SELECT 1 FROM pg_class WHERE relname = 'state'")) == [(1,)]
    assert len(built) == 1
    engine.close()


def test_texts_that_differ_in_a_key_share_a_plan() -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    third = LOOKUP.replace("'a'", "'it''s'")
    for text in (LOOKUP, LOOKUP, LOOKUP.replace("'a'", "'b'")):
        assert engine.recall(third, session) is None  # a shape is planned when it occurs again
        engine.prepare(text, session)
    other = engine.recall(third, session)
    assert other is not None
    assert other.literals == ("it's",)
    assert rows_of(run(engine, LOOKUP)) == [(1,)]
    assert rows_of(run(engine, LOOKUP.replace("'a'", "'b'"))) == []


def test_a_literal_in_the_select_list_is_not_lifted_into_the_key() -> None:
    engine = SqlEngine(catalog_of())
    assert rows_of(run(engine, "SELECT 'x', v FROM state WHERE k = 'a'")) == [("x", 1)]
    assert rows_of(run(engine, "SELECT 'y', v FROM state WHERE k = 'a'")) == [("y", 1)]


def test_a_shape_that_does_not_parse_is_ignored() -> None:
    store = open_store(keyvalue("days", {"day": "date"}, {"v": "bigint"}))
    fill(store, [(1, 5)])
    engine = SqlEngine(FixedCatalog(store))
    assert rows_of(run(engine, "SELECT v FROM days WHERE day = date '1970-01-02'")) == [(5,)]
    assert rows_of(run(engine, "SELECT v FROM days WHERE day = date '1970-01-03'")) == []


def test_the_error_of_a_wrong_key_points_into_its_own_text() -> None:
    store = open_store(keyvalue("numbers", {"k": "integer"}, {"v": "bigint"}))
    engine = SqlEngine(FixedCatalog(store))
    assert rows_of(run(engine, "SELECT v FROM numbers WHERE k = '1'")) == []
    error = refusal(engine, "SELECT v FROM numbers WHERE k = 'one'")
    assert (error.sqlstate, error.position) == ("22P02", 33)


def test_explain_shows_the_literals_of_its_own_text() -> None:
    engine = SqlEngine(catalog_of())
    for key in ("a", "b"):
        ((line,),) = rows_of(run(engine, f"EXPLAIN SELECT v FROM state WHERE k = '{key}'"))
        assert f"k = '{key}'" in line


def test_old_plans_are_dropped_above_the_limit() -> None:
    engine, session = SqlEngine(catalog_of(), limits=EngineLimits(statements_max=2)), Session()
    texts = [f"SELECT {i}" for i in range(3)]
    for text in texts:
        engine.prepare(text, session)
    held = [engine.recall(text, session) is not None for text in texts]
    assert held == [False, True, True]


def test_a_prepared_statement_survives_an_unrelated_change() -> None:
    catalog = catalog_of()
    engine, session = SqlEngine(catalog), Session()
    prepared = [engine.prepare(sql, session) for sql in (LOOKUP, "SELECT sum(v) FROM state")]
    catalog.replace(state(value=2), state_named("other"))
    for statement in prepared:
        result = engine.execute(statement, (), session, cancellation=Cancellation())
        assert rows_of(result) == [(2,)]


def state_named(name: str) -> LocalStore:
    return open_store(keyvalue(name, {"k": "text"}, {"v": "bigint"}))


@pytest.mark.parametrize("sql", [LOOKUP, "SELECT * FROM state"])
def test_a_prepared_statement_whose_columns_change_is_refused(sql: str) -> None:
    catalog = catalog_of()
    engine, session = SqlEngine(catalog), Session()
    statement = engine.prepare(sql, session)
    catalog.replace(state("text", "x"))
    with pytest.raises(NotSupportedError, match="cached plan must not change result type"):
        engine.execute(statement, (), session, cancellation=Cancellation())
    assert rows_of(run(engine, LOOKUP)) == [("x",)]


def test_a_removed_store_is_unknown() -> None:
    catalog = catalog_of()
    engine, session = SqlEngine(catalog), Session()
    statement = engine.prepare(LOOKUP, session)
    catalog.replace()
    with pytest.raises(QueryError) as caught:
        engine.execute(statement, (), session, cancellation=Cancellation())
    assert caught.value.sqlstate == "42P01"


def test_a_store_removed_while_a_plan_runs_gives_a_retryable_error() -> None:
    """The version is read before the change, and the store after it."""

    class Racing(FixedCatalog):
        @property
        def version(self) -> int:
            return 1

    catalog = Racing(state())
    engine, session = SqlEngine(catalog), Session()
    statement = engine.prepare(LOOKUP, session)
    catalog.replace()
    with pytest.raises(QueryError) as caught:
        engine.execute(statement, (), session, cancellation=Cancellation())
    assert (caught.value.sqlstate, caught.value.retryable) == ("55000", True)


@pytest.mark.parametrize(
    ("sql", "settings", "inline"),
    [
        (LOOKUP, {}, True),
        (f"{LOOKUP} WITH BOUND (events[0] >= 1)", {}, True),
        (f"{LOOKUP} WITH BOUND (LATEST)", {}, False),
        # The topics that feed the store may have to be looked up in the log.
        (f"{LOOKUP} WITH BOUND (other[0] >= 1)", {}, False),
        (f'{LOOKUP} WITH BOUND (\'{{"other": {{"0": 1}}}}\')', {}, False),
        (f"{LOOKUP} WITH BOUND ($1)", {}, False),
        (LOOKUP, {"stategate.bound": '{"events": {"0": 1}}'}, True),
        (LOOKUP, {"stategate.bound": '{"other": {"0": 1}}'}, False),
        (LOOKUP, {"stategate.unknown_topics": "ignore"}, True),
        (f"{LOOKUP} WITH WAIT '1s'", {}, False),
        (LOOKUP, {"stategate.consistency": "latest"}, False),
        (LOOKUP, {"stategate.consistency": "monotonic"}, True),
        (LOOKUP, {"stategate.wait": "1s"}, False),
        ("SELECT v FROM state", {}, False),
        ("SELECT v FROM state WHERE k IN ('a', 'b')", {}, True),
        ("SELECT v FROM state WHERE k > 'a' ORDER BY v LIMIT 3", {}, True),
        ("SELECT v + 1 FROM state WHERE k IN ('a', 'b')", {}, False),
        ("SELECT v FROM state WHERE k IN ('a', 'b') WITH WAIT '1s'", {}, False),
        ("SELECT v FROM state WHERE k IN ('a', 'b') WITH BOUND (other[0] >= 1)", {}, False),
        ("SELECT 1", {}, False),
        (f"EXPLAIN {LOOKUP}", {}, True),
        (f"EXPLAIN ANALYZE {LOOKUP}", {}, False),
        ("SHOW STORES", {}, False),
        ("BEGIN", {}, True),
        ("SET stategate.info = on", {}, True),
        ("", {}, True),
    ],
)
def test_statements_that_run_inline(sql: str, settings: dict[str, str], *, inline: bool) -> None:
    engine, session = SqlEngine(catalog_of()), Session(settings=settings)
    assert engine.is_inline(engine.prepare(sql, session), session) is inline


@pytest.mark.parametrize(
    ("token", "inline"),
    [('{"events": {"0": 1}}', True), ('{"other": {"0": 1}}', False), ("no token", True)],
)
def test_a_known_token_decides_whether_a_statement_runs_inline(token: str, *, inline: bool) -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    statement = engine.prepare(f"{LOOKUP} WITH BOUND ($1)", session)
    assert engine.is_inline(statement, session, (token,)) is inline


@pytest.mark.parametrize(
    ("sql", "settings", "parameters"),
    [
        (LOOKUP, {}, ()),
        (LOOKUP, {"stategate.consistency": "eventual"}, ()),
        ("SELECT v FROM state WHERE k = $1", {}, ("a",)),
        ("SELECT v, k FROM state WHERE k = $1", {}, ("nobody",)),
        ("SELECT v, k FROM state WHERE k IN ($1, 'b') ORDER BY v", {}, ("a",)),
        ("SELECT count(*), sum(v), max(v) FROM state WHERE k >= $1", {}, ("a",)),
        ("SELECT DISTINCT v FROM state ORDER BY v LIMIT $1", {}, (2,)),
        ("SELECT v FROM state WHERE k = $1", {}, (None,)),
    ],
)
def test_a_fast_lookup_gives_the_row_of_its_statement(
    sql: str, settings: dict[str, str], parameters: Row
) -> None:
    engine, session, other = SqlEngine(catalog_of()), Session(settings=settings), Session()
    statement = engine.prepare(sql, session)
    result = engine.execute(statement, parameters, other, cancellation=Cancellation())
    assert result.rows is not None
    assert looked_up(statement, parameters, session) == tuple(result.rows)
    assert session.seen == other.seen
    assert statement.look_up is not None
    found = statement.look_up(statement.literals or parameters, session)
    assert found is not None
    assert found.position == result.position
    asked = [(each.store, each.partition, each.epoch, each.rows) for each in result.partitions]
    assert list(found.reads) == asked


@pytest.mark.parametrize(
    ("sql", "settings", "parameters"),
    [
        (LOOKUP, {}, ("one too many",)),
        (f"{LOOKUP} WITH BOUND (events[0] >= 1)", {}, ()),
        (f"{LOOKUP} WITH INFO", {}, ()),
        (LOOKUP, {"stategate.consistency": "monotonic"}, ()),
        (LOOKUP, {"stategate.wait": "1s"}, ()),
        ("SELECT v FROM state WHERE k = $1", {}, ("\ud800",)),
        ("SELECT v + 1 FROM state", {}, ()),
        ("SELECT v FROM state LIMIT $1", {}, (-1,)),
        ("SELECT 1", {}, ()),
        (f"EXPLAIN {LOOKUP}", {}, ()),
        ("SHOW timezone", {}, ()),
        ("", {}, ()),
    ],
)
def test_statements_without_a_fast_lookup(
    sql: str, settings: dict[str, str], parameters: Row
) -> None:
    engine, session = SqlEngine(catalog_of()), Session(settings=settings)
    statement = engine.prepare(sql, session)
    assert looked_up(statement, parameters, session) is None
    assert session.seen == Position()


def test_a_fast_lookup_survives_changes_of_other_stores() -> None:
    catalog = catalog_of()
    session = Session()
    statement = SqlEngine(catalog).prepare(LOOKUP, session)
    store = catalog.stores["state"]
    assert isinstance(store, LocalStore)
    other = open_store(keyvalue("other", {"k": "text"}, {"v": "text"}))
    catalog.replace(store, other)
    assert looked_up(statement, (), session) == ((1,),)
    inputs = (*store.schema.inputs, InputTopic(topic="more"))
    catalog.replace(store.with_inputs(dataclasses.replace(store.schema, inputs=inputs)))
    assert looked_up(statement, (), session) == ((1,),)
    catalog.replace(other)
    assert looked_up(statement, (), session) is None


def test_a_fast_lookup_leaves_failing_statements_to_execute() -> None:
    catalog = catalog_of()
    engine, session = SqlEngine(catalog), Session()
    statement = engine.prepare(LOOKUP, session)
    session.transaction = TransactionStatus.FAILED
    assert looked_up(statement, (), session) is None
    session.transaction = TransactionStatus.IDLE
    assert looked_up(statement, (), session) == ((1,),)
    catalog.stores["state"].close()  # type: ignore[attr-defined] # a LocalStore
    assert looked_up(statement, (), session) is None
    catalog.replace(state("text", "other"))
    assert looked_up(statement, (), session) is None


@pytest.mark.parametrize(
    ("sql", "given", "types"),
    [
        ("SELECT v FROM state WHERE k = $1", (), (TEXT,)),
        ("SELECT v FROM state WHERE v = $1", (), (BIGINT,)),
        ("SELECT v FROM state WHERE v = $1", (DataType.parse("smallint"),), None),
        ("SELECT v FROM state WHERE k = $2 AND v > $1", (), (BIGINT, TEXT)),
        ("SELECT v FROM state WHERE v BETWEEN $1 AND $2", (), (BIGINT, BIGINT)),
        ("SELECT v FROM state WHERE v IN ($1, 2, $2)", (), (BIGINT, BIGINT)),
        ("SELECT v FROM state WHERE k LIKE $1", (), (TEXT,)),
        ("SELECT v FROM state WHERE k = ANY($1)", (), (DataType.parse("text[]"),)),
        ("SELECT v FROM state LIMIT $1 OFFSET $2", (), (BIGINT, BIGINT)),
        ("SELECT $1::date, $2", (), (DataType.parse("date"), TEXT)),
        ("SELECT v + $1, coalesce(v, $2) FROM state", (), (BIGINT, BIGINT)),
        ("SELECT v FROM state WHERE sum(v) > $1", (), None),
        ("SELECT 1 WITH WAIT $1", (), (DataType.parse("interval"),)),
    ],
)
def test_types_of_parameters(
    sql: str, given: tuple[DataType | None, ...], types: tuple[DataType, ...] | None
) -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    if types is None and not given:
        with pytest.raises(QueryError):
            engine.prepare(sql, session)
        return
    statement = engine.prepare(sql, session, parameter_types=given)
    assert statement.parameters == (given if types is None else types)


def test_a_client_may_declare_the_types_of_only_some_parameters() -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    statement = engine.prepare(
        "SELECT v FROM state WHERE k = $1 AND v = $2", session, parameter_types=(None,)
    )
    assert statement.parameters == (TEXT, BIGINT)


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT strpos('a', 'b'), position('a' IN 'b')", ["strpos", "position"]),
        ("SELECT interval '1 day', '\\x00'::bytea", ["interval", "bytea"]),
        ("SELECT 1, 'x', NULL, 1 + 1, true", ["?column?"] * 5),
        ("SELECT count(*), sum(v), max(k) FROM state", ["count", "sum", "max"]),
        ("SELECT v::text, 1::bigint, date '2020-01-01' FROM state", ["v", "int8", "date"]),
        ("SELECT upper(k), coalesce(v, 1), length(k) FROM state", ["upper", "coalesce", "length"]),
        (
            "SELECT CASE WHEN v > 1 THEN 2 END, CASE WHEN true THEN 1 ELSE v END FROM state",
            ["case", "v"],
        ),
        ("SELECT (SELECT max(v) FROM state), EXISTS (SELECT 1)", ["max", "exists"]),
        ("SELECT now(), current_date, random()", ["now", "current_date", "random"]),
        ("SELECT extract(year FROM now()), date_trunc('day', now())", ["extract", "date_trunc"]),
        ('SELECT k AS "K", v AS v2, * FROM state', ["K", "v2", "k", "v"]),
        ("SELECT a.*, b.v FROM state a, state b", ["k", "v", "v"]),
        ("SELECT row_number() OVER (), unnest(ARRAY[1])", ["row_number", "unnest"]),
        ("SELECT string_agg(k, ','), array_agg(v) FROM state", ["string_agg", "array_agg"]),
        ("VALUES (1, 2)", ["column1", "column2"]),
        ("SELECT * FROM (VALUES (1, 2)) t (a)", ["a", "column2"]),
    ],
)
def test_columns_are_named_as_postgres_names_them(sql: str, names: list[str]) -> None:
    engine, session = SqlEngine(catalog_of()), Session()
    assert [column.name for column in engine.prepare(sql, session).columns] == names


def test_explain_analyze_shows_the_rows_read(sides: Sides) -> None:
    lines = [line for (line,) in sides.ours("EXPLAIN (ANALYZE, COSTS off) SELECT name FROM people")]
    assert lines[:2] == ["stream", "  scan people; columns name; on 3 partitions"]
    assert sum("rows read" in line for line in lines) == 3
    assert lines[-2].startswith("returned 6 rows in ")
    assert lines[-1] == 'position {"events":{"0":0}}'


def test_explain_shows_the_clause(sides: Sides) -> None:
    sql = (
        'EXPLAIN SELECT name FROM people WITH BOUND (events[0] >= $1, \'{"events": {"1": 2}}\', '
        "LATEST, MAX LAG '1 s'), WAIT '5 s', PARTITIONS (0, 1), ACTIVE, PARTIAL, INFO"
    )
    assert sides.ours(sql)[-2] == (
        'with bound (\'{"events":{"1":2}}\', events[0] >= $1, latest, max lag 1000 ms), '
        "wait 5000 ms, partitions (0, 1), active, partial, info",
    )


def test_explain_of_the_catalog(sides: Sides) -> None:
    """postgres_fdw plans foreign tables of catalog relations by this estimate."""
    sql = "SELECT relname FROM pg_class WHERE relkind = 'r'"
    ((line,),) = sides.ours(f"EXPLAIN {sql}")
    assert line.startswith("catalog SELECT ")
    assert line.endswith("(cost=0.00..20.00 rows=1000 width=32)")
    ((line,),) = sides.ours(f"EXPLAIN (COSTS off) {sql}")
    assert "cost=" not in line
    ((line,),) = sides.ours("EXPLAIN SELECT current_database()")
    assert "rows=1 " in line
    ((line,),) = sides.ours("EXPLAIN SELECT count(*) FROM pg_class WHERE relname = $1")
    assert "rows=1 " in line
    (count,) = sides.ours(f"SELECT count(*) FROM ({sql}) AS q")[0]
    lines = [line for (line,) in sides.ours(f"EXPLAIN ANALYZE {sql}")]
    assert any(line.startswith(f"returned {count} rows in ") for line in lines)
    assert refusal(sides.engine, "EXPLAIN SELECT nothing FROM pg_class").sqlstate == "42703"


def test_each_statement_of_a_text_must_parse(sides: Sides) -> None:
    assert sides.engine.split("SELECT 1; SHOW ALL;") == ("SELECT 1", " SHOW ALL")
    with pytest.raises(QueryError):
        sides.engine.split("SELECT 1; SELECT (")


def test_an_empty_statement_does_nothing(sides: Sides) -> None:
    result = run(sides.engine, " ; ")
    assert (result.kind, rows_of(result)) == (StatementKind.EMPTY, [])


def test_many_threads_share_an_engine(sides: Sides) -> None:
    found: list[list[Row]] = []

    def work() -> None:
        for _ in range(5):
            found.append(sides.ours("SELECT count(*) FROM people"))
            found.append(sides.ours("SELECT count(*) FROM people WHERE name IN ('ann', 'bob')"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    assert {rows[0][0] for rows in found} == {6, 2}


def test_a_closed_engine_refuses_queries() -> None:
    engine = SqlEngine(catalog_of())
    engine.close()
    with pytest.raises(QueryError):
        rows_of(run(engine, "SELECT count(*) + 1 FROM state"))
