"""Derives the definition of a store from a streaming DataFrame, before the query starts.

Wrong arguments of `materialize` raise a SchemaError here: a missing column, a type that a store
cannot hold, a kind of store without a column that it needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    YearMonthIntervalType,
)
from pyspark.sql.types import DataType as SparkType

from stategate.stores.errors import SchemaError
from stategate.stores.log.data.canonical import InvalidUtf8
from stategate.stores.log.data.datafiles import TIMESTAMP_NAME
from stategate.stores.spark.plan_changes import passing
from stategate.stores.spark.plan_keys import SIDES, is_unique, ungrouped
from stategate.stores.spark.plan_nodes import is_grouped, unknown_above_groups
from stategate.stores.spark.plans import Source
from stategate.stores.spec.arguments import is_name, same_name, shown
from stategate.stores.spec.schema import (
    DELETED_NAME,
    NULL,
    WINDOW_END,
    WINDOW_START,
    Column,
    DataType,
    InputTopic,
    StoreKind,
    StoreSchema,
)
from stategate.stores.types.kinds import BY_SPARK

_WINDOW_NAMES = {StoreKind.WINDOW: ("window",), StoreKind.SESSION: ("session_window", "window")}
_BINARY_COLLATION = "UTF8_BINARY"
ORDINAL_NAME = "_stategate_ordinal"
"""A column that keeps the order of rows on their way to the tasks."""
COMMENT = "comment"
"""The metadata of a Spark field that is its comment, as in tables of Spark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFrame:
    """The definition of a store, and how its rows are made from those of the DataFrame."""

    schema: StoreSchema
    selection: tuple[SparkColumn, ...]
    """The columns of the store's data files, from the columns of the DataFrame."""
    unique: bool
    """Whether the plan shows that a batch has at most one row for each key (and window)."""
    checked: bool = False
    """Whether each batch must have at most one row for each key, which its writer checks."""
    invalid_utf8: InvalidUtf8 = "refuse"

    def select(self, rows: DataFrame) -> DataFrame:
        """Return the rows of a batch with the columns of the data files."""
        return rows.select(*self.selection)


def store_frame(
    frame: DataFrame,
    *,
    store: str,
    key: Sequence[str],
    partitions: int,
    kind: StoreKind,
    event_time: str | None,
    deleted: str | None,
    inputs: Sequence[str],
    window_size_ms: int | None,
    retention_ms: int | None,
    invalid_utf8: InvalidUtf8 = "refuse",
    key_is_unique: bool = False,
    not_null: frozenset[str] = frozenset(),
) -> StoreFrame:
    """Return the definition of the store for a DataFrame.

    Raises:
        SchemaError: the rows do not fit a store; the message names the column or argument.
    """
    types = {field.name: field.dataType for field in frame.schema.fields}
    comments = {field.name: field.metadata.get(COMMENT) for field in frame.schema.fields}
    if (wrong := same_name(frame.columns)) is not None:
        raise SchemaError(f'store "{store}": the rows have columns {wrong}')
    if ours := [name for name in types if name.lower() == ORDINAL_NAME]:
        raise SchemaError(f'store "{store}" cannot have a column "{ours[0]}": the name is reserved')
    named = [*key, *sorted(not_null), *(name for name in (event_time, deleted) if name is not None)]
    for name in named:
        if not isinstance(name, str) or name not in types:
            raise SchemaError(f'store "{store}": the rows have no column {shown(name)}')
    window = _window_column(types, kind, store)
    if window in key:
        raise SchemaError(f'store "{store}": leave "{window}" out of key=, its kind adds it')
    if kind is StoreKind.VERSIONED and event_time is None:
        raise SchemaError(f'store "{store}": a versioned store needs event_time, its valid-from')
    if event_time is not None and not isinstance(types[event_time], TimestampType):
        raise SchemaError(
            f'store "{store}": event time "{event_time}" is {types[event_time].simpleString()}, '
            "not timestamp"
        )
    if deleted is not None and types[deleted].typeName() != "boolean":
        raise SchemaError(f'store "{store}": tombstone column "{deleted}" is not boolean')
    values = [name for name in types if name not in {*key, window, deleted}]
    identity = {*key, *([window] if window else [])}
    unique = kind is not StoreKind.VERSIONED and is_unique(frame, identity)
    schema = StoreSchema(
        name=store,
        kind=kind,
        key=tuple(
            _column(name, types[name], store, key=True, comment=comments.get(name)) for name in key
        ),
        value=tuple(
            _column(name, types[name], store, comment=comments.get(name)) for name in values
        ),
        partitions=partitions,
        inputs=tuple(InputTopic(topic=name) for name in inputs),
        window_size_ms=window_size_ms,
        retention_ms=retention_ms,
        not_null=not_null,
        # If each row is the whole result of its key, the one that came last is right at any time.
        by_event_time=event_time is not None and kind is not StoreKind.VERSIONED and not unique,
    )
    decides = event_time is not None or kind is StoreKind.VERSIONED
    if not key_is_unique:
        _require_told_apart(frame, store, kind, None if decides else identity)
    return StoreFrame(
        schema=schema,
        selection=_selection(schema, types, window, event_time, deleted),
        unique=unique,
        checked=not decides and not unique and (key_is_unique or is_grouped(frame)),
        invalid_utf8=invalid_utf8,
    )


