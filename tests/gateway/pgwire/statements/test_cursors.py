"""Moves of cursors compared with PostgreSQL's, and limits of reading backwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.cursors import Cursor, Fetched, Reader
from stategate.planner.commands.row_commands import plan_row_command
from stategate.planner.engine import FetchCursor, QueryError, Result, StatementKind
from stategate.planner.syntax.parse import parse
from tests.gateway.pgwire.cursor_cases import FILE

WALKS: list[dict[str, Any]] = json.loads(FILE.read_text())
WIDE = 1 << 20


def batches(rows: int, batch_rows: int) -> Iterator[pa.RecordBatch]:
    for start in range(1, rows + 1, batch_rows):
        numbers = list(range(start, min(rows + 1, start + batch_rows)))
        yield pa.RecordBatch.from_arrays([pa.array(numbers)], names=["n"])


def reader_of(rows: int, batch_rows: int, *, window: int = WIDE) -> Reader:
    if not batch_rows:
        at_hand = [(number,) for number in range(1, rows + 1)]
        return Reader(Result(kind=StatementKind.SELECT, rows=at_hand))
    result = Result(kind=StatementKind.SELECT, batches=batches(rows, batch_rows))
    return Reader(result, window_bytes_max=window)


def fetch_of(sql: str) -> FetchCursor:
    def plan(text: str, types: object) -> Any:
        raise AssertionError("FETCH has no query")

    command = plan_row_command(parse(sql), plan, ()).row_command
    assert isinstance(command, FetchCursor)
    return command


def step(cursor: Cursor, sql: str, limits: PgLimits | None = None) -> tuple[list[int], str]:
    command = fetch_of(sql)
    fetched = Fetched(cursor=cursor, command=command, limits=limits or PgLimits())
    given: list[int] = []
    for piece in fetched.pieces():
        if isinstance(piece, pa.RecordBatch):
            given += piece.column(0).to_pylist()
        else:
            given += [row[0] for row in piece]
    return given, f"{'MOVE' if command.move else 'FETCH'} {fetched.count}"


@pytest.mark.parametrize("batch_rows", [0, 1, 2, 100], ids=["at hand", "by one", "by two", "whole"])
@pytest.mark.parametrize("walk", range(len(WALKS)))
def test_walks_as_in_postgres(walk: int, batch_rows: int) -> None:
    case = WALKS[walk]
    scroll = case["scroll"] == "SCROLL"
    window = WIDE if scroll else 0
    cursor = Cursor(reader=reader_of(case["rows"], batch_rows, window=window), scroll=scroll)
    for sql, given, tag in case["steps"]:
        if tag is None:
            with pytest.raises(QueryError) as caught:
                step(cursor, sql)
            assert [caught.value.sqlstate, caught.value.message] == given
        else:
            assert step(cursor, sql) == (given, tag), sql


def test_a_cursor_reads_backwards_as_far_as_it_keeps_rows() -> None:
    one = next(batches(1, 1)).nbytes
    cursor = Cursor(reader=reader_of(10, 1, window=4 * one), scroll=True)
    assert step(cursor, "FETCH 8 c")[0] == list(range(1, 9))
    assert step(cursor, "FETCH BACKWARD 3 c")[0] == [7, 6, 5]
    with pytest.raises(QueryError, match="no longer keeps row 4") as caught:
        step(cursor, "FETCH PRIOR FROM c")
    assert caught.value.sqlstate == "54000"
    assert caught.value.detail is not None
    assert "beginning with row 5" in caught.value.detail


def test_a_cursor_that_does_not_go_back_keeps_one_batch() -> None:
    reader = reader_of(100, 10, window=0)
    cursor = Cursor(reader=reader)
    assert step(cursor, "MOVE 95 c") == ([], "MOVE 95")
    assert len(reader._held) == 1
    assert step(cursor, "FETCH ALL c")[0] == [96, 97, 98, 99, 100]


def test_pieces_are_cut_to_the_size_of_chunks() -> None:
    cursor = Cursor(reader=reader_of(10, 10), scroll=True)
    limits = PgLimits(chunk_rows_max=3)
    for sql, expected in (
        ("FETCH ALL c", list(range(1, 11))),
        ("FETCH BACKWARD ALL c", list(range(10, 0, -1))),
    ):
        fetched = Fetched(cursor=cursor, command=fetch_of(sql), limits=limits)
        pieces = [piece.column(0).to_pylist() for piece in fetched.pieces()]  # type: ignore[union-attr] # of a stream
        assert max(map(len, pieces)) == 3
        assert [number for piece in pieces for number in piece] == expected


def test_a_cursor_without_scroll_reads_backwards_within_its_batch() -> None:
    cursor = Cursor(reader=reader_of(100, 10, window=0), scroll=True)
    assert step(cursor, "MOVE 95 c") == ([], "MOVE 95")
    assert step(cursor, "FETCH BACKWARD 3 FROM c")[0] == [94, 93, 92]
    with pytest.raises(QueryError, match="can only scan forward") as caught:
        step(cursor, "FETCH ABSOLUTE 90 FROM c")
    assert caught.value.sqlstate == "55000"
