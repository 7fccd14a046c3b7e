"""The flights example, run as a user runs it, gives the same answers as Arrow."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from stategate.stores.log.state_log import StateLog, StoreLog
from tests.spark.conftest import FAST_START
from tests.support.process import started

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

FLIGHTS = Path(__file__).parents[2] / "examples" / "flights"
DAYS = 3


@pytest.fixture(scope="module")
def replay() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay", FLIGHTS / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_replay_is_one_file_per_day_in_order(replay: ModuleType, tmp_path: Path) -> None:
    assert replay.write_days(tmp_path) == 336_776
    files = sorted(tmp_path.iterdir())
    assert len(files) == 366
    assert files == sorted(files, key=lambda path: path.stat().st_mtime)
    first, second = (pq.read_table(path) for path in files[:2])
    for path, table in zip(files, (first, second), strict=False):
        times = table.column("event_time")
        assert times.to_pylist() == sorted(times.to_pylist())
        assert {str(time.date()) for time in times.to_pylist()} == {path.stem}


def rows_of(log: StoreLog) -> list[dict[str, Any]]:
    """Return the rows of a replica: each epoch's rows replace earlier ones."""
    live: dict[Any, dict[str, Any]] = {}
    after = -1
    while (commit := log.next_commit(after, list_now=True)) is not None:
        for partition in range(log.schema().partitions):
            for batch in log.read(commit, partition):
                for row in batch.to_pylist():
                    live[row[log.schema().key[0].name], row.get("window_start")] = row
        after = commit.epoch
    return list(live.values())


def test_the_pipeline_runs_until_it_is_stopped(replay: ModuleType, tmp_path: Path) -> None:
    days, root = tmp_path / "days", tmp_path / "log"
    replay.write_days(days)
    for path in sorted(days.iterdir())[DAYS:]:
        path.unlink()
    flights = pq.read_table(days)
    with started(
        [sys.executable, str(FLIGHTS / "pipeline.py"), "--input", str(days), "--root", str(root),
         "--days", "2", "--progress"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"JAVA_TOOL_OPTIONS": FAST_START["spark.driver.extraJavaOptions"]},
    ) as pipeline:  # fmt: skip
        assert pipeline.stdout is not None
        done: set[str] = set()
        for line in pipeline.stdout:
            progress = json.loads(line)
            assert set(progress) == {"store", "epoch", "rows"}
            if progress["rows"] == flights.num_rows:
                done.add(progress["store"])
            if len(done) == 3:
                break
        pipeline.send_signal(signal.SIGTERM)
        # Read its output while it stops: a full pipe would block it.
        _, said = pipeline.communicate(timeout=60)
        assert pipeline.returncode == 0
        assert "Traceback" not in said

    log = StateLog(root)
    assert log.stores() == ["aircraft", "airport_hourly", "carrier_delays"]
    assert [i.topic for i in log.store("aircraft").schema().inputs] == ["flights"]
    carriers = {row["carrier"]: row for row in rows_of(log.store("carrier_delays"))}
    assert sum(row["flights"] for row in carriers.values()) == flights.num_rows
    united = flights.filter(pc.equal(flights.column("carrier"), "UA"))
    assert carriers["UA"]["flights"] == united.num_rows
    assert carriers["UA"]["cancelled"] == united.column("dep_time").null_count
    assert carriers["UA"]["mean_arr_delay"] == pc.mean(united.column("arr_delay")).as_py()
    assert carriers["UA"]["max_arr_delay"] == pc.max(united.column("arr_delay")).as_py()

    hours = rows_of(log.store("airport_hourly"))
    assert sum(row["departures"] for row in hours) == flights.num_rows
    assert all((row["window_end"] - row["window_start"]).seconds == 3600 for row in hours)

    planes = rows_of(log.store("aircraft"))
    known = flights.filter(pc.is_valid(flights.column("tailnum")))
    assert sum(row["flights"] for row in planes) == known.num_rows
    assert sum(row["distance"] for row in planes) == pc.sum(known.column("distance")).as_py()
    plane = planes[0]
    own = known.filter(pc.equal(known.column("tailnum"), plane["tailnum"])).to_pylist()
    last = max(own, key=lambda row: row["event_time"])
    assert plane["last_seen"] == plane["_timestamp"] == last["event_time"]
    assert (plane["last_origin"], plane["last_dest"]) == (last["origin"], last["dest"])
