"""The only module that runs DuckDB. It is imported in composing processes, never in the gateway."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from planner.composing.definition import DatabaseError, Definition, DescribedColumn
from planner.composing.functions import PYTHON_FUNCTIONS

TYPES_MAX = 1_000
"""So many of DuckDB's types are known by their Arrow types; structs and decimals make many."""


_CONFIG: dict[str, Any] = {"async_threads": "1"}
"""Threads that read files, of which there are none; DuckDB starts eight, each with its stack."""


class LocalRelation:
    """Rows with the Arrow stream interface.

    Args:
        schema: theirs.
        read: gives a new stream of them; called for each time that DuckDB scans the relation.
    """

    def __init__(self, schema: pa.Schema, read: Callable[[], Iterator[pa.RecordBatch]]) -> None:
        self._schema, self._read = schema, read

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self._schema, self._read())
        return reader.__arrow_c_stream__(requested_schema)


class LocalDatabase:
    """A database in this process. Safe to use from many threads.

    Args:
        definition: what makes it.

    Raises:
        DatabaseError: it cannot be made.
    """

    def __init__(self, definition: Definition) -> None:
        self._types: Mapping[str, pa.DataType] = {}
        self._lock = threading.Lock()
        with own_errors():
            self._database = duckdb.connect(":memory:", config={**_CONFIG, **definition.config})
            for name, (function, given, result) in PYTHON_FUNCTIONS.items():
                about: Any = {"parameters": list(given), "type": "arrow", "return_type": result}
                self._database.create_function(name, function, **about)
            self._run_all(definition.before)
            for name, table in definition.tables.items():
                self._database.register("zz_source", table)
                self._database.execute(f"CREATE OR REPLACE TABLE {name} AS FROM zz_source")
                self._database.unregister("zz_source")
            self._run_all(definition.after)

    def statement(self, sql: str) -> LocalStatement:
        """A statement, not yet begun."""
        with self._lock, own_errors():
            return LocalStatement(self._database.cursor(), sql, self._arrow_types)

    def close(self) -> None:
        """Close the database; running statements fail."""
        self._database.close()

    def _run_all(self, statements: Sequence[str]) -> None:
        if statements:
            self._database.execute(";".join(statements))

    def _arrow_types(
        self, cursor: duckdb.DuckDBPyConnection, kinds: Sequence[str]
    ) -> Mapping[str, pa.DataType]:
        """The Arrow types of DuckDB's; it is asked once for each, as that is a statement more."""
        known = self._types
        missing = [kind for kind in dict.fromkeys(kinds) if kind not in known]
        if missing:
            nulls = ", ".join(f"CAST(NULL AS {kind})" for kind in missing)
            found = cursor.sql(f"SELECT {nulls}").limit(0).to_arrow_reader(1).schema.types
            fresh = dict(zip(missing, found, strict=True))
            known = {**known, **fresh}
            self._types = known if len(known) <= TYPES_MAX else fresh
        return known


class LocalStatement:
    """One statement on a cursor of its own. For one thread at a time, but for `interrupt`."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        sql: str,
        arrow_types: Callable[
            [duckdb.DuckDBPyConnection, Sequence[str]], Mapping[str, pa.DataType]
        ],
    ) -> None:
        self._cursor, self._sql, self._arrow_types = cursor, sql, arrow_types
        self._reader: pa.RecordBatchReader | None = None
        self._interrupted = False

    def describe(
        self, relations: Mapping[str, pa.Schema], parameters: Sequence[str]
    ) -> tuple[DescribedColumn, ...]:
        """Its columns; none of it is computed.

        Raises:
            DatabaseError: DuckDB refuses it.
        """
        cursor = self._cursor
        with own_errors():
            for name, schema in relations.items():
                cursor.register(name, schema.empty_table())
            # Bound, but not optimised: that would compute the constants, for as long as it takes.
            relation = cursor.sql(self._sql, params=dict.fromkeys(parameters) or None)
            names, kinds = relation.columns, [str(kind) for kind in relation.types]
            types = self._arrow_types(cursor, kinds)
        return tuple(
            DescribedColumn(name=name, kind=kind, arrow=types[kind])
            for name, kind in zip(names, kinds, strict=True)
        )

    def begin(
        self,
        script: str,
        relations: Mapping[str, LocalRelation],
        parameters: Mapping[str, Any],
        rows_max: int,
    ) -> pa.Schema:
        """Begin to run it; gives the schema of its rows.

        Raises:
            DatabaseError: DuckDB refuses it, or failed.
        """
        cursor = self._cursor
        with own_errors():
            if script:
                cursor.execute(script)
            for name, relation in relations.items():
                cursor.register(name, relation)
            self._check()
            found = cursor.sql(self._sql, params=dict(parameters) or None)
            self._check()
            self._reader = found.to_arrow_reader(rows_max)
        schema: pa.Schema = self._reader.schema
        return schema

    def next(self) -> pa.RecordBatch | None:
        """The next rows; None where there are no more.

        Raises:
            DatabaseError: DuckDB failed.
        """
        assert self._reader is not None, "it has begun"
        with own_errors():
            while True:
                self._check()
                batch: pa.RecordBatch | None = next(self._reader, None)
                if batch is None or batch.num_rows:
                    return batch

    def interrupt(self) -> None:
        """Have it end early, from any thread; what runs then fails as interrupted."""
        self._interrupted = True
        self._cursor.interrupt()

    def close(self) -> None:
        """End it, once nothing of it runs any more."""
        if self._reader is not None:
            self._reader.close()
        self._cursor.close()

    def _check(self) -> None:
        if self._interrupted:
            raise DatabaseError("Interrupt", "INTERRUPT Error: Interrupted!")


@contextmanager
def own_errors() -> Iterator[None]:
    """DuckDB's errors as `DatabaseError`; behind the first rows they come through Arrow."""
    try:
        yield
    except MemoryError as error:
        raise DatabaseError("OutOfMemory", "Out of Memory Error: failed to allocate") from error
    except (duckdb.Error, OSError) as error:
        raise DatabaseError(_kind_of(error), str(error)) from error


def _kind_of(error: Exception) -> str:
    """The kind that an error is of: by its class, or by its text where the class says nothing."""
    named = type(error).__name__.removesuffix("Exception")
    if named in _KINDS.values():
        return named
    said = str(error).partition(" Error:")[0].replace(" ", "").lower()
    return _KINDS.get(said, "Error")


_KINDS: dict[str, str] = {
    name.removesuffix("Exception").lower(): name.removesuffix("Exception")
    for name in dir(duckdb)
    if name.endswith("Exception")
} | {"mismatchtype": "TypeMismatch"}
"""Kinds of DuckDB's errors, by how their text begins: "Out of Memory Error: …"."""
