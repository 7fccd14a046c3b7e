"""Transcripts of messages in `cases/`, against our server and, where there is one, PostgreSQL.

A line that begins with `>` is a message to send: its name, then its fields as JSON, where a
parameter that begins with a backslash and an x is binary. A line with `<` is one to receive. All
`>` lines up to the first `<` are sent in one piece. Every ParameterStatus is skipped, except in the
case that is about them.

`STATEGATE_TEST_POSTGRES` names the PostgreSQL server, as `host:port:user:database`. The functions
that the fake engine has are created there, in a schema of their own.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import Serving
from tests.gateway.pgwire.wire import Message, RawClient

CASES = sorted((Path(__file__).parent / "cases").glob("*.pt"))
POSTGRES = os.environ.get("STATEGATE_TEST_POSTGRES")
REPORTS = "reports"
"""The case in which every ParameterStatus counts."""
SCHEMA = "stategate_cases"
SETUP = f"""
DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
CREATE SCHEMA {SCHEMA};
SET search_path = {SCHEMA};
CREATE TABLE kv AS SELECT k, 'value-' || k AS v FROM generate_series(1, 10) k;
CREATE FUNCTION series(count int) RETURNS TABLE (n bigint, name text, x float8, at timestamptz)
    LANGUAGE sql AS $$ SELECT n, 'row ' || n, n / 4.0::float8, to_timestamp(n)
                       FROM generate_series(0, count - 1) n $$;
-- Planning computes it, because it claims to give the same always.
CREATE FUNCTION refuse(code text) RETURNS text IMMUTABLE
    LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it was refused' USING ERRCODE = code; END $$;
CREATE FUNCTION fail(code text) RETURNS text
    LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it failed' USING ERRCODE = code; END $$;
"""

NAMES = {
    "1": "ParseComplete",
    "2": "BindComplete",
    "3": "CloseComplete",
    "C": "CommandComplete",
    "D": "DataRow",
    "E": "ErrorResponse",
    "H": "CopyOutResponse",
    "I": "EmptyQueryResponse",
    "N": "NoticeResponse",
    "S": "ParameterStatus",
    "T": "RowDescription",
    "Z": "ReadyForQuery",
    "c": "CopyDone",
    "d": "CopyData",
    "n": "NoData",
    "s": "PortalSuspended",
    "t": "ParameterDescription",
}


def encode_line(line: str) -> bytes:
    """Return the bytes of a `>` line."""
    name, *fields = read_fields(line[1:])
    match name:
        case "Query":
            return wire.query(*fields)
        case "Parse":
            return wire.parse(*fields)
        case "Bind":
            portal, statement, parameters, parameter_formats, result_formats = fields
            return wire.bind(
                portal,
                statement,
                [None if value is None else encode_field(value) for value in parameters],
                parameter_formats=parameter_formats,
                result_formats=result_formats,
            )
        case "Describe":
            return wire.describe(*fields)
        case "Execute":
            return wire.execute(*fields)
        case "Close":
            return wire.close(*fields)
        case _:
            return {"Sync": wire.SYNC, "Flush": wire.FLUSH}[name]


def read_fields(line: str) -> list[Any]:
    name, _, rest = line.strip().partition(" ")
    fields: list[Any] = [name]
    while rest := rest.lstrip():
        value, end = json.JSONDecoder().raw_decode(rest)
        fields.append(value)
        rest = rest[end:]
    return fields


def encode_field(value: str) -> bytes:
    return bytes.fromhex(value[2:]) if value.startswith("\\x") else value.encode()


def show(message: Message) -> str:
    """Return the `<` line of a message."""
    type_byte, body = message
    match type_byte:
        case "C" | "S":
            shown = [json.dumps(word.decode()) for word in body[:-1].split(b"\0")]
        case "D":
            shown = [show_field(field) for field in wire.row_fields(body)]
        case "H":
            shown = [str(code) for (code,) in struct.iter_unpack(">H", b"\0" + body)]
        case "d":
            shown = [json.dumps(body.decode())]
        case "E":
            shown = [wire.error_fields(body)["C"]]
        case "N":
            shown = [json.dumps(wire.error_fields(body)["M"])]
        case "T":
            shown = [f"{oid}:{code}" for _, oid, _, _, code in wire.columns_of(body)]
        case "Z":
            shown = [body.decode()]
        case "t":
            shown = [str(oid) for (oid,) in struct.iter_unpack(">I", body[2:])]
        case _:
            shown = []
    return " ".join([NAMES[type_byte], *shown])


def show_field(field: bytes | None) -> str:
    if field is None:
        return "null"
    text = field.decode(errors="replace")
    return json.dumps(text if text.isprintable() else "\\x" + field.hex())


def steps(case: Path) -> Iterator[tuple[bytes, list[str]]]:
    """Return the messages that are sent in one piece, each with the expected replies."""
    sent, expected = b"", list[str]()
    for line in case.read_text().splitlines():
        if line.startswith(">"):
            if expected:
                yield sent, expected
                sent, expected = b"", []
            sent += encode_line(line)
        elif line.startswith("<"):
            expected.append(line[1:].strip())
    yield sent, expected


def replay(case: Path, client: RawClient, *, piece_bytes: int = 1 << 20) -> None:
    for sent, expected in steps(case):
        for at in range(0, len(sent), piece_bytes):
            client.send(sent[at : at + piece_bytes])
        received: list[str] = []
        while len(received) < len(expected):
            message = client.read()
            if message[0] != "S" or case.stem == REPORTS:
                received.append(show(message))
                if received != expected[: len(received)]:
                    break
        assert received == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_our_server(case: Path, gateway: Serving) -> None:
    with gateway.login() as client:
        replay(case, client)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_our_server_byte_by_byte(case: Path, gateway: Serving) -> None:
    with gateway.login() as client:
        replay(case, client, piece_bytes=1)


@contextmanager
def postgres() -> Iterator[RawClient]:
    assert POSTGRES is not None
    host, port, user, database = POSTGRES.split(":")
    with psycopg.connect(host=host, port=int(port), user=user, dbname=database) as connection:
        connection.execute(SETUP)
    with RawClient(host, int(port)) as client:
        options = f"-c search_path={SCHEMA} -c timezone=UTC -c client_min_messages=warning"
        client.login(user=user, database=database, options=options)
        yield client


@pytest.mark.skipif(POSTGRES is None, reason="STATEGATE_TEST_POSTGRES names no server")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_postgres_itself(case: Path) -> None:
    with postgres() as client:
        replay(case, client)
