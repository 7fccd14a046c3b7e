"""SQL types as sqlglot spells them, as we hold them, and as DuckDB spells them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from planner.trees.column_names import type_name
from planner.values import character_types
from planner.values.catalog_types import CATALOG_TYPES, CatalogType, names_objects, postgres_name
from stores.errors import SchemaError
from stores.spec.schema import TEXT, DataType, Kind, decimal_type
from stores.types.kinds import BY_PARSED, SCALARS

HELD_AS_TEXT = frozenset(
    kind for kind in SCALARS if kind is not Kind.TEXT and kind.record.arrow == TEXT.arrow
)
"""Types whose values are texts, such as json and uuid."""
CANONICAL_TEXTS = frozenset(kind for kind in HELD_AS_TEXT if kind.record.parse is not None)
"""Those in which each value has one spelling, to which a text beside it must be brought: uuid."""


def data_type_of(node: exp.DataType) -> DataType | None:
    """Our type for a type name in SQL; None for one that only DuckDB knows, or nobody."""
    if isinstance(node, exp.Interval) or node.this is None:
        return None
    if node.this in {exp.DType.DECIMAL, exp.DType.BIGDECIMAL}:
        sizes = [int(size.name) for size in node.expressions if size.name.isdigit()]
        try:
            return decimal_type(*[*sizes, 0][:2]) if sizes else None
        except SchemaError:
            return None
    if node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        element = data_type_of(node.expressions[0])
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)
    # sqlglot keeps regclass and its kin as texts.
    kind = BY_PARSED.get(node.this.name) if isinstance(node.this, exp.DType) else None
    return CATALOG_TYPES.get(type_name(node)) if kind is None else DataType(kind=kind)


def result_type_of(node: exp.DataType) -> DataType | None:
    """The type of what is cast to a type: varchar and char are held as texts, and say so."""
    if (characters_type := character_types.named(node)) is not None:
        return characters_type
    if node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        element = result_type_of(node.expressions[0])
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)
    return data_type_of(node)


def parameter_type_of(node: exp.DataType) -> DataType | None:
    """The type of a parameter that is cast to a type.

    A bare numeric takes any number of digits, and regclass and its kin a name.
    """
    if node.this in {exp.DType.DECIMAL, exp.DType.BIGDECIMAL} and not node.expressions:
        return DataType(kind=Kind.DECIMAL)
    if node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        element = parameter_type_of(node.expressions[0])
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)
    found = data_type_of(node)
    return replace(found, kind=Kind.TEXT) if names_objects(found) and found else found


def declared(found: DataType, wanted: DataType | None) -> DataType:
    """The type of a result column, which is DuckDB's but for what DuckDB does not know.

    Types of the catalog are its bigints, texts and arrays; json and uuid, and arrays of them, it
    reads from a store as text.
    """
    return found if wanted is None or not _is_held_as(wanted, found) else wanted


def _is_held_as(wanted: DataType, found: DataType) -> bool:
    if isinstance(wanted, CatalogType) and wanted.kind is found.kind:
        return True
    if found.element is not None and wanted.element is not None:
        return found.kind is wanted.kind is Kind.ARRAY and _is_held_as(
            wanted.element, found.element
        )
    return found.kind is Kind.TEXT and wanted.kind in HELD_AS_TEXT


_CHARACTER_NAMES = {"varchar": "character varying", "bpchar": "character"}


def spelled_type(data_type: DataType) -> str:
    """The type's name in Postgres's errors, without its size."""
    if data_type.kind is Kind.ARRAY and data_type.element is not None:
        return f"{spelled_type(data_type.element)}[]"
    if (name := postgres_name(data_type)) in _CHARACTER_NAMES:
        return _CHARACTER_NAMES[name]
    return str(data_type) if data_type.fields else data_type.kind.record.spelled


_NUMERIC = "DECIMAL(38,16)"
"""A numeric of no stated size: DuckDB's largest, with as many places as a quotient has."""


def duckdb_type(data_type: DataType) -> str:
    """The type's name in DuckDB."""
    if data_type.kind is Kind.ARRAY:
        assert data_type.element is not None
        return f"{duckdb_type(data_type.element)}[]"
    if data_type.kind is Kind.DECIMAL and data_type.precision == 0:
        return _NUMERIC
    if data_type.kind is Kind.DECIMAL or data_type.fields:
        return str(data_type).upper()
    return data_type.kind.record.duckdb
