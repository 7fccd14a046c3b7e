"""Parses the body of a query request, and converts its parameters to physical values.

A malformed body raises an `HttpRequestError` that names the field; a malformed parameter raises
Postgres's error and names the parameter.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson
from msgspec import Struct

from gateway.errors import PROTOCOL_VIOLATION, HttpRequestError
from planner.engine import DataType, Kind, Row, Value, parse_value
from planner.errors import InvalidValueError, LimitExceededError, QueryError
from planner.typed import Argument

Json: TypeAlias = Any
"""A value that orjson returns: None, bool, int, float, str, list or dict."""

_INTEGERS = {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT}
_FLOATS = {Kind.REAL, Kind.DOUBLE}
_TEXTS = {Kind.TEXT, Kind.NULL}
_REAL_MAX = 3.4028234663852886e38


class QueryRequest(Struct, frozen=True, kw_only=True):
    """One statement to run, with the session settings of its fields.

    It is a struct, because each lookup makes one.
    """

    sql: str
    params: tuple[Json, ...] = ()
    settings: Mapping[str, str]


def read_request(body: bytes, *, parameters_max: int) -> QueryRequest:
    """Parse the JSON body of a query.

    Raises:
        HttpRequestError: it is not a JSON object, lacks `sql`, or has a field that is unknown or
            of another type.
        LimitExceededError: it has more parameters than `parameters_max`.
    """
    document = _object(body, _FIELDS, hint='Send {"sql": "SELECT …"}.')
    sql = document.get("sql")
    if not isinstance(sql, str):
        raise _wrong_field("sql", "a string")
    params = document.get("params")
    if params is not None and not isinstance(params, list):
        raise _wrong_field("params", "a list of values, one for each of $1, $2, …")
    if params is not None and len(params) > parameters_max:
        raise LimitExceededError(
            f"the request has {len(params)} parameters; {parameters_max} are allowed"
        )
    return QueryRequest(sql=sql, params=tuple(params or ()), settings=_settings(document))


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRequest:
    """One query by name, with the session settings of its fields."""

    type: str
    args: Mapping[str, Json]
    partitions: frozenset[int] | None = None
    active: bool = False
    settings: Mapping[str, str]


def read_typed_request(body: bytes) -> TypedRequest:
    """Parse the JSON body of a query by name.

    Raises:
        HttpRequestError: it is not a JSON object, lacks `type`, or has a field that is unknown or
            of another type.
    """
    document = _object(body, _TYPED_FIELDS, hint='Send {"type": "…", "args": {…}}.')
    name, args = document.get("type"), document.get("args")
    if not isinstance(name, str):
        raise _wrong_field("type", "the name of a query")
    if not isinstance(args, dict | None):
        raise _wrong_field("args", "an object of the query's arguments")
    active = document.get("active")
    if not isinstance(active, bool | None):
        raise _wrong_field("active", "true or false")
    return TypedRequest(
        type=name,
        args=args or {},
        partitions=_partitions(document.get("partitions")),
        active=bool(active),
        settings=_settings(document),
    )


def _partitions(value: Json) -> frozenset[int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value):
        raise _wrong_field("partitions", "a list of partition numbers")
    return frozenset(value)


def read_settings(fields: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the session settings in a URL's query.

    Raises:
        HttpRequestError: a field is unknown, duplicate, or has a wrong value.
    """
    document: dict[str, Json] = {}
    for name, text in fields:
        if name not in _SETTING_FIELDS:
            raise _unknown_fields([name], _SETTING_FIELDS)
        if name in document:
            raise HttpRequestError(f'field "{name}" is given twice')
        document[name] = text if name in _TEXT_FIELDS else _plain_json(text)
    return _settings(document)


