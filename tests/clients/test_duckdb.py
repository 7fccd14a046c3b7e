"""DuckDB 1.5.5 and 1.4.4 attach the gateway: relations, queries, rows, and the rules for them.

The rules are those by which DuckDB's postgres extension reads a server; where one is broken, rows
are lost or doubled without an error. An engine records the statements that DuckDB sends, and its
EXPLAIN shows that they became typed queries.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from psycopg import sql as compose

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.clients.duckdb_process import DuckDb, DuckDbError, running_duckdb
from tests.clients.environments import Made
from tests.clients.recording import (
    CLICKS_ROWS,
    RecordingEngine,
    recording_server,
)
from tests.clients.stores import NUMBERS, NUMBERS_ROWS, write_client_stores
from tests.support.gateway import TOPIC, USERS, USERS_ROWS, Gateway, running_gateway

VERSIONS = ("duckdb-1.5", "duckdb-1.4")
STORES = ["clicks_hourly", "numbers", "orders", "prices", "users"]


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def duck(
    version: str, environment: Callable[[str], Made], client_gateway: Gateway
) -> Iterator[DuckDb]:
    """A DuckDB that has attached the gateway as `g`."""
    with running_duckdb(environment(version)) as running:
        running.attach(client_gateway.pg_port)
        yield running


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A DuckDB that has attached a recording engine."""

    duck: DuckDb
    engine: RecordingEngine
    port: int

    def sends(self, sql: str) -> tuple[list[list[object]], list[str]]:
        """Return DuckDB's rows, and the queries that it sent by COPY for them."""
        self.engine.copied()
        rows = self.duck.ask(sql)
        return rows, self.engine.copied()


@pytest.fixture(scope="module")
def recorded(version: str, environment: Callable[[str], Made]) -> Iterator[Recorded]:
    with recording_server() as (engine, port), running_duckdb(environment(version)) as duck:
        duck.attach(port)
        yield Recorded(duck=duck, engine=engine, port=port)


# --- relations -----------------------------------------------------------------------------------


def test_lists_all_tables(duck: DuckDb) -> None:
    listed = duck.ask(
        "SELECT table_schema, table_name FROM information_schema.tables"
        " WHERE table_catalog = 'g' AND table_schema IN ('public', 'stategate') ORDER BY ALL"
    )
    assert [name for schema, name in listed if schema == "public"] == STORES
    assert "stores" in [name for schema, name in listed if schema == "stategate"]


def test_describes_columns_with_their_comments_and_keys(duck: DuckDb) -> None:
    described = {row[0]: row[1:4] for row in duck.ask("DESCRIBE g.clicks_hourly")}
    assert described == {
        "page": ["VARCHAR", "YES", "PRI"],
        "window_start": ["TIMESTAMP WITH TIME ZONE", "NO", "PRI"],
        "window_end": ["TIMESTAMP WITH TIME ZONE", "NO", None],
        "clicks": ["BIGINT", "YES", None],
        "seconds": ["DOUBLE", "YES", None],
    }


def test_comments_arrive(duck: DuckDb, version: str) -> None:
    if version == "duckdb-1.4":
        pytest.skip("DuckDB 1.4 does not ask for comments")
    (row,) = duck.ask("SELECT comment FROM duckdb_tables() WHERE table_name = 'numbers'")
    assert str(row[0]).startswith("keyvalue store, 4 partitions")


def test_introspection_by_the_information_schema(
    version: str, environment: Callable[[str], Made], client_gateway: Gateway
) -> None:
    if version == "duckdb-1.4":
        pytest.skip("DuckDB 1.4 has no such setting")
    with running_duckdb(environment(version)) as duck:
        duck.ask("SET pg_use_information_schema_introspection = true")
        duck.attach(client_gateway.pg_port)
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]


def test_a_new_definition_is_seen_after_the_cache_is_cleared(duck: DuckDb) -> None:
    duck.ask("CALL pg_clear_cache()")
    assert duck.ask("SELECT count(*) FROM g.users") == [[len(USERS_ROWS)]]


def test_staleness_query_runs_before_each_statement(
    version: str, environment: Callable[[str], Made]
) -> None:
    if version == "duckdb-1.4":
        pytest.skip("DuckDB 1.4 has no such setting")
    with recording_server() as (engine, port), running_duckdb(environment(version)) as duck:
        duck.attach(port)
        duck.ask("SET pg_staleness_query_enabled = true")
        for _ in range(3):
            assert duck.ask("SELECT count(*) FROM g.clicks") == [[len(CLICKS_ROWS)]]
        asked = [text for text in engine.texts if "xmin" in text]
        tables = [text for text in engine.texts if "relpages" in text]
        assert len(asked) >= 2
        assert len(tables) == 1, "the definitions were read again though none had changed"


