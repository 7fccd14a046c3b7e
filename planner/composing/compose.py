"""Results of partitions composed to one result by DuckDB.

DuckDB reads Arrow streams and nothing else: no files, network, extensions or Python objects.
Statements come from `bind` as trees, and values only as parameters.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from stategate.planner.composing.database import (
    Answer,
    ArrowRelation,
    Database,
    DatabaseClosedError,
    DatabaseError,
    Definition,
)
from stategate.planner.composing.duckdb_errors import translate
from stategate.planner.composing.functions.macros import MACROS
from stategate.planner.errors import (
    NotSupportedError,
    UnavailableError,
    out_of_memory,
)
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.interpreted_sqlglot import DuckDBGenerator
from stategate.planner.trees.nodes import is_comma
from stategate.planner.trees.outline import Outline
from stategate.planner.trees.parentheses import parenthesize
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.moment_text import moment_words
from stategate.planner.values.sqltypes import HELD_AS_TEXT, data_type_of
from stategate.stores.errors import SchemaError
from stategate.stores.spec.schema import Column, DataType, Kind, Value

_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAYS_MAX, _MICROS_MAX, _DAY_MICROS = (1 << 31) - 1, (1 << 63) - 1, 86_400_000_000


class Composer:
    """A locked-down DuckDB that runs composing SQL over Arrow relations.

    Args:
        database: a database from `composing_definition`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def close(self) -> None:
        """Close the database; running statements fail."""
        self._database.close()

    def describe(
        self,
        sql: str,
        relations: Mapping[str, pa.Schema],
        numbers: Sequence[int],
        outline: Outline,
        *,
        cancellation: Cancellation | None = None,
    ) -> tuple[Column, ...]:
        """Return the columns of a statement without reading a row.

        Args:
            sql: the statement.
            relations: its relations by name.
            numbers: the numbers of its parameters.
            outline: the outline of the client's statement, for the position of errors.
            cancellation: cancels the call; None never does.

        Raises:
            QueryError: DuckDB refuses the statement; the message is PostgreSQL's.
        """
        with _OurErrors(outline):
            columns = self._database.describe(
                sql,
                relations=relations,
                parameters=[str(n) for n in numbers],
                cancellation=cancellation or Cancellation(),
            )
        return tuple(
            Column(name=each.name, type=_AS_TEXT.get(each.kind) or _result_type(each.arrow))
            for each in columns
        )

    def run(
        self,
        sql: str,
        relations: Mapping[str, ArrowRelation],
        parameters: Mapping[int, tuple[Value, DataType]],
        *,
        cancellation: Cancellation,
        outline: Outline,
        script: str = "",
    ) -> Composed:
        """Return the rows of a statement, which runs when the first ones are read.

        Args:
            sql: the statement.
            relations: its relations by name.
            parameters: number → value and type of its parameters.
            cancellation: cancels the statement.
            outline: the outline of the client's statement, for the position of errors.
            script: statements to run first, such as SET VARIABLE; no other statement is affected.

        Raises:
            QueryError: raised by the rows: DuckDB or a relation failed.
        """
        values = {str(n): python_value(*given) for n, given in parameters.items()}

        def begin() -> Answer:
            return self._database.run(
                sql,
                script=script,
                relations=relations,
                parameters=values,
                cancellation=cancellation,
            )

        return Composed(begin, outline)


class Composed:
    """The rows of a statement, as DuckDB makes them. For one thread at a time.

    Args:
        begin: begins the statement.
        outline: the outline of the client's statement, for the position of errors.
    """

    def __init__(self, begin: Callable[[], Answer], outline: Outline) -> None:
        self._begin: Callable[[], Answer] | None = begin
        """None once it has begun, or is closed: it holds the rows of the relations."""
        self._errors = _OurErrors(outline)
        self._answer: Answer | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._errors:
            if self._begin is not None:
                begin, self._begin = self._begin, None
                self._answer = begin()
            if self._answer is None:
                raise StopIteration
            try:
                batch = next(self._answer, None)
            except BaseException:
                self._answer.close()
                raise
        if batch is None:
            self._answer.close()
            raise StopIteration
        return batch

    @property
    def is_computed(self) -> bool:
        """Whether the statement has ended, so that all remaining rows are in memory."""
        return self._answer is not None and self._answer.is_computed

    def close(self) -> None:
        """End the statement, and let go of its relations; repeated calls do nothing."""
        self._begin = None
        if self._answer is not None:
            self._answer.close()


class _OurErrors:
    """Raises errors of databases as those of statements. A class, because each batch needs it."""

    __slots__ = ("_outline",)

    def __init__(self, outline: Outline) -> None:
        self._outline = outline

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, DatabaseError):
            raise translate(error, self._outline) from error
        if isinstance(error, MemoryError):
            raise out_of_memory(str(error) or None) from error
        if isinstance(error, DatabaseClosedError):
            raise UnavailableError("the engine is closed", sqlstate="57P01") from error


