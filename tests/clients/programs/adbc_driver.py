"""ADBC: COPY in binary by the extended protocol, straight into Arrow; its catalog reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import adbc_driver_postgresql.dbapi
import pyarrow as pa

from tests.clients.programs.asking import LOGIN_SQL, asks, lists, logs_in, rows_of
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step


def ask(sql: str, parameters: tuple[object, ...] = ()) -> pa.Table:
    with (
        adbc_driver_postgresql.dbapi.connect(URL) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql, parameters or None)
        return cursor.fetch_arrow_table()


@step
def reads_many_rows() -> None:
    table = ask("SELECT id, squared, word FROM numbers")
    expect(table.num_rows, 20_000)
    expect([str(field.type) for field in table.schema], ["int64", "int64", "string"])
    expect(pa.compute.sum(table["id"]).as_py(), 20_000 * 19_999 // 2)
    expect(table["word"].null_count, 20)


@step
def reads_types() -> None:
    table = ask(
        "SELECT active, small, age, score, mean, city, token, born, wakes, local, seen FROM users"
        " WHERE name = 'ada'"
    )
    expect(
        [*table.to_pylist()[0].values()],
        [
            *(True, 300, 36, 0.5, 3.25, "London", b"\x00\x01\xfe\xff", dt.date(1815, 12, 10)),
            *(dt.time(6, 30, 0, 125_000), dt.datetime(2024, 2, 29, 13, 0, 0, 1)),
            dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC),
        ],
    )
    (amount,) = ask("SELECT amount FROM orders WHERE customer = 'ada' AND number = 2").to_pylist()
    expect(Decimal(amount["amount"]), Decimal("50.75"))


@step
def reads_nothing() -> None:
    expect(ask("SELECT id FROM numbers WHERE id < 0").num_rows, 0)


@step
def binds_parameters() -> None:
    expect(ask("SELECT word FROM numbers WHERE id = $1", (8,)).to_pylist(), [{"word": "word 1"}])


@step
def lists_objects() -> None:
    with adbc_driver_postgresql.dbapi.connect(URL) as connection:
        objects = connection.adbc_get_objects(depth="columns", db_schema_filter="public")
        (catalog,) = objects.read_all().to_pylist()
        (schema,) = catalog["catalog_db_schemas"]
        tables = {table["table_name"]: table for table in schema["db_schema_tables"]}
        expect(sorted(tables), ["clicks_hourly", "numbers", "orders", "prices", "users"])
        columns = [column["column_name"] for column in tables["numbers"]["table_columns"]]
        expect(columns, ["id", "squared", "word"])
        expect(connection.adbc_get_table_schema("numbers").names, ["id", "squared", "word"])
        expect(connection.adbc_get_info()["vendor_name"], "PostgreSQL")


@step
def sees_errors() -> None:
    try:
        ask("SELECT * FROM nothing")
    except adbc_driver_postgresql.dbapi.Error as error:
        expect(error.sqlstate, "42P01")
    else:
        raise AssertionError("it was accepted")


@asks("ADBC")
def ask_rows(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    return rows_of(ask(sql, tuple(parameters)).to_pydict())


@lists("ADBC")
def list_columns() -> dict[str, list[str]]:
    with adbc_driver_postgresql.dbapi.connect(URL) as connection:
        objects = connection.adbc_get_objects(depth="columns", db_schema_filter="public")
        (catalog,) = objects.read_all().to_pylist()
    (schema,) = catalog["catalog_db_schemas"]
    return {
        table["table_name"]: [column["column_name"] for column in table["table_columns"]]
        for table in schema["db_schema_tables"]
    }


@logs_in("ADBC")
def log_in(password: str) -> list[tuple[object, ...]]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    url = login_url(password, channel_binding="require", **options)
    with adbc_driver_postgresql.dbapi.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(LOGIN_SQL)
        return rows_of(cursor.fetch_arrow_table().to_pydict())


if __name__ == "__main__":
    main()
