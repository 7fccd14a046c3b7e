"""Every part of Stategate once, with the oldest packages that pyproject.toml admits.

It writes stores and serves them itself, with a Spark of the gateway's own: it needs no variables.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa

import stategate
from stategate.stores.spark import materialize, spark_session
from tests.clients.programs.steps import expect, main, step
from tests.gateway.tracing.collector import collecting
from tests.support.gateway import Gateway, running_gateway, write_stores
from tests.support.process import plain_environment

SUMS = "SELECT customer, count(*) AS n, sum(amount) AS total FROM orders GROUP BY 1 ORDER BY 1"
JOINED = (
    "SELECT o.number, u.age FROM orders o JOIN users u ON u.name = o.customer WHERE u.name = 'ada'"
)
START_S = 300.0
SETTINGS = ("spark_remote=local[1]", "spark_memory_bytes=1073741824", "statement_timeout_ms=200000")

served: list[Gateway] = []
"""The gateway, once it runs."""


def until(ready: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + START_S
    while not ready():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)


def ask(sql: str, *, accept: str = "application/json", engine: str = "local") -> bytes:
    """Return the body of an answer over HTTP."""
    request = urllib.request.Request(
        f"{served[0].http_url}/v1/query",
        data=json.dumps({"sql": sql, "engine": engine}).encode(),
        headers={"Content-Type": "application/json", "Accept": accept},
    )
    try:
        with urllib.request.urlopen(request, timeout=START_S) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read()) from error


def rows_of(sql: str, *, engine: str = "local") -> Any:
    """Return the rows of an answer over HTTP."""
    return json.loads(ask(sql, engine=engine))["rows"]


@step
def asks_by_http() -> None:
    expect(rows_of("SELECT amount FROM orders WHERE customer = 'ada' AND number = 3"), [["75.75"]])
    expect([row[1] for row in rows_of(SUMS)], [4, 4, 4])
    expect(rows_of(JOINED)[0][1], 36)


@step
def reads_arrow() -> None:
    body = ask(SUMS, accept="application/vnd.apache.arrow.stream")
    expect(pa.ipc.open_stream(io.BytesIO(body)).read_all().num_rows, 3)


@step
def asks_by_the_wire() -> None:
    with psycopg.connect(served[0].pg_dsn, autocommit=True) as db:
        expect([row[1] for row in db.execute(SUMS)], [4, 4, 4])
        found = db.execute("SELECT age FROM users WHERE name = %s", ["ada"]).fetchall()
        expect(found, [(36,)])


@step
def reads_with_the_client() -> None:
    with stategate.connect(served[0].http_url) as db:
        expect([row[1] for row in db.execute(SUMS)], [4, 4, 4])
        expect(db.arrow(SUMS).column("n").to_pylist(), [4, 4, 4])
        expect(db.df(SUMS)["n"].tolist(), [4, 4, 4])
        expect(db.pl(SUMS)["n"].to_list(), [4, 4, 4])


@step
def follows_with_the_client() -> None:
    with (
        stategate.connect(served[0].http_url) as db,
        db.subscribe("SELECT customer, number FROM orders") as changes,
    ):
        first = next(iter(changes))
        assert isinstance(first, stategate.FirstRows)
        expect(len(first.rows), 12)


@step
def prints_a_table() -> None:
    command = [
        sys.executable,
        "-m",
        "stategate.gateway.main",
        "sql",
        "--url",
        served[0].http_url,
        "-c",
        SUMS,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "ada" in done.stdout


@step
def has_metrics() -> None:
    with urllib.request.urlopen(f"{served[0].http_url}/metrics", timeout=20) as answer:
        assert b"process_cpu_seconds_total" in answer.read()


@step
def sends_spans() -> None:
    with tempfile.TemporaryDirectory() as directory, collecting() as collected:
        spans = plain_environment(OTEL_EXPORTER_OTLP_ENDPOINT=collected.url)
        write_stores(Path(directory) / "log")
        with (
            running_gateway(
                Path(directory) / "log",
                Path(directory),
                arguments=["--set", "traces=otlp"],
                environment=spans,
            ) as gateway,
            psycopg.connect(gateway.pg_dsn, autocommit=True) as db,
        ):
            db.execute("SELECT 1")
        assert collected.spans()


@step
def keeps_a_store_by_spark() -> None:
    with tempfile.TemporaryDirectory() as directory:
        spark = spark_session("oldest", master="local[1]", shuffle_partitions=1)
        rate = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
        counts = rate.selectExpr("value % 3 AS rest").groupBy("rest").count()
        query = materialize(
            counts,
            store="counts",
            key=["rest"],
            root=str(served[0].root),
            partitions=2,
            checkpoint=directory,
            inputs=["rate"],
        )
        try:
            until(lambda: _has_store("counts") and len(rows_of("SELECT * FROM counts")) == 3)
        finally:
            query.stop()
        read: Any = (
            spark.read.format("stategate").option("root", str(served[0].root)).load("counts")
        )
        expect(sorted(row["rest"] for row in read.toPandas().to_dict("records")), [0, 1, 2])
        spark.stop()


def _has_store(name: str) -> bool:
    with urllib.request.urlopen(f"{served[0].http_url}/v1/stores", timeout=20) as answer:
        return name.encode() in answer.read()


@step
def runs_a_statement_on_spark() -> None:
    def state() -> str:
        with urllib.request.urlopen(f"{served[0].http_url}/readyz", timeout=20) as answer:
            return str(json.load(answer)["spark"]["state"])

    until(lambda: state() == "running")
    expect(rows_of(SUMS, engine="spark"), rows_of(SUMS))


if __name__ == "__main__":
    options = [word for each in SETTINGS for word in ("--set", each)]
    with tempfile.TemporaryDirectory() as place:
        write_stores(Path(place) / "log")
        with running_gateway(Path(place) / "log", Path(place), arguments=options) as running:
            served.append(running)
            main()
