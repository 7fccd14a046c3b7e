"""The example for Kafka in the README of the stores runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.kafka.broker import Broker
from tests.test_docs import blocks

pytestmark = pytest.mark.spark


def test_blocks_for_kafka_run(
    spark: SparkSession, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    broker.create("prices")
    names: dict[str, Any] = {"spark": spark}
    (code,) = blocks("stores/README.md", "python kafka")
    here = code.replace("127.0.0.1:9092", broker.address)
    for name in ("state", "checkpoints"):
        here = here.replace(f'"{name}', f'"{tmp_path}/{name}')
    exec(compile(here, "stores/README.md", "exec"), names)
