r"""Parameters to JSON, and cells to Python values.

| SQL type | Python value |
|---|---|
| boolean; tinyint … bigint; real, double | `bool`; `int`; `float` |
| decimal | `decimal.Decimal` |
| text, macaddr | `str` |
| bytea | `bytes` |
| date, time, timestamp | `datetime.date`, `time`, `datetime` without a zone |
| timestamptz | `datetime.datetime` in UTC |
| interval | `datetime.timedelta`; a year has 365 days in it, a month 30 |
| uuid | `uuid.UUID` |
| json | what `json.loads` returns |
| T[]; struct | `list`; `dict` |
| map | `dict`, or a list of pairs if its keys are arrays, structs or maps |
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias
from uuid import UUID

from stategate.errors import DataError, InterfaceError
from stategate.sql_types import SqlType, parse_type

Json: TypeAlias = Any
"""A value of JSON."""
Value: TypeAlias = Any
"""A Python value of any SQL type."""
Params: TypeAlias = Sequence[Value] | Mapping[str, Value]
"""Values of `$1`, `$2`, …, or of `:name`."""
Decoder: TypeAlias = Callable[[Json], Value]

_INTEGER_MAX: Final = 2**63 - 1
_NESTED: Final = frozenset({"array", "struct", "map"})
_INTERVAL: Final = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?"
    r"(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)(?:\.(\d+))?S)?)?"
)

# --- parameters ----------------------------------------------------------------------------------


def encode_params(params: Params) -> list[Json] | dict[str, Json]:
    """Return parameters as JSON.

    Raises:
        InterfaceError: they are not a sequence or a mapping, or one has no SQL type.
    """
    if isinstance(params, Mapping):
        return {name: _encoded(value) for name, value in params.items()}
    if isinstance(params, str | bytes) or not isinstance(params, Sequence):
        raise InterfaceError(
            f"parameters are a sequence or a mapping, not {type(params).__name__}",
            hint="Write (value,) for a single one.",
        )
    return [_encoded(value) for value in params]


def _encoded(value: Value) -> Json:
    encode = _ENCODERS.get(type(value))
    if encode is None:
        encode = next((_ENCODERS[t] for t in type(value).__mro__ if t in _ENCODERS), None)
    if encode is None:
        raise InterfaceError(f"a parameter of type {type(value).__name__} has no SQL type")
    return encode(value)


def _same(value: Json) -> Json:
    return value


def _encoded_integer(value: int) -> Json:
    return int(value) if -_INTEGER_MAX - 1 <= value <= _INTEGER_MAX else str(int(value))


def _encoded_interval(value: dt.timedelta) -> str:
    micros = value.microseconds + value.seconds * 1_000_000
    return f"{value.days} days {micros // 1_000_000}.{micros % 1_000_000:06} seconds"


def _encoded_float(value: float) -> Json:
    return float(value) if math.isfinite(value) else str(float(value))


_ENCODERS: dict[type, Callable[[Any], Json]] = {
    type(None): _same,
    bool: _same,
    int: _encoded_integer,
    float: _encoded_float,
    str: str,
    Decimal: str,
    bytes: lambda value: "\\x" + value.hex(),
    bytearray: lambda value: "\\x" + value.hex(),
    memoryview: lambda value: "\\x" + value.hex(),
    dt.datetime: lambda value: value.isoformat(" "),
    dt.date: lambda value: value.isoformat(),
    dt.time: lambda value: value.isoformat(),
    dt.timedelta: _encoded_interval,
    UUID: str,
    list: lambda value: [_encoded(each) for each in value],
    tuple: lambda value: [_encoded(each) for each in value],
    dict: lambda value: {str(name): _encoded(each) for name, each in value.items()},
}

# --- cells ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def row_decoder(types: tuple[str, ...]) -> Callable[[list[Json]], tuple[Value, ...]]:
    """Return the function from the cells of a row to its values, made once per shape.

    Args:
        types: the names of the columns' types.
    """
    decoders = [(at, found) for at, name in enumerate(types) if (found := decoder_of(name))]
    if not decoders:
        return tuple

    def decode(cells: list[Json]) -> tuple[Value, ...]:
        at = 0
        try:
            for at, decoder in decoders:
                cell = cells[at]
                if cell is not None:
                    cells[at] = decoder(cell)
        except (ValueError, ArithmeticError) as error:
            raise DataError(
                f"{str(cells[at])[:100]} of type {types[at]} has no value in Python",
                sqlstate="22008",
                hint="Read it as a text, by a cast, or as Arrow.",
            ) from error
        return tuple(cells)

    return decode


def decoder_of(type_name: str) -> Decoder | None:
    """Return the function from a cell that is not NULL to its value; None if they are equal."""
    return _decoder(parse_type(type_name))


def _decoder(sql_type: SqlType) -> Decoder | None:
    nested = _NESTED_DECODERS.get(sql_type.name)
    return _DECODERS.get(sql_type.name) if nested is None else nested(sql_type)


def _or_none(sql_type: SqlType) -> Decoder:
    decode = _decoder(sql_type)
    if decode is None:
        return _same
    return lambda cell: None if cell is None else decode(cell)


def _array(sql_type: SqlType) -> Decoder | None:
    (element,) = sql_type.parts
    if _decoder(element) is None:
        return None
    decode = _or_none(element)
    return lambda cell: [decode(each) for each in cell]


def _struct(sql_type: SqlType) -> Decoder | None:
    decoders = {
        name: _or_none(each)
        for name, each in zip(sql_type.field_names, sql_type.parts, strict=True)
        if _decoder(each) is not None
    }
    if not decoders:
        return None
    return lambda cell: {
        name: decoders[name](each) if name in decoders else each for name, each in cell.items()
    }


def _map(sql_type: SqlType) -> Decoder | None:
    key, item = sql_type.parts
    pairs = partial(_pairs, key=_or_none(key), item=_or_none(item))
    return pairs if key.name in _NESTED or key.name == "json" else lambda cell: dict(pairs(cell))


def _pairs(cell: list[list[Json]], key: Decoder, item: Decoder) -> list[tuple[Value, Value]]:
    return [(key(name), item(value)) for name, value in cell]


def _interval(cell: str) -> dt.timedelta:
    found = _INTERVAL.fullmatch(cell)
    if found is None:
        raise ValueError(cell)
    years, months, days, hours, minutes = (int(part or 0) for part in found.groups()[:5])
    micros = int((found[7] or "").ljust(6, "0"))
    return dt.timedelta(
        days=365 * years + 30 * months + days,
        hours=hours,
        minutes=minutes,
        seconds=int(found[6] or 0),
        microseconds=-micros if (found[6] or "").startswith("-") else micros,
    )


_NESTED_DECODERS: dict[str, Callable[[SqlType], Decoder | None]] = {
    "array": _array,
    "struct": _struct,
    "map": _map,
}
_DECODERS: dict[str, Decoder] = {
    "real": float,
    "double": float,
    "decimal": Decimal,
    "bytea": lambda cell: bytes.fromhex(cell[2:]),
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "timestamp": dt.datetime.fromisoformat,
    "timestamptz": dt.datetime.fromisoformat,
    "interval": _interval,
    "uuid": UUID,
    "json": json.loads,
}