# --- queries -------------------------------------------------------------------------------------

LOOKUP = "lookup clicks"


@pytest.mark.parametrize(
    ("where", "accesses"),
    [
        ("user_id = 'x'", [LOOKUP, "on 1 partition"]),
        ("user_id = 'it''s -- a; key'", [LOOKUP, "on 1 partition"]),
        ("user_id = 'x' AND n > 2", [LOOKUP, "on 1 partition"]),
        ("user_id IN ('x', 'bob', 'none')", [LOOKUP]),
        ("user_id = 'x' OR user_id = 'bob'", [LOOKUP]),
        ("user_id LIKE 'al%'", ["range clicks; user_id >= 'al' and user_id < 'am'"]),
        ("user_id BETWEEN 'a' AND 'c'", ["range clicks"]),
        ("user_id > 'user 150'", ["range clicks"]),
        ("n > 3", ["scan clicks"]),
        ("n IN (1, 7, 900)", ["scan clicks"]),
        ("n <> 7", ["scan clicks"]),
        ("ts >= '2024-02-29 12:00:00+00'", ["scan clicks"]),
    ],
)
def test_filters_become_typed_queries(recorded: Recorded, where: str, accesses: list[str]) -> None:
    rows, sent = recorded.sends(f"SELECT * FROM g.clicks WHERE {where}")
    (query,) = sent
    assert "WHERE" in query
    plan = "\n".join(recorded.engine.plan_of(query))
    for access in accesses:
        assert access in plan
    assert sorted(map(str, rows)) == sorted(map(str, oracle(recorded.duck, where)))


def oracle(duck: DuckDb, where: str) -> list[list[object]]:
    """Return the rows that the condition selects from a copy of all rows, inside DuckDB."""
    duck.ask("CREATE OR REPLACE TABLE memory.clicks AS SELECT * FROM g.clicks")
    assert duck.ask("SELECT count(*) FROM memory.clicks") == [[len(CLICKS_ROWS)]]
    return duck.ask(f"SELECT * FROM memory.clicks WHERE {where}")


def test_a_window_is_looked_up(recorded: Recorded) -> None:
    rows, (query,) = recorded.sends(
        "SELECT n FROM g.hourly WHERE page = '/buy'"
        " AND window_start >= '2024-02-29 13:00:00+00' AND window_start < '2024-02-29 15:00:00+00'"
    )
    assert rows == [[1], [2]]
    assert "window lookup hourly; page = '/buy'" in "\n".join(recorded.engine.plan_of(query))


def test_only_the_columns_that_are_used_are_read(recorded: Recorded) -> None:
    _, (query,) = recorded.sends("SELECT n FROM g.clicks WHERE user_id = 'x'")
    assert '"ts"' not in query
    assert query.startswith('SELECT "user_id", "n" FROM "public"."clicks"')


def test_a_store_is_read_whole_by_one_copy(recorded: Recorded) -> None:
    """If it read ranges of pages, several connections would need the same snapshot."""
    rows, (query,) = recorded.sends("SELECT * FROM g.clicks")
    assert len(rows) == len(CLICKS_ROWS)
    assert query == 'SELECT "user_id", "n", "ts" FROM "public"."clicks"'


def test_a_limit_is_pushed(recorded: Recorded) -> None:
    rows, (query,) = recorded.sends("SELECT user_id FROM g.clicks LIMIT 5 OFFSET 2")
    assert len(rows) == 5
    assert query.endswith("LIMIT 5 OFFSET 2")
    assert " 7 " in " ".join(recorded.engine.plan_of(query))


def test_a_filter_reaches_both_sides_of_a_join(recorded: Recorded) -> None:
    rows, sent = recorded.sends(
        "SELECT a.n + b.n FROM g.clicks a JOIN g.clicks b USING (user_id) WHERE user_id = 'bob'"
    )
    assert rows == [[2]]
    assert len(sent) == 2
    for query in sent:
        assert LOOKUP in "\n".join(recorded.engine.plan_of(query))


def test_prepared_values_are_pushed(recorded: Recorded) -> None:
    recorded.duck.ask("PREPARE find AS SELECT n FROM g.clicks WHERE user_id = $1")
    rows, (query,) = recorded.sends("EXECUTE find('x')")
    assert rows == [[3]]
    assert LOOKUP in "\n".join(recorded.engine.plan_of(query))


