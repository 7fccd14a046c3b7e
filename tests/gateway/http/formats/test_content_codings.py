"""Bodies in zstd and gzip, read back by other decoders, whole and in the middle of a stream."""

from __future__ import annotations

import gzip
import zlib

import httpx
import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.formats.content_codings import choose_coding, coder_for

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("accept", "coding"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("br", None),
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("GZIP;q=1.0, zstd;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("*", "zstd"),
        ("*;q=0, gzip;q=0.1", "gzip"),
        ("identity;q=0, gzip", "gzip"),
        ("identity;q=1, gzip;q=0.5", None),
    ],
)
def test_the_coding_is_the_one_that_the_header_prefers(
    accept: str | None, coding: str | None
) -> None:
    assert choose_coding(accept) == coding


@pytest.mark.parametrize("accept", ["*;q=0", "identity;q=0", "identity;q=0, br", "br, *;q=0"])
def test_a_header_that_refuses_everything(accept: str) -> None:
    with pytest.raises(HttpRequestError) as refused:
        choose_coding(accept)
    assert refused.value.status == 406


def decoded(name: str, data: bytes) -> bytes:
    """Return what a client can read of a body so far."""
    if name == "gzip":
        return zlib.decompressobj(wbits=31).decompress(data)
    stream = pa.CompressedInputStream(pa.BufferReader(data), "zstd")
    found: bytes = stream.read()
    return found


@given(
    parts=st.lists(st.binary(max_size=2_000), max_size=6), name=st.sampled_from(["gzip", "zstd"])
)
def test_each_chunk_can_be_read_when_it_arrives(parts: list[bytes], name: str) -> None:
    coder = coder_for(name, "text/csv")
    assert coder is not None
    sent, given = b"", b""
    for part in parts:
        sent, given = sent + coder.code(part), given + part
        if name == "gzip":
            assert decoded(name, sent) == given
    sent += coder.end()
    assert decoded(name, sent) == given
    if name == "gzip":
        assert gzip.decompress(sent) == given


def test_a_chunk_of_zstd_is_whole_before_the_end() -> None:
    coder = coder_for("zstd", "text/csv")
    assert coder is not None
    sent = coder.code(b"one" * 1000)
    reader = pa.CompressedInputStream(pa.BufferReader(sent + coder.code(b"two")), "zstd")
    assert reader.read(3003) == b"one" * 1000 + b"two"


def test_parquet_is_not_compressed_again() -> None:
    assert coder_for("gzip", "application/vnd.apache.parquet") is None
    assert coder_for(None, "text/csv") is None


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
@pytest.mark.parametrize("rows", [200, 20_000])
async def test_a_large_answer_is_compressed(
    client: httpx.AsyncClient, coding: str, rows: int
) -> None:
    body = {"sql": f"SELECT n, name FROM series({rows})"}
    async with client.stream(
        "POST", "/v1/query", json=body, headers={"Accept-Encoding": coding}
    ) as response:
        assert response.headers["content-encoding"] == coding
        assert response.headers["vary"] == "Accept, Accept-Encoding, Authorization, Origin"
        raw = b"".join([part async for part in response.aiter_raw()])
    document = orjson.loads(decoded(coding, raw))
    assert len(document["rows"]) == rows
    assert len(raw) < len(decoded(coding, raw)) / 2


@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT v FROM kv WHERE k = 1"])
async def test_a_short_answer_is_not_compressed(client: httpx.AsyncClient, sql: str) -> None:
    response = await client.post(
        "/v1/query", json={"sql": sql}, headers={"Accept-Encoding": "gzip"}
    )
    assert "content-encoding" not in response.headers
    assert response.json()["rows"]


async def test_an_error_in_a_compressed_answer_can_be_read(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/v1/query",
        json={"sql": "SELECT n, name FROM broken(2000, '55S01')", "format": "csv"},
        headers={"Accept-Encoding": "gzip"},
    )
    assert response.headers["content-encoding"] == "gzip"
    assert response.text.splitlines()[-1].startswith("#error,55S01,")
