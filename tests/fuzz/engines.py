"""Generated statements by all ways that the planner has, over the same stores.

The judge is an engine with all partitions, which runs each statement in DuckDB. It must agree with
an engine on one of three nodes, with few rows and many, by lookups and in pages, and with each
clause and setting. A live query's first rows and changes must make the rows of each epoch.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from planner.engine import Cancellation, Session
from planner.errors import QueryError
from planner.sql import EngineLimits, LiveLimits, SqlEngine
from planner.values.statement import LookedUp, Statement
from planner.values.text_values import parse_value
from stores.spec.arrow import physical_list
from stores.spec.position import EMPTY
from stores.spec.schema import Row, StoreSchema
from tests.fuzz.comparison import shape
from tests.fuzz.grammar.clauses import Clauses
from tests.fuzz.grammar.constants import CONSTANTS
from tests.fuzz.grammar.expressions import Expressions
from tests.fuzz.grammar.plain import Plain
from tests.fuzz.grammar.portable import Portable
from tests.fuzz.grammar.statements import Case, Statements
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.tree import Literal, Node, Part, literals, parametrized, shrunk, spelled
from tests.fuzz.world import ROWS, STORES
from tests.planner.live.nodes import LiveNodes
from tests.planner.live.watching import Watcher, comparable_row
from tests.planner.sides import looked_up, rows_of
from tests.planner.spark.test_spark_query import NoSpark
from tests.support.gateway import table_of
from tests.support.stores import FixedCatalog

PART = "engine"
_LEFT_OPEN = "22"
_INTERNAL = "XX000"
_NO_SPARK = ("0A000", "57P03")
"""What a statement for Spark ends with: it is refused, or written and not run."""
_TIME_S = 60.0
_ROWS_MAX = 20_000
Answer = Counter[Row] | str
"""How often each row occurs, or the SQLSTATE of an error."""


@dataclass(slots=True, kw_only=True)
class Asked:
    """A statement with all that decides how it runs."""

    root: Node
    has_parameters: bool = False
    bare: bool = False
    """Whether the statement does not name the types of its parameters."""
    clause: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    begins: str = ""
    """The BEGIN of a transaction around it, if there is one."""

    def sent(self) -> tuple[str, tuple[str, ...]]:
        """Return the text, and the values of its parameters."""
        if not self.has_parameters:
            return f"{spelled(self.root)}{self.clause}", ()
        sql, values = parametrized(self.root, bare=self.bare)
        return f"{sql}{self.clause}", values


class World:
    """The stores on three nodes, and the engines over them."""

    def __init__(self) -> None:
        self.nodes = LiveNodes(STORES)
        self.epoch = 0
        self.rows = {schema.name: _physical(schema) for schema in STORES}
        for name, rows in self.rows.items():
            self.nodes.apply(name, [*rows.values()], 0)
        live = LiveLimits(linger_s=0)
        self.here = SqlEngine(self.nodes.cluster(), live=live, node="a")
        whole = FixedCatalog(*self.nodes.whole.values())
        self.judge = SqlEngine(whole, limits=EngineLimits(few_rows=False))
        self.alone = SqlEngine(whole)
        self.spark = SqlEngine(whole, spark=NoSpark())

    def change(self, chance: random.Random) -> None:
        """Apply an epoch to all stores, in which some rows change, come and go."""
        self.epoch += 1
        for schema in STORES:
            name = schema.name
            rows, first = self.rows[name], _physical(schema)
            gone: dict[Row, Row] = {}
            changed: dict[Row, Row] = {}
            for key, row in first.items():
                drawn = chance.random()
                if drawn < 0.05 and key in rows:
                    gone[key] = rows[key]
                elif drawn < 0.2:
                    other = chance.choice([*first.values()])
                    width = len(schema.columns) - len(schema.value)
                    changed[key] = (*row[:width], *other[width:])
            self.rows[name] = {k: r for k, r in {**rows, **changed}.items() if k not in gone}
            self.nodes.apply(name, [*changed.values()], self.epoch, [*gone.values()])

    def close(self) -> None:
        """End the engines."""
        for engine in (self.here, self.judge, self.alone, self.spark):
            engine.close()
        self.nodes.close()


def _physical(schema: StoreSchema) -> dict[Row, Row]:
    """Return the rows of the world by key, with physical values."""
    table = table_of(schema, list(ROWS[schema.name])).combine_chunks()
    listed = [
        physical_list(table.column(column.name).combine_chunks(), column.type)
        for column in schema.columns
    ]
    key = len(schema.key) + len(schema.time_columns)
    return {row[:key]: row for row in zip(*listed, strict=True)}


@contextmanager
def world() -> Iterator[World]:
    """Open the stores and the engines."""
    made = World()
    try:
        yield made
    finally:
        made.close()


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Run generated statements by all ways until the budget is spent."""
    del directory
    with world() as found:
        for number in budget.cases():
            if budget.spent():
                return
            chance = report.random(PART, number)
            _check(found, report, number, _draw(chance, without), chance)


