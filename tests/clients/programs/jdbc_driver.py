"""pgjdbc, the Java driver, in a JVM that JPype starts. DBeaver, Metabase and Spark build on it.

PGJDBC_JAR names the driver's jar, JAVA_HOME the Java runtime.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jpype

from tests.clients.programs.asking import LOGIN_SQL, asks, lists, logs_in, marked
from tests.clients.programs.steps import (
    DATABASE,
    HOST,
    PORT,
    ROOT_CERTIFICATE,
    USER,
    expect,
    main,
    step,
)

JDBC = f"jdbc:postgresql://{HOST}:{PORT}/{DATABASE}?user={USER}"


def connect(options: str = "") -> Any:
    return jpype.JClass("java.sql.DriverManager").getConnection(JDBC + options)


def rows(result: Any) -> list[list[str | None]]:
    width = range(1, result.getMetaData().getColumnCount() + 1)
    found = []
    while result.next():
        cells = (result.getString(at) for at in width)
        found.append([None if cell is None else str(cell) for cell in cells])
    result.close()
    return found


def column(result: Any, name: str) -> list[str]:
    found = []
    while result.next():
        found.append(str(result.getString(name)))
    result.close()
    return found


@step
def reads_by_each_mode() -> None:
    for mode in ("extended", "simple", "extendedForPrepared", "extendedCacheEverything"):
        connection = connect(f"&preferQueryMode={mode}")
        statement = connection.prepareStatement("SELECT word FROM numbers WHERE id = ?")
        for number in range(1, 12):  # beyond 5 it is prepared, and results come in binary
            statement.setLong(1, number)
            expect(rows(statement.executeQuery()), [[f"word {number % 7}"]])
        connection.close()


@step
def reads_types() -> None:
    connection = connect("&prepareThreshold=1")
    for _ in range(3):
        statement = connection.prepareStatement(
            "SELECT active, small, age, visits, mean, balance, token, born, local, seen, device"
            " FROM users WHERE name = ?"
        )
        statement.setString(1, "ada")
        result = statement.executeQuery()
        result.next()
        expect(bool(result.getBoolean(1)), True)
        expect([int(result.getInt(2)), int(result.getLong(4))], [300, 9_000_000_000])
        expect(float(result.getDouble(5)), 3.25)
        expect(str(result.getBigDecimal(6)), "1234.50")
        expect(bytes(result.getBytes(7)), b"\x00\x01\xfe\xff")
        expect(str(result.getDate(8)), "1815-12-10")
        offset = jpype.JClass("java.time.OffsetDateTime").class_
        expect(str(result.getObject(10, offset)), "2024-02-29T12:00Z")
        expect(str(result.getObject(11)), "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01")
        statement.close()
    connection.close()


@step
def binds_types() -> None:
    connection = connect()
    sql = "SELECT number FROM orders WHERE customer = ? AND number = ? AND amount < ?"
    statement = connection.prepareStatement(sql)
    statement.setString(1, "eve")
    statement.setInt(2, 3)
    statement.setBigDecimal(3, jpype.JClass("java.math.BigDecimal")("1000.5"))
    expect(rows(statement.executeQuery()), [["3"]])
    array = connection.createArrayOf("text", ["ada", "bob"])
    statement = connection.prepareStatement("SELECT count(*) FROM orders WHERE customer = ANY (?)")
    statement.setArray(1, array)
    expect(rows(statement.executeQuery()), [["8"]])
    connection.close()


@step
def fetches_in_parts() -> None:
    connection = connect()
    connection.setAutoCommit(False)
    statement = connection.createStatement()
    statement.setFetchSize(700)
    result = statement.executeQuery("SELECT id FROM numbers")
    expect(len(rows(result)), 20_000)
    connection.commit()
    connection.close()


@step
def limits_rows() -> None:
    connection = connect()
    statement = connection.createStatement()
    statement.setMaxRows(10)
    expect(len(rows(statement.executeQuery("SELECT id FROM numbers"))), 10)
    connection.close()


@step
def metadata() -> None:
    connection = connect()
    data = connection.getMetaData()
    expect(str(data.getDatabaseProductName()), "PostgreSQL")
    tables = data.getTables(None, "public", "%", ["TABLE"])
    expect(column(tables, "TABLE_NAME"), ["clicks_hourly", "numbers", "orders", "prices", "users"])
    expect(
        column(data.getColumns(None, "public", "numbers", "%"), "COLUMN_NAME"),
        ["id", "squared", "word"],
    )
    expect(
        column(data.getPrimaryKeys(None, "public", "clicks_hourly"), "COLUMN_NAME"),
        ["page", "window_start"],
    )
    expect(
        column(data.getIndexInfo(None, "public", "orders", True, False), "INDEX_NAME"),
        ["orders_pkey", "orders_pkey"],
    )
    expect("public" in column(data.getSchemas(), "TABLE_SCHEM"), True)
    expect(rows(data.getImportedKeys(None, "public", "orders")), [])
    for result in (data.getTypeInfo(), data.getCatalogs(), data.getTableTypes()):
        expect(len(rows(result)) > 0, True)
    for result in (data.getFunctions(None, None, "%"), data.getProcedures(None, None, "%")):
        rows(result)
    connection.close()


@step
def result_metadata() -> None:
    connection = connect()
    result = connection.createStatement().executeQuery("SELECT amount, placed FROM orders")
    meta = result.getMetaData()
    expect([str(meta.getColumnTypeName(1)), int(meta.getScale(1))], ["numeric", 2])
    expect(str(meta.getColumnClassName(2)), "java.sql.Timestamp")
    connection.close()


@step
def transactions() -> None:
    connection = connect()
    connection.setReadOnly(True)
    connection.setTransactionIsolation(connection.TRANSACTION_REPEATABLE_READ)
    expect(int(connection.getTransactionIsolation()), int(connection.TRANSACTION_REPEATABLE_READ))
    connection.setAutoCommit(False)
    expect(rows(connection.createStatement().executeQuery("SELECT count(*) FROM users")), [["5"]])
    savepoint = connection.setSavepoint()
    try:
        connection.createStatement().executeQuery("SELECT * FROM nothing")
    except jpype.JException as error:
        expect(str(error.getSQLState()), "42P01")
    connection.rollback(savepoint)
    expect(rows(connection.createStatement().executeQuery("SELECT 1")), [["1"]])
    connection.commit()
    expect(bool(connection.isValid(5)), True)
    connection.close()


@step
def query_timeout() -> None:
    connection = connect()
    statement = connection.createStatement()
    statement.setQueryTimeout(1)
    try:
        statement.executeQuery("SELECT count(*) FROM numbers a, numbers b, numbers c")
    except jpype.JException as error:
        expect(str(error.getSQLState()), "57014")
    else:
        raise AssertionError("it was not stopped")
    expect(rows(connection.createStatement().executeQuery("SELECT 1")), [["1"]])
    connection.close()


@step
def calls_functions() -> None:
    """Use JDBC's own form of a call, whose result is a parameter."""
    kinds = jpype.JClass("java.sql.Types")
    connection = connect()

    def called(call: str, kind: Any, *arguments: object) -> str:
        statement = connection.prepareCall(call)
        statement.registerOutParameter(1, kind)
        for at, argument in enumerate(arguments, 2):
            statement.setObject(at, argument)
        statement.execute()
        return str(statement.getObject(1))

    expect(called("{? = call upper(?)}", kinds.VARCHAR, "abc"), "ABC")
    expect(called("{ ? = call pg_catalog.substr( ?, ? ) }", kinds.VARCHAR, "abc", 2), "bc")
    expect(called("{? = call length('four')}", kinds.INTEGER), "4")
    expect(called("{? = call current_database()}", kinds.VARCHAR), DATABASE)
    statement = connection.prepareCall("{call upper(?)}")
    statement.setString(1, "abc")
    expect(rows(statement.executeQuery()), [["ABC"]])
    connection.close()


