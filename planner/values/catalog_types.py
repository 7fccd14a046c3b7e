"""Types that only PostgreSQL has: their OIDs, and the types of ours that hold their values.

All are types of the system catalog, except varchar and char; see `type_modifiers`. A bigint holds
an oid, a text a name, an array an int2vector. Code that computes with such a value looks at its
`kind`. The type itself has the differences, such as subscripts from 0 and names of objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stategate.stores.spec.schema import SMALLINT, DataType, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogType(DataType):
    """A type that only PostgreSQL has; `kind` and `element` say which type of ours holds it."""

    postgres: str
    """`pg_type.typname`."""
    oid: int
    array_oid: int = 0
    """`pg_type.typarray`; 0 if there is no array of it."""
    length: int = -1
    """`pg_type.typlen`: bytes of a value, -1 where they vary."""
    lower: int = 1
    """The first subscript of an array."""
    modifier: int = -1
    """`pg_attribute.atttypmod`: the length of a varchar or char and 4; -1 without a length."""


def _scalars(kind: Kind, text: str) -> dict[str, DataType]:
    """Return types of one kind, from lines of name, OID, array OID and length."""
    lines = (line.split() for line in text.strip().splitlines())
    return {
        name: CatalogType(
            kind=kind, postgres=name, oid=int(oid), array_oid=int(array), length=int(length)
        )
        for name, oid, array, length in lines
    }


_NUMBERS = _scalars(
    Kind.BIGINT,
    """
    oid 26 1028 4
    xid 28 1011 4
    cid 29 1012 4
    xid8 5069 271 8
    regclass 2205 2210 4
    regtype 2206 2211 4
    regprocedure 2202 2207 4
    regnamespace 4089 4090 4
    regrole 4096 4097 4
    regcollation 4191 4192 4
    regoper 2203 2208 4
    regoperator 2204 2209 4
    """,
)
_TEXTS = _scalars(
    Kind.TEXT,
    """
    char 18 1002 1
    name 19 1003 64
    regproc 24 1008 4
    tid 27 1010 6
    inet 869 1041 -1
    aclitem 1033 1034 12
    cstring 2275 1263 -2
    pg_node_tree 194 0 -1
    pg_lsn 3220 3221 8
    anyarray 2277 0 -1
    void 2278 0 4
    """,
)
OID = _NUMBERS["oid"]
NAME = _TEXTS["name"]
CHAR = _TEXTS["char"]
VOID = _TEXTS["void"]
INT2VECTOR = CatalogType(
    kind=Kind.ARRAY, element=SMALLINT, postgres="int2vector", oid=22, array_oid=1006, lower=0
)
VARCHAR = CatalogType(kind=Kind.TEXT, postgres="varchar", oid=1043, array_oid=1015)
BPCHAR = CatalogType(kind=Kind.TEXT, postgres="bpchar", oid=1042, array_oid=1014)
OIDVECTOR = CatalogType(
    kind=Kind.ARRAY, element=OID, postgres="oidvector", oid=30, array_oid=1013, lower=0
)
CATALOG_TYPES: Mapping[str, DataType] = {
    **_NUMBERS,
    **_TEXTS,
    "int2vector": INT2VECTOR,
    "oidvector": OIDVECTOR,
}
"""The types by their names in pg_type."""
OBJECTS: Mapping[str, tuple[str, str]] = {
    "regclass": ("relation", "42P01"),
    "regtype": ("type", "42704"),
    "regproc": ("function", "42883"),
    "regprocedure": ("function", "42883"),
    "regnamespace": ("schema", "3F000"),
    "regrole": ("role", "42704"),
    "regcollation": ("collation", "42704"),
    "regoper": ("operator", "42883"),
    "regoperator": ("operator", "42883"),
}
"""Types of OIDs that read and print as names → the named object, and the error if it is missing."""


def of_any_scale(precision: int, scale: int) -> DataType:
    """Return the type of numerics whose scale differs from value to value.

    They are held with the largest scale, and printed without the zeros at their end.
    """
    return CatalogType(
        kind=Kind.DECIMAL,
        precision=precision,
        scale=scale,
        postgres="numeric",
        oid=Kind.DECIMAL.record.oid,
        array_oid=Kind.DECIMAL.record.array_oid,
    )


def record_type(fields: Sequence[tuple[str, DataType]]) -> DataType:
    """Return the type of a row whose fields have these names and types."""
    return CatalogType(
        kind=Kind.STRUCT, fields=tuple(fields), postgres="record", oid=2249, array_oid=2287
    )


def is_record(data_type: DataType | None) -> bool:
    """Whether values are rows, which print as `(1,2)`."""
    return postgres_name(data_type) == "record"


def has_any_scale(data_type: DataType | None) -> bool:
    """Whether values are numerics whose scale differs from value to value, as of a parameter."""
    if data_type is None or data_type.kind is not Kind.DECIMAL:
        return False
    return not data_type.precision or postgres_name(data_type) == "numeric"


def postgres_name(data_type: DataType | None) -> str:
    """Return the name of a type of the catalog; empty for all other types."""
    return data_type.postgres if isinstance(data_type, CatalogType) else ""


def is_inet(data_type: DataType | None) -> bool:
    """Whether values are addresses of the network, or arrays of them."""
    element = None if data_type is None else data_type.element
    return postgres_name(data_type) == "inet" or (element is not None and is_inet(element))


def is_of_catalog(data_type: DataType) -> bool:
    """Whether a type is one of the catalog's, or an array of one."""
    element = data_type.element
    is_own = isinstance(data_type, CatalogType) and not has_any_scale(data_type)
    return is_own or (element is not None and is_of_catalog(element))


def is_vector(data_type: DataType | None) -> bool:
    """Whether values are printed as `1 2`, not as `{1,2}`."""
    return postgres_name(data_type) in {"int2vector", "oidvector"}


def names_objects(data_type: DataType | None) -> bool:
    """Whether values are oids that print as names, such as regclass."""
    return (
        postgres_name(data_type) in OBJECTS
        and data_type is not None
        and (data_type.kind is Kind.BIGINT)
    )


def from_zero(data_type: DataType) -> DataType:
    """Return the type of an array cast from a vector: its subscripts still begin at 0."""
    if data_type.kind is not Kind.ARRAY or isinstance(data_type, CatalogType):
        return data_type
    return CatalogType(kind=Kind.ARRAY, element=data_type.element, postgres="", oid=0, lower=0)


def first_subscript(data_type: DataType | None) -> int:
    """Return the first subscript of an array."""
    return data_type.lower if isinstance(data_type, CatalogType) else 1
