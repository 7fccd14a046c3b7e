"""The choice among operators of one name, as PostgreSQL makes it.

Types have their names in `stategate.stores.spec` or, if only PostgreSQL has them, in pg_type; an
array is its elements' name with `[]`; a bare text or NULL is `unknown`.

Source: PostgreSQL's manual, 10.2, Operators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from stategate.planner.records.operators import Operands
from stategate.planner.values.array_types import leaf_of
from stategate.planner.values.catalog_types import has_any_scale, postgres_name
from stategate.stores.spec.schema import DataType, Kind

UNKNOWN = "unknown"
_NUMBERS = ("smallint", "integer", "bigint", "decimal", "real", "double")
_OBJECTS = frozenset(
    {"regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole", "regcollation"}
    | {"regoper", "regoperator"}
)
_TEXTS = frozenset({"text", "varchar", "bpchar", "name"})
_IMPLICIT: Mapping[str, AbstractSet[str]] = {
    **{name: frozenset(_NUMBERS[at + 1 :]) for at, name in enumerate(_NUMBERS)},
    **{name: {*_NUMBERS[at + 1 :], "oid", *_OBJECTS} for at, name in enumerate(_NUMBERS[:3])},
    **dict.fromkeys(_OBJECTS, frozenset({"oid"})),
    "oid": _OBJECTS,
    **dict.fromkeys(("text", "varchar", "bpchar"), _TEXTS),
    **dict.fromkeys(("name", "char", "pg_node_tree"), frozenset({"text"})),
    "date": frozenset({"timestamp", "timestamptz"}),
    "timestamp": frozenset({"timestamptz"}),
    "time": frozenset({"interval", "timetz"}),
}
"""The types that a type becomes where they are needed."""
_CATEGORIES: Mapping[str, str] = {
    **dict.fromkeys((*_NUMBERS, "oid", *_OBJECTS), "number"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(("date", "time", "timetz", "timestamp", "timestamptz"), "time"),
    **dict.fromkeys(("bytea", "json", "jsonb", "macaddr", "uuid"), "other"),
    **dict.fromkeys(("cid", "pg_lsn", "tid", "xid", "xid8"), "other"),
    "interval": "length",
    "boolean": "boolean",
    "inet": "network",
}
_PREFERRED = frozenset({"double", "oid", "text", "timestamptz", "interval", "boolean", "inet"})
"""The preferred types of the categories."""
_VECTORS = {"int2vector": "smallint", "oidvector": "oid"}
"""Types of arrays with names of their own, and their elements."""
_ARRAYS = frozenset({"anyarray", "anycompatiblearray"})


def name_of(data_type: DataType) -> str:
    """Return the name of a type; structs and maps are jsonb, as clients see them."""
    if data_type.kind is Kind.NULL:
        return UNKNOWN
    own = postgres_name(data_type)
    if own and not has_any_scale(data_type):
        return own
    if data_type.kind is Kind.ARRAY:
        return f"{name_of(leaf_of(data_type))}[]"
    if data_type.kind in {Kind.STRUCT, Kind.MAP}:
        return "jsonb"
    kind = Kind.SMALLINT if data_type.kind is Kind.TINYINT else data_type.kind
    return str(kind.value)


def choose(listed: Sequence[Operands], given: Operands) -> list[Operands]:
    """Return the operators that a use means: one; none if it does not exist, several if it is open.

    Args:
        listed: the operands of all operators of the name.
        given: the types of the operands.
    """
    alike = tuple(next((g for g in given if g != UNKNOWN), UNKNOWN) for _ in given)
    assumed = alike if UNKNOWN in given and len(given) > 1 else given
    if assumed in listed and UNKNOWN not in assumed:
        return [assumed]
    fitting = [each for each in listed if _fit(given, each)]
    return fitting if len(fitting) <= 1 else _best(fitting, given)


def _fit(given: Operands, wanted: Operands) -> bool:
    """Whether operands become those of an operator by implicit casts."""
    return all(map(_becomes, given, wanted)) and _agree(given, wanted)


def _becomes(given: str, wanted: str) -> bool:
    if given in {UNKNOWN, wanted}:
        return True
    if wanted in _ARRAYS:
        return _is_array(given)
    if wanted == "anynonarray":
        return not _is_array(given)
    if wanted in {"anycompatible", "anyelement"}:
        return True
    if _is_array(given) and wanted.endswith("[]"):
        element = _VECTORS.get(given) or given.removesuffix("[]")
        return _becomes(element, wanted.removesuffix("[]"))
    return wanted in _IMPLICIT.get(given, ())


def _is_array(name: str) -> bool:
    return name.endswith("[]") or name in _VECTORS


def _agree(given: Operands, wanted: Operands) -> bool:
    """Whether operands of pseudo types agree: the same arrays, or elements that become alike."""
    pairs = [(g, w) for g, w in zip(given, wanted, strict=True) if g != UNKNOWN]
    if len({g for g, w in pairs if w == "anyarray"}) > 1:
        return False
    leaves = [
        g.removesuffix("[]") if w == "anycompatiblearray" else g
        for g, w in pairs
        if w.startswith("anycompatible")
    ]
    return mismatch(leaves) is None


class Mismatch(NamedTuple):
    """Two of some types that have no common type, by their indexes."""

    one: int
    other: int
    is_of_categories: bool
    """Whether their categories differ; otherwise the first has no implicit cast to the other."""


def mismatch(given: Sequence[str]) -> Mismatch | None:
    """Return why some types have no common type; None if they have one."""
    found = common_place(given)
    return found if isinstance(found, Mismatch) else None


def common_place(given: Sequence[str]) -> int | Mismatch:
    """Return the index of the common type of some types, or why they have none.

    Source: PostgreSQL's manual, 10.5, UNION, CASE, and Related Constructs.
    """
    known = [at for at, name in enumerate(given) if name != UNKNOWN]
    if not known:
        return 0
    chosen = known[0]
    for at in known[1:]:
        common, name = given[chosen], given[at]
        if _category(common) != _category(name):
            return Mismatch(chosen, at, is_of_categories=True)
        is_wider = _becomes(common, name) and not _becomes(name, common)
        if common not in _PREFERRED and is_wider:
            chosen = at
    for at in known:
        if not _becomes(given[at], given[chosen]):
            return Mismatch(at, chosen, is_of_categories=False)
    return chosen


def _category(name: str) -> str:
    return "array" if _is_array(name) else _CATEGORIES.get(name, name)


def _best(left: list[Operands], given: Operands) -> list[Operands]:
    """Return the operators that PostgreSQL prefers among several that fit."""
    known = [at for at, each in enumerate(given) if each != UNKNOWN]

    def most(scores: list[int]) -> list[Operands]:
        return [each for each, score in zip(left, scores, strict=True) if score == max(scores)]

    def is_preferred(at: int, wanted: Operands) -> bool:
        return wanted[at] in _PREFERRED and _category(wanted[at]) == _category(given[at])

    left = most([sum(given[at] == each[at] for at in known) for each in left])
    left = most(
        [sum(given[at] == each[at] or is_preferred(at, each) for at in known) for each in left]
    )
    if len(left) > 1 and len(known) < len(given):
        left = _by_categories(left, [at for at in range(len(given)) if at not in known])
        kinds = {given[at] for at in known}
        if len(left) > 1 and len(kinds) == 1:
            alike = tuple(kinds) * len(given)
            kept = [each for each in left if _fit(alike, each)]
            left = kept if len(kept) == 1 else left
    return left


def _by_categories(left: list[Operands], unknown: list[int]) -> list[Operands]:
    """Return the operators that PostgreSQL keeps for bare texts and NULLs, by type category."""
    chosen: dict[int, str] = {}
    for at in unknown:
        categories = {_category(each[at]) for each in left}
        if "text" not in categories and len(categories) > 1:
            return left
        chosen[at] = "text" if "text" in categories else categories.pop()
    kept = [each for each in left if all(_category(each[at]) == chosen[at] for at in unknown)]
    for at in unknown:
        preferred = [each for each in kept if each[at] in _PREFERRED]
        kept = preferred or kept
    return kept or left