def _draw(chance: random.Random, without: frozenset[str]) -> Asked:
    is_plain = chance.random() < 0.5
    if is_plain:
        case = Plain(chance).case()
    elif chance.random() < 0.4:
        case = Case(root=Node("rows", (Portable(chance).statement(),)))
    else:
        case = Statements(chance, without, depth=chance.choice([1, 2, 3])).case()
    clauses = Clauses(chance)
    return Asked(
        root=case.root,
        has_parameters=chance.random() < 0.3,
        bare=is_plain and chance.random() < 0.7,
        clause=clauses.clause() if chance.random() < 0.25 else "",
        settings=clauses.settings() if chance.random() < 0.25 else {},
        begins=clauses.begin() if chance.random() < 0.1 else "",
    )


def _check(found: World, report: Report, number: int, asked: Asked, chance: random.Random) -> None:
    seed = chance.random()

    def wrong(root: Node) -> tuple[str, str, str] | str:
        asked.root = root
        return _wrong(found, asked, random.Random(seed))

    first = wrong(asked.root)
    if isinstance(first, str):
        report.passed(first)
        return
    kind = f"{first[0]}: {first[1]}"
    if not report.is_known(kind):
        small = shrunk(asked.root, lambda root: wrong(root)[:2] == first[:2], tries_max=200)
        again = wrong(small)
        first = again if not isinstance(again, str) else first
    sql, values = asked.sent()
    what = f"{sql}\n{values} {dict(asked.settings)} {asked.begins}\n{first[2]}"
    report.failed(Failure(part=PART, case=number, kind=kind, what=what))


def _wrong(found: World, asked: Asked, chance: random.Random) -> tuple[str, str, str] | str:
    """Return the way that differs, how, and both answers; the outcome if none does."""
    wanted = answer(found.judge, asked)
    if wanted == _INTERNAL:
        return "judge", _INTERNAL, ""
    if isinstance(wanted, Counter) and wanted.total() > _ROWS_MAX:
        return "too many rows"
    lost = chance.choice(["b", "c"]) if chance.random() < 0.15 else None
    if lost is not None:
        found.nodes.lose(lost)
    try:
        ways: Mapping[str, Callable[[], Answer | None]] = {
            "nodes": lambda: answer(found.here, asked),
            "few rows": lambda: answer(found.alone, asked),
            "again": lambda: answer(found.here, asked),
            "lookup": lambda: _looked_up(found.here, asked),
            "elsewhere": lambda: _elsewhere(found.here, asked),
            "each": lambda: _each(found.here, asked),
            "pages": lambda: _pages(found.here, asked, chance.randint(1, 9)),
        }
        for way, ask in ways.items():
            given = ask()
            if given is not None and (how := _differs(given, wanted)) is not None:
                return way, how, f"ours: {_shown(given, wanted)}\njudge: {_shown(wanted, given)}"
        if (shape_differs := _shapes(found, asked, chance)) is not None:
            return shape_differs
        failed = _explained(found.here, asked, wanted, chance) or _written(
            found.spark, asked, wanted
        )
        if failed is not None:
            return "plan", failed, failed
    finally:
        if lost is not None:
            found.nodes.bring_back(lost)
    if isinstance(wanted, str):
        return "error"
    return _watched(found, asked, chance) if chance.random() < 0.4 else "rows"


def _shapes(found: World, asked: Asked, chance: random.Random) -> tuple[str, str, str] | None:
    """Return how the statement differs with other constants, which may get its plan."""
    for _ in range(2):
        other = replace(asked, root=_varied(asked.root, Expressions(chance)))
        given, wanted = answer(found.here, other), answer(found.judge, other)
        if (how := _differs(given, wanted)) is not None:
            shown = f"{other.sent()}\nours: {_shown(given, wanted)}"
            return "shape", how, f"{shown}\njudge: {_shown(wanted, given)}"
    return None


