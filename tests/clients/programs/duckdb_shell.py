"""DuckDB as a child that answers: a statement in JSON per line in, its rows or error per line out.

POSTGRES_SCANNER names the extension's file, which is loaded by its path.
"""

from __future__ import annotations

import json
import os
import sys

import duckdb


def main() -> None:
    """Answer until the input ends."""
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"LOAD '{os.environ['POSTGRES_SCANNER']}'")
    connection.execute("SET TimeZone = 'UTC'")
    for line in sys.stdin:
        try:
            rows = connection.execute(json.loads(line)).fetchall()
        except duckdb.Error as error:
            print(json.dumps({"error": str(error)}), flush=True)
        else:
            print(json.dumps({"rows": rows}, default=str), flush=True)


if __name__ == "__main__":
    main()
