"""A fake engine with canned statements, to test servers without the planner.

It runs statements that match its patterns, and refuses others as the planner would: 42601 for bad
syntax, 42P01 for an unknown relation. Each relation or function below stands for one case that a
server has to handle.

| SQL | what happens |
|---|---|
| `SELECT v FROM kv WHERE k = $1` or a number | a lookup, run inline; k from 1 to 100,000 |
| `SELECT $1::t1, $2::t2, …` | returns its parameters, inline |
| `SELECT 1`, `SELECT 'x'`, `SELECT NULL` | a literal as `?column?`, in a thread |
| `SELECT * FROM types` | one row of every type and one of NULLs, complete |
| `SELECT * FROM scalar_types` | the same without arrays, structs and maps |
| `SELECT * FROM types_stream`, `scalar_types_stream` | the same as streams |
| `SELECT * FROM series(n)` or `SELECT n, name FROM …` | n rows as a stream |
| `… FROM quick(n)` | the same, run inline and planned at once |
| `… FROM broken(n)`, `broken(n, 'sqlstate')` | n rows of a stream, then 58030 or that SQLSTATE |
| `… FROM buggy(n)` | n rows of a stream, then an unplanned exception |
| `SELECT fail('sqlstate')` | fails before its first row |
| `SELECT refuse('sqlstate')` | fails when it is planned |
| `SELECT bug()` | raises an unplanned exception |
| `SELECT notice('text')` | a row, and a notice |
| `SELECT sleep(s)` | takes s seconds in a thread, unless cancelled |
| BEGIN, COMMIT, ROLLBACK, SET, SHOW, SHOW ALL, RESET, DISCARD ALL | work as in PostgreSQL |
| COPY, DECLARE, FETCH, MOVE, CLOSE, PREPARE, EXECUTE, DEALLOCATE | are read by the planner |

Every answer with rows reflects `POSITION` and comes from the partition of `ANSWER`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from stategate.planner.commands.row_commands import plan_row_command
from stategate.planner.engine import (
    Asked,
    Column,
    DataType,
    EachLookedUp,
    Kind,
    LookedUp,
    LookUp,
    Notice,
    Paged,
    PartitionAnswer,
    Position,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
    Subscription,
)
from stategate.planner.errors import (
    InvalidSyntaxError,
    NotSupportedError,
    QueryError,
    StoreFailedError,
    TransactionError,
    UnavailableError,
    UnknownNameError,
)
from stategate.planner.syntax.parse import parse
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Isolation, TransactionStatus
from tests.support.sample_rows import (
    SCALAR_TYPES,
    SERIES_COLUMNS,
    TYPE_COLUMNS,
    TYPE_ROWS,
    series_batches,
    type_batches,
)

LOOKUP_ROWS = 100_000
POSITION = Position.of({"events": {0: 41}})
ANSWER = PartitionAnswer(store="clicks", partition=0, node="local", status="ok", epoch=7, rows=1)
SECRET = "a secret that no client may see"
"""Message of unplanned exceptions."""

_TEXT = DataType(kind=Kind.TEXT)
_BIGINT = DataType(kind=Kind.BIGINT)
_INTEGER = DataType(kind=Kind.INTEGER)
LOOKUP_COLUMNS = (Column(name="v", type=_TEXT),)
SETTINGS_COLUMNS = (Column(name="name", type=_TEXT), Column(name="setting", type=_TEXT))

Types: TypeAlias = Sequence[DataType | None]
Run: TypeAlias = Callable[[Row, Session, Cancellation], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    run: Run
    inline: bool = False


Planner: TypeAlias = "Callable[[FakeEngine, re.Match[str], Types], Statement]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    kind: StatementKind
    text: re.Pattern[str]
    plan: Planner


_RECALLED = ("SELECT v FROM kv", "SELECT $1", "SELECT * FROM quick")


class FakeEngine:
    """The fake engine; see the module. `closed` counts closed results, `open` the others."""

    def __init__(self, *, recalls: bool = True) -> None:
        self.recalls = recalls
        """Whether statements that are quick to plan are planned at once."""
        self.asks_nodes = False
        self.opened = 0
        self.closed = 0
        self.prepared = 0
        """Number of statements planned."""
        self.executed_in: list[str] = []
        """Names of the threads that executed statements, in order."""
        self.batches_made = 0
        self.sleeping = threading.Event()
        """Set while a `sleep` runs."""
        self.cancelled = threading.Event()
        """Set once a `sleep` was cancelled."""
        self._lock = threading.Lock()

    @property
    def open(self) -> int:
        """Number of streamed results that are not closed yet."""
        return self.opened - self.closed

    # --- the protocol ----------------------------------------------------------------------------

    def split(self, sql: str) -> tuple[str, ...]:
        """Cut at semicolons that stand outside of quotes."""
        pieces = re.findall(r"(?:'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|[^;'\"])+", sql)
        texts = tuple(text.strip() for text in pieces if re.sub(r"--[^\n]*", "", text).strip())
        for text in texts:
            if _pattern_of(text) is None and _keyword(text) not in {"SELECT", "SET", "SHOW"}:
                raise _no_statement(text, sql.index(text))
        return texts

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Types = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Return the statement with the pattern that it matches."""
        text = sql.rstrip().rstrip(";").rstrip()
        self.prepared += 1
        if not re.sub(r"--[^\n]*", "", text).strip():
            return Statement(sql=sql, kind=StatementKind.EMPTY)
        if (found := _pattern_of(text)) is None:
            if text.lstrip().upper().startswith("SELECT * FROM "):
                name = text.split()[3]
                raise UnknownNameError(
                    f'relation "{name}" does not exist', position=text.index(name) + 1
                )
            raise _no_statement(text, len(text) - len(text.lstrip()))
        pattern, match = found
        ends = {StatementKind.COMMIT, StatementKind.ROLLBACK}
        if session.transaction is TransactionStatus.FAILED and pattern.kind not in ends:
            raise _aborted()
        return pattern.plan(self, match, parameter_types)

    def recall(
        self, sql: str, session: Session, *, parameter_types: Types = ()
    ) -> Statement | None:
        """Plan a statement that runs inline, by its pattern; return None for others."""
        if not self.recalls or not sql.startswith(_RECALLED):
            return None
        return self.prepare(sql, session, parameter_types=parameter_types)

    def is_short(self, statement: Statement) -> bool:
        """Return False for each SELECT: its script may wait."""
        return statement.kind is not StatementKind.SELECT

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Return the `inline` of the plan."""
        return isinstance(plan := statement.plan, _Plan) and plan.inline

    def answer_version(self, statement: Statement, parameters: Row, session: Session) -> str | None:
        """Return None: any answer may change."""
        return None

    def subscribe(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        token: str | None,
        on_ready: Callable[[], None],
        cancellation: Cancellation,
        may_start_over: bool = True,
    ) -> Subscription:
        """Refuse: no statement has changes."""
        raise NotSupportedError("this statement cannot be subscribed to")

    def paged(self, sql: str, session: Session, *, cancellation: Cancellation) -> Paged:
        """Refuse: no statement has pages."""
        raise NotSupportedError("the statement has no pages")

    def recall_paged(self, sql: str) -> Paged | None:
        """Return None: no statement has pages."""
        return None

    def covers(self, found: LookedUp, bound: Position) -> bool:
        """Return False: it is not known."""
        return False

    def look_up_each(
        self,
        statement: Statement,
        parameters: Sequence[Row],
        session: Session,
        *,
        bound: Position,
        cancellation: Cancellation,
    ) -> EachLookedUp | None:
        """Return None: the statement is run for each."""
        return None

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: object = None,
    ) -> LookedUp | Asked | None:
        """Look up at once: there are no other nodes."""
        return look_up(parameters, session)

    def require_rights(self, statement: Statement, session: Session) -> None:
        """Let every user read everything."""

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run the plan."""
        self.executed_in.append(threading.current_thread().name)
        plan = statement.plan
        assert isinstance(plan, _Plan)
        failed = session.transaction is TransactionStatus.FAILED
        if failed and statement.kind not in {StatementKind.COMMIT, StatementKind.ROLLBACK}:
            raise _aborted()
        return plan.run(parameters, session, cancellation)

    def close(self) -> None:
        """Do nothing, because nothing is held."""

    # --- helpers of patterns ----------------------------------------------------------------------

    def stream(self, columns: tuple[Column, ...], batches: Iterator[pa.RecordBatch]) -> Result:
        """Return a streamed result that counts its closing."""
        with self._lock:
            self.opened += 1
        result = Result(kind=StatementKind.SELECT, columns=columns, on_close=self._closed)

        def reflecting() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                self.batches_made += 1
                yield batch
            result.position, result.partitions = POSITION, [ANSWER]

        result.batches = reflecting()
        return result

    def _closed(self) -> None:
        with self._lock:
            self.closed += 1