def commented(columns: StructType, schema: StoreSchema) -> StructType:
    """Return columns with the comments of a store's columns in their metadata."""
    comments = {column.name: column.comment for column in schema.columns if column.comment}
    return StructType(
        [
            StructField(
                each.name,
                each.dataType,
                each.nullable,
                {COMMENT: comments[each.name]} if each.name in comments else None,
            )
            for each in columns.fields
        ]
    )


def _require_told_apart(
    frame: DataFrame, store: str, kind: StoreKind, identity: set[str] | None
) -> None:
    """Refuse rows of groups of which the key may lose some.

    Args:
        frame: the rows.
        store: the name of their store.
        kind: its kind.
        identity: the columns that must tell groups apart; None if another column says which row
            of a key stays.
    """
    if (unknown := unknown_above_groups(frame)) is not None:
        raise SchemaError(_not_known(store, unknown))
    if identity is not None and (missing := ungrouped(frame, identity)):
        raise SchemaError(_loses_rows(store, missing, kind))


def _not_known(store: str, name: str) -> str:
    """Return the error for a node whose rows may be any."""
    return (
        f'store "{store}": nothing is known of the rows of groups after Spark\'s {name}: apply it '
        "to the rows before they are grouped; or say key_is_unique=True if each row that comes is "
        "the whole new row of its key, and no change is left out"
    )


def _loses_rows(store: str, missing: Sequence[str], kind: StoreKind) -> str:
    """Return the error for a key that has only a part of the grouping columns."""
    if missing == (SIDES,):
        return (
            f'store "{store}": rows of two sides of the union may have one key: give each side a '
            "column with a constant of its own, and add it to key=; or say by event_time= which "
            "row of a key stays, or key_is_unique=True if no key is on two sides"
        )
    names = ", ".join(f'"{name}"' for name in missing)
    other = next((k for k, columns in _WINDOW_NAMES.items() if missing[0] == columns[0]), None)
    remedy = "add it to key=" if other in (None, kind) else f'use kind="{other.value}"'
    return (
        f'store "{store}": the rows are grouped by {names}, which the key lacks, so only one of '
        f"several rows of a key would stay: {remedy}, or group without it; or say by event_time= "
        "which row of a key stays, or key_is_unique=True if a key never has two"
    )


def require_replaced(frame: DataFrame, schema: StoreSchema) -> None:
    """Refuse an aggregation in update mode whose old rows may stay beside or after the new ones.

    Whether such a row was ever sent depends on where batches end.

    Raises:
        SchemaError: a condition or the key uses aggregates; the message says what to do instead.
    """
    found = passing(frame)
    if found.conditions:
        raise SchemaError(
            f'store "{schema.name}": in update mode a row that no longer meets '
            f"{found.conditions[0]} would stay: mark such rows by deleted= instead of the "
            "condition, or use complete mode"
        )
    if wrong := [column.name for column in schema.key if column.name in found.columns]:
        raise SchemaError(
            f'store "{schema.name}": key column "{wrong[0]}" is an aggregate, and in update mode '
            "rows with its old values would stay: leave it out of key=, or use complete mode"
        )


def checked_inputs(
    store: str, inputs: Sequence[str] | None, sources: Sequence[Source]
) -> tuple[str, ...]:
    """Return the names of the sources without topics: of all of them, or of none.

    Raises:
        SchemaError: they are not names, or too few or too many for the sources.
    """
    if inputs is None:
        return ()
    if isinstance(inputs, str) or not isinstance(inputs, Sequence) or not all(map(is_name, inputs)):
        raise SchemaError(f'store "{store}": inputs= is a list of names, not {shown(inputs)}')
    names = tuple(inputs)
    if len(set(names)) < len(names):
        raise SchemaError(f'store "{store}": inputs= has a name twice: {shown(inputs)}')
    least = sum(source.has_topics is False for source in sources)
    most = least + sum(source.has_topics is None for source in sources)
    if names and not least <= len(names) <= most:
        found = ", ".join(source.name for source in sources if not source.has_topics) or "none"
        raise SchemaError(
            f'store "{store}": inputs= has {len(names)} names, and needs {least or most}, one for '
            f"each source without topics: {found}"
        )
    return names


