"""The example with orders, run as a user runs it: each order is read back by its sender."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.conftest import FAST_START
from tests.spark.kafka.broker import Broker
from tests.support.gateway import running_gateway
from tests.support.process import ServerProcess

pytestmark = [
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.server,
    pytest.mark.timeout(240),
]

ORDERS = Path(__file__).parents[3] / "examples" / "kafka_orders"


def order(broker: Broker, gateway: str, customer: str, amount: str) -> str:
    """Make an order, and return what the program printed."""
    command = [str(ORDERS / "order.py"), customer, amount, "--kafka", broker.address]
    done = subprocess.run(
        [sys.executable, *command, "--gateway", gateway],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_order_is_read_by_its_sender(broker: Broker, tmp_path: Path) -> None:
    root, directory = tmp_path / "log", tmp_path / "gateway"
    directory.mkdir()
    broker.create("orders", 2)
    command = [str(ORDERS / "pipeline.py"), "--root", str(root), "--kafka", broker.address]
    pipeline = ServerProcess(
        [sys.executable, *command],
        output=tmp_path / "pipeline.log",
        ready=(root / "customers" / "store.json").exists,
        ready_timeout_s=90,
        environment=os.environ | {"JAVA_TOOL_OPTIONS": FAST_START["spark.driver.extraJavaOptions"]},
    )
    with pipeline, running_gateway(root, directory) as gateway:
        assert order(broker, gateway.http_url, "ann", "25.50") == "ann: 1 orders, 25.50 in all"
        assert order(broker, gateway.http_url, "ann", "4") == "ann: 2 orders, 29.50 in all"
        assert order(broker, gateway.http_url, "bob", "7") == "bob: 1 orders, 7.00 in all"
