"""Tables of the rows of a join, in place of streams.

DuckDB knows nothing of a stream, so it takes each for one row, and may join two large dimensions
with each other before it joins the facts. It knows the number of rows of a table, and how many
values each column has. So a statement of several relations reads them into tables first, if they
fit. Otherwise they stay streams, which are read as their rows are needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from stategate.planner.composing.local_relation import LocalRelation
from stategate.planner.composing.relation_errors import stream_error

RELATIONS_MIN = 3
"""With two relations there is one order, and the first rows come before all are read."""
FEW_ROWS = 1_024
"""Rows of all relations that are joined as fast in any order."""
TABLES_BYTES_MAX = 32 << 20
"""Maximum bytes of the tables of a statement: half of the least memory that DuckDB may have."""
_SOURCE = "zz_rows"


@dataclass(slots=True)
class _Read:
    """A relation that has been read in part or as a whole."""

    relation: LocalRelation
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rest: Iterator[pa.RecordBatch] | None = None
    """What is left of the scan; None after its first use."""

    def read(self) -> Iterator[pa.RecordBatch]:
        """Return all rows: for the first scan those that were read, and what is left."""
        batches, rest = self.batches, self.rest
        if rest is None:
            return self.relation.read()
        self.batches, self.rest = [], None
        return itertools.chain(batches, rest)


def read_ahead(
    relations: Mapping[str, LocalRelation],
) -> tuple[Mapping[str, LocalRelation], Mapping[str, pa.Table] | None]:
    """Read relations as far as they may become tables.

    Returns:
        The relations, which still give all their rows, and their rows as tables; None if they stay
        streams.

    Raises:
        DatabaseError: a relation could not be read.
    """
    if len(relations) < RELATIONS_MIN:
        return relations, None
    begun = {name: _Read(each) for name, each in relations.items()}
    size = rows = 0
    try:
        for each in begun.values():
            each.rest = each.relation.read()
            for batch in each.rest:
                each.batches.append(batch)
                size, rows = size + batch.nbytes, rows + batch.num_rows
                if size > TABLES_BYTES_MAX:
                    return _unread(begun), None
    except MemoryError:
        raise
    except Exception as error:  # whatever DuckDB would have met while it reads the stream
        raise stream_error(str(error)) from error
    if rows <= FEW_ROWS:
        return _unread(begun), None
    tables = {
        name: pa.Table.from_batches(each.batches, schema=each.relation.schema)
        for name, each in begun.items()
    }
    return _unread(begun), tables


def _unread(begun: Mapping[str, _Read]) -> Mapping[str, LocalRelation]:
    return {
        name: LocalRelation(each.relation.schema, each.read, is_whole=each.relation.is_whole)
        for name, each in begun.items()
    }


def make_tables(cursor: Any, tables: Mapping[str, pa.Table]) -> None:
    """Make tables in a connection of DuckDB, with which they end."""
    for name, table in tables.items():
        cursor.register(_SOURCE, table)
        cursor.execute(f'CREATE TEMP TABLE "{name}" AS FROM {_SOURCE}')
        cursor.unregister(_SOURCE)
