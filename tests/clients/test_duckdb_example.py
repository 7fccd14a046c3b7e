"""The example of DuckDB's ATTACH, run as its readers run it, over a store like the demo's."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import InputTopic, StoreKind, StoreSchema
from tests.clients.environments import ROOT, Made
from tests.support.gateway import Gateway, columns, running_gateway

CARRIER_DELAYS = StoreSchema(
    name="carrier_delays",
    kind=StoreKind.KEYVALUE,
    key=columns(carrier="text"),
    value=columns(
        flights="bigint", cancelled="bigint", mean_arr_delay="double", max_arr_delay="double"
    ),
    partitions=4,
    inputs=(InputTopic(topic="flights"),),
)
ROWS = {
    "carrier": ["HA", "OO", "US", "YV"],
    "flights": [342, 32, 20_536, 601],
    "cancelled": [0, 3, 663, 56],
    "mean_arr_delay": [-6.5, 12.25, 2.125, 15.5],
    "max_arr_delay": [1272.0, 157.0, 492.0, 381.0],
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    directory = tmp_path_factory.mktemp("demo")
    table = pa.Table.from_pydict(ROWS, schema=CARRIER_DELAYS.arrow_schema())
    position = Position.of({"flights": {0: 364}})
    StoreWriter(str(directory / "log"), CARRIER_DELAYS).write(table, position=position)
    with running_gateway(directory / "log", directory) as running:
        yield running


@pytest.mark.parametrize("name", ["duckdb-1.5", "duckdb-1.4"])
def test_carriers(
    name: str, environment: Callable[[str], Made], demo: Gateway, tmp_path: Path
) -> None:
    snapshot = tmp_path / "carriers.parquet"
    program = "examples/duckdb_attach/carriers.py"
    arguments = ["--port", str(demo.pg_port), "--snapshot", str(snapshot)]
    done = subprocess.run(
        [environment(name).python, program, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "SkyWest Airlines Inc.\t32\t9.38",
        "Mesa Airlines Inc.\t601\t9.32",
        "US Airways Inc.\t20536\t3.23",
        "Hawaiian Airlines Inc.\t-6.5",
        "US Airways Inc.\t2.125",
        "4\t21511",
    ]
    assert pq.read_table(snapshot).num_rows == 4
