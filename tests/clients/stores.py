"""Further stores for clients that need many rows, or other kinds of stores."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from tests.support.gateway import TOPIC, write_stores

NUMBERS_ROWS = 20_000
"""More rows than any chunk or batch has."""

NUMBERS = StoreSchema(
    name="numbers",
    kind=StoreKind.KEYVALUE,
    key=(Column(name="id", type=DataType.parse("bigint")),),
    value=(
        Column(name="squared", type=DataType.parse("bigint")),
        Column(name="word", type=DataType.parse("text")),
    ),
    partitions=4,
    inputs=(InputTopic(topic=TOPIC),),
)
PRICES = StoreSchema(
    name="prices",
    kind=StoreKind.VERSIONED,
    key=(Column(name="item", type=DataType.parse("text")),),
    value=(
        Column(name="price", type=DataType.parse("decimal(10,2)")),
        Column(name="tags", type=DataType.parse("text[]")),
    ),
    partitions=2,
    inputs=(InputTopic(topic=TOPIC),),
)
_POSITION = Position.of({TOPIC: {0: 41, 1: 17}})
_NEW_YEAR = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


def word_of(number: int) -> str | None:
    """Return the value of `word`; NULL for every thousandth row."""
    return None if number % 1000 == 0 else f"word {number % 7}"


def write_client_stores(root: Path) -> None:
    """Write the known stores, `numbers` and `prices`."""
    write_stores(root)
    ids = range(NUMBERS_ROWS)
    numbers = {
        "id": list(ids),
        "squared": [number * number for number in ids],
        "word": [word_of(number) for number in ids],
    }
    table = pa.Table.from_pydict(numbers, schema=NUMBERS.arrow_schema())
    StoreWriter(str(root), NUMBERS).write(table, position=_POSITION)
    prices = StoreWriter(str(root), PRICES)
    for month in range(2):
        rows: dict[str, list[object]] = {
            "item": ["ink", "pen"],
            "price": [f"{month + 1}.50", f"{month + 1}.00"],
            "tags": [["blue", None], []],
            "_timestamp": [_NEW_YEAR + dt.timedelta(days=31 * month)] * 2,
        }
        prices.write(_price_table(rows), position=_POSITION)


def _price_table(rows: dict[str, list[object]]) -> pa.Table:
    fields = [
        ("item", pa.string()),
        ("price", pa.decimal128(10, 2)),
        ("tags", pa.list_(pa.string())),
        ("_timestamp", pa.timestamp("us", tz="UTC")),
    ]
    arrays = [
        pa.array(rows[name]).cast(kind) if name == "price" else pa.array(rows[name], kind)
        for name, kind in fields
    ]
    return pa.Table.from_arrays(arrays, names=[name for name, _ in fields])
