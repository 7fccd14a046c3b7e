"""A few stores with a few rows, for the text cases and the tests of the planner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, build
from tests.support.stores import keyvalue, window

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US

PEOPLE = keyvalue("people", {"name": "text"}, {"age": "integer", "score": "double", "city": "text"})
ORDERS = keyvalue(
    "orders",
    {"name": "text", "number": "bigint"},
    {"amount": "decimal(9,2)", "paid": "boolean", "due": "timestamptz"},
)
STOCK = keyvalue("stock", {"item": "integer", "day": "date"}, {"amount": "smallint"})
VISITS = keyvalue("visits", {"at": "timestamptz"}, {"name": "text"})
MIXED = keyvalue("Mixed", {"Id": "bigint"}, {"Value": "text"}, partitions=2)
CLICKS = window("clicks", {"name": "text"}, {"clicks": "bigint"})
STORES = (PEOPLE, ORDERS, STOCK, VISITS, MIXED, CLICKS)

ROWS: Mapping[str, Sequence[Row]] = {
    "people": [
        ("ann", 30, 1.5, "Oslo"),
        ("bob", None, 2.0, "Rome"),
        ("cid", 20, None, None),
        ("dan", 41, 0.0, "Oslo"),
        (None, 5, -1.0, "Bern"),
        ("", 7, 0.5, "Rome"),
    ],
    "orders": [
        ("ann", 1, Decimal("9.50"), True, 0),
        ("ann", 2, Decimal("1.25"), False, HOUR_US),
        ("ann", None, Decimal("5.00"), True, 5 * HOUR_US),
        ("bob", 1, None, None, 2 * HOUR_US),
        ("bob", 7, Decimal("3.00"), True, None),
        ("eve", 3, Decimal("0.00"), False, DAY_US),
    ],
    "stock": [(item, day, 10 * item + day) for item in range(1, 4) for day in range(3)],
    "visits": [(day * DAY_US // 2, name) for day, name in enumerate(["ann", "bob", "ann", "eve"])],
    "Mixed": [(1, "one"), (2, "two"), (None, "none")],
    "clicks": [("ann", h * HOUR_US, (h + 1) * HOUR_US, 10 * h) for h in range(4)]
    + [("bob", h * HOUR_US, (h + 1) * HOUR_US, h) for h in range(2)],
}


def world() -> Sides:
    """Return the stores with their rows, in memory, and DuckDB with the same rows."""
    return build(STORES, ROWS)
