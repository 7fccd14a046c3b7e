"""Logs as released versions have written them: read, verified, and gone on with.

The one of a version is made at its release, and never again.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores import Host, Position, StoreWriter, verify
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.query import Query, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import in_store
from stategate.stores.spec.windows import WindowRangeQuery
from tests.support.waiting import until

RELEASED = Path(__file__).parent / "released"
VERSIONS = sorted(path.name for path in RELEASED.iterdir())
START = datetime(2026, 3, 1, tzinfo=UTC)
HOURS = [("JFK", 0, 3), ("JFK", 1, 4), ("LGA", 0, 5)]


def order(customer: str, number: int, **changed: object) -> dict[str, object]:
    return {
        "customer": customer,
        "number": number,
        "amount": Decimal(number) * Decimal("1.25"),
        "due": date(2026, 1, number),
        "seen": datetime(2026, 2, number, 3, 4, 5, 678901, UTC),
        "tags": [customer, None],
        "extra": '{"b": 1, "a": [2.50]}',
        "raw": bytes([number, 0]),
        "open": number % 2 == 0,
        "score": number / 3,
        **changed,
    }


ORDERS = [
    order("ada", 1),
    order("ada", 2, score=9.5),
    order("eve", 4),
    order("late", 6),
    order("zoë", 5, score=None),
]
"""What epochs have left: rows, changed ones, a deletion after a gap, rows after a snapshot."""


QUERIES: Mapping[str, Query[Any]] = {"orders": RangeQuery(), "hours": WindowRangeQuery()}


@pytest.fixture(params=VERSIONS)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return shutil.copytree(RELEASED / request.param, tmp_path / "log")


def rows_of(root: Path, store: str, data: Path) -> list[dict[str, Any]]:
    host = Host(root, data)
    host.start()
    try:
        until(lambda: not host.query(in_store(store).with_query(QUERIES[store])).failures)
        found = host.query(in_store(store).with_query(QUERIES[store]))
        batches = [
            batch
            for part in found.partitions.values()
            if isinstance(part, Success)
            for batch in part.value
        ]
    finally:
        host.close()
    return sorted(
        (row for batch in batches for row in batch.to_pylist()),
        key=lambda row: str([*row.values()]),
    )


@pytest.mark.parametrize("has_snapshot", [True, False])
def test_its_rows_are_read(root: Path, tmp_path: Path, *, has_snapshot: bool) -> None:
    if not has_snapshot:
        shutil.rmtree(root / "orders" / "snapshots")
    assert rows_of(root, "orders", tmp_path / "data") == ORDERS
    assert rows_of(root, "hours", tmp_path / "data") == [
        {
            "airport": airport,
            "window_start": START + timedelta(hours=hour),
            "window_end": START + timedelta(hours=hour + 1),
            "flights": flights,
        }
        for airport, hour, flights in HOURS
    ]


def test_it_is_whole(root: Path) -> None:
    for store in ("orders", "hours"):
        assert verify(root, store).damages == ()


def test_writers_go_on(root: Path, tmp_path: Path) -> None:
    schema = StoreLog.open(root, "orders").schema()
    more = pa.Table.from_pylist([order("new", 7)], schema=schema.arrow_schema())
    writer = StoreWriter(root, schema)
    assert writer.write(more, position=Position.of({"orders": {0: 9}})).epoch == 11
    assert rows_of(root, "orders", tmp_path / "data") == [*ORDERS[:4], order("new", 7), ORDERS[4]]