def test_a_query_runs_whole_on_the_server(recorded: Recorded) -> None:
    rows, (query,) = recorded.sends(
        "SELECT * FROM postgres_query('g',"
        " 'SELECT page, sum(n) AS total FROM hourly GROUP BY page ORDER BY page')"
    )
    assert rows == [["/", "10"], ["/buy", "10"]]
    assert "GROUP BY page" in query


# --- rows ----------------------------------------------------------------------------------------


def test_no_row_is_lost_or_doubled(duck: DuckDb) -> None:
    """One tuple per CopyData: DuckDB 1.4 reads the first of each message and drops the rest."""
    assert duck.ask("SELECT count(*), count(DISTINCT id), sum(squared) FROM g.numbers") == [
        [NUMBERS_ROWS, NUMBERS_ROWS, sum(n * n for n in range(NUMBERS_ROWS))]
    ]
    assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]
    assert duck.ask("SELECT count(*) FROM g.numbers WHERE word IS NULL") == [[20]]


@pytest.mark.parametrize("rows", [0, 1, 2, 2047, 2048, 2049, 4096, 8192, 8193, 19_999])
def test_row_counts_around_the_sizes_of_batches(duck: DuckDb, rows: int) -> None:
    found = duck.ask(f"SELECT count(*), coalesce(max(id), -1) FROM g.numbers WHERE id < {rows}")
    assert found == [[rows, rows - 1]]


def test_every_type_arrives(duck: DuckDb) -> None:
    """COPY is encoded by the types that the catalog declares."""
    names = [column.name for column in USERS.columns]
    listed = ", ".join(f"hex({name})" if name == "token" else f"{name}::VARCHAR" for name in names)
    rows = {row[0]: dict(zip(names, row, strict=True)) for row in duck.ask(
        f"SELECT {listed} FROM g.users")}  # fmt: skip
    assert set(rows) == {row["name"] for row in USERS_ROWS}
    assert rows["ada"] == {
        **{"name": "ada", "active": "true", "tiny": "1", "small": "300", "age": "36"},
        **{"visits": "9000000000", "score": "0.5", "mean": "3.25", "balance": "1234.50"},
        **{"city": "London", "token": "0001FEFF", "born": "1815-12-10"},
        **{"wakes": "06:30:00.125", "local": "2024-02-29 13:00:00.000001"},
        **{"seen": "2024-02-29 12:00:00+00", "device": "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"},
        "profile": '{"langs": ["en", "fr"], "admin": true}',
    }
    assert rows["bob"] == {**dict.fromkeys(names), "name": "bob"}
    eve = rows["eve"]
    assert Decimal(eve["balance"]) == Decimal("-9999999999999999.99")
    assert (eve["visits"], eve["token"], eve["city"]) == (str(-(2**63)), "", "")
    assert eve["seen"] == "1969-12-31 23:59:59.999999+00"


def test_arrays_arrive(duck: DuckDb) -> None:
    rows = duck.ask("SELECT item, tags FROM g.prices WHERE valid_to IS NULL ORDER BY item")
    assert rows == [["ink", ["blue", None]], ["pen", []]]


@pytest.mark.parametrize(
    ("column", "operator", "literal"),
    [
        (column, operator, literal)
        for column, literal in (
            ("name", "'bob'"),
            ("name", "'ä'"),
            ("active", "true"),
            ("small", "300"),
            ("age", "36"),
            ("visits", "0"),
            ("score", "0.5"),
            ("mean", "3.25"),
            ("balance", "0.01"),
            ("born", "DATE '1969-12-31'"),
            ("local", "TIMESTAMP '2024-02-29 13:00:00'"),
            ("seen", "TIMESTAMPTZ '2024-02-29 12:00:00+00'"),
            ("device", "'6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01'::UUID"),
            ("token", "'\\x00\\x01\\xFE\\xFF'::BLOB"),
        )
        for operator in ("=", "<>", "<", ">=")
    ],
)
def test_filters_are_applied_exactly(
    duck: DuckDb, column: str, operator: str, literal: str
) -> None:
    """DuckDB does not check pushed conditions again: text compares by bytes, NULL never matches."""
    duck.ask("CREATE TABLE IF NOT EXISTS memory.users AS SELECT * FROM g.users")
    where = f"WHERE {column} {operator} {literal} ORDER BY name"
    pushed = duck.ask(f"SELECT name FROM g.users {where}")
    assert pushed == duck.ask(f"SELECT name FROM memory.users {where}")


def test_joins_and_aggregates(duck: DuckDb) -> None:
    rows = duck.ask(
        "SELECT u.name, count(*), sum(o.amount) FROM g.users u JOIN g.orders o"
        " ON o.customer = u.name GROUP BY ALL ORDER BY ALL"
    )
    assert rows == [[name, 4, "128.00"] for name in ("ada", "bob", "eve")]