def _keyword(text: str) -> str:
    return text.split(maxsplit=1)[0].upper()


def _no_statement(text: str, at: int) -> InvalidSyntaxError:
    word = text.split(maxsplit=1)[0]
    return InvalidSyntaxError(f'syntax error at or near "{word}"', position=at + 1)


def _aborted() -> TransactionError:
    return TransactionError(
        "current transaction is aborted, commands ignored until end of transaction block"
    )


def _pattern_of(text: str) -> tuple[_Pattern, re.Match[str]] | None:
    for pattern in _PATTERNS:
        if match := pattern.text.fullmatch(text):
            return pattern, match
    return None


def _select(
    engine: FakeEngine,
    columns: tuple[Column, ...],
    run: Run,
    *,
    parameters: tuple[DataType, ...] = (),
    inline: bool = False,
) -> Statement:
    return Statement(
        sql="",
        kind=StatementKind.SELECT,
        columns=columns,
        parameters=parameters,
        returns_rows=True,
        plan=_Plan(run=run, inline=inline),
        look_up=_looking_up(engine, run) if inline else None,
    )


def _looking_up(engine: FakeEngine, run: Run) -> LookUp:
    """Return the short way of an inline statement that only reads."""

    def look_up(parameters: Row, session: Session) -> LookedUp | None:
        if session.transaction is not TransactionStatus.IDLE:
            return None
        engine.executed_in.append(threading.current_thread().name)
        result = run(parameters, session, Cancellation())
        if result.rows is None or result.notices:
            result.close()
            return None
        read = ANSWER.store, ANSWER.partition, ANSWER.epoch, len(result.rows)
        return LookedUp(result.rows, (read,), result.position)

    return look_up


