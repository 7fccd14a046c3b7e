"""Joins by lookup: a relation read by the keys that the rows of another name, if those are few.

Which relations can be read so is known with the plan; whether one is, when the other has been read.
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
"""More rows than that are not few: they are read once for their keys and once for the join."""
LINK_BYTES_MAX = 16 << 20
"""The same in memory, for what is read for its keys is held."""
_SCANNED_PER_KEY = {StoreKind.KEYVALUE: 4, StoreKind.GLOBAL: 4}
_SCANNED_PER_TIMED_KEY = 32
"""So many rows are scanned in the time of one lookup; a store with fewer by key is scanned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedColumn:
    """A key column, and the column of the other relation that it must be equal to."""

    column: str
    other: str
    other_type: DataType
    fit: Fitter


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation whose rows can be found by those of another."""

    name: str
    """The relation."""
    by: str
    """The other one."""
    columns: tuple[LinkedColumn, ...]
    is_whole: bool
    """Whether the key is fixed then, and not only how it begins."""

    @property
    def keys_max(self) -> int:
        """More keys than that are not looked up."""
        return LINK_ROWS_MAX if self.is_whole else PREFIXES_MAX

    def describe(self) -> str:
        """One line."""
        pairs = " and ".join(f"{c.column} = {self.by}.{c.other}" for c in self.columns)
        name = "lookup" if self.is_whole else "range"
        return f"or {name} by {pairs}, if those are {self.keys_max} at most"

    def condition(self, table: pa.Table) -> Condition | None:
        """What the other relation's rows leave of this one's keys; None if they are too many."""
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
        """Whether looking the keys up is less work than reading all rows of the store."""
        if rows is None:
            return True
        keys = len(condition.known or ()) if isinstance(condition, Equals | OneOf) else 0
        return keys * _SCANNED_PER_KEY.get(kind, _SCANNED_PER_TIMED_KEY) < rows


def _fitted(fit: Fitter, value: object) -> object:
    found = None if value is None else fit(value)
    return found.value if isinstance(found, Fitted) and found.exact else None
