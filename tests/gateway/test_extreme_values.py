"""Values at the limits of their types: every way out of the gateway has them, and they agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.datatypes import DataType
from stategate.stores.spec.position import Position
from tests.stores.log.data.test_canonical import CHANGED, KEPT, listed
from tests.support.gateway import Gateway, columns, running_gateway, schema_of

pytestmark = pytest.mark.server

WRITTEN = [*KEPT, *((name, values) for name, values, _ in CHANGED)]
COLUMNS: dict[str, tuple[str, pa.Array[Any]]] = {
    f"{name.partition('(')[0]}_{number}": (name, values)
    for number, (name, values) in enumerate(WRITTEN)
}
STORES = {
    **COLUMNS,
    **{f"{store}s": (f"{name}[]", listed(values)) for store, (name, values) in COLUMNS.items()},
}


@pytest.fixture(scope="module")
def extremes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    directory = tmp_path_factory.mktemp("extremes")
    for store, (name, values) in STORES.items():
        schema = schema_of(store, key=columns(k="integer"), value=columns(v=name), partitions=1)
        rows = pa.table({"k": pa.array(range(len(values)), pa.int32()), "v": values})
        StoreWriter(directory / "log", schema).write(rows, position=Position())
    with running_gateway(directory / "log", directory) as gateway:
        yield gateway


def answers(connection: psycopg.Connection[Any], sql: str, *, binary: bool) -> list[bytes | None]:
    with psycopg.RawCursor(connection) as cursor:
        cursor.execute(sql, binary=binary)
        result = cursor.pgresult
        assert result is not None
        return [result.get_value(row, 0) for row in range(result.ntuples)]


@pytest.mark.parametrize("store", list(STORES))
def test_all_ways_out_agree(extremes: Gateway, store: str) -> None:
    name, values = STORES[store]
    scanned = f"SELECT v FROM {store} ORDER BY k"
    composed = f"SELECT v FROM {store} ORDER BY k + random() * 0"
    if (
        DataType.parse(name).kind.record.has_extremes
        and name != "bytea"
        and not name.endswith("[]")
    ):
        composed = f"SELECT max(v) FROM {store} GROUP BY k ORDER BY k"
    with psycopg.connect(extremes.pg_dsn, autocommit=True) as connection:
        for binary in (False, True):
            each = [
                answers(connection, f"SELECT v FROM {store} WHERE k = {key}", binary=binary)[0]
                for key in range(len(values))
            ]
            assert answers(connection, scanned, binary=binary) == each
            assert answers(connection, composed, binary=binary) == each
    bodies: dict[str, list[Any]] = {"json": [], "csv": [], "arrow": []}
    for sql in (scanned, composed):
        for form, media in (
            ("json", "application/json"),
            ("csv", "text/csv"),
            ("arrow", "application/vnd.apache.arrow.stream"),
        ):
            answer = httpx.post(
                f"{extremes.http_url}/v1/query", json={"sql": sql}, headers={"Accept": media}
            )
            assert answer.status_code == 200, answer.text
            if form == "json":
                found = answer.json()["rows"]
            elif form == "csv":
                found = answer.text.partition("\r\n")[2]
            else:
                table = pa.ipc.open_stream(answer.content).read_all()
                table.validate(full=True)
                found = repr(physical_list(table.column(0), DataType.parse(name)))
            bodies[form].append(found)
    assert all(first == second for first, second in bodies.values())
    assert "NaT" not in str(bodies)
