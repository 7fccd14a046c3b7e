"""What is kept is kept by the session's settings of times: plans, shapes, answers, live queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.planning.shapes import template_of
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import Row
from tests.planner.postgres.world import engine
from tests.planner.sides import looked_up, rows_of, run

ZONES = ("UTC", "Europe/Berlin", "Pacific/Apia", "<+02>-02")
DAYS = {"UTC": 1, "Europe/Berlin": 1, "Pacific/Apia": 2, "<+02>-02": 1}
FIRST = "SELECT id FROM samples WHERE tz >= '2020-01-01 10:30' AND tz < '2020-01-01 12:30'"
"""Holds for the first sample, which is at 10:00 in UTC, one and two hours east of it."""
FOUND: dict[str, Sequence[Row]] = {"UTC": [], "Europe/Berlin": [(1,)], "<+02>-02": [(1,)]}


@pytest.fixture(scope="module")
def asked() -> Iterator[SqlEngine]:
    made = engine()
    yield made
    made.close()


def session_in(zone: str, style: str = "ISO, MDY") -> Session:
    return Session(settings={"timezone": zone, "datestyle": style})


@pytest.mark.parametrize("is_shared", [True, False], ids=["one session", "several sessions"])
def test_plans_and_shapes_are_kept_by_zone(asked: SqlEngine, is_shared: bool) -> None:
    shared = Session()
    for number in range(4):  # the shape is planned when it comes for the second time
        for zone, rows in FOUND.items():
            session = shared if is_shared else session_in(zone)
            if is_shared:
                run(asked, f"SET TimeZone = '{zone}'", session=session)
            sql = f"{FIRST} AND id < {9 - number}"
            assert rows_of(run(asked, sql, session=session)) == rows
            fast = looked_up(asked.prepare(sql, session), (), session)
            assert fast is None or list(fast) == rows


def test_a_statement_of_another_zone_is_planned_again(asked: SqlEngine) -> None:
    sql = "SELECT extract(day FROM tz)::int FROM samples WHERE id = 1"
    for one in ZONES:
        prepared = asked.prepare(sql, session_in(one))
        for other in ZONES:
            session = session_in(other)
            assert looked_up(prepared, (), session) in {None, ((DAYS[other],),)}
            assert asked.is_inline(prepared, session) <= (one == other)
            result = asked.execute(prepared, (), session, cancellation=Cancellation())
            assert rows_of(result) == [(DAYS[other],)]


def test_literals_keep_the_settings_of_their_statement(asked: SqlEngine) -> None:
    prepared = asked.prepare("SELECT '1/2/2020'::timestamptz", session_in("UTC", "ISO, DMY"))
    expected = rows_of(run(asked, "SELECT timestamptz '2020-02-01 00:00+00'"))
    for zone in ZONES:
        result = asked.execute(prepared, (), session_in(zone), cancellation=Cancellation())
        assert rows_of(result) == expected


def test_catalog_statements_are_kept_by_zone(asked: SqlEngine) -> None:
    sql = (
        "SELECT to_char(timestamptz '2020-01-01 10:00+00', 'DD HH24:MI'), count(*) > 0 "
        "FROM pg_class"
    )
    shown = {"UTC": "01 10:00", "Europe/Berlin": "01 11:00", "Pacific/Apia": "02 00:00"}
    for _ in range(2):
        for zone, text in shown.items():
            assert rows_of(run(asked, sql, session=session_in(zone))) == [(text, True)]


def test_templates_read_literals_in_their_zone(asked: SqlEngine) -> None:
    sql = "SELECT id FROM samples WHERE tz = '2020-01-01 11:00'"
    found = []
    for zone in ("UTC", "Europe/Berlin"):
        session = session_in(zone)
        for hour in range(10, 13):  # the last one is planned by the shape of the others
            statement = asked.prepare(sql.replace("11", f"{hour}"), session)
        template = template_of(statement.sql, statement, session.times)
        assert template is not None
        literals = template.literals(sql)
        assert literals is not None
        found.append(literals)
    (one,), (other,) = found
    assert one - other == 3_600_000_000


def test_a_live_query_is_of_a_zone(asked: SqlEngine) -> None:
    sql = "SELECT id, tz::text FROM samples WHERE id = 1"
    tokens = {}
    for zone, text in (("UTC", "2020-01-01 10:00:00+00"), ("Asia/Tokyo", "2020-01-01 19:00:00+09")):
        session = session_in(zone)
        opened = asked.subscribe(
            asked.prepare(sql, session),
            (),
            session,
            token=None,
            on_ready=lambda: None,
            cancellation=Cancellation(),
        )
        first = opened.first
        assert first is not None
        assert list(first.rows) == [(1, text)]
        tokens[zone] = first.moment.token
        opened.close()
    session = session_in("UTC")
    statement = asked.prepare(sql, session)
    with pytest.raises(InvalidValueError, match="another statement"):
        asked.subscribe(
            statement,
            (),
            session,
            token=tokens["Asia/Tokyo"],
            on_ready=lambda: None,
            cancellation=Cancellation(),
        )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT row_to_json(samples) FROM samples",
        "SELECT sum(id) OVER (ORDER BY tz RANGE '1 day' PRECEDING) FROM samples",
        "SELECT array[tz]::timestamp[] FROM samples",
        "SELECT dayname(tz) FROM samples",
        "SELECT date_part(t, tz) FROM samples",
    ],
)
def test_what_is_only_right_in_utc_is_refused_elsewhere(asked: SqlEngine, sql: str) -> None:
    with pytest.raises(QueryError, match="in the time zone Europe/Berlin") as found:
        asked.prepare(sql, session_in("Europe/Berlin"))
    assert found.value.sqlstate == "0A000"
