"""macaddr, a type that is only one record, from a definition to drivers and HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from tests.support.gateway import (
    USERS_POSITION,
    Gateway,
    columns,
    running_gateway,
    schema_of,
    table_of,
)

ONE, OTHER = "08:00:2b:01:02:03", "0a:00:2b:01:02:03"
DEVICES = schema_of(
    "devices",
    key=columns(address="macaddr"),
    value=columns(upstream="macaddr", seen="macaddr[]"),
)
ROWS = (
    {"address": ONE, "upstream": OTHER, "seen": [OTHER, None]},
    {"address": OTHER},
)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    root, logs = (tmp_path_factory.mktemp(name) for name in ("root", "logs"))
    StoreWriter(str(root), DEVICES).write(table_of(DEVICES, ROWS), position=USERS_POSITION)
    with running_gateway(root, Path(logs)) as found:
        yield found


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_reads_it(gateway: Gateway, *, binary: bool) -> None:
    with psycopg.connect(gateway.pg_dsn, autocommit=True) as connection:
        found = connection.execute(
            "SELECT address, upstream, seen FROM devices WHERE address = %s",
            ["8-0-2B-1-2-3"],
            binary=binary,
        )
        assert [column.type_code for column in found.description or ()] == [829, 829, 1040]
        row = found.fetchone()
    raw = bytes.fromhex(OTHER.replace(":", ""))
    if binary:  # psycopg has no reader for the bytes
        assert row == (bytes.fromhex(ONE.replace(":", "")), raw, [raw, None])
    else:
        assert row == (ONE, OTHER, [OTHER, None])


def test_psycopg_reads_many_rows_in_order(gateway: Gateway) -> None:
    with psycopg.connect(gateway.pg_dsn, autocommit=True) as connection:
        found = connection.execute("SELECT address FROM devices ORDER BY address DESC").fetchall()
        assert found == [(OTHER,), (ONE,)]
        key = connection.execute(
            "SELECT format_type(atttypid, atttypmod), opcname, pg_get_indexdef(indexrelid)"
            " FROM pg_index JOIN pg_opclass c ON c.oid = indclass[0] JOIN pg_attribute"
            " ON attrelid = indrelid AND attnum = indkey[0] WHERE indrelid = 'devices'::regclass"
        ).fetchall()
    assert [row[:2] for row in key] == [("macaddr", "macaddr_ops")]


def test_a_text_that_is_not_an_address(gateway: Gateway) -> None:
    with (
        psycopg.connect(gateway.pg_dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught,
    ):
        connection.execute("SELECT * FROM devices WHERE address = %s", ["x"])
    assert caught.value.diag.message_primary == 'invalid input syntax for type macaddr: "x"'


def test_http_returns_it_in_every_format(gateway: Gateway) -> None:
    sql = "SELECT address, upstream, seen FROM devices ORDER BY address"
    found = json.loads(answer(gateway, sql, "application/json"))
    assert found["rows"] == [[ONE, OTHER, [OTHER, None]], [OTHER, None, None]]
    lines = answer(gateway, sql, "text/csv").decode().splitlines()
    assert lines[1].startswith(f"{ONE},{OTHER},")
    with pa.ipc.open_stream(answer(gateway, sql, "application/vnd.apache.arrow.stream")) as reader:
        assert reader.read_all().column("address").to_pylist() == [ONE, OTHER]


def answer(gateway: Gateway, sql: str, media: str) -> bytes:
    request = urllib.request.Request(
        f"{gateway.http_url}/v1/query",
        data=json.dumps({"sql": sql}).encode(),
        headers={"accept": media, "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as found:
        body: bytes = found.read()
    return body
