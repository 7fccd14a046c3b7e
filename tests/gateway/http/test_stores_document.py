"""The documents of `/v1/stores`: definitions, and the state of replicas."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from stategate.gateway.http.stores_document import describe_stores
from stategate.stores.hosting.host import Host
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.schema import TIMESTAMPTZ
from tests.support.stores import window

HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=3_600_000)
WAIT_S = 30.0


def test_the_state_of_a_replica(tmp_path: Path) -> None:
    hour_us = 3_600_000_000
    starts = pa.array([hour_us, 0, 3 * hour_us], TIMESTAMPTZ.arrow)
    ends = pa.array([2 * hour_us, hour_us, 4 * hour_us], TIMESTAMPTZ.arrow)
    rows = {"usr": ["ann"] * 3, "window_start": starts, "window_end": ends, "n": [1, 2, 3]}
    key = (replace(HOURS.key[0], comment="who clicked"),)
    StoreWriter(tmp_path / "log", replace(HOURS, key=key, comment="clicks by hour")).write(
        pa.table(rows),
        position=Position.of({"events": {0: 41}}),
        watermark_ms=2 * 3_600_000,
        committed_ms=7,
    )
    with contextlib.closing(Host(str(tmp_path / "log"), tmp_path / "data")) as host:
        host.start()
        assert host.stores["hours"].wait(0, PositionBound.at_latest(), timeout_s=WAIT_S)
        (document,) = describe_stores(host)
    assert document["by_event_time"] is False
    assert document["comment"] == "clicks by hour"
    assert document["key"] == [
        {"name": "usr", "type": "text", "not_null": False, "comment": "who clicked"}
    ]
    columns = document["columns"]
    assert isinstance(columns, list)
    assert {each["name"]: each["comment"] for each in columns} == {
        "usr": "who clicked",
        "window_start": None,
        "window_end": None,
        "n": None,
    }
    assert document["replicas"] == [
        {
            "partition": 0,
            "role": "active",
            "state": "running",
            "epoch": 0,
            "position": {"events": {"0": 41}},
            "watermark_ms": 7_200_000,
            "committed_ms": 7,
            "late_rows": 2,
            "error": None,
        }
    ]