def _differs(given: Answer, wanted: Answer) -> str | None:
    """Return how two answers differ; None if they do not, or if SQL leaves it open."""
    if isinstance(given, str) or isinstance(wanted, str):
        states = [each for each in (given, wanted) if isinstance(each, str)]
        if len(states) == 2 or all(each.startswith(_LEFT_OPEN) for each in states):
            return None
        return f"{states[0]} {'for' if isinstance(given, str) else 'wanted, not'} rows"
    return None if given == wanted else "rows"


def _shown(one: Answer, other: Answer) -> str:
    if isinstance(one, str) or isinstance(other, str):
        return str(one)[:2000]
    return f"{one.total()} rows, of them only here {[*(one - other).items()][:4]}"


def _session(engine: SqlEngine, asked: Asked) -> Session:
    session = Session(settings=dict(asked.settings))
    if asked.begins:
        _execute(engine, engine.prepare(asked.begins, session), (), session)
    return session


def _execute(engine: SqlEngine, statement: Statement, values: Row, session: Session) -> list[Row]:
    limit = Cancellation(timeout_s=_TIME_S)
    return rows_of(engine.execute(statement, values, session, cancellation=limit))


def _values(statement: Statement, texts: Sequence[str]) -> Row:
    pairs = zip(texts, statement.parameters, strict=True)
    return tuple(parse_value(text, kind) for text, kind in pairs)


def answer(engine: SqlEngine, asked: Asked) -> Answer:
    """Return the rows of a statement, or the SQLSTATE of its error."""
    sql, texts = asked.sent()
    try:
        session = _session(engine, asked)
        statement = engine.prepare(sql, session)
        rows = _execute(engine, statement, _values(statement, texts), session)
    except QueryError as error:
        return error.sqlstate
    return _counted(rows)


def _counted(rows: Sequence[Row]) -> Counter[Row]:
    return Counter(tuple(map(_rounded, comparable_row(row))) for row in rows)


