"""Joins by lookup: one relation is read by the keys in the rows of another, if those are few.

The plan says which relations can be read like this. Whether one is, is decided at run time, when
the rows of the other relation are known.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from planner.binding.predicates import Condition, Equals, OneOf
from planner.planning.key_regions import PREFIXES_MAX
from planner.values.comparison_bounds import Fitted, Fitter
from stores.spec.arrow import physical_list
from stores.spec.schema import DataType, StoreKind

LINK_ROWS_MAX = 10_000
"""At most so many rows are few: they are read once for their keys and once for the join."""
LINK_BYTES_MAX = 16 << 20
"""At most so many bytes of them: rows that are read for their keys stay in memory."""
_SCANNED_PER_KEY = {StoreKind.KEYVALUE: 4, StoreKind.GLOBAL: 4}
_SCANNED_PER_TIMED_KEY = 32
"""So many rows are scanned in the time of one lookup; a store with fewer rows for each key is
scanned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedColumn:
    """A key column, and the column of the other relation that it must be equal to."""

    column: str
    other: str
    other_type: DataType
    fit: Fitter


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation that can be looked up by the rows of another."""

    name: str
    """The relation to look up in."""
    by: str
    """The other relation."""
    columns: tuple[LinkedColumn, ...]
    is_whole: bool
    """Whether the columns fix the whole key and not only a prefix."""

    @property
    def keys_max(self) -> int:
        """The most keys that are looked up."""
        return LINK_ROWS_MAX if self.is_whole else PREFIXES_MAX

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        pairs = " and ".join(f"{c.column} = {self.by}.{c.other}" for c in self.columns)
        name = "lookup" if self.is_whole else "range"
        return f"or {name} by {pairs}, if those are {self.keys_max} at most"

    def condition(self, table: pa.Table) -> Condition | None:
        """Return the condition on the keys in the other relation's rows; None if too many."""
        listed = [
            [_fitted(c.fit, v) for v in physical_list(table.column(c.other), c.other_type)]
            for c in self.columns
        ]
        rows = dict.fromkeys(row for row in zip(*listed, strict=True) if None not in row)
        if len(rows) > self.keys_max:
            return None
        names = tuple(c.column for c in self.columns)
        if len(names) == 1:
            return Equals(column=names[0], operands=(), known=tuple(row[0] for row in rows))
        return OneOf(columns=names, known=tuple(rows))

    def pays(self, condition: Condition, rows: int | None, kind: StoreKind) -> bool:
        """Whether to look the keys up is less work than to read the whole store."""
        if rows is None:
            return True
        keys = len(condition.known or ()) if isinstance(condition, Equals | OneOf) else 0
        return keys * _SCANNED_PER_KEY.get(kind, _SCANNED_PER_TIMED_KEY) < rows


def _fitted(fit: Fitter, value: object) -> object:
    found = None if value is None else fit(value)
    return found.value if isinstance(found, Fitted) and found.exact else None
