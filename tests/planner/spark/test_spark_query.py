"""Statements for Spark: their SQL, and all that is refused. No Spark is needed."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from stategate.planner.binding.bind import bind
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.errors import InvalidValueError, NotSupportedError, UnavailableError
from stategate.planner.spark.query import SparkQuery, spark_query
from stategate.planner.sql import SqlEngine
from stategate.planner.syntax.parse import parse
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.errors import EngineError
from stategate.stores.spec.query_engine import EngineRun, EngineStatement, EngineStatus
from stategate.stores.spec.schema import DataType
from tests.planner.sides import rows_of
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

THINGS = keyvalue(
    "things",
    {"id": "integer"},
    {
        "n": "bigint",
        "s": "smallint",
        "x": "double",
        "r": "real",
        "d": "decimal(9,2)",
        "wide": "decimal(38,2)",
        "t": "text",
        "ok": "boolean",
        "at": "timestamptz",
        "made": "timestamp",
        "day": "date",
        "hour": "time",
        "doc": "json",
        "raw": "bytea",
        "gap": "interval",
        "list": "integer[]",
        "uid": "uuid",
    },
)
OTHERS = keyvalue("others", {"id": "integer"}, {"t": "text"})


class NoSpark:
    """An engine that records statements and refuses them."""

    def __init__(self) -> None:
        self.asked: list[EngineStatement] = []

    @property
    def status(self) -> EngineStatus:
        return EngineStatus(state="failed", error="no Spark here")

    def run(self, statement: EngineStatement) -> EngineRun:
        self.asked.append(statement)
        raise EngineError("the Spark engine is not running", sqlstate="57P03")


@pytest.fixture(scope="module")
def catalog() -> Iterator[FixedCatalog]:
    things, others = open_store(THINGS), open_store(OTHERS)
    fill(others, [(1, "a"), (2, "b")])
    yield FixedCatalog(things, others)
    for store in (things, others):
        store.close()


@pytest.fixture(scope="module")
def engine(catalog: FixedCatalog) -> Iterator[SqlEngine]:
    found = SqlEngine(catalog)
    yield found
    found.close()


def written(catalog: FixedCatalog, engine: SqlEngine, sql: str, *types: DataType) -> SparkQuery:
    columns = engine.prepare(sql, Session(), parameter_types=types).columns
    parsed = parse(sql, types)
    assert parsed.tree is not None
    bound = bind(parsed.tree, parsed.clause, vocabulary_of_stores(catalog), types)
    return spark_query(bound, columns)


REFUSED = {
    "types": """
        SELECT hour FROM things
        SELECT gap FROM things
        SELECT list FROM things
        SELECT r + 1 FROM things
        SELECT count(*) FROM things GROUP BY doc::jsonb
        SELECT id FROM things WHERE doc::jsonb = '1'
        SELECT doc::jsonb FROM things
        SELECT doc FROM things WHERE doc::text = 'x'
        SELECT max(r) FROM things
        SELECT raw FROM things ORDER BY raw
        SELECT DISTINCT doc::text FROM things
        SELECT id FROM things WHERE n = x AND wide = x
        SELECT id FROM things WHERE wide * 2 = 4
        SELECT id FROM things WHERE day = at
    """,
    "functions": """
        SELECT lower(t) FROM things
        SELECT upper(t) FROM things
        SELECT now() FROM things
        SELECT round(x) FROM things
        SELECT sqrt(x) FROM things
        SELECT string_agg(t, ',') FROM things
        SELECT array_agg(id) FROM things
        SELECT t ~ 'a' FROM things
        SELECT to_char(at, 'YYYY') FROM things
        SELECT trim(t) FROM things
        SELECT stddev(x) FROM things
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM things
        SELECT random() FROM things
        SELECT extract(epoch FROM at) FROM things
        SELECT date_trunc('decade', at) FROM things
        SELECT current_user, id FROM things
        SELECT substring(t, 0) FROM things
        SELECT left(t, -1) FROM things
    """,
    "casts": """
        SELECT t::integer FROM things
        SELECT x::integer FROM things
        SELECT x::text FROM things
        SELECT at::text FROM things
        SELECT at::date FROM things
        SELECT n::numeric FROM things
        SELECT t::varchar(3) FROM things
    """,
    "operators": """
        SELECT d / 3 FROM things
        SELECT d % 3 FROM things
        SELECT at + interval '1 day' FROM things
        SELECT at - at FROM things
        SELECT id & 1 FROM things
        SELECT id FROM things WHERE t LIKE 'a\\_'
        SELECT id FROM things WHERE t ILIKE 'a'
        SELECT id FROM things WHERE t LIKE t
        SELECT id FROM things WHERE id = ANY(list)
        SELECT id FROM things WHERE n = 1e45
        SELECT id FROM things WHERE id BETWEEN SYMMETRIC 3 AND 1
    """,
    "clauses": """
        SELECT DISTINCT ON (t) t, id FROM things ORDER BY t, id
        SELECT t, count(*) FROM things GROUP BY ROLLUP (t)
        SELECT id FROM things LIMIT 1 + 1
        SELECT id FROM things ORDER BY id FETCH FIRST 2 ROWS WITH TIES
        SELECT * FROM things a RIGHT JOIN others b USING (id)
        SELECT id, v FROM things, unnest(list) AS u(v)
        SELECT id, (VALUES (1)) FROM things
        WITH RECURSIVE r AS (SELECT id FROM things UNION SELECT id FROM r) SELECT * FROM r
        SELECT id, sum(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM things
        SELECT id, lag(n) OVER (ORDER BY id) FROM things
        SELECT 1 FROM things HAVING count(*) > 1
        SELECT _partition, id FROM things
        SELECT things FROM things
        SELECT id FROM things WHERE (id, n) = (1, 2) AND EXISTS (SELECT 1)
        SELECT t FROM things UNION SELECT t FROM others ORDER BY t || 'x'
        SELECT id IN (SELECT o.id FROM others o) FROM things
        SELECT id FROM things WHERE (id IN (SELECT o.id FROM others o)) IS NULL
        SELECT id FROM things WHERE NOT (id IN (SELECT o.id FROM others o) AND id > 1)
        SELECT id FROM things GROUP BY id IN (SELECT o.id FROM others o), id
    """,
}


@pytest.mark.parametrize(
    "sql", [line.strip() for text in REFUSED.values() for line in text.strip().splitlines()]
)
def test_what_may_differ_is_refused(catalog: FixedCatalog, engine: SqlEngine, sql: str) -> None:
    with pytest.raises(NotSupportedError) as caught:
        written(catalog, engine, sql)
    assert caught.value.sqlstate == "0A000"


def test_no_text_of_a_client_becomes_sql(catalog: FixedCatalog, engine: SqlEngine) -> None:
    sql = "SELECT t || '''`{r0}' AS \"a`{b}\" FROM things WHERE t <> ':a0' ORDER BY \"a`{b}\""
    found = written(catalog, engine, sql)
    assert found.sql == (
        "SELECT concat(s0.`t`, CAST(:a1 AS STRING)) AS c0 FROM {r0} AS s0 "
        "WHERE (s0.`t` <> CAST(:a0 AS STRING)) ORDER BY c0 ASC NULLS LAST"
    )
    assert found.values(()) == {"a0": ":a0", "a1": "'`{r0}"}


def test_equal_literals_share_a_name(catalog: FixedCatalog, engine: SqlEngine) -> None:
    found = written(catalog, engine, "SELECT n % 3, count(*) FROM things GROUP BY n % 3")
    assert found.sql.count(":a0") == 2
    assert len(found.constants) == 1


def test_only_used_columns_are_read(catalog: FixedCatalog, engine: SqlEngine) -> None:
    found = written(catalog, engine, "SELECT sum(n) FROM things WHERE ok")
    ((name, access),) = found.accesses
    assert (name, access.columns) == ("r0", ("n", "ok"))


def test_a_literal_is_checked_as_here(catalog: FixedCatalog, engine: SqlEngine) -> None:
    with pytest.raises(InvalidValueError):
        written(catalog, engine, "SELECT id FROM things WHERE at > 'yesterday-ish'")


@pytest.mark.parametrize("value", [Decimal("1.00000000000000001"), Decimal(10) ** 22])
def test_a_numeric_parameter_keeps_its_digits(
    catalog: FixedCatalog, engine: SqlEngine, value: Decimal
) -> None:
    found = written(catalog, engine, "SELECT id FROM things WHERE d = $1")
    assert found.values((Decimal("1.50"),))["p1"] == "1.50"
    with pytest.raises(NotSupportedError):
        found.values((value,))


def run(engine: SqlEngine, sql: str, where: str = "auto") -> Result:
    session = Session(settings={"stategate.engine": where})
    statement = engine.prepare(sql, session)
    return engine.execute(statement, (), session, cancellation=Cancellation())


def test_an_engine_that_is_asked_for_must_be_configured(engine: SqlEngine) -> None:
    with pytest.raises(NotSupportedError, match="no Spark engine is configured"):
        run(engine, "SELECT id FROM things", "spark")
    for name in ("auto", "local"):
        assert rows_of(run(engine, "SELECT id FROM things", name)) == []


def test_every_statement_that_reads_a_store_goes_to_spark(catalog: FixedCatalog) -> None:
    spark = NoSpark()
    engine = SqlEngine(catalog, spark=spark)
    try:
        statements = ("SELECT t FROM others WHERE id = 1", "SELECT count(*) FROM others")
        for sql in statements:
            session = Session(settings={"stategate.engine": "spark"})
            statement = engine.prepare(sql, session)
            assert not engine.is_inline(statement, session)
            if statement.look_up is not None:
                assert statement.look_up(statement.literals, session) is None
            with pytest.raises(UnavailableError, match="not running"):
                run(engine, sql, "spark")
        assert len(spark.asked) == len(statements)
        assert rows_of(run(engine, statements[1])) == [(2,)]
    finally:
        engine.close()
