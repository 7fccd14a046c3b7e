"""Typed pieces of Spark's SQL, the names of its types, and values that are passed beside the text.

| type | in Spark |
|---|---|
| timestamptz | TIMESTAMP, in a session whose time zone is UTC |
| timestamp | TIMESTAMP_NTZ |
| text, uuid and others that are held as texts | STRING, compared byte by byte |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stategate.planner.spark.refusal import refused
from stategate.planner.values.sqltypes import SPELLED, format_type
from stategate.stores.spec.schema import NULL, DataType, Kind, Value, decimal_type

_NAMES: Mapping[Kind, str] = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.SMALLINT: "SMALLINT",
    Kind.INTEGER: "INT",
    Kind.BIGINT: "BIGINT",
    Kind.DOUBLE: "DOUBLE",
    Kind.TEXT: "STRING",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP_NTZ",
    Kind.TIMESTAMPTZ: "TIMESTAMP",
}
COMPUTED = frozenset({*_NAMES, Kind.DECIMAL, *SPELLED})
"""The kinds that are compared, grouped and sorted as in PostgreSQL."""
CARRIED = frozenset({*COMPUTED, Kind.TINYINT, Kind.REAL, Kind.BYTEA, Kind.JSON})
"""The kinds of columns that can be returned as they are."""
STAMPS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
UNKNOWN_DIGITS = decimal_type(38, 16)
"""The type of a numeric parameter, whose digits are known only when the statement runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """An expression."""

    sql: str
    """In Spark's SQL; it can be an operand without parentheses around it."""
    type: DataType
    literal: str | None = None
    """The text of a bare literal, whose type is that of what it is compared with."""
    raw: str = ""
    """For arithmetic of doubles: the same without the check of its range."""
    leaves: tuple[str, ...] = ()
    """The doubles that it is computed from, if it is arithmetic."""

    @property
    def kind(self) -> Kind:
        """The kind of its type."""
        return self.type.kind

    @property
    def is_null(self) -> bool:
        """Whether it is a bare NULL."""
        return self.type == NULL


def spark_name(data_type: DataType) -> str:
    """Return the name of a type in Spark's SQL.

    Raises:
        NotSupportedError: Spark has no type with the same values.
    """
    if data_type.kind is Kind.DECIMAL:
        return f"DECIMAL({data_type.precision},{data_type.scale})"
    if data_type.kind in SPELLED:
        return "STRING"
    found = _NAMES.get(data_type.kind)
    if found is None:
        raise refused(f"values of type {format_type(data_type)}")
    return found


def require_computed(value: Typed) -> None:
    """Refuse a value that Spark does not compare as PostgreSQL.

    Raises:
        NotSupportedError: its type is not one of `COMPUTED`.
    """
    if value.kind not in COMPUTED and not value.is_null:
        raise refused(f"comparisons of type {format_type(value.type)}")


def typed_sql(marker: str, data_type: DataType) -> str:
    """Return a passed value as SQL; times are passed as their physical numbers."""
    match data_type.kind:
        case Kind.DATE:
            return f"date_from_unix_date(CAST({marker} AS INT))"
        case Kind.TIMESTAMPTZ:
            return f"timestamp_micros(CAST({marker} AS BIGINT))"
        case Kind.TIMESTAMP:
            return f"CAST(timestamp_micros(CAST({marker} AS BIGINT)) AS TIMESTAMP_NTZ)"
        case _:
            return f"CAST({marker} AS {spark_name(data_type)})"


@dataclass(slots=True)
class Arguments:
    """The values that are passed beside the SQL: no text of a client becomes a part of it."""

    constants: dict[str, tuple[Value, DataType]] = field(default_factory=dict)
    """Values of literals, by their names in the SQL."""
    parameters: dict[str, tuple[int, DataType]] = field(default_factory=dict)
    """The number and type of the client's parameters, by their names in the SQL."""

    _names: dict[tuple[str, DataType], str] = field(default_factory=dict)

    def constant(self, value: Value, data_type: DataType) -> Typed:
        """Return the value of a literal."""
        # Equal ones share a name, so that a term of GROUP BY has the text that it has in SELECT.
        key = (repr(value), data_type)
        name = self._names.setdefault(key, f"a{len(self._names)}")
        self.constants[name] = (value, data_type)
        return Typed(sql=typed_sql(f":{name}", data_type), type=data_type)

    def parameter(self, number: int, data_type: DataType) -> Typed:
        """Return a parameter of the client."""
        known = data_type
        if data_type.kind is Kind.DECIMAL and not data_type.precision:
            known = UNKNOWN_DIGITS
        name = f"p{number}"
        self.parameters[name] = (number, known)
        return Typed(sql=typed_sql(f":{name}", known), type=known)
