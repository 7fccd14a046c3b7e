"""pg_cursors and pg_prepared_statements."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from stategate.planner.values.listing import ListedCursor, ListedStatement
from stategate.planner.values.session import Session
from tests.planner.pg_catalog.test_catalog import ask

_MOMENT_US = 1_357_034_400_123_456
_MOMENT = dt.datetime(2013, 1, 1, 10, 0, 0, 123_456, tzinfo=dt.UTC)


@dataclass(kw_only=True)
class Kept:
    """A listing of given cursors and statements, which counts its calls."""

    listed: Sequence[ListedCursor] = ()
    statements: Sequence[ListedStatement] = ()
    asked: int = 0

    def cursors(self) -> Sequence[ListedCursor]:
        self.asked += 1
        return self.listed

    def prepared(self) -> Sequence[ListedStatement]:
        return self.statements


def session_with(kept: Kept | None) -> Session:
    session = Session()
    session.listing = kept
    return session


def test_cursors() -> None:
    cursors = [
        ListedCursor(
            name='it\'s "c"',
            sql="DECLARE … 'quoted'",
            hold=True,
            binary=False,
            scroll=True,
            created_us=_MOMENT_US,
        ),
        ListedCursor(name="", sql="", hold=False, binary=True, scroll=False, created_us=0),
    ]
    session = session_with(Kept(listed=cursors))
    sql = (
        "SELECT name, statement, is_holdable, is_binary, is_scrollable,"
        " creation_time FROM pg_cursors ORDER BY name"
    )
    assert ask(sql, session=session) == [
        ("", "", False, True, False, dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        ('it\'s "c"', "DECLARE … 'quoted'", True, False, True, _MOMENT),
    ]


def test_prepared_statements() -> None:
    statement = ListedStatement(
        name="s",
        sql="SELECT $1, $2",
        prepared_us=_MOMENT_US,
        parameter_oids=(20, 1009, 4_000_000),
        from_sql=True,
    )
    plain = ListedStatement(name="t", sql="", prepared_us=0, parameter_oids=(), from_sql=False)
    session = session_with(Kept(statements=[statement, plain]))
    sql = (
        "SELECT name, statement, parameter_types::text, from_sql, generic_plans, custom_plans"
        " FROM pg_catalog.pg_prepared_statements ORDER BY name"
    )
    assert ask(sql, session=session) == [
        ("s", "SELECT $1, $2", "{bigint,text[],-}", True, 0, 0),
        ("t", "", "{}", False, 0, 0),
    ]


def test_a_session_without_cursors_and_statements() -> None:
    for session in (session_with(None), session_with(Kept())):
        assert ask("SELECT count(*) FROM pg_cursors", session=session) == [(0,)]
        assert ask("SELECT count(*) FROM pg_prepared_statements", session=session) == [(0,)]


def test_other_statements_do_not_set_the_variables() -> None:
    kept = Kept()
    session = session_with(kept)
    ask("SELECT count(*) FROM pg_class", session=session)
    assert kept.asked == 0
    ask("SELECT (SELECT count(*) FROM pg_cursors) FROM pg_class LIMIT 1", session=session)
    assert kept.asked == 1
