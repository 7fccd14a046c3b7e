"""Kafka accepts the settings of its service in docker/compose.yaml."""

from __future__ import annotations

import re
from pathlib import Path

from tests.spark.kafka.broker import format_storage
from tests.test_docker import services


def test_the_settings_of_the_broker_are_valid(tmp_path: Path) -> None:
    found = dict(re.findall(r'^ +KAFKA_(\w+): "(.*)"$', services()["kafka"], re.MULTILINE))
    found["LOG_DIRS"] = str(tmp_path / "data")
    lines = [f"{name.lower().replace('_', '.')}={value}" for name, value in found.items()]
    settings = tmp_path / "server.properties"
    settings.write_text("\n".join(lines))
    format_storage(settings)
    assert (tmp_path / "data" / "meta.properties").exists()