def _rounded(value: object) -> object:
    """Return a value whose digits do not depend on the order of additions."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _looked_up(engine: SqlEngine, asked: Asked) -> Answer | None:
    sql, texts = asked.sent()
    try:
        session = _session(engine, asked)
        statement = engine.prepare(sql, session)
        rows = looked_up(statement, _values(statement, texts), session)
    except QueryError as error:
        return error.sqlstate
    return None if rows is None else _counted(rows)


def _elsewhere(engine: SqlEngine, asked: Asked) -> Answer | None:
    """Return what is looked up without a thread, here and at other nodes; None if it is not."""
    sql, texts = asked.sent()
    found: list[LookedUp | None] = []
    try:
        session = _session(engine, asked)
        statement = engine.prepare(sql, session)
        if statement.look_up is None:
            return None
        given = statement.literals or _values(statement, texts)
        begun = engine.begin_look_up(statement.look_up, given, session, found.append)
    except QueryError as error:
        return error.sqlstate
    looked = begun if isinstance(begun, LookedUp) else next(iter(found), None)
    return None if looked is None else _counted(looked.rows)


def _each(engine: SqlEngine, asked: Asked) -> Answer | None:
    """Return what a batch of one key finds; None if the statement looks up no key."""
    sql, texts = asked.sent()
    try:
        session = _session(engine, asked)
        statement = engine.prepare(sql, session)
        values, limit = [_values(statement, texts)], Cancellation(timeout_s=_TIME_S)
        if statement.literals or not texts:
            return None
        found = engine.look_up_each(statement, values, session, bound=EMPTY, cancellation=limit)
    except QueryError as error:
        return error.sqlstate
    return None if found is None else _counted([row for row in found.rows if row is not None])


def _varied(part: Node, expressions: Expressions) -> Node:
    """Return a statement with other constants: those of a shape share a plan."""

    def other(each: Part) -> Part:
        if isinstance(each, Node):
            return _varied(each, expressions)
        if isinstance(each, Literal) and each.type in CONSTANTS:
            return next(literals(expressions.constant(each.type)), each)
        return each

    return Node(part.sort, tuple(map(other, part.parts)), part.simplest)


def _pages(engine: SqlEngine, asked: Asked, size: int) -> Answer | None:
    """Return the rows of all pages; None for a statement without pages."""
    sql, texts = asked.sent()
    session = _session(engine, asked)
    try:
        given = _values(engine.prepare(sql, session), texts)
        pages = engine.paged(sql, session, cancellation=Cancellation(timeout_s=_TIME_S))
    except QueryError:
        return None
    rows: list[Row] = []
    text, values = pages.text(size, None), given
    try:
        while True:
            page = _execute(engine, engine.prepare(text, session), values, session)
            rows += page
            if not page:
                return _counted(rows)
            last = [page[-1][at] for at in pages.key]
            text = pages.text(size, [value is None for value in last])
            values = (*given, *(value for value in last if value is not None))
    except QueryError as error:
        return error.sqlstate


def _explained(
    engine: SqlEngine, asked: Asked, wanted: Answer, chance: random.Random
) -> str | None:
    """Return how an EXPLAIN fails of a statement that does not."""
    sql, texts = asked.sent()
    session = _session(engine, asked)
    head = chance.choice(
        ["EXPLAIN", "EXPLAIN ANALYZE", "EXPLAIN (ANALYZE, FORMAT JSON)", "EXPLAIN (COSTS OFF)"]
    )
    try:
        statement = engine.prepare(f"{head} {sql}", session)
        rows = _execute(engine, statement, _values(statement, texts), session)
    except QueryError as error:
        if isinstance(wanted, str) or error.sqlstate.startswith(_LEFT_OPEN):
            return None
        return f"{head}: {error.sqlstate} {shape(error.message)}"
    return None if rows else f"{head} has no lines"


def _written(engine: SqlEngine, asked: Asked, wanted: Answer) -> str | None:
    """Return how writing a statement for Spark fails, which is not there; None if it does not."""
    settings = {**asked.settings, "stategate.engine": "spark"}
    given = answer(engine, replace(asked, settings=settings))
    if given in _NO_SPARK or given == wanted or isinstance(wanted, str):
        return None
    return f"for Spark: {given if isinstance(given, str) else 'other rows'}"


def _watched(found: World, asked: Asked, chance: random.Random) -> tuple[str, str, str] | str:
    """Subscribe to a statement, and compare its rows after each epoch."""
    try:
        staying = _watcher(found.here, asked)
    except QueryError as error:
        return "rows" if error.sqlstate.startswith(_LEFT_OPEN) else f"rows, live {error.sqlstate}"
    try:
        return _followed(found, asked, staying, chance)
    except QueryError as error:
        if error.sqlstate.startswith(_LEFT_OPEN):
            return "rows, live until an error"
        return "live", error.sqlstate, error.message
    finally:
        staying.close()
        for name in ("b", "c"):
            if not found.nodes.is_up(name):
                found.nodes.bring_back(name)


def _watcher(
    engine: SqlEngine, asked: Asked, token: str | None = None, rows: Sequence[Row] = ()
) -> Watcher:
    sql, texts = asked.sent()
    settings = dict(asked.settings)
    values = _values(engine.prepare(sql, Session(settings=settings)), texts)
    return Watcher(engine, sql, values, token=token, rows=rows, settings=settings)


def _followed(
    found: World, asked: Asked, staying: Watcher, chance: random.Random
) -> tuple[str, str, str] | str:
    """Compare the rows of a subscriber with those of the statement, epoch by epoch."""
    left: tuple[str, list[Row]] | None = None
    for _ in range(chance.randint(1, 3)):
        if staying.moment is not None and chance.random() < 0.5:
            left = staying.moment.token, staying.rows
        _disturb(found, chance)
        version, before = _version(found.here, asked), answer(found.judge, asked)
        found.change(chance)
        wanted = answer(found.judge, asked)
        if isinstance(wanted, str):
            return "rows, live until an error"
        if wanted != before and version is not None and version == _version(found.here, asked):
            return "version", "stays", f"{version} of both\n{_shown(before, wanted)}"
        staying.until(**{schema.name: found.epoch for schema in STORES})
        given = _counted(staying.rows)
        if given != wanted:
            shown = f"ours: {_shown(given, wanted)}\njudge: {_shown(wanted, given)}"
            return "live", "rows", shown
    if left is not None and staying.events:
        returned = _watcher(found.here, asked, *left)
        while returned.take() is not None:
            pass
        rows = _counted(returned.rows)
        returned.close()
        if rows != _counted(staying.rows):
            return "live again", "rows", f"after {left[0]}"
    return "rows, live"


def _version(engine: SqlEngine, asked: Asked) -> str | None:
    """Return the version of a statement's answer; None without one."""
    sql, texts = asked.sent()
    session = _session(engine, asked)
    statement = engine.prepare(sql, session)
    return engine.answer_version(statement, _values(statement, texts), session)


def _disturb(found: World, chance: random.Random) -> None:
    """Let a node be lost, or come back."""
    name = chance.choice(["b", "c"])
    if not found.nodes.is_up(name):
        found.nodes.bring_back(name)
    elif chance.random() < 0.2 and all(map(found.nodes.is_up, "bc")):
        found.nodes.lose(name)
