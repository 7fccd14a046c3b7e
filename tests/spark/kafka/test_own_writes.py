"""A client that knows where its record is in Kafka reads it from the store."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from tests.spark.kafka.broker import Broker
from tests.spark.kafka.pipeline import Pipeline

pytestmark = pytest.mark.spark


def test_the_first_record_of_an_empty_topic(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    broker.create(topic)
    pipeline.of(subscribe=topic)
    assert broker.produce(topic, "a", "first") == 0
    assert pipeline.texts(f"{topic}[0] >= 0") == {"a": "first"}
    assert broker.produce(topic, "a", "second") == 1
    assert pipeline.texts(f"{topic}[0] >= 1") == {"a": "second"}


def test_the_first_record_after_an_epoch_without_any(
    broker: Broker, pipeline: Pipeline, topic: str
) -> None:
    """An empty partition is not at offset 0 yet."""
    broker.create(topic, 2)
    query = pipeline.of(subscribe=topic)
    query.processAllAvailable()
    assert pipeline.position() == {}
    assert pipeline.texts("LATEST") == {}
    with pytest.raises(QueryError, match=rf"{topic}\[1\] is at no offset yet, behind 0"):
        pipeline.texts(f"{topic}[1] >= 0", "0 s")
    assert broker.produce(topic, "a", "first", partition=1) == 0
    assert pipeline.texts(f"{topic}[1] >= 0") == {"a": "first"}
    assert pipeline.position() == {topic: {1: 0}}


def test_a_topic_that_feeds_no_store_is_refused(
    broker: Broker, pipeline: Pipeline, topic: str
) -> None:
    broker.create(topic)
    pipeline.of(subscribe=topic)
    for others in (f"ordres{topic}[0] >= 0", f"{topic}[0] >= 0, ordres{topic}[0] >= 0"):
        with pytest.raises(QueryError, match=rf'topic "ordres{topic}" does not feed store "latest'):
            pipeline.texts(others, "1 s")
    token = f'\'{{"ordres{topic}": {{"0": 0}}}}\''
    with pytest.raises(QueryError, match=rf'topic "ordres{topic}" does not feed'):
        pipeline.texts(token, "1 s")
