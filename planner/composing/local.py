"""The only module that runs DuckDB; composing processes import it, the gateway never does."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa

from stategate.planner.composing.database import (
    OUT_OF_MEMORY,
    DatabaseError,
    Definition,
    DescribedColumn,
)
from stategate.planner.composing.functions.python_functions import PYTHON_FUNCTIONS
from stategate.planner.composing.kept_statements import Bound, Connected, KeptStatements
from stategate.planner.composing.local_relation import LocalRelation
from stategate.planner.composing.prepared import (
    ROWS_MAX,
    SCANNING,
    WRITTEN,
    can_execute,
    execute_text,
    prepare_text,
    submit,
)
from stategate.planner.composing.relation_errors import relation_error
from stategate.planner.composing.row_values import row_values
from stategate.planner.composing.tables import make_tables, read_ahead

TYPES_MAX = 1_000
"""DuckDB types whose Arrow types are cached; structs and decimals make many types."""
KEPT_SQL_MAX = 10_000
"""Maximum characters of a statement that is cached."""
SHORT_S = 0.02
"""Maximum CPU time of a run whose plan is kept. A plan holds some memory of its last run, and after
a longer run the time to plan again hardly counts."""

_CONFIG: dict[str, Any] = {"async_threads": "1"}
"""Threads that read files; there are no files, but DuckDB would start eight with a stack each."""


class LocalDatabase:
    """A database in this process. Safe to use from many threads.

    Args:
        definition: the database's content and configuration.

    Raises:
        DatabaseError: it cannot be made.
    """

    def __init__(self, definition: Definition) -> None:
        self._types: Mapping[str, pa.DataType] = {}
        self.kept = KeptStatements()
        """Statements that have run."""
        self._definition = definition
        self._lock, self._making = threading.Lock(), threading.Lock()
        self._database = _database(definition)
        self._small = self._database if definition.threads == 1 else None
        """Where statements over few rows run, in one thread: DuckDB takes 140 µs to share out the
        work of a statement among several. It is made when it is first needed."""
        self.can_execute = can_execute(self._database, duckdb.Error)
        """Whether statements can be prepared."""

    def statement(self, sql: str) -> LocalStatement:
        """Return a statement that has not begun."""
        return LocalStatement(self, sql)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection for one statement."""
        with self._lock:
            return self._database.cursor()

    def small(self, bound: Bound, schemas: Mapping[str, pa.Schema]) -> Connected:
        """Return where a statement runs over few rows.

        Raises:
            DatabaseError: there is no memory for that database.
        """
        if self._small is self._database:
            return bound.whole
        with self._making:  # some 80 ms, in which others go on
            if self._small is None:
                self._small = _database(replace(self._definition, threads=1))
        with self._lock:
            cursor = self._small.cursor()
        return _connected(cursor, schemas)

    def close(self) -> None:
        """Close the database; running statements fail."""
        self.kept.clear()
        self._database.close()
        if self._small is not None:
            self._small.close()

    def arrow_types(
        self, cursor: duckdb.DuckDBPyConnection, kinds: Sequence[str]
    ) -> Mapping[str, pa.DataType]:
        """Return the Arrow type of each DuckDB type; a new type costs one more statement."""
        known = self._types
        missing = [kind for kind in dict.fromkeys(kinds) if kind not in known]
        if missing:
            nulls = ", ".join(f"CAST(NULL AS {kind})" for kind in missing)
            found = cursor.sql(f"SELECT {nulls}").limit(0).to_arrow_reader(1).schema.types
            fresh = dict(zip(missing, found, strict=True))
            known = {**known, **fresh}
            self._types = known if len(known) <= TYPES_MAX else fresh
        return known


def _database(definition: Definition) -> duckdb.DuckDBPyConnection:
    """Make a database.

    Raises:
        DatabaseError: it cannot be made.
    """
    config = {**_CONFIG, **definition.config}
    if definition.threads is not None:
        config["threads"] = str(definition.threads)
    with OWN_ERRORS:
        made = duckdb.connect(":memory:", config=config)
        for name, (function, given, result) in PYTHON_FUNCTIONS.items():
            about: Any = {"parameters": list(given), "type": "arrow", "null_handling": "special"}
            made.create_function(name, function, return_type=result, **about)
        _run_all(made, definition.before)
        for name, table in definition.tables.items():
            made.register("zz_source", table)
            made.execute(f"CREATE OR REPLACE TABLE {name} AS FROM zz_source")
            made.unregister("zz_source")
        _run_all(made, definition.after)
    return made