def test_copies_a_store_to_parquet(duck: DuckDb, tmp_path: Path) -> None:
    target = tmp_path / "numbers.parquet"
    duck.ask(f"COPY g.numbers TO '{target}' (FORMAT parquet)")
    table = pq.read_table(target)
    assert table.num_rows == NUMBERS_ROWS
    assert sorted(table["id"].to_pylist()) == list(range(NUMBERS_ROWS))


def test_text_protocol(duck: DuckDb, version: str) -> None:
    if version == "duckdb-1.4":
        pytest.skip("DuckDB 1.4 has no such setting")
    duck.ask("SET pg_use_text_protocol = true")
    try:
        assert duck.ask("SELECT balance FROM g.users WHERE name = 'ada'") == [["1234.50"]]
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]
    finally:
        duck.ask("RESET pg_use_text_protocol")


# --- errors --------------------------------------------------------------------------------------


def test_errors_arrive_and_the_connection_goes_on(duck: DuckDb) -> None:
    for sql, said in (
        ("SELECT * FROM postgres_query('g', 'SELECT nothing FROM users')", "nothing"),
        ("SELECT * FROM postgres_query('g', 'SELECT 1 / (id - 15000) AS x FROM numbers')", "zero"),
        ("SELECT * FROM g.nothing", "nothing"),
    ):
        with pytest.raises(DuckDbError, match=said):
            duck.ask(sql)
        assert duck.ask("SELECT count(*) FROM g.users") == [[len(USERS_ROWS)]]


def test_writes_are_refused(
    version: str, environment: Callable[[str], Made], client_gateway: Gateway
) -> None:
    with running_duckdb(environment(version)) as duck:
        target = f"host=127.0.0.1 port={client_gateway.pg_port} user=stategate dbname=stategate"
        duck.ask(f"ATTACH '{target}' AS g (TYPE postgres)")
        for sql in (
            "INSERT INTO g.numbers VALUES (1, 1, 'x')",
            "DELETE FROM g.numbers WHERE id = 1",
            "CREATE TABLE g.other (a INTEGER)",
            "DROP TABLE g.numbers",
        ):
            with pytest.raises(DuckDbError):
                duck.ask(sql)
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]


def test_a_long_query_is_stopped_by_the_server(
    version: str, environment: Callable[[str], Made], client_gateway: Gateway
) -> None:
    """DuckDB sends no cancel request, so only a timeout ends its query."""
    with running_duckdb(environment(version)) as duck:
        duck.attach(client_gateway.pg_port, options=" options=''-c statement_timeout=300''")
        slow = "SELECT count(*) AS n FROM numbers a, numbers b, numbers c"
        with pytest.raises(DuckDbError, match="canceling statement due to statement timeout"):
            duck.ask(f"SELECT * FROM postgres_query('g', '{slow}')")
        assert duck.ask("SELECT count(*) FROM g.users") == [[len(USERS_ROWS)]]


def test_a_transaction_reads_one_snapshot(
    version: str, environment: Callable[[str], Made], tmp_path: Path
) -> None:
    write_client_stores(tmp_path / "log")
    writer = StoreWriter(str(tmp_path / "log"), NUMBERS)
    added = {"id": [-1], "squared": [1], "word": [None]}
    with (
        running_gateway(tmp_path / "log", tmp_path) as gateway,
        running_duckdb(environment(version)) as duck,
    ):
        duck.attach(gateway.pg_port)
        duck.ask("BEGIN")
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]
        table = pa.Table.from_pydict(added, schema=NUMBERS.arrow_schema())
        writer.write(table, position=Position.of({TOPIC: {0: 50, 1: 20}}))
        assert eventually(gateway, "SELECT count(*) FROM numbers WHERE id = -1", 1)
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS]]
        assert duck.ask("SELECT count(*) FROM g.numbers WHERE id = -1") == [[0]]
        duck.ask("COMMIT")
        assert duck.ask("SELECT count(*) FROM g.numbers") == [[NUMBERS_ROWS + 1]]


