"""A database in this process. The only module that runs DuckDB."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from planner.cancel import Cancellation
from planner.composing.database import (
    Answer,
    ArrowRelation,
    DatabaseClosed,
    DatabaseError,
    Definition,
    DescribedColumn,
)
from planner.composing.functions import PYTHON_FUNCTIONS
from planner.errors import QueryError
from stores.query import BATCH_ROWS

TYPES_MAX = 1_000
"""So many of DuckDB's types are known by their Arrow types; structs and decimals make many."""


class LocalDatabase:
    """A `Database` in this process.

    Args:
        definition: what makes it.
    """

    def __init__(self, definition: Definition) -> None:
        self._database = duckdb.connect(":memory:", config=dict(definition.config))
        for name, (function, first) in PYTHON_FUNCTIONS.items():
            about: Any = {"parameters": [first, "VARCHAR"], "type": "arrow"}
            self._database.create_function(name, function, return_type="VARCHAR", **about)
        self._run_all(definition.before)
        for name, table in definition.tables.items():
            self._database.register("zz_source", table)
            self._database.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM zz_source")
            self._database.unregister("zz_source")
        self._run_all(definition.after)
        self._types: Mapping[str, pa.DataType] = {}
        self._lock = threading.Lock()

    def describe(
        self,
        sql: str,
        *,
        relations: Mapping[str, pa.Schema] | None = None,
        parameters: Sequence[str] = (),
        cancellation: Cancellation,
    ) -> tuple[DescribedColumn, ...]:
        """The columns that a statement gives; none of it is computed."""
        cursor = self._cursor()
        try:
            with _own_errors(), cancellation.interrupting(cursor.interrupt):
                for name, schema in (relations or {}).items():
                    cursor.register(name, schema.empty_table())
                # Bound, but not optimised: that would compute the constants.
                relation = cursor.sql(sql, params=dict.fromkeys(parameters) or None)
                names, kinds = relation.columns, [str(kind) for kind in relation.types]
                types = self._arrow_types(cursor, kinds)
        except DatabaseError:
            cancellation.check()
            raise
        finally:
            cursor.close()
        return tuple(
            DescribedColumn(name=name, kind=kind, arrow=types[kind])
            for name, kind in zip(names, kinds, strict=True)
        )

    def run(
        self,
        sql: str,
        *,
        script: str = "",
        relations: Mapping[str, ArrowRelation] | None = None,
        parameters: Mapping[str, Any] | None = None,
        cancellation: Cancellation,
    ) -> Answer:
        """Begin a statement."""
        return _LocalAnswer(
            self._cursor(),
            sql,
            script=script,
            relations=relations or {},
            parameters=parameters or {},
            cancellation=cancellation,
        )

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

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        try:
            with self._lock:
                return self._database.cursor()
        except duckdb.ConnectionException as error:
            raise DatabaseClosed from error


class _LocalAnswer:
    """The rows of one statement, on a cursor of its own."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        sql: str,
        *,
        script: str,
        relations: Mapping[str, ArrowRelation],
        parameters: Mapping[str, Any],
        cancellation: Cancellation,
    ) -> None:
        self._cursor, self._relations, self._cancellation = cursor, relations, cancellation
        self._interrupting = cancellation.interrupting(cursor.interrupt)
        self._interrupting.__enter__()
        self._closed = False
        with self._ending():
            if script:
                cursor.execute(script)
            for name, relation in relations.items():
                cursor.register(name, _Streams(relation))
            found = cursor.sql(sql, params=dict(parameters) or None)
            self._reader = found.to_arrow_reader(BATCH_ROWS)
            self.schema = self._reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._ending():
            while True:
                self._cancellation.check()
                batch = None if self._closed else next(self._reader, None)
                if batch is None or batch.num_rows:
                    break
        if batch is None:
            self.close()
            raise StopIteration
        return batch

    def close(self) -> None:
        """End the statement."""
        if not self._closed:
            self._closed = True
            self._interrupting.__exit__(None, None, None)
            self._cursor.close()

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Close at whatever is raised, and raise what is to blame for it."""
        try:
            with _own_errors():
                yield
        except BaseException as error:
            self.close()
            if isinstance(error, DatabaseError):
                for relation in self._relations.values():
                    if isinstance(relation.error, QueryError):
                        raise relation.error from error
                self._cancellation.check()
            raise


class _Streams:
    """A relation with the Arrow stream interface."""

    def __init__(self, relation: ArrowRelation) -> None:
        self._relation = relation

    def __arrow_c_schema__(self) -> object:
        return self._relation.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        relation = self._relation
        reader = pa.RecordBatchReader.from_batches(relation.schema, relation.read())
        return reader.__arrow_c_stream__(requested_schema)


@contextmanager
def _own_errors() -> Iterator[None]:
    """DuckDB's errors as `DatabaseError`; behind the first rows they come through Arrow."""
    try:
        yield
    except duckdb.Error as error:
        raise DatabaseError(type(error).__name__.removesuffix("Exception"), str(error)) from error
    except OSError as error:
        kind = str(error).partition(" Error:")[0].replace(" ", "")
        found = kind if hasattr(duckdb, f"{kind}Exception") else "Error"
        raise DatabaseError(found, str(error)) from error
