"""Types of the parameters of a catalog statement, from where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from planner.errors import LimitExceeded
from planner.names import type_name
from planner.pg_catalog.relations import column_types, duckdb_type, type_of_postgres
from stores.schema import BIGINT, BOOLEAN, INTEGER, TEXT, DataType, Kind

PARAMETERS_MAX = 65_535
"""The wire counts parameters in 16 bits."""

_ARGUMENTS: Mapping[str, tuple[DataType, ...]] = {
    "col_description": (BIGINT, INTEGER),
    "current_schemas": (BOOLEAN,),
    "format_type": (BIGINT, INTEGER),
    "obj_description": (BIGINT, TEXT),
    "pg_encoding_to_char": (INTEGER,),
    "pg_get_constraintdef": (BIGINT, BOOLEAN),
    "pg_get_expr": (TEXT, BIGINT, BOOLEAN),
    "pg_get_function_arguments": (BIGINT,),
    "pg_get_indexdef": (BIGINT, INTEGER, BOOLEAN),
    "pg_get_userbyid": (BIGINT,),
    "pg_get_viewdef": (BIGINT, BOOLEAN),
    "pg_table_is_visible": (BIGINT,),
    "pg_type_is_visible": (BIGINT,),
}
"""Function → types of its arguments, where they are not texts."""


_OIDS: Mapping[str, int] = {"oid": 26, "oid[]": 1028}


def parameter_number(parameter: exp.Parameter) -> int:
    """N of `$n`."""
    return int(parameter.name)


def infer_parameters(tree: exp.Expr, insisted: Sequence[DataType | None]) -> tuple[DataType, ...]:
    """The type of $1, $2, …; what the client insists on comes first, TEXT is the default.

    Raises:
        LimitExceeded: a parameter's number is beyond PARAMETERS_MAX.
    """
    found: dict[int, DataType] = {}
    for parameter in tree.find_all(exp.Parameter):
        number = parameter_number(parameter)
        if number > PARAMETERS_MAX:
            raise LimitExceeded(f"there is no parameter ${number}")
        inferred = _inferred(parameter)
        if inferred is not None:
            found.setdefault(number, inferred)
        else:
            found.setdefault(number, TEXT)
    count = max([*found, len(insisted)], default=0)
    types = [found.get(number, TEXT) for number in range(1, count + 1)]
    for at, data_type in enumerate(insisted):
        if data_type is not None:
            types[at] = data_type
    return tuple(types)


def cast_oids(tree: exp.Expr, count: int) -> tuple[int, ...]:
    """Oid of the type of each of `count` parameters that is cast to oid or oid[]; 0 for others."""
    oids = [0] * count
    for cast in tree.find_all(exp.Cast):
        inner, name = cast.this.unnest(), type_name(cast.to)
        if isinstance(inner, exp.Parameter) and name in _OIDS:
            oids[parameter_number(inner) - 1] = _OIDS[name]
    return tuple(oids) if any(oids) else ()


def bind_parameters(tree: exp.Expr, types: Sequence[DataType]) -> None:
    """Give each parameter the name and the type under which its value reaches DuckDB."""
    for parameter in [*tree.find_all(exp.Parameter)]:
        number = parameter_number(parameter)
        target = exp.DataType.build(duckdb_type(types[number - 1]), dialect="duckdb")
        parameter.replace(exp.Cast(this=exp.Placeholder(this=f"p{number}"), to=target))


def _inferred(parameter: exp.Parameter) -> DataType | None:  # noqa: PLR0911 - one per place
    node: exp.Expr = parameter
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    parent = node.parent
    if isinstance(parent, exp.Cast):
        return _named(type_name(parent.to))
    if isinstance(parent, (exp.Any, exp.All)):
        return _array_beside(parent)
    if isinstance(parent, (exp.Limit, exp.Offset)):
        return BIGINT
    if isinstance(parent, exp.CurrentSchemas):
        return BOOLEAN
    if isinstance(parent, exp.Anonymous) and parent.name.lower() in _ARGUMENTS:
        arguments = _ARGUMENTS[parent.name.lower()]
        at = parent.expressions.index(node)
        return arguments[at] if at < len(arguments) else None
    if isinstance(parent, exp.Binary) and not isinstance(parent, exp.Dot):
        return _beside(parent.expression if parent.this is node else parent.this)
    if isinstance(parent, exp.In):
        return _beside(parent.this)
    return None


def _array_beside(quantified: exp.Expr) -> DataType:
    comparison = quantified.parent
    element = _beside(comparison.this) if isinstance(comparison, exp.Binary) else None
    return DataType(kind=Kind.ARRAY, element=element or TEXT)


def _beside(other: exp.Expr) -> DataType | None:
    bare = other.unnest()
    if isinstance(bare, exp.Column):
        name = column_types().get(bare.name.lower())
        return None if name is None else type_of_postgres(name)
    if isinstance(bare, exp.Cast):
        return _named(type_name(bare.to))
    if isinstance(bare, exp.Literal) and not bare.is_string:
        return INTEGER
    return None


def _named(name: str) -> DataType:
    element = name.removesuffix("[]")
    if name != element:
        return DataType(kind=Kind.ARRAY, element=_named(element))
    return type_of_postgres(name)
