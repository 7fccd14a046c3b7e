"""Joins the live state of the demo with a local Parquet file, in DuckDB.

    pip install duckdb==1.5.5 duckdb-extension-postgres-scanner==1.5.5
    python examples/duckdb_attach/carriers.py [--port 7432] [--snapshot carriers.parquet]

DuckDB asks the gateway for the columns and keys that a query needs, and does the rest itself.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

import duckdb

AIRLINES = Path(__file__).with_name("airlines.parquet")

JOIN = """
    SELECT a.name, d.flights, round(100.0 * d.cancelled / d.flights, 2) AS cancelled_percent
    FROM live.carrier_delays d JOIN read_parquet($airlines) a USING (carrier)
    ORDER BY cancelled_percent DESC LIMIT 3"""
"""DuckDB reads the whole store once, because a join is not sent to the gateway."""

LOOKUPS = """
    SELECT a.name, d.mean_arr_delay
    FROM live.carrier_delays d JOIN read_parquet($airlines) a USING (carrier)
    WHERE d.carrier IN ('HA', 'US') ORDER BY a.name"""
"""The keys arrive as a filter, and the gateway reads two rows."""

WHOLE = """
    SELECT * FROM postgres_query('live',
        'SELECT count(*) AS carriers, sum(flights) AS flights FROM carrier_delays')"""
"""The gateway runs all of it and sends one row."""


def connect(host: str, port: int) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB that has the gateway attached as `live`."""
    connection = duckdb.connect()
    wheel = find_spec("duckdb_extension_postgres_scanner")
    if wheel is not None and wheel.origin is not None:
        (extension,) = Path(wheel.origin).parent.rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{extension}'")
    else:
        connection.execute("INSTALL postgres; LOAD postgres")
    target = f"host={host} port={port} user=stategate dbname=stategate"
    connection.execute(f"ATTACH '{target}' AS live (TYPE postgres, READ_ONLY)")
    return connection


def main() -> int:
    """Run the three queries; with --snapshot also copy the store into a Parquet file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", default=7432, type=int)
    parser.add_argument("--snapshot", help="Parquet file to write")
    args = parser.parse_args()
    connection = connect(args.host, args.port)
    for sql in (JOIN, LOOKUPS, WHOLE):
        parameters = {"airlines": str(AIRLINES)} if "$airlines" in sql else None
        for row in connection.execute(sql, parameters).fetchall():
            print(*row, sep="\t")
    if args.snapshot:
        connection.execute(f"COPY live.carrier_delays TO '{args.snapshot}' (FORMAT parquet)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