def _plain_json(text: str) -> Json:
    """Parse a number or a boolean; return other text as it is, for the field to refuse."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _object(body: bytes, fields: Set[str], *, hint: str) -> dict[str, Json]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise HttpRequestError("the body is not JSON", detail=str(error), hint=hint) from error
    if not isinstance(document, dict):
        raise HttpRequestError("the body must be an object", hint=hint)
    if not document.keys() <= fields:
        raise _unknown_fields([name for name in document if name not in fields], fields)
    return document


def _settings(document: dict[str, Json]) -> dict[str, str]:
    found: dict[str, str] = {}
    if document.keys().isdisjoint(_SETTING_FIELDS):
        return found
    for name, (setting, read) in _SETTING_FIELDS.items():
        value = document.get(name)
        if value is not None:
            found[setting] = read(name, value)
    return found


def _read_bound(name: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _json_text(value)
    raise _wrong_field(name, 'a position like {"topic": {"0": 41}}, or its text')


def _read_wait(name: str, value: Json) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return f"{value}ms"
    raise _wrong_field(name, "a whole number of milliseconds")


def _read_text(name: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    raise _wrong_field(name, "a string")


def _read_flag(name: str, value: Json) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    raise _wrong_field(name, "true or false")


_SETTING_FIELDS: dict[str, tuple[str, Callable[[str, Json], str]]] = {
    "bound": ("stategate.bound", _read_bound),
    "wait_ms": ("stategate.wait", _read_wait),
    "consistency": ("stategate.consistency", _read_text),
    "unknown_topics": ("stategate.unknown_topics", _read_text),
    "partial": ("stategate.partial", _read_flag),
    "info": ("stategate.info", _read_flag),
}
"""The session setting of each field, and the function that reads the field."""
_TEXT_FIELDS = frozenset({"bound", "consistency", "unknown_topics"})
# Sets that keep their order, for the messages.
_FIELDS = dict.fromkeys(("sql", "params", *_SETTING_FIELDS)).keys()
_TYPED_FIELDS = dict.fromkeys(("type", "args", "partitions", "active", *_SETTING_FIELDS)).keys()


def _wrong_field(name: str, wanted: str) -> HttpRequestError:
    return HttpRequestError(f'field "{name}" must be {wanted}')


def _unknown_fields(unknown: Sequence[str], fields: Iterable[str]) -> HttpRequestError:
    names = ", ".join(f'"{name[:100]}"' for name in sorted(unknown)[:10])
    near = difflib.get_close_matches(unknown[0][:100], list(fields), n=1)
    return HttpRequestError(
        f"field {names} does not exist" if len(unknown) == 1 else f"fields {names} do not exist",
        detail=f"The fields are {', '.join(fields)}.",
        hint=f'Did you mean "{near[0]}"?' if near else None,
    )


def convert_parameters(params: Sequence[Json], types: Sequence[DataType]) -> Row:
    """Convert a statement's parameters to physical values.

    Numbers and booleans suit parameters of such types; text in Postgres's form suits every type.
    Exact decimals beyond 15 digits need the text form.
    Arrays are lists, structs objects, maps lists of `[key, value]`; json is any JSON value.

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
            else _named(at, value, data_type)
            for at, (value, data_type) in enumerate(zip(params, types, strict=True), start=1)
        ]
    )


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
        if not isinstance(value, list) or len(value) != len(argument.types):
            count = len(argument.types)
            raise InvalidValueError(f"a key is a list with one value for each key column: {count}")
        return tuple(_convert(v, t) for v, t in zip(value, argument.types, strict=True))
    except QueryError as error:
        raise InvalidValueError(
            f'argument "{name}": {error.message}',
            detail=error.detail,
            hint=error.hint,
            sqlstate=error.sqlstate,
        ) from error


def _named(number: int, value: Json, data_type: DataType) -> Value:
    try:
        return _convert(value, data_type)
    except QueryError as error:
        raise InvalidValueError(
            f"parameter ${number}: {error.message}",
            detail=error.detail,
            hint=error.hint,
            sqlstate=error.sqlstate,
        ) from error


def _convert(value: Json, data_type: DataType) -> Value:
    if value is None:
        return None
    if isinstance(value, str):
        return value if data_type.kind in _TEXTS else parse_value(value, data_type)
    if data_type.kind is Kind.JSON:
        return _json_text(value)
    return _CONVERTERS[type(value)](value, data_type)


def _json_text(value: Json) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:  # orjson reads deeper nesting than it writes
        raise LimitExceededError("the value is nested too deep") from error


def _convert_boolean(value: bool, data_type: DataType) -> Value:
    if data_type.kind is Kind.BOOLEAN:
        return value
    if data_type.kind is Kind.NULL:
        return "true" if value else "false"
    raise _unsuited("a boolean", data_type)


def _convert_integer(value: int, data_type: DataType) -> Value:
    match data_type.kind:
        case kind if kind in _INTEGERS or kind is Kind.DECIMAL:
            return parse_value(str(value), data_type)
        case kind if kind in _FLOATS:
            return _in_range(float(value), data_type)
        case Kind.NULL:
            return str(value)
        case _:
            raise _unsuited("a number", data_type)


def _convert_float(value: float, data_type: DataType) -> Value:
    match data_type.kind:
        case kind if kind in _FLOATS:
            return _in_range(value, data_type)
        case Kind.DECIMAL:
            return parse_value(repr(value), data_type)
        case kind if kind in _INTEGERS:
            return _convert_whole(value, data_type)
        case Kind.NULL:
            return repr(value)
        case _:
            raise _unsuited("a number", data_type)


def _convert_whole(value: float, data_type: DataType) -> Value:
    if not value.is_integer():
        raise InvalidValueError(
            f"invalid input syntax for type {data_type}: {value!r}", sqlstate="22P02"
        )
    if abs(value) >= 2**63:
        raise InvalidValueError(f"{value!r} is out of range for type {data_type}", sqlstate="22003")
    return parse_value(str(int(value)), data_type)


def _in_range(value: float, data_type: DataType) -> float:
    if data_type.kind is Kind.REAL and math.isfinite(value) and abs(value) > _REAL_MAX:
        raise InvalidValueError(f"{value!r} is out of range for type {data_type}", sqlstate="22003")
    return value


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
    float: _convert_float,
    list: _convert_list,
    dict: _convert_object,
}
"""Converters by JSON type, except null and strings."""
