"""Open the inputs of a join in an order that lets few rows of one find the rows of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import LINK_BYTES_MAX, LINK_ROWS_MAX, Link
from stategate.planner.running.few_inputs import Read


@dataclass(slots=True, kw_only=True)
class JoinInputs:
    """Opens the accesses of one statement that DuckDB composes.

    Args:
        links: relations that can be looked up by the rows of another.
        open_access: asks the partitions, and returns a function that reads the rows.
        rows_of: returns about how many rows the store of an access holds; None if not known.
    """

    links: Sequence[Link]
    open_access: Callable[[Access], Read]
    rows_of: Callable[[Access], int | None]
    _held: dict[str, pa.Table] = field(default_factory=dict)

    def open_all(self, accesses: Mapping[str, Access]) -> dict[str, Read]:
        """Open all accesses, those whose rows find others first."""
        waiting = dict(accesses)
        found: dict[str, Read] = {}
        while waiting:
            name, access = self._next(waiting)
            del waiting[name]
            read = self.open_access(access)
            if any(link.by == name and link.name in waiting for link in self.links):
                read = self._hold(name, access, read)
            found[name] = read
        return found

    def _next(self, waiting: Mapping[str, Access]) -> tuple[str, Access]:
        """Return the next access: one that held rows can look up, or else the smallest."""
        for link in self.links:
            if link.name in waiting and link.by in self._held:
                narrowed = self._narrowed(waiting[link.name], link)
                if narrowed is not None:
                    return link.name, narrowed
        if len(waiting) == 1:
            return next(iter(waiting.items()))
        drivers = {link.by for link in self.links if link.name in waiting}
        return min(waiting.items(), key=lambda item: (item[0] not in drivers, item[1].breadth))

    def _narrowed(self, access: Access, link: Link) -> Access | None:
        """Return the access to the keys and times in the held rows; None if it is as wide."""
        rows, kind = self.rows_of(access), access.schema.kind
        found = link.conditions(self._held[link.by], rows, kind)
        for condition in found:
            access = access.and_also(condition)
        return access if found else None

    def _hold(self, name: str, access: Access, read: Read) -> Read:
        """Hold the rows in memory if they are few."""
        if not access.predicate.columns and (self.rows_of(access) or 0) > LINK_ROWS_MAX:
            return read
        table = _small_table(read(), access)
        if table is None:
            return read
        self._held[name] = table
        return lambda: iter(table.to_batches())


def _small_table(batches: Iterator[pa.RecordBatch], access: Access) -> pa.Table | None:
    """Return all rows; None if they are too many or too large."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows > LINK_ROWS_MAX or size > LINK_BYTES_MAX:
            return None
    return pa.Table.from_batches(held, schema=access.arrow_schema)
