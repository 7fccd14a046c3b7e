"""How one relation is read: the typed queries, and their partitions, that answer a predicate.

If all key columns are fixed, the read is a lookup, routed by the hash of the key. If a prefix of
the key is fixed, or an interval of the next column, it is a range; otherwise a scan. Windows,
sessions and versions have times as well. Rows that do not meet the predicate are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
from msgspec import Struct, structs

from stategate.planner.binding.domains import Domain, domains
from stategate.planner.binding.predicates import (
    EVERY_ROW,
    Compares,
    Condition,
    Disjunct,
    Equals,
    NotNull,
    OneOf,
    Operand,
    Predicate,
)
from stategate.planner.planning.key_regions import (
    StaticRead,
    describe_reads,
    static_read,
)
from stategate.planner.planning.limits import Limits
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import StoreKind, StoreSchema

_READ_NAMES = {
    StoreKind.WINDOW: "window ",
    StoreKind.SESSION: "session ",
    StoreKind.VERSIONED: "version ",
}
"""EXPLAIN's names for reads of kinds whose keys have rows by time."""
_PLAIN = {StoreKind.KEYVALUE, StoreKind.GLOBAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The first rows in an order in which each partition can be read."""

    columns: tuple[tuple[str, bool], ...]
    """The columns of the order, each with whether its NULLs come first."""
    order: Order
    limits: Limits
    """How many rows are needed."""
    split: int | None = None
    """The index of the key column that comes first; its NULLs are read separately. None for times.
    """
    held: str | None = None
    """The last key column, if its NULLs come after the other rows of their group."""

    def describe(self) -> str:
        """Return the text for EXPLAIN."""
        names = ", ".join(name for name, _ in self.columns)
        return f"first {self.limits.enough_text} by {names} {self.order.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTime:
    """The first rows of all keys by time: other rows of a partition are not needed.

    The time is the one that files rows: the start or end of windows, which order them alike, or the
    end of sessions.
    """

    column: str
    order: Order
    limits: Limits
    """How many rows are needed, besides those equal to the last of them."""

    def describe(self) -> str:
        """Return the text for EXPLAIN."""
        word = "newest" if self.order is Order.DESCENDING else "oldest"
        return f"{word} {self.limits.enough_text} by {self.column}"


class Access(Struct, frozen=True, kw_only=True, dict=True):
    """How one relation of a statement is read, whatever its parameters are.

    A plan keeps its accesses, and they keep what is the same in all runs.
    """

    schema: StoreSchema
    columns: tuple[str, ...]
    """The columns to return; columns decoded only for the predicate are dropped."""
    predicate: Predicate = EVERY_ROW
    limit: Limits | None = None
    """How many rows are enough, if any rows will do."""
    top: Top | None = None
    """The first rows to read, if the others are not needed."""
    by_time: ByTime | None = None
    """The first rows by time, if the others are not needed. Reads may give others, too."""
    ends: str | None = None
    """The key column of which only the least and greatest values are needed."""

    @property
    def single_key(self) -> tuple[Operand, ...] | None:
        """The operands of a lookup of one key with one row; None for any other access."""
        conditions = self.predicate.conditions
        key = self.schema.key
        if self.schema.kind not in _PLAIN or len(conditions) != len(key):
            return None
        by_column = {c.column: c for c in conditions if isinstance(c, Equals) and c.is_single}
        found = [by_column.get(column.name) for column in key]
        operands = tuple([each.operands[0] for each in found if each is not None])
        return operands if len(operands) == len(key) else None

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of a batch with its columns."""
        return self.schema.arrow_schema(self.columns)

    @cached_property
    def kept(self) -> dict[object, Any]:
        """What other modules keep with it, by the function that makes it."""
        return {}

    @cached_property
    def breadth(self) -> int:
        """How much is read: 0 for a lookup, 1 a range, 2 a filtered scan, 3 all rows."""
        disjuncts = self.predicate.disjuncts
        names = [static_read(disjunct, self.schema).name for disjunct in disjuncts]
        if "scan" in names:
            return 2 if self.predicate.columns else 3
        return int("range" in names)

    @property
    def is_scan(self) -> bool:
        """Whether it reads all rows of the store, or of some partitions."""
        is_cut = self.limit is not None or self.top is not None or self.ends is not None
        return self.breadth > 1 and not is_cut

    def decoded(self, *, is_exact: bool) -> tuple[str, ...]:
        """Return the columns that reads decode: those of the predicate too, if rows are tested."""
        if is_exact:
            return self.columns
        more = (name for name in self.predicate.columns if name not in self.columns)
        return (*self.columns, *more)

    def and_also(self, condition: Condition) -> Access:
        """Return the access to the rows that meet one more condition."""
        found = tuple((*disjunct, condition) for disjunct in self.predicate.disjuncts)
        return structs.replace(self, predicate=structs.replace(self.predicate, disjuncts=found))

    def describe(self) -> str:
        """Return one line for EXPLAIN: the read, its conditions and the number of partitions."""
        predicate, schema = self.predicate, self.schema
        kind = _READ_NAMES.get(schema.kind, "")
        if not predicate.disjuncts:
            return f"nothing of {schema.name}; no row can match; on no partition"
        reads = [static_read(disjunct, schema) for disjunct in predicate.disjuncts]
        name = next((n for n in ("scan", "range") if any(r.name == n for r in reads)), "lookup")
        parts = [f"{kind if name != 'scan' else ''}{name} {schema.name}"]
        parts += describe_reads(predicate, reads)
        parts += [self.top.describe()] if self.top is not None else []
        parts += [self.by_time.describe()] if self.by_time is not None else []
        parts += [f"ends of {self.ends}"] if self.ends is not None else []
        parts += [f"any {self.limit.enough_text} rows"] if self.limit is not None else []
        parts.append(f"columns {', '.join(self.columns)}" if self.columns else "no columns")
        parts.append(f"on {self._places(reads) if name == 'lookup' else self._partitions()}")
        return "; ".join(parts)

    def _partitions(self) -> str:
        """Return the largest number of partitions that are read, whatever the parameters are."""
        count = len(set[int]().union(*map(self._static_partitions, self.predicate.disjuncts)))
        return f"{count} partitions" if count > 1 else "1 partition" if count else "no partition"

    def _static_partitions(self, disjunct: Disjunct) -> set[int]:
        known = domains([c for c in disjunct if _is_constant(c)], ())
        return partitions_in(known.get("_partition"), self.schema) if known is not None else set()

    def _places(self, reads: Sequence[StaticRead]) -> str:
        counts = [read.keys for read in reads]
        if None in counts:
            return "the partitions of the keys"
        count = sum(count or 0 for count in counts)
        return "1 partition" if count == 1 else f"the partitions of {count} keys"


def plan_access(schema: StoreSchema, predicate: Predicate, columns: tuple[str, ...]) -> Access:
    """Return the access to the rows that meet a predicate, without its impossible disjuncts."""
    kept = tuple([d for d in predicate.disjuncts if not _is_contradiction(d)])
    if len(kept) < len(predicate.disjuncts):
        predicate = structs.replace(predicate, disjuncts=kept)
    return Access(schema=schema, columns=columns, predicate=predicate)


def _is_contradiction(disjunct: Disjunct) -> bool:
    """Whether no value can meet the conditions that have no parameters."""
    if len(disjunct) < 2 and not any(isinstance(c, Equals) and not c.known for c in disjunct):
        return False
    constant = [condition for condition in disjunct if _is_constant(condition)]
    return bool(constant) and domains(constant, ()) is None


def _is_constant(condition: Condition) -> bool:
    match condition:
        case Equals():
            return condition.known is not None
        case Compares():
            return condition.operand.parameter is None
        case OneOf():
            return condition.known is not None
        case NotNull():
            return True


def partitions_in(domain: Domain | None, schema: StoreSchema) -> set[int]:
    """Return the partitions that a domain of `_partition` allows; all if there is no domain."""
    every = range(schema.partitions)
    if domain is None:
        return set(every)
    if domain.values is not None:
        return set(every) & set(domain.values)
    return {partition for partition in every if domain.holds(partition)}
