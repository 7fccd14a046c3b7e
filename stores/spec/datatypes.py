"""The SQL types of columns and values, with their digits, elements and fields.

Everything that all types of a kind share is in the record of the kind, in `stategate.stores.types`.

A value of each type is held, in keys, rows and parameters, as one *physical* Python value, chosen
so that no layer has to convert on the way:

| type | Python value |
|---|---|
| boolean | `bool` |
| tinyint, smallint, integer, bigint | `int` |
| real, double | `float` |
| decimal(p,s) | `decimal.Decimal` |
| text, json, jsonb, uuid, macaddr | `str` |
| bytea | `bytes` |
| date | `int`, days since 1970-01-01 |
| time | `int`, microseconds since midnight |
| timestamp, timestamptz | `int`, microseconds since 1970-01-01 (UTC) |
| interval | `tuple[int, int, int]`: months, days, microseconds |
| T[] | `list`; struct: `dict`; map: `list` of pairs |

`None` is SQL's NULL in every type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa

from stategate.stores.errors import SchemaError
from stategate.stores.spec.arguments import is_integer, is_name, same_name, shown
from stategate.stores.types.kinds import BY_ARROW, BY_EXTENSION, BY_NAME, SCALARS, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DataType:
    """One SQL type. Equality is by value; `str()` returns the SQL name that `parse` reads."""

    kind: Kind
    precision: int = 0
    """Digits of a decimal; 0 for all other kinds."""
    scale: int = 0
    """Digits after the point of a decimal."""
    element: DataType | None = None
    """Element type of an array, value type of a map."""
    fields: tuple[tuple[str, DataType], ...] = ()
    """Fields of a struct; the single pair ("key", type) of a map."""

    def __str__(self) -> str:
        """Return the SQL name."""
        match self.kind:
            case Kind.DECIMAL:
                return f"decimal({self.precision},{self.scale})"
            case Kind.ARRAY:
                return f"{self.element}[]"
            case Kind.STRUCT:
                inner = ", ".join(f"{_quoted(name)} {kind}" for name, kind in self.fields)
                return f"struct({inner})"
            case Kind.MAP:
                return f"map({self.fields[0][1]}, {self.element})"
            case _:
                return self.kind.record.name

    @staticmethod
    def parse(text: str) -> DataType:
        """Read a type's SQL name, e.g. `bigint[]`, `struct(a bigint, "b c" text)`.

        Raises:
            SchemaError: no such type, or one nested deeper than NESTING_MAX.
        """
        return _parse(text, NESTING_MAX)

    @staticmethod
    def from_arrow(arrow: pa.DataType) -> DataType:
        """Return the SQL type whose values an Arrow column of this type holds.

        Raises:
            SchemaError: no SQL type holds such values.
        """
        return _from_arrow(arrow)

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type that columns of this type have in a batch."""
        match self.kind:
            case Kind.DECIMAL:
                return pa.decimal128(self.precision, self.scale)
            case Kind.ARRAY:
                assert self.element is not None
                return pa.list_(self.element.arrow)
            case Kind.STRUCT:
                return pa.struct([(name, inner.arrow) for name, inner in self.fields])
            case Kind.MAP:
                assert self.element is not None
                return pa.map_(self.fields[0][1].arrow, self.element.arrow)
            case kind:
                return kind.record.arrow


NESTING_MAX = 64
"""How deep types may be nested; Arrow's own readers refuse soon after."""


def _parse(text: str, depth: int) -> DataType:
    spelled = text.strip()
    if not depth:
        raise SchemaError(f"a type is nested deeper than {NESTING_MAX}")
    if found := re.fullmatch(r"(.*)\[\s*\]", spelled, re.DOTALL):
        return DataType(kind=Kind.ARRAY, element=_parse(found[1], depth - 1))
    if found := re.fullmatch(r"(struct|map)\s*\((.*)\)", spelled, re.DOTALL | re.IGNORECASE):
        parts = _parts(found[2])
        if found[1].lower() == "struct":
            fields = tuple(_parse_field(part, depth - 1) for part in parts)
            return DataType(kind=Kind.STRUCT, fields=fields)
        if len(parts) != 2:
            raise SchemaError(f'type "{text}" is not known: a map has a key and a value type')
        key, element = (_parse(part, depth - 1) for part in parts)
        return DataType(kind=Kind.MAP, fields=(("key", key),), element=element)
    spelled = re.sub(r"\s+", "", spelled.lower())
    if found := re.fullmatch(r"(?:decimal|numeric)\((\d+),(\d+)\)", spelled):
        return decimal_type(int(found[1]), int(found[2]))
    if spelled not in BY_NAME:
        raise SchemaError(f'type "{text}" is not known')
    return DataType(kind=BY_NAME[spelled])


_NAME = r'"(?:[^"]|"")*"'


def _parts(text: str) -> list[str]:
    """Return the parts between commas that are outside of parentheses and quotes."""
    parts, depth, start = [], 0, 0
    for token in re.finditer(f"{_NAME}|[(),]", text):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == "," and depth == 0:
            parts.append(text[start : token.start()])
            start = token.end()
    return [*parts, text[start:]] if text.strip() else []


