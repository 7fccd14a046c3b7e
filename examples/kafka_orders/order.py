"""Sends an order to Kafka, then reads the customer's orders from the gateway, with that one.

    python examples/kafka_orders/order.py CUSTOMER AMOUNT [--kafka HOST:PORT] [--gateway URL]

It needs the package `confluent-kafka`. The broker says where the record is, in topic, partition and
offset. With this as the bound, the gateway waits until the store has the order.
"""

import argparse
import sys
from decimal import Decimal
from typing import Any

from confluent_kafka import Message, Producer

import stategate

TOPIC = "orders"
WAIT_S = 60
SQL = "SELECT orders, spent FROM customers WHERE customer = $1"


def send(kafka: str, customer: str, amount: Decimal) -> Message:
    """Write an order, and return what the broker says about its record."""
    delivered: list[Message] = []

    def on_delivery(error: Any, message: Message) -> None:
        if error is None:
            delivered.append(message)

    producer = Producer({"bootstrap.servers": kafka, "acks": "all"})
    producer.produce(TOPIC, key=customer, value=str(amount), on_delivery=on_delivery)
    producer.flush(WAIT_S)
    if not delivered:
        raise SystemExit(f"the broker {kafka} did not take the order")
    return delivered[0]


def ask(gateway: str, customer: str, order: Message) -> tuple[int, Decimal]:
    """Return the number of the customer's orders, and their sum, with this order in them."""
    with stategate.connect(gateway, wait_s=WAIT_S, timeout_s=WAIT_S + 10) as db:
        ((orders, spent),) = db.execute(SQL, [customer], after=order).fetchall()
        return orders, spent


def main() -> int:
    """Send an order and print what the customer has ordered."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("customer")
    parser.add_argument("amount", type=Decimal)
    parser.add_argument("--kafka", default="127.0.0.1:9092", help="address of a broker")
    parser.add_argument("--gateway", default="http://127.0.0.1:7420", help="its HTTP address")
    args = parser.parse_args()
    order = send(args.kafka, args.customer, args.amount)
    orders, spent = ask(args.gateway, args.customer, order)
    print(f"{args.customer}: {orders} orders, {spent} in all", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
