"""PostgreSQL's types: the rows of pg_type, and the type and modifier of each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from stategate.planner.pg_catalog import seed
from stategate.stores.spec.schema import DataType, Kind

NUMERIC_HEADER = 4
"""The number that PostgreSQL adds to the modifiers of numeric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresType:
    """The columns of pg_type that differ from type to type."""

    oid: int
    namespace: str
    name: str
    length: int
    by_value: bool
    kind: str
    category: str
    preferred: bool
    delimiter: str
    subscript: str
    element: int
    array: int
    input: str
    output: str
    receive: str
    send: str
    modifier_input: str
    modifier_output: str
    analyze: str
    align: str
    storage: str
    base: int
    base_modifier: int
    collation: int
    display: str
    """The name in SQL, e.g. `double precision`."""
    default: str | None
    """The default of a domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnType:
    """The type of a column in pg_attribute."""

    type: PostgresType
    modifier: int = -1
    dimensions: int = 0

    @property
    def display(self) -> str:
        """The name that `format_type` returns."""
        if self.modifier < NUMERIC_HEADER:
            return self.type.display
        packed = self.modifier - NUMERIC_HEADER
        precision, scale = packed >> 16, packed & 0xFFFF
        suffix = "[]" * (self.dimensions > 0)
        return f"{self.type.display.removesuffix('[]')}({precision},{scale}){suffix}"


def _parse(line: str) -> PostgresType:
    f = line.split("\t")
    return PostgresType(
        oid=int(f[0]),
        namespace=f[1],
        name=f[2],
        length=int(f[3]),
        by_value=f[4] == "t",
        kind=f[5],
        category=f[6],
        preferred=f[7] == "t",
        delimiter=f[8],
        subscript=f[9],
        element=int(f[10]),
        array=int(f[11]),
        input=f[12],
        output=f[13],
        receive=f[14],
        send=f[15],
        modifier_input=f[16],
        modifier_output=f[17],
        analyze=f[18],
        align=f[19],
        storage=f[20],
        base=int(f[21]),
        base_modifier=int(f[22]),
        collation=int(f[23]),
        display=f[24],
        default=None if f[25] == "\\N" else f[25],
    )


@cache
def postgres_types() -> Mapping[str, PostgresType]:
    """Return all built-in types by their name in pg_type."""
    parsed = (_parse(line) for line in seed.TYPES.strip("\n").splitlines())
    return {each.name: each for each in parsed}


def column_type(data_type: DataType) -> ColumnType:
    """Return PostgreSQL's type of a column; nested arrays have one array type."""
    element, dimensions = data_type, 0
    while element.kind is Kind.ARRAY:
        assert element.element is not None
        element, dimensions = element.element, dimensions + 1
    modifier = -1
    if element.kind is Kind.DECIMAL and element.precision:
        modifier = ((element.precision << 16) | element.scale) + NUMERIC_HEADER
    name = element.kind.record.postgres
    found = postgres_types()["_" + name if dimensions else name]
    return ColumnType(type=found, modifier=modifier, dimensions=dimensions)


@cache
def spellings() -> Mapping[str, int]:
    """Return the oid for each name of a `regtype`, in lower case."""
    written: dict[str, int] = {}
    for each in postgres_types().values():
        qualified = f"{each.namespace}.{each.name}"
        for spelling in (each.name, qualified, f'"{each.name}"', each.display):
            written.setdefault(spelling.lower(), each.oid)
        if each.array:
            for spelling in (each.name, qualified, each.display):
                written.setdefault(spelling.lower() + "[]", each.array)
    for alias, name in _ALIASES.items():
        written[alias] = postgres_types()[name].oid
        written[alias + "[]"] = postgres_types()[name].array
    return written


_ALIASES = {
    "int": "int4",
    "decimal": "numeric",
    "dec": "numeric",
    "float": "float8",
    "char": "bpchar",
    "timestamp": "timestamp",
    "time": "time",
    "string": "text",
}