def _parse_field(text: str, depth: int) -> tuple[str, DataType]:
    found = re.fullmatch(rf"\s*({_NAME}|\S+)\s+(.*)", text, re.DOTALL)
    if found is None:
        raise SchemaError(f'"{text.strip()}" is not a field of a struct: write a name and a type')
    name = found[1]
    quoted = name.startswith('"')
    return name[1:-1].replace('""', '"') if quoted else name, _parse(found[2], depth)


def _quoted(name: str) -> str:
    """Return a field's name as types show it; the planner's rules for names cannot be used here."""
    if re.fullmatch(r"[^\W\d]\w*", name):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def decimal_type(precision: int, scale: int) -> DataType:
    """Return the type `decimal(precision,scale)`.

    Raises:
        SchemaError: precision outside 1..38 or scale outside 0..precision.
    """
    if not _is_decimal(precision, scale):
        raise SchemaError(f"decimal({precision},{scale}) is out of range")
    return DataType(kind=Kind.DECIMAL, precision=precision, scale=scale)


def _is_decimal(precision: int, scale: int) -> bool:
    return is_integer(precision, least=1, most=38) and is_integer(scale, least=0, most=precision)


def unusable(data_type: object, *, depth: int = NESTING_MAX) -> str | None:
    """Return why no column can be of a type, as the end of a sentence; None if a column can."""
    if not isinstance(data_type, DataType) or not isinstance(data_type.kind, Kind):
        return f"has {shown(data_type)} for a type"
    if not depth:
        return f"is nested deeper than {NESTING_MAX}"
    if (wrong := _misbuilt(data_type)) is not None:
        return wrong
    inner: list[object] = [each for _, each in data_type.fields]
    if data_type.kind in {Kind.ARRAY, Kind.MAP}:
        inner.append(data_type.element)
    return next((found for each in inner if (found := unusable(each, depth=depth - 1))), None)


def _misbuilt(data_type: DataType) -> str | None:
    """Return why a type itself is not valid, apart from its inner types."""
    names = [name for name, _ in data_type.fields]
    wrong = None
    match data_type.kind:
        case Kind.NULL:
            wrong = "is of type null, which holds no value: cast it to another type"
        case Kind.JSONB:
            wrong = "is of type jsonb, which only results have: declare json"
        case Kind.DECIMAL if not _is_decimal(data_type.precision, data_type.scale):
            wrong = f"is of type {data_type}, which is out of range"
        case Kind.MAP if len(names) != 1:
            wrong = "is a map without the type of its key"
        case Kind.STRUCT if not names:
            wrong = "is a struct without fields"
        case Kind.STRUCT if unfit := [name for name in names if name != "" and not is_name(name)]:
            wrong = f"has a field called {shown(unfit[0])}"
        case Kind.STRUCT if (same := same_name(names)) is not None:
            wrong = f"has fields {same}: SQL could not tell them apart"
    return wrong


_SCALARS = {kind.value: DataType(kind=kind) for kind in SCALARS}
BOOLEAN = _SCALARS["boolean"]
SMALLINT = _SCALARS["smallint"]
INTEGER = _SCALARS["integer"]
BIGINT = _SCALARS["bigint"]
REAL = _SCALARS["real"]
DOUBLE = _SCALARS["double"]
TEXT = _SCALARS["text"]
BYTEA = _SCALARS["bytea"]
DATE = _SCALARS["date"]
TIMESTAMP = _SCALARS["timestamp"]
TIMESTAMPTZ = _SCALARS["timestamptz"]
TIME = _SCALARS["time"]
INTERVAL = _SCALARS["interval"]
JSON = _SCALARS["json"]
JSONB = _SCALARS["jsonb"]
NULL = _SCALARS["null"]


def _from_arrow(arrow: pa.DataType) -> DataType:
    if (kind := BY_ARROW.get(arrow)) is not None:
        return DataType(kind=kind)
    if (kind := BY_EXTENSION.get(getattr(arrow, "extension_name", ""))) is not None:
        return DataType(kind=kind)
    if pa.types.is_dictionary(arrow):
        return _from_arrow(arrow.value_type)
    found = _nested_from_arrow(arrow) if pa.types.is_nested(arrow) else _scalar_from_arrow(arrow)
    if found is None:
        raise SchemaError(f"no SQL type holds Arrow's {arrow}")
    return found


def _scalar_from_arrow(arrow: pa.DataType) -> DataType | None:
    if pa.types.is_timestamp(arrow):
        return TIMESTAMPTZ if arrow.tz else TIMESTAMP
    if pa.types.is_time(arrow):
        return TIME
    if pa.types.is_decimal(arrow):
        return decimal_type(arrow.precision, arrow.scale)
    if arrow == pa.uint64():
        return DataType(kind=Kind.DECIMAL, precision=20, scale=0)
    if pa.types.is_duration(arrow):
        return INTERVAL
    return None


def _nested_from_arrow(arrow: pa.DataType) -> DataType | None:
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow):
        return DataType(kind=Kind.ARRAY, element=_from_arrow(arrow.value_type))
    if pa.types.is_struct(arrow):
        fields = tuple((field.name, _from_arrow(field.type)) for field in arrow)
        return DataType(kind=Kind.STRUCT, fields=fields)
    if pa.types.is_map(arrow):
        # A key is never NULL, so a map whose keys have no type is empty.
        key = TEXT if pa.types.is_null(arrow.key_type) else _from_arrow(arrow.key_type)
        return DataType(kind=Kind.MAP, fields=(("key", key),), element=_from_arrow(arrow.item_type))
    return None
