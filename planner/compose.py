"""Partition results to one result, by DuckDB. Only here and in `pg_catalog` does it run.

DuckDB sees Arrow streams and nothing else: no files, no network, no extensions, no Python objects
of the process. Statements reach it as trees made by `bind`; parameter values only as parameters.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
from sqlglot import exp

from planner.cancel import Cancellation
from planner.duckdb_errors import of_arrow, translate
from planner.errors import (
    NotSupported,
    QueryError,
    Unavailable,
    ValueProblem,
)
from planner.macros import MACROS
from planner.number_text import number_text
from planner.templates import time_text
from stores.errors import SchemaError
from stores.query import BATCH_ROWS
from stores.schema import Column, DataType, Kind, Value

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Reads a relation's rows; called anew for each time that DuckDB scans it."""

TYPES_MAX = 1_000
"""So many of DuckDB's types are known by their Arrow types; structs and decimals make many."""
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAYS_MAX, _MICROS_MAX, _DAY_MICROS = (1 << 31) - 1, (1 << 63) - 1, 86_400_000_000


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
            "SET GLOBAL default_null_order = 'nulls_last'",  # sqlglot writes out what differs
            "SET GLOBAL ieee_floating_point_ops = false",  # sqrt(-1) and ln(0) are errors
            "SET arrow_large_buffer_size = false",
            *(f"CREATE MACRO {macro}" for macro in MACROS),
        ):
            self._database.execute(setting)
        for name, function in _PYTHON_FUNCTIONS.items():
            self._database.create_function(name, function, **_SIGNATURES[name])
        self._database.execute("SET lock_configuration = true")
        self._types: Mapping[str, pa.DataType] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the database; running statements fail."""
        self._database.close()

    def describe(
        self,
        sql: str,
        relations: Mapping[str, pa.Schema],
        numbers: Sequence[int],
        tree: exp.Expr,
    ) -> tuple[Column, ...]:
        """The columns that a statement gives, without reading a row.

        Args:
            sql: the statement.
            relations: its relations by name.
            numbers: of the parameters in it.
            tree: what it was made from, to place errors.

        Raises:
            QueryError: DuckDB refuses it; the message is put in Postgres's words.
        """
        cursor = self._cursor()
        try:
            for name, schema in relations.items():
                cursor.register(name, schema.empty_table())
            # Bound, but not optimised: that would compute the constants, for as long as it takes.
            relation = cursor.sql(sql, params={str(n): None for n in numbers} or None)
            names, kinds = relation.columns, [str(kind) for kind in relation.types]
            types = self._arrow_types(cursor, kinds)
        except duckdb.Error as error:
            raise translate(error, tree) from error
        finally:
            cursor.close()
        return tuple(
            Column(name=name, type=_AS_TEXT.get(kind) or _result_type(types[kind]))
            for name, kind in zip(names, kinds, strict=True)
        )

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

    def run(
        self,
        sql: str,
        relations: Mapping[str, ArrowRelation],
        parameters: Mapping[int, tuple[Value, DataType]],
        *,
        cancellation: Cancellation,
        tree: exp.Expr,
    ) -> Iterator[pa.RecordBatch]:
        """Run a statement; batches come as DuckDB makes them.

        Args:
            sql: the statement.
            relations: its relations by name.
            parameters: value and type by number, of those parameters that are in it.
            cancellation: what ends it early.
            tree: what it was made from, to place errors.

        Raises:
            QueryError: what went wrong, in a relation or in DuckDB.
        """
        cursor = self._cursor()
        try:
            with cancellation.interrupting(cursor.interrupt):
                for name, relation in relations.items():
                    cursor.register(name, relation)
                values = {str(n): python_value(*given) for n, given in parameters.items()}
                found = cursor.sql(sql, params=values or None)
                reader = found.to_arrow_reader(BATCH_ROWS)
                while True:
                    cancellation.check()
                    batch = next(reader, None)
                    if batch is None:
                        return
                    if batch.num_rows:
                        yield batch
        except (duckdb.Error, OSError) as error:
            for relation in relations.values():
                if isinstance(relation.error, QueryError):
                    raise relation.error from error
            cancellation.check()
            raise translate(of_arrow(error), tree) from error
        finally:
            cursor.close()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        try:
            with self._lock:
                return self._database.cursor()
        except duckdb.ConnectionException as error:
            raise Unavailable("the engine is closed", sqlstate="57P01") from error


def _rowwise(function: Callable[..., str]) -> Callable[..., Any]:
    """A function of a value and a template as one of Arrow columns; NULL where one is NULL."""

    def of_columns(values: Any, templates: Any) -> Any:
        rows = zip(values.to_pylist(), templates.to_pylist(), strict=True)
        return pa.array([None if None in row else function(*row) for row in rows], pa.string())

    return of_columns


_PYTHON_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pg_sg_number_text": _rowwise(lambda number, template: number_text(Decimal(number), template)),
    "pg_sg_time_text": _rowwise(time_text),
}
_SIGNATURES: dict[str, dict[str, Any]] = {
    name: {"parameters": [first, "VARCHAR"], "return_type": "VARCHAR", "type": "arrow"}
    for name, first in {"pg_sg_number_text": "VARCHAR", "pg_sg_time_text": "BIGINT"}.items()
}


def to_duckdb(tree: exp.Expr) -> str:
    """A bound tree as DuckDB's SQL.

    Raises:
        NotSupported: sqlglot knows no DuckDB form of something in it.
    """
    try:
        # Quoted, for DuckDB reserves words that Postgres does not, such as `at`.
        return tree.sql(dialect="duckdb", identify=True)
    except (ValueError, KeyError) as error:
        raise NotSupported(f"not supported: {error}") from error


def python_value(value: Value, data_type: DataType) -> Any:  # noqa: PLR0911 - one per family
    """A physical value as the Python object that DuckDB takes for it."""
    if value is None:
        return None
    match data_type.kind:
        case Kind.TIMESTAMP:
            return _moment(_EPOCH, value, data_type)
        case Kind.TIMESTAMPTZ:
            return _moment(_EPOCH_UTC, value, data_type)
        case Kind.DATE:
            if abs(value) >= _DAYS_MAX:
                return "infinity" if value > 0 else "-infinity"
            moment = _moment(_EPOCH, value * _DAY_MICROS, data_type)
            return moment.date()
        case Kind.TIME:
            if value == _DAY_MICROS:
                return "24:00:00"  # which Python's time is not
            return (_EPOCH + dt.timedelta(microseconds=value)).time()
        case Kind.ARRAY:
            assert data_type.element is not None, "an array has an element type"
            return [python_value(each, data_type.element) for each in value]
        case Kind.INTERVAL:
            return f"{value[0]} months {value[1]} days {value[2]} microseconds"
        case _:
            return value


def _moment(epoch: dt.datetime, micros: int, data_type: DataType) -> Any:
    """A time as Python has it; the ends of the range stand for infinity, which it has not.

    Raises:
        ValueProblem: a year before 1 or after 9999 (22008).
    """
    if abs(micros) >= _MICROS_MAX:
        return "infinity" if micros > 0 else "-infinity"
    try:
        return epoch + dt.timedelta(microseconds=micros)
    except OverflowError:
        raise ValueProblem(f"{data_type.kind.value} out of range", sqlstate="22008") from None


_AS_TEXT = {"UUID": DataType(kind=Kind.UUID), "JSON": DataType(kind=Kind.JSON)}
"""Types whose values are texts in Arrow."""


def _result_type(arrow: pa.DataType) -> DataType:
    try:
        return DataType.from_arrow(arrow)
    except SchemaError as error:
        raise NotSupported(f"a result column of type {arrow} is not supported") from error
