"""A running gateway over small, known stores, for tests with real clients.

Each row is written here with the values that a client must get back. The rows hold values that
break clients: NULL in every type, the ends of each range, text beyond ASCII, an empty key, a key of
two columns, windows, a changed entry and a deleted one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from tests.support.process import ServerProcess, answers, free_ports

ClientRow: TypeAlias = Mapping[str, object]
"""One row by column name, with values as Python clients return them (`datetime`, `Decimal`, …)."""

TOPIC = "events"
UTC = dt.UTC


def columns(**types: str) -> tuple[Column, ...]:
    """Return columns by name, each with its SQL type."""
    return tuple(Column(name=name, type=DataType.parse(text)) for name, text in types.items())


def schema_of(
    name: str,
    *,
    key: tuple[Column, ...],
    value: tuple[Column, ...],
    partitions: int = 4,
    window_size_ms: int | None = None,
) -> StoreSchema:
    """Return a keyvalue store, or a window store if a window size is given, fed by `TOPIC`."""
    return StoreSchema(
        name=name,
        kind=StoreKind.KEYVALUE if window_size_ms is None else StoreKind.WINDOW,
        key=key,
        value=value,
        partitions=partitions,
        inputs=(InputTopic(topic=TOPIC),),
        window_size_ms=window_size_ms,
    )


USERS = schema_of(
    "users",
    key=columns(name="text"),
    value=columns(
        active="boolean",
        tiny="tinyint",
        small="smallint",
        age="integer",
        visits="bigint",
        score="real",
        mean="double",
        balance="decimal(18,2)",
        city="text",
        token="bytea",
        born="date",
        wakes="time",
        local="timestamp",
        seen="timestamptz",
        device="uuid",
        profile="json",
    ),
)
ORDERS = schema_of(
    "orders",
    key=columns(customer="text", number="integer"),
    value=columns(amount="decimal(12,2)", placed="timestamptz", note="text"),
)
CLICKS_HOURLY = schema_of(
    "clicks_hourly",
    key=columns(page="text"),
    value=columns(clicks="bigint", seconds="double"),
    window_size_ms=3_600_000,
)

NOON = dt.datetime(2024, 2, 29, 12, 0, tzinfo=UTC)

USERS_ROWS: tuple[ClientRow, ...] = (
    {
        "name": "ada",
        "active": True,
        "tiny": 1,
        "small": 300,
        "age": 36,
        "visits": 9_000_000_000,
        "score": 0.5,
        "mean": 3.25,
        "balance": Decimal("1234.50"),
        "city": "London",
        "token": b"\x00\x01\xfe\xff",
        "born": dt.date(1815, 12, 10),
        "wakes": dt.time(6, 30, 0, 125_000),
        "local": dt.datetime(2024, 2, 29, 13, 0, 0, 1),
        "seen": NOON,
        "device": "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01",
        "profile": '{"langs": ["en", "fr"], "admin": true}',
    },
    {"name": "bob"},
    {
        "name": "eve",
        "active": False,
        "tiny": -(2**7),
        "small": -(2**15),
        "age": -(2**31),
        "visits": -(2**63),
        "score": -1.5,
        "mean": -1e300,
        "balance": Decimal("-9999999999999999.99"),
        "city": "",
        "token": b"",
        "born": dt.date(1969, 12, 31),
        "wakes": dt.time(0, 0),
        "local": dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
        "seen": dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        "device": "00000000-0000-0000-0000-000000000000",
        "profile": "null",
    },
    {
        "name": "zoë 'q\" \\ 🦆",
        "active": True,
        "tiny": 2**7 - 1,
        "small": 2**15 - 1,
        "age": 2**31 - 1,
        "visits": 2**63 - 1,
        "score": 1.5,
        "mean": 5e-324,
        "balance": Decimal("0.01"),
        "city": "Zürich\n\t😀",
        "token": b"\\x41",
        "born": dt.date(9999, 12, 31),
        "wakes": dt.time(23, 59, 59, 999_999),
        "local": dt.datetime(9999, 12, 31, 23, 59, 59),
        "seen": dt.datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
        "device": "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "profile": "[]",
    },
    {
        "name": "",
        "active": False,
        "age": 0,
        "visits": 0,
        "balance": Decimal("0.00"),
        "city": "Oslo",
    },
)
"""Rows of `users`; omitted columns are NULL."""

ORDERS_ROWS: tuple[ClientRow, ...] = tuple(
    {
        "customer": customer,
        "number": number,
        "amount": Decimal(number * 100 + len(customer)) / 4,
        "placed": NOON + dt.timedelta(minutes=number),
        "note": None if number % 2 else f"order {number} of {customer}",
    }
    for customer in ("ada", "bob", "eve")
    for number in (-1, 1, 2, 3)
)
"""Rows of `orders` at the end."""

_ORDERS_BEFORE: tuple[ClientRow, ...] = (
    *(row for row in ORDERS_ROWS if row["number"] != 3),
    {"customer": "ada", "number": 1, "amount": Decimal("0.00"), "placed": NOON, "note": "changed"},
    {"customer": "mallory", "number": 1, "amount": Decimal("6.66"), "placed": NOON, "note": "gone"},
)

CLICKS_ROWS: tuple[ClientRow, ...] = tuple(
    {
        "page": page,
        "window_start": NOON + dt.timedelta(hours=hour),
        "window_end": NOON + dt.timedelta(hours=hour + 1),
        "clicks": hour * 10 + len(page),
        "seconds": None if hour == 3 else hour * 1.5,
    }
    for page in ("/", "/about", "/buy")
    for hour in range(6)
)
"""Rows of `clicks_hourly`."""

USERS_POSITION = Position.of({TOPIC: {0: 41, 1: 17}})
ORDERS_POSITION = Position.of({TOPIC: {0: 44, 1: 20}})


def table_of(schema: StoreSchema, rows: Sequence[ClientRow]) -> pa.Table:
    """Return the rows as the writer takes them; omitted columns are NULL."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema.arrow_schema())


