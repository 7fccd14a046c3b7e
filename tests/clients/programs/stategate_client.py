"""stategate: the Python client alone, as the distribution `stategate-client` installs it.

It takes the URL of a gateway that has a store `orders`, and the names of the libraries for tables
that are installed. It needs nothing but the client.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import stategate

ONE = "SELECT amount FROM orders WHERE customer = $1 AND number = $2"
ALL = "SELECT customer, number FROM orders ORDER BY customer, number"
KEYS = [(customer, number) for customer in ("ada", "bob", "eve") for number in (-1, 1, 2, 3)]


def reads_rows(db: stategate.Connection) -> None:
    """Read by key, in a batch and by pages."""
    assert str(db.execute(ONE, ["ada", 3]).fetchall()) == "[(Decimal('75.75'),)]"
    batch = db.batch(ONE, [["ada", 3], ["no one", 1]])
    assert [len(rows) for rows in batch if isinstance(rows, list)] == [1, 0]
    pages = list(db.pages("SELECT customer, number FROM orders", page_rows=5))
    assert [row for page in pages for row in page] == KEYS
    assert [len(page) for page in pages] == [5, 5, 2]
    assert db.position.to_dict()["events"][0] == 44


def follows(db: stategate.Connection) -> None:
    """Subscribe, and get the first rows."""
    with db.subscribe(ALL) as live:
        event = next(live)
    assert isinstance(event, stategate.FirstRows)
    assert list(event.rows) == KEYS


async def reads_on_a_loop(url: str) -> None:
    """Read on an event loop."""
    async with stategate.connect_async(url) as db:
        cursor = await db.execute(ALL)
        assert await cursor.fetchall() == KEYS


def reads_tables(db: stategate.Connection, installed: list[str]) -> None:
    """Read tables, or be told which library is missing."""
    for name, read in (("pyarrow", db.arrow), ("pandas", db.df), ("polars", db.pl)):
        # All tables come as those of pyarrow.
        missing = next((each for each in ("pyarrow", name) if each not in installed), None)
        found, hint = outcome(read)
        assert hint == (None if missing is None else f"pip install {missing}"), hint
        assert found == (len(KEYS) if missing is None else None), found


def outcome(read: Callable[[str], Any]) -> tuple[int | None, str | None]:
    """Return the number of rows, or the hint of the error."""
    try:
        return len(read(ALL)), None
    except stategate.NotSupportedError as error:
        return None, error.hint


def main(url: str, installed: list[str]) -> None:
    """Read in every way."""
    with stategate.connect(url) as db:
        reads_rows(db)
        follows(db)
        reads_tables(db, installed)
    asyncio.run(reads_on_a_loop(url))
    print(f"read by {stategate.__version__} in {stategate.__file__}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
