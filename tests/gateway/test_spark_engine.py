"""The Spark engine of a gateway: its settings, its start in the background, and its state."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from stategate.gateway import spark_engine
from stategate.gateway.errors import SettingsError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.spark_state import spark_document, spark_families
from stategate.gateway.settings import Settings
from stategate.gateway.spark_engine import BackgroundEngine, open_spark
from stategate.stores.errors import EngineError
from stategate.stores.spec.query_engine import EngineRun, EngineStatement, EngineStatus
from tests.support.waiting import until

STATEMENT = EngineStatement(sql="SELECT 1", relations={}, values={})


class FakeSpark:
    def __init__(self) -> None:
        self.closed = False

    @property
    def status(self) -> EngineStatus:
        return EngineStatus(state="running", running=1, statements=7, failures=2, sessions=3)

    def run(self, statement: EngineStatement) -> EngineRun:
        raise EngineError(f"took {statement.sql}", sqlstate="58030")

    def close(self) -> None:
        self.closed = True


def test_an_engine_takes_no_statement_until_it_is_made() -> None:
    may_go_on, made = threading.Event(), FakeSpark()

    def make() -> FakeSpark:
        assert may_go_on.wait(10)
        return made

    engine = BackgroundEngine(make)
    assert engine.status.state == "starting"
    with pytest.raises(EngineError) as caught:
        engine.run(STATEMENT)
    assert (caught.value.sqlstate, caught.value.detail) == ("57P03", "It is starting.")
    may_go_on.set()
    until(lambda: engine.status.state == "running")
    with pytest.raises(EngineError, match="took SELECT 1"):
        engine.run(STATEMENT)
    engine.close()
    assert made.closed


def test_an_engine_that_is_closed_before_it_is_made_is_closed_then() -> None:
    may_go_on, made = threading.Event(), FakeSpark()

    def make() -> FakeSpark:
        assert may_go_on.wait(10)
        return made

    engine = BackgroundEngine(make)
    engine.close()
    may_go_on.set()
    until(lambda: made.closed)


def test_an_engine_that_cannot_be_made_says_why(caplog: pytest.LogCaptureFixture) -> None:
    def make() -> FakeSpark:
        raise OSError("no Java")

    engine = BackgroundEngine(make)
    until(lambda: engine.status.state == "failed")
    with pytest.raises(EngineError) as caught:
        engine.run(STATEMENT)
    assert (caught.value.sqlstate, caught.value.detail) == ("57P03", "no Java")
    until(lambda: "does not start" in caplog.text)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_spark(Settings()) is None
    monkeypatch.setattr(spark_engine, "_PACKAGES", ("pyspark", "no_such", "google.no_such"))
    with pytest.raises(SettingsError) as caught:
        open_spark(Settings(spark_remote="sc://127.0.0.1:1"))
    assert "no_such, google.no_such" in caught.value.message
    assert "pip install 'stategate[engine]'" in (caught.value.hint or "")


def test_spark_reads_the_root_of_the_gateway(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert spark_engine._absolute("state") == str(tmp_path / "state")
    assert spark_engine._absolute("s3://bucket/state") == "s3://bucket/state"


@pytest.mark.parametrize("remote", ["", "local", "local[2]", "local[*]", "sc://a:1/;token=x"])
def test_addresses(remote: str) -> None:
    assert Settings(spark_remote=remote).spark_remote == remote


@pytest.mark.parametrize(
    ("remote", "workers", "said"),
    [
        ("yarn", 1, "is not the address"),
        ("local[x]", 1, "is not the address"),
        ("sc://", 1, "is not the address"),
        ("local[2]", 2, "each worker would start a Spark"),
    ],
)
def test_wrong_addresses_are_refused(remote: str, workers: int, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Settings(spark_remote=remote, workers=workers)


@pytest.mark.anyio
async def test_a_gateway_is_ready_without_spark(services: Services) -> None:
    failed = EngineStatus(state="failed", error="10.0.0.1 refuses")
    app = create_app(replace(services, spark=lambda: failed))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "spark": {"state": "failed", "error": "10.0.0.1 refuses"},
    }
    assert spark_document(failed, is_trusted=False) == {"state": "failed", "error": None}


def test_metrics() -> None:
    spark = FakeSpark()
    found = "".join(f.text(openmetrics=False) for f in spark_families(lambda: spark.status)())
    samples = [line for line in found.splitlines() if not line.startswith("#")]
    assert samples == [
        "stategate_spark_ready 1",
        "stategate_spark_running 1",
        "stategate_spark_statements_total 7",
        "stategate_spark_failures_total 2",
        "stategate_spark_sessions_total 3",
    ]
