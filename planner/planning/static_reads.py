"""How the disjuncts of a predicate are read, as far as it is known without the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.binding.predicates import (
    Condition,
    Disjunct,
    Equals,
    OneOf,
    Predicate,
    describe_condition,
)
from planner.planning.key_regions import fixed_columns
from stores.spec.schema import StoreSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticRead:
    """How a disjunct is read, whatever the parameters are."""

    name: str
    used: tuple[Condition, ...]
    left: tuple[Condition, ...]
    """Conditions that the queries do not decide; rows are filtered by them."""
    keys: int | None = None
    """The number of keys that are looked up, if known."""


def static_read(disjunct: Disjunct, schema: StoreSchema) -> StaticRead:
    """Return how a disjunct is read."""
    names = [column.name for column in schema.key]
    fixed = fixed_columns(disjunct, schema)
    behind = names[fixed : fixed + 1]
    beside = {"_partition", *(column.name for column in schema.time_columns)}
    usable = {*names[:fixed], *behind, *beside}
    used = tuple(c for c in disjunct if usable.issuperset(c.columns))
    used = tuple(sorted(used, key=lambda c: _rank(c, names, beside)))
    left = tuple(c for c in disjunct if c not in used)
    if fixed == len(names):
        return StaticRead(name="lookup", used=used, left=left, keys=_key_count(disjunct, names))
    reads = any(c.columns[0] != "_partition" for c in used)
    return StaticRead(name="range" if reads else "scan", used=used, left=left)


def _rank(condition: Condition, names: list[str], beside: set[str]) -> tuple[int, int]:
    column = condition.columns[0]
    if column in beside:
        return (2 if column == "_partition" else 1), 0
    return 0, names.index(column)


def _key_count(disjunct: Disjunct, names: list[str]) -> int | None:
    count = 1
    left = set(names)
    for condition in disjunct:
        if not left.issuperset(condition.columns):
            continue
        if isinstance(condition, OneOf):
            count *= len(condition.known or condition.rows)
        elif isinstance(condition, Equals):
            if any(operand.is_list for operand in condition.operands):
                return None
            count *= len(condition.operands) + condition.null
        left -= set(condition.columns)
    return count


def describe_reads(predicate: Predicate, reads: Sequence[StaticRead]) -> list[str]:
    """Return the conditions of the reads, and those that rows are filtered by."""
    if len(reads) == 1:
        parts = [_joined(reads[0].used)] if reads[0].used else []
        return parts + ([f"filter {_joined(reads[0].left)}"] if reads[0].left else [])
    parts = (
        [" or ".join(f"({_joined(r.used)})" for r in reads)] if all(r.used for r in reads) else []
    )
    if any(read.left for read in reads):
        parts.append("filter " + " or ".join(f"({_joined(d)})" for d in predicate.disjuncts))
    return parts


def _joined(conditions: Sequence[Condition]) -> str:
    return " and ".join(map(describe_condition, conditions))
