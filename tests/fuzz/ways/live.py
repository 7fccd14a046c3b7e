"""Follows statements as live queries, while rows change and nodes are lost."""

from __future__ import annotations

import random
from collections.abc import Sequence

from stategate.planner.engine import Session
from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.fuzz.ways.asked import (
    LEFT_OPEN,
    Asked,
    Difference,
    answer,
    counted,
    session_of,
    shown,
    values_of,
)
from tests.fuzz.ways.nodes import LOST, World
from tests.planner.live.watching import Watcher


def watched(found: World, asked: Asked, chance: random.Random) -> Difference | str:
    """Subscribe to a statement, and compare its rows after each epoch."""
    try:
        staying = watcher_of(found.here, asked)
    except QueryError as error:
        return "rows" if error.sqlstate.startswith(LEFT_OPEN) else f"rows, live {error.sqlstate}"
    try:
        return _followed(found, asked, staying, chance)
    except QueryError as error:
        if error.sqlstate.startswith(LEFT_OPEN):
            return "rows, live until an error"
        return "live", error.sqlstate, error.message
    finally:
        staying.close()
        for name in LOST:
            if not found.nodes.is_up(name):
                found.nodes.bring_back(name)


def watcher_of(
    engine: SqlEngine,
    asked: Asked,
    token: str | None = None,
    rows: Sequence[Row] = (),
    *,
    may_start_over: bool = True,
) -> Watcher:
    """Subscribe to a statement, after a token if there is one."""
    sql, texts = asked.sent()
    settings = dict(asked.settings)
    values = values_of(engine.prepare(sql, Session(settings=settings)), texts)
    return Watcher(
        engine,
        sql,
        values,
        token=token,
        rows=rows,
        settings=settings,
        may_start_over=may_start_over,
    )


def _followed(
    found: World, asked: Asked, staying: Watcher, chance: random.Random
) -> Difference | str:
    """Compare the rows of a subscriber with those of the statement, epoch by epoch."""
    left: tuple[str, list[Row]] | None = None
    for _ in range(chance.randint(1, 3)):
        if staying.moment is not None and chance.random() < 0.5:
            left = staying.moment.token, staying.rows
        _disturb(found, chance)
        version, before = _version(found.alone, asked), answer(found.judge, asked)
        found.change(chance)
        wanted = answer(found.judge, asked)
        if isinstance(wanted, str):
            return "rows, live until an error"
        if wanted != before and version is not None and version == _version(found.alone, asked):
            return "version", "stays", f"{version} of both\n{shown(before, wanted)}"
        staying.until(**dict.fromkeys(found.schemas, found.epoch))
        given = counted(staying.rows)
        if given != wanted:
            both = f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
            return "live", "rows", both
    if left is not None and staying.events:
        returned = watcher_of(found.here, asked, *left)
        while returned.take() is not None:
            pass
        rows = counted(returned.rows)
        returned.close()
        if rows != counted(staying.rows):
            return "live again", "rows", f"after {left[0]}"
    return "rows, live"


def _version(engine: SqlEngine, asked: Asked) -> str | None:
    """Return the version of a statement's answer; None without one."""
    sql, texts = asked.sent()
    session = session_of(engine, asked)
    statement = engine.prepare(sql, session)
    return engine.answer_version(statement, values_of(statement, texts), session)


def _disturb(found: World, chance: random.Random) -> None:
    """Let a node be lost, or come back."""
    name = chance.choice(LOST)
    if not found.nodes.is_up(name):
        found.nodes.bring_back(name)
    elif chance.random() < 0.2 and all(map(found.nodes.is_up, LOST)):
        found.nodes.lose(name)
