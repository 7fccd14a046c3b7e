"""pandas.read_sql by SQLAlchemy and by ADBC: types, chunks, parameters."""

from __future__ import annotations

from typing import Any

import adbc_driver_postgresql.dbapi
import pandas as pd
import sqlalchemy as sa

from tests.clients.programs.steps import URL, expect, main, step


def engine() -> sa.Engine:
    return sa.create_engine(URL.replace("postgresql", "postgresql+psycopg2"))


@step
def reads_a_query() -> None:
    frame = pd.read_sql(
        sa.text("SELECT customer, sum(amount) AS total FROM orders GROUP BY 1 ORDER BY 1"), engine()
    )
    expect(frame.columns.tolist(), ["customer", "total"])
    expect(frame["total"].astype(float).tolist(), [128.0] * 3)


@step
def reads_a_table() -> None:
    frame = pd.read_sql_table("clicks_hourly", engine())
    expect(len(frame), 18)
    expect(str(frame["window_start"].dtype).startswith("datetime64["), True)
    expect(frame["clicks"].dtype.kind, "i")


@step
def reads_in_chunks() -> None:
    chunks = pd.read_sql("SELECT * FROM numbers", engine(), chunksize=6000)
    expect([len(chunk) for chunk in chunks], [6000, 6000, 6000, 2000])


@step
def binds_parameters() -> None:
    frame = pd.read_sql(
        sa.text("SELECT number FROM orders WHERE customer = :who ORDER BY number"),
        engine(),
        params={"who": "eve"},
    )
    expect(frame["number"].tolist(), [-1, 1, 2, 3])


@step
def reads_by_adbc() -> None:
    with adbc_driver_postgresql.dbapi.connect(URL) as connection:
        frame: Any = pd.read_sql("SELECT id, squared FROM numbers ORDER BY id", connection)
    expect((len(frame), int(frame["squared"].iloc[-1])), (20_000, 19_999**2))


if __name__ == "__main__":
    main()
