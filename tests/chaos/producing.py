"""Writes records to Kafka: plain ones and transactions, tombstones, added partitions."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from confluent_kafka import Message, Producer

from tests.chaos.ledger import TOPIC, Ledger, Operation
from tests.spark.kafka.broker import CLIENT_TIMEOUT_S, Broker

PARTITIONS, PARTITIONS_MAX = 2, 6
KEYS = 20
"""Keys of each partition. A key stays in its partition, so its records have one order."""
_ASKED_MAX = 1_000
"""Acknowledged records that wait for a reader; the oldest are dropped."""


@dataclass(slots=True, kw_only=True)
class Writer:
    """Writes until it is stopped."""

    broker: Broker
    ledger: Ledger
    chance: random.Random
    stopped: threading.Event
    pause_s: float
    acknowledged: deque[Operation] = field(default_factory=lambda: deque(maxlen=_ASKED_MAX))
    partitions: int = PARTITIONS
    error: BaseException | None = None
    transactions: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    _lives: int = 0

    def run(self) -> None:
        """Write records until the writer is stopped; an error is kept for the end of the run."""
        try:
            self._write()
        except BaseException as error:
            self.error = error
            raise

    def _write(self) -> None:
        plain, transactional = self._producers()
        while not self.stopped.wait(self.pause_s * self.chance.uniform(0.2, 1.8)):
            if self.partitions < PARTITIONS_MAX and self.chance.random() < 0.002:
                self.partitions += 1
                self.broker.add_partitions(TOPIC, self.partitions)
                plain, transactional = self._producers()
            kind = self.chance.random()
            count = self.chance.choice([1, 1, 2, 5, 20])
            if kind < 0.7:
                self.ledger.begin(time.monotonic())
                self._settle(self._send(plain, count))
            else:
                self._transact(transactional, count, commits=kind < 0.9)

    def _transact(self, producer: Producer, count: int, *, commits: bool) -> None:
        """Write records that all appear at once, or never."""
        self.ledger.begin(time.monotonic())
        producer.begin_transaction()
        sent = self._send(producer, count)
        # Meanwhile no reader of committed records gets past them.
        self.stopped.wait(self.chance.choice([0.0, 0.0, 0.5]))
        self.transactions += 1
        if commits:
            producer.commit_transaction(CLIENT_TIMEOUT_S)
            self._settle(sent)
        else:
            producer.abort_transaction(CLIENT_TIMEOUT_S)
            self.ledger.abort(len(sent))

    @property
    def first(self) -> dict[int, int]:
        """The first offset of each partition that was there at the beginning."""
        return dict.fromkeys(range(PARTITIONS), 0)

    def flush_sessions(self, ahead_ms: int) -> int:
        """Write a record from the future to each partition, and return its time.

        It ends all sessions before it.
        """
        plain, _ = self._producers()
        self.ledger.begin(time.monotonic())
        at_ms = time.time_ns() // 1_000_000 + ahead_ms
        keys = [f"p{partition}end" for partition in range(self.partitions)]
        sent = [self._operation(key, n, at_ms, 1) for n, key in enumerate(keys)]
        self._settle(self._sent(plain, sent))
        return at_ms

    def _send(self, producer: Producer, count: int) -> list[Operation]:
        now_ms = time.time_ns() // 1_000_000
        operations = []
        for _ in range(count):
            partition = self.chance.randrange(self.partitions)
            key = f"p{partition}k{self.chance.randrange(KEYS)}"
            amount = None if self.chance.random() < 0.15 else self.chance.randrange(1_000)
            operations.append(self._operation(key, partition, now_ms, amount))
        return self._sent(producer, operations)

    def _operation(self, key: str, partition: int, at_ms: int, amount: int | None) -> Operation:
        # Records that are taken back have a number, too, so that they are known if they appear.
        self._numbers[key] = number = self._numbers.get(key, 0) + 1
        return Operation(
            key=key,
            number=number,
            amount=amount,
            at_ms=at_ms,
            partition=partition,
            begun_s=time.monotonic(),
        )

    def _sent(self, producer: Producer, operations: list[Operation]) -> list[Operation]:
        for each in operations:

            def delivered(error: object, message: Message, each: Operation = each) -> None:
                assert error is None, error
                offset = message.offset()
                assert offset is not None
                each.offset = offset

            value = None if each.amount is None else f"{each.number}:{each.amount}:{each.at_ms}"
            producer.produce(
                TOPIC, value, each.key, partition=each.partition, on_delivery=delivered
            )
        producer.flush(CLIENT_TIMEOUT_S)
        assert all(each.offset >= 0 for each in operations), "the broker did not take a record"
        return operations

    def _settle(self, operations: list[Operation]) -> None:
        self.ledger.commit(operations)
        self.acknowledged.extend(operations)

    def _producers(self) -> tuple[Producer, Producer]:
        """Return new producers, because old ones refuse partitions that were added."""
        self._lives += 1
        plain = self.broker.producer(acks="all")
        transactional = self.broker.producer(transactional_id=f"chaos{self._lives}")
        transactional.init_transactions(CLIENT_TIMEOUT_S)
        return plain, transactional
