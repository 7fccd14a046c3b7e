"""Each format, read by its usual reader: from rows and batches, and with an error."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.gateway.http.formats.arrow_renderers import ArrowRenderer, ParquetRenderer
from stategate.gateway.http.formats.json_renderers import JsonRenderer, NdjsonRenderer
from stategate.gateway.http.formats.negotiation import (
    FORMATS,
    RENDERERS,
    choose_renderer,
    negotiate,
    register_renderer,
)
from stategate.gateway.http.formats.rendering import Renderer, Trailer, chunked
from stategate.gateway.http.formats.text_renderers import CsvRenderer, TableRenderer, TsvRenderer
from stategate.planner.engine import Column, QueryError, Row
from stategate.stores.spec.schema import BIGINT, TEXT, TIMESTAMPTZ, DataType, Kind
from tests.support.fake_engine import ANSWER, POSITION

COLUMNS = (
    Column(name="n", type=BIGINT),
    Column(name='a "name"', type=TEXT),
    Column(name="at", type=TIMESTAMPTZ),
    Column(name="for", type=DataType(kind=Kind.INTERVAL)),
)
ROWS: list[Row] = [
    (1, 'say "a],[b", ok', 0, (1, 0, 5)),
    (None, None, None, None),
    (-(2**63), "", 1_500_000, (0, 0, 0)),
]
CELLS: list[list[object]] = [
    [1, 'say "a],[b", ok', "1970-01-01T00:00:00Z", "P1MT0.000005S"],
    [None, None, None, None],
    [-(2**63), "", "1970-01-01T00:00:01.500000Z", "PT0S"],
]
TRAILER = Trailer(position=POSITION, partitions=[ANSWER], notices=[], elapsed_ms=1.23456)
PLAIN = (Column(name="a", type=BIGINT), Column(name="b", type=TEXT))


def batch_of(rows: Sequence[Row]) -> pa.RecordBatch:
    stream = rendered(ArrowRenderer(COLUMNS), rows)
    return pa.ipc.open_stream(stream).read_next_batch()


def rendered(renderer: Renderer, *parts: Sequence[Row], trailer: Trailer = TRAILER) -> bytes:
    body = renderer.head() + b"".join(renderer.rows(part) for part in parts)
    return body + renderer.tail(trailer)


def test_json_has_columns_rows_and_trailer() -> None:
    document = orjson.loads(rendered(JsonRenderer(COLUMNS), ROWS[:1], [], ROWS[1:]))
    assert document["columns"][:2] == [
        {"name": "n", "type": "bigint"},
        {"name": 'a "name"', "type": "text"},
    ]
    assert document["rows"] == CELLS
    assert document["position"] == {"events": {"0": 41}}
    assert document["partitions"][0]["store"] == "clicks"
    assert document["elapsed_ms"] == 1.235
    assert "notices" not in document


def test_failed_json_has_an_error_and_no_position() -> None:
    renderer = JsonRenderer(COLUMNS)
    end = renderer.failure(QueryError("broken"))
    assert end is not None
    document = orjson.loads(renderer.head() + renderer.rows(ROWS) + end)
    assert document["rows"] == CELLS
    assert document["error"]["message"] == "broken"
    assert "position" not in document


def test_ndjson_has_lines_for_columns_rows_and_trailer() -> None:
    lines = rendered(NdjsonRenderer(COLUMNS), ROWS).splitlines()
    assert orjson.loads(lines[0])["columns"][0]["name"] == "n"
    assert [orjson.loads(line) for line in lines[1:-1]] == CELLS
    assert orjson.loads(lines[-1])["position"] == {"events": {"0": 41}}


@pytest.mark.parametrize("text", ["a],[b", "],[", '"],["', "\n", "plain"])
def test_ndjson_separates_rows_whatever_their_texts(text: str) -> None:
    rows = [(1, text), (2, "x"), (3, text)]
    lines = NdjsonRenderer(PLAIN).rows(rows).split(b"\n")
    assert lines.pop() == b""
    assert [orjson.loads(line) for line in lines] == [list(row) for row in rows]


def test_failed_ndjson_ends_with_the_error() -> None:
    end = NdjsonRenderer(COLUMNS).failure(QueryError("broken"))
    assert end is not None
    assert orjson.loads(end)["error"]["message"] == "broken"


def test_csv_is_read_back_and_distinguishes_null_from_empty() -> None:
    body = rendered(CsvRenderer(COLUMNS), ROWS).decode()
    read = list(csv.reader(io.StringIO(body, newline="")))
    assert read[0] == [column.name for column in COLUMNS]
    assert read[1] == ["1", 'say "a],[b", ok', "1970-01-01T00:00:00Z", "P1MT0.000005S"]
    assert body.split("\r\n")[2:4] == [
        ",,,",
        '-9223372036854775808,"",1970-01-01T00:00:01.500000Z,PT0S',
    ]


def test_csv_writes_booleans_and_nested_values() -> None:
    columns = (
        Column(name="b", type=DataType.parse("boolean")),
        Column(name="l", type=DataType.parse("bigint[]")),
    )
    assert CsvRenderer(columns).rows([(True, [1, 2]), (False, [])]) == (
        b'true,"[1,2]"\r\nfalse,[]\r\n'
    )


def test_arrow_is_read_back_with_its_types_and_the_trailer() -> None:
    reader = pa.ipc.open_stream(rendered(ArrowRenderer(COLUMNS), ROWS))
    assert reader.schema.field("at").type == pa.timestamp("us", tz="UTC")
    assert reader.schema.field("for").metadata == {b"stategate.type": b"interval"}
    assert reader.read_next_batch().column("n").to_pylist() == [1, None, -(2**63)]
    last = reader.read_next_batch_with_custom_metadata()
    assert last.batch.num_rows == 0
    trailer = orjson.loads(last.custom_metadata["stategate.trailer"])
    assert trailer["position"] == {"events": {"0": 41}}


_REFUSALS = (duckdb.Error, pl.exceptions.PolarsError, ValueError)
BROKEN = QueryError('it "broke", now')


def broken(renderer: Renderer) -> bytes:
    return renderer.head() + renderer.rows(ROWS) + renderer.failure(BROKEN)


def test_failed_csv_ends_with_a_line_that_no_row_can_be() -> None:
    body = broken(CsvRenderer(COLUMNS))
    last = body.splitlines()[-1]
    assert last == b'#error,XX000,"it ""broke"", now",,\xff'
    read = list(csv.reader(io.StringIO(body.decode(errors="replace"), newline="")))
    assert len(read[-1]) == len(COLUMNS) + 1
    with pytest.raises(pa.ArrowInvalid, match="Expected 4 columns, got 5"):
        pa_csv.read_csv(io.BytesIO(body))


def readers_of(
    db: duckdb.DuckDBPyConnection, file: Path, separator: str
) -> list[Callable[[], object]]:
    options = pa_csv.ParseOptions(delimiter=separator)
    return [
        lambda: db.read_csv(str(file)).fetchall(),
        lambda: db.sql(f"SELECT count(*) FROM read_csv('{file}')").fetchall(),
        lambda: db.read_csv(str(file), all_varchar=True).fetchall(),
        lambda: pd.read_csv(file, sep=separator),
        lambda: pl.read_csv(file, separator=separator),
        lambda: pa_csv.read_csv(file, parse_options=options),
    ]


@pytest.mark.parametrize("columns", [1, 2, 3, 6])
@pytest.mark.parametrize("rows", [0, 1, 50, 5_000])
def test_readers_refuse_what_ends_in_an_error(columns: int, rows: int, tmp_path: Path) -> None:
    """DuckDB's guesses at comments and columns, which depend on how many rows it sees, too."""
    shape = tuple(Column(name=f"c{at}", type=TEXT if at else BIGINT) for at in range(columns))
    db = duckdb.connect()
    held: list[Row] = [(n, *["text"] * (columns - 1)) for n in range(rows)]
    for renderer, separator in ((CsvRenderer(shape), ","), (TsvRenderer(shape), "\t")):
        file = tmp_path / "answer"
        readers = readers_of(db, file, separator)
        whole = renderer.head() + renderer.rows(held)
        file.write_bytes(whole)
        for read in readers if rows else ():
            read()
        file.write_bytes(whole + renderer.failure(BROKEN))
        for read in readers:
            with pytest.raises(_REFUSALS):
                read()
    db.close()


