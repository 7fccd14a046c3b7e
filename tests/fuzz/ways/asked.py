"""A statement with all that decides how it runs, and the ways to run it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from stategate.planner.engine import Cancellation, Session
from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.statement import LookedUp, Statement
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.schema import Row
from tests.fuzz.comparison import shape
from tests.fuzz.tree import Node, parametrized, spelled
from tests.planner.live.watching import comparable_row
from tests.planner.sides import looked_up, rows_of

LEFT_OPEN = "22"
"""The class of errors whose raising SQL leaves open."""
_NO_SPARK = ("0A000", "57P03")
"""What a statement for Spark ends with: it is refused, or written and not run."""
_TIME_S = 60.0
Answer = Counter[Row] | str
"""How often each row occurs, or the SQLSTATE of an error."""
Difference = tuple[str, str, str]
"""The way that differs, how, and both answers."""


@dataclass(slots=True, kw_only=True)
class Asked:
    """A statement with all that decides how it runs."""

    root: Node
    has_parameters: bool = False
    bare: bool = False
    """Whether the statement does not name the types of its parameters."""
    clause: Node | None = None
    """Our WITH clause."""
    settings: Mapping[str, str] = field(default_factory=dict)
    begins: str = ""
    """The BEGIN of a transaction around it, if there is one."""

    def sent(self) -> tuple[str, tuple[str, ...]]:
        """Return the text, and the values of its parameters."""
        clause = self.clause or Node("clause", ("",))
        if not self.has_parameters:
            return f"{spelled(self.root)}{spelled(clause)}", ()
        sql, values = parametrized(self.root, bare=self.bare)
        text, others = parametrized(clause, bare=True, before=len(values))
        return f"{sql}{text}", (*values, *others)


def differs(given: Answer, wanted: Answer) -> str | None:
    """Return how two answers differ; None if they do not, or if SQL leaves it open."""
    if isinstance(given, str) or isinstance(wanted, str):
        states = [each for each in (given, wanted) if isinstance(each, str)]
        if len(states) == 2 or all(each.startswith(LEFT_OPEN) for each in states):
            return None
        return f"{states[0]} {'for' if isinstance(given, str) else 'wanted, not'} rows"
    return None if given == wanted else "rows"


def shown(one: Answer, other: Answer) -> str:
    if isinstance(one, str) or isinstance(other, str):
        return str(one)[:2000]
    return f"{one.total()} rows, of them only here {[*(one - other).items()][:4]}"


def session_of(engine: SqlEngine, asked: Asked) -> Session:
    session = Session(settings=dict(asked.settings))
    if asked.begins:
        executed(engine, engine.prepare(asked.begins, session), (), session)
    return session


def executed(engine: SqlEngine, statement: Statement, values: Row, session: Session) -> list[Row]:
    limit = Cancellation(timeout_s=_TIME_S)
    return rows_of(engine.execute(statement, values, session, cancellation=limit))


def values_of(statement: Statement, texts: Sequence[str]) -> Row:
    pairs = zip(texts, statement.parameters, strict=True)
    return tuple(parse_value(text, kind) for text, kind in pairs)


def answer(engine: SqlEngine, asked: Asked) -> Answer:
    """Return the rows of a statement, or the SQLSTATE of its error."""
    sql, texts = asked.sent()
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(sql, session)
        rows = executed(engine, statement, values_of(statement, texts), session)
    except QueryError as error:
        return error.sqlstate
    return counted(rows)


def counted(rows: Sequence[Row]) -> Counter[Row]:
    return Counter(tuple(map(_rounded, comparable_row(row))) for row in rows)


def _rounded(value: object) -> object:
    """Return a value whose digits do not depend on the order of additions."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def by_lookup(engine: SqlEngine, asked: Asked) -> Answer | None:
    sql, texts = asked.sent()
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(sql, session)
        rows = looked_up(statement, values_of(statement, texts), session)
    except QueryError as error:
        return error.sqlstate
    return None if rows is None else counted(rows)


def elsewhere(engine: SqlEngine, asked: Asked) -> Answer | None:
    """Return what is looked up without a thread, here and at other nodes; None if it is not."""
    sql, texts = asked.sent()
    found: list[LookedUp | None] = []
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(sql, session)
        if statement.look_up is None:
            return None
        given = statement.literals or values_of(statement, texts)
        begun = engine.begin_look_up(statement.look_up, given, session, found.append)
    except QueryError as error:
        return error.sqlstate
    looked = begun if isinstance(begun, LookedUp) else next(iter(found), None)
    return None if looked is None else counted(looked.rows)


def of_each(
    engine: SqlEngine, judge: SqlEngine, asked: Asked, others: Sequence[Asked]
) -> Difference | None:
    """Return how what a batch of lookups finds differs from lookups of one key."""
    sql, texts = asked.sent()
    same = [each for each in others if each.sent()[0] == sql]
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(sql, session)
        if statement.literals or not texts:
            return None
        values = [values_of(statement, each.sent()[1]) for each in (asked, *same, asked)]
        limit = Cancellation(timeout_s=_TIME_S)
        found = engine.look_up_each(statement, values, session, bound=EMPTY, cancellation=limit)
    except QueryError:
        return None  # of any of them
    for one, row in zip((asked, *same, asked), found.rows if found else (), strict=False):
        given, wanted = counted([] if row is None else [row]), answer(judge, one)
        if (how := differs(given, wanted)) is not None:
            return "each", how, f"{one.sent()}\n{shown(given, wanted)}\n{shown(wanted, given)}"
    return None


def in_pages(engine: SqlEngine, asked: Asked, size: int) -> Answer | None:
    """Return the rows of all pages; None for a statement without pages."""
    sql, texts = asked.sent()
    session = session_of(engine, asked)
    try:
        given = values_of(engine.prepare(sql, session), texts)
        pages = engine.paged(sql, session, cancellation=Cancellation(timeout_s=_TIME_S))
    except QueryError:
        return None
    rows: list[Row] = []
    text, values = pages.text(size, None), given
    try:
        while True:
            page = executed(engine, engine.prepare(text, session), values, session)
            rows += page
            if not page:
                return counted(rows)
            last = [page[-1][at] for at in pages.key]
            text = pages.text(size, [value is None for value in last])
            values = (*given, *(value for value in last if value is not None))
    except QueryError as error:
        return error.sqlstate


def explained(
    engine: SqlEngine, asked: Asked, wanted: Answer, chance: random.Random
) -> Difference | None:
    """Return how an EXPLAIN fails of a statement that does not."""
    sql, texts = asked.sent()
    session = session_of(engine, asked)
    head = chance.choice(
        ["EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (ANALYZE, FORMAT JSON)", "EXPLAIN (COSTS OFF)"]
    )
    try:
        statement = engine.prepare(f"{head} {sql}", session)
        rows = executed(engine, statement, values_of(statement, texts), session)
    except QueryError as error:
        if isinstance(wanted, str) or error.sqlstate.startswith(LEFT_OPEN):
            return None
        return "plan", f"{head}: {error.sqlstate} {shape(error.message)}", error.message
    return None if rows else ("plan", f"{head} has no lines", "")


def written(engine: SqlEngine, asked: Asked, wanted: Answer) -> Difference | None:
    """Return how writing a statement for Spark fails, which is not there; None if it does not."""
    settings = {**asked.settings, "stategate.engine": "spark"}
    given = answer(engine, replace(asked, settings=settings))
    if given in _NO_SPARK or given == wanted or isinstance(wanted, str):
        return None
    how = given if isinstance(given, str) else "other rows"
    return "plan", f"for Spark: {how}", shown(given, wanted)
