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
from decimal import Decimal
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
    Unavailable,
    ValueProblem,
)
from planner.macros import MACROS, RAISED
from planner.number_text import number_text
from planner.templates import time_text
from planner.trees import position_of
from stores.errors import SchemaError
from stores.query import BATCH_ROWS
from stores.schema import Column, DataType, Kind, Value

_logger = logging.getLogger(__name__)

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Reads a relation's rows; called anew for each time that DuckDB scans it."""

TYPES_MAX = 1_000
"""So many of DuckDB's types are known by their Arrow types; structs and decimals make many."""
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
            raise translate(_of_arrow(error), tree) from error
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
            return _EPOCH + dt.timedelta(microseconds=value)
        case Kind.TIMESTAMPTZ:
            return _EPOCH_UTC + dt.timedelta(microseconds=value)
        case Kind.DATE:
            return dt.date(1970, 1, 1) + dt.timedelta(days=value)
        case Kind.TIME:
            return (_EPOCH + dt.timedelta(microseconds=value)).time()
        case Kind.ARRAY:
            assert data_type.element is not None, "an array has an element type"
            return [python_value(each, data_type.element) for each in value]
        case Kind.INTERVAL:
            return f"{value[0]} months {value[1]} days {value[2]} microseconds"
        case _:
            return value


_AS_TEXT = {"UUID": DataType(kind=Kind.UUID), "JSON": DataType(kind=Kind.JSON)}
"""Types whose values are texts in Arrow."""


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
    (
        r"(?P<name>WHERE|HAVING|GROUP BY|JOIN) clause cannot contain (?P<what>aggregate|window)",
        SyntaxProblem,
        "{what} functions are not allowed in {name}",
        "42803",
    ),
    (
        r"Could not convert string '(?P<name>.*)' to (?P<type>[A-Z][A-Z0-9() ,]*)",
        ValueProblem,
        'invalid input syntax for type {type}: "{name}"',
        "22P02",
    ),
    (
        r"Could not cast value (?P<name>\S+) to DECIMAL",
        ValueProblem,
        "numeric field overflow",
        "22003",
    ),
    (
        r"while executing the UDF: (?P<name>OverflowError)",
        ValueProblem,
        "timestamp out of range",
        "22008",
    ),
    (
        r"More than one row returned by a (?P<name>subquery)",
        ValueProblem,
        "more than one row returned by a subquery used as an expression",
        "21000",
    ),
    (
        r"cannot take (?P<what>square root) of a (?P<name>negative) number",
        ValueProblem,
        "cannot take square root of a negative number",
        "2201F",
    ),
    (
        r"cannot take logarithm of (?P<name>zero|a negative number)",
        ValueProblem,
        "cannot take logarithm of {name}",
        "2201E",
    ),
    (
        r"(?P<name>missing \)|missing \]|unexpected \)|invalid escape sequence|"
        r"bad repetition operator|no argument for repetition operator|"
        r"invalid character class range|invalid perl operator)",
        ValueProblem,
        "invalid regular expression: {name}",
        "2201B",
    ),
    (
        r"aggregate function calls cannot contain (?P<name>window) function calls",
        SyntaxProblem,
        "aggregate function calls cannot contain window function calls",
        "42803",
    ),
    (
        r"invalid (?P<what>timestamp|date|time|interval) field format: \"(?P<name>[^\"]*)\"",
        ValueProblem,
        'invalid input syntax for type {what}: "{name}"',
        "22007",
    ),
    (
        r"(?:timestamp|date|time) field value out of range: \"(?P<name>[^\"]*)\"",
        ValueProblem,
        'date/time field value out of range: "{name}"',
        "22008",
    ),
    (
        r"with value (?P<name>\S+) can't be cast because the value is out of range for the "
        r"destination type (?P<type>[A-Z][A-Z0-9() ,]*)",
        ValueProblem,
        'value "{name}" is out of range for type {type}',
        "22003",
    ),
    (
        r"Set operations can only apply to expressions with the same number of (?P<name>result)",
        SyntaxProblem,
        "each side of a set operation must have the same number of columns",
        "42601",
    ),
    (
        r"(?P<what>ORDER|GROUP) (?:BY )?term (?P<name>out of range)",
        SyntaxProblem,
        "{what} BY position is not in select list",
        "42P10",
    ),
    (
        r"LIMIT/OFFSET cannot be (?P<name>negative)",
        ValueProblem,
        "LIMIT and OFFSET must not be negative",
        "2201W",
    ),
)
"""DuckDB's messages, and ours for them; `name` is what is looked for in the text."""
_TYPE_NAMES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "integer",
    "INT64": "bigint",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double",
    "BOOLEAN": "boolean",
    "BOOL": "boolean",
    "VARCHAR": "text",
    "INTEGER_LITERAL": "integer",
    "STRING_LITERAL": "text",
    "BLOB": "bytea",
    "DATE": "date",
    "UUID": "uuid",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "TIMESTAMP": "timestamp",
}
"""DuckDB's names of types, and ours."""
_TYPE_NAME = re.compile(r"\b(TIMESTAMP WITH TIME ZONE|[A-Z][A-Z_]+[0-9]*)\b")
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