@step
def copies_out() -> None:
    connection = connect()
    manager = connection.unwrap(jpype.JClass("org.postgresql.PGConnection")).getCopyAPI()
    sink = jpype.JClass("java.io.ByteArrayOutputStream")()
    expect(int(manager.copyOut("COPY numbers TO STDOUT", sink)), 20_000)
    expect(len(bytes(sink.toByteArray()).splitlines()), 20_000)
    connection.close()


def _start() -> None:
    library = next(Path(os.environ["JAVA_HOME"]).rglob("libjvm.so"))
    # JPype's own native access is expected; without the flag Java warns of it.
    arguments = ["--enable-native-access=ALL-UNNAMED", "-Xmx256m"]
    jpype.startJVM(str(library), *arguments, classpath=[os.environ["PGJDBC_JAR"]])


INSTANT = "java.time.OffsetDateTime"


def _bind(statement: Any, at: int, value: object) -> None:
    if isinstance(value, dt.datetime):
        statement.setObject(at, jpype.JClass(INSTANT).parse(value.isoformat()))
    elif isinstance(value, int):
        statement.setLong(at, value)
    else:
        statement.setString(at, value)


def _value(result: Any, at: int, type_name: str) -> object:
    """Return a value as Python's of the same kind, by the type that the driver reports."""
    if type_name == "timestamptz":
        found = result.getObject(at, jpype.JClass(INSTANT).class_)
        return None if found is None else dt.datetime.fromisoformat(str(found.toInstant()))
    found = result.getObject(at)
    if found is None:
        return None
    kinds: dict[str, Callable[[Any], object]] = {"int8": int, "float8": float}
    return kinds.get(type_name, str)(found)


