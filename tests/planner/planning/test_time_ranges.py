"""The law for sessions and versions: SQL on their times equals the same SQL in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row, StoreKind
from tests.planner.sides import Sides, ordered
from tests.support.stores import FixedCatalog, fill, open_store, timed

SECOND_US = 1_000_000
KEY, VALUE = {"k": "text", "n": "bigint"}, {"v": "bigint"}
SESSIONS = timed(StoreKind.SESSION, "sessions", KEY, VALUE, partitions=2)
VERSIONS = timed(StoreKind.VERSIONED, "versions", KEY, VALUE, partitions=2)


def session_rows() -> list[Row]:
    # Ends lie between two milliseconds, as those of Spark's sessions do.
    return [
        (k, n, start * SECOND_US + 7, (start + 3) * SECOND_US + 7, 10 * n + start)
        for k in ("a", "b")
        for n in (1, 2)
        for start in (0, 5, 10)
    ]


def version_rows() -> list[tuple[Row, int]]:
    return [
        ((k, n, 10 * n + at), at * SECOND_US + 7)
        for k in ("a", "b")
        for n in (1, 2)
        for at in (0, 5, 10)
    ]


@pytest.fixture(scope="module", params=["memory", "rocksdb"])
def sides(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sides]:
    """Return both stores, and tables with the rows that they must show."""
    directory = tmp_path_factory.mktemp("times") if request.param == "rocksdb" else None
    sessions, versions = (
        open_store(schema, directory=directory) for schema in (SESSIONS, VERSIONS)
    )
    fill(sessions, session_rows())
    put = version_rows()
    fill(versions, [row for row, _ in put], times_us=[time for _, time in put])
    with duckdb.connect(":memory:") as plain:
        plain.execute("SET TimeZone = 'UTC'")
        _create(plain, "sessions", "window_start", "window_end", session_rows())
        ends = {0: 5 * SECOND_US + 7, 5: 10 * SECOND_US + 7, 10: None}
        rows = [(k, n, t, ends[t // SECOND_US], v) for (k, n, v), t in put]
        _create(plain, "versions", "valid_from", "valid_to", rows)
        yield Sides(SqlEngine(FixedCatalog(sessions, versions)), plain)
    for store in (sessions, versions):
        store.close()


def _create(
    plain: duckdb.DuckDBPyConnection, name: str, first: str, last: str, rows: list[Row]
) -> None:
    plain.execute(
        f"CREATE TABLE {name} (k text, n bigint, {first} timestamptz, {last} timestamptz, v bigint)"
    )
    plain.executemany(
        f"INSERT INTO {name} VALUES (?, ?, make_timestamptz(?), make_timestamptz(?), ?)", rows
    )


def at(seconds: int, micros: int = 7) -> str:
    return f"timestamptz '1970-01-01 00:00:{seconds:02}.{micros:06}+00'"


@pytest.mark.parametrize(
    "where",
    [
        "true",
        "k = 'a'",
        "k = 'a' AND n = 1",
        "k IN ('a', 'b') AND n IN (1, 2)",
        "n = 2",
        "{0} >= {t5}",
        "{0} > {t5}",
        "{0} <= {t5}",
        "{0} < {t5}",
        "{0} = {t5}",
        "{0} <> {t5}",
        "{0} IN ({t0}, {t10})",
        "{1} = {end}",
        "{1} > {end}",
        "{1} >= {end}",
        "{1} < {end}",
        "{1} IS NULL",
        "{0} <= {between} AND ({1} > {between} OR {1} IS NULL)",
        "k = 'b' AND n = 2 AND {0} <= {between} AND ({1} > {between} OR {1} IS NULL)",
        "k = 'b' AND n = 2 AND {0} BETWEEN {t0} AND {t5}",
        "k = 'b' AND n >= 2 AND {1} >= {end} AND {0} < {t10}",
        "{0} > {t10} OR {0} < {t5}",
        "{0} >= timestamptz '3000-01-01 00:00:00+00'",
        "k = 'a' AND n = 1 AND {0} > {t5} AND {0} < {t5}",
    ],
)
@pytest.mark.parametrize("name", ["sessions", "versions"])
def test_times(sides: Sides, name: str, where: str) -> None:
    is_session = name == "sessions"
    columns = ("window_start", "window_end") if is_session else ("valid_from", "valid_to")
    condition = where.format(
        *columns,
        t0=at(0),
        t5=at(5),
        t10=at(10),
        end=at(8 if is_session else 10),
        between=at(6, 500),
    )
    for selected in ("*", "count(*)", f"max({columns[0]}), min({columns[1]})", "v"):
        sql = f"SELECT {selected} FROM {name} WHERE {condition}"
        assert ordered(sides.ours(sql)) == ordered(sides.theirs(sql)), sql
    latest = (
        f"SELECT k, {columns[0]}, v FROM {name} WHERE {condition} ORDER BY 1 DESC, 2, v LIMIT 3"
    )
    assert sides.ours(latest) == sides.theirs(latest)


AS_OF = "valid_from <= {0} AND (valid_to > {0} OR valid_to IS NULL)"


@pytest.mark.parametrize("where", ["true", "k = 'a' AND n = 1", "k = 'a'", "n = 2"])
@pytest.mark.parametrize("seconds", [0, 4, 5, 9, 10, 59])
@pytest.mark.parametrize("micros", [0, 7, 8])
def test_as_of_gives_the_versions_of_a_time(
    sides: Sides, where: str, seconds: int, micros: int
) -> None:
    time = at(seconds, micros)
    ours = f"SELECT * FROM versions FOR SYSTEM_TIME AS OF {time} WHERE {where}"
    theirs = f"SELECT * FROM versions WHERE {where} AND {AS_OF.format(time)}"
    assert ordered(sides.ours(ours)) == ordered(sides.theirs(theirs))


@pytest.mark.parametrize("side", ["", "LEFT", "RIGHT", "FULL"])
@pytest.mark.parametrize("seconds", [0, 4, 5, 9, 10, 59])
@pytest.mark.parametrize("micros", [0, 7, 8])
def test_as_of_gives_the_versions_of_a_time_to_joins(
    sides: Sides, side: str, seconds: int, micros: int
) -> None:
    time = at(seconds, micros)
    other = f"(SELECT * FROM versions WHERE {AS_OF.format(time)})"
    joined = f"SELECT s.k, s.n, o.v FROM sessions s {side} JOIN {{}} o ON s.k = o.k AND s.n = 1"
    found = sides.ours(joined.format(f"versions FOR SYSTEM_TIME AS OF {time}"))
    assert ordered(found) == ordered(sides.theirs(joined.format(other)))


@pytest.mark.parametrize("side", ["", "LEFT"])
def test_as_of_is_read_by_key_in_joins_too(sides: Sides, side: str) -> None:
    sql = f"""EXPLAIN SELECT v.v FROM sessions s {side} JOIN versions
        FOR SYSTEM_TIME AS OF {at(6)} v ON s.k = v.k AND v.n = 1 WHERE s.k = 'a'"""
    plan = [line for (line,) in sides.ours(sql)]
    assert any("version lookup versions" in line for line in plan)


def test_as_of_a_parameter_is_a_lookup(sides: Sides) -> None:
    sql = "SELECT v FROM versions FOR SYSTEM_TIME AS OF $1 WHERE k = 'a' AND n = 1"
    assert sides.ours(sql, (6 * SECOND_US,)) == [(15,)]
    plan = [line for (line,) in sides.ours(f"EXPLAIN (COSTS off) {sql}")]
    assert plan[1].strip().startswith("version lookup versions; (k = 'a' and n = 1")


def test_versions_of_a_time_range_are_refused(sides: Sides) -> None:
    sql = "SELECT v FROM versions FOR SYSTEM_TIME BETWEEN now() AND now()"
    with pytest.raises(QueryError) as caught:
        sides.ours(sql)
    assert caught.value.sqlstate == "0A000"
