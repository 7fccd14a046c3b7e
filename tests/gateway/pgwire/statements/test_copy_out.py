"""The bytes and errors of COPY compared with PostgreSQL's for the same rows."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.server_messages import CopyOutResponse
from stategate.gateway.pgwire.statements.copy_out import CopyEncoder
from stategate.planner.commands.row_commands import plan_row_command
from stategate.planner.engine import (
    Column,
    CopyFormat,
    CopyOut,
    DataType,
    Kind,
    QueryError,
    Row,
    Statement,
    StatementKind,
    parse_value,
)
from stategate.planner.syntax.parse import parse
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.copy_cases import FILE, RELATIONS, statements
from tests.gateway.pgwire.types.test_fields import arrow

ANSWERS: list[dict[str, Any]] = json.loads(FILE.read_text())
TEXT = DataType(kind=Kind.TEXT)


def test_all_cases_have_postgres_answers() -> None:
    assert [answer["sql"] for answer in ANSWERS] == [sql for _, sql in statements()]


def relation(name: str) -> tuple[tuple[Column, ...], list[Row]]:
    columns, rows = RELATIONS[name]
    made = tuple(Column(name=each, type=DataType.parse(kind)) for each, kind in columns)
    values = [
        tuple(
            None if text is None else parse_value(text, column.type)
            for text, column in zip(row, made, strict=True)
        )
        for row in rows
    ]
    return made, values


def planned(sql: str, columns: tuple[Column, ...]) -> Statement:
    def plan(text: str, types: object) -> Statement:
        names = [
            name.strip()
            for name in text.split("FROM", maxsplit=1)[0].removeprefix("SELECT").split(",")
        ]
        kept = columns if names == ["*"] else tuple(c for c in columns if c.name in names)
        return Statement(sql=text, kind=StatementKind.SELECT, columns=kept, returns_rows=True)

    return plan_row_command(parse(sql), plan, ())


def copied(sql: str, name: str, cuts: int) -> tuple[list[bytes], CopyEncoder, int]:
    """Return the CopyData of a COPY whose rows come in batches of this size, or at once for 0."""
    columns, rows = relation(name)
    statement = planned(sql, columns)
    assert isinstance(statement.row_command, CopyOut)
    assert statement.query is not None
    kept = [columns.index(column) for column in statement.query.columns]
    rows = [tuple(row[at] for at in kept) for row in rows]
    encoder = CopyEncoder(statement.row_command, statement.query.columns)
    out = encoder.head()
    if not cuts:
        out += encoder.encode_rows(rows)
    for start in range(0, len(rows) if cuts else 0, cuts or 1):
        out += encoder.encode_batch(batch_of(rows[start : start + cuts], statement.query.columns))
    return [body for _, body in wire.split_messages(out + encoder.tail())], encoder, len(kept)


def batch_of(rows: list[Row], columns: tuple[Column, ...]) -> pa.RecordBatch:
    arrays = [arrow([row[at] for row in rows], column.type) for at, column in enumerate(columns)]
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in columns])


@pytest.mark.parametrize("cuts", [0, 1, 2, 100], ids=["at hand", "by one", "by two", "whole"])
@pytest.mark.parametrize("case", range(len(ANSWERS)), ids=lambda at: str(ANSWERS[at]["sql"]))
def test_as_postgres(case: int, cuts: int) -> None:
    answer = ANSWERS[case]
    name, sql = statements()[case]
    if "error" in answer:
        with pytest.raises(QueryError) as caught:
            copied(sql, name, cuts)
        assert [caught.value.sqlstate, caught.value.message] == answer["error"]
        return
    messages, encoder, columns = copied(sql, name, cuts)
    assert [message.hex() for message in messages] == answer["rows"]
    told = encode(CopyOutResponse(format=encoder.format, columns=columns))
    assert told[5:].hex() == answer["head"]


# --- laws ----------------------------------------------------------------------------------------

ONE_BYTE = st.characters(min_codepoint=1, max_codepoint=126, exclude_characters="\r\n")
NASTY = st.text("ab\\\"',;\t\n\r.N\u20ac", max_size=6)


def text_by_value(value: str | None, command: CopyOut) -> str:
    """Return a text as `CopyAttributeOutText` writes it, one character at a time."""
    if value is None:
        return command.null
    letters = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v"}
    return "".join(
        "\\" + char
        if char in {"\\", command.delimiter}
        else "\\" + letters[char]
        if char in letters
        else char
        for char in value
    )


def csv_by_value(value: str | None, command: CopyOut, *, forced: bool, alone: bool) -> str:
    """Return a text as `CopyAttributeOutCSV` writes it, one character at a time."""
    if value is None:
        return command.null
    calls = {command.delimiter, command.quote, "\n", "\r"}
    quoted = forced or value == command.null or not calls.isdisjoint(value)
    if not quoted and not (alone and value == "\\."):
        return value
    inner = "".join(
        command.escape + c if c in {command.quote, command.escape} else c for c in value
    )
    return f"{command.quote}{inner}{command.quote}"


@given(
    st.lists(st.lists(st.none() | NASTY, min_size=2, max_size=2), max_size=8),
    st.sampled_from(",;|"),
    st.sampled_from(["\\N", "", "a", "NULL"]),
    st.booleans(),
)
def test_lines_are_made_of_their_values(
    rows: list[list[str | None]], delimiter: str, null: str, csv: bool
) -> None:
    form = CopyFormat.CSV if csv else CopyFormat.TEXT
    command = CopyOut(format=form, delimiter=delimiter, null=null, escape="'", force_quote=("y",))
    columns = (Column(name="x", type=TEXT), Column(name="y", type=TEXT))
    for width in (1, 2):
        kept = [tuple(row[:width]) for row in rows]
        lines = []
        for row in kept:
            fields = [
                csv_by_value(value, command, forced=at == 1, alone=width == 1)
                if csv
                else text_by_value(value, command)
                for at, value in enumerate(row)
            ]
            lines.append((delimiter.join(fields) + "\n").encode())
        encoder = CopyEncoder(command, columns[:width])
        out = encoder.encode_batch(batch_of(kept, columns[:width]))
        assert [body for _, body in wire.split_messages(out)] == lines


def test_the_head_of_the_binary_form_comes_with_the_first_row() -> None:
    """DuckDB's client fails on a message with only a head."""
    for cuts, name in itertools.product((0, 1), ("texts", "nothing")):
        messages, _, _ = copied(f"COPY {name} TO STDOUT (FORMAT binary)", name, cuts)
        assert messages[0].startswith(b"PGCOPY\n\xff\r\n\0")
        assert len(messages[0]) > 19


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("COPY texts FROM STDIN", "25006"),
        ("COPY texts TO 'x.csv'", "42501"),
        ("COPY texts TO PROGRAM 'cat'", "42501"),
        ("COPY texts", "42601"),
        ("COPY (SELECT 1 TO STDOUT", "42601"),
        ("COPY texts TO STDOUT (FREEZE)", "0A000"),
        ("COPY texts TO STDOUT (ENCODING 'latin1')", "0A000"),
    ],
)
def test_refusals(sql: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        planned(sql, relation("texts")[0])
    assert caught.value.sqlstate == sqlstate
