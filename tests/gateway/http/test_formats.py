"""Each format, read by its usual reader: from rows and batches, and with an error."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import orjson
import pyarrow as pa
import pytest

from gateway.http.formats import (
    RENDERERS,
    ArrowRenderer,
    CsvRenderer,
    JsonRenderer,
    NdjsonRenderer,
    Renderer,
    Trailer,
    choose_renderer,
    chunked,
    register_renderer,
)
from planner.engine import Column, QueryError, Row
from stores.spec.schema import BIGINT, TEXT, TIMESTAMPTZ, DataType, Kind
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
CELLS = [
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


@pytest.mark.parametrize("factory", [CsvRenderer, ArrowRenderer])
def test_formats_that_cannot_represent_an_error_break_off(
    factory: type[CsvRenderer] | type[ArrowRenderer],
) -> None:
    assert factory(COLUMNS).failure(QueryError("broken")) is None


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
    ],
)
def test_the_format_is_the_one_that_accept_prefers(accept: str | None, media_type: str) -> None:
    assert choose_renderer(accept) is RENDERERS[media_type]


def test_an_unsupported_format_is_not_chosen() -> None:
    assert choose_renderer("image/png, text/html") is None


def test_a_format_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.http.formats.RENDERERS", dict(RENDERERS))
    register_renderer("text/tab-separated-values", CsvRenderer)
    assert choose_renderer("text/tab-separated-values") is CsvRenderer


def test_a_large_batch_is_cut_into_chunks_of_bytes() -> None:
    batch = pa.RecordBatch.from_pydict({"n": pa.array(range(10_000))})
    parts = list(chunked(batch, chunk_bytes=8_000))
    assert {part.num_rows for part in parts} == {1_000}
    assert pa.Table.from_batches(parts).equals(pa.Table.from_batches([batch]))
    assert list(chunked(batch.slice(0, 0), chunk_bytes=8_000)) == []
    assert len(list(chunked(batch, chunk_bytes=1))) == 10_000
