"""Compares every query of the README with DuckDB over the raw flights.

    python examples/flights/check.py --url http://127.0.0.1:7420 [--readme README.md]

DuckDB computes the three stores from the flights and runs the same SQL over them, without our WITH
clause. Exits with 1 if any answer differs.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import re
import sys
import urllib.error
import urllib.request
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from replay import read_flights

from stategate.planner.syntax.with_clause import split_clause
from stategate.planner.trees.dialect import tokenize

STORES = {
    "carrier_delays": """
        SELECT carrier, count(*) AS flights, count(*) FILTER (dep_time IS NULL) AS cancelled,
            avg(arr_delay) AS mean_arr_delay, max(arr_delay)::double AS max_arr_delay
        FROM flights GROUP BY carrier""",
    "airport_hourly": """
        SELECT origin, date_trunc('hour', event_time) AS window_start,
            date_trunc('hour', event_time) + interval 1 hour AS window_end,
            count(*) AS departures, avg(dep_delay) AS mean_dep_delay
        FROM flights GROUP BY ALL""",
    "aircraft": """
        SELECT tailnum, latest.event_time AS last_seen, latest.origin AS last_origin,
            latest.dest AS last_dest, flights, air_time, distance
        FROM (SELECT tailnum, max((event_time, origin, dest)
                ::STRUCT(event_time TIMESTAMPTZ, origin TEXT, dest TEXT)) AS latest,
            count(*) AS flights, sum(air_time)::double AS air_time,
            sum(distance)::double AS distance
            FROM flights WHERE tailnum IS NOT NULL GROUP BY tailnum)""",
}
WHOLE = [f"SELECT * FROM {store} WITH BOUND (LATEST), WAIT '60 s'" for store in STORES]


def readme_queries(readme: Path) -> list[str]:
    """Return the SELECTs in the README's SQL blocks."""
    blocks = re.findall(r"^```sql\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    statements = [text.strip() for block in blocks for text in block.split(";")]
    plain = [re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).strip() for text in statements]
    return [text for text in plain if re.match(r"(SELECT|WITH)\b", text, re.IGNORECASE)]


def without_clause(sql: str) -> str:
    """Return the statement without our WITH clause, which DuckDB does not know."""
    tokens = tokenize(sql)
    end, _ = split_clause(tokens)
    return sql if end == len(tokens) else sql[: tokens[end].start]


def raw_stores() -> duckdb.DuckDBPyConnection:
    """Return a DuckDB with the three stores as tables, computed from the flights."""
    database = duckdb.connect(":memory:")
    database.execute("SET TimeZone = 'UTC'")
    database.execute("SET integer_division = true")
    database.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    database.register("flights", read_flights())
    for name, query in STORES.items():
        database.execute(f"CREATE TABLE {name} AS {query}")
    return database


def ask(url: str, sql: str) -> list[list[Any]]:
    """Return the gateway's rows."""
    request = urllib.request.Request(
        f"{url}/v1/query",
        data=json.dumps({"sql": sql}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as response:
        document = json.load(response)
    if "error" in document:
        raise OSError(document["error"]["message"])
    rows: list[list[Any]] = document["rows"]
    return rows


def comparable(value: Any) -> Any:
    """Return a value in the form in which both sides are compared."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return float(value)
    return value


def equal(mine: Any, other: Any) -> bool:
    """Whether two values are equal; floats approximately, because their sums depend on order."""
    if isinstance(mine, int | float) and isinstance(other, int | float):
        return math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(mine == other)


def differs(sql: str, url: str, database: duckdb.DuckDBPyConnection) -> str | None:
    """Describe the difference; return None for equal answers."""
    expected = database.execute(without_clause(sql)).fetchall()
    try:
        found = ask(url, sql)
    except urllib.error.HTTPError as error:
        return f"the gateway refused it: {error.read().decode()[:500]}"
    except OSError as error:
        return f"the gateway did not answer: {error}"
    mine = [[comparable(value) for value in row] for row in found]
    theirs = [[comparable(value) for value in row] for row in expected]
    if not re.search(r"\border\s+by\b", sql, re.IGNORECASE):
        mine.sort(key=repr)
        theirs.sort(key=repr)
    if len(mine) != len(theirs):
        return f"{len(mine)} rows, not {len(theirs)}"
    for row, wanted in zip(mine, theirs, strict=True):
        if len(row) != len(wanted) or not all(map(equal, row, wanted)):
            return f"{row} is not {wanted}"
    return None


def main() -> int:
    """Compare, print a line for each query, and return 0 if all agree."""
    parser = argparse.ArgumentParser(description="Compare a gateway with DuckDB.")
    parser.add_argument("--url", default="http://127.0.0.1:7420")
    readme = Path(__file__).parents[2] / "README.md"
    parser.add_argument("--readme", type=Path, default=readme)
    args = parser.parse_args()
    database = raw_stores()
    queries = [*WHOLE, *readme_queries(args.readme)]
    wrong = 0
    for sql in queries:
        difference = differs(sql, args.url, database)
        wrong += difference is not None
        line = " ".join(sql.split())
        print(f"{'differs' if difference else 'agrees '}  {line}")
        if difference:
            print(f"         {difference}")
    agree = len(queries) - wrong
    print(f"{agree} of {len(queries)} answers agree with DuckDB over the raw flights")
    return 1 if wrong or len(queries) == len(WHOLE) else 0


if __name__ == "__main__":
    sys.exit(main())
