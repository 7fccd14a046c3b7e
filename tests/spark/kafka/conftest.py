"""One broker for all tests; each test makes topics and a pipeline of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from examples.kafka_orders.jars import missing
from tests.spark.kafka.broker import Broker, running_broker
from tests.spark.kafka.pipeline import Pipeline

_numbers = itertools.count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests if their jars have not been fetched."""
    lacking = [jar.name for section in ("connector", "broker") for jar in missing(section)]
    if lacking:
        why = f"{lacking[0]} and {len(lacking) - 1} other jars are not here: run `make kafka`"
        here = f"{Path(__file__).parent}/"
        for item in items:  # all of them, so this is faster than a comparison of paths
            if str(item.path).startswith(here):
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with running_broker(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def topic() -> str:
    """A name that no other test uses."""
    return f"orders{next(_numbers)}"


@pytest.fixture
def pipeline(spark: SparkSession, broker: Broker, tmp_path: Path) -> Iterator[Pipeline]:
    made = Pipeline(spark, broker.address, tmp_path)
    yield made
    made.close()
