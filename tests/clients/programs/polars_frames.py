"""polars.read_database_uri by connectorx and by ADBC, and read_database by a connection."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import sqlalchemy as sa

from tests.clients.programs.asking import LOGIN_SQL, asks, inlined, logs_in
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step

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


@asks("polars by connectorx")
def ask_by_connectorx(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    text = inlined(sql, parameters)
    rows: list[tuple[object, ...]] = pl.read_database_uri(text, URL, engine="connectorx").rows()
    return rows


@asks("polars by ADBC")
def ask_by_adbc(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    text = inlined(sql, parameters)
    rows: list[tuple[object, ...]] = pl.read_database_uri(text, URL, engine="adbc").rows()
    return rows


@logs_in("polars by ADBC")
def log_in(password: str) -> list[tuple[object, ...]]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    url = login_url(password, channel_binding="require", **options)
    rows: list[tuple[object, ...]] = pl.read_database_uri(LOGIN_SQL, url, engine="adbc").rows()
    return rows


if __name__ == "__main__":
    main()