def write_stores(root: Path) -> None:
    """Write a state log with the three stores; `orders` has two epochs."""
    StoreWriter(str(root), USERS).write(table_of(USERS, USERS_ROWS), position=USERS_POSITION)
    StoreWriter(str(root), CLICKS_HOURLY).write(
        table_of(CLICKS_HOURLY, CLICKS_ROWS), position=USERS_POSITION
    )
    orders = StoreWriter(str(root), ORDERS)
    orders.write(table_of(ORDERS, _ORDERS_BEFORE), position=USERS_POSITION)
    changed = [row for row in ORDERS_ROWS if (row["customer"], row["number"]) == ("ada", 1)]
    added = [row for row in ORDERS_ROWS if row["number"] == 3]
    gone = [row for row in _ORDERS_BEFORE if row["customer"] == "mallory"]
    rows = table_of(ORDERS, [*changed, *added, *gone])
    deleted = [False] * len(changed + added) + [True] * len(gone)
    orders.write(
        rows.append_column("_deleted", pa.array(deleted)),
        position=ORDERS_POSITION,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Addresses of a running gateway, and its state log."""

    root: Path
    http_port: int
    pg_port: int
    process: ServerProcess

    @property
    def http_url(self) -> str:
        """Base URL, without a trailing slash."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def pg_dsn(self) -> str:
        """Connection string for psql, psycopg and asyncpg."""
        return f"postgresql://stategate@127.0.0.1:{self.pg_port}/stategate"


@contextlib.contextmanager
def running_gateway(
    root: Path,
    directory: Path,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    ready_timeout_s: float = 60.0,
) -> Iterator[Gateway]:
    """Run a gateway process over the log at `root`; it is ready when all its replicas run.

    Args:
        root: the state log.
        directory: for its output, `gateway.log`.
        arguments: further arguments of its command line.
        environment: the whole environment; ours by default.
        ready_timeout_s: how long restoring may take.

    Raises:
        ServerError: it ended, or was not ready in time; the message contains the end of its output.
    """
    http_port, pg_port = free_ports(2)
    command = [sys.executable, "-m", "stategate.gateway.main", "serve", "--root", str(root)]
    command += ["--http", f"127.0.0.1:{http_port}", "--pg", f"127.0.0.1:{pg_port}", *arguments]
    with ServerProcess(
        command,
        output=directory / "gateway.log",
        ready=lambda: answers(f"http://127.0.0.1:{http_port}/readyz"),
        ready_timeout_s=ready_timeout_s,
        environment=environment,
    ) as process:
        yield Gateway(root=root, http_port=http_port, pg_port=pg_port, process=process)
