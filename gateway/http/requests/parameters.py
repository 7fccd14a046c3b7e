"""Converts the parameters of a statement, and the arguments of a query, to physical values.

A malformed value raises Postgres's error, which names the parameter or the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from stategate.gateway.errors import PROTOCOL_VIOLATION
from stategate.gateway.http.requests.json_values import Json, json_text
from stategate.planner.engine import DataType, Key, Kind, Row, Value, parse_value
from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.typed import Argument

_INTEGERS = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT}
_FRACTIONS = {Kind.REAL, Kind.DOUBLE, Kind.DECIMAL}
_TEXTS = {Kind.TEXT, Kind.NULL}
_DOCUMENTS = {Kind.JSON, Kind.JSONB}
_WHOLE_DIGITS = 19
"""The digits of the largest bigint."""


def convert_parameters(
    params: Sequence[Json], types: Sequence[DataType], names: Sequence[str] = ()
) -> Row:
    """Convert a statement's parameters to physical values.

    Numbers and booleans suit parameters of such types; text in Postgres's form suits every type.
    Arrays are lists, structs objects, maps lists of `[key, value]`; json is any JSON value.

    Args:
        params: the values.
        types: their types.
        names: their names; empty if they are numbered.

    Raises:
        QueryError: the count differs (08P01), or a value does not suit its type (22P02, 22003, …);
            the error names the parameter.
    """
    if len(params) != len(types):
        raise QueryError(
            f"the number of parameters is {len(params)}, but the statement takes {len(types)}",
            sqlstate=PROTOCOL_VIOLATION,
        )
    return tuple(
        [
            value
            if type(value) is str and data_type.kind in _TEXTS
            else _named(at, names, value, data_type)
            for at, (value, data_type) in enumerate(zip(params, types, strict=True), start=1)
        ]
    )


def convert_each(
    sets: Sequence[Sequence[Json] | QueryError],
    types: Sequence[DataType],
    names: Sequence[str] = (),
) -> list[Row | QueryError]:
    """Convert many sets of parameters; an error takes the place of a set that is wrong.

    Args:
        sets: the values of each set, or its error.
        types: their types.
        names: their names; empty if they are numbered.
    """
    return [_converted(each, types, names) for each in sets]


def _converted(
    given: Sequence[Json] | QueryError, types: Sequence[DataType], names: Sequence[str]
) -> Row | QueryError:
    if isinstance(given, QueryError):
        return given
    # Most sets are the one text of a key.
    if len(given) == 1 == len(types) and type(given[0]) is str and types[0].kind in _TEXTS:
        return (given[0],)
    try:
        return convert_parameters(given, types, names)
    except QueryError as error:
        return error


def convert_arguments(
    args: Mapping[str, Json], arguments: Mapping[str, Argument]
) -> dict[str, Value]:
    """Convert the arguments of a query by name to physical values.

    A whole key is a list with a value for each key column. Values are written as parameters are.

    Raises:
        InvalidValueError: an argument is unknown, missing, or does not suit its type; the error
            names it.
    """
    if unknown := sorted(set(args) - set(arguments)):
        raise InvalidValueError(
            f'argument "{unknown[0][:100]}" does not exist',
            detail=f"The arguments are {', '.join(arguments) or 'none'}.",
        )
    for name, each in arguments.items():
        if each.required and name not in args:
            raise InvalidValueError(f'argument "{name}" is missing')
    return {name: _argument(name, value, arguments[name]) for name, value in args.items()}


def _argument(name: str, value: Json, argument: Argument) -> Value:
    try:
        if not argument.is_key:
            return _convert(value, argument.types[0])
        if value is None:
            return None
        if argument.is_list:
            if not isinstance(value, list):
                raise InvalidValueError("the keys must be a list of keys")
            return tuple(_key(each, argument) for each in value)
        return _key(value, argument)
    except QueryError as error:
        raise InvalidValueError(
            f'argument "{name}": {error.message}',
            detail=error.detail,
            hint=error.hint,
            sqlstate=error.sqlstate,
        ) from error


def _key(value: Json, argument: Argument) -> Key:
    count = len(argument.types)
    given = len(value) if isinstance(value, list) else -1
    if argument.is_prefix and not 1 <= given <= count:
        raise InvalidValueError(f"a key is a list of one to {count} values, the first key columns")
    if not argument.is_prefix and given != count:
        raise InvalidValueError(f"a key is a list with one value for each key column: {count}")
    return tuple(_convert(v, t) for v, t in zip(value, argument.types, strict=False))


def _named(number: int, names: Sequence[str], value: Json, data_type: DataType) -> Value:
    try:
        return _convert(value, data_type)
    except QueryError as error:
        raise InvalidValueError(
            f"parameter {f':{names[number - 1]}' if names else f'${number}'}: {error.message}",
            detail=error.detail,
            hint=error.hint,
            sqlstate=error.sqlstate,
        ) from error


def _convert(value: Json, data_type: DataType) -> Value:
    if value is None:
        return None
    if isinstance(value, str):
        return value if data_type.kind in _TEXTS else parse_value(value, data_type)
    if data_type.kind in _DOCUMENTS:
        return parse_value(json_text(value), data_type)
    return _CONVERTERS[type(value)](value, data_type)


def _convert_boolean(value: bool, data_type: DataType) -> Value:
    if data_type.kind is Kind.BOOLEAN:
        return value
    if data_type.kind is Kind.NULL:
        return "true" if value else "false"
    raise _unsuited("a boolean", data_type)


def _convert_integer(value: int, data_type: DataType) -> Value:
    match data_type.kind:
        case kind if kind in _INTEGERS or kind in _FRACTIONS:
            return parse_value(str(value), data_type)
        case Kind.NULL:
            return str(value)
        case _:
            raise _unsuited("a number", data_type)


def _convert_fraction(value: float | Decimal, data_type: DataType) -> Value:
    match data_type.kind:
        case kind if kind in _FRACTIONS:
            return parse_value(str(value), data_type)
        case kind if kind in _INTEGERS:
            return _convert_whole(Decimal(str(value)), data_type)
        case Kind.NULL:
            return str(value)
        case _:
            raise _unsuited("a number", data_type)


def _convert_whole(value: Decimal, data_type: DataType) -> Value:
    if value and value.adjusted() >= _WHOLE_DIGITS:
        raise InvalidValueError(f"{value} is out of range for type {data_type}", sqlstate="22003")
    if value != int(value):
        raise InvalidValueError(
            f"invalid input syntax for type {data_type}: {value}", sqlstate="22P02"
        )
    return parse_value(str(int(value)), data_type)


def _convert_list(value: list[Json], data_type: DataType) -> Value:
    if data_type.kind is Kind.ARRAY and data_type.element is not None:
        element = data_type.element
        return [_convert(each, element) for each in value]
    if data_type.kind is Kind.MAP and data_type.element is not None:
        return [_convert_pair(each, data_type.fields[0][1], data_type.element) for each in value]
    raise _unsuited("a list", data_type)


def _convert_pair(pair: Json, key: DataType, item: DataType) -> tuple[Value, Value]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise InvalidValueError(
            "an entry of a map must be a list of key and value", sqlstate="22P02"
        )
    return _convert(pair[0], key), _convert(pair[1], item)


def _convert_object(value: dict[str, Json], data_type: DataType) -> Value:
    if data_type.kind is not Kind.STRUCT:
        raise _unsuited("an object", data_type)
    names = [name for name, _ in data_type.fields]
    if unknown := sorted(set(value) - set(names)):
        raise InvalidValueError(
            f'field "{unknown[0][:100]}" does not exist in {data_type}', sqlstate="22P02"
        )
    return {name: _convert(value.get(name), inner) for name, inner in data_type.fields}


def _unsuited(shape: str, data_type: DataType) -> InvalidValueError:
    return InvalidValueError(
        f"{shape} is not a value of type {data_type}",
        hint="Send the value as a string, or cast the parameter in the statement.",
        sqlstate="22P02",
    )


_CONVERTERS: dict[type, Callable[[Any, DataType], Value]] = {
    bool: _convert_boolean,
    int: _convert_integer,
    float: _convert_fraction,
    Decimal: _convert_fraction,
    list: _convert_list,
    dict: _convert_object,
}
"""Converters by JSON type, except null and strings."""