def _window_column(types: dict[str, SparkType], kind: StoreKind, store: str) -> str | None:
    wanted = _WINDOW_NAMES.get(kind)
    if wanted is None:
        return None
    for name in wanted:
        found = types.get(name)
        if isinstance(found, StructType) and found.names == ["start", "end"]:
            if not isinstance(found["start"].dataType, TimestampType):
                raise SchemaError(
                    f'store "{store}": the column "{name}" is of local times: cast the event time '
                    "to timestamp_ltz before it is put into windows"
                )
            return name
    raise SchemaError(
        f'store "{store}": a {kind.value} store needs the column "{wanted[0]}" '
        f"that F.{wanted[0]} makes"
    )


def _column(
    name: str, spark_type: SparkType, store: str, *, key: bool = False, comment: str | None = None
) -> Column:
    collation = getattr(spark_type, "collation", _BINARY_COLLATION)
    if key and isinstance(spark_type, StringType) and collation != _BINARY_COLLATION:
        raise SchemaError(f'store "{store}": key column "{name}" cannot have collation {collation}')
    if spark_type.typeName() == "variant":
        raise SchemaError(f'store "{store}": cast variant column "{name}" to string or a struct')
    if (kind := BY_SPARK.get(spark_type.simpleString())) is not None:
        return Column(name=name, type=DataType(kind=kind), comment=comment)
    if _is_of_nulls(spark_type):
        # Arrow allows this type neither for keys nor for elements that are never NULL.
        return Column(name=name, type=NULL, comment=comment)
    try:
        arrow: pa.DataType = to_arrow_type(spark_type, timezone="UTC")
        return Column(name=name, type=DataType.from_arrow(arrow), comment=comment)
    except Exception as error:
        # pyspark raises classes here whose only common root is Exception.
        raise SchemaError(f'store "{store}": column "{name}": {error}') from error


def _is_of_nulls(spark_type: SparkType) -> bool:
    """Whether a type is the type of NULL, or contains it, like the type of `array()`."""
    match spark_type:
        case ArrayType():
            inner = [spark_type.elementType]
        case MapType():
            inner = [spark_type.keyType, spark_type.valueType]
        case StructType():
            inner = [field.dataType for field in spark_type.fields]
        case _:
            return isinstance(spark_type, NullType)
    return any(map(_is_of_nulls, inner))


def _selection(
    schema: StoreSchema,
    types: Mapping[str, SparkType],
    window: str | None,
    event_time: str | None,
    deleted: str | None,
) -> tuple[SparkColumn, ...]:
    times = []
    if window is not None:
        times = [
            F.col(f"{quoted(window)}.start").alias(WINDOW_START.name),
            F.col(f"{quoted(window)}.end").alias(WINDOW_END.name),
        ]
    moment = F.lit(None) if event_time is None else F.col(quoted(event_time))
    if schema.by_event_time:
        # Tasks sort by it; see `stategate.stores.log.data.datafiles.shaped`.
        moment = F.date_trunc("MILLISECOND", moment)
    gone = F.lit(False) if deleted is None else F.coalesce(F.col(quoted(deleted)), F.lit(False))
    return (
        *(F.col(quoted(column.name)) for column in schema.key),
        *times,
        *(_value(column.name, types[column.name]) for column in schema.value),
        # The name of the type would mean a local time in a session that prefers these.
        moment.cast(TimestampType()).alias(TIMESTAMP_NAME),
        gone.alias(DELETED_NAME),
    )


def _value(name: str, spark_type: SparkType) -> SparkColumn:
    """Return a column for Arrow, which has no type for years and months: they become a struct."""
    column = F.col(quoted(name))
    if not isinstance(spark_type, YearMonthIntervalType):
        return column
    # EXTRACT works only on a type with both years and months.
    whole = column.cast("interval year to month")
    months = F.extract(F.lit("YEAR"), whole) * 12 + F.extract(F.lit("MONTH"), whole)
    is_known = column.isNotNull()
    parts = F.struct(
        months.cast("int").alias("months"),
        # A plain 0 is never NULL, and Spark cannot pass such a field to Arrow if the struct may be
        # NULL.
        F.when(is_known, F.lit(0).cast("int")).alias("days"),
        F.when(is_known, F.lit(0).cast("long")).alias("microseconds"),
    )
    return F.when(is_known, parts).alias(name)


def quoted(name: str) -> str:
    """Quote a column's name for `F.col`, which would read dots in it as fields."""
    return f"`{name.replace('`', '``')}`"
