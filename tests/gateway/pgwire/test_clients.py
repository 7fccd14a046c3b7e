"""Real clients against the server: psycopg, asyncpg, psql."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

import asyncpg
import psycopg
import pytest
from psycopg.rows import tuple_row

from tests.gateway.pgwire.event_loops import run_to_the_end
from tests.gateway.pgwire.serving import HOST, SERVER_VERSION, Serving
from tests.support.sample_rows import TYPES

UTC = dt.UTC
AS_PYTHON: tuple[object, ...] = (
    True,
    -7,
    -32768,
    2147483647,
    -9223372036854775808,
    1.5,
    1e20,
    Decimal("-1234.50"),
    'söme "text"',
    b"\x00\xffa",
    dt.date(2013, 1, 1),
    dt.time(10, 0, 0, 500_000),
    dt.datetime(2013, 1, 1, 10, 0),
    dt.datetime(2013, 1, 1, 10, 0, 0, 123_456, tzinfo=UTC),
    dt.timedelta(days=14 * 30 + 5 - 3, seconds=14_706, microseconds=7),
    UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    {"a": [1, None]},
    [1, None, 3],
    ["a b", None, 'q"\\', "", "NULL"],
    [[1, 2], [3, 4]],
    {"n": 1, "t": "1970-01-01T00:00:00+00:00"},
    {"x": 0.5},
)
"""The row of `types` as psycopg returns it, with 365 days for a year."""
LOOKUP = "SELECT v FROM kv WHERE k = %s"


def connect(gateway: Serving, **options: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=HOST,
        port=gateway.port,
        user="joe",
        dbname="db",
        autocommit=True,
        row_factory=tuple_row,
        **options,  # type: ignore[arg-type] # connection parameters are open
    )


@pytest.fixture
def connection(gateway: Serving) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with connect(gateway) as made:
        yield made


# --- psycopg -------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("relation", ["types", "types_stream"])
def test_psycopg_reads_every_type(
    connection: psycopg.Connection[tuple[object, ...]], relation: str, binary: bool
) -> None:
    rows = connection.execute(f"SELECT * FROM {relation}", binary=binary).fetchall()
    assert rows == [AS_PYTHON, (None,) * len(TYPES)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("boolean", False),
        ("smallint", -5),
        ("bigint", 1 << 62),
        ("double", 0.1),
        ("decimal(20,3)", Decimal("-12345.678")),
        ("text", "ö'\\"),
        ("bytea", bytes(range(256))),
        ("date", dt.date(1, 1, 1)),
        ("time", dt.time(23, 59, 59, 999_999)),
        ("timestamp", dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)),
        ("timestamptz", dt.datetime(1900, 1, 1, tzinfo=UTC)),
        ("interval", dt.timedelta(days=-3, seconds=5)),
        ("uuid", UUID(int=7)),
        ("bigint", None),
    ],
)
@pytest.mark.parametrize("placeholder", ["%t", "%b"])
def test_psycopg_writes_every_type(
    connection: psycopg.Connection[tuple[object, ...]], name: str, value: object, placeholder: str
) -> None:
    for binary in (False, True):
        cursor = connection.execute(f"SELECT {placeholder}::{name}", (value,), binary=binary)
        assert cursor.fetchone() == (value,)


def test_psycopg_prepares_after_some_uses(
    connection: psycopg.Connection[tuple[object, ...]], gateway: Serving
) -> None:
    for key in range(1, 30):
        assert connection.execute(LOOKUP, (key,)).fetchall() == [(f"value-{key}",)]
    assert gateway.engine.prepared < 10
    connection.execute("DEALLOCATE ALL")
    assert connection.execute(LOOKUP, (1,)).fetchone() == ("value-1",)


def test_psycopg_pipelines(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    with connection.pipeline():
        cursors = [connection.execute(LOOKUP, (key,)) for key in range(1, 500)]
        assert [cursor.fetchone() for cursor in cursors] == [
            (f"value-{key}",) for key in range(1, 500)
        ]


def test_psycopg_recovers_from_an_error_in_a_pipeline(
    connection: psycopg.Connection[tuple[object, ...]],
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), connection.pipeline():
        connection.execute("SELECT fail('22012')")
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_psycopg_streams_and_stops_early(
    connection: psycopg.Connection[tuple[object, ...]],
) -> None:
    rows = connection.execute("SELECT * FROM series(30000)").fetchall()
    assert len(rows) == 30_000
    assert rows[-1][:2] == (29_999, "row 29999")
    with connection.cursor() as cursor:
        assert len(list(cursor.stream("SELECT * FROM series(2500)"))) == 2500


def test_psycopg_sees_errors_with_all_their_fields(
    connection: psycopg.Connection[tuple[object, ...]],
) -> None:
    with pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught:
        connection.execute("SELECT fail('22P02')")
    diagnostic = caught.value.diag
    assert diagnostic.severity == diagnostic.severity_nonlocalized == "ERROR"
    assert diagnostic.message_primary == "it failed"
    assert diagnostic.message_detail == "As asked."
    assert diagnostic.message_hint == "Ask less."
    with pytest.raises(psycopg.errors.UndefinedTable) as unknown:
        connection.execute("SELECT 1;  SELECT * FROM nope")
    assert unknown.value.diag.statement_position == "26"


@pytest.mark.parametrize("prepare", [False, True])
def test_an_unplanned_error_tells_nothing(
    connection: psycopg.Connection[tuple[object, ...]],
    caplog: pytest.LogCaptureFixture,
    *,
    prepare: bool,
) -> None:
    with pytest.raises(psycopg.errors.InternalError_) as caught:
        connection.execute("SELECT bug()", prepare=prepare)
    assert "secret" not in str(caught.value)
    assert "a secret that no client may see" in caplog.text
    process_id = connection.info.backend_pid
    asked = f"statement='SELECT bug()' user='joe' client=127.0.0.1 process_id={process_id}"
    assert asked.replace("joe", connection.info.user) in caplog.text
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_an_error_in_the_middle_of_a_stream(
    connection: psycopg.Connection[tuple[object, ...]],
) -> None:
    with pytest.raises(psycopg.errors.IoError, match="disk on fire"):
        connection.execute("SELECT * FROM broken(5000)")
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_notices_arrive(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    seen: list[str | None] = []
    connection.add_notice_handler(lambda notice: seen.append(notice.message_primary))
    connection.execute("SELECT notice('look')")
    assert seen == ["look"]


def test_transactions_and_settings(gateway: Serving) -> None:
    options = "-c stategate.wait=5s -c statement_timeout=9s"
    with connect(gateway, application_name="tests", options=options) as connection:
        assert connection.info.server_version == 150_018
        assert connection.info.parameter_status("server_version") == SERVER_VERSION
        assert connection.info.parameter_status("application_name") == "tests"
        assert connection.execute("SHOW stategate.wait").fetchone() == ("5s",)
        with connection.transaction():
            connection.execute("SET application_name = 'other'")
            assert connection.info.transaction_status.name == "INTRANS"
        assert connection.info.parameter_status("application_name") == "other"
        with pytest.raises(psycopg.Error), connection.transaction():
            connection.execute("SELECT fail('22012')")
        assert connection.info.transaction_status.name == "IDLE"


def test_psycopg_cancels(
    connection: psycopg.Connection[tuple[object, ...]], gateway: Serving
) -> None:
    async def cancel() -> None:
        await asyncio.to_thread(gateway.engine.sleeping.wait, 10)
        await asyncio.to_thread(connection.cancel_safe)

    async def both() -> None:
        asking = asyncio.to_thread(connection.execute, "SELECT sleep(60)")
        await asyncio.gather(asking, cancel())

    with pytest.raises(psycopg.errors.QueryCanceled, match="user request"):
        asyncio.run(both())
    assert connection.execute("SELECT 1").fetchone() == (1,)


# --- asyncpg -------------------------------------------------------------------------------------


def test_asyncpg(gateway: Serving) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(
            host=HOST, port=gateway.port, user="joe", database="db", timeout=10
        )
        try:
            await check_asyncpg(connection)
        finally:
            await connection.close()

    run_to_the_end(work())


async def check_asyncpg(connection: asyncpg.Connection) -> None:
    (row, nulls) = await connection.fetch("SELECT * FROM scalar_types_stream")
    assert tuple(row)[:16] == AS_PYTHON[:16]
    assert set(nulls) == {None}
    statement = await connection.prepare("SELECT v FROM kv WHERE k = $1")
    assert [each.name for each in statement.get_parameters()] == ["int8"]
    for key in range(1, 20):
        assert await statement.fetchval(key) == f"value-{key}"
    now = dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert await connection.fetchval("SELECT $1::timestamptz", now) == now
    assert await connection.fetchval("SELECT $1::text[]", ["a", None, "ö"]) == ["a", None, "ö"]
    number = Decimal("-0.00012")
    assert await connection.fetchval("SELECT $1::decimal(20,5)", number) == number
    async with connection.transaction():
        cursor = connection.cursor("SELECT * FROM series(2500)", prefetch=100)
        assert [row["n"] async for row in cursor] == list(range(2500))
    with pytest.raises(TimeoutError):
        await connection.fetch("SELECT sleep(60)", timeout=0.2)
    assert await connection.fetchval("SELECT 1") == 1


# --- psql ----------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not on PATH")
def test_psql(gateway: Serving) -> None:
    command = ["psql", f"host={HOST} port={gateway.port} user=joe dbname=db", "-X", "-At"]
    command += ["-c", "SELECT v FROM kv WHERE k = 7", "-c", "SELECT 1; SELECT * FROM nope"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.stdout.splitlines() == ["value-7", "1"]
    assert 'ERROR:  relation "nope" does not exist' in done.stderr
    assert done.stderr.splitlines()[1] == "LINE 1: SELECT 1; SELECT * FROM nope"
