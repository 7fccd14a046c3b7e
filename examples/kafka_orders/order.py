"""Sends an order to Kafka, then reads the customer's orders from the gateway, with that one.

    python examples/kafka_orders/order.py CUSTOMER AMOUNT [--kafka HOST:PORT] [--gateway URL]

It needs the package `confluent-kafka`. The broker says where the record is, in topic, partition and
offset. With this as the bound, the gateway waits until the store has the order.
"""

import argparse
import json
import sys
import urllib.error
import urllib.request
from decimal import Decimal
from typing import Any

from confluent_kafka import Message, Producer

TOPIC = "orders"
WAIT_S = 60
SQL = "SELECT orders, spent FROM customers WHERE customer = $1"


def send(kafka: str, customer: str, amount: Decimal) -> dict[str, dict[str, int]]:
    """Write an order, and return the position of its record: topic → partition → offset."""
    positions: list[dict[str, dict[str, int]]] = []

    def delivered(error: Any, message: Message) -> None:
        if error is None:
            offset = message.offset()
            assert offset is not None
            positions.append({TOPIC: {str(message.partition()): offset}})

    producer = Producer({"bootstrap.servers": kafka, "acks": "all"})
    producer.produce(TOPIC, key=customer, value=str(amount), on_delivery=delivered)
    producer.flush(WAIT_S)
    if not positions:
        raise SystemExit(f"the broker {kafka} did not take the order")
    return positions[0]


def ask(gateway: str, customer: str, written: dict[str, dict[str, int]]) -> tuple[int, str]:
    """Return the number of the customer's orders, and their sum, with the order at a position."""
    question = {"sql": SQL, "params": [customer], "bound": written, "wait_ms": WAIT_S * 1000}
    request = urllib.request.Request(
        f"{gateway}/v1/query",
        data=json.dumps(question).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S + 10) as response:
            ((orders, spent),) = json.load(response)["rows"]
    except urllib.error.HTTPError as error:
        raise SystemExit(error.read().decode()) from error
    return orders, spent


def main() -> int:
    """Send an order and print what the customer has ordered."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("customer")
    parser.add_argument("amount", type=Decimal)
    parser.add_argument("--kafka", default="127.0.0.1:9092", help="address of a broker")
    parser.add_argument("--gateway", default="http://127.0.0.1:7420", help="its HTTP address")
    args = parser.parse_args()
    written = send(args.kafka, args.customer, args.amount)
    orders, spent = ask(args.gateway, args.customer, written)
    print(f"{args.customer}: {orders} orders, {spent} in all", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
