"""COPY, cursors and prepared statements by real clients."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import asyncpg
import psycopg
import pytest

from stategate.gateway.pgwire.protocol.limits import PgLimits
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.event_loops import run_to_the_end
from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.gateway.pgwire.test_clients import AS_PYTHON, connect
from tests.support.sample_rows import SCALAR_TYPES, TYPES

Connection = psycopg.Connection[tuple[object, ...]]
ROWS = 40_000
PSQL = shutil.which("psql")


@pytest.fixture
def connection(gateway: Serving) -> Iterator[Connection]:
    with connect(gateway) as made:
        yield made


# --- COPY ----------------------------------------------------------------------------------------


def test_psycopg_copies_text_and_runs_another_statement(connection: Connection) -> None:
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY (SELECT * FROM series({ROWS})) TO STDOUT") as copy:
            rows = list(copy.rows())
        assert cursor.rowcount == ROWS
    assert len(rows) == ROWS
    assert rows[-1] == (str(ROWS - 1), f"row {ROWS - 1}", "9999.75", "1970-01-01 11:06:39+00")
    assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("relation", ["scalar_types", "scalar_types_stream"])
def test_psycopg_copies_every_type_in_binary(connection: Connection, relation: str) -> None:
    names = (
        *("bool", "int2", "int2", "int4", "int8", "float4", "float8", "numeric", "text", "bytea"),
        *("date", "time", "timestamp", "timestamptz", "interval", "uuid", "json"),
    )
    sql = f"COPY (SELECT * FROM {relation}) TO STDOUT (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types(names)
        rows = list(copy.rows())
    assert rows == [AS_PYTHON[:SCALAR_TYPES], (None,) * SCALAR_TYPES]


def test_nested_types_are_copied_as_text(connection: Connection) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy("COPY (SELECT * FROM types_stream) TO STDOUT") as copy,
    ):
        first, second = copy.rows()
    assert first[SCALAR_TYPES:][0] == "{1,NULL,3}"
    assert second == (None,) * len(TYPES)


def test_an_error_in_the_middle_of_a_copy(connection: Connection) -> None:
    received: list[object] = []

    def read_all() -> None:
        sql = "COPY (SELECT * FROM broken(5000)) TO STDOUT"
        with connection.cursor() as cursor, cursor.copy(sql) as copy:
            received.extend(copy)

    with pytest.raises(psycopg.errors.IoError, match="disk on fire"):
        read_all()
    assert len(received) == 5000
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_copy_that_is_abandoned_is_cancelled(connection: Connection, gateway: Serving) -> None:
    def read_some() -> None:
        sql = "COPY (SELECT * FROM series(100000000)) TO STDOUT"
        with connection.cursor() as cursor, cursor.copy(sql) as copy:
            assert copy.read()
            raise InterruptedError

    with pytest.raises(InterruptedError):
        read_some()
    assert connection.execute("SELECT 1").fetchone() == (1,)
    assert gateway.eventually(lambda: gateway.engine.open == 0)


def test_a_client_that_never_reads_its_copy_is_cut_off() -> None:
    limits = PgLimits(output_bytes_high=10_000, write_timeout_s=0.1, sweep_s=0.02)
    with serving(limits=limits) as gateway, gateway.login() as client:
        client.send(wire.query("COPY (SELECT * FROM series(3000000)) TO STDOUT"))
        assert gateway.eventually(lambda: gateway.engine.open == 1)
        assert gateway.eventually(lambda: gateway.engine.open == 0)
        assert gateway.engine.batches_made < 1500, "rows were made that no one could read"


def test_copy_from_is_refused(connection: Connection) -> None:
    with (
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match="COPY FROM"),
        connection.cursor() as cursor,
        cursor.copy("COPY kv FROM STDIN"),
    ):
        pass
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_parameters_of_a_copy(gateway: Serving) -> None:
    """PostgreSQL's COPY takes no parameters; here it takes those of its query."""
    with gateway.login() as client:
        sql = "COPY (SELECT v FROM kv WHERE k = $1) TO STDOUT"
        client.send(
            wire.parse("", sql, []),
            wire.describe("S", ""),
            wire.bind("", "", [b"5"]),
            wire.execute("", 0),
            wire.SYNC,
        )
        messages = client.read_until("Z")
    assert [type_byte for type_byte, _ in messages] == [*"1tn2HdcCZ"]
    assert (b"value-5\n") in [body for _, body in messages]


def test_async_copy_and_cursor(gateway: Serving) -> None:
    async def work() -> None:
        connection = await psycopg.AsyncConnection.connect(
            host=HOST, port=gateway.port, user="joe", dbname="db"
        )
        async with connection:
            async with (
                connection.cursor() as cursor,
                cursor.copy("COPY (SELECT * FROM series(10)) TO STDOUT (FORMAT csv)") as copy,
            ):
                assert len([row async for row in copy]) == 10
            async with connection.cursor("named") as served:
                served.itersize = 7
                await served.execute("SELECT * FROM series(20)")
                assert [row[0] async for row in served] == list(range(20))

    run_to_the_end(work())


def test_asyncpg_copies_and_moves(gateway: Serving) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(host=HOST, port=gateway.port, user="joe", database="db")
        parts: list[bytes] = []

        async def keep(part: bytes) -> None:
            parts.append(part)

        try:
            tag = await connection.copy_from_query(
                "SELECT * FROM series(3)", output=keep, format="csv", header=True
            )
            assert tag == "COPY 3"
            assert b"".join(parts).startswith(b"n,name,x,at\n0,row 0,0,")
            async with connection.transaction():
                cursor = await connection.cursor("SELECT * FROM series(9)")
                assert await cursor.forward(4) == 4
                assert [row["n"] for row in await cursor.fetch(2)] == [4, 5]
                assert (await cursor.fetchrow())["n"] == 6
        finally:
            await connection.close()

    run_to_the_end(work())


