"""Read options: settings of the session, and clauses that override them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.syntax.options import (
    DEFAULT_OPTIONS,
    SETTINGS,
    ReadOptions,
    check_setting,
    read_options,
    session_options,
)
from stategate.planner.syntax.with_clause import NO_CLAUSE, Clause, ParameterRef, TopicBound
from stategate.planner.values.session import Session
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.schema import BIGINT, INTEGER, TEXT, DataType, Kind, Row

TOKEN = '{"t":{"0":41}}'
AT_41 = Position.of({"t": {0: 41}})
INTERVAL = DataType(kind=Kind.INTERVAL)


def options(
    settings: Mapping[str, str], clause: Clause = NO_CLAUSE, parameters: Row = ()
) -> ReadOptions:
    session = Session(settings={f"stategate.{name}": v for name, v in settings.items()})
    return read_options(clause, session, parameters)


def test_no_setting_and_no_clause_are_the_default() -> None:
    assert options({}) == DEFAULT_OPTIONS
    assert options({n.removeprefix("stategate."): v for n, v in SETTINGS.items()}) == (
        DEFAULT_OPTIONS
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"consistency": "LATEST"}, ReadOptions(latest=True)),
        ({"consistency": "snapshot"}, ReadOptions(snapshot=True)),
        ({"bound": TOKEN}, ReadOptions(bound=PositionBound(position=AT_41))),
        ({"unknown_topics": "Ignore"}, ReadOptions(ignores_unknown=True)),
        ({"wait": "250"}, ReadOptions(wait_ms=250)),
        ({"wait": "2 seconds"}, ReadOptions(wait_ms=2000)),
        ({"active": "on"}, ReadOptions(active=True)),
        ({"partial": "true"}, ReadOptions(partial=True)),
        ({"info": "1"}, ReadOptions(info=True)),
    ],
)
def test_each_setting(settings: dict[str, str], expected: ReadOptions) -> None:
    assert options(settings) == expected


def test_a_monotonic_session_is_bound_by_the_positions_it_has_seen() -> None:
    session = Session(settings={"stategate.consistency": "monotonic", "stategate.bound": TOKEN})
    session.note(Position.of({"u": {1: 5}}))
    found = read_options(Clause(), session, ())
    assert found.bound.position == AT_41
    assert found.seen == Position.of({"u": {1: 5}})


@pytest.mark.parametrize(
    "clause",
    [
        Clause(unbounded=True),
        Clause(latest=True),
        Clause(snapshot=True),
        Clause(lag_ms_max=5),
        Clause(topics=(TopicBound(topic="t", partition=0, offset=7),)),
        Clause(positions=(Position.of({"t": {0: 7}}),)),
    ],
)
def test_no_clause_takes_a_monotonic_session_back(clause: Clause) -> None:
    session = Session(settings={"stategate.consistency": "monotonic", "stategate.bound": TOKEN})
    session.note(Position.of({"u": {1: 5}}))
    found, plain = read_options(clause, session, ()), options({}, clause)
    assert found.bound.position == plain.bound.position.merge(AT_41)
    assert found.seen == Position.of({"u": {1: 5}})
    assert replace(found, bound=plain.bound, seen=plain.seen) == plain


def test_a_bound_in_the_clause_replaces_that_of_the_session() -> None:
    for settings in ({"consistency": "latest"}, {"bound": TOKEN}):
        assert options(settings, Clause(unbounded=True)) == DEFAULT_OPTIONS
    assert options({"consistency": "latest"}, Clause(wait_ms=5)) == ReadOptions(
        latest=True, wait_ms=5
    )


def test_a_wait_in_the_clause_replaces_that_of_the_session() -> None:
    assert options({"wait": "1s"}, Clause(wait_ms=0)).wait_ms == 0


def test_parameters_fill_the_clause() -> None:
    clause = Clause(
        positions=(ParameterRef(number=1, type=TEXT),),
        lag_ms_max=ParameterRef(number=2, type=INTERVAL),
        wait_ms=ParameterRef(number=3, type=INTERVAL),
        partitions=(ParameterRef(number=4, type=INTEGER), 7),
    )
    assert options({}, clause, (TOKEN, (0, 0, 2_000_000), "3 s", 1)) == ReadOptions(
        bound=PositionBound(position=AT_41, lag_ms_max=2000),
        wait_ms=3000,
        partitions=frozenset({1, 7}),
    )


@pytest.mark.parametrize(
    ("clause", "value"),
    [
        (Clause(positions=(ParameterRef(number=1, type=TEXT),)), None),
        (Clause(positions=(ParameterRef(number=1, type=TEXT),)), 5),
        (Clause(positions=(ParameterRef(number=1, type=TEXT),)), "nonsense"),
        (Clause(partitions=(ParameterRef(number=1, type=INTEGER),)), -1),
        (Clause(partitions=(ParameterRef(number=1, type=BIGINT),)), "x"),
        (Clause(wait_ms=ParameterRef(number=1, type=INTERVAL)), (1, 0, 0)),
    ],
)
def test_wrong_parameters_are_refused(clause: Clause, value: object) -> None:
    with pytest.raises(QueryError) as caught:
        options({}, clause, (value,))
    assert caught.value.sqlstate in {"22023", "22P02"}


@pytest.mark.parametrize(
    ("name", "value", "sqlstate"),
    [
        ("consistency", "strong", "22023"),
        ("bound", "nonsense", "22P02"),
        ("unknown_topics", "off", "22023"),
        ("wait", "soon", "22007"),
        ("wait", "-5 s", "22023"),
        ("active", "perhaps", "22P02"),
    ],
)
def test_wrong_settings_are_refused(name: str, value: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        check_setting(f"stategate.{name}", value)
    assert caught.value.sqlstate == sqlstate
    with pytest.raises(QueryError):
        options({name: value})


def test_settings_are_read_once_until_they_change() -> None:
    session = Session(settings={"stategate.wait": "5"})
    first = session_options(session)
    assert session_options(session) is first
    session.set("stategate.wait", "6")
    assert session_options(session).wait_ms == 6
    session.reset("stategate.wait")
    assert session_options(session).wait_ms == 5
