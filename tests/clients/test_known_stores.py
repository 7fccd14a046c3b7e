"""The running gateway returns what was written, by both of its protocols.

Other tests of real clients build on these stores; if this one fails, look here first.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence

import httpx
import psycopg
import pytest
from psycopg.rows import dict_row

import stategate
from stategate.stores.spec.schema import StoreSchema
from tests.support.gateway import (
    CLICKS_HOURLY,
    CLICKS_ROWS,
    ORDERS,
    ORDERS_POSITION,
    ORDERS_ROWS,
    USERS,
    USERS_ROWS,
    ClientRow,
    Gateway,
)

KNOWN: tuple[tuple[StoreSchema, Sequence[ClientRow]], ...] = (
    (USERS, USERS_ROWS),
    (ORDERS, ORDERS_ROWS),
    (CLICKS_HOURLY, CLICKS_ROWS),
)


def complete(schema: StoreSchema, rows: Iterable[ClientRow]) -> list[dict[str, object]]:
    """Return the rows with all columns, as psycopg's types, in the order of keys."""
    full = [{c.name: _loaded(c.name, row.get(c.name)) for c in schema.columns} for row in rows]
    return in_order(full, schema)


def in_order(rows: Iterable[dict[str, object]], schema: StoreSchema) -> list[dict[str, object]]:
    names = [c.name for c in (*schema.key, *schema.time_columns)]
    return sorted(rows, key=lambda row: [str(row[name]) for name in names])


def _loaded(name: str, value: object) -> object:
    if name == "device" and value is not None:
        return uuid.UUID(str(value))
    if name == "profile" and value is not None:
        return json.loads(str(value))
    return value


@pytest.mark.parametrize(("schema", "rows"), KNOWN, ids=lambda x: getattr(x, "name", ""))
def test_the_python_client_gives_the_rows(
    gateway: Gateway, schema: StoreSchema, rows: Sequence[ClientRow]
) -> None:
    with stategate.connect(gateway.http_url) as db:
        cursor = db.execute(f"SELECT * FROM {schema.name}")
        assert cursor.description is not None
        names = [each[0] for each in cursor.description]
        found = [dict(zip(names, row, strict=True)) for row in cursor]
        assert in_order(found, schema) == complete(schema, rows)
        if schema is ORDERS:
            assert db.position.to_dict() == ORDERS_POSITION.to_dict()
            key = ["ada", 1]
            cursor = db.execute("SELECT note FROM orders WHERE customer = $1 AND number = $2", key)
            assert (cursor.fetchall(), cursor.position) == ([(None,)], db.position)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("schema", "rows"), KNOWN, ids=lambda x: getattr(x, "name", ""))
def test_postgres_wire_gives_the_rows(
    gateway: Gateway, schema: StoreSchema, rows: Sequence[ClientRow], binary: bool
) -> None:
    with (
        psycopg.connect(gateway.pg_dsn, connect_timeout=10) as connection,
        connection.cursor(row_factory=dict_row, binary=binary) as cursor,
    ):
        found = cursor.execute(f"SELECT * FROM {schema.name}").fetchall()
    assert in_order(found, schema) == complete(schema, rows)


@pytest.mark.parametrize("row", USERS_ROWS, ids=lambda row: repr(row["name"]))
def test_postgres_wire_finds_each_key(gateway: Gateway, row: Mapping[str, object]) -> None:
    with psycopg.connect(gateway.pg_dsn, connect_timeout=10, row_factory=dict_row) as connection:
        found = connection.execute("SELECT * FROM users WHERE name = %s", [row["name"]]).fetchall()
    assert found == complete(USERS, [row])


def test_http_gives_the_rows_and_the_position(gateway: Gateway) -> None:
    answer = httpx.post(
        f"{gateway.http_url}/v1/query",
        json={
            "sql": "SELECT number, note, _epoch FROM orders WHERE customer = $1 ORDER BY number",
            "params": ["ada"],
        },
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert [column["name"] for column in body["columns"]] == ["number", "note", "_epoch"]
    # The second epoch changed order 1 and added order 3; the others are as in the first.
    assert body["rows"] == [
        [-1, None, 0],
        [1, None, 1],
        [2, "order 2 of ada", 0],
        [3, None, 1],
    ]
    written = {t: {str(p): o for p, o in c.items()} for t, c in ORDERS_POSITION.to_dict().items()}
    assert body["position"] == written


def test_deleted_entries_are_gone(gateway: Gateway) -> None:
    with psycopg.connect(gateway.pg_dsn, connect_timeout=10) as connection:
        gone = "SELECT count(*) FROM orders WHERE customer = 'mallory'"
        assert connection.execute(gone).fetchone() == (0,)
