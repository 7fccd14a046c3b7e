"""An engine over canned statements, to test whoever serves one without the planner.

It runs what its patterns match, and refuses the rest as the planner would: 42601 for what is no
statement, 42P01 for an unknown relation. Each relation or function below is there for one thing
that can happen to a server.

| SQL | what happens |
|---|---|
| `SELECT v FROM kv WHERE k = $1` or a number | a lookup, run inline; k from 1 to 100,000 |
| `SELECT $1::t1, $2::t2, …` | gives its parameters back, inline |
| `SELECT 1`, `SELECT 'x'`, `SELECT NULL` | a literal as `?column?`, in a worker |
| `SELECT * FROM types` | one row of every type and one of NULLs, at hand |
| `SELECT * FROM scalar_types` | the same without arrays, structs and maps |
| `SELECT * FROM types_stream`, `scalar_types_stream` | the same as streams |
| `SELECT * FROM series(n)` | n rows of four columns as a stream |
| `SELECT * FROM quick(n)` | the same, run inline and planned at once |
| `SELECT * FROM broken(n)` | n rows of a stream, then 58030 |
| `SELECT fail('sqlstate')` | fails before its first row |
| `SELECT refuse('sqlstate')` | fails when it is planned |
| `SELECT bug()` | raises what nobody planned |
| `SELECT notice('text')` | a row, and a notice |
| `SELECT sleep(s)` | takes so long, in a worker, unless it is cancelled |
| BEGIN, COMMIT, ROLLBACK, SET, SHOW, RESET, DISCARD ALL | as they should |
| COPY, DECLARE, FETCH, MOVE, CLOSE, PREPARE, EXECUTE, DEALLOCATE | read by the planner |
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from planner.cancel import Cancellation
from planner.engine import (
    Column,
    DataType,
    Kind,
    LookUp,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
)
from planner.errors import (
    NameProblem,
    QueryError,
    StoreFailed,
    SyntaxProblem,
    TransactionProblem,
)
from planner.orders import plan_handover
from planner.parse import parse
from planner.session import TransactionStatus

LOOKUP_ROWS = 100_000
SERIES_BATCH_ROWS = 1000

_TEXT = DataType(kind=Kind.TEXT)
_BIGINT = DataType(kind=Kind.BIGINT)
_INTEGER = DataType(kind=Kind.INTEGER)


def _of(kind: Kind) -> DataType:
    return DataType(kind=kind)


def array_of(element: DataType) -> DataType:
    """An array type."""
    return DataType(kind=Kind.ARRAY, element=element)


TYPES: tuple[tuple[str, DataType, object], ...] = (
    ("a_bool", _of(Kind.BOOLEAN), True),
    ("a_tinyint", _of(Kind.TINYINT), -7),
    ("a_smallint", _of(Kind.SMALLINT), -32768),
    ("an_integer", _INTEGER, 2147483647),
    ("a_bigint", _BIGINT, -9223372036854775808),
    ("a_real", _of(Kind.REAL), 1.5),
    ("a_double", _of(Kind.DOUBLE), 1e20),
    ("a_decimal", DataType(kind=Kind.DECIMAL, precision=12, scale=2), Decimal("-1234.50")),
    ("a_text", _TEXT, 'söme "text"'),
    ("a_bytea", _of(Kind.BYTEA), b"\x00\xffa"),
    ("a_date", _of(Kind.DATE), 15706),
    ("a_time", _of(Kind.TIME), 36_000_500_000),
    ("a_timestamp", _of(Kind.TIMESTAMP), 1_357_034_400_000_000),
    ("a_timestamptz", _of(Kind.TIMESTAMPTZ), 1_357_034_400_123_456),
    ("an_interval", _of(Kind.INTERVAL), (14, -3, 14_706_000_007)),
    ("a_uuid", _of(Kind.UUID), "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    ("a_json", _of(Kind.JSON), '{"a": [1, null]}'),
    ("some_ints", array_of(_INTEGER), [1, None, 3]),
    ("some_texts", array_of(_TEXT), ["a b", None, 'q"\\', "", "NULL"]),
    ("a_matrix", array_of(array_of(_BIGINT)), [[1, 2], [3, 4]]),
    (
        "a_struct",
        DataType(kind=Kind.STRUCT, fields=(("n", _INTEGER), ("t", _of(Kind.TIMESTAMPTZ)))),
        {"n": 1, "t": 0},
    ),
    (
        "a_map",
        DataType(kind=Kind.MAP, fields=(("key", _TEXT),), element=_of(Kind.DOUBLE)),
        [("x", 0.5)],
    ),
)
"""Columns of the relation `types`, with the physical value of its first row."""
SCALAR_TYPES = 17
"""How many of them come before the nested ones, which asyncpg must look up in the catalog."""
TYPE_COLUMNS = tuple(Column(name=name, type=data_type) for name, data_type, _ in TYPES)
TYPE_ROWS: tuple[Row, ...] = (
    tuple(value for _, _, value in TYPES),
    tuple(None for _ in TYPES),
)

LOOKUP_COLUMNS = (Column(name="v", type=_TEXT),)
SERIES_COLUMNS = (
    Column(name="n", type=_BIGINT),
    Column(name="name", type=_TEXT),
    Column(name="x", type=_of(Kind.DOUBLE)),
    Column(name="at", type=_of(Kind.TIMESTAMPTZ)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    run: Callable[[Row, Session, Cancellation], Result]
    inline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    kind: StatementKind
    text: re.Pattern[str]
    plan: Callable[[FakeEngine, re.Match[str], Sequence[DataType | None]], Statement]


_RECALLED = ("SELECT v FROM kv", "SELECT $1", "SELECT * FROM quick")


class FakeEngine:
    """See the module. `closed` counts results that were closed, `open` those that were not yet."""

    def __init__(self, *, recalls: bool = True) -> None:
        self.recalls = recalls
        """Whether statements that are short to plan are planned at once."""
        self.opened = 0
        self.closed = 0
        self.prepared = 0
        """Statements planned."""
        self.batches_made = 0
        self.sleeping = threading.Event()
        """Set while a `sleep` runs."""
        self._lock = threading.Lock()

    @property
    def open(self) -> int:
        """Results of streams that have not been closed."""
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
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement:
        """Find the pattern of a statement."""
        text = sql.strip().rstrip(";").strip()
        self.prepared += 1
        if not re.sub(r"--[^\n]*", "", text).strip():
            return Statement(sql=sql, kind=StatementKind.EMPTY)
        found = _pattern_of(text)
        if found is None:
            if text.upper().startswith("SELECT * FROM "):
                name = text.split()[3]
                raise NameProblem(
                    f'relation "{name}" does not exist', position=text.index(name) + 1
                )
            raise _no_statement(text, 0)
        pattern, match = found
        if session.transaction is TransactionStatus.FAILED and pattern.kind not in {
            StatementKind.COMMIT,
            StatementKind.ROLLBACK,
        }:
            raise _aborted()
        return pattern.plan(self, match, parameter_types)

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Plan what is run inline, which is as good as to remember it; nothing else."""
        if not self.recalls or not sql.startswith(_RECALLED):
            return None
        return self.prepare(sql, session, parameter_types=parameter_types)

    def is_inline(self, statement: Statement, session: Session) -> bool:
        """As the plan says."""
        plan = statement.plan
        return isinstance(plan, _Plan) and plan.inline

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run the plan."""
        plan = statement.plan
        assert isinstance(plan, _Plan)
        if session.transaction is TransactionStatus.FAILED and statement.kind not in {
            StatementKind.COMMIT,
            StatementKind.ROLLBACK,
        }:
            raise _aborted()
        return plan.run(parameters, session, cancellation)

    # --- what patterns need ----------------------------------------------------------------------

    def stream(self, columns: tuple[Column, ...], batches: Iterator[pa.RecordBatch]) -> Result:
        """A result that streams, and counts whether it is closed."""
        with self._lock:
            self.opened += 1
        return Result(
            kind=StatementKind.SELECT, columns=columns, batches=batches, on_close=self._closed
        )

    def _closed(self) -> None:
        with self._lock:
            self.closed += 1


def _keyword(text: str) -> str:
    return text.split(maxsplit=1)[0].upper()


def _no_statement(text: str, at: int) -> SyntaxProblem:
    word = text.split(maxsplit=1)[0]
    return SyntaxProblem(f'syntax error at or near "{word}"', position=at + 1)


def _aborted() -> TransactionProblem:
    return TransactionProblem(
        "current transaction is aborted, commands ignored until end of transaction block"
    )


def _pattern_of(text: str) -> tuple[_Pattern, re.Match[str]] | None:
    for pattern in _PATTERNS:
        if match := pattern.text.fullmatch(text):
            return pattern, match
    return None


def _select(
    columns: tuple[Column, ...],
    run: Callable[[Row, Session, Cancellation], Result],
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
        look_up=_looking_up(run) if inline else None,
    )


def _looking_up(run: Callable[[Row, Session, Cancellation], Result]) -> LookUp:
    """The short way of what runs inline and only reads."""

    def look_up(parameters: Row, session: Session) -> Sequence[Row] | None:
        if session.transaction is not TransactionStatus.IDLE:
            return None
        result = run(parameters, session, Cancellation())
        if result.rows is None or len(result.rows) > 1 or result.notices:
            result.close()
            return None
        return result.rows

    return look_up


def _rows(columns: tuple[Column, ...], rows: Sequence[Row], notices: Sequence[str] = ()) -> Result:
    return Result(
        kind=StatementKind.SELECT, columns=columns, rows=list(rows), notices=list(notices)
    )


# --- selects -------------------------------------------------------------------------------------


def _plan_lookup(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    columns = LOOKUP_COLUMNS
    literal = None if match["key"].startswith("$") else int(match["key"])

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        key = parameters[0] if literal is None else literal
        if key is None or not 1 <= key <= LOOKUP_ROWS:
            return Result(kind=StatementKind.SELECT, columns=columns, rows=())
        row = (f"value-{key}",)
        return Result(kind=StatementKind.SELECT, columns=columns, rows=(row,))

    parameters = (types[0] if types and types[0] else _BIGINT,) if literal is None else ()
    return _select(columns, run, parameters=parameters, inline=True)


def _plan_echo(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
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

    return _select(columns, run, parameters=parameters, inline=True)


def _plan_literal(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    text = match["literal"]
    value: object = None
    data_type = _TEXT
    if text.lstrip("-").isdigit():
        value, data_type = int(text), _INTEGER
    elif text.startswith("'"):
        value = text[1:-1].replace("''", "'")
    columns = (Column(name="?column?", type=data_type),)
    return _select(columns, lambda *_: _rows(columns, [(value,)]))


def type_batches(columns: tuple[Column, ...] = TYPE_COLUMNS) -> Iterator[pa.RecordBatch]:
    schema = pa.schema([(column.name, column.type.arrow) for column in columns])
    for row in TYPE_ROWS:
        values = zip(row, columns, strict=False)
        arrays = [_arrow(value, column.type) for value, column in values]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _arrow(value: object, data_type: DataType) -> pa.Array[Any]:
    if data_type.kind is Kind.INTERVAL and value is not None:
        assert isinstance(value, tuple)
        months, days, micros = value
        value = pa.MonthDayNano((months, days, micros * 1000))
    return pa.array([value], data_type.arrow)


def _plan_types(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    columns = TYPE_COLUMNS[:SCALAR_TYPES] if match["scalar"] else TYPE_COLUMNS
    if match["stream"]:
        return _select(columns, lambda *_: engine.stream(columns, type_batches(columns)))
    rows = [row[: len(columns)] for row in TYPE_ROWS]
    return _select(columns, lambda *_: _rows(columns, rows))


def series_batches(
    count: int, cancellation: Cancellation, batch_rows: int = SERIES_BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """Rows (n, 'row n', n / 4, n seconds after 1970) in batches."""
    schema = pa.schema([(column.name, column.type.arrow) for column in SERIES_COLUMNS])
    for start in range(0, count, batch_rows):
        cancellation.check()
        numbers = range(start, min(start + batch_rows, count))
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(numbers, pa.int64()),
                pa.array([f"row {n}" for n in numbers], pa.string()),
                pa.array([n / 4 for n in numbers], pa.float64()),
                pa.array([n * 1_000_000 for n in numbers], pa.int64()).cast(
                    pa.timestamp("us", tz="UTC")
                ),
            ],
            schema=schema,
        )


def _plan_series(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    count = int(match["count"])
    broken = match["name"] == "broken"

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        def batches() -> Iterator[pa.RecordBatch]:
            for batch in series_batches(count, cancellation):
                engine.batches_made += 1
                yield batch
            if broken:
                raise StoreFailed('partition 1 of store "broken" did not answer: disk on fire')

        return engine.stream(SERIES_COLUMNS, batches())

    return _select(SERIES_COLUMNS, run, inline=match["name"] == "quick")


def _plan_call(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    name, argument = match["name"], match["argument"].strip("'")
    columns = (Column(name=name, type=_TEXT),)
    if name == "refuse":
        raise QueryError("it was refused", position=match.start("name") + 1, sqlstate=argument)

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        match name:
            case "fail":
                raise QueryError(
                    "it failed", detail="As asked.", hint="Ask less.", sqlstate=argument
                )
            case "bug":
                raise RuntimeError("a secret that no client may see")
            case "notice":
                return _rows(columns, [(None,)], [argument])
            case _:
                _sleep(engine, float(argument), cancellation)
                return _rows(columns, [("slept",)])

    return _select(columns, run)


def _sleep(engine: FakeEngine, seconds: float, cancellation: Cancellation) -> None:
    woken = threading.Event()
    cancellation.on_cancel(woken.set)
    engine.sleeping.set()
    try:
        woken.wait(seconds)
        cancellation.check()
    finally:
        engine.sleeping.clear()


# --- the rest ------------------------------------------------------------------------------------


def _command(kind: StatementKind, run: Callable[[Session], Result]) -> Statement:
    return Statement(sql="", kind=kind, plan=_Plan(run=lambda _, session, __: run(session)))


def _plan_begin(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    def run(session: Session) -> Result:
        already = session.transaction is TransactionStatus.ACTIVE
        session.transaction = TransactionStatus.ACTIVE
        notices = ["there is already a transaction in progress"] if already else []
        return Result(kind=StatementKind.BEGIN, notices=notices)

    return _command(StatementKind.BEGIN, run)


def _plan_end(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    commit = _keyword(match[0]) in {"COMMIT", "END"}

    def run(session: Session) -> Result:
        failed = session.transaction is TransactionStatus.FAILED
        session.transaction = TransactionStatus.IDLE
        done = StatementKind.COMMIT if commit and not failed else StatementKind.ROLLBACK
        return Result(kind=done)

    return _command(StatementKind.COMMIT if commit else StatementKind.ROLLBACK, run)


def _plan_set(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    def run(session: Session) -> Result:
        session.set(match["name"].lower(), match["value"].strip("'"))
        return Result(kind=StatementKind.SET)

    return _command(StatementKind.SET, run)


def _plan_reset(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    kind = StatementKind.DISCARD if match["discard"] else StatementKind.RESET

    def run(session: Session) -> Result:
        in_block = session.transaction is not TransactionStatus.IDLE or session.in_script
        if match["discard"] and (in_block or session.in_pipeline):
            raise TransactionProblem("DISCARD ALL cannot run in a block", sqlstate="25001")
        session.reset()
        return Result(kind=kind)

    return _command(kind, run)


def _plan_show(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    name = match["name"].lower()
    columns = (Column(name=name, type=_TEXT),)

    def run(parameters: Row, session: Session, cancellation: Cancellation) -> Result:
        rows = [(session.settings.get(name),)]
        return Result(kind=StatementKind.SHOW, columns=columns, rows=rows)

    return Statement(
        sql="", kind=StatementKind.SHOW, columns=columns, returns_rows=True, plan=_Plan(run=run)
    )


def _plan_handover(
    engine: FakeEngine, match: re.Match[str], types: Sequence[DataType | None]
) -> Statement:
    def plan(text: str, wanted: Sequence[DataType | None]) -> Statement:
        return engine.prepare(text, Session(), parameter_types=wanted)

    return plan_handover(parse(match[0]), plan, types)


def _pattern(
    kind: StatementKind,
    text: str,
    plan: Callable[[FakeEngine, re.Match[str], Sequence[DataType | None]], Statement],
) -> _Pattern:
    return _Pattern(kind=kind, text=re.compile(text, re.IGNORECASE | re.DOTALL), plan=plan)


_PATTERNS = (
    _pattern(
        StatementKind.SELECT, r"SELECT v FROM kv WHERE k\s*=\s*(?P<key>\$1|\d+)", _plan_lookup
    ),
    _pattern(StatementKind.SELECT, r"SELECT (?P<list>\$\d+::.+)", _plan_echo),
    _pattern(StatementKind.SELECT, r"SELECT (?P<literal>-?\d+|'(?:[^']|'')*'|NULL)", _plan_literal),
    _pattern(
        StatementKind.SELECT,
        r"SELECT \* FROM (?P<scalar>scalar_)?types(?P<stream>_stream)?",
        _plan_types,
    ),
    _pattern(
        StatementKind.SELECT,
        r"SELECT \* FROM (?P<name>series|broken|quick)\((?P<count>\d+)\)",
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
        _plan_handover,
    ),
)
