"""The two sides of the law: the engine over partitions, and DuckDB over the same rows in tables."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from stategate.planner.planning import plan
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result, Statement
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from tests.support.stores import FixedCatalog, batch, fill, open_store

_INTEGERS = {"timestamp": pa.int64(), "date32": pa.int32(), "time64": pa.int64()}
"""The types to which times are cast for comparison: those of our physical values."""


@dataclass
class Sides:
    """The engine over partitions, and DuckDB over the same rows in plain tables."""

    engine: SqlEngine
    plain: duckdb.DuckDBPyConnection
    bulk: SqlEngine | None = None
    """The same engine without the row path."""
    stores: Sequence[LocalStore] = ()

    def close(self) -> None:
        """Close the engines and DuckDB."""
        self.engine.close()
        if self.bulk is not None:
            self.bulk.close()
        self.plain.close()
        for store in self.stores:
            store.close()

    def ours(self, sql: str, parameters: Row = ()) -> list[Row]:
        rows = [comparable(row) for row in rows_of(run(self.engine, sql, parameters))]
        if self.bulk is not None and not sql.startswith("EXPLAIN"):
            others = [comparable(row) for row in rows_of(run(self.bulk, sql, parameters))]
            # LIMIT may keep any of the rows that are equal in the order.
            assert len(rows) == len(others)
            assert "LIMIT" in sql or ordered(rows) == ordered(others)
            self._look_up(sql, parameters, rows)
        return rows

    def _look_up(self, sql: str, parameters: Row, rows: list[Row]) -> None:
        """Check the fast lookup: it has these rows, or it declines."""
        session = Session()
        statement = self.engine.prepare(sql, session)
        found = looked_up(statement, parameters, session)
        if found is not None:
            fast = [comparable(row) for row in found]
            assert len(fast) == len(rows)
            assert "LIMIT" in sql or ordered(fast) == ordered(rows)

    def theirs(self, sql: str, parameters: Row = ()) -> list[Row]:
        table = self.plain.sql(sql, params=list(parameters) or None).to_arrow_table()
        listed = []
        for column in table.columns:
            integer = _INTEGERS.get(str(column.type).split("[", maxsplit=1)[0])
            listed.append((column if integer is None else column.cast(integer)).to_pylist())
        return [comparable(row) for row in zip(*listed, strict=True)]


def comparable(row: Row) -> Row:
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in row)


def ordered(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: tuple((v is not None, str(type(v)), str(v)) for v in row))


def run(
    engine: SqlEngine, sql: str, parameters: Row = (), session: Session | None = None
) -> Result:
    """Prepare and execute one statement."""
    session = session or Session()
    return engine.execute(
        engine.prepare(sql, session), parameters, session, cancellation=Cancellation(timeout_s=60)
    )


def looked_up(statement: Statement, parameters: Row, session: Session) -> Sequence[Row] | None:
    """Return the rows that a statement's fast lookup gives; None without one."""
    look_up = statement.look_up
    found = None if look_up is None else look_up(statement.literals or parameters, session)
    return None if found is None else tuple(found.rows)


def rows_of(result: Result) -> list[Row]:
    """Return all rows of a result as physical values."""
    if result.rows is not None:
        return list(result.rows)
    types = [column.type for column in result.columns]
    rows: list[Row] = []
    for each in result.batches or ():
        listed = [physical_list(c, t) for c, t in zip(each.columns, types, strict=True)]
        rows += zip(*listed, strict=True)
    return rows


@contextlib.contextmanager
def looking_up_by_joins() -> Iterator[None]:
    """Look up the keys of every other relation, also where reading a small store is less work."""
    usual, plan._SCANNED_PER_KEY = plan._SCANNED_PER_KEY, dict.fromkeys(StoreKind, 0)
    try:
        yield
    finally:
        plan._SCANNED_PER_KEY = usual


def build(
    schemas: Sequence[StoreSchema],
    rows: Mapping[str, Sequence[Row]],
    directory: Path | None = None,
    *,
    columns: ColumnBudget | None = None,
) -> Sides:
    """Return both sides with the given rows; ours is in RocksDB if a directory is given."""
    plain = duckdb.connect(":memory:")
    plain.execute("SET TimeZone = 'UTC'")
    plain.execute("SET integer_division = true")
    plain.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    stores = []
    for schema in schemas:
        store = open_store(schema, directory=directory, columns=columns)
        fill(store, rows[schema.name])
        stores.append(store)
        whole = batch(schema, rows[schema.name]).select([c.name for c in schema.columns])
        plain.register("whole", pa.Table.from_batches([whole]))
        plain.execute(f'CREATE TABLE "{schema.name}" AS SELECT * FROM whole')
        plain.unregister("whole")
    catalog = FixedCatalog(*stores)
    bulk = SqlEngine(catalog, limits=EngineLimits(few_rows=False))
    return Sides(SqlEngine(catalog), plain, bulk, stores)
