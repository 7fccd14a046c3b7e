"""Both engines, which share no codec, refuse the same values as keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import KeyQuery, KeysQuery, Query, RangeQuery, TimestampedKeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.scans import CountQuery, PrefixQuery
from stategate.stores.spec.schema import Row
from tests.support.stores import fill, keyvalue, open_store
from tests.support.values import rows_of

ODD: Sequence[Any] = (
    None, True, False, 0, 1, 2, -129, 1 << 15, 1 << 31, -(1 << 63) - 1, 10**400,
    0.0, -0.0, 1.0, 0.1, 1.5, 1e300, math.inf, -math.inf, math.nan,
    Decimal(1), Decimal("1.10"), Decimal("1.100"), Decimal("1.105"), Decimal(10**40),
    Decimal("1e-40"), Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"),
    "", "a", "1.10", "\ud800", b"", b"a", bytearray(b"a"), memoryview(b"a"), [1], (1, 2), {},
)  # fmt: skip
HELD: dict[str, list[Any]] = {
    "boolean": [None, False, True],
    "tinyint": [None, -1, 1],
    "integer": [None, -1, 1],
    "bigint": [None, -1, 1],
    "date": [None, -1, 1],
    "timestamptz": [None, -1, 1],
    "real": [None, -math.inf, 0.0, 0.1, 1.5, math.inf, math.nan],
    "double": [None, -math.inf, 0.0, 0.1, 1.5, math.inf, math.nan],
    "decimal(3,2)": [None, Decimal("1.10"), Decimal(1)],
    "decimal(38,10)": [None, Decimal("1.1"), Decimal(1)],
    "text": [None, "", "a", "1.10"],
    "bytea": [None, b"", b"a"],
}


def outcome(store: LocalStore, query: Query[Any]) -> object:
    """Return the rows, or the error."""
    found = store.query_partition(0, query)
    if not isinstance(found, Success):
        return found.reason, found.message
    return found.value if isinstance(found.value, int) else rows_of_any(found.value)


def rows_of_any(value: Any) -> Any:
    is_row = value is None or isinstance(value, tuple) or hasattr(value, "row")
    return value if is_row else rows_of(value)


@pytest.mark.parametrize("data_type", HELD)
def test_both_engines_hold_a_value_or_both_refuse_it(data_type: str, tmp_path: Path) -> None:
    schema = keyvalue("odd", {"k": data_type}, {"n": "integer"}, partitions=1)
    rows: list[Row] = [(value, n) for n, value in enumerate(HELD[data_type])]
    memory, rocks = open_store(schema), open_store(schema, directory=tmp_path)
    for store in (memory, rocks):
        fill(store, rows)
    refused = 0
    for value in ODD:
        for query in (
            KeyQuery.with_key(value),
            TimestampedKeyQuery.with_key(value),
            KeysQuery(keys=((value,),)),
            PrefixQuery.with_prefix(value),
            RangeQuery.with_range((value,), None),
            RangeQuery.with_range(None, (value,)).with_descending_keys(),
            CountQuery.with_range((value,), (value,)),
        ):
            told = outcome(memory, query)
            assert told == outcome(rocks, query), query
            refused += "CodecError" in str(told)
    assert refused
    memory.close()
    rocks.close()


@pytest.mark.parametrize(
    "query",
    [
        KeyQuery.with_key("a"),
        KeyQuery.with_key("a", 1, 2),
        RangeQuery.with_range(("a", 1, 2), None),
        PrefixQuery.with_prefix("a", 1, 2),
        PrefixQuery.with_text_prefix("a", 1, text="a"),
        PrefixQuery.with_text_prefix("a", text="a"),
        PrefixQuery.with_text_prefix(text=b"a"),
        PrefixQuery.with_text_prefix(text="\ud800"),
        CountQuery.with_range(("a", "b"), None),
    ],
)
def test_both_engines_refuse_keys_of_the_wrong_shape(query: Query[Any], tmp_path: Path) -> None:
    schema = keyvalue("pairs", {"a": "text", "b": "integer"}, {"n": "integer"}, partitions=1)
    told = []
    for store in (open_store(schema), open_store(schema, directory=tmp_path)):
        fill(store, [("a", 1, 0), ("ab", 2, 1)])
        told.append(outcome(store, query))
        store.close()
    assert told[0] == told[1]
    assert "CodecError" in str(told[0])