def _of_arrow(error: duckdb.Error | OSError) -> duckdb.Error:
    """DuckDB's own error: behind the first batch it comes through Arrow, which keeps its text."""
    if isinstance(error, duckdb.Error):
        return error
    kind = str(error).partition(" Error:")[0].replace(" ", "")
    found = getattr(duckdb, f"{kind}Exception", duckdb.Error)
    return duckdb.Error(str(error)) if not issubclass(found, duckdb.Error) else found(str(error))


def translate(error: duckdb.Error, tree: exp.Expr) -> QueryError:
    """DuckDB's error as ours: message, hint, SQLSTATE, and its place in the text if known."""
    text = str(error)
    if raised := re.search(rf"{RAISED}(\w{{5}}) (.*)", text):
        return ValueProblem(raised[2], sqlstate=raised[1])
    for pattern, kind, message, sqlstate in _PATTERNS:
        if found := re.search(pattern, text):
            names = found.groupdict()
            shown = {
                name: _our_types(said) if name == "type" or "(" in said else said
                for name, said in names.items()
            }
            return kind(
                message.format(**shown),
                hint=_candidates(text),
                position=_position(tree, names["name"]),
                sqlstate=sqlstate,
            )
    if "Max expression depth limit" in text:
        return LimitExceeded("statement is nested too deep")
    if _BY_ZERO in text:
        return ValueProblem("division by zero", sqlstate="22012")
    said = _our_types(_first_sentence(text))
    for duckdb_kind, kind, sqlstate in _CLASSES:
        if isinstance(error, duckdb_kind):
            return kind(said, sqlstate=sqlstate)
    _logger.error("composition failed error=%s", text)
    return InternalProblem(said)


def _first_sentence(text: str) -> str:
    line = text.split("\n", maxsplit=1)[0]
    said = re.sub(r"^[A-Za-z ]+ Error: ", "", line).rstrip(".! ")
    return said[:1].lower() + said[1:] if said[1:2].islower() else said


def _our_types(text: str) -> str:
    return _TYPE_NAME.sub(lambda found: _TYPE_NAMES.get(found[0], found[0]), text).strip()


def _candidates(text: str) -> str | None:
    found = re.search(r"(?:Candidate bindings|Did you mean):? (?P<names>.*)", text)
    names = re.findall(r'"([^"]+)"', found["names"]) if found else []
    visible = [name for name in names if not re.fullmatch(r"r\d+(\..*)?", name)][:3]
    return f"Perhaps you meant {' or '.join(visible)}." if visible else None


def _position(tree: exp.Expr, name: str) -> int | None:
    """Where a name, a function or the text of a literal stands."""
    literals = (node for node in tree.find_all(exp.Literal) if node.name == name)
    if (literal := next(literals, None)) is not None:
        return position_of(literal)
    wanted = name.split("(", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1].lower()
    for node in tree.walk():
        if isinstance(node, exp.Identifier | exp.Anonymous):
            named = node.name.lower() == wanted
        else:
            named = isinstance(node, exp.Func) and node.sql_name().lower() == wanted
        if named and "start" in node.meta:
            return int(node.meta["start"]) + 1
    return None