MEANING = (
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL integer_division = true",
    "SET GLOBAL default_null_order = 'nulls_last'",  # sqlglot writes any other order
    "SET GLOBAL ieee_floating_point_ops = false",  # sqrt(-1) and ln(0) are errors
    "SET arrow_large_buffer_size = false",
    *(f"CREATE MACRO {macro}" for macro in MACROS),
)
"""Settings and macros that give bound statements the same meaning in every database."""


def composing_definition(*, memory_bytes_max: int, threads: int) -> Definition:
    """Return the definition of the database that composes results.

    Args:
        memory_bytes_max: memory for all statements together; a statement that needs more fails with
            53200.
        threads: threads of DuckDB.
    """
    return Definition(
        threads=threads,
        after=(
            "SET temp_directory = ''",
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET autoload_known_extensions = false",
            "SET allow_community_extensions = false",
            "SET python_enable_replacements = false",
            f"SET memory_limit = '{memory_bytes_max // 1024} KiB'",
            *MEANING,
            "SET lock_configuration = true",
        ),
    )


class _Written(DuckDB):
    """sqlglot's DuckDB dialect, with some nodes written as they are in the tree."""

    class Generator(DuckDBGenerator):
        """Writes divisions and comma joins unchanged, and types that are held as texts as text."""

        # Names and literals pass a checkpoint, not all nodes: that would double the depth of calls.
        def identifier_sql(self, expression: exp.Identifier) -> str:
            """Write a name."""
            checkpoint()
            return super().identifier_sql(expression)

        def literal_sql(self, expression: exp.Literal) -> str:
            """Write a number or a text."""
            checkpoint()
            return super().literal_sql(expression)

        def datatype_sql(self, expression: exp.DataType) -> str:
            """Write text for a type such as uuid or json, whose values are texts."""
            found = data_type_of(expression)
            if found is not None and found.kind in HELD_AS_TEXT:
                return found.kind.record.duckdb
            return super().datatype_sql(expression)

        def div_sql(self, expression: exp.Div) -> str:
            """Write `/`: DuckDB's setting divides integers, which sqlglot may cast to bigint."""
            return self.binary(expression, "/")

        def table_sql(self, expression: exp.Table, sep: str = " AS ") -> str:
            """Write WITH ORDINALITY before the joins that follow in brackets, not after them."""
            joins = expression.args.get("joins")
            if not joins or not expression.args.get("ordinality"):
                return super().table_sql(expression, sep)
            expression.set("joins", None)
            written = super().table_sql(expression, sep)
            return written + "".join(self.sql(join) for join in joins)

        def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
            """Write a comma before UNNEST, too: JOIN binds tighter, and a RIGHT JOIN may follow."""
            if not is_comma(expression):
                return super().join_sql(expression, join_op)
            return f", {self.sql(expression, 'this')}"


def to_duckdb(tree: exp.Expr) -> str:
    """Return a bound tree as DuckDB's SQL; the tree must not be used afterwards.

    Raises:
        NotSupportedError: sqlglot cannot write a node for DuckDB.
    """
    try:
        parenthesize(tree)
        # Quoted, because DuckDB reserves words that PostgreSQL does not, such as `at`.
        return tree.sql(dialect=_Written, identify=True, copy=False)
    except (ValueError, KeyError) as error:
        raise NotSupportedError(f"not supported: {error}") from error


def python_value(value: Value, data_type: DataType) -> Any:  # noqa: PLR0911 - one per family
    """Return a physical value as a Python object for DuckDB."""
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
            return moment if isinstance(moment, str) else moment.date()
        case Kind.TIME:
            if value == _DAY_MICROS:
                return "24:00:00"  # Python's time has no such value
            return (_EPOCH + dt.timedelta(microseconds=value)).time()
        case Kind.ARRAY:
            assert data_type.element is not None, "an array type has an element type"
            return [python_value(each, data_type.element) for each in value]
        case Kind.INTERVAL:
            return f"{value[0]} months {value[1]} days {value[2]} microseconds"
        case _:
            return value


def _moment(epoch: dt.datetime, micros: int, data_type: DataType) -> Any:
    """Return a time as Python's, or as a text: infinity, which the ends of the range stand for.

    Years before 1 and after 9999, which Python lacks, are texts, too.
    """
    if abs(micros) >= _MICROS_MAX:
        return "infinity" if micros > 0 else "-infinity"
    try:
        return epoch + dt.timedelta(microseconds=micros)
    except OverflowError:
        return moment_words(micros, data_type.kind.value)


_AS_TEXT = {kind.value.upper(): DataType(kind=kind) for kind in HELD_AS_TEXT}
"""DuckDB's types whose values are text in Arrow → their type."""


def _result_type(arrow: pa.DataType) -> DataType:
    try:
        return DataType.from_arrow(arrow)
    except SchemaError as error:
        raise NotSupportedError(f"a result column of type {arrow} is not supported") from error
