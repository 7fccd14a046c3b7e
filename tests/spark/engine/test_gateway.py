"""A gateway process that starts a Spark of its own, asked by HTTP and the Postgres wire."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.spark.conftest import FAST_START
from tests.support.gateway import running_gateway, write_stores
from tests.support.process import plain_environment
from tests.support.waiting import until

pytestmark = [pytest.mark.spark, pytest.mark.server, pytest.mark.timeout(900)]
START_S = 600
SQL = "SELECT customer, count(*) AS n, sum(amount) FROM orders GROUP BY customer ORDER BY customer"


def test_a_gateway_with_a_spark_of_its_own(tmp_path: Path) -> None:
    write_stores(tmp_path / "log")
    given = (
        "spark_remote=local[1]",
        "spark_memory_bytes=1073741824",
        "statement_timeout_ms=400000",
    )
    options = [word for each in given for word in ("--set", each)]
    quick = plain_environment(JAVA_TOOL_OPTIONS=FAST_START["spark.driver.extraJavaOptions"])
    with running_gateway(
        tmp_path / "log", tmp_path, arguments=options, environment=quick
    ) as gateway:
        url = gateway.http_url

        def state() -> str:
            return str(httpx.get(f"{url}/readyz").json()["spark"]["state"])

        def ask(sql: str, engine: str) -> httpx.Response:
            body = {"sql": sql, "engine": engine}
            return httpx.post(f"{url}/v1/query", json=body, timeout=400)

        if state() != "running":
            refused = ask(SQL, "spark")
            assert refused.status_code in {200, 503}
        until(lambda: state() == "running", START_S)
        answers = {engine: ask(SQL, engine).json() for engine in ("spark", "local")}
        assert "error" not in answers["spark"], answers["spark"]
        for each in ("columns", "rows", "position"):
            assert answers["spark"][each] == answers["local"][each]
        assert len(answers["spark"]["rows"]) == 3
        assert "stategate_spark_statements_total 1" in httpx.get(f"{url}/metrics").text
        with psycopg.connect(gateway.pg_dsn, autocommit=True) as connection:
            connection.execute("SET stategate.engine = 'spark'")
            found = connection.execute(SQL).fetchall()
            connection.execute("SET stategate.engine = 'local'")
            assert found == connection.execute(SQL).fetchall()
        with psycopg.connect(
            gateway.pg_dsn, options="-c stategate.engine=spark", autocommit=True
        ) as connection:
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                connection.execute("SELECT lower(customer) FROM orders")
            shown = connection.execute(f"EXPLAIN {SQL}").fetchall()
            assert ("engine spark: stategate.engine is spark",) in shown
        jvms = _jvms_of(gateway.process.pid)
        assert jvms
        os.kill(gateway.process.pid, signal.SIGKILL)
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in jvms), 60)


def _jvms_of(parent: int) -> list[int]:
    """Return the Java processes that descend from a process."""
    parents: dict[int, tuple[int, str]] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                name, _, rest = (each / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            parents[int(each.name)] = int(rest.split()[1]), name
    found, left = [], [parent]
    while left:
        above = left.pop()
        below = [pid for pid, (ppid, _) in parents.items() if ppid == above]
        found += [pid for pid in below if parents[pid][1] == "java"]
        left += below
    return found