def test_each_scan_is_of_one_epoch_while_epochs_are_applied(
    version: str, environment: Callable[[str], Made], tmp_path: Path
) -> None:
    """No row is lost or doubled between the columns that are kept and the changes to them.

    Epoch e adds the row -e and puts e in the row 0, which lies in another partition as a rule.
    """
    write_client_stores(tmp_path / "log")
    writer, epochs = StoreWriter(str(tmp_path / "log"), NUMBERS), 25
    whole = "SELECT count(*), count(DISTINCT id), -min(id), max(squared) FILTER (id = 0)"
    with (
        running_gateway(tmp_path / "log", tmp_path) as gateway,
        running_duckdb(environment(version)) as duck,
    ):
        duck.attach(gateway.pg_port)
        for epoch in range(1, epochs + 1):
            changed = {"id": [-epoch, 0], "squared": [1, epoch], "word": [None, None]}
            table = pa.Table.from_pydict(changed, schema=NUMBERS.arrow_schema())
            writer.write(table, position=Position.of({TOPIC: {0: 50 + epoch, 1: 20}}))
            for _ in range(3):
                ((rows, distinct, added, seen),) = duck.ask(f"{whole} FROM g.numbers")
                assert (rows, distinct, added) == (NUMBERS_ROWS + seen,) * 2 + (seen,)
                assert seen <= epoch
        assert eventually(gateway, "SELECT squared FROM numbers WHERE id = 0", epochs)
        assert duck.ask(f"{whole} FROM g.numbers") == [
            [NUMBERS_ROWS + epochs, NUMBERS_ROWS + epochs, epochs, epochs]
        ]


def eventually(gateway: Gateway, sql: str, wanted: int) -> bool:
    """Whether a count reaches the expected value within some seconds."""
    with psycopg.connect(gateway.pg_dsn, autocommit=True) as connection:
        for _ in range(200):
            if connection.execute(sql.encode()).fetchone() == (wanted,):
                return True
            time.sleep(0.05)
    return False


# --- messages ------------------------------------------------------------------------------------

_HEADER = b"PGCOPY\n\xff\r\n\x00" + struct.pack(">ii", 0, 0)
_TRAILER = struct.pack(">h", -1)


def copy_messages(port: int, sql: str) -> list[bytes]:
    """Return the bodies of the CopyData messages of a COPY."""
    target = f"host=127.0.0.1 port={port} user=stategate dbname=stategate"
    with psycopg.connect(target, autocommit=True) as connection, connection.cursor() as cursor:
        copy = compose.SQL("COPY ({}) TO STDOUT (FORMAT binary)").format(compose.SQL(sql))
        with cursor.copy(copy) as messages:
            return [bytes(body) for body in messages]


@pytest.fixture(scope="module")
def served() -> Iterator[int]:
    with recording_server() as (_, port):
        yield port


def test_header_and_trailer_share_a_message_where_there_are_no_rows(served: int) -> None:
    assert copy_messages(served, "SELECT n FROM clicks WHERE user_id = 'none'") == [
        _HEADER + _TRAILER
    ]


def test_each_message_has_one_tuple_and_the_first_has_the_header(served: int) -> None:
    first, *others, last = copy_messages(served, "SELECT user_id FROM clicks")
    assert first.startswith(_HEADER)
    tuples = [first.removeprefix(_HEADER), *others]
    assert last == _TRAILER
    assert len(tuples) == len(CLICKS_ROWS)
    for body in tuples:
        count, length = struct.unpack_from(">hi", body)
        assert (count, len(body)) == (1, 6 + length)


def test_a_column_of_nulls_is_one_null_field(served: int) -> None:
    first, *_ = copy_messages(served, 'SELECT NULL FROM "public"."clicks" ')
    assert first == _HEADER + struct.pack(">hi", 1, -1)


def test_statements_are_split_by_their_tokens(served: int) -> None:
    (body, _) = copy_messages(
        served, """SELECT "n" FROM "public"."clicks" WHERE "user_id" = 'it''s -- a; key'"""
    )
    assert body == _HEADER + struct.pack(">hiq", 1, 8, 9)


def test_stores_have_no_pages_and_the_range_of_all_is_the_relation(served: int) -> None:
    with psycopg.connect(
        f"host=127.0.0.1 port={served} user=stategate dbname=stategate", autocommit=True
    ) as connection:
        pages = "SELECT max(relpages) FROM pg_class WHERE relname IN ('clicks', 'hourly')"
        assert connection.execute(pages).fetchone() == (0,)
        count = "SELECT count(*) FROM clicks WHERE ctid BETWEEN '(0,0)'::tid AND '({},0)'::tid"
        found = connection.execute(count.format(4294967295)).fetchone()
        assert found == (len(CLICKS_ROWS),)
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="no pages"):
            connection.execute(count.format(1000))


def test_version_is_one_that_reads_by_copy(served: int) -> None:
    with psycopg.connect(
        f"host=127.0.0.1 port={served} user=stategate dbname=stategate"
    ) as connection:
        row = connection.execute("SELECT version()").fetchone()
        assert row is not None
        assert str(row[0]).startswith("PostgreSQL 15.")