def _asking(options: str) -> Callable[[str, Sequence[object]], list[list[object]]]:
    def ask(sql: str, parameters: Sequence[object]) -> list[list[object]]:
        connection = connect(options)
        statement = connection.prepareStatement(marked(sql, "?"))
        for at, value in enumerate(parameters, 1):
            _bind(statement, at, value)
        result = statement.executeQuery()
        meta = result.getMetaData()
        types = [str(meta.getColumnTypeName(at + 1)) for at in range(meta.getColumnCount())]
        found = []
        while result.next():
            found.append([_value(result, at, name) for at, name in enumerate(types, 1)])
        connection.close()
        return found

    return ask


asks("pgjdbc")(_asking(""))
asks("pgjdbc in binary")(_asking("&prepareThreshold=-1"))
asks("pgjdbc simple")(_asking("&preferQueryMode=simple"))


@lists("pgjdbc")
def list_columns() -> dict[str, list[str]]:
    connection = connect()
    data = connection.getMetaData()
    stores = column(data.getTables(None, "public", "%", ["TABLE"]), "TABLE_NAME")
    names = {s: column(data.getColumns(None, "public", s, "%"), "COLUMN_NAME") for s in stores}
    connection.close()
    return names


@logs_in("pgjdbc")
def log_in(password: str) -> list[list[object]]:
    url = f"jdbc:postgresql://{HOST}:{PORT}/{DATABASE}?sslmode=verify-full"
    properties = jpype.JClass("java.util.Properties")()
    for name, value in (("user", USER), ("password", password), ("sslrootcert", ROOT_CERTIFICATE)):
        properties.setProperty(name, value)
    connection = jpype.JClass("java.sql.DriverManager").getConnection(url, properties)
    (row,) = rows(connection.createStatement().executeQuery(LOGIN_SQL))
    connection.close()
    return [[row[0], int(row[1] or 0)]]


if __name__ == "__main__":
    _start()
    main()
