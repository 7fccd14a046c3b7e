"""Topics of every sort become the same store as their records say, with true positions."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

from tests.spark.kafka.broker import CLIENT_TIMEOUT_S, Broker, send
from tests.spark.kafka.pipeline import Pipeline
from tests.support.waiting import until

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

COUNT = "CAST(count(*) AS STRING) AS text"


def test_several_topics(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    first, second, third = topic, f"{topic}.b", f"{topic}-c"
    for each in (first, second, third):
        broker.create(each)
    records = pipeline.source(subscribe=f"{first}, {second},{third}")
    pipeline.start(records.groupBy("id").agg(F.expr(COUNT)), output_mode="update")
    for each in (first, first, second):
        broker.produce(each, "a", "x")
    assert pipeline.texts(f'{first}[0] >= 1, "{second}"[0] >= 0') == {"a": "3"}
    broker.produce(third, "b", "x")
    assert pipeline.texts(f'"{third}"[0] >= 0') == {"a": "3", "b": "1"}
    assert pipeline.position() == {first: {0: 1}, second: {0: 0}, third: {0: 0}}


def test_a_pattern_finds_topics_later(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    first, later = f"{topic}-first", f"{topic}-later"
    broker.create(first)
    query = pipeline.of(subscribePattern=f"{topic}-.*")
    broker.produce(first, "a", "1")
    assert pipeline.texts(f'"{first}"[0] >= 0') == {"a": "1"}
    broker.create(later)
    broker.produce(later, "b", "2")
    query.processAllAvailable()
    assert pipeline.texts(f'"{later}"[0] >= 0') == {"a": "1", "b": "2"}


def test_partitions_added_while_a_query_runs(
    broker: Broker, pipeline: Pipeline, topic: str
) -> None:
    broker.create(topic)
    pipeline.of(subscribe=topic)
    broker.produce(topic, "a", "1")
    assert pipeline.texts(f"{topic}[0] >= 0") == {"a": "1"}
    broker.add_partitions(topic, 3)
    offset = broker.produce(topic, "b", "2", partition=2)
    assert pipeline.texts(f"{topic}[2] >= {offset}") == {"a": "1", "b": "2"}
    assert pipeline.position() == {topic: {0: 0, 2: 0}}


def test_records_without_a_value_delete(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    broker.create(topic)
    query = pipeline.of(subscribe=topic)
    for key, value in (("a", "1"), ("b", "1"), ("a", None), ("c", None), ("b", None), ("b", "2")):
        last = broker.produce(topic, key, value)
    assert pipeline.texts(f"{topic}[0] >= {last}") == {"b": "2"}
    query.processAllAvailable()
    last = broker.produce(topic, "b", None)
    assert pipeline.texts(f"{topic}[0] >= {last}") == {}


def test_gaps_of_a_compacted_topic(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    """Batches are cut by offsets, so some have few records or none; the position has no gaps."""
    broker.create(
        topic,
        cleanup_policy="compact",
        min_cleanable_dirty_ratio="0.01",
        max_compaction_lag_ms="100",
        segment_ms="100",
    )
    producer = broker.producer()
    for number in range(40):
        send(producer, topic, f"k{number % 5}", str(number))

    def is_compacted() -> bool:
        # The newest segment is never compacted; a later record begins the next one.
        send(producer, topic, "end", "x")
        return 38 not in kept_offsets(broker, topic) or 0 not in kept_offsets(broker, topic)

    until(is_compacted, 30)
    last = send(producer, topic, "end", "y")
    query = pipeline.of(subscribe=topic, maxOffsetsPerTrigger=7)
    query.processAllAvailable()
    read = sum(progress["numInputRows"] for progress in query.recentProgress)
    assert read < last
    expected = {**{f"k{n}": str(35 + n) for n in range(5)}, "end": "y"}
    assert pipeline.texts(f"{topic}[0] >= {last}") == expected
    assert pipeline.position() == {topic: {0: last}}


def kept_offsets(broker: Broker, topic: str) -> set[int]:
    """Return the offsets of the records that a topic still has."""
    consumer = Consumer(
        {"bootstrap.servers": broker.address, "group.id": topic, "enable.partition.eof": True}
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = set()
    while (message := consumer.poll(CLIENT_TIMEOUT_S)) is not None and message.error() is None:
        found.add(message.offset() or 0)
    consumer.close()
    return found


def test_transactions(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    """The end of a transaction has an offset, so the position may be past the last record."""
    broker.create(topic)
    query = pipeline.of(**{"subscribe": topic, "kafka.isolation.level": "read_committed"})
    writer = broker.producer(transactional_id=topic)
    writer.init_transactions(CLIENT_TIMEOUT_S)
    writer.begin_transaction()
    assert send(writer, topic, "a", "1") == 0
    writer.commit_transaction(CLIENT_TIMEOUT_S)
    assert pipeline.texts(f"{topic}[0] >= 0") == {"a": "1"}

    writer.begin_transaction()
    aborted = send(writer, topic, "a", "never")
    writer.abort_transaction(CLIENT_TIMEOUT_S)
    assert pipeline.texts(f"{topic}[0] >= {aborted}") == {"a": "1"}
    query.processAllAvailable()
    assert pipeline.position() == {topic: {0: aborted + 1}}

    # An open transaction holds back all records after its first one, whoever wrote them.
    writer.begin_transaction()
    opened = send(writer, topic, "a", "2")
    committed = broker.produce(topic, "b", "1")
    query.processAllAvailable()
    assert pipeline.position() == {topic: {0: opened - 1}}
    writer.commit_transaction(CLIENT_TIMEOUT_S)
    assert pipeline.texts(f"{topic}[0] >= {committed}") == {"a": "2", "b": "1"}
    query.processAllAvailable()
    assert pipeline.position() == {topic: {0: committed + 1}}


@pytest.mark.parametrize("records", [1, 3, 6])
@pytest.mark.parametrize("restarts", [True, False], ids=["stopped", "running"])
def test_a_topic_made_again_is_refused(
    broker: Broker, pipeline: Pipeline, topic: str, records: int, restarts: bool
) -> None:
    """Its offsets mean other records, also if it has more of them by now."""
    broker.create(topic)
    query = pipeline.of(subscribe=topic, failOnDataLoss="false")
    for number in range(3):
        last = broker.produce(topic, "a", str(number))
    assert pipeline.texts(f"{topic}[0] >= {last}") == {"a": "2"}
    if restarts:
        query.stop()
    broker.delete(topic)
    broker.create(topic)
    for number in range(records):
        broker.produce(topic, "b", f"new{number}")
    if restarts:
        query = pipeline.of(subscribe=topic, failOnDataLoss="false")
    # Spark runs no batch while the end has the same offset.
    broker.produce(topic, "b", "one more")
    with pytest.raises(StreamingQueryException, match="was deleted and created again"):
        query.processAllAvailable()
    assert pipeline.position() == {topic: {0: 2}}
    assert pipeline.texts(f"{topic}[0] >= {last}") == {"a": "2"}


def test_one_topic_read_twice(broker: Broker, pipeline: Pipeline, topic: str) -> None:
    """The slower of two sources says how far the topic has been applied."""
    broker.create(topic)
    for _ in range(3):
        last = broker.produce(topic, "a", "x")
    fast, slow = (pipeline.source(subscribe=topic, maxOffsetsPerTrigger=n) for n in (9, 1))
    pipeline.start(fast.union(slow).groupBy("id").agg(F.expr(COUNT)), output_mode="update")
    assert pipeline.texts(f"{topic}[0] >= {last}") == {"a": "6"}
    assert pipeline.positions()[:3] == [{topic: {0: offset}} for offset in range(3)]