@settings(max_examples=30)
@given(st.lists(st.text(), min_size=1, max_size=4))
def test_no_row_has_the_byte_of_an_error(texts: list[str]) -> None:
    columns = tuple(Column(name=f"c{at}", type=TEXT) for at in range(len(texts)))
    for renderer in (CsvRenderer(columns), TsvRenderer(columns)):
        assert b"\xff" not in renderer.head() + renderer.rows([tuple(texts)])
        assert b"\xff" in renderer.failure(BROKEN)


@pytest.mark.parametrize("text", ["#error,x", "#", "\\#error\tx", "\\", "a\tb\nc\rd"])
def test_no_row_looks_like_an_error(text: str) -> None:
    columns = (Column(name="#a", type=TEXT), Column(name="b", type=TEXT))
    for renderer, sign in ((CsvRenderer(columns), b"#"), (TsvRenderer(columns), b"\\#")):
        lines = (renderer.head() + renderer.rows([(text, text)])).splitlines()
        assert not any(line.startswith(sign + b"error") for line in lines)
    rendered_csv = (
        CsvRenderer(columns).head() + CsvRenderer(columns).rows([(text, text)])
    ).decode()
    assert list(csv.reader(io.StringIO(rendered_csv, newline="")))[1] == [text, text]


def test_tsv_is_as_copy_writes_it() -> None:
    lines = rendered(TsvRenderer(COLUMNS), [*ROWS, (1, "a\tb\n\\", 0, None)]).decode().split("\n")
    assert lines[0] == 'n\ta "name"\tat\tfor'
    assert lines[2] == "\\N\t\\N\t\\N\t\\N"
    assert lines[4] == "1\ta\\tb\\n\\\\\t1970-01-01T00:00:00Z\t\\N"
    failed = broken(TsvRenderer(COLUMNS)).split(b"\n")[-2]
    assert failed.split(b"\t") == [b"\\#error", b"XX000", b'it "broke", now', b"", b"\xff"]


