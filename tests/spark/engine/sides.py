"""Stores with the values at which databases differ, and both engines over them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.session import SparkSession

from stategate.planner.errors import QueryError
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.hosting.host import Host
from stategate.stores.log.data.scanning import Wanted
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark.engine import SparkEngine, SparkEngineConfig
from stategate.stores.spark.filters import conditions, decode_filters, encode_filters
from stategate.stores.spec.position import Position
from stategate.stores.spec.query_engine import EngineRelation, QueryEngine
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.upkeep.contents import read_contents, relation_schema
from stategate.stores.upkeep.recipes import recipe
from tests.planner.sides import comparable, ordered, rows_of
from tests.support.stores import batch, keyvalue, window
from tests.support.waiting import until

HOUR_US = 3_600_000_000
INT, LONG = 1 << 31, 1 << 63
FOREVER = LONG - 1

PEOPLE = keyvalue(
    "people",
    {"name": "text"},
    {"age": "integer", "score": "double", "city": "text", "small": "smallint", "id": "uuid"},
)
ORDERS = keyvalue(
    "orders",
    {"name": "text", "number": "bigint"},
    {
        "amount": "decimal(9,2)",
        "paid": "boolean",
        "due": "timestamptz",
        "made": "timestamp",
        "day": "date",
    },
)
CLICKS = window("clicks", {"name": "text"}, {"clicks": "bigint"})
CARRIED = keyvalue(
    "carried",
    {"id": "integer"},
    {"tiny": "tinyint", "part": "real", "raw": "bytea", "doc": "json", "MixedCase": "text"},
)
STORES: tuple[StoreSchema, ...] = (PEOPLE, ORDERS, CLICKS, CARRIED)

_IDS = ("00000000-0000-0000-0000-000000000000", "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01")
ROWS: dict[str, Sequence[Row]] = {
    "people": [
        ("", 0, 0.0, "Oslo", 0, _IDS[0]),
        ("a", 30, 1.5, "Oslo", 3, _IDS[1]),
        ("aa", -30, -0.0, "Rome", -3, None),
        ("ab", INT - 1, math.nan, None, (1 << 15) - 1, _IDS[1]),
        ("b", -INT, math.inf, "", -(1 << 15), _IDS[0]),
        ("a\x00b", None, -math.inf, "a\nb", None, None),
        ("é", 7, 1e308, "Ω%_", 7, _IDS[0]),
        ("Ω", 7, -1e308, "😀é", 7, None),
        ("A", 1, 0.25, "oslo", 1, None),
        (None, 2, None, None, 2, None),
    ],
    "orders": [
        ("a", 1, Decimal("9.50"), True, 0, 0, 0),
        ("a", 2, Decimal("-1.25"), False, HOUR_US, -1, -1),
        ("a", None, Decimal("5.00"), None, 5 * HOUR_US + 1, 25 * HOUR_US, 19_782),
        ("b", LONG - 1, None, True, FOREVER, FOREVER, None),
        ("b", -LONG, Decimal("9999999.99"), False, -FOREVER, -FOREVER, -719_162),
        ("é", 7, Decimal("-9999999.99"), True, -HOUR_US, 7, 2_932_896),
        ("zz", 3, Decimal("0.00"), False, 1_709_208_000_000_000, 951_782_400_000_000, 11_016),
        ("zz", 4, Decimal("0.01"), None, None, None, 11_017),
        ("", 5, Decimal("0.02"), True, 1_709_208_000_000_001, 951_782_399_999_999, 60),
    ],
    "clicks": [
        (name, hour * HOUR_US, (hour + 1) * HOUR_US, None if hour == 2 else hour * 10 - 15)
        for name in ("a", "b", "é")
        for hour in range(-2, 4)
    ],
    "carried": [
        (1, 1, 0.5, b"\x00\xff", '{"a": 1}', "x"),
        (2, -128, -1.5, b"", "null", None),
        (3, None, None, None, None, "X"),
    ],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """One engine over a log; its sessions choose where statements run."""

    engine: SqlEngine
    host: Host
    root: Path

    def run(self, sql: str, where: str, parameters: Row = (), **settings: str) -> Result:
        """Run a statement on Spark or here."""
        given = {f"stategate.{name}": value for name, value in settings.items()}
        session = Session(settings={"stategate.engine": where, **given})
        return self.run_in(session, sql, parameters)

    def run_in(self, session: Session, sql: str, parameters: Row = ()) -> Result:
        """Run a statement in a session."""
        return self.engine.execute(
            self.engine.prepare(sql, session),
            parameters,
            session,
            cancellation=Cancellation(timeout_s=100),
        )

    def answer(self, sql: str, where: str, parameters: Row = ()) -> tuple[object, ...]:
        """Return the columns and rows of a statement, or its error."""
        try:
            result = self.run(sql, where, parameters)
            with_order = "ORDER BY" in sql.rpartition(")")[2]
            rows = [_rounded(comparable(row)) for row in rows_of(result)]
        except QueryError as error:
            return ("error", error.sqlstate)
        names = [(column.name, str(column.type)) for column in result.columns]
        return ("rows", names, rows if with_order else ordered(rows))

    def lines(self, sql: str, where: str) -> list[str]:
        """Return the lines of an EXPLAIN."""
        return [row[0] for row in rows_of(self.run(sql, where))]


def _rounded(row: Row) -> Row:
    """Return a row whose doubles have the digits that do not depend on the order of additions."""
    return tuple(float(f"{v:.12g}") if isinstance(v, float) else v for v in row)


def write_world(root: Path) -> None:
    """Write the log: two epochs, the second with changed rows."""
    for schema in STORES:
        writer = StoreWriter(str(root), schema, writer="test")
        rows = ROWS[schema.name]
        first = [(*row[: len(schema.key)], *[None] * (len(row) - len(schema.key))) for row in rows]
        is_window = schema.window_size_ms is not None
        begun = rows[: len(rows) // 2] if is_window else first[: len(rows) // 2]
        for offset, each in enumerate((begun, rows), start=1):
            given = pa.Table.from_batches([batch(schema, each)])
            writer.write(given, position=Position.of({"events": {0: offset}}))


@contextmanager
def open_engines(
    root: Path, spark: QueryEngine | None, *, spark_rows_max: int = 0
) -> Iterator[Engines]:
    """Serve a log."""
    host = Host(str(root), None, node="n")
    host.start()
    engine = SqlEngine(
        host, limits=EngineLimits(spark_rows_max=spark_rows_max), node="n", spark=spark
    )
    try:
        until(lambda: host.is_ready, 60)
        yield Engines(engine=engine, host=host, root=root)
    finally:
        engine.close()
        host.close()


class TableEngine(SparkEngine):
    """An engine that sends the rows of the relations with each statement.

    Reading them there starts Python processes, which takes longer than all else.
    """

    def _read(self, session: SparkSession, relation: EngineRelation) -> Any:
        log = StoreLog.open(self._config.root, relation.store)
        made_of = recipe(log, relation.epoch if relation.epoch >= 0 else None)
        whole = relation_schema(log.schema())
        wanted = Wanted(columns=relation.columns)
        filters = decode_filters(encode_filters(relation.filters), whole)
        for name, condition in conditions(filters, whole):
            wanted = wanted.also(condition, name)
        batches = [
            found
            for part in relation.partitions
            for found in read_contents(log, made_of, part, wanted)
        ]
        types = pa.schema([whole.field(name) for name in relation.columns])
        table = pa.Table.from_batches([each.cast(types) for each in batches], types)
        if table.num_rows == 0:  # Spark takes no types from a table without rows
            empty: Any = session.createDataFrame(types.empty_table().from_pylist([{}], types))
            return empty.limit(0)
        frame: Any = session.createDataFrame(table)
        return frame


@contextmanager
def connected(
    remote: str,
    root: Path,
    *,
    timeout_s: float = 100.0,
    kind: type[SparkEngine] = SparkEngine,
    **config: Any,
) -> Iterator[SparkEngine]:
    """Run an engine, from when it takes statements on."""
    engine = kind(SparkEngineConfig(remote=remote, root=str(root), shuffle_partitions=2, **config))
    engine.start()
    try:
        try:
            until(lambda: engine.status.state == "running", timeout_s)
        except AssertionError as error:
            raise AssertionError(f"not connected: {engine.status}") from error
        yield engine
    finally:
        engine.close()
