"""A Kafka broker in one process, in KRaft mode, and the little that tests need of a client."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from confluent_kafka import KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from examples.kafka_orders.jars import paths
from stategate.stores.spark.session import use_java
from tests.support.process import ServerProcess, free_ports
from tests.support.waiting import until

CLIENT_TIMEOUT_S = 30.0
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={directory}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.cleaner.backoff.ms=100
log.initial.task.delay.ms=100
"""
_CLUSTER = "c3RhdGVnYXRlLXRlc3RzMQ"
"""Any 16 bytes in base 64."""
_QUICK_START = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
_LOG = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"


class Broker:
    """A running broker."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.admin = AdminClient({"bootstrap.servers": address})

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        """Create a topic; settings have `_` for the dot of Kafka's names."""
        config = {name.replace("_", "."): value for name, value in settings.items()}
        made = self.admin.create_topics([NewTopic(topic, partitions, 1, config=config)])
        made[topic].result(CLIENT_TIMEOUT_S)

    def delete(self, topic: str) -> None:
        """Delete a topic, and wait until it is gone."""
        self.admin.delete_topics([topic])[topic].result(CLIENT_TIMEOUT_S)
        until(lambda: topic not in self.admin.list_topics(timeout=CLIENT_TIMEOUT_S).topics)

    def add_partitions(self, topic: str, total: int) -> None:
        """Raise the number of partitions of a topic."""
        made = self.admin.create_partitions([NewPartitions(topic, total)])
        made[topic].result(CLIENT_TIMEOUT_S)

    def configure(self, topic: str, settings: Mapping[str, str]) -> None:
        """Set the configuration of a topic."""
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic, set_config=dict(settings))
        self.admin.alter_configs([resource])[resource].result(CLIENT_TIMEOUT_S)

    def produce(self, topic: str, key: str | None, value: str | None, *, partition: int = 0) -> int:
        """Write one record, and return its offset."""
        return send(self.producer(), topic, key, value, partition=partition)

    def producer(self, **settings: str) -> Producer:
        """Return a new client; settings have `_` for the dot of Kafka's names."""
        named = {name.replace("_", "."): value for name, value in settings.items()}
        return Producer({"bootstrap.servers": self.address, "linger.ms": 0, **named})


def send(
    producer: Producer, topic: str, key: str | None, value: str | None, *, partition: int = 0
) -> int:
    """Write one record, and return its offset once the broker has it."""
    offsets: list[int] = []

    def delivered(error: object, message: Message) -> None:
        assert error is None, error
        offset = message.offset()
        assert offset is not None
        offsets.append(offset)

    producer.produce(topic, value, key, partition=partition, on_delivery=delivered)
    producer.flush(CLIENT_TIMEOUT_S)
    (offset,) = offsets
    return offset


@contextlib.contextmanager
def running_broker(directory: Path) -> Iterator[Broker]:
    """Run a broker during the `with` block, with its data in a directory."""
    port, controller = free_ports(2)
    settings = directory / "server.properties"
    settings.write_text(_SETTINGS.format(port=port, controller=controller, directory=directory))
    format_storage(settings, "--standalone")
    server = ServerProcess(
        [*_java(), "kafka.Kafka", str(settings)],
        output=directory / "broker.log",
        ready=lambda: _answers(f"127.0.0.1:{port}"),
    )
    with server:
        yield Broker(f"127.0.0.1:{port}")


def format_storage(settings: Path, *arguments: str) -> None:
    """Prepare the data directory of a broker with these settings, as Kafka's own tool does."""
    tool = [*_java(), "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(settings)]
    done = subprocess.run(
        [*tool, *arguments], check=False, timeout=60, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _java() -> list[str]:
    path = os.pathsep.join(map(str, paths("broker")))
    return [use_java(), *_QUICK_START, _LOG, "-cp", path]


def _answers(address: str) -> bool:
    host, _, port = address.partition(":")
    with contextlib.suppress(OSError):
        socket.create_connection((host, int(port)), timeout=1).close()
        try:
            AdminClient({"bootstrap.servers": address}).list_topics(timeout=2)
        except KafkaException:
            return False
        return True
    return False