def test_a_table_is_aligned_and_has_no_control_characters() -> None:
    columns = (Column(name="n", type=BIGINT), Column(name="text", type=TEXT))
    renderer = TableRenderer(columns)
    body = renderer.head() + renderer.rows([(1, "日本"), (-20, None)])
    body += renderer.rows([(300, "a\x1b[2J\nb\u202e"), (4, "x" * 100)]) + renderer.tail(TRAILER)
    assert body.decode().splitlines() == [
        "  n  text",
        "---  ----",
        "  1  日本",
        "-20  NULL",
        "300  a\\x1b[2J↵b\\u202e",
        "  4  " + "x" * 100,
        "(4 rows)",
    ]
    failed = TableRenderer(columns)
    assert failed.failure(BROKEN).decode() == ('n  text\n-  ----\nERROR XX000: it "broke", now\n')


def test_a_table_says_which_partitions_are_missing() -> None:
    missing = replace(ANSWER, status="failed", reason="NOT_ACTIVE")
    trailer = Trailer(position=POSITION, partitions=[missing], notices=["n"], elapsed_ms=0)
    lines = rendered(TableRenderer(PLAIN), [(1, "a")], trailer=trailer).decode().splitlines()
    assert lines[-3:] == ["(1 row)", "NOTICE: n", "FAILED: clicks[0]: NOT_ACTIVE"]


def test_parquet_is_read_back_with_its_trailer() -> None:
    file = pq.ParquetFile(io.BytesIO(rendered(ParquetRenderer(COLUMNS), ROWS, ROWS)))
    table = file.read()
    assert table.column("n").to_pylist() == [1, None, -(2**63)] * 2
    assert table.column("for").to_pylist()[:3] == [CELLS[0][3], None, CELLS[2][3]]
    assert table.schema.field("at").type == pa.timestamp("us", tz="UTC")
    field: Any = table.schema.field("for")
    assert field.metadata[b"stategate.type"] == b"interval"
    metadata: Any = file.metadata.metadata
    trailer = orjson.loads(metadata[b"stategate.trailer"])
    assert trailer["position"] == {"events": {"0": 41}}


