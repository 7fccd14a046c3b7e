"""SQL types from sqlglot's trees, and their names in errors and in DuckDB."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from stategate.planner.trees.column_names import type_name
from stategate.planner.values import type_modifiers
from stategate.planner.values.array_types import leaf_of
from stategate.planner.values.catalog_types import (
    CATALOG_TYPES,
    CatalogType,
    has_any_scale,
    is_record,
    names_objects,
    of_any_scale,
    postgres_name,
    record_type,
)
from stategate.stores.errors import SchemaError
from stategate.stores.spec.schema import INTERVAL, TEXT, DataType, Kind, decimal_type
from stategate.stores.types.kinds import BY_PARSED, BY_POSTGRES, SCALARS

HELD_AS_TEXT = frozenset(
    kind for kind in SCALARS if kind is not Kind.TEXT and kind.record.arrow == TEXT.arrow
)
"""Types whose values are held as texts, such as json and uuid. A text becomes one when it is read,
which normalises those of `SPELLED` and jsonb."""
SPELLED = tuple(kind for kind in SCALARS if kind.record.spelling is not None)
"""Types whose texts are normalised by patterns, and compare as PostgreSQL's values do."""


def data_type_of(node: exp.DataType) -> DataType | None:  # noqa: PLR0911 - one per kind
    """Return our type for a type name in SQL; None if only DuckDB may know the name."""
    if isinstance(node.this, exp.Interval):
        return INTERVAL
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
    # sqlglot keeps regclass and similar types as texts.
    kind = BY_PARSED.get(node.this.name) if isinstance(node.this, exp.DType) else None
    if kind is None and (found := CATALOG_TYPES.get(name := type_name(node))) is not None:
        return found
    kind = kind or BY_POSTGRES.get(name)
    return None if kind is None else DataType(kind=kind)


def innermost(node: exp.DataType) -> exp.DataType:
    """Return the name of the type of an array's elements; for other names, the name itself."""
    while node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        node = node.expressions[0]
    return node


def named_depth(node: exp.DataType) -> int:
    """Return the number of dimensions that the name of a type has: 2 of `int[][]`."""
    depth = 0
    while node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        depth, node = depth + 1, node.expressions[0]
    return depth


def is_bare_numeric(node: exp.DataType) -> bool:
    """Whether a name means numeric without a number of digits."""
    return node.this in {exp.DType.DECIMAL, exp.DType.BIGDECIMAL} and not node.expressions


def result_type_of(node: exp.DataType) -> DataType | None:
    """Return the type of a cast's result; varchar and char, held as text, keep their names."""
    if (characters := type_modifiers.character_type(node)) is not None:
        return characters
    if node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        element = result_type_of(node.expressions[0])
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)
    return data_type_of(node)


def parameter_type_of(node: exp.DataType) -> DataType | None:
    """Return the type of a parameter that is cast to a type.

    A numeric without digits takes any number of them. A regclass, or a similar type, takes a name.
    """
    if is_bare_numeric(node):
        return DataType(kind=Kind.DECIMAL)
    if node.this is exp.DType.ARRAY and len(node.expressions) == 1:
        element = parameter_type_of(node.expressions[0])
        return None if element is None else DataType(kind=Kind.ARRAY, element=element)
    found = data_type_of(node)
    return replace(found, kind=Kind.TEXT) if names_objects(found) and found else found


def declared(found: DataType, wanted: DataType | None) -> DataType:
    """Return the type of a result column: the wanted type if DuckDB's type holds its values.

    DuckDB holds types of the catalog as bigints, texts and arrays, and json and uuid as texts.
    """
    if is_record(wanted) and wanted is not None and len(wanted.fields) == len(found.fields):
        sides = zip(found.fields, wanted.fields, strict=True)
        return record_type([(name, declared(one, other)) for (name, one), (_, other) in sides])
    if found.element is not None and wanted is not None and is_record(wanted.element):
        return DataType(kind=Kind.ARRAY, element=declared(found.element, wanted.element))
    if has_any_scale(wanted) and found.kind is Kind.DECIMAL:
        return of_any_scale(found.precision, found.scale)
    return found if wanted is None or not _is_held_as(wanted, found) else wanted


def _is_held_as(wanted: DataType, found: DataType) -> bool:
    if isinstance(wanted, CatalogType) and wanted.kind is found.kind:
        return True
    if found.element is not None and wanted.element is not None:
        return found.kind is wanted.kind is Kind.ARRAY and _is_held_as(
            wanted.element, found.element
        )
    return found.kind is Kind.TEXT and wanted.kind in HELD_AS_TEXT


def reading_macro(kind: Kind) -> str:
    """Return the name of the macro that reads a text as a value of one of `HELD_AS_TEXT`.

    With the suffix `s`, it reads a list of texts.
    """
    return f"pg_sg_read_{kind.value}"


_CHARACTER_NAMES = {"varchar": "character varying", "bpchar": "character"}


def format_type(data_type: DataType) -> str:
    """Return the name of a type in PostgreSQL's errors, without its size."""
    if data_type.kind is Kind.ARRAY and data_type.element is not None:
        return f"{format_type(leaf_of(data_type))}[]"
    if (name := postgres_name(data_type)) in _CHARACTER_NAMES:
        return _CHARACTER_NAMES[name]
    if is_record(data_type):
        return "record"
    return str(data_type) if data_type.fields else data_type.kind.record.spelled


_NUMERIC = "DECIMAL(38,16)"
"""DuckDB's type for a numeric without precision: all its digits, 16 of them after the point."""


def duckdb_type(data_type: DataType) -> str:
    """Return DuckDB's name of a type, which trees use.

    A type that is held as a text keeps PostgreSQL's name; `to_duckdb` writes it as a text.
    """
    if data_type.kind is Kind.ARRAY:
        assert data_type.element is not None
        return f"{duckdb_type(data_type.element)}[]"
    if data_type.kind is Kind.DECIMAL and data_type.precision == 0:
        return _NUMERIC
    if data_type.kind is Kind.DECIMAL or data_type.fields:
        return str(data_type).upper()
    record = data_type.kind.record
    return record.postgres if data_type.kind in HELD_AS_TEXT else record.duckdb
