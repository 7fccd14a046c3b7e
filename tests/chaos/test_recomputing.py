"""DuckDB's rows of each store over records that were counted by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tests.chaos.recomputing import difference, recomputed

ROWS: list[tuple[Any, ...]] = [
    # key, n, amount, at, gone, partition, place
    ("a", 1, 5, 998, False, 0, 0),
    ("b", 1, 1, 2_000, False, 1, 0),
    ("a", 2, 6, 5_998, False, 0, 1),
    ("a", 3, 7, 10_999, False, 0, 2),
    ("b", 2, None, None, True, 1, 1),
    ("p0end", 1, 0, 70_000, False, 0, 3),
]
NAMES = ("key", "n", "amount", "moment", "gone", "partition", "place")


def test_the_rows_of_all_stores() -> None:
    columns = {name: [row[at] for row in ROWS] for at, name in enumerate(NAMES)}
    assert recomputed(pa.table(columns)) == {
        "latest": [("a", 3, 7), ("p0end", 1, 0)],
        "totals": [("a", 3, 18), ("b", 1, 1), ("p0end", 1, 0)],
        "windows": [
            ("a", 0, 10_000, 2, 11),
            ("a", 10_000, 20_000, 1, 7),
            ("b", 0, 10_000, 1, 1),
            ("p0end", 70_000, 80_000, 1, 0),
        ],
        # A record that comes exactly at the end of a session belongs to it.
        "sessions": [
            ("a", 998, 10_998, 2, 11),
            ("a", 10_999, 15_999, 1, 7),
            ("b", 2_000, 7_000, 1, 1),
        ],
    }


def test_differences_in_words() -> None:
    assert difference([("a", 1)], [("a", 1)]) == []
    assert difference([("a", 1), ("a", 1)], [("a", 1)]) == ["1 rows are there twice"]
    assert difference([("a", 2)], [("a", 1)]) == [
        "('a', 2) should not be there",
        "('a', 1) is missing",
    ]