# --- cursors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_server_cursor(connection: Connection, binary: bool) -> None:
    with connection.transaction(), connection.cursor("c", binary=binary) as cursor:
        cursor.execute(f"SELECT * FROM series({ROWS})")
        cursor.itersize = 9000
        assert cursor.fetchone()[:2] == (0, "row 0")  # type: ignore[index] # there is a row
        assert [row[0] for row in cursor.fetchmany(3)] == [1, 2, 3]
        assert [row[0] for row in cursor] == list(range(4, ROWS))
        assert cursor.fetchall() == []


def test_psycopg_server_cursor_with_parameters_scrolls(connection: Connection) -> None:
    with connection.transaction(), connection.cursor("c", scrollable=True) as cursor:
        cursor.execute("SELECT * FROM series(10)")
        cursor.scroll(5)
        assert cursor.fetchone()[0] == 5  # type: ignore[index] # there is a row
        cursor.scroll(-3)
        assert cursor.fetchone()[0] == 3  # type: ignore[index] # there is a row
        cursor.scroll(9, mode="absolute")
        assert [row[0] for row in cursor.fetchall()] == [9]
    with connection.transaction(), connection.cursor("d") as cursor:
        cursor.execute("SELECT v FROM kv WHERE k = %s", (7,))
        assert cursor.fetchall() == [("value-7",)]


def test_psycopg_held_cursor_outlives_its_transaction(
    connection: Connection, gateway: Serving
) -> None:
    cursor = connection.cursor("held", withhold=True)
    with connection.transaction():
        cursor.execute("SELECT * FROM series(3000)")
        assert cursor.fetchone() is not None
    assert len(cursor.fetchall()) == 2999
    assert gateway.engine.open == 1
    cursor.close()
    assert gateway.engine.open == 0


def test_a_cursor_ends_with_its_transaction(connection: Connection, gateway: Serving) -> None:
    with connection.transaction():
        connection.execute("DECLARE c CURSOR FOR SELECT * FROM series(3000)")
        assert gateway.engine.open == 1
    assert gateway.engine.open == 0
    with pytest.raises(psycopg.errors.InvalidCursorName):
        connection.execute("FETCH c")


def test_cursors_that_keep_rows_are_few(connection: Connection) -> None:
    connection.execute("BEGIN")
    for number in range(8):
        connection.execute(f"DECLARE c{number} SCROLL CURSOR FOR SELECT 1")
    connection.execute("DECLARE another CURSOR FOR SELECT 1")
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="backwards"):
        connection.execute("DECLARE one_more SCROLL CURSOR FOR SELECT 1")


def test_a_cursor_that_goes_forward_does_not_stay_backwards(connection: Connection) -> None:
    connection.execute("BEGIN")
    connection.execute("DECLARE c NO SCROLL CURSOR FOR SELECT 1")
    assert connection.execute("FETCH FORWARD 0 FROM c").fetchall() == []
    assert connection.execute("MOVE BACKWARD 0 FROM c").statusmessage == "MOVE 0"
    assert connection.execute("MOVE BACKWARD ALL FROM c").statusmessage == "MOVE 0"
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="scan forward"):
        connection.execute("FETCH BACKWARD 0 FROM c")
    connection.execute("ROLLBACK")


# --- prepared statements -------------------------------------------------------------------------


def test_prepare_and_execute(connection: Connection) -> None:
    connection.execute("PREPARE look (bigint) AS SELECT v FROM kv WHERE k = $1")
    for sql in ("EXECUTE look (7)", "EXECUTE look ('7')", "EXECUTE look (+7)"):
        assert connection.execute(sql).fetchall() == [("value-7",)]
        assert connection.execute(sql, binary=True).fetchall() == [("value-7",)]
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        connection.execute("EXECUTE look ('x')")
    with pytest.raises(psycopg.errors.SyntaxError, match="wrong number of parameters"):
        connection.execute("EXECUTE look (1, 2)")
    connection.execute("DEALLOCATE look")
    with pytest.raises(psycopg.errors.InvalidSqlStatementName):
        connection.execute("EXECUTE look (7)")


def test_an_error_in_a_prepared_query_points_into_the_clients_text(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable) as caught:
        connection.execute("SELECT 1;  PREPARE p AS SELECT * FROM nope")
    assert caught.value.diag.statement_position == "39"


# --- psql ----------------------------------------------------------------------------------------


@pytest.mark.skipif(PSQL is None, reason="psql is not on PATH")
@pytest.mark.parametrize(
    ("commands", "printed"),
    [
        ((r"\set FETCH_COUNT 3", "SELECT * FROM series(8)"), 8),
        # psql puts blanks between the words of a query, which the fake engine's calls do not have.
        ((r"\copy (SELECT 'a') to stdout csv",), 1),
        (("COPY (SELECT * FROM series(6)) TO STDOUT", "SELECT 1"), 7),
        (("PREPARE p AS SELECT * FROM series(4)", "EXECUTE p"), 4),
    ],
)
def test_psql(gateway: Serving, commands: tuple[str, ...], printed: int) -> None:
    assert PSQL is not None
    target = f"host={HOST} port={gateway.port} user=joe dbname=db"
    arguments = [part for command in commands for part in ("-c", command)]
    done = subprocess.run(
        [PSQL, target, "-XAtq", *arguments], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == printed
