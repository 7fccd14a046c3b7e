"""TimeZone and DateStyle over the wire: what is read, computed and printed depends on them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import asyncpg
import psycopg
import pytest

from tests.gateway.pgwire.event_loops import run_to_the_end
from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.planner.postgres.world import engine

Connection = psycopg.Connection[Any]
NOON = dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC)
"""The moment `tz` of the first sample."""


@pytest.fixture(scope="module")
def served() -> Iterator[Serving]:
    asked = engine()
    with serving(other=asked) as running:
        yield running
    asked.close()


@pytest.fixture
def connection(served: Serving) -> Iterator[Connection]:
    with connect(served) as made:
        yield made


def connect(served: Serving, **options: str) -> Connection:
    return psycopg.connect(
        host=HOST,
        port=served.port,
        user="joe",
        dbname="db",
        autocommit=True,
        **options,  # type: ignore[arg-type] # connection parameters are open
    )


def text(connection: Connection, sql: str) -> list[tuple[str | None, ...]]:
    """Return the rows of a Query as the texts on the wire."""
    found = connection.pgconn.exec_(sql.encode())
    assert not found.error_message, found.error_message
    return [
        tuple(
            None if (cell := found.get_value(i, j)) is None else cell.decode()
            for j in range(found.nfields)
        )
        for i in range(found.ntuples)
    ]


@pytest.mark.parametrize(
    ("options", "zone", "style"),
    [
        ("-c TimeZone=europe/berlin", "Europe/Berlin", "ISO, MDY"),
        ("-c timezone=+02 -c DateStyle=DMY", "<+02>-02", "ISO, DMY"),
        ("-c datestyle=ISO", "UTC", "ISO, MDY"),
    ],
)
def test_a_client_begins_with_its_zone(
    served: Serving, options: str, zone: str, style: str
) -> None:
    with connect(served, options=options) as made:
        assert made.info.parameter_status("TimeZone") == zone
        assert made.info.parameter_status("DateStyle") == style
        assert text(made, "SHOW TimeZone") == [(zone,)]
        made.execute("SET TimeZone = 'Asia/Tokyo'")
        made.execute("RESET TimeZone")
        assert made.info.parameter_status("TimeZone") == zone


@pytest.mark.parametrize(
    "options", ["-c TimeZone=Nowhere", "-c DateStyle=German", "-c IntervalStyle=iso_8601"]
)
def test_a_client_with_settings_that_cannot_hold_is_refused(served: Serving, options: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        connect(served, options=options)


def test_changes_are_reported_and_undone_with_their_transaction(connection: Connection) -> None:
    connection.execute("SET TimeZone = 'europe/berlin'")
    assert connection.info.parameter_status("TimeZone") == "Europe/Berlin"
    connection.execute("BEGIN")
    connection.execute("SET LOCAL TimeZone = 'Asia/Tokyo'")
    assert text(connection, "SELECT tz FROM samples WHERE id = 1") == [("2020-01-01 19:00:00+09",)]
    connection.execute("COMMIT")
    assert text(connection, "SELECT tz FROM samples WHERE id = 1") == [("2020-01-01 11:00:00+01",)]
    connection.execute("BEGIN")
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    connection.execute("ROLLBACK")
    assert connection.info.parameter_status("TimeZone") == "Europe/Berlin"


LOOKUP = "SELECT tz FROM samples WHERE id = 1"
SHOWN = {
    "UTC": "2020-01-01 10:00:00+00",
    "Europe/Berlin": "2020-01-01 11:00:00+01",
    "America/St_Johns": "2020-01-01 06:30:00-03:30",
    "Asia/Kolkata": "2020-01-01 15:30:00+05:30",
}


def test_one_connection_changes_its_zone(connection: Connection) -> None:
    """The fast path has learned the statement, its encoders and its answer for another zone."""
    for _ in range(3):
        for zone, shown in SHOWN.items():
            text(connection, f"SET TimeZone = '{zone}'")
            for _ in range(3):
                assert text(connection, LOOKUP) == [(shown,)]


def test_two_connections_have_their_own_zones(served: Serving) -> None:
    with connect(served) as one, connect(served, options="-c TimeZone=Asia/Kolkata") as other:
        for _ in range(3):
            assert text(one, LOOKUP) == [(SHOWN["UTC"],)]
            assert text(other, LOOKUP) == [(SHOWN["Asia/Kolkata"],)]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_prepared_statements_follow_the_zone(connection: Connection, binary: bool) -> None:
    """Parameters without an offset are read in the zone of the session, results printed in it."""
    sql = "SELECT id, tz, tz::date FROM samples WHERE tz >= %t AND tz < %t ORDER BY id"
    for _ in range(2):
        for zone, day in (("Pacific/Apia", 2), ("UTC", 1), ("America/New_York", 1)):
            connection.execute(f"SET TimeZone = '{zone}'")
            given = ("2020-01-01 00:00", "2020-01-03 00:00")
            rows = connection.execute(sql, given, binary=binary, prepare=True).fetchall()
            assert [(row[0], row[1], row[2]) for row in rows] == [(1, NOON, dt.date(2020, 1, day))]
            assert rows[0][1].utcoffset() == NOON.astimezone(ZoneInfo(zone)).utcoffset()


def test_a_binary_parameter_is_a_moment_in_every_zone(connection: Connection) -> None:
    connection.execute("SET TimeZone = 'Europe/Berlin'")
    rows = connection.execute("SELECT id FROM samples WHERE tz = %b", (NOON,)).fetchall()
    assert rows == [(1,)]


def test_literals_keep_the_zone_of_their_prepare(connection: Connection) -> None:
    """PostgreSQL reads them when it analyses the statement; functions follow the session."""
    text(connection, "SET TimeZone = 'Europe/Berlin'")
    text(
        connection,
        "PREPARE p AS SELECT '2020-07-01 12:00'::timestamptz, tz::text FROM samples WHERE id = 1",
    )
    for zone, literal in (
        ("Europe/Berlin", "2020-07-01 12:00:00+02"),
        ("UTC", "2020-07-01 10:00:00+00"),
        ("Asia/Kolkata", "2020-07-01 15:30:00+05:30"),
    ):
        text(connection, f"SET TimeZone = '{zone}'")
        assert text(connection, "EXECUTE p") == [(literal, SHOWN[zone])]


def test_a_cursor_prints_in_the_zone_of_its_fetch(connection: Connection) -> None:
    text(connection, "BEGIN")
    text(
        connection,
        "DECLARE c CURSOR FOR SELECT tz FROM samples WHERE id = 1 UNION ALL "
        "SELECT tz FROM samples WHERE id = 1",
    )
    assert text(connection, "FETCH c") == [(SHOWN["UTC"],)]
    text(connection, "SET TimeZone = 'Asia/Kolkata'")
    assert text(connection, "FETCH c") == [(SHOWN["Asia/Kolkata"],)]
    text(connection, "ROLLBACK")


def test_copy_and_arrays_are_printed_in_the_zone(connection: Connection) -> None:
    connection.execute("SET TimeZone = 'Europe/Berlin'")
    query = "SELECT tz, array[tz] FROM samples WHERE id = 1"
    shown = SHOWN["Europe/Berlin"]
    assert text(connection, query) == [(shown, f'{{"{shown}"}}')]
    with connection.cursor().copy(f"COPY ({query}) TO STDOUT") as copy:
        assert b"".join(map(bytes, copy)).decode() == f'{shown}\t{{"{shown}"}}\n'


def test_many_rows_are_printed_in_the_zone(connection: Connection) -> None:
    """Columns are encoded at once, and the offset changes within one."""
    zone = ZoneInfo("Australia/Lord_Howe")
    connection.execute("SET TimeZone = 'Australia/Lord_Howe'")
    sql = (
        "SELECT g FROM generate_series(timestamptz '2019-12-31 00:00:00.5+00', "
        "timestamptz '2021-01-01 00:00+00', interval '37 minutes') g"
    )
    rows = text(connection, sql)
    assert len(rows) > 14_000
    first = dt.datetime(2019, 12, 31, 0, 0, 0, 500_000, dt.UTC)
    for number, (shown,) in enumerate(rows):
        moment = first + number * dt.timedelta(minutes=37)
        assert shown is not None
        assert shown.startswith(f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}.5")
        assert dt.datetime.fromisoformat(shown) == moment


def test_asyncpg_reads_the_same_moments_in_every_zone(served: Serving) -> None:
    """It takes the binary form, whose count does not depend on the zone; days do."""

    async def work() -> None:
        made = await asyncpg.connect(
            host=HOST,
            port=served.port,
            user="joe",
            database="db",
            server_settings={"TimeZone": "Pacific/Apia", "DateStyle": "ISO, DMY"},
        )
        try:
            sql = "SELECT tz, tz::date, date_trunc('day', tz), tz::text FROM samples WHERE tz = $1"
            row = await made.fetchrow(sql, NOON)
            midnight = dt.datetime(2020, 1, 2, tzinfo=ZoneInfo("Pacific/Apia"))
            assert tuple(row) == (NOON, dt.date(2020, 1, 2), midnight, "2020-01-02 00:00:00+14")
            await made.execute("SET TimeZone = 'UTC'")
            row = await made.fetchrow(sql, NOON)
            assert row[1] == dt.date(2020, 1, 1)
            assert row[3] == SHOWN["UTC"]
            assert await made.fetchval("SELECT '2/1/2020'::date") == dt.date(2020, 1, 2)
        finally:
            await made.close()

    run_to_the_end(work())


def test_the_order_of_dates_is_that_of_the_session(connection: Connection) -> None:
    sql = "SELECT %t::date"
    for style, day in (("DMY", dt.date(2020, 2, 1)), ("MDY", dt.date(2020, 1, 2))) * 2:
        connection.execute(f"SET DateStyle = 'ISO, {style}'")
        assert connection.execute(sql, ("01/02/2020",), prepare=True).fetchone() == (day,)
        assert connection.execute("SELECT '01/02/2020'::date").fetchone() == (day,)