def _rows(
    columns: tuple[Column, ...],
    rows: Sequence[Row],
    notices: Sequence[str] = (),
    kind: StatementKind = StatementKind.SELECT,
) -> Result:
    return Result(
        kind=kind,
        columns=columns,
        rows=list(rows),
        notices=[Notice(message=notice) for notice in notices],
        position=POSITION,
        partitions=[ANSWER],
    )


# --- selects -------------------------------------------------------------------------------------


def _plan_lookup(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    columns = LOOKUP_COLUMNS
    literal = None if match["key"].startswith("$") else int(match["key"])

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        key = parameters[0] if literal is None else literal
        if key is None or not 1 <= key <= LOOKUP_ROWS:
            return _rows(columns, [])
        return _rows(columns, [(f"value-{key}",)])

    parameters = (types[0] if types and types[0] else _BIGINT,) if literal is None else ()
    return _select(engine, columns, run, parameters=parameters, inline=True)


def _plan_echo(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    spelled = re.findall(r"\$(\d+)::([\w()\[\],]+?)(?=,\s|$)", match["list"])
    wanted = {int(number): DataType.parse(name) for number, name in spelled}
    parameters = tuple(
        (types[at] if at < len(types) else None) or wanted[at + 1] for at in range(len(wanted))
    )
    columns = tuple(
        Column(name=str(wanted[int(number)].kind.value), type=parameters[int(number) - 1])
        for number, _ in spelled
    )
    order = [int(number) - 1 for number, _ in spelled]

    def run(values: Row, session: Session, cancellation: Cancellation) -> Result:
        return _rows(columns, [tuple(values[at] for at in order)])

    return _select(engine, columns, run, parameters=parameters, inline=True)


def _plan_literal(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    text = match["literal"]
    value: object = None
    data_type = _TEXT
    if text.lstrip("-").isdigit():
        value, data_type = int(text), _INTEGER
    elif text.startswith("'"):
        value = text[1:-1].replace("''", "'")
    columns = (Column(name="?column?", type=data_type),)
    return _select(engine, columns, lambda *_: _rows(columns, [(value,)]))


def _plan_types(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    columns = TYPE_COLUMNS[:SCALAR_TYPES] if match["scalar"] else TYPE_COLUMNS
    if match["stream"]:
        return _select(engine, columns, lambda *_: engine.stream(columns, type_batches(columns)))
    rows = [row[: len(columns)] for row in TYPE_ROWS]
    return _select(engine, columns, lambda *_: _rows(columns, rows))


def _plan_series(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    count, code = int(match["count"]), match["code"]
    columns = SERIES_COLUMNS if match["list"] == "*" else SERIES_COLUMNS[:2]

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        def batches() -> Iterator[pa.RecordBatch]:
            for batch in series_batches(count, cancellation):
                yield batch.select([column.name for column in columns])
            if match["name"] == "broken":
                raise _failure("it failed", code) if code else StoreFailedError(_ON_FIRE)
            if match["name"] == "buggy":
                raise RuntimeError(SECRET)

        return engine.stream(columns, batches())

    return _select(engine, columns, run, inline=match["name"] == "quick")


_ON_FIRE = 'partition 1 of store "broken" did not answer: disk on fire'


def _failure(message: str, code: str, position: int | None = None) -> QueryError:
    kind = UnavailableError if code.startswith("55") else QueryError
    return kind(message, detail="As asked.", hint="Ask less.", position=position, sqlstate=code)


def _plan_call(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    name, argument = match["name"], match["argument"].strip("'")
    columns = (Column(name=name, type=_TEXT),)
    if name == "refuse":
        raise _failure("it was refused", argument, position=match.start("name") + 1)

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        match name:
            case "fail":
                raise _failure("it failed", argument)
            case "bug":
                raise RuntimeError(SECRET)
            case "notice":
                return _rows(columns, [(None,)], [argument])
            case _:
                _sleep(engine, float(argument), cancellation)
                return _rows(columns, [("slept",)])

    return _select(engine, columns, run)


def _sleep(engine: FakeEngine, seconds: float, cancellation: Cancellation) -> None:
    woken = threading.Event()
    cancellation.on_cancel(woken.set)
    cancellation.on_cancel(engine.cancelled.set)
    engine.sleeping.set()
    left_s = cancellation.remaining_s
    try:
        woken.wait(seconds if left_s is None else min(seconds, left_s))
        cancellation.check()
    finally:
        engine.sleeping.clear()


# --- the rest ------------------------------------------------------------------------------------


def _command(kind: StatementKind, run: Callable[[Session], Result]) -> Statement:
    return Statement(sql="", kind=kind, plan=_Plan(run=lambda _, session, __: run(session)))


def _plan_begin(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    def run(session: Session) -> Result:
        already = session.transaction is TransactionStatus.ACTIVE
        if not already:
            session.begin(isolation=Isolation.READ_COMMITTED, deferrable=False)
        told = "there is already a transaction in progress"
        notice = Notice(message=told, severity="WARNING", sqlstate="25001")
        return Result(kind=StatementKind.BEGIN, notices=[notice] if already else [])

    return _command(StatementKind.BEGIN, run)


def _plan_end(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    commit = _keyword(match[0]) in {"COMMIT", "END"}

    def run(session: Session) -> Result:
        before = session.transaction
        keeps = commit and before is not TransactionStatus.FAILED
        session.end(keep=keeps)
        told = "there is no transaction in progress"
        notice = Notice(message=told, severity="WARNING", sqlstate="25P01")
        return Result(
            kind=StatementKind.COMMIT if keeps else StatementKind.ROLLBACK,
            notices=[notice] if before is TransactionStatus.IDLE else [],
        )

    return _command(StatementKind.COMMIT if commit else StatementKind.ROLLBACK, run)


def _plan_set(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    def run(session: Session) -> Result:
        session.set(match["name"].lower(), match["value"].strip("'"))
        return Result(kind=StatementKind.SET)

    return _command(StatementKind.SET, run)


def _plan_reset(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    kind = StatementKind.DISCARD if match["discard"] else StatementKind.RESET

    def run(session: Session) -> Result:
        in_block = session.transaction is not TransactionStatus.IDLE or session.in_script
        if match["discard"] and (in_block or session.in_pipeline):
            raise TransactionError("DISCARD ALL cannot run in a block", sqlstate="25001")
        session.reset()
        return Result(kind=kind)

    return _command(kind, run)


def _plan_show(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    name = match["name"].lower()
    columns = SETTINGS_COLUMNS if name == "all" else (Column(name=name, type=_TEXT),)

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        settings = session.settings
        rows = sorted(settings.items()) if name == "all" else [(settings.get(name),)]
        return _rows(columns, rows, kind=StatementKind.SHOW)

    return Statement(
        sql="", kind=StatementKind.SHOW, columns=columns, returns_rows=True, plan=_Plan(run=run)
    )


def _plan_row_command(engine: FakeEngine, match: re.Match[str], types: Types) -> Statement:
    def plan(text: str, wanted: Types) -> Statement:
        return engine.prepare(text, Session(), parameter_types=wanted)

    return plan_row_command(parse(match[0]), plan, types)


def _pattern(kind: StatementKind, text: str, plan: Planner) -> _Pattern:
    return _Pattern(kind=kind, text=re.compile(r"\s*" + text, re.IGNORECASE | re.DOTALL), plan=plan)


_PATTERNS = (
    _pattern(StatementKind.SELECT, r"SELECT v FROM kv WHERE k *= *(?P<key>\$1|\d+)", _plan_lookup),
    _pattern(StatementKind.SELECT, r"SELECT (?P<list>\$\d+::.+)", _plan_echo),
    _pattern(
        StatementKind.SELECT, r"SELECT\s+(?P<literal>-?\d+|'(?:[^']|'')*'|NULL)", _plan_literal
    ),
    _pattern(
        StatementKind.SELECT,
        r"SELECT \* FROM (?P<scalar>scalar_)?types(?P<stream>_stream)?",
        _plan_types,
    ),
    _pattern(
        StatementKind.SELECT,
        r"SELECT (?P<list>\*|n, name) FROM (?P<name>series|broken|buggy|quick)"
        r"\((?P<count>\d+)(, '(?P<code>\w+)')?\)",
        _plan_series,
    ),
    _pattern(
        StatementKind.SELECT,
        r"SELECT (?P<name>fail|refuse|bug|notice|sleep)\((?P<argument>[^)]*)\)",
        _plan_call,
    ),
    _pattern(StatementKind.BEGIN, r"(BEGIN|START TRANSACTION)\b.*", _plan_begin),
    _pattern(StatementKind.COMMIT, r"(COMMIT|END)\b.*", _plan_end),
    _pattern(StatementKind.ROLLBACK, r"(ROLLBACK|ABORT)\b.*", _plan_end),
    _pattern(
        StatementKind.SET, r"SET (?P<name>[\w.]+)\s*(=|TO)\s*(?P<value>'[^']*'|\S+)", _plan_set
    ),
    _pattern(StatementKind.RESET, r"(RESET|(?P<discard>DISCARD)) ALL", _plan_reset),
    _pattern(StatementKind.SHOW, r"SHOW (?P<name>[\w.]+)", _plan_show),
    _pattern(
        StatementKind.COPY,
        r"(COPY|DECLARE|FETCH|MOVE|CLOSE|PREPARE|EXECUTE|DEALLOCATE)\b.+",
        _plan_row_command,
    ),
)
