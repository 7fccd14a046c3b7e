"""Partition results to one result, by DuckDB. The only importer of duckdb but for `pg_catalog`.

DuckDB sees Arrow streams and nothing else: no files, no network, no extensions, no Python objects
of the process. Statements reach it as trees made by `bind`; parameter values only as parameters.
"""

from __future__ import annotations

import datetime as dt
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from sqlglot import exp

from planner.cancel import Cancellation
from planner.errors import (
    Cancelled,
    InternalProblem,
    LimitExceeded,
    NameProblem,
    NotSupported,
    QueryError,
    SyntaxProblem,
    TypeProblem,
    ValueProblem,
)
from planner.sqltypes import duckdb_type
from stores.errors import SchemaError
from stores.query import BATCH_ROWS
from stores.schema import Column, DataType, Kind, Row, Value

_logger = logging.getLogger(__name__)

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Reads a relation's rows; called anew for each time that DuckDB scans it."""

_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class ArrowRelation:
    """Rows as DuckDB reads them: an object with the Arrow stream interface.

    DuckDB asks for a new stream each time that it scans the relation, which it may do several times
    in one statement; every stream is read from the same snapshots.
    """

    def __init__(self, schema: pa.Schema, open_stream: OpenStream) -> None:
        self.schema = schema
        self.error: Exception | None = None
        self._open = open_stream

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self.schema, self._read())
        return reader.__arrow_c_stream__(requested_schema)

    def _read(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._open()
        except Exception as error:
            self.error = error  # DuckDB passes on no more than its text
            raise


class Composer:
    """A locked-down DuckDB that runs composing SQL over Arrow relations.

    Args:
        memory_bytes_max: what all statements together may use; beyond it one fails with 53200.
        threads: threads of DuckDB.
    """

    def __init__(self, *, memory_bytes_max: int, threads: int) -> None:
        self._database = duckdb.connect(":memory:")
        for setting in (
            "SET temp_directory = ''",
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET autoload_known_extensions = false",
            "SET allow_community_extensions = false",
            "SET python_enable_replacements = false",
            f"SET memory_limit = '{memory_bytes_max // 1024} KiB'",
            f"SET threads = {threads}",
            "SET GLOBAL TimeZone = 'UTC'",
            "SET GLOBAL integer_division = true",
            "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'",
            "SET arrow_large_buffer_size = false",
            "SET lock_configuration = true",
        ):
            self._database.execute(setting)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the database; running statements fail."""
        self._database.close()

    def describe(
        self,
        sql: str,
        relations: Mapping[str, pa.Schema],
        parameters: Sequence[DataType],
        tree: exp.Expr,
    ) -> tuple[Column, ...]:
        """The columns that a statement gives, without reading a row.

        Raises:
            QueryError: DuckDB refuses it; the message is put in Postgres's words.
        """
        cursor = self._cursor()
        try:
            for name, schema in relations.items():
                cursor.register(name, schema.empty_table())
            relation = cursor.sql(sql, params=[None] * len(parameters) or None)
            schema = relation.limit(0).to_arrow_reader(1).schema
        except duckdb.Error as error:
            raise translate(error, tree) from error
        finally:
            cursor.close()
        return tuple(Column(name=f.name, type=_result_type(f.type)) for f in schema)

    def run(
        self,
        sql: str,
        relations: Mapping[str, ArrowRelation],
        parameters: Sequence[tuple[Value, DataType]],
        *,
        cancellation: Cancellation,
        tree: exp.Expr,
    ) -> Iterator[pa.RecordBatch]:
        """Run a statement; batches come as DuckDB makes them.

        Raises:
            QueryError: what went wrong, in a relation or in DuckDB.
        """
        cursor = self._cursor()
        try:
            with cancellation.interrupting(cursor.interrupt):
                for name, relation in relations.items():
                    cursor.register(name, relation)
                values = [python_value(value, data_type) for value, data_type in parameters]
                found = cursor.sql(sql, params=values or None)
                reader = found.to_arrow_reader(BATCH_ROWS)
                while True:
                    cancellation.check()
                    batch = next(reader, None)
                    if batch is None:
                        return
                    if batch.num_rows:
                        yield batch
        except duckdb.Error as error:
            for relation in relations.values():
                if isinstance(relation.error, QueryError):
                    raise relation.error from error
            cancellation.check()
            raise translate(error, tree) from error
        finally:
            cursor.close()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            return self._database.cursor()


def to_duckdb(tree: exp.Expr) -> str:
    """A bound tree as DuckDB's SQL.

    Raises:
        NotSupported: sqlglot knows no DuckDB form of something in it.
    """
    try:
        return tree.sql(dialect="duckdb")
    except (ValueError, KeyError) as error:
        raise NotSupported(f"not supported: {error}") from error


def python_value(value: Value, data_type: DataType) -> Any:  # noqa: PLR0911 - one per family
    """A physical value as the Python object that DuckDB takes for it."""
    if value is None:
        return None
    match data_type.kind:
        case Kind.TIMESTAMP:
            return _EPOCH + dt.timedelta(microseconds=value)
        case Kind.TIMESTAMPTZ:
            return _EPOCH_UTC + dt.timedelta(microseconds=value)
        case Kind.DATE:
            return dt.date(1970, 1, 1) + dt.timedelta(days=value)
        case Kind.TIME:
            return (_EPOCH + dt.timedelta(microseconds=value)).time()
        case Kind.INTERVAL:
            return f"{value[0]} months {value[1]} days {value[2]} microseconds"
        case _:
            return value


def _result_type(arrow: pa.DataType) -> DataType:
    try:
        return DataType.from_arrow(arrow)
    except SchemaError as error:
        raise NotSupported(f"a result column of type {arrow} is not supported") from error


_BY_ZERO = "Division by zero"

_PATTERNS: tuple[tuple[str, type[QueryError], str, str], ...] = (
    (
        r'Referenced column "(?P<name>[^"]+)"',
        NameProblem,
        'column "{name}" does not exist',
        "42703",
    ),
    (
        r'(?:Table|Values list) "(?P<table>[^"]+)" does not have a column named "(?P<name>[^"]+)"',
        NameProblem,
        "column {table}.{name} does not exist",
        "42703",
    ),
    (
        r'Referenced table "(?P<name>[^"]+)" not found',
        NameProblem,
        'missing FROM-clause entry for table "{name}"',
        "42P01",
    ),
    (
        r'Ambiguous reference to column name "(?P<name>[^"]+)"',
        NameProblem,
        'column reference "{name}" is ambiguous',
        "42702",
    ),
    (
        r"(?:Function|Macro Function) with name (?P<name>\S+) does not exist",
        NameProblem,
        "function {name}() does not exist",
        "42883",
    ),
    (
        r"No function matches the given name and argument types '(?P<name>[^']+)'",
        NameProblem,
        "function {name} does not exist",
        "42883",
    ),
    (
        r'column "(?P<name>[^"]+)" must appear in the GROUP BY clause',
        SyntaxProblem,
        'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function',
        "42803",
    ),
)
_CLASSES: tuple[tuple[type[Exception], type[QueryError], str], ...] = (
    (duckdb.InterruptException, Cancelled, "57014"),
    (duckdb.OutOfMemoryException, LimitExceeded, "53200"),
    (duckdb.OutOfRangeException, ValueProblem, "22003"),
    (duckdb.ConversionException, ValueProblem, "22P02"),
    (duckdb.TypeMismatchException, TypeProblem, "42804"),
    (duckdb.ParserException, SyntaxProblem, "42601"),
    (duckdb.SyntaxException, SyntaxProblem, "42601"),
    (duckdb.PermissionException, NotSupported, "42501"),
    (duckdb.NotImplementedException, NotSupported, "0A000"),
    (duckdb.CatalogException, NameProblem, "42704"),
    (duckdb.BinderException, TypeProblem, "42804"),
    (duckdb.InvalidInputException, ValueProblem, "22023"),
)


def translate(error: duckdb.Error, tree: exp.Expr) -> QueryError:
    """DuckDB's error as ours: message, hint, SQLSTATE, and the place in the text if one is named."""
    text = str(error)
    for pattern, kind, message, sqlstate in _PATTERNS:
        if found := re.search(pattern, text):
            names = found.groupdict()
            return kind(
                message.format(**names),
                hint=_candidates(text),
                position=_position(tree, names["name"]),
                sqlstate=sqlstate,
            )
    if _BY_ZERO in text:
        return ValueProblem("division by zero", sqlstate="22012")
    said = _first_sentence(text)
    for duckdb_kind, kind, sqlstate in _CLASSES:
        if isinstance(error, duckdb_kind):
            return kind(said, sqlstate=sqlstate)
    _logger.error("composition failed error=%s", text)
    return InternalProblem(said)


def _first_sentence(text: str) -> str:
    line = text.split("\n")[0]
    said = re.sub(r"^[A-Za-z ]+ Error: ", "", line).rstrip(".! ")
    return said[:1].lower() + said[1:] if said[1:2].islower() else said


def _candidates(text: str) -> str | None:
    found = re.search(r'(?:Candidate bindings|Did you mean):? (?P<names>.*)', text)
    names = re.findall(r'"([^"]+)"', found["names"]) if found else []
    visible = [name for name in names if not re.fullmatch(r"r\d+(\..*)?", name)][:3]
    return f"Perhaps you meant {' or '.join(visible)}." if visible else None


def _position(tree: exp.Expr, name: str) -> int | None:
    wanted = name.split("(")[0].split(".")[-1].lower()
    for node in tree.walk():
        named = isinstance(node, exp.Identifier | exp.Anonymous) and node.name.lower() == wanted
        if named and "start" in node.meta:
            return int(node.meta["start"]) + 1
    return None