def test_parquet_has_groups_of_many_rows() -> None:
    columns = (Column(name="t", type=TEXT),)
    renderer = ParquetRenderer(columns)
    parts = [renderer.head()]
    parts += [renderer.rows([(f"{n} " + "x" * 1000,) for n in range(1000)]) for _ in range(20)]
    assert sum(map(bool, parts)) == 3, "the magic number and two groups"
    file = pq.ParquetFile(io.BytesIO(b"".join(parts) + renderer.tail(TRAILER)))
    assert file.metadata.num_row_groups == 3
    assert file.read().num_rows == 20_000


def test_failed_parquet_cannot_be_read_and_ends_with_the_error() -> None:
    body = broken(ParquetRenderer(COLUMNS))
    with pytest.raises(pa.ArrowInvalid):
        pq.ParquetFile(io.BytesIO(body))
    name, _, document = body.splitlines()[-1].partition(b" ")
    assert (name, orjson.loads(document)["message"]) == (b"stategate.error", BROKEN.message)


def test_failed_arrow_raises_in_a_reader_and_has_the_error_as_metadata() -> None:
    body = broken(ArrowRenderer(COLUMNS))
    with pytest.raises(OSError, match="not RecordBatch"):
        pa.ipc.open_stream(body).read_all()
    reader = pa.ipc.open_stream(body)
    assert reader.read_next_batch().num_rows == len(ROWS)
    last = reader.read_next_batch_with_custom_metadata()
    assert last.batch.num_rows == 0
    assert orjson.loads(last.custom_metadata["stategate.error"])["message"] == BROKEN.message


@pytest.mark.parametrize("media_type", list(RENDERERS))
def test_batches_are_rendered_like_rows(media_type: str) -> None:
    by_rows, by_batch = RENDERERS[media_type](COLUMNS), RENDERERS[media_type](COLUMNS)
    assert by_rows.head() == by_batch.head()
    assert by_rows.rows(ROWS) == by_batch.batch(batch_of(ROWS))
    assert by_rows.rows(ROWS[1:]) == by_batch.batch(batch_of(ROWS).slice(1))


@pytest.mark.parametrize("media_type", list(RENDERERS))
def test_a_result_without_columns_or_rows_is_rendered(media_type: str) -> None:
    assert rendered(RENDERERS[media_type](()), []) is not None
    assert rendered(RENDERERS[media_type](COLUMNS), []) is not None


def test_notices_are_rendered_if_there_are_any() -> None:
    trailer = Trailer(position=POSITION, partitions=[], notices=["careful"], elapsed_ms=0)
    assert orjson.loads(rendered(JsonRenderer(()), trailer=trailer))["notices"] == ["careful"]


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/html, */*;q=0.1", "application/json"),
        ("text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("TEXT/CSV; q=0.2, application/x-ndjson", "application/x-ndjson"),
        ("application/json;q=0, */*", "application/x-ndjson"),
        ("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream"),
        ("text/csv;q=broken", "text/csv"),
        ("text/plain", "text/plain"),
        ("text/tab-separated-values, text/csv;q=0.9", "text/tab-separated-values"),
        ("application/vnd.apache.parquet", "application/vnd.apache.parquet"),
    ],
)
def test_the_format_is_the_one_that_accept_prefers(accept: str | None, media_type: str) -> None:
    assert choose_renderer(accept) is RENDERERS[media_type]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_a_name(name: str) -> None:
    assert negotiate("image/png", name) is RENDERERS[FORMATS[name]]
    assert set(FORMATS.values()) == set(RENDERERS)


def test_an_unsupported_format_is_not_chosen() -> None:
    assert choose_renderer("image/png, text/html") is None


def test_a_format_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stategate.gateway.http.formats.negotiation.RENDERERS", dict(RENDERERS))
    register_renderer("text/x-mine", CsvRenderer)
    assert choose_renderer("text/x-mine") is CsvRenderer


def test_a_large_batch_is_cut_into_chunks_of_bytes() -> None:
    batch = pa.RecordBatch.from_pydict({"n": pa.array(range(10_000))})
    parts = list(chunked(batch, chunk_bytes=8_000))
    assert {part.num_rows for part in parts} == {1_000}
    assert pa.Table.from_batches(parts).equals(pa.Table.from_batches([batch]))
    assert list(chunked(batch.slice(0, 0), chunk_bytes=8_000)) == []
    assert len(list(chunked(batch, chunk_bytes=1))) == 10_000
