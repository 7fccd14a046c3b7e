"""An engine of few statements, each of which shows one thing that the HTTP edge must handle.

| statement | what it does |
|---|---|
| `SELECT 1` | one row at hand, run on the loop |
| `SELECT $1::type …` | gives its parameters back; the types are read from the text |
| `STREAM n ROWS` | n rows of a number and a text, in batches of 1000, run in a worker |
| `STREAM n ROWS THEN FAIL` | the same, then 55S01 |
| `STREAM n ROWS THEN BREAK` | the same, then an error that nobody planned |
| `SLEEP` | blocks until it is cancelled |
| `FAIL code` | fails with that code before the first row |
| `BREAK` | raises what is no QueryError |
| `SHOW SETTINGS` | the session's settings |
| `SET …`, empty text | as in SQL |
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence

import pyarrow as pa

from planner.engine import (
    Cancellation,
    Column,
    DataType,
    PartitionAnswer,
    Position,
    QueryError,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
)
from planner.errors import SyntaxProblem, Unavailable
from stores.schema import BIGINT, INTEGER, TEXT

POSITION = Position.of({"events": {0: 41}})
ANSWER = PartitionAnswer(store="clicks", partition=0, node="local", status="ok", epoch=7, rows=1)
STREAM_COLUMNS = (Column(name="n", type=BIGINT), Column(name="text", type=TEXT))
BATCH_ROWS = 1000
WAIT_S = 10.0
"""How long the fake waits for what a test is to do, before it gives up."""


class FakeEngine:
    """Counts what it is asked, so that a test can see where and how often."""

    def __init__(self) -> None:
        self.prepared: list[str] = []
        self.executed_in: list[str] = []
        self.batches_made = 0
        self.closed = threading.Event()
        self.cancelled = threading.Event()
        self.sleeping = threading.Event()

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        if sql not in self.prepared:
            return None
        return self.prepare(sql, session, parameter_types=parameter_types)

    def split(self, sql: str) -> tuple[str, ...]:
        return tuple(piece.strip() for piece in sql.split(";") if piece.strip())

    def prepare(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement:
        del session, parameter_types
        self.prepared.append(sql)
        text = sql.strip()
        word = text.split()[0] if text else ""
        if word in {"", "SET", "SHOW"}:
            kind = StatementKind(word)
            columns = (Column(name="name", type=TEXT), Column(name="value", type=TEXT))
            return Statement(sql=text, kind=kind, columns=columns if word == "SHOW" else ())
        if word not in {"SELECT", "STREAM", "SLEEP", "FAIL", "BREAK"}:
            raise SyntaxProblem(f'syntax error at or near "{word}"', position=sql.find(word) + 1)
        types = tuple(
            DataType.parse(found)
            for found in re.findall(r"\$\d+::(\w+(?:\(\d+,\d+\))?(?:\[\])?)", text)
        )
        return Statement(sql=text, kind=StatementKind.SELECT, parameters=types, returns_rows=True)

    def is_inline(self, statement: Statement, session: Session) -> bool:
        del session
        return statement.sql.startswith("SELECT")

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        self.executed_in.append(threading.current_thread().name)
        match statement.sql.split():
            case ["SELECT", "1"]:
                return self._at_hand((Column(name="one", type=INTEGER),), [(1,)])
            case ["SELECT", *_]:
                columns = tuple(
                    Column(name=f"c{n}", type=each) for n, each in enumerate(statement.parameters)
                )
                return self._at_hand(columns, [parameters])
            case ["SHOW", *_]:
                return self._at_hand(statement.columns, sorted(session.settings.items()))
            case ["SLEEP"]:
                return self._sleep(cancellation)
            case ["FAIL", code]:
                raise _error_of(code)
            case ["BREAK"]:
                raise ZeroDivisionError("of this, nothing may reach a client")
            case ["STREAM", rows, "ROWS", *rest]:
                return self._stream(int(rows), rest)
        raise AssertionError(statement.sql)

    def close(self) -> None:
        """Nothing is held."""

    def _at_hand(self, columns: tuple[Column, ...], rows: list[Row]) -> Result:
        return Result(
            kind=StatementKind.SELECT,
            columns=columns,
            rows=rows,
            position=POSITION,
            partitions=[ANSWER],
        )

    def _sleep(self, cancellation: Cancellation) -> Result:
        cancellation.on_cancel(self.cancelled.set)
        self.sleeping.set()
        self.cancelled.wait(min(WAIT_S, cancellation.remaining_s or WAIT_S))
        cancellation.check()
        raise AssertionError("nobody cancelled the statement")

    def _stream(self, rows: int, rest: list[str]) -> Result:
        result = Result(kind=StatementKind.SELECT, columns=STREAM_COLUMNS)

        def batches() -> Iterator[pa.RecordBatch]:
            for start in range(0, rows, BATCH_ROWS):
                self.batches_made += 1
                numbers = range(start, min(rows, start + BATCH_ROWS))
                texts = [f"row {n}" for n in numbers]
                yield pa.RecordBatch.from_arrays(
                    [pa.array(numbers, type=pa.int64()), pa.array(texts)], names=["n", "text"]
                )
            if rest == ["THEN", "FAIL"]:
                raise _error_of("55S01")
            if rest == ["THEN", "BREAK"]:
                raise ZeroDivisionError("of this, nothing may reach a client")
            result.position = POSITION
            result.partitions = [ANSWER]

        result.batches = batches()
        result.on_close = self.closed.set
        return result


def _error_of(code: str) -> QueryError:
    kind = Unavailable if code.startswith("55") else QueryError
    return kind(f"failed with {code}", detail="A fact.", hint="An act.", position=3, sqlstate=code)