def _run_all(database: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    if statements:
        database.execute(";".join(statements))


class LocalStatement:
    """One statement. For one thread at a time, except `interrupt`.

    A bound statement is cached if it can be used again: registering relations and binding takes as
    long as running a short statement.
    """

    def __init__(self, database: LocalDatabase, sql: str) -> None:
        self._database, self._sql = database, sql
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._own: duckdb.DuckDBPyConnection | None = None  # with tables, which end with it
        self._bound: Bound | None = None
        self._key: Hashable | None = None
        self._reader: pa.RecordBatchReader | None = None
        self._worked_s, self._rows = 0.0, 0
        self._is_over = False
        self._interrupted = False

    def describe(
        self, relations: Mapping[str, pa.Schema], parameters: Sequence[str]
    ) -> tuple[DescribedColumn, ...]:
        """Return its columns without computing anything.

        Raises:
            DatabaseError: DuckDB refuses the statement.
        """
        with OWN_ERRORS:
            bound = self._connect(relations)
            # Bound but not optimised: the optimiser computes constants, however long they take.
            found = self._relation(bound, dict.fromkeys(parameters))
            names, kinds = found.columns, [str(kind) for kind in found.types]
            types = self._database.arrow_types(bound.whole.cursor, kinds)
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
        """Begin to run it; return the schema of its rows.

        Raises:
            DatabaseError: DuckDB refuses the statement, or failed.
        """
        start = time.thread_time()
        with OWN_ERRORS:
            bound = self._connect({n: each.schema for n, each in relations.items()}, script)
            self._reader = None
            relations, tables = (relations, None) if script else read_ahead(relations)
            if tables is not None:
                self._reader = self._over_tables(tables, parameters, rows_max)
            elif bound.is_small and all(each.is_whole for each in relations.values()):
                self._reader = self._execute(bound, relations, parameters, rows_max)
            if self._reader is None:
                self._use(bound.whole, relations)
                self._reader = self._relation(bound, parameters).to_arrow_reader(rows_max)
        self._worked_s += time.thread_time() - start
        return self._reader.schema

    def _connect(self, schemas: Mapping[str, pa.Schema], script: str = "") -> Bound:
        """Return a connection with the relations; a cached one if there is no script."""
        bound: Bound | None = None
        if not script and len(self._sql) <= KEPT_SQL_MAX:
            named = (schemas[name].serialize().to_pybytes() for name in schemas)
            self._key = (self._sql, *zip(schemas, named, strict=True))
            bound = self._database.kept.take(self._key)
        if bound is None:
            self._cursor = self._database.cursor()
            if script:
                self._cursor.execute(script)
            bound = Bound(_connected(self._cursor, schemas), rows=row_values(schemas))
        self._bound, self._cursor = bound, bound.whole.cursor
        self._check()
        return bound

    def _use(self, connected: Connected, relations: Mapping[str, LocalRelation]) -> None:
        """Run in a connection from now on, over these rows."""
        connected.read(relations)
        self._cursor = connected.cursor
        self._check()

    def _relation(self, bound: Bound, parameters: Mapping[str, Any]) -> duckdb.DuckDBPyRelation:
        """Return the statement as a relation, which is planned each time it runs."""
        cursor: duckdb.DuckDBPyConnection = bound.whole.cursor
        if parameters:
            return cursor.sql(self._sql, params=dict(parameters))
        if bound.found is None:
            bound.found = cursor.sql(self._sql)
        found: duckdb.DuckDBPyRelation = bound.found
        return found

    def _over_tables(
        self, tables: Mapping[str, pa.Table], parameters: Mapping[str, Any], rows_max: int
    ) -> pa.RecordBatchReader | None:
        """Run it over tables; None if there is no memory for them."""
        self._cursor = self._own = self._database.cursor()
        self._check()
        try:
            make_tables(self._own, tables)
        except duckdb.OutOfMemoryException:
            return None
        return self._own.sql(self._sql, params=dict(parameters) or None).to_arrow_reader(rows_max)

    def _execute(
        self,
        bound: Bound,
        relations: Mapping[str, LocalRelation],
        parameters: Mapping[str, Any],
        rows_max: int,
    ) -> pa.RecordBatchReader | None:
        """Run the prepared statement; None if it has to run as a relation."""
        if bound.small is None:
            schemas = {name: each.schema for name, each in relations.items()}
            try:
                bound.small = self._database.small(bound, schemas)
            except DatabaseError:
                return None
        self._use(bound.small, relations)
        cursor = bound.small.cursor
        text = self._execute_text(bound, cursor, relations, parameters)
        if text is None:
            return None
        try:
            rows = submit(cursor, text, rows_max)
        except duckdb.OutOfMemoryException:  # the result holds all rows
            rows = None
        self._check()
        return None if rows is None or rows.num_rows > ROWS_MAX else rows.to_reader()

    def _execute_text(
        self,
        bound: Bound,
        cursor: duckdb.DuckDBPyConnection,
        relations: Mapping[str, LocalRelation],
        parameters: Mapping[str, Any],
    ) -> str | None:
        """Prepare the statement if need be; return its EXECUTE, or None to run it unprepared."""
        if bound.rows is not None:
            rows = bound.rows.arguments({name: each.read() for name, each in relations.items()})
            text = None if rows is None else execute_text(WRITTEN, parameters, rows)
            if text is not None and self._prepare(bound, cursor, WRITTEN, bound.rows.clause):
                return text
        text = execute_text(SCANNING, parameters)
        return text if text is not None and self._prepare(bound, cursor, SCANNING) else None

    def _prepare(
        self, bound: Bound, cursor: duckdb.DuckDBPyConnection, form: str, clause: str = ""
    ) -> bool:
        """Return whether the statement is prepared in a form, now or before."""
        if form in bound.prepared:
            return True
        if form in bound.refused or not self._database.can_execute:
            return False
        try:
            cursor.execute(prepare_text(form, self._sql, clause))
        except duckdb.Error:
            bound.refused.add(form)
            return False
        bound.prepared.add(form)
        return True

    def next(self) -> pa.RecordBatch | None:
        """Return the next rows; None after the last ones.

        Raises:
            DatabaseError: DuckDB failed.
        """
        assert self._reader is not None, "the statement has begun"
        start = time.thread_time()
        with OWN_ERRORS:
            while True:
                self._check()
                batch: pa.RecordBatch | None = next(self._reader, None)
                if batch is None:
                    self._is_over = True
                if batch is None or batch.num_rows:
                    self._worked_s += time.thread_time() - start
                    self._rows += 0 if batch is None else batch.num_rows
                    return batch

    def interrupt(self) -> None:
        """End it early, from any thread; a running call fails as interrupted."""
        self._interrupted = True
        cursor = self._cursor
        if cursor is not None:
            cursor.interrupt()

    def close(self) -> None:
        """End it; no call of it may be running."""
        if self._reader is not None:
            self._reader.close()
        bound, cursor = self._bound, self._cursor
        if self._own is not None:
            self._own.close()
        is_whole = self._is_over and not self._interrupted
        if bound is not None and self._key is not None and is_whole:
            if self._reader is not None:
                bound.is_small = self._worked_s <= SHORT_S and self._rows <= ROWS_MAX
            if not bound.is_small:
                while bound.prepared and bound.small is not None:
                    bound.small.cursor.execute(f"DEALLOCATE {bound.prepared.pop()}")
            self._database.kept.keep(self._key, bound)
        elif bound is not None:
            bound.close()
        elif cursor is not None:
            cursor.close()

    def _check(self) -> None:
        if self._interrupted:
            raise DatabaseError("Interrupt", "INTERRUPT Error: Interrupted!")


def _connected(cursor: duckdb.DuckDBPyConnection, schemas: Mapping[str, pa.Schema]) -> Connected:
    relations = {name: LocalRelation(schema) for name, schema in schemas.items()}
    for name, relation in relations.items():
        cursor.register(name, relation)
    return Connected(cursor, relations)


class _OwnErrors:
    """Raises DuckDB's errors as `DatabaseError`; after the first rows they come as OSError."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, MemoryError):
            raise DatabaseError(OUT_OF_MEMORY, "Out of Memory Error: failed to allocate") from error
        if isinstance(error, duckdb.Error | OSError):
            text = str(error)
            raise relation_error(text) or DatabaseError(_kind_of(error), text) from error


OWN_ERRORS = _OwnErrors()
"""Raises DuckDB's errors as `DatabaseError`. An object, because each statement needs it thrice."""


def _kind_of(error: Exception) -> str:
    """Return the kind of an error, by its class, or by its text if the class is general."""
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
"""The kind of an error, by the beginning of its text, such as "Out of Memory Error: …"."""
