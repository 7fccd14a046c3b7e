"""The only module that runs DuckDB. It is imported in composing processes, never in the gateway."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from msgspec import Struct, structs

from planner.composing.definition import DatabaseError, Definition, DescribedColumn
from planner.composing.functions.python_functions import PYTHON_FUNCTIONS

TYPES_MAX = 1_000
"""So many of DuckDB's types are known by their Arrow types; structs and decimals make many."""
KEPT_MAX = 64
"""Bound statements that are kept of a database, at some 20 kB each."""
KEPT_SQL_MAX = 10_000
"""Longer texts are not kept: what is bound of them is long, too."""

_CONFIG: dict[str, Any] = {"async_threads": "1"}
"""Threads that read files, of which there are none; DuckDB starts eight, each with its stack."""


Read: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]


def no_rows() -> Iterator[pa.RecordBatch]:
    """A stream of nothing."""
    return iter(())


class LocalRelation:
    """Rows with the Arrow stream interface.

    Args:
        schema: theirs.
        read: gives a new stream of them; called for each time that DuckDB scans the relation.
    """

    def __init__(self, schema: pa.Schema, read: Read = no_rows) -> None:
        self.schema, self.read = schema, read

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self.schema, self.read())
        return reader.__arrow_c_stream__(requested_schema)


class Bound(Struct, frozen=True):
    """A connection with relations, and a statement that DuckDB has bound over them.

    It can be run with any rows of the same schemas.
    """

    cursor: duckdb.DuckDBPyConnection
    relations: Mapping[str, LocalRelation]
    found: duckdb.DuckDBPyRelation | None
    """None for a statement with parameters: it is bound with their values."""


class LocalDatabase:
    """A database in this process. Safe to use from many threads.

    Args:
        definition: what makes it.

    Raises:
        DatabaseError: it cannot be made.
    """

    def __init__(self, definition: Definition) -> None:
        self._types: Mapping[str, pa.DataType] = {}
        self._kept: OrderedDict[Hashable, Bound] = OrderedDict()
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
        return LocalStatement(self, sql)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection for one statement."""
        with self._lock:
            return self._database.cursor()

    def kept(self, key: Hashable) -> Bound | None:
        """What was kept of a statement, for the caller alone."""
        with self._lock:
            return self._kept.pop(key, None)

    def keep(self, key: Hashable, bound: Bound) -> None:
        """Keep what has been bound for the next that comes with the same text."""
        for relation in bound.relations.values():
            relation.read = no_rows
        with self._lock:
            surplus = [self._kept.pop(key, None)]
            self._kept[key] = bound
            while len(self._kept) > KEPT_MAX:
                surplus.append(self._kept.popitem(last=False)[1])
        for each in surplus:
            if each is not None:
                each.cursor.close()

    def close(self) -> None:
        """Close the database; running statements fail."""
        self._kept.clear()
        self._database.close()

    def _run_all(self, statements: Sequence[str]) -> None:
        if statements:
            self._database.execute(";".join(statements))

    def arrow_types(
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
    """One statement. For one thread at a time, but for `interrupt`.

    What DuckDB has bound is kept where it can be used again: to register relations and to bind a
    statement takes it as long as to run a small one.
    """

    def __init__(self, database: LocalDatabase, sql: str) -> None:
        self._database, self._sql = database, sql
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._bound: Bound | None = None
        self._key: Hashable | None = None
        self._reader: pa.RecordBatchReader | None = None
        self._is_over = False
        self._interrupted = False

    def describe(
        self, relations: Mapping[str, pa.Schema], parameters: Sequence[str]
    ) -> tuple[DescribedColumn, ...]:
        """Its columns; none of it is computed.

        Raises:
            DatabaseError: DuckDB refuses it.
        """
        with own_errors():
            # Bound, but not optimised: that would compute the constants, for as long as it takes.
            found = self._bind(relations, dict.fromkeys(parameters))
            names, kinds = found.columns, [str(kind) for kind in found.types]
            assert self._cursor is not None, "it has been bound"
            types = self._database.arrow_types(self._cursor, kinds)
        self._is_over = True
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
        with own_errors():
            schemas = {name: relation.schema for name, relation in relations.items()}
            found = self._bind(schemas, parameters, script)
            assert self._bound is not None, "it has been bound"
            for name, relation in relations.items():
                self._bound.relations[name].read = relation.read
            self._check()
            self._reader = found.to_arrow_reader(rows_max)
        schema: pa.Schema = self._reader.schema
        return schema

    def _bind(
        self, schemas: Mapping[str, pa.Schema], parameters: Mapping[str, Any], script: str = ""
    ) -> duckdb.DuckDBPyRelation:
        if not script and len(self._sql) <= KEPT_SQL_MAX:
            named = (schemas[name].serialize().to_pybytes() for name in schemas)
            self._key = (self._sql, *zip(schemas, named, strict=True))
            self._bound = self._database.kept(self._key)
        if self._bound is None:
            self._cursor = self._database.cursor()
            self._bound = self._connected(self._cursor, schemas, script)
        self._cursor = cursor = self._bound.cursor
        self._check()
        if parameters:
            return cursor.sql(self._sql, params=dict(parameters))
        if self._bound.found is None:
            self._bound = structs.replace(self._bound, found=cursor.sql(self._sql))
        assert self._bound.found is not None, "it has been bound"
        return self._bound.found

    @staticmethod
    def _connected(
        cursor: duckdb.DuckDBPyConnection, schemas: Mapping[str, pa.Schema], script: str
    ) -> Bound:
        if script:
            cursor.execute(script)
        relations = {name: LocalRelation(schema) for name, schema in schemas.items()}
        for name, relation in relations.items():
            cursor.register(name, relation)
        return Bound(cursor, relations, None)

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
                if batch is None:
                    self._is_over = True
                if batch is None or batch.num_rows:
                    return batch

    def interrupt(self) -> None:
        """Have it end early, from any thread; what runs then fails as interrupted."""
        self._interrupted = True
        cursor = self._cursor
        if cursor is not None:
            cursor.interrupt()

    def close(self) -> None:
        """End it, once nothing of it runs any more."""
        if self._reader is not None:
            self._reader.close()
        bound, cursor = self._bound, self._cursor
        is_whole = self._is_over and not self._interrupted
        if bound is not None and self._key is not None and is_whole:
            self._database.keep(self._key, bound)
        elif cursor is not None:
            cursor.close()

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
