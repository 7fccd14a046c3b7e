"""polars.read_database_uri by connectorx and by ADBC, and read_database by a connection."""

from __future__ import annotations

import polars as pl
import sqlalchemy as sa

from tests.clients.programs.steps import URL, expect, main, step

TOTALS = "SELECT customer, count(*) AS n FROM orders GROUP BY customer ORDER BY customer"
WANTED = {"customer": ["ada", "bob", "eve"], "n": [4, 4, 4]}


@step
def by_connectorx() -> None:
    frame = pl.read_database_uri(TOTALS, URL, engine="connectorx")
    expect(frame.to_dict(as_series=False), WANTED)
    expect(pl.read_database_uri("SELECT * FROM numbers", URL, engine="connectorx").height, 20_000)


@step
def by_adbc() -> None:
    frame = pl.read_database_uri(TOTALS, URL, engine="adbc")
    expect(frame.to_dict(as_series=False), WANTED)
    frame = pl.read_database_uri("SELECT * FROM numbers", URL, engine="adbc")
    expect((frame.height, frame["squared"].max()), (20_000, 19_999**2))


@step
def by_sqlalchemy() -> None:
    engine = sa.create_engine(URL.replace("postgresql", "postgresql+psycopg2"))
    with engine.connect() as connection:
        frame = pl.read_database(TOTALS, connection)
    expect(frame.to_dict(as_series=False), WANTED)


if __name__ == "__main__":
    main()
